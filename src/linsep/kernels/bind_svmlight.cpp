#include "bind.hpp"
#include "svmlight.hpp"

namespace linsep {
namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using To = nb::ndarray<T, nb::c_contig, nb::device::cpu>;

SvmlightText *parse(Bytes bytes, int threads) {
    const char *text = reinterpret_cast<const char *>(bytes.data());
    const index_t size = index_t(bytes.size());
    nb::gil_scoped_release release;
    return new SvmlightText(text, size, threads);
}

template <class I, class V>
void fill(const SvmlightText &text, Out labels, OutIndex spans, OutIndex queries, To<I> indptr, To<I> indices,
          To<V> values, index_t base, int threads) {
    if (text.fault != SvmlightFault::none) throw nb::value_error("the text has a fault: nothing to fill in");
    const SvmlightTarget<I, V> to{sized(labels, text.rows, "labels"),      sized(spans, 2 * text.rows, "spans"),
                                  sized(queries, text.rows, "queries"),    sized(indptr, text.rows + 1, "indptr"),
                                  sized(indices, text.entries, "indices"), sized(values, text.entries, "values")};
    nb::gil_scoped_release release;
    text.fill(to, base, threads);
}

template <class I, class V>
void define_fill(nb::class_<SvmlightText> &text) {
    text.def("fill", &fill<I, V>, written("labels"), written("spans"), written("queries"), written("indptr"),
             written("indices"), written("values"), nb::arg("base"), nb::arg("threads"));
}

}  // namespace

void bind_svmlight(nb::module_ &m) {
    nb::class_<SvmlightText> text(m, "SvmlightText");
    text.def_static("parse", &parse, nb::arg("bytes"), nb::arg("threads"), nb::rv_policy::take_ownership)
        .def_prop_ro("fault", [](const SvmlightText &t) { return std::make_pair(int(t.fault), t.fault_at); })
        .def_ro("rows", &SvmlightText::rows)
        .def_ro("entries", &SvmlightText::entries)
        .def_ro("least", &SvmlightText::least)
        .def_ro("most", &SvmlightText::most)
        .def_ro("with_query", &SvmlightText::with_query)
        .def_ro("with_words", &SvmlightText::with_words);
    define_fill<std::int32_t, double>(text);
    define_fill<std::int32_t, float>(text);
    define_fill<std::int64_t, double>(text);
    define_fill<std::int64_t, float>(text);
}

}  // namespace linsep
