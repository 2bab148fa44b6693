// Passes with one score a row.
#include "passes.hpp"

#include <algorithm>
#include <cmath>

#include "blocks.hpp"
#include "chunks.hpp"

namespace linsep {
namespace {

double sum(const double *r, index_t n) {
    double a = 0;
#pragma omp simd reduction(+ : a)
    for (index_t i = 0; i < n; ++i) a += r[i];
    return a;
}

// total += [X 1]ᵀ r over the rows lo..hi
void add_adjoint(const Design &x, index_t lo, index_t hi, const double *r, double *total) {
    block_adjoint(x, lo, hi, r, total);
    total[x.d] += sum(r, hi - lo);
}

LossRows at(const LossRows &x, index_t i) { return {x.f ? x.f + i : nullptr, x.y + i, x.s ? x.s + i : nullptr, x.scale}; }

}  // namespace

void margin_scores(const Design &x, const double *w, double *out, int threads) {
    const Chunks chunks(x.n, x.work(), 1);
    for_chunks(chunks, threads, [&](index_t c) {
        for_blocks(chunks, c, kBlock, [&](index_t lo, index_t hi) { block_scores(x, lo, hi, w, w[x.d], out + lo); });
    });
}

bool sides(const Design &x, const double *w, bool *out, int threads) {
    const Chunks chunks(x.n, x.work(), 1);
    std::vector<char> finite(std::size_t(chunks.count), 1);
    for_chunks(chunks, threads, [&](index_t c) {
        double z[kBlock];
        bool all = true;
        for_blocks(chunks, c, kBlock, [&](index_t lo, index_t hi) {
            block_scores(x, lo, hi, w, w[x.d], z);
            for (index_t i = lo; i < hi; ++i) out[i] = z[i - lo] > 0, all &= std::isfinite(z[i - lo]);
        });
        finite[std::size_t(c)] = all;
    });
    return std::find(finite.begin(), finite.end(), 0) == finite.end();
}

void margin_adjoint(const Design &x, const double *r, double *out, int threads) {
    const Chunks chunks(x.n, x.work(), x.d + 1);
    sum_chunks(chunks, x.d + 1, out, threads, [&](index_t c, double *total) {
        for_blocks(chunks, c, kBlock, [&](index_t lo, index_t hi) { add_adjoint(x, lo, hi, r + lo, total); });
    });
}

double loss_pass(const Design &x, const LossKernel &loss, LossRows rows, const double *w, double *f, double *g, double *h,
                 double *grad, int threads) {
    const index_t width = x.d + 2;  // gradient, intercept, value
    const Chunks chunks(x.n, x.work(), width);
    std::vector<double> out(static_cast<std::size_t>(width));
    rows.f = f;
    sum_chunks(chunks, width, out.data(), threads, [&](index_t c, double *total) {
        double gb[kBlock], hb[kBlock];
        for_blocks(chunks, c, kBlock, [&](index_t lo, index_t hi) {
            double *gi = g ? g + lo : gb;
            block_scores(x, lo, hi, w, w[x.d], f + lo);
            total[x.d + 1] += loss.terms(at(rows, lo), hi - lo, gi, h ? h + lo : hb);
            add_adjoint(x, lo, hi, gi, total);
        });
    });
    std::copy(out.begin(), out.end() - 1, grad);
    return out.back();
}

void margin_hessian(const Design &x, const double *curvature, const double *v, double *u, double *out, int threads) {
    const Chunks chunks(x.n, x.work(), x.d + 1);
    sum_chunks(chunks, x.d + 1, out, threads, [&](index_t c, double *total) {
        double z[kBlock];
        for_blocks(chunks, c, kBlock, [&](index_t lo, index_t hi) {
            block_scores(x, lo, hi, v, v[x.d], z);
            if (u) std::copy(z, z + (hi - lo), u + lo);
            for (index_t i = lo; i < hi; ++i) z[i - lo] *= curvature[i];
            add_adjoint(x, lo, hi, z, total);
        });
    });
}

double loss_values(const LossKernel &loss, LossRows rows, index_t n, double *g, double *h, int threads) {
    double total;
    sum_rows(n, 8 * n, 1, &total, threads, [&](index_t first, index_t count, double *sum) {
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
    sum_rows(n, 8 * n, 2, out2, threads, [&](index_t lo, index_t count, double *sums) {
        loss.line(at(rows, lo), u + lo, t, count, sums);
    });
}

void loss_linearised(const LossKernel &loss, LossRows rows, const double *u, index_t n, double *theta, int threads) {
    const Chunks chunks(n, 8 * n, 1);
    for_chunks(chunks, threads, [&](index_t c) {
        const index_t lo = chunks.begin(c);
        loss.linearised(at(rows, lo), u + lo, chunks.end(c) - lo, theta + lo);
    });
}

void loss_conjugate(const LossKernel &loss, LossRows rows, const double *shrink2, index_t n, double *theta, double *r,
                    double *out2, int threads) {
    sum_rows(n, 8 * n, 2, out2, threads, [&](index_t lo, index_t count, double *sums) {
        loss.conjugate(at(rows, lo), shrink2, count, theta + lo, r + lo, sums);
    });
}

void row_norms(const Design &x, const double *q, double *out, int threads) {
    const Chunks chunks(x.n, x.work(), 1);
    for_chunks(chunks, threads, [&](index_t c) {
        block_norms(x, chunks.begin(c), chunks.end(c), q, out + chunks.begin(c));
    });
}

}  // namespace linsep
