#include "bind.hpp"
#include "perceptron.hpp"

namespace linsep {
namespace {

struct NamedRule {
    const char *name;
    PerceptronRule rule;
};
constexpr NamedRule kRules[] = {
    {"mistake", PerceptronRule::mistake},
    {"thresholded", PerceptronRule::thresholded},
    {"unthresholded", PerceptronRule::unthresholded},
};

// The arrays of one fit, kept alive between epochs.
struct PerceptronRun {
    Matrix matrix;
    InIndex y;
    Out w;
    std::optional<In> shift;
    PerceptronState state;
};

PerceptronSettings settings(const std::string &rule, double rate, int tie, index_t batch, bool joint, bool bias,
                            bool normalize, bool average, bool record, bool pocket) {
    if (batch < 1) throw nb::value_error("batch is at least 1");
    return {named(kRules, rule).rule, tie, joint, bias, normalize, average, record, pocket, rate, batch};
}

PerceptronRun *new_run(const Matrix &m, InIndex y, Out w, index_t units, std::optional<In> shift, double mean2,
                       const PerceptronSettings &set) {
    const index_t n = m.x.n, width = m.x.d + (shift ? 3 : 1), classes = units == 1 ? 2 : units;
    const std::size_t k = std::size_t(units);
    if (!all_below(sized(y, n, "y"), n, classes)) throw nb::value_error("classes are 0, …, K - 1");
    PerceptronState s{};
    s.set = set, s.units = units, s.width = width, s.d = m.x.d;
    s.y = y.data(), s.shift = sized(shift, n, "shift"), s.mean2 = mean2, s.w = sized(w, units * width, "w");
    s.sum.assign(set.average ? std::size_t(units * width) : 0, 0.0);
    s.scale.assign(k, 1.0), s.steps.assign(k, 0.0), s.norm2.assign(k, 0.0), s.z.assign(k, 0.0);
    s.mistakes.assign(k, 0), s.updates.assign(k, 0), s.touched.assign(k, 0);
    s.best_errors = -1;
    return new PerceptronRun{m, y, w, shift, std::move(s)};
}

void epoch(PerceptronRun &r, InIndex order, OutIndex mistakes) {
    const index_t count = index_t(order.size());
    if (!all_below(order.data(), count, r.matrix.x.n)) throw nb::value_error("the order holds rows 0, …, n - 1");
    index_t *out = sized(mistakes, r.state.units, "mistakes");
    nb::gil_scoped_release release;
    std::fill(r.state.mistakes.begin(), r.state.mistakes.end(), 0);
    perceptron_epoch(r.matrix.x, r.state, order.data(), count);
    std::copy(r.state.mistakes.begin(), r.state.mistakes.end(), out);
}

index_t mistakes(PerceptronRun &r) {
    nb::gil_scoped_release release;
    return perceptron_mistakes(r.matrix.x, r.state);
}

void judge(PerceptronRun &r) {
    nb::gil_scoped_release release;
    perceptron_judge(r.matrix.x, r.state);
}

// Σ of the weights over all steps, and how many steps.
index_t total(PerceptronRun &r, Out out) {
    const PerceptronState &s = r.state;
    double *o = sized(out, index_t(s.sum.size()), "out");
    for (std::size_t j = 0; j < s.sum.size(); ++j) o[j] = s.sum[j] + s.steps[j / std::size_t(s.width)] * s.w[j];
    return s.blocks;
}

void updates(PerceptronRun &r, OutIndex out) {
    std::copy(r.state.updates.begin(), r.state.updates.end(), sized(out, r.state.units, "out"));
}

// Wrong predictions of the pocket, whose weights are copied; −1 where it is empty.
index_t best(PerceptronRun &r, Out out) {
    double *o = sized(out, r.state.units * r.state.width, "out");
    std::copy(r.state.best.begin(), r.state.best.end(), o);
    return r.state.best_errors;
}

void path(PerceptronRun &r, Out weights, OutIndex rows) {
    const PerceptronState &s = r.state;
    double *w = sized(weights, index_t(s.path.size()), "weights");
    index_t *i = sized(rows, index_t(s.path_rows.size()), "rows");
    std::copy(s.path.begin(), s.path.end(), w);
    std::copy(s.path_rows.begin(), s.path_rows.end(), i);
}

}  // namespace

void bind_perceptron(nb::module_ &m) {
    nb::class_<PerceptronSettings>(m, "PerceptronSettings").def_static("of", &settings);
    nb::class_<PerceptronRun>(m, "PerceptronRun")
        .def_static("over", &new_run, nb::arg("matrix"), nb::arg("y"), written("w"), nb::arg("units"),
                    nb::arg("shift").none(), nb::arg("mean2"), nb::arg("settings"), nb::rv_policy::take_ownership)
        .def("epoch", &epoch, nb::arg("order"), written("mistakes"))
        .def("mistakes", &mistakes)
        .def("judge", &judge)
        .def("total", &total, written("out"))
        .def("updates", &updates, written("out"))
        .def("best", &best, written("out"))
        .def("path", &path, written("weights"), written("rows"))
        .def_prop_ro("recorded", [](const PerceptronRun &r) { return index_t(r.state.path_rows.size()); });
}

}  // namespace linsep
