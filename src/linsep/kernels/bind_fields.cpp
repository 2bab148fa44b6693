#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "fields.hpp"

namespace linsep {
namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

FieldsLayout layout(Bytes bytes, std::uint8_t separator, int quote, index_t wanted, bool lenient) {
    const char *text = reinterpret_cast<const char *>(bytes.data());
    const index_t size = index_t(bytes.size());
    nb::gil_scoped_release release;
    return fields_layout(text, size, char(separator), quote, wanted, lenient);
}

}  // namespace

void bind_fields(nb::module_ &m) {
    nb::class_<FieldsLayout>(m, "FieldsLayout")
        .def_ro("records", &FieldsLayout::records)
        .def_ro("fields", &FieldsLayout::fields)
        .def_ro("quoted", &FieldsLayout::quoted)
        .def_ro("blanks", &FieldsLayout::blanks)
        .def_ro("ragged", &FieldsLayout::ragged)
        .def_ro("found", &FieldsLayout::found)
        .def_ro("line_of", &FieldsLayout::line_of)
        .def_prop_ro("fault", [](const FieldsLayout &l) { return int(l.fault); })
        .def_prop_ro("at", [](const FieldsLayout &l) { return std::make_pair(l.at.line, l.at.column); })
        .def_prop_ro("stray", [](const FieldsLayout &l) { return std::make_pair(l.stray.line, l.stray.column); });
    m.def("fields_layout", &layout, nb::arg("bytes"), nb::arg("separator"), nb::arg("quote"), nb::arg("wanted"),
          nb::arg("lenient"));
}

}  // namespace linsep
