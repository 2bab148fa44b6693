// A design matrix as the kernels see it: n rows of d columns, read in place.
//
// Design   what Python hands over: pointers, element type, storage, an optional list of rows.
// Rows     a typed view of it, one of
//            DenseRows<T>       C order,       T = double, float, uint8
//            DenseColumns<T>    Fortran order
//            CsrRows<T, I>      compressed rows, I = int32, int64
// visit_storage() turns the first into the second: for products of blocks of rows, which are compiled for all twelve.
// Loops over single rows use the fewer types of rows.hpp.  Every Rows type offers, for row i,
//            dot(i, w)          Σⱼ xᵢⱼ wⱼ        (float64 accumulation)
//            axpy(i, a, w)      w += a xᵢ
//            norm2(i)           Σⱼ xᵢⱼ²
//            each(i, f)         f(j, xᵢⱼ) over stored entries
//            prefetch(i), prefetch(i, j)     one row, two that are wanted one after the other
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "prefetch.hpp"

namespace linsep {

using index_t = std::int64_t;
constexpr bool kLittleEndian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

enum class Storage { rows, columns, csr };
enum class Element { f64, f32, u8 };

struct Design {
    Storage storage;
    Element element;
    bool wide_index;         // csr: int64 indices
    index_t n, d, stride;    // stride: elements from one row (or column) to the next
    index_t nnz;             // stored entries
    const void *data, *indptr, *indices;
    const index_t *subset;   // row numbers, or null for all rows in order
    const Design *columns = nullptr;  // csr: the transpose with the same types, where there is one

    index_t work() const { return nnz + n; }  // what a pass reads
};

typedef double Two __attribute__((vector_size(16)));

template <class T>
double sum_of_squares(const T *p, index_t count) {
    double q = 0;
#pragma omp simd reduction(+ : q)
    for (index_t j = 0; j < count; ++j) q += double(p[j]) * double(p[j]);
    return q;
}

template <class T>
struct DenseRows {
    using value_type = T;
    static constexpr bool sparse = false;
    const T *data;
    index_t n, d, stride;
    const index_t *subset;

    explicit DenseRows(const Design &x)
        : data(static_cast<const T *>(x.data)), n(x.n), d(x.d), stride(x.stride), subset(x.subset) {}
    const T *row(index_t i) const { return data + (subset ? subset[i] : i) * stride; }
    double dot(index_t i, const double *w) const {
        const T *x = row(i);
        double a = 0;
#pragma omp simd reduction(+ : a)
        for (index_t j = 0; j < d; ++j) a += double(x[j]) * w[j];
        return a;
    }
    void axpy(index_t i, double a, double *w) const {
        const T *x = row(i);
#pragma omp simd
        for (index_t j = 0; j < d; ++j) w[j] += a * double(x[j]);
    }
    double norm2(index_t i) const { return sum_of_squares(row(i), d); }
    template <class F>
    void each(index_t i, F &&f) const {
        const T *x = row(i);
        for (index_t j = 0; j < d; ++j) f(j, double(x[j]));
    }
    LINSEP_PREFETCHES void prefetch(index_t i) const { prefetch_lines(row(i), d); }
    LINSEP_PREFETCHES void prefetch(index_t i, index_t j) const { prefetch(i), prefetch(j); }
    index_t count(index_t) const { return d; }
};

template <class T>
struct DenseColumns {
    using value_type = T;
    static constexpr bool sparse = false;
    const T *data;
    index_t n, d, stride;
    const index_t *subset;

    explicit DenseColumns(const Design &x)
        : data(static_cast<const T *>(x.data)), n(x.n), d(x.d), stride(x.stride), subset(x.subset) {}
    const T *first(index_t i) const { return data + (subset ? subset[i] : i); }
    double dot(index_t i, const double *w) const {
        const T *x = first(i);
        double a = 0;
        for (index_t j = 0; j < d; ++j) a += double(x[j * stride]) * w[j];
        return a;
    }
    void axpy(index_t i, double a, double *w) const {
        const T *x = first(i);
        for (index_t j = 0; j < d; ++j) w[j] += a * double(x[j * stride]);
    }
    double norm2(index_t i) const {
        double q = 0;
        each(i, [&](index_t, double v) { q += v * v; });
        return q;
    }
    template <class F>
    void each(index_t i, F &&f) const {
        const T *x = first(i);
        for (index_t j = 0; j < d; ++j) f(j, double(x[j * stride]));
    }
    LINSEP_PREFETCHES void prefetch(index_t i) const { prefetch_near(first(i)); }
    LINSEP_PREFETCHES void prefetch(index_t i, index_t j) const { prefetch(i), prefetch(j); }
    index_t count(index_t) const { return d; }
};

template <class T, class I>
struct CsrRows {
    using value_type = T;
    using index_type = I;
    static constexpr bool sparse = true;
    const T *data;
    const I *indptr, *indices;
    index_t n, d;
    const index_t *subset;

    explicit CsrRows(const Design &x)
        : data(static_cast<const T *>(x.data)), indptr(static_cast<const I *>(x.indptr)),
          indices(static_cast<const I *>(x.indices)), n(x.n), d(x.d), subset(x.subset) {}
    index_t source(index_t i) const { return subset ? subset[i] : i; }
    index_t begin(index_t i) const { return index_t(indptr[source(i)]); }
    index_t end(index_t i) const { return index_t(indptr[source(i) + 1]); }
    // Inlined, so that the loop over the rows goes on while a row is added up.
    [[gnu::always_inline]] double dot(index_t i, const double *w) const {
        const index_t s = source(i), e = index_t(indptr[s + 1]);
        index_t k = index_t(indptr[s]);
        Two a = {0, 0}, b = {0, 0}, c = {0, 0}, f = {0, 0};
        for (; k + 8 <= e; k += 8) {
            a += two_terms(k, w), b += two_terms(k + 2, w);
            c += two_terms(k + 4, w), f += two_terms(k + 6, w);
        }
        if (k + 4 <= e) a += two_terms(k, w), b += two_terms(k + 2, w), k += 4;
        a += b, c += f, a += c;
        double sum = a[0] + a[1];
        for (; k < e; ++k) sum += double(data[k]) * w[indices[k]];
        return sum;
    }
    // Two columns by one load: loads are what these loops have too many of.
    static std::pair<index_t, index_t> two_columns(const I *at) {
        if constexpr (sizeof(I) == 4 && kLittleEndian) {
            std::uint64_t both;
            std::memcpy(&both, at, sizeof both);
            return {index_t(both & 0xffffffffu), index_t(both >> 32)};
        } else {
            return {index_t(at[0]), index_t(at[1])};
        }
    }
    Two two_terms(index_t k, const double *w) const {
        const auto [p, q] = two_columns(indices + k);
        return Two{double(data[k]), double(data[k + 1])} * Two{w[p], w[q]};
    }
    // Four entries are read before the first is added; added one by one, so that repeated columns are summed.
    void axpy(index_t i, double a, double *w) const {
        const T *__restrict value = data;
        const I *__restrict column = indices;
        double *__restrict u = w;
        const index_t s = source(i), e = index_t(indptr[s + 1]);
        index_t k = index_t(indptr[s]);
        for (; k + 4 <= e; k += 4) {
            const auto [p, q] = two_columns(column + k);
            const auto [r, t] = two_columns(column + k + 2);
            const double x0 = a * double(value[k]), x1 = a * double(value[k + 1]);
            const double x2 = a * double(value[k + 2]), x3 = a * double(value[k + 3]);
            u[p] += x0, u[q] += x1, u[r] += x2, u[t] += x3;
        }
        for (; k < e; ++k) u[column[k]] += a * double(value[k]);
    }
    double norm2(index_t i) const { return sum_of_squares(data + begin(i), count(i)); }
    template <class F>
    void each(index_t i, F &&f) const {
        const index_t s = source(i), e = index_t(indptr[s + 1]);
        for (index_t k = index_t(indptr[s]); k < e; ++k) f(index_t(indices[k]), double(data[k]));
    }
    LINSEP_PREFETCHES void prefetch(index_t i) const { prefetch_entries(begin(i), end(i)); }
    // Neighbours are one stretch of memory: fewer loops, whose ends no processor foresees.
    LINSEP_PREFETCHES void prefetch(index_t i, index_t j) const {
        if (begin(j) == end(i)) return prefetch_entries(begin(i), end(j));
        prefetch(i), prefetch(j);
    }
    LINSEP_PREFETCHES void prefetch_entries(index_t b, index_t e) const {
        prefetch_lines(data + b, e - b), prefetch_lines(indices + b, e - b);
    }
    index_t count(index_t i) const { return end(i) - begin(i); }
};

template <template <class> class Dense, class F>
decltype(auto) visit_dense(const Design &x, F &&f) {
    switch (x.element) {
        case Element::f64: return f(Dense<double>(x));
        case Element::f32: return f(Dense<float>(x));
        default: return f(Dense<std::uint8_t>(x));
    }
}

template <class I, class F>
decltype(auto) visit_csr(const Design &x, F &&f) {
    switch (x.element) {
        case Element::f64: return f(CsrRows<double, I>(x));
        case Element::f32: return f(CsrRows<float, I>(x));
        default: return f(CsrRows<std::uint8_t, I>(x));
    }
}

template <class F>
decltype(auto) visit_csr(const Design &x, F &&f) {
    return x.wide_index ? visit_csr<std::int64_t>(x, f) : visit_csr<std::int32_t>(x, f);
}

template <class F>
decltype(auto) visit_storage(const Design &x, F &&f) {
    switch (x.storage) {
        case Storage::rows: return visit_dense<DenseRows>(x, f);
        case Storage::columns: return visit_dense<DenseColumns>(x, f);
        default: return visit_csr(x, f);
    }
}

}  // namespace linsep
