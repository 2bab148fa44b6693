#include "bind.hpp"
#include "sgd.hpp"
#include "sweep.hpp"

namespace linsep {
namespace {

using InOrder = nb::ndarray<const std::int32_t, nb::c_contig, nb::device::cpu>;
using OutOrder = nb::ndarray<std::int32_t, nb::c_contig, nb::device::cpu>;

// The rows of an epoch, all of them inside the design, and room for the path.
SgdRows rows_of(const Matrix &m, InOrder &order, index_t batch, std::optional<Out> &path, index_t width) {
    const index_t count = index_t(order.size());
    const std::int32_t *rows = order.data();
    bool inside = true;
    for (index_t i = 0; i < count; ++i) inside &= std::uint32_t(rows[i]) < std::uint64_t(m.x.n);
    if (!inside) throw nb::value_error("order: rows are 0, …, n - 1");
    if (batch < 1) throw nb::value_error("batch: at least one row a step");
    const index_t size = std::min(batch, std::max<index_t>(count, 1));
    return {rows, count, size, sized(path, (count + size - 1) / size * width, "path")};
}

void check_loss(const std::string &loss, bool joint) {
    if (!sgd_knows(loss.c_str(), joint)) throw nb::value_error(("no kernel is named " + loss).c_str());
}

void py_sgd_margin(const std::string &loss, const Matrix &m, In y, InOrder order, index_t batch, Out w,
                   SgdState &state, std::optional<Out> path) {
    check_loss(loss, false);
    const double *target = sized(y, m.x.n, "y");
    double *weights = sized(w, m.x.d + 1, "w");
    const SgdRows rows = rows_of(m, order, batch, path, m.x.d + 1);
    nb::gil_scoped_release release;
    sgd_margin(loss.c_str(), m.x, target, rows, weights, state);
}

void py_sgd_joint(const std::string &loss, const Matrix &m, InIndex y, index_t k, InOrder order, index_t batch, Out w,
                  SgdState &state, std::optional<Out> path) {
    check_loss(loss, true);
    const index_t *target = sized(y, m.x.n, "y");
    if (!all_below(target, m.x.n, k)) throw nb::value_error("y: classes are 0, …, k - 1");
    double *weights = sized(w, (m.x.d + 1) * k, "w");
    const SgdRows rows = rows_of(m, order, batch, path, (m.x.d + 1) * k);
    nb::gil_scoped_release release;
    sgd_joint(loss.c_str(), m.x, target, k, rows, weights, state);
}

std::uint64_t py_shuffle(OutOrder order, std::uint64_t random) {
    if (random == 0) throw nb::value_error("random: any state but 0");
    std::int32_t *rows = order.data();
    const index_t count = index_t(order.size());
    nb::gil_scoped_release release;
    shuffle(rows, count, random);
    return random;
}

}  // namespace

void bind_sgd(nb::module_ &m) {
    nb::class_<SgdState>(m, "SgdState")
        .def("__init__",
             [](SgdState *self, double eta0, double power, double alpha, double smoothing, bool intercept,
                double beta) { new (self) SgdState{eta0, power, alpha, smoothing, intercept, 0, 0.0, beta};
             })
        .def_rw("eta0", &SgdState::eta0)
        .def_rw("smoothing", &SgdState::smoothing)
        .def_rw("t", &SgdState::t)
        .def_rw("loss", &SgdState::loss)
        .def("rate", &SgdState::rate);
    m.def("sgd_margin", &py_sgd_margin, nb::arg("loss"), nb::arg("matrix"), nb::arg("y"), nb::arg("order"),
          nb::arg("batch"), written("w"), nb::arg("state"), nb::arg("path").noconvert().none());
    m.def("sgd_joint", &py_sgd_joint, nb::arg("loss"), nb::arg("matrix"), nb::arg("y"), nb::arg("k"), nb::arg("order"),
          nb::arg("batch"), written("w"), nb::arg("state"), nb::arg("path").noconvert().none());
    m.def("shuffle", &py_shuffle, written("order"), nb::arg("random"));
}

}  // namespace linsep
