// Designs for loops over single rows, which are compiled once for every type of rows they are called with.
//
// The types that are worth it have code of their own: dense rows, and sparse rows of float64 and float32 with 32-bit
// columns. The other storages (columns-major, sparse bytes, 64-bit columns) share AnyRows, with one indirect call a
// row: the sums and their order are the same, so the bits are too.
#pragma once
#include <vector>

#include "design.hpp"

namespace linsep {

// What Rows types offer, for row i of a design.
struct RowCalls {
    double (*dot)(const Design &, index_t i, const double *w);
    void (*axpy)(const Design &, index_t i, double a, double *w);
    double (*norm2)(const Design &, index_t i);
    void (*prefetch)(const Design &, index_t i);
    index_t (*count)(const Design &, index_t i);
    void (*entries)(const Design &, index_t i, index_t *columns, double *values);
};
const RowCalls &row_calls(const Design &);

template <bool sparse_>
struct AnyRows {
    using value_type = double;
    static constexpr bool sparse = sparse_;
    const Design &design;
    const RowCalls &calls;
    index_t n, d;

    explicit AnyRows(const Design &x) : design(x), calls(row_calls(x)), n(x.n), d(x.d) {}
    double dot(index_t i, const double *w) const { return calls.dot(design, i, w); }
    void axpy(index_t i, double a, double *w) const { calls.axpy(design, i, a, w); }
    double norm2(index_t i) const { return calls.norm2(design, i); }
    void prefetch(index_t i) const { calls.prefetch(design, i); }
    void prefetch(index_t i, index_t j) const { prefetch(i), prefetch(j); }
    index_t count(index_t i) const { return calls.count(design, i); }
    // f must not call each() itself: the row's copy is the thread's only one.
    template <class F>
    void each(index_t i, F &&f) const {
        static thread_local std::vector<index_t> columns;
        static thread_local std::vector<double> values;
        const index_t m = count(i);
        if (columns.size() < std::size_t(m)) columns.resize(std::size_t(m)), values.resize(std::size_t(m));
        calls.entries(design, i, columns.data(), values.data());
        for (index_t k = 0; k < m; ++k) f(columns[std::size_t(k)], values[std::size_t(k)]);
    }
};

template <class F>
decltype(auto) visit(const Design &x, F &&f) {
    if (x.storage == Storage::rows) return visit_dense<DenseRows>(x, f);
    if (x.storage == Storage::columns) return f(AnyRows<false>(x));
    if (x.wide_index || x.element == Element::u8) return f(AnyRows<true>(x));
    return x.element == Element::f64 ? f(CsrRows<double, std::int32_t>(x)) : f(CsrRows<float, std::int32_t>(x));
}

}  // namespace linsep
