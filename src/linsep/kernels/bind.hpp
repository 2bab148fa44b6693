// What the binding files share: array types, the Python-visible design, size checks.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "design.hpp"

namespace nb = nanobind;

namespace linsep {

using In = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using InIndex = nb::ndarray<const index_t, nb::c_contig, nb::device::cpu>;
using Out = nb::ndarray<double, nb::c_contig, nb::device::cpu>;
using OutIndex = nb::ndarray<index_t, nb::c_contig, nb::device::cpu>;
using Any = nb::ndarray<nb::ro, nb::device::cpu>;
using Line = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Keeps the arrays alive that its Design points into.
struct Matrix {
    Design x;
    Any data;
    std::optional<Line> indices, indptr;
    std::optional<InIndex> subset;
    std::shared_ptr<const std::vector<index_t>> nested;  // the rows of a subset of a subset
    std::shared_ptr<const Matrix> columns;               // the transpose, where there is one
};

template <class Array>
auto *sized(Array &a, index_t expected, const char *name) {
    if (index_t(a.size()) != expected)
        throw nb::value_error((std::string(name) + ": " + std::to_string(a.size()) + " elements where " +
                               std::to_string(expected) + " are needed")
                                  .c_str());
    return a.data();
}

template <class Array>
auto sized(std::optional<Array> &a, index_t expected, const char *name) -> decltype(a->data()) {
    return a ? sized(*a, expected, name) : nullptr;
}

// Whether every entry is one of 0, …, bound − 1.
inline bool all_below(const index_t *entries, index_t count, index_t bound) {
    bool inside = true;
    for (index_t i = 0; i < count; ++i) inside &= std::uint64_t(entries[i]) < std::uint64_t(bound);
    return inside;
}

// An array that a kernel writes: never a converted copy, which would take the result with it.
inline auto written(const char *name) { return nb::arg(name).noconvert(); }

// The entry of a table of named kernels.
template <class Table>
const auto &named(const Table &table, const std::string &name) {
    for (const auto &entry : table)
        if (name == entry.name) return entry;
    throw nb::value_error(("no kernel is named " + name).c_str());
}

void bind_passes(nb::module_ &);
void bind_dual(nb::module_ &);
void bind_perceptron(nb::module_ &);
void bind_choice(nb::module_ &);
void bind_sgd(nb::module_ &);
void bind_smo(nb::module_ &);
void bind_svmlight(nb::module_ &);
void bind_fields(nb::module_ &);
void bind_words(nb::module_ &);
void bind_primal(nb::module_ &);
void bind_columns(nb::module_ &);

}  // namespace linsep
