#include "primal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "chunks.hpp"

namespace linsep {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// The new value of coordinate j with slope s and curvature h of the smooth part.
inline double minimiser(const PrimalTerms &t, index_t j, double s, double h) {
    const double at = h * t.z[j] - s, size = std::abs(at) - t.a[j];
    const double z = size > 0 ? std::copysign(size, at) / (h + t.c[j]) : 0.0;
    return std::min(std::max(z, t.lower[j]), t.upper[j]);
}

// By how much the slope keeps a coordinate where it is: P falls to neither side, or a bound is in the way; else ≤ 0.
inline double held(const PrimalTerms &t, index_t j, double s) {
    const double z = t.z[j];
    s += t.c[j] * z;
    const double right = s + (z >= 0 ? t.a[j] : -t.a[j]), left = s + (z > 0 ? t.a[j] : -t.a[j]);
    return std::min(z == t.upper[j] ? kNever : right, z == t.lower[j] ? kNever : -left);
}

// Sweeps until no coordinate violates by more than the limit. visit(j, rest) → violation of j, < 0 if it may rest.
template <class Visit>
PrimalResult sweep_until(index_t count, const PrimalLimits &limits, Visit &&visit) {
    std::vector<index_t> active(std::size_t(count), 0);
    for (index_t j = 0; j < count; ++j) active[std::size_t(j)] = j;
    const index_t budget = limits.sweeps * std::max<index_t>(count, 1);
    PrimalResult result{0, 0, false};
    double rest = kNever;
    index_t left = count;
    for (;;) {
        const bool full = left == count;
        double worst = 0;
        index_t kept = 0;
        for (index_t k = 0; k < left; ++k) {
            const index_t j = active[std::size_t(k)];
            const double violation = visit(j, rest);
            if (violation >= 0) {
                worst = std::max(worst, violation);
                std::swap(active[std::size_t(kept++)], active[std::size_t(k)]);
            }
        }
        result.visited += left;
        result.violation = worst;
        if (worst <= limits.violation) {
            if (full) {
                result.finished = true;
                return result;
            }
            left = count, rest = kNever;  // all once more
            std::sort(active.begin(), active.end());
            if (result.visited >= budget) return result;
            continue;
        }
        if (result.visited >= budget) return result;
        left = std::max<index_t>(kept, 1), rest = worst;
    }
}

}  // namespace

void primal_pack(const Design &t, const index_t *chosen, const index_t *starts, index_t count, const double *root,
                 double *values, std::int32_t *rows, int threads) {
    const index_t slice = 64;
    visit(t, [&](const auto &x) {
        for_chunks((count + slice - 1) / slice, threads, [&](index_t s) {
            for (index_t k = s * slice; k < std::min(count, (s + 1) * slice); ++k) {
                index_t place = starts[k];
                x.each(chosen[k], [&](index_t i, double v) {
                    if (place >= starts[k + 1]) return;
                    values[place] = root ? root[i] * v : v;
                    rows[place++] = std::int32_t(i);
                });
            }
        });
    });
}

PrimalResult primal_gram(const double *H, const PrimalTerms &t, const PrimalLimits &limits) {
    const index_t m = t.count;
    std::vector<double> slope(t.g, t.g + m);  // g + H(z − w)
    for (index_t j = 0; j < m; ++j)
        if (const double p = t.z[j] - t.w[j]; p != 0) {
            const double *row = H + j * m;
#pragma omp simd
            for (index_t l = 0; l < m; ++l) slope[std::size_t(l)] += p * row[l];
        }
    double *s = slope.data();
    return sweep_until(m, limits, [&](index_t j, double rest) {
        const double h = H[j * m + j], z = minimiser(t, j, s[j], h), move = z - t.z[j];
        if (move == 0) return held(t, j, s[j]) > rest ? -1.0 : 0.0;
        t.z[j] = z;
        const double *row = H + j * m;
#pragma omp simd
        for (index_t l = 0; l < m; ++l) s[l] += move * row[l];
        return std::abs(move) * (h + t.c[j]);
    });
}

PrimalResult primal_columns(const PrimalColumns &x, const PrimalTerms &t, const PrimalLimits &limits) {
    double *q = x.q, centre = 0;  // centre: Σⱼ meanⱼ (zⱼ − wⱼ)
    if (x.mean)
        for (index_t j = 0; j < t.count; ++j) centre += x.mean[j] * (t.z[j] - t.w[j]);
    return sweep_until(t.count, limits, [&](index_t j, double rest) {
        const index_t begin = x.starts[j], end = x.starts[j + 1];
        const double *v = x.values;
        const std::int32_t *rows = x.rows;
        double a0 = 0, a1 = 0, a2 = 0, a3 = 0;
        index_t k = begin;
        for (; k + 4 <= end; k += 4) {
            a0 += v[k] * q[rows[k]];
            a1 += v[k + 1] * q[rows[k + 1]];
            a2 += v[k + 2] * q[rows[k + 2]];
            a3 += v[k + 3] * q[rows[k + 3]];
        }
        for (; k < end; ++k) a0 += v[k] * q[rows[k]];
        double s = t.g[j] + ((a0 + a1) + (a2 + a3));
        if (x.mean) s -= x.mean[j] * centre;
        const double z = minimiser(t, j, s, x.h[j]), move = z - t.z[j];
        if (move == 0) return held(t, j, s) > rest ? -1.0 : 0.0;
        t.z[j] = z;
        for (k = begin; k < end; ++k) q[rows[k]] += move * v[k];
        if (x.mean) centre += x.mean[j] * move;
        return std::abs(move) * (x.h[j] + t.c[j]);
    });
}

PrimalResult primal_joint(const PrimalJoint &x, const PrimalTerms &t, const PrimalLimits &limits) {
    const index_t k = x.k;
    std::vector<double> slope(std::size_t(k), 0), move(std::size_t(k), 0);
    double *s = slope.data(), *d = move.data();
    return sweep_until(t.count, limits, [&](index_t j, double rest) {
        std::copy(t.g + j * k, t.g + (j + 1) * k, s);
        for (index_t e = x.starts[j]; e < x.starts[j + 1]; ++e) {
            const double v = x.values[e], *r = x.residual + index_t(x.rows[e]) * k;
#pragma omp simd
            for (index_t l = 0; l < k; ++l) s[l] += v * r[l];
        }
        double worst = 0, least = kNever;
        bool moved = false;
        for (index_t l = 0; l < k; ++l) {
            const index_t i = j * k + l;
            const double z = minimiser(t, i, s[l], x.h[i]);
            d[l] = z - t.z[i];
            if (d[l] == 0) least = std::min(least, held(t, i, s[l]));
            else moved = true, worst = std::max(worst, std::abs(d[l]) * (x.h[i] + t.c[i]));
            t.z[i] = z;
        }
        if (!moved) return least > rest ? -1.0 : 0.0;
        for (index_t e = x.starts[j]; e < x.starts[j + 1]; ++e) {
            const index_t i = x.rows[e];
            const double v = x.values[e], *p = x.p + i * k, share = x.share[i] * v;
            double *r = x.residual + i * k, mean = 0;
#pragma omp simd reduction(+ : mean)
            for (index_t l = 0; l < k; ++l) mean += p[l] * d[l];
#pragma omp simd
            for (index_t l = 0; l < k; ++l) r[l] += share * p[l] * (d[l] - mean);
        }
        return worst;
    });
}

}  // namespace linsep
