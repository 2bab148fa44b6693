#include "sweep.hpp"

#include <vector>

#include "chunks.hpp"

namespace linsep {
namespace {

// w and the lanes' copies all become their mean.
void merge_lanes(const SweepVectors &v, index_t lanes, int threads) {
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
RunTotals sweep_window(const SweepVectors &v, index_t lanes, index_t from, index_t to, int threads, LaneRun run) {
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

double half_square(const double *w, index_t width) {
    double squares = 0;
#pragma omp simd reduction(+ : squares)
    for (index_t j = 0; j < width; ++j) squares += w[j] * w[j];
    return 0.5 * squares;
}

}  // namespace

index_t split_resting(std::int32_t *order, index_t active, index_t rows, bool back) {
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

void sweep_rows(const SweepVectors &v, DualState &state, int threads, LaneRun run,
                FunctionRef<void(const RunTotals &)> after_window, FunctionRef<double()> coupling) {
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

void sweep_class_rows(const SweepVectors &v, const ClassSums &s, DualState &state, int threads, ClassRun run) {
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
