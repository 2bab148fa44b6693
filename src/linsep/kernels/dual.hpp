// Dual coordinate descent for binary margin losses with an L2 penalty.
//
// Problem   min over w, b of  1/2 ‖w‖² + Σᵢ Cᵢ ℓ(yᵢ(⟨xᵢ,w⟩ + b)),   Cᵢ = sᵢ/(S α) > 0
// Dual      min over a of     1/2 ‖w(a)‖² + Σᵢ Cᵢ ℓ*(−aᵢ/Cᵢ)   subject to Σ yᵢaᵢ = 0 where b is free,
//           w(a) = Σ aᵢyᵢxᵢ, and
//             hinge           Cℓ* = −a                 0 ≤ a ≤ C    box U = C, diagonal D = 0
//             squared hinge   Cℓ* = −a + a²/4C         0 ≤ a        box U = ∞, diagonal D = 1/2C
//             smoothed hinge  Cℓ* = −a + a²/2C         0 ≤ a ≤ C    box U = C, diagonal D = 1/C
//             log             Cℓ* = C(θt − ln(1+eᵗ)),  a = Cθ, θ = σ(t): the state is the logit t
// Step      row i, margin M = yᵢ(⟨xᵢ,w⟩ + b̃), Q = ‖xᵢ‖² + v²:
//             box             a ← clip(a − (M − 1 + D a)/(Q + D), 0, U)
//             log             the root t of  t + M + Q(Cσ(t) − a) = 0, a ← Cσ(t)
// Intercept proximal point on b (augmented Lagrangian of the equality): b̃ = b + v² r, r = Σ yᵢaᵢ.  The
//           caller moves b between sweeps.  v² = 0 and b = 0: no intercept.
// Lanes     see sweep.hpp: a sweep runs in several lanes without changing the bits with the threads.
// Resting   Box losses: a row at a bound whose gradient points out of the box by more than a multiple of the
//           violations of the previous sweep leaves the active set until dual_select() is called.  Log: a
//           row whose share of the duality gap is below `rest_below` misses one sweep.  A certificate is
//           always over all rows.
// Free      Box losses: rows strictly inside the box.  dual_free() puts them first, so that sweeps can visit them alone.
// Invariant After each sweep w = Σ aᵢyᵢxᵢ and r = Σ yᵢaᵢ up to rounding; a pass over a (adjoint) recomputes both.
//
// Hsieh et al., ICML 2008, algorithms 1 and 3 (box, shrinking); Yu, Huang, Lin, Machine Learning 85, 2011,
// algorithm 5 (log; here by Newton in the logit); Ma et al., ICML 2015, algorithm 1 with σ′ = lanes for the
// coupling between rows and σ′ = 1 for a row with itself (lanes).
#pragma once
#include "ahead.hpp"
#include "sweep.hpp"
#include "vecmath.hpp"

namespace linsep {

enum class DualLoss { hinge, squared_hinge, smoothed_hinge, log };

// Arrays of the caller, one entry a row unless said otherwise.
struct DualArrays {
    const double *y;      // −1 or +1
    const double *cost;   // Cᵢ ≥ 0; rows with Cᵢ = 0 are never visited
    double *norm2;        // ‖xᵢ‖², or negative: filled in at the row's first visit
    double *a;            // multipliers
    double *logit;        // log: t with a = Cσ(t); other losses: unused, may be null
    std::int32_t *order;  // a permutation of the rows with Cᵢ > 0, the active ones first
    double *w;            // d entries: w(a)
    double *lane_w;       // scratch, (lanes − 1) × d entries; may be null if lanes = 1
};

inline double sigmoid(double t) {
    const double e = exp_nonpositive(-std::fabs(t));
    return (t < 0 ? e : 1.0) / (1.0 + e);
}

// ln(1 + eᵗ)
inline double softplus(double t) { return std::max(t, 0.0) + log1p_unit(exp_nonpositive(-std::fabs(t))); }

// A step returns the change of a, and says whether the row rests from now on.  `model` sums the decreases of
// the dual as the run sees them, `separable` those of Σ Cℓ*(−a/C) alone.

// Hinge, squared hinge and smoothed hinge: a box [0, U] and a diagonal D.
template <DualLoss kind>
struct BoxStep {
    static constexpr bool rests_once = false;
    const DualArrays &s;
    const DualState &state;

    double operator()(index_t i, double margin, double q, RunTotals &t, bool &rest) const {
        const double c = s.cost[i], a = s.a[i];
        const double upper = bound(c);
        const double d = diagonal(c), gradient = margin - 1.0 + d * a, curvature = q + d;
        t.gap += c * unit_loss(1.0 - margin) + a * (margin - 1.0 + 0.5 * d * a);
        if ((a == 0.0 && gradient >= 0.0) || (a == upper && gradient <= 0.0)) {
            rest = gradient > state.rest_high || gradient < state.rest_low;
            return 0.0;
        }
        t.violate(gradient);
        const double target = curvature > 0 ? a - gradient / curvature : (gradient < 0 ? upper : 0.0);
        const double next = std::min(std::max(target, 0.0), upper), change = next - a;
        s.a[i] = next;
        t.model -= change * (gradient + 0.5 * curvature * change);
        t.separable += change * (1.0 - d * (a + 0.5 * change));
        return change;
    }
    static double bound(double c) { return kind == DualLoss::squared_hinge ? kInfinity : c; }
    static double diagonal(double c) {
        return kind == DualLoss::hinge ? 0.0 : (kind == DualLoss::squared_hinge ? 0.5 : 1.0) / c;
    }
    static double unit_loss(double slack) {
        const double p = std::max(slack, 0.0);
        if (kind == DualLoss::hinge) return p;
        if (kind == DualLoss::squared_hinge) return p * p;
        return p <= 1.0 ? 0.5 * p * p : p - 0.5;
    }
};

// The root of f(t) = t + m + h σ(t), h ≥ 0, from a start t where σ(t) = sigma; sigma follows t.
// f′ ∈ [1, 1 + h/4] and f(−m − h) ≤ 0 ≤ f(−m): Newton inside a shrinking bracket.  A Newton step of length
// s leaves |f| ≤ h s²/20 (|σ″| < 0.1), so it is the last once that is below a hundredth of |f| before it:
// the next sweep corrects the rest.
inline double logit_root(double m, double h, double t, double &sigma) {
    double low = -m - h, high = -m;
    if (!(t > low && t < high)) {
        t = std::min(std::max(-m / (1.0 + 0.25 * h), low), high);
        sigma = sigmoid(t);
    }
    for (int k = 0; k < 100; ++k) {
        const double f = t + m + h * sigma;
        (f > 0 ? high : low) = t;
        double next = t - f / (1.0 + h * sigma * (1.0 - sigma));
        const bool newton = next >= low && next <= high;
        if (!newton) next = 0.5 * (low + high);
        const double step = std::fabs(next - t);
        t = next, sigma = sigmoid(t);
        if ((newton && 0.05 * h * step <= 0.01) || step <= 1e-15 * std::fabs(t)) break;
    }
    return t;
}

struct LogStep {
    static constexpr bool rests_once = true;
    const DualArrays &s;
    const DualState &state;

    double operator()(index_t i, double margin, double q, RunTotals &t, bool &rest) const {
        const double c = s.cost[i], old = s.logit[i], a = s.a[i], error = old + margin;
        double sigma = a / c;
        // Fenchel's gap is the Bregman divergence of ln(1+eᵗ) between −M and t: at most |t + M|, and to
        // second order σ′(t)(t + M)²/2.
        const double size = std::fabs(error), square = 0.5 * sigma * (1.0 - sigma) * size * size;
        const double share = c * std::min(square + 0.05 * size * size * size, size);
        t.gap += share, t.violate(error);
        const double next = logit_root(margin - q * a, q * c, old, sigma), change = c * sigma - a;
        s.logit[i] = next, s.a[i] = c * sigma;
        t.model -= 0.5 * error * change;
        // ∫ t da over the step: the trapezium where it is short.
        t.separable -= std::fabs(next - old) < 0.5 ? 0.5 * (old + next) * change
                                                   : c * (sigma * next - softplus(next) + softplus(old)) - a * old;
        rest = share < state.rest_below;
        return change;
    }
};

// Visits the m rows in their order on the copy u of w.  A row that rests is marked by its complement.
template <class Rows, class Step>
RunTotals dual_run(const Rows &x, const Step &step, std::int32_t *rows, index_t m, double *u) {
    const DualArrays &s = step.s;
    const DualState &state = step.state;
    const double lanes = double(state.lanes);
    double bias = state.b + state.v2 * state.r;
    RunTotals t;
    for (index_t k = 0; k < m; ++k) {
        ask_ahead(x, rows, m, k, s.y, s.cost, s.norm2, s.a, s.logit);
        const index_t i = rows[k];
        const double y = s.y[i];
        if (s.norm2[i] < 0) s.norm2[i] = x.norm2(i);
        bool rest = false;
        const double change = step(i, y * (x.dot(i, u) + bias), s.norm2[i] + state.v2, t, rest);
        if (change != 0.0) {
            x.axpy(i, lanes * y * change, u);
            t.r += y * change, bias += lanes * state.v2 * y * change;
            ++t.moved;
        }
        if (rest) rows[k] = ~rows[k];
    }
    return t;
}

void dual_sweep(DualLoss, const Design &, const DualArrays &, DualState &, int threads);
// b that minimises Σ Cℓ(y(z + b)), searched from `start`; both classes must have weight.
double dual_intercept(DualLoss, const DualArrays &, index_t n, const double *scores, double start, int threads);
// Box losses: the active set from scores that are up to date.  A row rests that is at a bound where its
// gradient points out of the box by more than state.rest_high (a = 0) or below state.rest_low (a = U).
void dual_select(DualLoss, const DualArrays &, DualState &, const double *scores, double b);
// Box losses: moves the free ones of the active rows to the front of the order, and returns their number.
index_t dual_free(DualLoss, const DualArrays &, const DualState &);

}  // namespace linsep
