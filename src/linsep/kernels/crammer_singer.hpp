// The multi-class SVM of Crammer and Singer by the sequential dual method.
//
// Problem   min over W (d×K), b of  1/2 Σₖ ‖wₖ‖² + Σᵢ Cᵢ max_k (z_k + [k ≠ yᵢ] − z_yᵢ),   z = xᵢᵀW + b
// Dual      min over a (n×K) of    1/2 Σₖ ‖wₖ(a)‖² + Σᵢ Σ_{k ≠ yᵢ} aᵢₖ,   wₖ(a) = Σᵢ aᵢₖ xᵢ
//           subject to Σₖ aᵢₖ = 0, aᵢₖ ≤ Cᵢ[k = yᵢ], and Σᵢ aᵢₖ = 0 for each k where b is free.
// Step      row i, gradient gₖ = zₖ + [k ≠ yᵢ], Q = ‖xᵢ‖² + v²: the whole row is solved exactly,
//             aₖ ← min(Uₖ, aₖ + (β − gₖ)/Q),  β the root of Σₖ aₖ = 0.
//           The sum is concave and increasing in β: Newton from the left of the root ends after at most K
//           steps, mostly two.
// Intercept as in dual.hpp, one for each class: b̃ₖ = bₖ + v² rₖ, rₖ = Σᵢ aᵢₖ.
// Lanes     see sweep.hpp.
// Resting   A row that did not change, where β exceeds the gradients of the classes at their bound by more
//           than rest_high, leaves the active set until the caller brings it back.
// Invariant After each sweep W = Σ xᵢ aᵢᵀ and r = Σ aᵢ up to rounding.
//
// Keerthi et al., KDD 2008, algorithm 1 and section 3 (sequential dual method); Crammer and Singer, JMLR 2,
// 2001.
#pragma once
#include <vector>

#include "ahead.hpp"
#include "sweep.hpp"

namespace linsep {

struct CrammerSingerArrays {
    index_t classes;           // K
    const std::int64_t *y;     // class index of each row
    const double *cost;        // Cᵢ ≥ 0; rows with Cᵢ = 0 are never visited
    double *norm2;             // ‖xᵢ‖², or negative: filled in at the row's first visit
    double *a;                 // n×K
    const double *b;           // K proximal centres of the intercepts (zeros where there are none)
    double *r;                 // K sums over the rows of a
    std::int32_t *order;       // a permutation of the rows with Cᵢ > 0, the active ones first
    double *w;                 // d×K
    double *lane_w;            // scratch, (lanes − 1)×d×K; may be null if lanes = 1
};

// β with Σₖ min(Uₖ, aₖ + (β − gₖ)/Q) = 0, where Uₖ = C for the row's class and 0 for the others.
inline double row_level(const double *a, const double *g, index_t classes, index_t own, double c, double q) {
    double level = 0;
    for (index_t k = 0; k < classes; ++k) level += g[k] - q * a[k];
    level /= double(classes);
    for (index_t steps = 0; steps < classes; ++steps) {
        double sum = 0, free = 0;
#pragma omp simd reduction(+ : sum, free)
        for (index_t k = 0; k < classes; ++k) {
            const double centre = g[k] - q * a[k];
            const double inside = level < centre ? 1.0 : 0.0;
            sum += inside * centre, free += inside;
        }
        const double centre = g[own] - q * a[own];
        if (level < centre) sum -= centre, free -= 1.0;
        const bool own_free = level < centre + q * c;
        if (own_free) sum += centre, free += 1.0;
        if (free == 0.0) return level;
        const double next = (sum - (own_free ? 0.0 : q * c)) / free;
        if (!(next > level)) break;
        level = next;
    }
    return level;
}

template <class Rows>
struct CrammerSingerRun {
    const Rows &x;
    const CrammerSingerArrays &s;
    const DualState &state;

    void scores(index_t i, const double *u, double *g) const {
        const index_t classes = s.classes;
        x.each(i, [&](index_t j, double v) {
            if (v == 0.0) return;
            const double *row = u + j * classes;
#pragma omp simd
            for (index_t k = 0; k < classes; ++k) g[k] += v * row[k];
        });
    }

    // u += xᵢ changeᵀ; few changed classes are written one by one.
    void update(index_t i, double *u, const double *change, const index_t *changed, index_t count) const {
        const index_t classes = s.classes;
        x.each(i, [&](index_t j, double v) {
            double *row = u + j * classes;
            if (count * 6 < classes) {
                for (index_t k = 0; k < count; ++k) row[changed[k]] += v * change[changed[k]];
            } else {
#pragma omp simd
                for (index_t k = 0; k < classes; ++k) row[k] += v * change[k];
            }
        });
    }

    // Solves row i at gradients g.  change ← Δa; returns the number of classes that changed.
    index_t solve(index_t i, const double *g, double *change, index_t *changed, RunTotals &t, bool &rest) const {
        const index_t classes = s.classes, own = s.y[i];
        const double c = s.cost[i], q = s.norm2[i] + state.v2;
        double *a = s.a + i * classes;
        double top = g[0], inner = 0;
        for (index_t k = 0; k < classes; ++k) top = std::max(top, g[k]), inner += a[k] * g[k];
        t.gap += c * (top - g[own]) + inner;
        if (!(q > 0)) return 0;
        const double level = row_level(a, g, classes, own, c, q);
        double linear = 0, square = 0, error = 0, other = 0, clearance = kInfinity;
        index_t count = 0;
        for (index_t k = 0; k < classes; ++k) {
            const double upper = k == own ? c : 0.0, target = a[k] + (level - g[k]) / q;
            const double next = std::min(upper, target), step = next - a[k];
            change[k] = step;
            if (step == 0.0) {
                if (a[k] == upper) clearance = std::min(clearance, level - g[k]);
                continue;
            }
            changed[count++] = k;
            linear += step * g[k], square += step * step, error = std::max(error, std::fabs(step) * q);
            if (k != own) other += step;
            a[k] = next;
        }
        t.violate(error), t.model -= linear + 0.5 * q * square, t.separable -= other;
        rest = count == 0 && clearance > state.rest_high;
        return count;
    }

    RunTotals operator()(std::int32_t *rows, index_t m, double *u, double *r) const {
        const index_t classes = s.classes;
        const double lanes = double(state.lanes);
        std::vector<double> g(static_cast<std::size_t>(classes)), change(g), bias(s.b, s.b + classes);
        std::vector<index_t> changed(static_cast<std::size_t>(classes));
        for (index_t k = 0; k < classes; ++k) bias[std::size_t(k)] += state.v2 * s.r[k];
        RunTotals t;
        for (index_t p = 0; p < m; ++p) {
            if (p + kAhead < m) {
                x.prefetch(rows[p + kAhead]);
                prefetch_lines(s.a + rows[p + kAhead] * classes, classes);
            }
            const index_t i = rows[p];
            if (s.norm2[i] < 0) s.norm2[i] = x.norm2(i);
            for (index_t k = 0; k < classes; ++k) g[std::size_t(k)] = bias[std::size_t(k)] + (k == s.y[i] ? 0.0 : 1.0);
            scores(i, u, g.data());
            bool rest = false;
            const index_t count = solve(i, g.data(), change.data(), changed.data(), t, rest);
            for (index_t l = 0; l < count; ++l) {
                const std::size_t k = std::size_t(changed[std::size_t(l)]);
                r[k] += change[k], change[k] *= lanes, bias[k] += state.v2 * change[k];
            }
            if (count) update(i, u, change.data(), changed.data(), count), ++t.moved;
            if (rest) rows[p] = ~rows[p];
        }
        return t;
    }
};

// The same problem by proximal steps on the multipliers, each solved by Newton's method in W: for small d·K,
// where sweeps are slow (the rows are many and nearly dependent).  Around the multipliers â,
//   min over W, b of  ψ = 1/2 Σ ‖wₖ‖² + Σᵢ max over feasible a of [ −⟨a, gᵢ⟩ − ‖a − âᵢ‖²/2σ ],
//   gᵢₖ = zₖ + [k ≠ yᵢ];   a = min(U, â + σ(β − g)) as in a step above with Q = 1/σ;
//   ∇ψ = [W; 0] − Σ [xᵢ; 1] aᵢᵀ,   ∇²ψ = [I, 0] + σ Σ [xᵢ; 1][xᵢ; 1]ᵀ ⊗ (I_F − 1_F 1_Fᵀ/|F|),
// F the classes of row i that are not at their bound.  ψ is convex and its gradient piecewise linear.
// Each a is feasible, so each Newton step yields a certificate.  (Rockafellar, 1976; Li, Sun, Toh, 2018.)
struct ProximalRows {
    index_t classes;
    const std::int64_t *y;
    const double *cost, *centre;  // Cᵢ; â, n×K
    double sigma;
};
struct ProximalTotals {
    double envelope;   // Σᵢ max[…]
    double loss;       // Σᵢ Cᵢ (max_k gₖ − g_yᵢ)
    double conjugate;  // Σᵢ Σ_{k ≠ yᵢ} aᵢₖ
};
// w ((d+1)×K, the intercepts last) in; next (n×K) ← a; adjoint ((d+1)×K) ← Σ [xᵢ; 1] aᵢᵀ;
// hessian (K(d+1) square, class by class, may be null): upper triangle ← σ Σ …
ProximalTotals crammer_singer_proximal(const Design &, const ProximalRows &, const double *w, double *next,
                                       double *adjoint, double *hessian, int threads);

void crammer_singer_sweep(const Design &, const CrammerSingerArrays &, DualState &, int threads);

}  // namespace linsep
