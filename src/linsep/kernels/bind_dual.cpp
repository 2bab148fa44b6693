#include "bind.hpp"
#include "crammer_singer.hpp"
#include "dual.hpp"
#include "softmax_dual.hpp"

namespace linsep {
namespace {

using OutOrder = nb::ndarray<std::int32_t, nb::c_contig, nb::device::cpu>;

struct NamedDualLoss {
    const char *name;
    DualLoss loss;
};
constexpr NamedDualLoss kDualLosses[] = {
    {"hinge", DualLoss::hinge},
    {"squared_hinge", DualLoss::squared_hinge},
    {"smoothed_hinge", DualLoss::smoothed_hinge},
    {"log", DualLoss::log},
};

// The arrays of one fit, kept alive between sweeps, and the numbers of their state.
struct DualSweeps {
    DualLoss loss;
    Matrix matrix;
    In y, cost;
    Out norm2, a, logit, w, lanes;
    OutOrder order;
    DualState state;

    DualArrays arrays() const {
        return {y.data(), cost.data(), norm2.data(), a.data(), logit.data(), order.data(), w.data(), lanes.data()};
    }
};

DualState fresh_state(std::uint64_t seed, index_t rows, index_t lanes, index_t windows) {
    DualState s{};
    s.random = seed | 1;
    s.rows = s.active = rows;
    s.lanes = lanes, s.windows = windows;
    s.rest_high = kInfinity, s.rest_low = -kInfinity;
    return s;
}

void bind_state(nb::module_ &m) {
    nb::class_<DualState>(m, "DualState")
        .def("__init__",
             [](DualState *self, std::uint64_t seed, index_t rows, index_t lanes, index_t windows) {
                 new (self) DualState(fresh_state(seed, rows, lanes, windows));
             })
        .def_rw("b", &DualState::b)
        .def_rw("v2", &DualState::v2)
        .def_rw("r", &DualState::r)
        .def_rw("active", &DualState::active)
        .def_rw("rest_high", &DualState::rest_high)
        .def_rw("rest_low", &DualState::rest_low)
        .def_rw("rest_below", &DualState::rest_below)
        .def_ro("rows", &DualState::rows)
        .def_ro("lanes", &DualState::lanes)
        .def_ro("windows", &DualState::windows)
        .def_ro("gap", &DualState::gap)
        .def_ro("decrease", &DualState::decrease)
        .def_ro("violation", &DualState::violation)
        .def_ro("largest", &DualState::largest)
        .def_ro("visited", &DualState::visited)
        .def_ro("moved", &DualState::moved);
}

DualSweeps *new_sweeps(const std::string &loss, const Matrix &m, In y, In cost, Out norm2, Out a, Out logit, Out w,
                       Out lanes, OutOrder order, const DualState &state) {
    const index_t n = m.x.n, d = m.x.d;
    const DualLoss kind = named(kDualLosses, loss).loss;
    sized(y, n, "y"), sized(cost, n, "cost"), sized(norm2, n, "norm2"), sized(a, n, "a"), sized(w, d, "w");
    sized(logit, kind == DualLoss::log ? n : 0, "logit");
    sized(lanes, (state.lanes - 1) * d, "lanes"), sized(order, state.rows, "order");
    return new DualSweeps{kind, m, y, cost, norm2, a, logit, w, lanes, order, state};
}

void sweep(DualSweeps &s, int threads) {
    nb::gil_scoped_release release;
    dual_sweep(s.loss, s.matrix.x, s.arrays(), s.state, threads);
}

double intercept(DualSweeps &s, In scores, double start, int threads) {
    const double *z = sized(scores, s.matrix.x.n, "scores");
    nb::gil_scoped_release release;
    return dual_intercept(s.loss, s.arrays(), s.matrix.x.n, z, start, threads);
}

void select(DualSweeps &s, In scores, double b) {
    const double *z = sized(scores, s.matrix.x.n, "scores");
    nb::gil_scoped_release release;
    dual_select(s.loss, s.arrays(), s.state, z, b);
}

index_t free_rows(DualSweeps &s) { return dual_free(s.loss, s.arrays(), s.state); }

void py_crammer_singer_sweep(const Matrix &m, index_t k, InIndex y, In cost, Out norm2, Out a, In b, Out r,
                             OutOrder order, Out w, Out lanes, OutOrder lists, OutOrder counts, bool whole,
                             DualState &state, int threads) {
    const index_t n = m.x.n, d = m.x.d, room = index_t(lists.size()) / std::max<index_t>(1, n);
    const CrammerSingerArrays arrays{k,
                                     sized(y, n, "y"),
                                     sized(cost, n, "cost"),
                                     sized(norm2, n, "norm2"),
                                     sized(a, n * k, "a"),
                                     sized(b, k, "b"),
                                     sized(r, k, "r"),
                                     sized(order, state.rows, "order"),
                                     sized(w, d * k, "w"),
                                     sized(lanes, (state.lanes - 1) * d * k, "lanes"),
                                     {room, sized(lists, n * room, "lists"), sized(counts, room ? n : 0, "counts"), whole}};
    nb::gil_scoped_release release;
    crammer_singer_sweep(m.x, arrays, state, threads);
}

void py_softmax_sweep(const Matrix &m, index_t k, In cost, Out norm2, Out t, In b, Out r, OutOrder order, Out w, Out lanes,
                      DualState &state, int threads) {
    const index_t n = m.x.n, width = m.x.d * padded(k);
    const SoftmaxArrays arrays{k,
                               sized(cost, n, "cost"),
                               sized(norm2, n, "norm2"),
                               sized(t, n * k, "t"),
                               sized(b, k, "b"),
                               sized(r, k, "r"),
                               sized(order, state.rows, "order"),
                               sized(w, width, "w"),
                               sized(lanes, (state.lanes - 1) * width, "lanes")};
    nb::gil_scoped_release release;
    softmax_sweep(m.x, arrays, state, threads);
}

void py_softmax_multipliers(In t, InIndex y, index_t k, Out theta, int threads) {
    const index_t n = index_t(y.size());
    if (!all_below(y.data(), n, k)) throw nb::value_error("y: labels are 0, …, k - 1");
    const double *tp = sized(t, n * k, "t");
    double *to = sized(theta, n * k, "theta");
    nb::gil_scoped_release release;
    softmax_multipliers(tp, y.data(), n, k, to, threads);
}

std::tuple<double, double, double> py_crammer_singer_proximal(const Matrix &m, index_t k, InIndex y, In cost, In centre,
                                                              double sigma, In w, Out next, Out adjoint,
                                                              std::optional<Out> hessian, int threads) {
    const index_t n = m.x.n, width = (m.x.d + 1) * k;
    const ProximalRows rows{k, sized(y, n, "y"), sized(cost, n, "cost"), sized(centre, n * k, "centre"), sigma};
    const double *wp = sized(w, width, "w");
    double *np = sized(next, n * k, "next"), *ap = sized(adjoint, width, "adjoint");
    double *hp = sized(hessian, width * width, "hessian");
    nb::gil_scoped_release release;
    const ProximalTotals t = crammer_singer_proximal(m.x, rows, wp, np, ap, hp, threads);
    return {t.envelope, t.loss, t.conjugate};
}

}  // namespace

void bind_dual(nb::module_ &m) {
    bind_state(m);
    nb::class_<DualSweeps>(m, "DualSweeps")
        .def_static("over", &new_sweeps, nb::rv_policy::take_ownership, nb::arg("loss"), nb::arg("matrix"), nb::arg("y"),
                    nb::arg("cost"), written("norm2"), written("a"), written("logit"), written("w"), written("lanes"),
                    written("order"), nb::arg("state"))
        .def("sweep", &sweep)
        .def("intercept", &intercept)
        .def("select", &select)
        .def("free", &free_rows)
        .def_ro("state", &DualSweeps::state, nb::rv_policy::reference_internal);
    m.def("crammer_singer_sweep", &py_crammer_singer_sweep, nb::arg("matrix"), nb::arg("k"), nb::arg("y"),
          nb::arg("cost"), written("norm2"), written("a"), nb::arg("b"), written("r"), written("order"), written("w"),
          written("lanes"), written("lists"), written("counts"), nb::arg("whole"), nb::arg("state"), nb::arg("threads"));
    m.def("softmax_sweep", &py_softmax_sweep, nb::arg("matrix"), nb::arg("k"), nb::arg("cost"), written("norm2"), written("t"),
          nb::arg("b"), written("r"), written("order"), written("w"), written("lanes"), nb::arg("state"),
          nb::arg("threads"));
    m.def("softmax_multipliers", &py_softmax_multipliers, nb::arg("t"), nb::arg("y"), nb::arg("k"), written("theta"),
          nb::arg("threads"));
    m.def("crammer_singer_proximal", &py_crammer_singer_proximal, nb::arg("matrix"), nb::arg("k"), nb::arg("y"),
          nb::arg("cost"), nb::arg("centre"), nb::arg("sigma"), nb::arg("w"), written("next"), written("adjoint"),
          written("hessian").none(), nb::arg("threads"));
}

}  // namespace linsep
