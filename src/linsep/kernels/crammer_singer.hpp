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
// Lists     Of many classes a row has multipliers for few. A sweep over all of them lists for each row its own class,
//           those with a multiplier, and as far as there is room those whose g is at most rest_high below β; the sweeps
//           after it solve each row over its list alone and read only those columns of W.
// Invariant After each sweep W = Σ xᵢ aᵢᵀ and r = Σ aᵢ up to rounding.
//
// Keerthi et al., KDD 2008, algorithm 1 and section 3 (sequential dual method); Crammer and Singer, JMLR 2,
// 2001.
#pragma once
#include <vector>

#include "ahead.hpp"
#include "sweep.hpp"

namespace linsep {

struct ClassLists {
    index_t room;           // classes that a list holds at most; 0: there are no lists
    std::int32_t *classes;  // n×room, the row's own class first
    std::int32_t *count;    // of each row; negative: too many have multipliers, so all are visited
    bool whole;             // visit all classes and list them anew
};

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
    ClassLists lists;
};

// β with Σₖ min(Uₖ, aₖ + (β − gₖ)/Q) = 0, where Uₖ = C for the row's class and 0 for the others.
// Newton begins at the root for all classes without bounds or at that for the own and the highest other class alone,
// whichever is higher: both are left of the root, because every further class lowers the sum.
inline double row_level(const double *a, const double *g, index_t classes, index_t own, double c, double q) {
    const double mine = g[own] - q * a[own];
    double mean = 0, highest = -kInfinity;
#pragma omp simd reduction(+ : mean) reduction(max : highest)
    for (index_t k = 0; k < classes; ++k) {
        const double centre = g[k] - q * a[k];
        mean += centre, highest = std::max(highest, k == own ? -kInfinity : centre);
    }
    double level = std::max(mean / double(classes), std::max(0.5 * (mine + highest), highest - q * c));
    for (index_t steps = 0; steps < classes; ++steps) {
        double sum = 0, free = 0;
#pragma omp simd reduction(+ : sum, free)
        for (index_t k = 0; k < classes; ++k) {
            const double centre = g[k] - q * a[k];
            const double inside = level < centre ? 1.0 : 0.0;
            sum += inside * centre, free += inside;
        }
        if (level < mine) sum -= mine, free -= 1.0;
        const bool own_free = level < mine + q * c;
        if (own_free) sum += mine, free += 1.0;
        if (free == 0.0) return level;
        const double next = (sum - (own_free ? 0.0 : q * c)) / free;
        if (!(next > level)) break;
        level = next;
    }
    return level;
}

// out += v·values; few classes that are not 0 are added one by one.
inline void add_classes(double v, const double *values, const std::vector<index_t> &some, index_t classes, double *out) {
    if (index_t(some.size()) * 6 < classes) {
        for (const index_t k : some) out[k] += v * values[k];
    } else {
#pragma omp simd
        for (index_t k = 0; k < classes; ++k) out[k] += v * values[k];
    }
}

// A row on `classes` of its classes, `own` the place of its own among them.
struct CrammerSingerRow {
    index_t classes, own;
    double c, q, *a, *g, *change;
    std::vector<index_t> changed;  // places where a changed
    double level, clearance;       // β, and by how much it exceeds the nearest gradient at a bound that did not change

    // Solves the row: a and change, and what it saw. Of a row without entries (q = 0) W changes nothing: its highest
    // class takes all.
    void solve(RunTotals &t) {
        changed.clear(), clearance = kInfinity;
        index_t highest = 0;
        double inner = 0;
        for (index_t k = 0; k < classes; ++k) highest = g[k] > g[highest] ? k : highest, inner += a[k] * g[k];
        t.gap += c * (g[highest] - g[own]) + inner;
        level = q > 0 ? row_level(a, g, classes, own, c, q) : kInfinity;
        double linear = 0, square = 0, error = 0, other = 0;
        for (index_t k = 0; k < classes; ++k) {
            const double upper = k == own ? c : 0.0;
            const double target = q > 0 ? a[k] + (level - g[k]) / q : k == own ? c : k == highest ? -c : 0.0;
            const double next = std::min(upper, target), step = next - a[k];
            change[k] = step;
            if (step == 0.0) {
                if (a[k] == upper) clearance = std::min(clearance, level - g[k]);
                continue;
            }
            changed.push_back(k);
            linear += step * g[k], square += step * step, error = std::max(error, std::fabs(step) * q);
            if (k != own) other += step;
            a[k] = next;
        }
        t.violate(error), t.model -= linear + 0.5 * q * square, t.separable -= other;
    }
};

template <class Rows>
struct CrammerSingerRun {
    const Rows &x;
    const CrammerSingerArrays &s;
    const DualState &state;

    // What one lane works with: a row's arrays, and bₖ + v² rₖ.
    struct Lane {
        std::vector<double> a, g, change, bias;
        CrammerSingerRow row{};
        double *u, *r;

        Lane(index_t k, double *u_, double *r_) : a(std::size_t(k)), g(a), change(a), bias(a), u(u_), r(r_) {
            row.g = g.data(), row.change = change.data();
        }
    };

    // The change of class k at place l goes into r, the bias, and from now on `lanes` times into u.
    void apply(Lane &lane, index_t l, index_t k) const {
        double &change = lane.row.change[l];
        lane.r[k] += change, change *= double(state.lanes), lane.bias[std::size_t(k)] += state.v2 * change;
    }

    void visit_all(index_t i, Lane &lane) const {
        CrammerSingerRow &row = lane.row;
        const index_t classes = s.classes;
        double *g = row.g, *u = lane.u;
        for (index_t k = 0; k < classes; ++k) g[k] = lane.bias[std::size_t(k)] + (k == s.y[i] ? 0.0 : 1.0);
        x.each(i, [&](index_t j, double v) {
            if (v == 0.0) return;
            const double *w = u + j * classes;
#pragma omp simd
            for (index_t k = 0; k < classes; ++k) g[k] += v * w[k];
        });
        row.classes = classes, row.own = s.y[i], row.a = s.a + i * classes;
    }

    void visit_listed(index_t i, index_t count, const std::int32_t *list, Lane &lane) const {
        CrammerSingerRow &row = lane.row;
        const index_t classes = s.classes;
        double *g = row.g, *u = lane.u;
        row.classes = count, row.own = 0, row.a = lane.a.data();
        for (index_t l = 0; l < count; ++l)
            g[l] = lane.bias[std::size_t(list[l])] + (l ? 1.0 : 0.0), row.a[l] = s.a[i * classes + list[l]];
        x.each(i, [&](index_t j, double v) {
            const double *w = u + j * classes;
#pragma omp simd
            for (index_t l = 0; l < count; ++l) g[l] += v * w[list[l]];
        });
    }

    LINSEP_PREFETCHES void ask_for(index_t i) const {
        x.prefetch(i);
        if (s.lists.room && !s.lists.whole) prefetch_lines(s.lists.classes + i * s.lists.room, s.lists.room / 4);
        else prefetch_lines(s.a + i * s.classes, s.classes);
    }

    // The classes that the sweeps to come visit.
    void write_list(index_t i, const CrammerSingerRow &row) const {
        const ClassLists &lists = s.lists;
        std::int32_t *list = lists.classes + i * lists.room;
        index_t count = 1;
        list[0] = std::int32_t(row.own);
        for (index_t k = 0; k < row.classes && count <= lists.room; ++k) {
            if (k == row.own || row.a[k] == 0.0) continue;
            if (count < lists.room) list[count] = std::int32_t(k);
            ++count;
        }
        for (index_t k = 0; k < row.classes && count < lists.room; ++k)
            if (k != row.own && row.a[k] == 0.0 && row.level - row.g[k] <= state.rest_high) list[count++] = std::int32_t(k);
        lists.count[i] = std::int32_t(count > lists.room ? -1 : count);
    }

    // Returns whether the row rests.
    bool visit(index_t i, Lane &lane, RunTotals &t) const {
        CrammerSingerRow &row = lane.row;
        const index_t classes = s.classes;
        const ClassLists &lists = s.lists;
        const index_t count = lists.room && !lists.whole ? lists.count[i] : -1;
        const std::int32_t *list = count < 0 ? nullptr : lists.classes + i * lists.room;
        double *u = lane.u;
        row.c = s.cost[i], row.q = s.norm2[i] + state.v2;
        if (list) visit_listed(i, count, list, lane);
        else visit_all(i, lane);
        row.solve(t);
        if (lists.room && lists.whole) write_list(i, row);
        if (row.changed.empty()) return row.clearance > state.rest_high;
        ++t.moved;
        if (list) {
            for (const index_t l : row.changed) s.a[i * classes + list[l]] = row.a[l], apply(lane, l, list[l]);
            x.each(i, [&](index_t j, double v) {
                for (const index_t l : row.changed) u[j * classes + list[l]] += v * row.change[l];
            });
        } else {
            for (const index_t k : row.changed) apply(lane, k, k);
            x.each(i, [&](index_t j, double v) { add_classes(v, row.change, row.changed, classes, u + j * classes); });
        }
        return false;
    }

    RunTotals operator()(std::int32_t *rows, index_t m, double *u, double *r) const {
        const index_t classes = s.classes;
        Lane lane(classes, u, r);
        for (index_t k = 0; k < classes; ++k) lane.bias[std::size_t(k)] = s.b[k] + state.v2 * s.r[k];
        RunTotals t;
        for (index_t p = 0; p < m; ++p) {
            if (p + kAhead < m) ask_for(rows[p + kAhead]);
            const index_t i = rows[p];
            if (s.norm2[i] < 0) s.norm2[i] = x.norm2(i);
            if (visit(i, lane, t)) rows[p] = ~rows[p];
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
