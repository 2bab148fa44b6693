#include "sgd.hpp"

#include <cstring>
#include <vector>

#include "loss.hpp"

namespace linsep {
namespace {

struct Perceptron {  // max(0, −M); M = 0 is a mistake
    static void at(double m, double &v, double &g, double &h) {
        v = m < 0 ? -m : 0.0;
        g = m <= 0 ? -1.0 : 0.0;
        h = 0;
    }
};

// Σₖ ℓ(±zₖ), + for the row's own class.
template <class L>
double rest_terms(const JointRows &x, index_t n, double *z, double *r) {
    double total = 0;
    for (index_t i = 0; i < n; ++i)
        for (index_t c = 0; c < x.k; ++c) {
            const double sign = c == x.y[i] ? 1.0 : -1.0;
            double value, slope, curve;
            L::at(sign * z[i * x.k + c], value, slope, curve);
            total += value;
            r[i * x.k + c] = x.scale * sign * slope;
        }
    return x.scale * total;
}

template <class L>
ValueSlope value_slope(double margin) {
    double value, slope, curve;
    L::at(margin, value, slope, curve);
    return {value, slope};
}

struct MarginKernel {
    const char *name;
    MarginFn loss;
    JointTermsFn rest;
};

template <class L>
constexpr MarginKernel margin(const char *name) {
    return {name, value_slope<L>, rest_terms<L>};
}

constexpr MarginKernel kMargins[] = {
    margin<Log>("log"),
    margin<Hinge>("hinge"),
    margin<SquaredHinge>("squared_hinge"),
    margin<SmoothedHinge>("smoothed_hinge"),
    margin<Squared>("squared"),
    margin<Exponential>("exponential"),
    margin<Sigmoid>("sigmoid"),
    margin<Perceptron>("perceptron"),
};

const MarginKernel *find_margin(const char *name) {
    for (const MarginKernel &kernel : kMargins)
        if (std::strcmp(kernel.name, name) == 0) return &kernel;
    return nullptr;
}

JointTermsFn find_joint(const char *name) {
    for (const JointKernel &kernel : kJointLosses)
        if (std::strcmp(kernel.name, name) == 0) return kernel.terms;
    if (std::strncmp(name, "ovr_", 4) != 0) return nullptr;
    const MarginKernel *kernel = find_margin(name + 4);
    return kernel ? kernel->rest : nullptr;
}

}  // namespace

bool sgd_knows(const char *loss, bool joint) { return joint ? find_joint(loss) != nullptr : find_margin(loss) != nullptr; }

void sgd_margin(const char *loss, const Design &design, const double *y, const SgdRows &rows, double *w,
                SgdState &state) {
    const MarginTerms terms{y, find_margin(loss)->loss};
    std::vector<double> work(std::size_t(2 * rows.batch));
    visit(design, [&](const auto &x) { sgd_run(x, rows, terms, w, state, work.data()); });
}

void sgd_joint(const char *loss, const Design &design, const index_t *y, index_t k, const SgdRows &rows, double *w,
               SgdState &state) {
    std::vector<double> work(std::size_t(2 * rows.batch * k));
    std::vector<index_t> labels(std::size_t(rows.batch));
    const JointTerms terms{y, k, find_joint(loss), labels.data()};
    visit(design, [&](const auto &x) { sgd_run(x, rows, terms, w, state, work.data()); });
}

}  // namespace linsep
