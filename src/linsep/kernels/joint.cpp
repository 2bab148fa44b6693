#include "joint.hpp"

#include <algorithm>
#include <cmath>

#include "vecmath.hpp"

namespace linsep {
namespace {

double softmax_terms(const JointRows &x, index_t n, double *z, double *r) {
    const index_t k = x.k;
    double total = 0;
    for (index_t i = 0; i < n; ++i) {
        double *zi = z + i * k, top = zi[0], s = x.weight(i);
#pragma omp simd reduction(max : top)
        for (index_t c = 0; c < k; ++c) top = std::max(top, zi[c]);
        if (s > 0) total += s * (top - zi[x.y[i]]);
        for (index_t c = 0; c < k; ++c) zi[c] -= top;
    }
#pragma omp simd
    for (index_t j = 0; j < n * k; ++j) z[j] = exp_nonpositive(z[j]);
    for (index_t i = 0; i < n; ++i) {
        double *zi = z + i * k, &own = zi[x.y[i]], s = x.weight(i), kept = own, others = 0;
        own = 0;  // so that the others' share of a well-classified row keeps its relative accuracy
#pragma omp simd reduction(+ : others)
        for (index_t c = 0; c < k; ++c) others += zi[c];
        own = kept;
        const double inverse = 1 / (others + own);
        if (s > 0) total += s * (own == 1 && others < 1 ? log1p_unit(others) : std::log(others + own));
        for (index_t c = 0; c < k; ++c) zi[c] *= inverse;
        if (r) {
            double *ri = r + i * k;
            for (index_t c = 0; c < k; ++c) ri[c] = s > 0 ? s * zi[c] : 0.0;
            ri[x.y[i]] = s > 0 ? -s * (others * inverse) : 0.0;
        }
    }
    return total;
}

void softmax_curve(const JointRows &x, index_t n, const double *p, double *u) {
    for (index_t i = 0; i < n; ++i) {
        const double *pi = p + i * x.k, s = x.weight(i);
        double *ui = u + i * x.k, mean = 0;
#pragma omp simd reduction(+ : mean)
        for (index_t c = 0; c < x.k; ++c) mean += pi[c] * ui[c];
        for (index_t c = 0; c < x.k; ++c) ui[c] = s * pi[c] * (ui[c] - mean);
    }
}

// pₖ (1 + uₖ − ⟨p, u⟩) for the others, relative to the most probable class, whose p may be almost 1; minus their sum for y.
void softmax_linearised(const JointRows &x, index_t n, const double *p, const double *u, const double *b, double *theta) {
    const index_t k = x.k;
    for (index_t i = 0; i < n; ++i) {
        const double *pi = p + i * k, *ui = u + i * k;
        double *ti = theta + i * k;
        const index_t top = std::max_element(pi, pi + k) - pi, own = x.y[i];
        const double base = ui[top] + (b ? b[top] : 0.0);
        double mean = 0, others = 0;
        for (index_t c = 0; c < k; ++c) ti[c] = ui[c] + (b ? b[c] : 0.0) - base;
#pragma omp simd reduction(+ : mean)
        for (index_t c = 0; c < k; ++c) mean += pi[c] * ti[c];
        for (index_t c = 0; c < k; ++c) ti[c] = -pi[c] * (1 + ti[c] - mean);
        ti[own] = 0;
#pragma omp simd reduction(+ : others)
        for (index_t c = 0; c < k; ++c) others += ti[c];
        ti[own] = -others;
    }
}

double one_of_k_terms(const JointRows &x, index_t n, double *z, double *r) {
    double total = 0;
    for (index_t i = 0; i < n; ++i) {
        double *zi = z + i * x.k, sum = 0;
        const double s = x.weight(i);
        for (index_t c = 0; c < x.k; ++c) {
            const double e = zi[c] - (c == x.y[i] ? 1.0 : 0.0);
            sum += e * e;
            if (r) r[i * x.k + c] = s > 0 ? 2 * s * e : 0.0;
        }
        if (s > 0) total += s * sum;
    }
    return total;
}

void one_of_k_curve(const JointRows &x, index_t n, const double *, double *u) {
    for (index_t i = 0; i < n; ++i)
        for (index_t c = 0; c < x.k; ++c) u[i * x.k + c] *= 2 * x.weight(i);
}

void one_of_k_linearised(const JointRows &x, index_t n, const double *z, const double *u, const double *b, double *theta) {
    for (index_t i = 0; i < n; ++i)
        for (index_t c = 0; c < x.k; ++c) {
            const index_t j = i * x.k + c;
            theta[j] = -2 * (z[j] + u[j] + (b ? b[c] : 0.0) - (c == x.y[i] ? 1.0 : 0.0));
        }
}

// max_k (z_k + [k ≠ y]) − z_y, with a subgradient; it has no second derivative.
double crammer_singer_terms(const JointRows &x, index_t n, double *z, double *r) {
    double total = 0;
    for (index_t i = 0; i < n; ++i) {
        const double *zi = z + i * x.k, own = zi[x.y[i]], s = x.weight(i);
        index_t worst = x.y[i];
        double most = 0;
        for (index_t c = 0; c < x.k; ++c) {
            const double violation = c == x.y[i] ? 0.0 : zi[c] - own + 1;
            if (violation > most) most = violation, worst = c;
        }
        if (s > 0) total += s * most;
        if (!r) continue;
        std::fill(r + i * x.k, r + (i + 1) * x.k, 0.0);
        if (most > 0 && s > 0) r[i * x.k + worst] = s, r[i * x.k + x.y[i]] = -s;
    }
    return total;
}

// Σₖ qₖ ln qₖ with q = e_y − θ; q_y = 1 − θ_y by its accurate form.
double softmax_conjugate(const double *theta, index_t own, index_t k) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (index_t c = 0; c < k; ++c) sum += x_log_x(std::max(-theta[c], 0.0));
    return sum + negative_entropy(theta[own]) - x_log_x(theta[own]);
}

double one_of_k_conjugate(const double *theta, index_t own, index_t k) {
    double squares = 0;
    for (index_t c = 0; c < k; ++c) squares += theta[c] * theta[c];
    return 0.25 * squares - theta[own];
}

double crammer_singer_conjugate(const double *theta, index_t own, index_t) { return -theta[own]; }

}  // namespace

bool in_simplex(const double *theta, index_t own, index_t k) {
    double sum = 0, top = 0;
    for (index_t c = 0; c < k; ++c) {
        sum += theta[c];
        top = std::max(top, c == own ? 0.0 : theta[c]);
    }
    return top <= 0 && theta[own] >= 0 && theta[own] <= 1 && std::fabs(sum) <= 2.220446049250313e-16 * double(8 + k);
}

void onto_simplex(double *theta, index_t own, index_t k) {
    double mass = 0, rest = 0;
    theta[own] = 0;
#pragma omp simd reduction(+ : mass)
    for (index_t c = 0; c < k; ++c) theta[c] = std::min(theta[c], 0.0), mass -= theta[c];
    if (mass > 1)
        for (index_t c = 0; c < k; ++c) theta[c] /= mass;
#pragma omp simd reduction(+ : rest)
    for (index_t c = 0; c < k; ++c) rest -= theta[c];
    theta[own] = std::min(rest, 1.0);
}

const std::array<JointKernel, 3> kJointLosses = {{
    {"softmax", softmax_terms, softmax_curve, softmax_linearised, softmax_conjugate, true},
    {"one_of_k", one_of_k_terms, one_of_k_curve, one_of_k_linearised, one_of_k_conjugate, false},
    {"crammer_singer", crammer_singer_terms, nullptr, nullptr, crammer_singer_conjugate, true},
}};

}  // namespace linsep
