// The losses' loops over blocks of rows.
#include "loss.hpp"

namespace linsep {
namespace {

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

template <class L>
constexpr LossKernel convex(const char *name) {
    return {name, loss_terms<L>, loss_line<L>, loss_linearised<L>, loss_conjugate<L>};
}

}  // namespace

const std::array<LossKernel, 7> kLosses = {{
    convex<Log>("log"),
    convex<Hinge>("hinge"),
    convex<SquaredHinge>("squared_hinge"),
    convex<SmoothedHinge>("smoothed_hinge"),
    convex<Squared>("squared"),
    convex<Exponential>("exponential"),
    {"sigmoid", loss_terms<Sigmoid>, loss_line<Sigmoid>, nullptr, nullptr},
}};

}  // namespace linsep
