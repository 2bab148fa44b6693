// One sweep of dual coordinate descent over rows in random order, in lanes.
//
// Lanes     The rows of a sweep are cut into windows and a window into `lanes` runs, each sequential on its
//           own copy u of w.  A run cannot see the others' steps, so it foretells them by its own: each
//           step enters its copy `lanes` times, u += lanes·Δa y x, and the window ends with w = mean of the
//           copies, which is w(a) again.  Rows are in random order, so what the runs have in common (the
//           directions in which they would overshoot together) is foretold well, and the rest is small.
//           Windows and lanes are facts of the problem, so the bits do not depend on the threads.  If a
//           sweep lowers the dual by less than half of the sum of its steps, the windows are made smaller
//           and in the end the sweeps sequential; a stays feasible whatever happens.
//           (Ma et al., CoCoA+, ICML 2015, algorithm 1 with σ′ = lanes for the coupling between rows and
//           σ′ = 1 for a row with itself.)
// Resting   Rows that need no visit stand at the end of `order`.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "chunks.hpp"
#include "design.hpp"

namespace linsep {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The state between sweeps: plain numbers of the caller.
struct DualState {
    std::uint64_t random;  // xorshift state, never 0
    index_t rows, active;  // rows with Cᵢ > 0; rows that the next sweep visits
    index_t lanes;         // runs a window
    index_t windows;       // windows in a sweep over all rows; fewer active rows make fewer windows
    double b, v2, r;       // proximal centre of the intercept, inverse prox weight, Σ yᵢaᵢ
    double rest_high;      // box: rest at a = 0 if the gradient is above; +inf: no row rests
    double rest_low;       // box: rest at a = U if the gradient is below; −inf: no row rests
    double rest_below;     // log: rest if the share of the gap is below; 0: no row rests
    // What the last sweep saw
    double gap;            // Σ Cℓ(M) + Cℓ*(−a/C) + aM, each row before its own step (log: to second order)
    double decrease;       // by how much the dual objective, with b r + v² r²/2, fell
    double violation;      // root mean square of the projected gradients (log: of t + M)
    double largest;        // the largest of them in absolute value
    index_t visited, moved;  // rows visited, rows that changed w
};

inline std::uint64_t xorshift(std::uint64_t &s) {
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    return s;
}

// Fisher and Yates; a number below k comes from the high half of a xorshift step.
inline void shuffle(std::int32_t *order, index_t m, std::uint64_t &s) {
    for (index_t k = m; k > 1; --k)
        std::swap(order[k - 1], order[((xorshift(s) >> 32) * std::uint64_t(k)) >> 32]);
}

// What one run of rows reports.
struct RunTotals {
    double gap = 0, model = 0, separable = 0, squares = 0, largest = 0, r = 0;
    index_t moved = 0;

    void add(const RunTotals &o) {
        gap += o.gap, model += o.model, separable += o.separable, squares += o.squares, r += o.r;
        largest = std::max(largest, o.largest), moved += o.moved;
    }
    void violate(double g) { squares += g * g, largest = std::max(largest, std::fabs(g)); }
};

// The vectors of a sweep: the order of rows, w and the lanes' copies of it.
struct SweepVectors {
    std::int32_t *order;
    index_t width;           // numbers in w
    double *w, *lane_w;
    bool rests_once;         // a row rests for one sweep only
};

// w and the lanes' copies all become their mean.
inline void merge_lanes(const SweepVectors &v, index_t lanes, int threads) {
    const index_t d = v.width;
    double *w = v.w, *u = v.lane_w;
    const index_t slice = 8192, slices = (d + slice - 1) / slice;
    const double share = 1.0 / double(lanes);
    for_chunks(slices, threads, [&](index_t c) {
        const index_t lo = c * slice, hi = std::min(d, lo + slice);
        for (index_t l = 0; l < lanes - 1; ++l) {
            const double *other = u + l * d;
#pragma omp simd
            for (index_t j = lo; j < hi; ++j) w[j] = l + 2 == lanes ? share * (w[j] + other[j]) : w[j] + other[j];
        }
        for (index_t l = 0; l < lanes - 1; ++l) std::copy(w + lo, w + hi, u + l * d + lo);
    });
}

// One window: the rows order[from..to) in `lanes` runs; the first works on w itself.
// run(lane, rows, count, u) visits rows on the copy u of w and returns what it saw.
template <class Run>
RunTotals sweep_window(const SweepVectors &v, index_t lanes, index_t from, index_t to, int threads, const Run &run) {
    const index_t m = to - from;
    std::vector<RunTotals> runs(static_cast<std::size_t>(lanes));
    for_chunks(lanes, threads, [&](index_t l) {
        const index_t lo = from + m * l / lanes, hi = from + m * (l + 1) / lanes;
        runs[std::size_t(l)] = run(l, v.order + lo, hi - lo, l ? v.lane_w + (l - 1) * v.width : v.w);
    });
    if (lanes > 1) merge_lanes(v, lanes, threads);
    RunTotals t;
    for (const RunTotals &one : runs) t.add(one);
    return t;
}

// The rows marked by their complement go to the end of order[0..rows); those that rested before, in
// order[active..rows), come back if `back`.  Returns the number of active rows.
inline index_t split_resting(std::int32_t *order, index_t active, index_t rows, bool back) {
    std::vector<std::int32_t> resting;
    index_t kept = 0;
    for (index_t k = 0; k < active; ++k) {
        if (order[k] < 0) resting.push_back(~order[k]);
        else order[kept++] = order[k];
    }
    if (back)
        for (index_t k = active; k < rows; ++k) order[kept++] = order[k];
    std::copy(resting.begin(), resting.end(), order + kept);
    return kept;
}

inline double half_square(const double *w, index_t width) {
    double squares = 0;
#pragma omp simd reduction(+ : squares)
    for (index_t j = 0; j < width; ++j) squares += w[j] * w[j];
    return 0.5 * squares;
}

// A sweep over the active rows.  run as above; after_window(totals) is told of each window (to move r);
// coupling() is the part of the dual objective that is not separable, besides 1/2 ‖w‖².
template <class Run, class AfterWindow, class Coupling>
void sweep_rows(const SweepVectors &v, DualState &state, int threads, const Run &run, const AfterWindow &after_window,
                const Coupling &coupling) {
    const double before = half_square(v.w, v.width) + coupling();
    const index_t active = state.active, lanes = state.lanes;
    const index_t wanted = (active * state.windows + state.rows - 1) / std::max<index_t>(1, state.rows);
    const index_t windows = lanes == 1 ? 1 : std::max<index_t>(1, wanted);
    shuffle(v.order, active, state.random);
    for (index_t l = 0; l < lanes - 1; ++l) std::copy(v.w, v.w + v.width, v.lane_w + l * v.width);
    RunTotals t;
    for (index_t k = 0; k < windows; ++k) {
        const index_t from = active * k / windows, to = active * (k + 1) / windows;
        const RunTotals window = sweep_window(v, lanes, from, to, threads, run);
        after_window(window);
        t.add(window);
    }
    state.gap = t.gap, state.decrease = t.separable + before - half_square(v.w, v.width) - coupling();
    state.violation = std::sqrt(t.squares / double(std::max<index_t>(1, active)));
    state.largest = t.largest, state.visited = active, state.moved = t.moved;
    state.active = split_resting(v.order, active, state.rows, v.rests_once);
    if (lanes > 1 && state.decrease < 0.5 * t.model) {
        state.windows *= 2;
        if (state.windows * lanes * 32 > state.rows) state.lanes = 1;
    }
}

// Sweeps over rows with K multipliers each: the intercepts' centres b and the sums r of the multipliers, K each.
struct ClassSums {
    index_t classes;
    const double *b;
    double *r;
};

// run(rows, count, u, r) visits rows on the copy u of w, adds the changes of the multipliers to r, and returns what it saw.
template <class Run>
void sweep_class_rows(const SweepVectors &v, const ClassSums &s, DualState &state, int threads, const Run &run) {
    const index_t classes = s.classes;
    std::vector<double> lane_r(static_cast<std::size_t>(state.lanes * classes));
    sweep_rows(
        v, state, threads,
        [&](index_t lane, std::int32_t *rows, index_t m, double *u) {
            return run(rows, m, u, lane_r.data() + lane * classes);
        },
        [&](const RunTotals &) {
            for (std::size_t k = 0; k < lane_r.size(); ++k) s.r[k % std::size_t(classes)] += lane_r[k], lane_r[k] = 0;
        },
        [&] {
            double sum = 0;
            for (index_t k = 0; k < classes; ++k) sum += s.r[k] * (s.b[k] + 0.5 * state.v2 * s.r[k]);
            return sum;
        });
}

}  // namespace linsep
