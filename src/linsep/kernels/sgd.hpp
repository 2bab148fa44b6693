// An epoch of stochastic gradient steps, one row or a mini-batch at a time.
//
// Problem   min over w, b of  1/n Σᵢ ℓ(yᵢ, ⟨xᵢ, w⟩ + b) + α/2 ‖w‖² + β ‖w‖₁
// Step t    on the rows B that come next in the given order, with η = eta0 / tᵖ  (p = 0: constant, 1: 1/t):
//             zᵢ = ⟨xᵢ, w⟩ + b,  gᵢ = ∂ℓ/∂z (yᵢ, zᵢ)           for i in B, all at the same w
//             L ← a · mean over B of ℓ(yᵢ, zᵢ) + (1 − a) L      the smoothed loss, with the w before the step
//             w ← soft((1 − ηα) w − η/|B| Σ gᵢxᵢ, ηβ),   b ← b − η/|B| Σ gᵢ
//           soft moves every weight towards 0 by ηβ and leaves it there if it would pass.
// Scores    one a row (margin losses: y > 0 is the positive class, so −1, 1 and 0, 1 are both labels), or K
//           a row (softmax and its like, and one-vs-rest: the sum of K margin losses).
// Weights   w is (d + 1) × K, the intercepts last.
// Sparse    w = s·v: the shrinkage changes s alone, so a step costs the entries of its rows. Where s becomes
//           small or ηα ≥ 1, s is multiplied into v. Dense rows: w itself.
//           Thresholds wait as well: drop = Σ ηβ/s so far, in the scale of v, and a column takes the part that came
//           since its last row when its next one comes: soft(soft(v, a), b) = soft(v, a + b), and shrinking in between
//           is what the scale is for.
// Invariant After the epoch w holds the weights themselves (s = 1), t the number of steps so far.
//
// Robbins and Monro, 1951; the implicit scale: Shalev-Shwartz, Singer, Srebro (Pegasos), ICML 2007, section 2; thresholds
// that wait: Langford, Li, Zhang, JMLR 2009.
#pragma once
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "ahead.hpp"
#include "joint.hpp"

namespace linsep {

// What the steps go by, and where they are.
struct SgdState {
    double eta0, power, alpha, smoothing;
    bool intercept;
    index_t t;     // steps so far
    double loss;   // L
    double beta;   // of the L1 penalty

    // The rate of step t = 1, 2, …
    double rate(double step) const {
        if (power == 0) return eta0;
        if (power == 1) return eta0 / step;
        return power == 0.5 ? eta0 / std::sqrt(step) : eta0 * std::pow(step, -power);
    }
};

// The rows of an epoch: `count` row numbers in their order, `batch` of them a step; the weights after every
// step go to `path`, if it is not null.
struct SgdRows {
    const std::int32_t *order;
    index_t count, batch;
    double *path;
};

// w = s·v of K columns, updated row by row. K is a constant 1 where `one`.
template <class Rows, bool one>
class Iterate {
    const Rows &x;
    double *v;
    index_t columns;
    double s = 1, drop = 0;
    std::vector<double> dropped;  // what each column has taken of `drop`; empty: thresholds do not wait
    static constexpr bool fused = one && std::is_same_v<Rows, DenseRows<typename Rows::value_type>>;

  public:
    Iterate(const Rows &rows, double *w, index_t k, bool thresholds)
        : x(rows), v(w), columns(k), dropped(Rows::sparse && thresholds ? std::size_t(rows.d) : 0, 0.0) {}
    index_t k() const { return one ? 1 : columns; }
    double *intercepts() const { return v + x.d * k(); }

    void scores(index_t i, double *z) const {
        const double *b = intercepts();
        if (one) {
            *z = s * x.dot(i, v) + *b;
            return;
        }
        std::fill(z, z + columns, 0.0);
        x.each(i, [&](index_t j, double xj) {
            const double *vj = v + j * columns;
#pragma omp simd
            for (index_t c = 0; c < columns; ++c) z[c] += xj * vj[c];
        });
        for (index_t c = 0; c < columns; ++c) z[c] = s * z[c] + b[c];
    }

    // w ← factor·w, b stays.
    void shrink(double factor) {
        if (factor == 1) return;
        if (Rows::sparse && factor > 1e-6) {
            s *= factor;
            if (s < 1e-9) fold();
            return;
        }
        if (!dropped.empty()) fold();  // thresholds are in a scale that ends here
        s *= factor;
        if (!fused) fold();  // else with the row that is added next
    }

    // w ← soft(w, amount), b stays.
    void threshold(double amount) {
        if (!dropped.empty()) {
            drop += amount / s;
            return;
        }
        fold();
        for (index_t j = 0; j < x.d * k(); ++j) v[j] = soft(v[j], amount);
    }

    // The columns of row i take the thresholds that waited for them.
    void catch_up(index_t i) {
        if (!dropped.empty()) x.each(i, [&](index_t j, double) { catch_up_column(j); });
    }

    void catch_up_column(index_t j) {
        const double amount = drop - dropped[std::size_t(j)];
        if (amount == 0) return;
        for (index_t c = j * k(); c < (j + 1) * k(); ++c) v[c] = soft(v[c], amount);
        dropped[std::size_t(j)] = drop;
    }

    static double soft(double value, double amount) {
        return value > amount ? value - amount : value < -amount ? value + amount : 0.0;
    }

    // w += a xᵢ gᵀ, b += a g where there is an intercept.
    void add(index_t i, double a, const double *g, bool intercept) {
        if (one) {
            if (*g == 0) return;
            fused ? add_scaled(i, a * *g) : x.axpy(i, a * *g / s, v);
        } else {
            const double c0 = a / s;
            x.each(i, [&](index_t j, double xj) {
                double *vj = v + j * columns;
#pragma omp simd
                for (index_t c = 0; c < columns; ++c) vj[c] += c0 * xj * g[c];
            });
        }
        double *b = intercepts();
        if (intercept)
            for (index_t c = 0; c < k(); ++c) b[c] += a * g[c];
    }

    // v ← s·v + a xᵢ in one go, s ← 1.
    void add_scaled(index_t i, double a) {
        if constexpr (fused) {
            const auto *__restrict row = x.row(i);
            double *__restrict u = v;
#pragma omp simd
            for (index_t j = 0; j < x.d; ++j) u[j] = s * u[j] + a * double(row[j]);
            s = 1;
        }
    }

    // After a step dense weights are w itself.
    void settle() {
        if (!Rows::sparse) fold();
    }

    void fold() {
        if (!dropped.empty()) {
            for (index_t j = 0; j < x.d; ++j) catch_up_column(j);
            std::fill(dropped.begin(), dropped.end(), 0.0);
            drop = 0;
        }
        if (s == 1) return;
#pragma omp simd
        for (index_t j = 0; j < x.d * k(); ++j) v[j] *= s;
        s = 1;
    }

    double *write(double *out) const {
        for (index_t j = 0; j < x.d * k(); ++j)
            out[j] = s * (dropped.empty() ? v[j] : soft(v[j], drop - dropped[std::size_t(j / k())]));
        return std::copy(intercepts(), intercepts() + k(), out + x.d * k());
    }
};

// Mean loss of the rows, their slopes over |B|.

// ℓ and ℓ′ at a margin: two numbers that a call returns in registers, so that the loops are compiled for no loss.
struct ValueSlope {
    double value, slope;
};
using MarginFn = ValueSlope (*)(double margin);

struct MarginTerms {
    static constexpr bool one = true;
    const double *target;
    MarginFn loss;
    index_t k() const { return 1; }
    double operator()(const std::int32_t *rows, index_t size, double *z, double *g) const {
        const double share = 1.0 / double(size);
        double total = 0;
        for (index_t r = 0; r < size; ++r) {
            const bool positive = target[rows[r]] > 0;
            const ValueSlope at = loss(positive ? z[r] : -z[r]);
            total += at.value;
            g[r] = share * (positive ? at.slope : -at.slope);
        }
        return share * total;
    }
};

struct JointTerms {
    static constexpr bool one = false;
    const index_t *target;
    index_t columns;
    JointTermsFn terms;
    index_t *labels;  // scratch, one a row of a batch
    index_t k() const { return columns; }
    double operator()(const std::int32_t *rows, index_t size, double *z, double *g) const {
        for (index_t r = 0; r < size; ++r) labels[r] = target[rows[r]];
        return terms(JointRows{labels, nullptr, 1.0 / double(size), columns}, size, z, g);
    }
};

// `work`: 2·batch·K numbers.
template <class Rows, class Terms>
void sgd_run(const Rows &x, const SgdRows &rows, const Terms &terms, double *w, SgdState &state, double *work) {
    Iterate<Rows, Terms::one> iterate(x, w, terms.k(), state.beta > 0);
    const index_t k = terms.k();
    double *z = work, *g = work + rows.batch * k, *path = rows.path;
    for (index_t begin = 0; begin < rows.count; begin += rows.batch) {
        const index_t size = std::min(rows.batch, rows.count - begin);
        const std::int32_t *chosen = rows.order + begin;
        for (index_t r = 0; r < size; ++r) {
            ask_ahead(x, rows.order, rows.count, begin + r, terms.target);
            iterate.catch_up(chosen[r]);
            iterate.scores(chosen[r], z + r * k);
        }
        const double loss = terms(chosen, size, z, g), rate = state.rate(double(++state.t));
        state.loss = state.smoothing * loss + (1 - state.smoothing) * state.loss;
        iterate.shrink(1 - rate * state.alpha);
        for (index_t r = 0; r < size; ++r) iterate.add(chosen[r], -rate, g + r * k, state.intercept);
        if (state.beta > 0) iterate.threshold(rate * state.beta);
        iterate.settle();
        if (path) path = iterate.write(path);
    }
    iterate.fold();
}

// y: n labels; w: d + 1 weights.
void sgd_margin(const char *loss, const Design &, const double *y, const SgdRows &, double *w, SgdState &);
// y: n class numbers below k; w: (d + 1) × k weights. loss: one of kJointLosses, or "ovr_" and a margin loss.
void sgd_joint(const char *loss, const Design &, const index_t *y, index_t k, const SgdRows &, double *w, SgdState &);
bool sgd_knows(const char *loss, bool joint);

}  // namespace linsep
