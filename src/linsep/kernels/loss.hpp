// The losses on a margin M = y·f, inlined into loops over blocks of rows. A loss is one struct:
//   at(M, v, g, h)        value, first and second derivative
//   lower, upper          the domain of θ = −ℓ′
//   conjugate(θ)          ℓ*(−θ) inside it
// kLosses is the table by name that Python chooses from.
#pragma once
#include <algorithm>
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

// The weight of a row as the loops see it: a constant where no weights are given. The loops' pointers are declared inside
// of what is called with it: `restrict` does not survive a capture, and without it there is no vector code.
struct Unit {
    double scale;
    double operator[](index_t) const { return scale; }
};
struct Weighted {
    const double *__restrict s;
    double scale;
    double operator[](index_t i) const { return s[i] * scale; }
};
template <class F>
void with_weights(const LossRows &x, F &&f) {
    x.s ? f(Weighted{x.s, x.scale}) : f(Unit{x.scale});
}

template <class L>
double loss_terms(const LossRows &x, index_t n, double *g_, double *h_) {
    double total = 0;
    with_weights(x, [&](auto weight) {
        const double *__restrict f = x.f, *__restrict y = x.y;
        double *__restrict g = g_, *__restrict h = h_, sum = 0;
#pragma omp simd reduction(+ : sum)
        for (index_t i = 0; i < n; ++i) {
            const double s = weight[i];
            double v, d1, d2;
            L::at(y[i] * f[i], v, d1, d2);
            sum += s > 0 ? s * v : 0.0;
            g[i] = s > 0 ? s * y[i] * d1 : 0.0;
            h[i] = s > 0 ? s * d2 : 0.0;
        }
        total = sum;
    });
    return total;
}

template <class L>
void loss_line(const LossRows &x, const double *u_, double t, index_t n, double *out) {
    with_weights(x, [&](auto weight) {
        const double *__restrict f = x.f, *__restrict y = x.y, *__restrict u = u_;
        double a = 0, b = 0;
#pragma omp simd reduction(+ : a, b)
        for (index_t i = 0; i < n; ++i) {
            const double s = weight[i];
            double v, d1, d2;
            L::at(y[i] * (f[i] + t * u[i]), v, d1, d2);
            a += s > 0 ? s * v : 0.0;
            b += s > 0 ? s * y[i] * d1 * u[i] : 0.0;
        }
        out[0] += a, out[1] += b;
    });
}

template <class L>
void loss_linearised(const LossRows &x, const double *u_, index_t n, double *theta_) {
    const double *__restrict f = x.f, *__restrict y = x.y, *__restrict u = u_;
    double *__restrict theta = theta_;
#pragma omp simd
    for (index_t i = 0; i < n; ++i) {
        double v, d1, d2;
        L::at(y[i] * f[i], v, d1, d2);
        double t = -d1 - d2 * (y[i] * u[i]);
        t = t < L::lower ? L::lower : t;
        theta[i] = t > L::upper ? L::upper : t;
    }
}

template <class L>
void loss_conjugate(const LossRows &x, const double *shrink, index_t n, double *theta_, double *r_, double *out) {
    with_weights(x, [&](auto weight) {
        const double *__restrict y = x.y, plus = shrink[0], minus = shrink[1];
        double *__restrict theta = theta_, *__restrict r = r_, a = 0, b = 0;
#pragma omp simd reduction(+ : a, b)
        for (index_t i = 0; i < n; ++i) {
            const double s = weight[i], t = theta[i] * (y[i] > 0 ? plus : minus);
            const double c = s > 0 ? s * L::conjugate(t) : 0.0;
            theta[i] = t;
            r[i] = s > 0 ? s * t * y[i] : 0.0;
            a += c;
            b += std::fabs(c);
        }
        out[0] += a, out[1] += b;
    });
}

struct LossKernel {
    const char *name;
    TermsFn terms;
    LineFn line;
    LinearisedFn linearised;
    ConjugateFn conjugate;  // null: not convex
};

template <class L>
constexpr LossKernel convex(const char *name) {
    return {name, loss_terms<L>, loss_line<L>, loss_linearised<L>, loss_conjugate<L>};
}

inline constexpr LossKernel kLosses[] = {
    convex<Log>("log"),
    convex<Hinge>("hinge"),
    convex<SquaredHinge>("squared_hinge"),
    convex<SmoothedHinge>("smoothed_hinge"),
    convex<Squared>("squared"),
    convex<Exponential>("exponential"),
    {"sigmoid", loss_terms<Sigmoid>, loss_line<Sigmoid>, nullptr, nullptr},
};

}  // namespace linsep
