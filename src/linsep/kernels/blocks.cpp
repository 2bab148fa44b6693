#include "blocks.hpp"

#include <algorithm>

#include "skinny.hpp"

namespace linsep {
namespace {

// Four rows at a time; the last are taken with copies of themselves, so that a row's score does not depend on the others.
template <class T>
void scores(const DenseRows<T> &x, index_t lo, index_t hi, const double *w, double b, double *out) {
    using P = Pack<double>;
    const SkinnyTails<1, double> tails(w, x.d);
    const index_t d = x.d, whole = tails.whole;
    for (index_t i = lo; i < hi; i += 4) {
        const T *row[4];
        for (index_t r = 0; r < 4; ++r) row[r] = x.row(std::min(i + r, hi - 1));
        P::type sum[4] = {};
        for (index_t j = 0; j < whole; j += P::lanes) {
            const P::type v = P::load(w + j);
            for (index_t r = 0; r < 4; ++r) sum[r] += P::load(row[r] + j) * v;
        }
        double z[4];
        if (whole < d && d >= P::lanes)
            for (index_t r = 0; r < 4; ++r) sum[r] += P::load(row[r] + d - P::lanes) * tails.last[0];
        P::sums(sum[0], sum[1], sum[2], sum[3], z);
        if (d < P::lanes)
            for (index_t r = 0; r < 4; ++r)
                for (index_t j = 0; j < d; ++j) z[r] += double(row[r][j]) * w[j];
        for (index_t r = 0; r < 4 && i + r < hi; ++r) *out++ = b + z[r];
    }
}

template <class T>
void adjoint(const DenseRows<T> &x, index_t lo, index_t hi, const double *r, double *g) {
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
void scores(const DenseColumns<T> &x, index_t lo, index_t hi, const double *w, double b, double *out) {
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
void adjoint(const DenseColumns<T> &x, index_t lo, index_t hi, const double *r, double *g) {
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
void scores(const CsrRows<T, I> &x, index_t lo, index_t hi, const double *w, double b, double *out) {
    for (index_t i = lo; i < hi; ++i) *out++ = b + x.dot(i, w);
}

template <class T, class I>
void adjoint(const CsrRows<T, I> &x, index_t lo, index_t hi, const double *r, double *g) {
    for (index_t i = lo; i < hi; ++i, ++r)
        if (*r != 0) x.axpy(i, *r, g);
}

}  // namespace

void block_scores(const Design &design, index_t lo, index_t hi, const double *w, double b, double *out) {
    visit_storage(design, [&](const auto &x) { scores(x, lo, hi, w, b, out); });
}

void block_adjoint(const Design &design, index_t lo, index_t hi, const double *r, double *g) {
    visit_storage(design, [&](const auto &x) { adjoint(x, lo, hi, r, g); });
}

void block_norms(const Design &design, index_t lo, index_t hi, const double *q, double *out) {
    visit_storage(design, [&](const auto &x) {
        for (index_t i = lo; i < hi; ++i) {
            double a = 0;
            q ? x.each(i, [&](index_t j, double v) { a += q[j] * v * v; })
              : x.each(i, [&](index_t, double v) { a += v * v; });
            out[i - lo] = a;
        }
    });
}

void block_class_sums(const Design &design, index_t lo, index_t hi, const JointRows &rows, double *out) {
    visit_storage(design, [&](const auto &x) {
        for (index_t i = lo; i < hi; ++i) {
            const double s = rows.weight(i - lo);
            double *own = out + rows.y[i - lo];
            x.each(i, [&](index_t j, double v) { own[j * rows.k] += s * v; });
        }
    });
}

}  // namespace linsep
