// Products of a block of rows [lo, hi) with one vector (d) or with K vectors (d×K, row-major).
//   block_scores   out[i] = b + ⟨xᵢ, w⟩            block_adjoint   g += Σᵢ rᵢ xᵢ
// One overload a storage; everything above them is storage-free.
#pragma once
#include <algorithm>
#include <type_traits>
#include <vector>

#include "blas.hpp"
#include "design.hpp"
#include "skinny.hpp"
#include "sparse.hpp"

namespace linsep {

// ---- one vector ---------------------------------------------------------------------------------------

template <class T>
void block_scores(const DenseRows<T> &x, index_t lo, index_t hi, const double *w, double b, double *out) {
    const index_t d = x.d;
    index_t i = lo;
    for (; i + 4 <= hi; i += 4) {
        const T *p = x.row(i), *q = x.row(i + 1), *r = x.row(i + 2), *s = x.row(i + 3);
        double a0 = 0, a1 = 0, a2 = 0, a3 = 0;
#pragma omp simd reduction(+ : a0, a1, a2, a3)
        for (index_t j = 0; j < d; ++j) {
            const double v = w[j];
            a0 += double(p[j]) * v, a1 += double(q[j]) * v, a2 += double(r[j]) * v, a3 += double(s[j]) * v;
        }
        out[0] = b + a0, out[1] = b + a1, out[2] = b + a2, out[3] = b + a3;
        out += 4;
    }
    for (; i < hi; ++i) *out++ = b + x.dot(i, w);
}

template <class T>
void block_adjoint(const DenseRows<T> &x, index_t lo, index_t hi, const double *r, double *g) {
    const index_t d = x.d;
    index_t i = lo;
    for (; i + 8 <= hi; i += 8, r += 8) {
        const T *p0 = x.row(i), *p1 = x.row(i + 1), *p2 = x.row(i + 2), *p3 = x.row(i + 3);
        const T *p4 = x.row(i + 4), *p5 = x.row(i + 5), *p6 = x.row(i + 6), *p7 = x.row(i + 7);
        const double r0 = r[0], r1 = r[1], r2 = r[2], r3 = r[3], r4 = r[4], r5 = r[5], r6 = r[6], r7 = r[7];
#pragma omp simd
        for (index_t j = 0; j < d; ++j)
            g[j] += ((r0 * double(p0[j]) + r1 * double(p1[j])) + (r2 * double(p2[j]) + r3 * double(p3[j]))) +
                    ((r4 * double(p4[j]) + r5 * double(p5[j])) + (r6 * double(p6[j]) + r7 * double(p7[j])));
    }
    for (; i < hi; ++i) x.axpy(i, *r++, g);
}

template <class T>
void block_scores(const DenseColumns<T> &x, index_t lo, index_t hi, const double *w, double b, double *out) {
    const index_t rows = hi - lo;
    std::fill(out, out + rows, b);
    for (index_t j = 0; j < x.d; ++j) {
        const T *column = x.data + j * x.stride;
        const double v = w[j];
        if (x.subset) {
            for (index_t i = 0; i < rows; ++i) out[i] += v * double(column[x.subset[lo + i]]);
        } else {
#pragma omp simd
            for (index_t i = 0; i < rows; ++i) out[i] += v * double(column[lo + i]);
        }
    }
}

template <class T>
void block_adjoint(const DenseColumns<T> &x, index_t lo, index_t hi, const double *r, double *g) {
    const index_t rows = hi - lo;
    for (index_t j = 0; j < x.d; ++j) {
        const T *column = x.data + j * x.stride;
        double a = 0;
        if (x.subset) {
            for (index_t i = 0; i < rows; ++i) a += r[i] * double(column[x.subset[lo + i]]);
        } else {
#pragma omp simd reduction(+ : a)
            for (index_t i = 0; i < rows; ++i) a += r[i] * double(column[lo + i]);
        }
        g[j] += a;
    }
}

template <class T, class I>
void block_scores(const CsrRows<T, I> &x, index_t lo, index_t hi, const double *w, double b, double *out) {
    for (index_t i = lo; i < hi; ++i) *out++ = b + x.dot(i, w);
}

template <class T, class I>
void block_adjoint(const CsrRows<T, I> &x, index_t lo, index_t hi, const double *r, double *g) {
    for (index_t i = lo; i < hi; ++i, ++r)
        if (*r != 0) x.axpy(i, *r, g);
}

// ---- a tile of rows, dense and row-major, in the arithmetic A -----------------------------------------

template <class A, class T>
const A *tile(const DenseRows<T> &x, index_t lo, index_t hi, std::vector<A> &buffer, index_t &stride) {
    if constexpr (std::is_same_v<A, T>)
        if (!x.subset && x.stride >= x.d) return stride = x.stride, x.row(lo);  // BLAS wants no overlapping rows
    stride = x.d;
    buffer.resize(std::size_t((hi - lo) * x.d));
    for (index_t i = lo; i < hi; ++i) {
        const T *from = x.row(i);
        A *to = buffer.data() + (i - lo) * x.d;
#pragma omp simd
        for (index_t j = 0; j < x.d; ++j) to[j] = A(from[j]);
    }
    return buffer.data();
}

template <class A, class T>
const A *tile(const DenseColumns<T> &x, index_t lo, index_t hi, std::vector<A> &buffer, index_t &stride) {
    stride = x.d;
    buffer.resize(std::size_t((hi - lo) * x.d));
    for (index_t j = 0; j < x.d; ++j) {
        const T *column = x.data + j * x.stride;
        A *to = buffer.data() + j;
        for (index_t i = lo; i < hi; ++i) to[(i - lo) * x.d] = A(column[x.subset ? x.subset[i] : i]);
    }
    return buffer.data();
}

template <class A, class T, class I>
const A *tile(const CsrRows<T, I> &x, index_t lo, index_t hi, std::vector<A> &buffer, index_t &stride) {
    stride = x.d;
    buffer.assign(std::size_t((hi - lo) * x.d), A(0));
    for (index_t i = lo; i < hi; ++i) {
        A *to = buffer.data() + (i - lo) * x.d;
        x.each(i, [&](index_t j, double v) { to[j] += A(v); });
    }
    return buffer.data();
}

// ---- K vectors ----------------------------------------------------------------------------------------
// Sparse rows keep the vectors feature-major, so that an entry meets K neighbours: weights padded (sparse.hpp), sums
// d×K; dense rows keep them class-major (K×d), as skinny.hpp reads them.

constexpr index_t kSkinny = 32;  // vectors up to which a product is done in registers, beyond by BLAS

template <class A>
struct TileSpace {  // what one thread needs to multiply tiles in the arithmetic A
    std::vector<A> rows, left, product;
};

// The d×K weights in the order and arithmetic that the rows want.
template <class Rows, class A>
class PackedWeights {
    Workspace<Use::weights, A> work;

  public:
    PackedWeights(const double *w, index_t d, index_t k, int threads) : work(d * (Rows::sparse ? padded(k) : k)) {
        A *to = data();
        const index_t slice = 4096;
        for_chunks((d + slice - 1) / slice, d * k > 65536 ? threads : 1, [&](index_t s) {
            const index_t lo = s * slice, hi = std::min(d, lo + slice);
            if constexpr (Rows::sparse) pad_rows(w + lo * k, hi - lo, k, to + lo * padded(k));
            else
                for (index_t j = lo; j < hi; ++j)
                    for (index_t c = 0; c < k; ++c) to[c * d + j] = A(w[j * k + c]);
        });
    }
    A *data() { return work.data(); }
};

// Sums in the rows' order, in place, to d×K.
template <class Rows>
void unpack_sums(double *g, index_t d, index_t k) {
    if constexpr (!Rows::sparse) {
        const std::vector<double> copy(g, g + d * k);
        for (index_t j = 0; j < d; ++j)
            for (index_t c = 0; c < k; ++c) g[j * k + c] = copy[std::size_t(c * d + j)];
    }
}

template <class A, class Rows>
void block_scores(const Rows &x, index_t lo, index_t hi, const A *w, index_t k, double *out, TileSpace<A> &space) {
    const index_t rows = hi - lo;
    if constexpr (Rows::sparse) {
        for (index_t i = lo; i < hi; ++i) gather_row(x, i, w, k, out + (i - lo) * k);
    } else {
        index_t stride;
        const A *t = tile<A>(x, lo, hi, space.rows, stride);
        if (k <= kSkinny) return skinny_scores(t, stride, rows, w, x.d, k, out);
        space.product.resize(std::size_t(rows * k));
        Blas<A>::gemm_nt(int(rows), int(k), int(x.d), t, int(stride), w, int(x.d), A(0), space.product.data(), int(k));
        std::copy(space.product.begin(), space.product.end(), out);
    }
}

template <class A, class Rows>
void block_adjoint(const Rows &x, index_t lo, index_t hi, const double *r, index_t k, double *g, TileSpace<A> &space) {
    const index_t rows = hi - lo;
    if constexpr (Rows::sparse) {
        for (index_t i = lo; i < hi; ++i) {
            const double *ri = r + (i - lo) * k;
            x.each(i, [&](index_t j, double v) {
                double *gj = g + j * k;
#pragma omp simd
                for (index_t c = 0; c < k; ++c) gj[c] += v * ri[c];
            });
        }
    } else {
        index_t stride;
        const A *t = tile<A>(x, lo, hi, space.rows, stride);
        space.left.assign(r, r + rows * k);
        space.product.assign(std::size_t(x.d * k), A(0));
        A *sums = space.product.data();
        if (k <= kSkinny) skinny_adjoint(t, stride, rows, space.left.data(), x.d, k, sums);
        else Blas<A>::gemm_tn(int(k), int(x.d), int(rows), space.left.data(), int(k), t, int(stride), A(0), sums, int(x.d));
#pragma omp simd
        for (index_t j = 0; j < x.d * k; ++j) g[j] += double(sums[j]);
    }
}

}  // namespace linsep
