// F problems that each leave out one fold of the rows, in one pass: scores of all, the loss of all but the fold's own.
#include <algorithm>

#include "blocks.hpp"
#include "passes.hpp"
#include "tiles.hpp"

namespace linsep {
namespace {

// From the scores z (rows×k) of a block to r = s y ℓ′ of every problem, in place; returns Σ s ℓ over them.
double fold_terms(const LossKernel &loss, const FoldRows &x, index_t lo, index_t rows, double *z) {
    double f[kBlock], s[kBlock], g[kBlock], h[kBlock], total = 0;
    for (index_t c = 0; c < x.k; ++c) {
        for (index_t i = 0; i < rows; ++i) {
            f[i] = z[i * x.k + c];
            s[i] = x.fold[lo + i] == c ? 0.0 : x.s ? x.s[lo + i] : 1.0;
        }
        total += loss.terms({f, x.y + lo, s, x.share[c]}, rows, g, h);
        for (index_t i = 0; i < rows; ++i) z[i * x.k + c] = g[i];
    }
    return total;
}

void keep_scores(const FoldRows &x, const double *z, index_t lo, index_t hi, double *mean, double *left) {
    for (index_t i = lo; i < hi; ++i, z += x.k) {
        double a = 0;
        for (index_t c = 0; c < x.k; ++c) a += z[c];
        mean[i] = a / double(x.k);
        left[i] = z[x.fold[i]];
    }
}

}  // namespace

double fold_pass(const Design &design, const LossKernel &loss, FoldRows rows, const double *w, FoldScores out,
                 double *grad, int threads) {
    const index_t k = rows.k;
    BlockScores<double> scores(design, w, k, threads);
    const auto terms = [&](index_t lo, index_t hi, double *r, double &value, TileSpace<double> &space) {
        scores(lo, hi, r, space);
        if (out.every) std::copy(r, r + (hi - lo) * k, out.every + lo * k);
        keep_scores(rows, r, lo, hi, out.mean, out.left);
        value += fold_terms(loss, rows, lo, hi - lo, r);
    };
    return adjoint_of<double>(design, k, grad, threads, terms);
}

}  // namespace linsep
