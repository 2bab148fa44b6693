#include "passes.hpp"

#include <cmath>
#include <limits>

#include "row_blocks.hpp"

namespace linsep {

void scores(const Design &design, const double *w, index_t k, double *out, int threads, Arithmetic arithmetic) {
    const Chunks chunks(design.n, work(design), 1);
    visit(design, [&](const auto &x) {
        if (k == 1) {
            for_chunks(chunks.count, threads, [&](index_t c) {
                for_blocks(chunks, c, kBlock, [&](index_t lo, index_t hi) {
                    block_scores(x, lo, hi, w, w[x.d], out + lo);
                });
            });
            return;
        }
        with_arithmetic(arithmetic, [&](auto one) {
            using A = decltype(one);
            PackedWeights<std::decay_t<decltype(x)>, A> weights(w, x.d, k, threads);
            const A *packed = weights.data();
            for_chunks(chunks.count, threads, [&](index_t c) {
                TileSpace<A> space;
                for_blocks(chunks, c, block_rows(design, k), [&](index_t lo, index_t hi) {
                    block_scores<A>(x, lo, hi, packed, k, out + lo * k, space);
                    add_intercept(out + lo * k, w + x.d * k, hi - lo, k);
                });
            });
        });
    });
}

bool sides(const Design &design, const double *w, bool *out, int threads) {
    const Chunks chunks(design.n, work(design), 1);
    std::vector<char> finite(std::size_t(chunks.count), 1);
    visit(design, [&](const auto &x) {
        for_chunks(chunks.count, threads, [&](index_t c) {
            double z[kBlock];
            bool all = true;
            for_blocks(chunks, c, kBlock, [&](index_t lo, index_t hi) {
                block_scores(x, lo, hi, w, w[x.d], z);
                for (index_t i = lo; i < hi; ++i) out[i] = z[i - lo] > 0, all &= std::isfinite(z[i - lo]);
            });
            finite[std::size_t(c)] = all;
        });
    });
    return std::find(finite.begin(), finite.end(), 0) == finite.end();
}

void adjoint(const Design &design, const double *r, index_t k, double *out, int threads, Arithmetic arithmetic) {
    visit(design, [&](const auto &x) {
        if (k == 1) {
            const Chunks chunks(design.n, work(design), design.d + 1);
            return sum_chunks(chunks, design.d + 1, out, threads, [&](index_t c, double *total) {
                for_blocks(chunks, c, kBlock, [&](index_t lo, index_t hi) {
                    block_adjoint(x, lo, hi, r + lo, total);
                    total[x.d] += sum(r + lo, hi - lo);
                });
            });
        }
        with_arithmetic(arithmetic, [&](auto one) {
            using A = decltype(one);
            adjoint_of<A>(design, x, k, out, threads, [&](index_t lo, index_t hi, double *ri, double &, auto &) {
                std::copy(r + lo * k, r + hi * k, ri);
            });
        });
    });
}

double loss_pass(const Design &design, const LossKernel &loss, LossRows rows, const double *w, double *f, double *g,
                 double *h, double *grad, int threads) {
    const index_t width = design.d + 2;  // gradient, intercept, value
    const Chunks chunks(design.n, work(design), width);
    std::vector<double> out(static_cast<std::size_t>(width));
    rows.f = f;
    visit(design, [&](const auto &x) {
        sum_chunks(chunks, width, out.data(), threads, [&](index_t c, double *total) {
            double gb[kBlock], hb[kBlock];
            for_blocks(chunks, c, kBlock, [&](index_t lo, index_t hi) {
                double *gi = g ? g + lo : gb;
                block_scores(x, lo, hi, w, w[x.d], f + lo);
                total[x.d + 1] += loss.terms(at(rows, lo), hi - lo, gi, h ? h + lo : hb);
                block_adjoint(x, lo, hi, gi, total);
                total[x.d] += sum(gi, hi - lo);
            });
        });
    });
    std::copy(out.begin(), out.end() - 1, grad);
    return out.back();
}

namespace {

// out = Σ over chunks of rows that need no X of what f(first row, count, sums) adds.
template <class F>
void row_sums(index_t n, index_t width, double *out, int threads, F &&f) {
    const Chunks chunks(n, 8 * n, width);
    sum_chunks(chunks, width, out, threads, [&](index_t c, double *total) {
        f(chunks.begin(c), chunks.end(c) - chunks.begin(c), total);
    });
}

}  // namespace

double loss_values(const LossKernel &loss, LossRows rows, index_t n, double *g, double *h, int threads) {
    double total;
    row_sums(n, 1, &total, threads, [&](index_t first, index_t count, double *sum) {
        double gb[kBlock], hb[kBlock];
        for (index_t lo = first; lo < first + count; lo += kBlock) {
            const index_t size = std::min(kBlock, first + count - lo);
            *sum += loss.terms(at(rows, lo), size, g ? g + lo : gb, h ? h + lo : hb);
        }
    });
    return total;
}

void loss_search(const LossKernel &loss, LossRows rows, const double *u, double t, index_t n, double *out2,
                 int threads) {
    row_sums(n, 2, out2, threads, [&](index_t lo, index_t count, double *sums) {
        loss.line(at(rows, lo), u + lo, t, count, sums);
    });
}

void loss_linearised(const LossKernel &loss, LossRows rows, const double *u, index_t n, double *theta, int threads) {
    const Chunks chunks(n, 8 * n, 1);
    for_chunks(chunks.count, threads, [&](index_t c) {
        const index_t lo = chunks.begin(c);
        loss.linearised(at(rows, lo), u + lo, chunks.end(c) - lo, theta + lo);
    });
}

void loss_conjugate(const LossKernel &loss, LossRows rows, const double *shrink2, index_t n, double *theta, double *r,
                    double *out2, int threads) {
    row_sums(n, 2, out2, threads, [&](index_t lo, index_t count, double *sums) {
        loss.conjugate(at(rows, lo), shrink2, count, theta + lo, r + lo, sums);
    });
}

double joint_pass(const Design &design, const JointKernel &loss, JointRows rows, const double *w, double *f,
                  double *state, double *grad, int threads, Arithmetic arithmetic) {
    const index_t k = rows.k;
    double total = 0;
    visit(design, [&](const auto &x) {
        with_arithmetic(arithmetic, [&](auto one) {
            using A = decltype(one);
            PackedWeights<std::decay_t<decltype(x)>, A> weights(w, x.d, k, threads);
            const A *packed = weights.data();
            const auto terms = [&](index_t lo, index_t hi, double *r, double &value, TileSpace<A> &space) {
                std::vector<double> own(state ? 0 : std::size_t((hi - lo) * k));
                double *z = state ? state + lo * k : own.data();
                block_scores<A>(x, lo, hi, packed, k, z, space);
                add_intercept(z, w + x.d * k, hi - lo, k);
                if (f) std::copy(z, z + (hi - lo) * k, f + lo * k);
                value += loss.terms(at(rows, lo), hi - lo, z, r);
            };
            total = adjoint_of<A>(design, x, k, grad, threads, terms);
        });
    });
    return total;
}

void class_sums(const Design &design, JointRows rows, double *out, int threads) {
    const index_t k = rows.k, width = (design.d + 1) * k;
    const Chunks chunks(design.n, work(design), width);
    visit(design, [&](const auto &x) {
        sum_chunks(chunks, width, out, threads, [&](index_t c, double *sum) {
            for (index_t i = chunks.begin(c); i < chunks.end(c); ++i) {
                const double s = rows.weight(i);
                double *own = sum + rows.y[i];
                x.each(i, [&](index_t j, double v) { own[j * k] += s * v; });
                own[x.d * k] += s;
            }
        });
    });
}

double joint_values(const JointKernel &loss, JointRows rows, index_t n, double *z, double *r, int threads) {
    const index_t k = rows.k;
    double total;
    row_sums(n, 1, &total, threads, [&](index_t lo, index_t count, double *sum) {
        *sum += loss.terms(at(rows, lo), count, z + lo * k, r ? r + lo * k : nullptr);
    });
    return total;
}

void joint_conjugate(const JointKernel &loss, JointRows rows, index_t n, const double *theta, double *r, double *out2,
                     int threads) {
    const index_t k = rows.k;
    row_sums(n, 2, out2, threads, [&](index_t first, index_t count, double *sums) {
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
    row_sums(n, 2, out2, threads, [&](index_t first, index_t count, double *sums) {
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

void hessian_pass(const Design &design, JointCurveFn curve, JointRows rows, const double *state, const double *v,
                  double *u, double *out, int threads, Arithmetic arithmetic) {
    const index_t k = rows.k;
    visit(design, [&](const auto &x) {
        if (!curve) {
            const Chunks chunks(design.n, work(design), design.d + 1);
            return sum_chunks(chunks, design.d + 1, out, threads, [&](index_t c, double *total) {
                double z[kBlock];
                for_blocks(chunks, c, kBlock, [&](index_t lo, index_t hi) {
                    block_scores(x, lo, hi, v, v[x.d], z);
                    if (u) std::copy(z, z + (hi - lo), u + lo);
                    for (index_t i = lo; i < hi; ++i) z[i - lo] *= state[i];
                    block_adjoint(x, lo, hi, z, total);
                    total[x.d] += sum(z, hi - lo);
                });
            });
        }
        with_arithmetic(arithmetic, [&](auto one) {
            using A = decltype(one);
            PackedWeights<std::decay_t<decltype(x)>, A> weights(v, x.d, k, threads);
            const A *packed = weights.data();
            const auto products = [&](index_t lo, index_t hi, double *z, double &, TileSpace<A> &space) {
                block_scores<A>(x, lo, hi, packed, k, z, space);
                add_intercept(z, v + x.d * k, hi - lo, k);
                if (u) std::copy(z, z + (hi - lo) * k, u + lo * k);
                curve(at(rows, lo), hi - lo, state + lo * k, z);
            };
            adjoint_of<A>(design, x, k, out, threads, products);
        });
    });
}

void row_norms(const Design &design, const double *q, double *out, int threads) {
    const Chunks chunks(design.n, work(design), 1);
    visit(design, [&](const auto &x) {
        for_chunks(chunks.count, threads, [&](index_t c) {
            for (index_t i = chunks.begin(c); i < chunks.end(c); ++i) {
                double a = 0;
                q ? x.each(i, [&](index_t j, double v) { a += q[j] * v * v; })
                  : x.each(i, [&](index_t, double v) { a += v * v; });
                out[i] = a;
            }
        });
    });
}

}  // namespace linsep
