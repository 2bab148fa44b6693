// The losses on a margin M = y·f, inlined into loops over rows (losses.cpp, sgd.cpp). A loss is one struct:
//   at(M, v, g, h)        value, first and second derivative
//   lower, upper          the domain of θ = −ℓ′
//   conjugate(θ)          ℓ*(−θ) inside it
// kLosses is the table by name that Python chooses from.
#pragma once
#include <array>
#include <limits>

#include "design.hpp"
#include "vecmath.hpp"

namespace linsep {

struct Log {  // ln(1 + e^−M)
    static void at(double m, double &v, double &g, double &h) {
        const double e = exp_nonpositive(-std::fabs(m)), r = 1.0 / (1.0 + e);
        v = log1p_unit(e) + (m < 0 ? -m : 0.0);
        g = -(m > 0 ? e * r : r);
        h = e * r * r;
    }
    static constexpr double lower = 0, upper = 1;
    static double conjugate(double t) { return negative_entropy(t); }
};
struct Hinge {  // max(0, 1 − M)
    static void at(double m, double &v, double &g, double &h) {
        v = m < 1 ? 1 - m : 0.0;
        g = m < 1 ? -1.0 : 0.0;
        h = 0;
    }
    static constexpr double lower = 0, upper = 1;
    static double conjugate(double t) { return -t; }
};
struct SquaredHinge {  // max(0, 1 − M)²
    static void at(double m, double &v, double &g, double &h) {
        const double u = m < 1 ? 1 - m : 0.0;
        v = u * u;
        g = -2 * u;
        h = m < 1 ? 2.0 : 0.0;
    }
    static constexpr double lower = 0, upper = std::numeric_limits<double>::infinity();
    static double conjugate(double t) { return t * (0.25 * t - 1); }
};
struct SmoothedHinge {  // 0 | (1 − M)²/2 | 1/2 − M
    static void at(double m, double &v, double &g, double &h) {
        const double u = m < 1 ? 1 - m : 0.0;
        v = m < 0 ? 0.5 - m : 0.5 * u * u;
        g = m < 0 ? -1.0 : -u;
        h = (m >= 0 && m < 1) ? 1.0 : 0.0;
    }
    static constexpr double lower = 0, upper = 1;
    static double conjugate(double t) { return t * (0.5 * t - 1); }
};
struct Squared {  // (1 − M)²
    static void at(double m, double &v, double &g, double &h) {
        v = (1 - m) * (1 - m);
        g = -2 * (1 - m);
        h = 2;
    }
    static constexpr double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
    static double conjugate(double t) { return t * (0.25 * t - 1); }
};
struct Exponential {  // e^−M, +inf where it overflows
    static void at(double m, double &v, double &g, double &h) {
        const double e = exp_nonpositive(-std::fabs(m));
        v = m > 0 ? e : 1.0 / e;
        g = -v;
        h = v;
    }
    static constexpr double lower = 0, upper = std::numeric_limits<double>::infinity();
    static double conjugate(double t) { return x_log_x(t) - t; }
};
struct Sigmoid {  // 2 / (1 + e^M), not convex
    static void at(double m, double &v, double &g, double &h) {
        const double e = exp_nonpositive(-std::fabs(m)), r = 1.0 / (1.0 + e);
        v = 2 * (m > 0 ? e * r : r);
        g = -2 * e * r * r;
        h = -g * (m > 0 ? 1 - e : e - 1) * r;
    }
};

// A block of rows: f scores, y in {−1, 1}, s weights or null, all weights times `scale`.
struct LossRows {
    const double *f, *y, *s;
    double scale;
};

// Σ sᵢ ℓ(yᵢ fᵢ); g = s y ℓ′, h = s ℓ″.
using TermsFn = double (*)(const LossRows &, index_t n, double *g, double *h);
// φ(t) = Σ s ℓ(y (f + t u)) with its derivative, added to out[0..1].
using LineFn = void (*)(const LossRows &, const double *u, double t, index_t n, double *out);
// θ = −ℓ′ − ℓ″·y u, clipped to the domain.
using LinearisedFn = void (*)(const LossRows &, const double *u, index_t n, double *theta);
// θ ← θ·shrink[y < 0], r = s θ y; Σ s ℓ*(−θ) and Σ s |ℓ*(−θ)| added to out[0..1]. Scores are not read.
using ConjugateFn = void (*)(const LossRows &, const double *shrink, index_t n, double *theta, double *r, double *out);

struct LossKernel {
    const char *name;
    TermsFn terms;
    LineFn line;
    LinearisedFn linearised;
    ConjugateFn conjugate;  // null: not convex
};

extern const std::array<LossKernel, 7> kLosses;  // losses.cpp

}  // namespace linsep
