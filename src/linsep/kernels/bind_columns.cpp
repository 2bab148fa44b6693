#include <cstdint>

#include "bind.hpp"
#include "columns.hpp"

namespace linsep {
namespace {

using In32 = nb::ndarray<const std::int32_t, nb::c_contig, nb::device::cpu>;
using Out32 = nb::ndarray<std::int32_t, nb::c_contig, nb::device::cpu>;
template <class V>
using Values = nb::ndarray<V, nb::c_contig, nb::device::cpu>;

const Design &sparse_rows(const Matrix &m) {
    if (m.x.storage != Storage::csr) throw nb::value_error("columns are copied out of sparse rows");
    return m.x;
}

void py_count(const Matrix &m, In32 place, Out32 starts, int threads) {
    const Design &x = sparse_rows(m);
    if (x.nnz > index_t(INT32_MAX)) throw nb::value_error("at most 2³¹ - 1 entries are copied");
    const std::int32_t *p = sized(place, x.d, "place");
    std::int32_t *s = sized(starts, x.n + 1, "starts");
    nb::gil_scoped_release release;
    columns_count(x, p, s, threads);
}

template <class V>
void py_copy(const Matrix &m, In32 place, In32 starts, Values<V> values, Out32 columns, int threads) {
    const Design &x = sparse_rows(m);
    const std::int32_t *p = sized(place, x.d, "place"), *s = sized(starts, x.n + 1, "starts");
    bool valid = s[0] >= 0 && index_t(s[x.n]) <= index_t(values.size()) && columns.size() == values.size();
    for (index_t i = 0; valid && i < x.n; ++i) valid = s[i] <= s[i + 1];
    if (!valid) throw nb::value_error("starts rise to at most the number of values");
    nb::gil_scoped_release release;
    columns_copy<V>(x, p, s, values.data(), columns.data(), threads);
}

void py_squares(const Matrix &m, std::optional<In> c, Out out, int threads) {
    const Design &x = sparse_rows(m);
    const double *weights = sized(c, x.n, "c");
    double *o = sized(out, x.d, "out");
    nb::gil_scoped_release release;
    columns_squares(x, weights, o, threads);
}

}  // namespace

void bind_columns(nb::module_ &m) {
    m.def("columns_count", &py_count, nb::arg("rows"), nb::arg("place"), written("starts"), nb::arg("threads"));
    m.def("columns_copy", &py_copy<double>, nb::arg("rows"), nb::arg("place"), nb::arg("starts"), written("values"),
          written("columns"), nb::arg("threads"));
    m.def("columns_copy", &py_copy<float>, nb::arg("rows"), nb::arg("place"), nb::arg("starts"), written("values"),
          written("columns"), nb::arg("threads"));
    m.def("columns_squares", &py_squares, nb::arg("rows"), nb::arg("c").none(), written("out"), nb::arg("threads"));
}

}  // namespace linsep
