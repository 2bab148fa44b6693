// Softmax with an L2 penalty by dual coordinate descent, all K multipliers of a row at once.
//
// Problem   min over W (d×K), b of  1/2 Σₖ ‖wₖ‖² + Σᵢ Cᵢ (ln Σₖ e^zₖ − z_yᵢ),   z = xᵢᵀW + b
// Dual      min over p (n×K) of    1/2 Σₖ ‖wₖ(p)‖² + Σᵢ Cᵢ Σₖ pᵢₖ ln pᵢₖ,   wₖ(p) = Σᵢ aᵢₖxᵢ,  aᵢₖ = Cᵢ([k = yᵢ] − pᵢₖ)
//           subject to pᵢ in the simplex, and Σᵢ aᵢₖ = 0 for each k where b is free.
// Step      row i, Q = ‖xᵢ‖² + v², h = QCᵢ, p̂ the old p: with tₖ = ln pₖ, the state, and ν for Σ p = 1,
//             tₖ + h pₖ = zₖ + h p̂ₖ + ν.
//           Newton in t and ν together: Δtₖ = (eₖ + ν)/(1 + h pₖ), e the residual, ν by Σ pₖΔtₖ = 0, then t less
//           ln Σ eᵗ. t + h eᵗ is convex, so steps down never go too far; a step up beyond h p = 1 goes 2Δ/(2 + Δ)
//           ≤ ln(1 + Δ), as far as Newton in p, which never goes too far upwards.
// Intercept as in dual.hpp, one for each class: b̃ₖ = bₖ + v² rₖ, rₖ = Σᵢ aᵢₖ.
// Lanes     see sweep.hpp.
// Resting   A row whose share of the gap is below `rest_below` misses one sweep.
// Invariant After each sweep W = Σ xᵢaᵢᵀ and r = Σ aᵢ up to rounding. Rows of W stand padded(K) apart (sparse.hpp).
//
// Yu, Huang, Lin, Machine Learning 85, 2011, section 6 (the dual of maximum entropy; there one class at a time).
#pragma once
#include <vector>

#include "ahead.hpp"
#include "sparse.hpp"
#include "sweep.hpp"
#include "vecmath.hpp"

namespace linsep {

struct SoftmaxArrays {
    index_t classes;        // K
    const double *cost;     // Cᵢ ≥ 0; rows with Cᵢ = 0 are never visited
    double *norm2;          // ‖xᵢ‖², or negative: filled in at the row's first visit
    double *t;              // n×K logarithms of p, each row's p summing to 1
    const double *b;        // K proximal centres of the intercepts (zeros where there are none)
    double *r;              // K sums over the rows of a
    std::int32_t *order;    // a permutation of the rows with Cᵢ > 0, the active ones first
    double *w;              // d×padded(K)
    double *lane_w;         // scratch, (lanes − 1)×d×padded(K); may be null if lanes = 1
};

// What Newton on one row works with: K numbers each, and up to whole packs classes that have no share in anything, so
// that no loop has a remainder: their p is 0, and t and z are finite, so that p times either is 0 too. The loops take
// copies of the pointers: a member might be what they write.
struct SoftmaxRow {
    static constexpr double kNoScore = -1e300, kNoShare = -1e299;
    struct alignas(64) Pack {
        double numbers[kPack];
    };
    const index_t classes, width;
    std::vector<Pack> packs;
    double *const old, *const p, *const z, *const t, *const step;

    explicit SoftmaxRow(index_t k)
        : classes(k), width(padded(k)), packs(std::size_t(5 * width / kPack)), old(packs[0].numbers), p(old + width),
          z(p + width), t(z + width), step(t + width) {
        std::fill(z + classes, z + width, kNoScore);
    }

    // p and old from ln p; returns Σ p ln p.
    double begin(const double *logarithms) {
        double *tk = t, *pk = p, *ok = old, sum = 0;
        std::copy(logarithms, logarithms + classes, tk), std::fill(tk + classes, tk + width, kNoShare);
#pragma omp simd reduction(+ : sum)
        for (index_t k = 0; k < width; ++k) pk[k] = ok[k] = exp_nonpositive(tk[k]), sum += pk[k] * tk[k];
        return sum;
    }

    // step ← Δt at t, p; returns the largest √p|Δt|, which measures it as the loss does.
    double newton(double h) {
        const double *zk = z, *tk = t, *pk = p, *ok = old;
        double *sk = step, weighted = 0, weights = 0, largest = 0;
#pragma omp simd reduction(+ : weighted, weights)
        for (index_t k = 0; k < width; ++k) {
            const double free = pk[k] / (1.0 + h * pk[k]);
            sk[k] = zk[k] - tk[k] + h * (ok[k] - pk[k]);
            weighted += free * sk[k], weights += free;
        }
        const double level = weighted / weights;
#pragma omp simd reduction(max : largest)
        for (index_t k = 0; k < width; ++k) {
            sk[k] = (sk[k] - level) / (1.0 + h * pk[k]);
            largest = std::max(largest, pk[k] * sk[k] * sk[k]);
        }
        return std::sqrt(largest);
    }

    // t += Δt, cautiously upwards beyond the edge where h p passes 1; then p ← eᵗ / Σ eᵗ, t ← ln p.
    void advance(double edge) {
        const double *sk = step;
        double *tk = t, *pk = p, top = kNoScore, sum = 0;
#pragma omp simd
        for (index_t k = 0; k < width; ++k) {
            const double whole = sk[k], cautious = std::max(edge - tk[k], 2.0 * whole / (2.0 + std::max(whole, 0.0)));
            tk[k] += std::min(whole, whole > 0 ? cautious : whole);
        }
#pragma omp simd reduction(max : top)
        for (index_t k = 0; k < width; ++k) top = tk[k] > top ? tk[k] : top;  // std::max is not made vector code here
#pragma omp simd reduction(+ : sum)
        for (index_t k = 0; k < width; ++k) pk[k] = exp_nonpositive(tk[k] - top), sum += pk[k];
        const double inverse = 1.0 / sum, shift = top + std::log(sum);
#pragma omp simd
        for (index_t k = 0; k < width; ++k) pk[k] *= inverse, tk[k] -= shift;
    }

    // Solves the row at scores z from t and p, kept in `old`. A step that is short leaves an error of its square, which
    // the next sweep corrects.
    void solve(double h) {
        const double edge = h > 0 ? -std::log(h) : kInfinity;
        for (int steps = 0; steps < 60; ++steps) {
            const double length = newton(h);
            advance(edge);
            if (length * std::min(h, 1.0) <= 0.05) break;
        }
    }
};

template <class Rows>
struct SoftmaxRun {
    const Design &design;
    const Rows &x;
    const SoftmaxArrays &s;
    const DualState &state;

    void scores(index_t i, const double *u, const double *bias, double *z) const {
        const index_t classes = s.classes, stride = padded(classes);
        if constexpr (Rows::sparse) {
            gather_rows(design, i, i + 1, u, classes, z);
            for (index_t k = 0; k < classes; ++k) z[k] += bias[k];
        } else {
            std::copy(bias, bias + classes, z);
            x.each(i, [&](index_t j, double v) {
                const double *row = u + j * stride;
#pragma omp simd
                for (index_t k = 0; k < classes; ++k) z[k] += v * row[k];
            });
        }
    }

    // The row's share of the gap, C(ln Σ p eᵉ − Σ p e) with e = z − t: to second order half the variance of e, and at
    // most the largest e less their mean. Also the root of the variance, for `violation`.
    double share(const SoftmaxRow &row, RunTotals &totals) const {
        double mean = 0, squares = 0, top = -kInfinity;
        const double *z = row.z, *t = row.t, *p = row.p;
#pragma omp simd reduction(+ : mean, squares) reduction(max : top)
        for (index_t k = 0; k < row.width; ++k) {
            const double e = z[k] - t[k];
            mean += p[k] * e, squares += p[k] * e * e, top = std::max(top, e);
        }
        const double variance = std::max(squares - mean * mean, 0.0);
        totals.violate(std::sqrt(variance));
        return std::min(0.5 * variance * (1.0 + std::sqrt(variance)), top - mean);
    }

    // Solves row i; row.step ← Δa.
    void solve(index_t i, SoftmaxRow &row, RunTotals &totals, bool &rest) const {
        const double c = s.cost[i], h = c * (s.norm2[i] + state.v2), before = row.begin(s.t + i * s.classes);
        const double gap = c * share(row, totals);
        totals.gap += gap, rest = gap < state.rest_below;
        row.solve(h);
        const double *z = row.z, *t = row.t, *p = row.p, *old = row.old;
        double *change = row.step, after = 0, linear = 0, square = 0;
#pragma omp simd reduction(+ : after, linear, square)
        for (index_t k = 0; k < row.width; ++k) {
            const double step = old[k] - p[k];
            after += p[k] * t[k], linear += step * z[k], square += step * step;
            change[k] = c * step;
        }
        std::copy(t, t + s.classes, s.t + i * s.classes);
        totals.separable -= c * (after - before), totals.model -= c * (after - before + linear + 0.5 * h * square);
    }

    void update(index_t i, const double *change, double *u) const {
        const index_t stride = padded(s.classes);
        x.each(i, [&](index_t j, double v) {
            double *row = u + j * stride;
#pragma omp simd
            for (index_t k = 0; k < stride; ++k) row[k] += v * change[k];
        });
    }

    RunTotals operator()(std::int32_t *rows, index_t m, double *u, double *r) const {
        const index_t classes = s.classes;
        const double lanes = double(state.lanes);
        SoftmaxRow row(classes);
        std::vector<double> bias(s.b, s.b + classes);
        for (index_t k = 0; k < classes; ++k) bias[std::size_t(k)] += state.v2 * s.r[k];
        RunTotals totals;
        for (index_t place = 0; place < m; ++place) {
            if (place + kAhead < m) ask_for(rows[place + kAhead]);
            const index_t i = rows[place];
            if (s.norm2[i] < 0) s.norm2[i] = x.norm2(i);
            scores(i, u, bias.data(), row.z);
            bool rest = false;
            solve(i, row, totals, rest);
            double *change = row.step, *centre = bias.data();
#pragma omp simd
            for (index_t k = 0; k < classes; ++k) r[k] += change[k], change[k] *= lanes, centre[k] += state.v2 * change[k];
            update(i, change, u), ++totals.moved;
            if (rest) rows[place] = ~rows[place];
        }
        return totals;
    }

    LINSEP_PREFETCHES void ask_for(index_t i) const {
        x.prefetch(i);
        prefetch_lines(s.t + i * s.classes, s.classes);
    }
};

void softmax_sweep(const Design &, const SoftmaxArrays &, DualState &, int threads);
// θ = e_y − p (n×K): minus p for the other classes, and for the row's own what they sum to, so that p is in the simplex.
void softmax_multipliers(const double *t, const std::int64_t *y, index_t n, index_t classes, double *theta, int threads);

}  // namespace linsep
