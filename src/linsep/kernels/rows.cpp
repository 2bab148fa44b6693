#include "rows.hpp"

#include <type_traits>

namespace linsep {
namespace {

template <class Rows>
void entries_of(const Design &x, index_t i, index_t *columns, double *values) {
    Rows(x).each(i, [&](index_t j, double v) { *columns++ = j, *values++ = v; });
}

template <class Rows>
constexpr RowCalls kRowCalls = {
    [](const Design &x, index_t i, const double *w) { return Rows(x).dot(i, w); },
    [](const Design &x, index_t i, double a, double *w) { Rows(x).axpy(i, a, w); },
    [](const Design &x, index_t i) { return Rows(x).norm2(i); },
    [](const Design &x, index_t i) { Rows(x).prefetch(i); },
    [](const Design &x, index_t i) { return Rows(x).count(i); },
    entries_of<Rows>,
};

}  // namespace

const RowCalls &row_calls(const Design &design) {
    return visit_storage(design, [](const auto &x) -> const RowCalls & { return kRowCalls<std::decay_t<decltype(x)>>; });
}

}  // namespace linsep
