#include "tiles.hpp"

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "blas.hpp"
#include "skinny.hpp"
#include "sparse.hpp"

namespace linsep {
namespace {

template <class A, class T>
const A *copied(const DenseRows<T> &x, index_t lo, index_t hi, std::vector<A> &buffer, index_t &stride) {
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
const A *copied(const DenseColumns<T> &x, index_t lo, index_t hi, std::vector<A> &buffer, index_t &stride) {
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
const A *copied(const CsrRows<T, I> &x, index_t lo, index_t hi, std::vector<A> &buffer, index_t &stride) {
    stride = x.d;
    buffer.assign(std::size_t((hi - lo) * x.d), A(0));
    for (index_t i = lo; i < hi; ++i) {
        A *to = buffer.data() + (i - lo) * x.d;
        x.each(i, [&](index_t j, double v) { to[j] += A(v); });
    }
    return buffer.data();
}

bool is_sparse(const Design &x) { return x.storage == Storage::csr; }

bool by_blas(const Design &x, index_t k) { return !is_sparse(x) && k > kSkinny; }

// g += Xᵀ R over the rows lo..hi, in the rows' order
template <class A>
void add_products(const Design &x, index_t lo, index_t hi, const double *r, index_t k, double *g, TileSpace<A> &space) {
    if (is_sparse(x)) return scatter_rows(x, lo, hi, r, k, g);
    const index_t rows = hi - lo;
    index_t stride;
    const A *t = tile(x, lo, hi, space.rows, stride);
    space.left.assign(r, r + rows * k);
    space.product.assign(std::size_t(x.d * k), A(0));
    A *sums = space.product.data();
    if (!by_blas(x, k)) skinny_adjoint(t, stride, rows, space.left.data(), x.d, k, sums);
    else Blas<A>::gemm_tn(int(k), int(x.d), int(rows), space.left.data(), int(k), t, int(stride), A(0), sums, int(x.d));
#pragma omp simd
    for (index_t j = 0; j < x.d * k; ++j) g[j] += double(sums[j]);
}

// Sums in the rows' order, in place, to d×K.
void unpack_sums(const Design &x, double *g, index_t k) {
    if (is_sparse(x)) return;
    const std::vector<double> copy(g, g + x.d * k);
    for (index_t j = 0; j < x.d; ++j)
        for (index_t c = 0; c < k; ++c) g[j * k + c] = copy[std::size_t(c * x.d + j)];
}

void add_columns(const double *r, index_t rows, index_t k, double *sum) {
    for (index_t i = 0; i < rows; ++i)
        for (index_t c = 0; c < k; ++c) sum[c] += r[i * k + c];
}

}  // namespace

index_t tile_rows(const Design &x) {
    return is_sparse(x) ? kBlock : std::clamp<index_t>(65536 / std::max<index_t>(1, x.d), 64, kBlock);
}

template <class A>
const A *tile(const Design &design, index_t lo, index_t hi, std::vector<A> &buffer, index_t &stride) {
    return visit_storage(design, [&](const auto &x) { return copied<A>(x, lo, hi, buffer, stride); });
}

template <class A>
BlockScores<A>::BlockScores(const Design &x_, const double *w, index_t k_, int threads)
    : x(x_), intercepts(w + x.d * k_), k(k_), weights(x.d * (is_sparse(x) ? padded(k) : k)) {
    if (by_blas(x, k)) fetch_blas();
    A *to = weights.data();
    const index_t slice = 4096, d = x.d;
    for_chunks((d + slice - 1) / slice, d * k > 65536 ? threads : 1, [&](index_t s) {
        const index_t lo = s * slice, hi = std::min(d, lo + slice);
        if (is_sparse(x)) return pad_rows(w + lo * k, hi - lo, k, to + lo * padded(k));
        for (index_t j = lo; j < hi; ++j)
            for (index_t c = 0; c < k; ++c) to[c * d + j] = A(w[j * k + c]);
    });
}

template <class A>
void BlockScores<A>::operator()(index_t lo, index_t hi, double *z, TileSpace<A> &space) {
    const index_t rows = hi - lo;
    const A *w = weights.data();
    if (is_sparse(x)) {
        gather_rows(x, lo, hi, w, k, z);
    } else {
        index_t stride;
        const A *t = tile(x, lo, hi, space.rows, stride);
        if (!by_blas(x, k)) {
            skinny_scores(t, stride, rows, w, x.d, k, z);
        } else {
            space.product.resize(std::size_t(rows * k));
            A *product = space.product.data();
            Blas<A>::gemm_nt(int(rows), int(k), int(x.d), t, int(stride), w, int(x.d), A(0), product, int(k));
            std::copy(product, product + rows * k, z);
        }
    }
    for (index_t i = 0; i < rows; ++i)
        for (index_t c = 0; c < k; ++c) z[i * k + c] += intercepts[c];
}

template <class A>
double adjoint_of(const Design &x, index_t k, double *out, int threads, RowsOf<A> f) {
    if (by_blas(x, k)) fetch_blas();
    const index_t rows = tile_rows(x), head = x.d * k, tail = k + 1;
    const bool by_columns = x.columns != nullptr;
    const Chunks chunks(x.n, x.work() * k, by_columns ? tail : head + tail);
    Workspace<Use::rows, A> kept(by_columns ? x.n * padded(k) : 0);
    A *all = kept.data();
    const auto blocks = [&](index_t c, double *sums, double *total) {
        TileSpace<A> space;
        std::vector<double> r(std::size_t(rows * k));
        for_blocks(chunks, c, rows, [&](index_t lo, index_t hi) {
            f(lo, hi, r.data(), total[k], space);
            add_columns(r.data(), hi - lo, k, total);
            if (by_columns) pad_rows(r.data(), hi - lo, k, all + lo * padded(k));
            else add_products(x, lo, hi, r.data(), k, sums, space);
        });
    };
    if (by_columns) {
        std::vector<double> last(static_cast<std::size_t>(tail));
        sum_chunks(chunks, tail, last.data(), threads, [&](index_t c, double *total) { blocks(c, nullptr, total); });
        std::copy(last.begin(), last.end() - 1, out + head);
        gather_all(*x.columns, all, k, out, threads);
        return last.back();
    }
    std::vector<double> values(std::size_t(chunks.count), 0.0);
    sum_chunks(chunks, head + k, out, threads, [&](index_t c, double *total) {
        std::vector<double> own(std::size_t(tail), 0.0);
        blocks(c, total, own.data());
        std::copy(own.begin(), own.end() - 1, total + head);
        values[std::size_t(c)] = own.back();
    });
    unpack_sums(x, out, k);
    return std::accumulate(values.begin(), values.end(), 0.0);
}

template const double *tile(const Design &, index_t, index_t, std::vector<double> &, index_t &);
template const float *tile(const Design &, index_t, index_t, std::vector<float> &, index_t &);
template class BlockScores<double>;
template class BlockScores<float>;
template double adjoint_of<double>(const Design &, index_t, double *, int, RowsOf<double>);
template double adjoint_of<float>(const Design &, index_t, double *, int, RowsOf<float>);

}  // namespace linsep
