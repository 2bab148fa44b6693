#include "smo.hpp"

#include <algorithm>
#include <cmath>

#include "chunks.hpp"
#include "skinny.hpp"

namespace linsep {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kFlat = 1e-12;           // curvature at least: along a flat direction a step goes to its bound
constexpr index_t kLook = 64;             // steps between looks at the gap
constexpr index_t kShrink = 1000;         // and between attempts to shrink
constexpr index_t kSlice = 1024, kThreaded = 65536;

using P = Pack<double>;
using V = P::type;

struct Best {
    double value = -kInf;
    index_t at = -1;
};

// The largest f(k) over 0 ≤ k < count and the first position that has it; f is given for registers and for numbers.
template <class Registers, class Numbers>
Best first_largest(index_t count, int threads, const Registers &registers, const Numbers &numbers) {
    const index_t slices = (count + kSlice - 1) / kSlice;
    std::vector<double> largest(std::size_t(slices), -kInf);
    auto slice = [&](index_t c) {
        index_t k = c * kSlice;
        const index_t end = std::min(count, k + kSlice);
        V most = V{} - kInf;
        for (; k + P::lanes <= end; k += P::lanes) {
            const V f = registers(k);
            most = f > most ? f : most;
        }
        double best = -kInf;
        for (index_t l = 0; l < P::lanes; ++l) best = std::max(best, double(most[l]));
        for (; k < end; ++k) best = std::max(best, numbers(k));
        largest[std::size_t(c)] = best;
    };
    for_chunks(slices, count >= kThreaded ? threads : 1, slice);
    Best best;
    for (index_t c = 0; c < slices; ++c)
        if (largest[std::size_t(c)] > best.value) best = {largest[std::size_t(c)], c};
    if (best.at < 0) return best;
    for (index_t k = best.at * kSlice;; ++k)
        if (numbers(k) == best.value) return {best.value, k};
}

}  // namespace

Smo::Smo(KernelRows &rows_, const double *y_, const double *low_, const double *high_, bool intercept_, double bytes,
         bool shrinks_)
    : rows(rows_), n(rows_.n()), intercept(intercept_), shrinks(shrinks_ && intercept_), cache(n, bytes),
      order(std::size_t(n)), y(y_, y_ + n), low(low_, low_ + n), high(high_, high_ + n), beta(std::size_t(n), 0.0),
      v(y), diagonal(std::size_t(n)), up(std::size_t(n)), down(std::size_t(n)) {
    s.active = n;
    rows.diagonal(diagonal.data());
    for (index_t k = 0; k < n; ++k) order[std::size_t(k)] = k, bounds(k);
    rows.arrange(order.data(), n);
    look();
}

void Smo::bounds(index_t k) {
    const auto p = std::size_t(k);
    up[p] = beta[p] < high[p] ? 0.0 : -kInf;
    down[p] = beta[p] > low[p] ? 0.0 : kInf;
}

const double *Smo::row(index_t position, int threads) {
    const RowCache::Row held = cache.take(order[std::size_t(position)]);
    if (*held.valid < s.active) {
        s.rows_computed += 1;
        const index_t from = *held.valid;
        *held.valid = 0;  // if the kernel throws, nothing half done is kept
        rows.fill(order[std::size_t(position)], from, s.active, held.values, threads);
        *held.valid = s.active;
    }
    return held.values;
}

// m, and the first position that attains it.
index_t Smo::choose_first(int threads) {
    const double *pv = v.data(), *pu = up.data();
    const Best best = first_largest(
        s.active, threads, [=](index_t k) { return P::load(pv + k) + P::load(pu + k); },
        [=](index_t k) { return pv[k] + pu[k]; });
    s.high = best.value;
    return best.at;
}

// The partner of i with the largest gain, or −1 where no v lies below m.
index_t Smo::choose_second(index_t i, const double *ki, int threads) {
    const double *pv = v.data(), *pd = down.data(), *dg = diagonal.data();
    const double m = v[std::size_t(i)], kii = diagonal[std::size_t(i)];
    const Best best = first_largest(
        s.active, threads,
        [=](index_t k) {
            const V less = m - (P::load(pv + k) + P::load(pd + k)), curved = kii + P::load(dg + k) - 2.0 * P::load(ki + k);
            const V positive = less > 0.0 ? less : V{};
            return positive * positive / (curved > kFlat ? curved : V{} + kFlat);
        },
        [=](index_t k) {
            const double less = m - (pv[k] + pd[k]), curved = kii + dg[k] - 2.0 * ki[k];
            const double positive = less > 0.0 ? less : 0.0;
            return positive * positive / (curved > kFlat ? curved : kFlat);
        });
    return best.value > 0.0 ? best.at : -1;
}

void Smo::subtract(const double *ki, const double *kj, double t, int threads) {
    double *pv = v.data();
    const index_t slices = (s.active + kSlice - 1) / kSlice;
    for_chunks(slices, s.active >= kThreaded ? threads : 1, [&](index_t c) {
        const index_t from = c * kSlice, to = std::min(s.active, from + kSlice);
        if (kj) {
#pragma omp simd
            for (index_t k = from; k < to; ++k) pv[k] -= t * (ki[k] - kj[k]);
        } else {
#pragma omp simd
            for (index_t k = from; k < to; ++k) pv[k] -= t * ki[k];
        }
    });
}

bool Smo::pair_step(int threads) {
    const index_t i = choose_first(threads);
    if (i < 0) return false;
    const double *ki = row(i, threads);
    const index_t j = choose_second(i, ki, threads);
    if (j < 0) return false;
    const double *kj = row(j, threads);
    const auto p = std::size_t(i), q = std::size_t(j);
    const double sum = diagonal[p] + diagonal[q], curvature = sum - 2.0 * ki[j], slope = v[p] - v[q];
    if (sum > 0) s.least_curvature = std::min(s.least_curvature, curvature / sum);
    const double rise = high[p] - beta[p], fall = beta[q] - low[q];
    const double t = std::min({slope / std::max(curvature, kFlat), rise, fall});
    beta[p] = t == rise ? high[p] : beta[p] + t;
    beta[q] = t == fall ? low[q] : beta[q] - t;
    bounds(i), bounds(j);
    s.dual += t * slope - 0.5 * t * t * curvature;
    subtract(ki, kj, t, threads);
    return t > 0;
}

bool Smo::single_step(int threads) {
    const double *pv = v.data(), *pu = up.data(), *pd = down.data(), *dg = diagonal.data();
    const Best best = first_largest(
        s.active, threads,
        [=](index_t k) {
            const V x = P::load(pv + k), rise = x + P::load(pu + k), fall = -(x + P::load(pd + k));
            V most = rise > fall ? rise : fall;
            most = most > 0.0 ? most : V{};
            const V curved = P::load(dg + k);
            return most * most / (curved > kFlat ? curved : V{} + kFlat);
        },
        [=](index_t k) {
            const double most = std::max({pv[k] + pu[k], -(pv[k] + pd[k]), 0.0});
            return most * most / (dg[k] > kFlat ? dg[k] : kFlat);
        });
    if (!(best.value > 0.0)) return false;
    const auto p = std::size_t(best.at);
    const double *ki = row(best.at, threads);
    if (diagonal[p] != 0) s.least_curvature = std::min(s.least_curvature, diagonal[p] > 0 ? 1.0 : -1.0);
    const double slope = v[p], step = slope / std::max(diagonal[p], kFlat);
    const double next = std::min(std::max(beta[p] + step, low[p]), high[p]), t = next - beta[p];
    beta[p] = next;
    bounds(best.at);
    s.dual += t * slope - 0.5 * t * t * diagonal[p];
    subtract(ki, nullptr, t, threads);
    return t != 0;
}

// m, M and the gap of the active rows.
void Smo::look() {
    s.high = -kInf, s.low = kInf, s.largest_v = 0;
    for (index_t k = 0; k < s.active; ++k) {
        const auto p = std::size_t(k);
        s.high = std::max(s.high, v[p] + up[p]), s.low = std::min(s.low, v[p] + down[p]);
        s.largest_v = std::max(s.largest_v, std::fabs(v[p]));
    }
    const bool both = s.high > -kInf && s.low < kInf;
    const double b = !intercept ? 0.0 : both ? 0.5 * (s.high + s.low) : s.high > -kInf ? s.high : s.low < kInf ? s.low : 0.0;
    double gap = 0;
#pragma omp simd reduction(+ : gap)
    for (index_t k = 0; k < s.active; ++k) {
        const double above = v[std::size_t(k)] - b;
        gap += above > 0 ? (high[std::size_t(k)] - beta[std::size_t(k)]) * above
                         : (low[std::size_t(k)] - beta[std::size_t(k)]) * above;
    }
    s.gap = gap;
}

bool Smo::run(index_t steps, double tol, double floor, int threads) {
    for (index_t step = 0; step < steps; ++step) {
        if (!(intercept ? pair_step(threads) : single_step(threads))) {
            look();
            return true;
        }
        s.iterations += 1;
        if (s.iterations % kLook) continue;
        look();
        if (s.gap <= tol * (s.dual + s.gap) || s.gap <= floor) return true;
        if (shrinks && s.iterations % kShrink < kLook && s.iterations >= n) shrink();
    }
    return false;
}

// At a bound, with v beyond m or M: its term of the gap is 0 and stays so near the optimum.
bool Smo::idle(index_t k) const {
    const auto p = std::size_t(k);
    const bool rises = up[p] == 0.0, falls = down[p] == 0.0;
    return (!rises && !falls) || (!falls && v[p] < s.low) || (!rises && v[p] > s.high);
}

void Smo::shrink() {
    std::vector<index_t> kept, positions;
    for (index_t k = 0; k < s.active; ++k)
        if (!idle(k)) kept.push_back(k);
    if (index_t(kept.size()) * 10 > s.active * 9 || kept.size() < 2) return;
    positions = kept;
    for (index_t k = 0; k < s.active; ++k)
        if (idle(k)) positions.push_back(k);
    for (index_t k = s.active; k < n; ++k) positions.push_back(k);
    cache.compact(kept);
    move(positions, index_t(kept.size()));
}

// What stood at positions[k] now stands at k.
void Smo::move(const std::vector<index_t> &positions, index_t active) {
    auto permute = [&](auto &array) {
        const auto before = array;
        for (std::size_t k = 0; k < positions.size(); ++k) array[k] = before[std::size_t(positions[k])];
    };
    permute(order), permute(y), permute(low), permute(high), permute(beta), permute(v), permute(diagonal);
    permute(up), permute(down);
    s.active = active;
    rows.arrange(order.data(), active);
}

void Smo::complete(int threads) {
    const index_t resting = n - s.active;
    if (resting == 0) return look();
    rows.arrange(order.data() + s.active, resting);
    std::vector<double> part(static_cast<std::size_t>(resting)), sum(part.size(), 0.0);
    for (index_t k = 0; k < n; ++k) {
        if (beta[std::size_t(k)] == 0) continue;
        rows.fill(order[std::size_t(k)], 0, resting, part.data(), threads);
        const double b = beta[std::size_t(k)];
#pragma omp simd
        for (index_t r = 0; r < resting; ++r) sum[std::size_t(r)] += b * part[std::size_t(r)];
    }
    for (index_t r = 0; r < resting; ++r) v[std::size_t(s.active + r)] = y[std::size_t(s.active + r)] - sum[std::size_t(r)];
    const index_t before = s.active;
    s.active = n;
    look();
    std::vector<index_t> positions, idle_ones;
    for (index_t k = 0; k < before; ++k) positions.push_back(k);
    for (index_t k = before; k < n; ++k) (idle(k) ? idle_ones : positions).push_back(k);
    const auto active = index_t(positions.size());
    positions.insert(positions.end(), idle_ones.begin(), idle_ones.end());
    cache.widen(active);
    move(positions, active);
}

void Smo::read(double *beta_out, double *v_out) const {
    for (index_t k = 0; k < n; ++k) {
        beta_out[order[std::size_t(k)]] = beta[std::size_t(k)];
        v_out[order[std::size_t(k)]] = v[std::size_t(k)];
    }
}

}  // namespace linsep
