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

#include "function_ref.hpp"
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

// The rows marked by their complement go to the end of order[0..rows); those that rested before, in
// order[active..rows), come back if `back`.  Returns the number of active rows.
index_t split_resting(std::int32_t *order, index_t active, index_t rows, bool back);

// run(lane, rows, count, u) visits rows on the copy u of w and returns what it saw.
using LaneRun = FunctionRef<RunTotals(index_t lane, std::int32_t *rows, index_t count, double *u)>;

// A sweep over the active rows.  after_window(totals) is told of each window (to move r); coupling() is the part of the
// dual objective that is not separable, besides 1/2 ‖w‖².
void sweep_rows(const SweepVectors &, DualState &, int threads, LaneRun run, FunctionRef<void(const RunTotals &)> after_window,
                FunctionRef<double()> coupling);

// Sweeps over rows with K multipliers each: the intercepts' centres b and the sums r of the multipliers, K each.
struct ClassSums {
    index_t classes;
    const double *b;
    double *r;
};

// run(rows, count, u, r) visits rows on the copy u of w, adds the changes of the multipliers to r, and returns what it saw.
using ClassRun = FunctionRef<RunTotals(std::int32_t *rows, index_t count, double *u, double *r)>;

void sweep_class_rows(const SweepVectors &, const ClassSums &, DualState &, int threads, ClassRun run);

}  // namespace linsep
