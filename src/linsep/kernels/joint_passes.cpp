// Passes with K scores a row.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "blocks.hpp"
#include "chunks.hpp"
#include "passes.hpp"
#include "tiles.hpp"

namespace linsep {
namespace {

// Calls f with a value of the arithmetic's type.
template <class F>
void with_arithmetic(Arithmetic a, F &&f) {
    a == Arithmetic::f32 ? f(float{}) : f(double{});
}

JointRows at(const JointRows &x, index_t i) {
    return {x.y ? x.y + i : nullptr, x.s ? x.s + i : nullptr, x.scale, x.k};
}

}  // namespace

void scores(const Design &x, const double *w, index_t k, double *out, int threads, Arithmetic arithmetic) {
    if (k == 1) return margin_scores(x, w, out, threads);
    const Chunks chunks(x.n, x.work() * k, 1);
    with_arithmetic(arithmetic, [&](auto one) {
        BlockScores<decltype(one)> scores(x, w, k, threads);
        for_chunks(chunks, threads, [&](index_t c) {
            TileSpace<decltype(one)> space;
            for_blocks(chunks, c, tile_rows(x), [&](index_t lo, index_t hi) { scores(lo, hi, out + lo * k, space); });
        });
    });
}

void adjoint(const Design &x, const double *r, index_t k, double *out, int threads, Arithmetic arithmetic) {
    if (k == 1) return margin_adjoint(x, r, out, threads);
    with_arithmetic(arithmetic, [&](auto one) {
        using A = decltype(one);
        adjoint_of<A>(x, k, out, threads, [&](index_t lo, index_t hi, double *ri, double &, TileSpace<A> &) {
            std::copy(r + lo * k, r + hi * k, ri);
        });
    });
}

double joint_pass(const Design &x, const JointKernel &loss, JointRows rows, const double *w, double *f, double *state,
                  double *grad, int threads, Arithmetic arithmetic) {
    const index_t k = rows.k;
    double total = 0;
    with_arithmetic(arithmetic, [&](auto one) {
        using A = decltype(one);
        BlockScores<A> scores(x, w, k, threads);
        const auto terms = [&](index_t lo, index_t hi, double *r, double &value, TileSpace<A> &space) {
            std::vector<double> own(state ? 0 : std::size_t((hi - lo) * k));
            double *z = state ? state + lo * k : own.data();
            scores(lo, hi, z, space);
            if (f) std::copy(z, z + (hi - lo) * k, f + lo * k);
            value += loss.terms(at(rows, lo), hi - lo, z, r);
        };
        total = adjoint_of<A>(x, k, grad, threads, terms);
    });
    return total;
}

void joint_hessian(const Design &x, JointCurveFn curve, JointRows rows, const double *state, const double *v, double *u,
                   double *out, int threads, Arithmetic arithmetic) {
    const index_t k = rows.k;
    with_arithmetic(arithmetic, [&](auto one) {
        using A = decltype(one);
        BlockScores<A> scores(x, v, k, threads);
        const auto products = [&](index_t lo, index_t hi, double *z, double &, TileSpace<A> &space) {
            scores(lo, hi, z, space);
            if (u) std::copy(z, z + (hi - lo) * k, u + lo * k);
            curve(at(rows, lo), hi - lo, state + lo * k, z);
        };
        adjoint_of<A>(x, k, out, threads, products);
    });
}

void class_sums(const Design &x, JointRows rows, double *out, int threads) {
    const index_t k = rows.k, width = (x.d + 1) * k;
    const Chunks chunks(x.n, x.work(), width);
    sum_chunks(chunks, width, out, threads, [&](index_t c, double *sum) {
        const index_t lo = chunks.begin(c), hi = chunks.end(c);
        block_class_sums(x, lo, hi, at(rows, lo), sum);
        for (index_t i = lo; i < hi; ++i) sum[x.d * k + rows.y[i]] += rows.weight(i);
    });
}

double joint_values(const JointKernel &loss, JointRows rows, index_t n, double *z, double *r, int threads) {
    const index_t k = rows.k;
    double total;
    sum_rows(n, 8 * n * k, 1, &total, threads, [&](index_t lo, index_t count, double *sum) {
        *sum += loss.terms(at(rows, lo), count, z + lo * k, r ? r + lo * k : nullptr);
    });
    return total;
}

void joint_linearised(JointLinearisedFn linearised, JointRows rows, const double *state, const double *u, const double *b,
                      index_t n, double *theta, int threads) {
    const index_t k = rows.k;
    const Chunks chunks(n, 8 * n * k, 1);
    for_chunks(chunks, threads, [&](index_t c) {
        const index_t lo = chunks.begin(c);
        linearised(at(rows, lo), chunks.end(c) - lo, state + lo * k, u + lo * k, b, theta + lo * k);
    });
}

void joint_domain(const JointKernel &loss, JointRows rows, index_t n, double *theta, int threads) {
    if (!loss.simplex) return;
    const Chunks chunks(n, 8 * n * rows.k, 1);
    for_chunks(chunks, threads, [&](index_t c) {
        for (index_t i = chunks.begin(c); i < chunks.end(c); ++i) onto_simplex(theta + i * rows.k, rows.y[i], rows.k);
    });
}

void class_tilt(const double *factors, JointRows rows, index_t n, double *q, double *out, int threads) {
    const index_t k = rows.k;
    sum_rows(n, 8 * n * k, 2 * k, out, threads, [&](index_t first, index_t count, double *sums) {
        for (index_t i = first; i < first + count; ++i) {
            double *qi = q + i * k, s = rows.weight(i), total = 0;
#pragma omp simd reduction(+ : total)
            for (index_t c = 0; c < k; ++c) qi[c] *= factors[c], total += qi[c];
            const double inverse = 1 / total;
            for (index_t c = 0; c < k; ++c) qi[c] *= inverse;
            if (!(s > 0)) continue;
            const double kept = qi[rows.y[i]];
            double others = 0;
            qi[rows.y[i]] = 0;
#pragma omp simd reduction(+ : others)
            for (index_t c = 0; c < k; ++c) {
                sums[c] -= s * qi[c], sums[k + c] += s * qi[c] * (1 - qi[c]);
                others += qi[c];
            }
            qi[rows.y[i]] = kept;
            sums[rows.y[i]] += s * others, sums[k + rows.y[i]] += s * kept * others;  // 1 − q_y without cancellation
        }
    });
}

void joint_conjugate(const JointKernel &loss, JointRows rows, index_t n, const double *theta, double *r, double *out2,
                     int threads) {
    const index_t k = rows.k;
    sum_rows(n, 8 * n * rows.k, 2, out2, threads, [&](index_t first, index_t count, double *sums) {
        for (index_t i = first; i < first + count; ++i) {
            const double *ti = theta + i * k, s = rows.weight(i);
            for (index_t c = 0; c < k; ++c) r[i * k + c] = s * ti[c];
            if (!(s > 0)) continue;
            const bool inside = !loss.simplex || in_simplex(ti, rows.y[i], k);
            const double value = inside ? s * loss.conjugate(ti, rows.y[i], k) : std::numeric_limits<double>::infinity();
            sums[0] += value, sums[1] += std::fabs(value);
        }
    });
}

void joint_search(const JointKernel &loss, JointRows rows, const double *f, const double *u, double t, index_t n,
                  double *out2, int threads) {
    const index_t k = rows.k;
    sum_rows(n, 8 * n * rows.k, 2, out2, threads, [&](index_t first, index_t count, double *sums) {
        std::vector<double> z(std::size_t(kBlock * k)), r(z);
        for (index_t lo = first; lo < first + count; lo += kBlock) {
            const index_t size = std::min(kBlock, first + count - lo), entries = size * k;
            const double *fi = f + lo * k, *ui = u + lo * k;
#pragma omp simd
            for (index_t j = 0; j < entries; ++j) z[std::size_t(j)] = fi[j] + t * ui[j];
            sums[0] += loss.terms(at(rows, lo), size, z.data(), r.data());
            double slope = 0;
#pragma omp simd reduction(+ : slope)
            for (index_t j = 0; j < entries; ++j) slope += r[std::size_t(j)] * ui[j];
            sums[1] += slope;
        }
    });
}

}  // namespace linsep
