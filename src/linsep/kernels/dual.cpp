// Entry points of dual.hpp for any Design.
#include "dual.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "chunks.hpp"

namespace linsep {

// Calls f with the loss as a compile-time constant.
template <class F>
auto visit_loss(DualLoss loss, F &&f) {
    switch (loss) {
        case DualLoss::hinge: return f(std::integral_constant<DualLoss, DualLoss::hinge>());
        case DualLoss::squared_hinge: return f(std::integral_constant<DualLoss, DualLoss::squared_hinge>());
        case DualLoss::smoothed_hinge: return f(std::integral_constant<DualLoss, DualLoss::smoothed_hinge>());
        default: return f(std::integral_constant<DualLoss, DualLoss::log>());
    }
}

void dual_sweep(DualLoss loss, const Design &design, const DualArrays &s, DualState &state, int threads) {
    const auto sweep = [&](bool rests_once, LaneRun run) {
        sweep_rows(
            SweepVectors{s.order, design.d, s.w, s.lane_w, rests_once}, state, threads, run,
            [&](const RunTotals &window) { state.r += window.r; },
            [&] { return state.r * (state.b + 0.5 * state.v2 * state.r); });
    };
    visit(design, [&](const auto &x) {
        visit_loss(loss, [&](auto kind) {
            using Step = std::conditional_t<kind == DualLoss::log, LogStep, BoxStep<decltype(kind)::value>>;
            const Step step{s, state};
            sweep(Step::rests_once,
                  [&](index_t, std::int32_t *rows, index_t m, double *u) { return dual_run(x, step, rows, m, u); });
        });
    });
}

namespace {

// θ = −ℓ′(M)
template <DualLoss kind>
double multiplier(double margin) {
    const double slack = std::max(1.0 - margin, 0.0);
    switch (kind) {
        case DualLoss::hinge: return slack > 0 ? 1.0 : 0.0;
        case DualLoss::squared_hinge: return 2.0 * slack;
        case DualLoss::smoothed_hinge: return std::min(slack, 1.0);
        default: return sigmoid(-margin);
    }
}

template <DualLoss kind>
double slope(const DualArrays &s, index_t n, const double *scores, double b, int threads) {
    const Chunks chunks(n, 8 * n, 1);
    std::vector<double> sums(static_cast<std::size_t>(chunks.count));
    for_chunks(chunks, threads, [&](index_t c) {
        double sum = 0;
        for (index_t i = chunks.begin(c); i < chunks.end(c); ++i)
            sum -= s.cost[i] * s.y[i] * multiplier<kind>(s.y[i] * (scores[i] + b));
        sums[std::size_t(c)] = sum;
    });
    double total = 0;
    for (double sum : sums) total += sum;
    return total;
}

// The zero of a non-decreasing function, by an expanding bracket, then secants with bisections between them.
template <class F>
double zero_of(const F &f, double start) {
    double low = start, high = start, at_low = f(start), at_high = at_low;
    for (double step = 0.0625; at_low > 0 && step < 1e300; step *= 2) {
        high = low, at_high = at_low;
        low -= step, at_low = f(low);
    }
    for (double step = 0.0625; at_high < 0 && step < 1e300; step *= 2) {
        low = high, at_low = at_high;
        high += step, at_high = f(high);
    }
    for (int k = 0; k < 120 && at_low < 0 && at_high > 0; ++k) {
        double middle = 0.5 * (low + high);
        if (k % 3 != 2) middle = std::min(std::max(low - at_low * (high - low) / (at_high - at_low), low), high);
        if (!(middle > low && middle < high)) middle = 0.5 * (low + high);
        if (!(middle > low && middle < high)) break;
        const double value = f(middle);
        if (value <= 0) low = middle, at_low = value;
        if (value >= 0) high = middle, at_high = value;
    }
    return at_low == 0 ? low : at_high == 0 ? high : 0.5 * (low + high);
}

}  // namespace

double dual_intercept(DualLoss loss, const DualArrays &s, index_t n, const double *scores, double start,
                      int threads) {
    return visit_loss(loss, [&](auto kind) {
        return zero_of([&](double b) { return slope<kind>(s, n, scores, b, threads); }, start);
    });
}

void dual_select(DualLoss loss, const DualArrays &s, DualState &state, const double *scores, double b) {
    visit_loss(loss, [&](auto kind) {
        constexpr DualLoss box = kind == DualLoss::log ? DualLoss::hinge : decltype(kind)::value;
        for (index_t k = 0; k < state.rows; ++k) {
            const index_t i = s.order[k];
            const double c = s.cost[i], a = s.a[i];
            const double gradient = s.y[i] * (scores[i] + b) - 1.0 + BoxStep<box>::diagonal(c) * a;
            const bool rests = (a == 0.0 && gradient > state.rest_high) ||
                               (a == BoxStep<box>::bound(c) && gradient < state.rest_low);
            if (rests && kind != DualLoss::log) s.order[k] = ~s.order[k];
        }
        state.active = split_resting(s.order, state.rows, state.rows, false);
    });
}

index_t dual_free(DualLoss loss, const DualArrays &s, const DualState &state) {
    const bool open = loss == DualLoss::squared_hinge;
    const auto inside = [&](std::int32_t i) { return s.a[i] > 0.0 && (open || s.a[i] < s.cost[i]); };
    return std::stable_partition(s.order, s.order + state.active, inside) - s.order;
}

}  // namespace linsep
