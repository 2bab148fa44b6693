// Sequential minimal optimisation for the soft-margin dual.
//
//   maximise   D(β) = Σᵢ yᵢβᵢ − ½ βᵀKβ     subject to   lowᵢ ≤ βᵢ ≤ highᵢ  and, with a free intercept,  Σᵢ βᵢ = 0
//
// where βᵢ = yᵢaᵢ, 0 ≤ aᵢ ≤ Cᵢ: low = min(0, yC), high = max(0, yC). With v = y − Kβ, the gradient, a pair (i, j)
// moves by βᵢ += t, βⱼ −= t and v −= t(Kᵢ − Kⱼ). With b free, D is optimal where
//   m = max {vᵢ: βᵢ < highᵢ}  ≤  M = min {vⱼ: βⱼ > lowⱼ},    and the duality gap of (β, b) is
//   Σᵢ (highᵢ − βᵢ) max(vᵢ − b, 0) + (βᵢ − lowᵢ) max(b − vᵢ, 0),   every term of it ≥ 0.
// The pair: i attains m; j gives the largest gain (m − vⱼ)²/(Kᵢᵢ + Kⱼⱼ − 2Kᵢⱼ) (Fan, Chen, Lin 2005, WSS 2).
// Without an intercept b = 0 and one βᵢ moves at a time, the one whose gain vᵢ²/Kᵢᵢ is largest.
//
// Shrinking: a row at a bound whose v lies beyond m or M, where its term of the gap is 0, leaves the active rows; its
// v is computed anew by `complete`. It begins when the rows computed so far would pay for that.
// Invariants: v is exact up to rounding on active rows; order[0..active) are the active rows.
// All sums are elementwise, all maxima are taken at their first position: the same bits for any number of threads.
#pragma once
#include <limits>
#include <vector>

#include "kernel_rows.hpp"
#include "row_cache.hpp"

namespace linsep {

struct SmoState {
    index_t iterations = 0, active = 0, rows_computed = 0;
    double dual = 0;                // D(β), summed step by step
    double gap = 0;                 // at b = (m + M)/2, of the active rows, when last looked at
    double high = 0, low = 0;       // m and M
    double largest_v = 0;           // of the active rows, when last looked at
    double least_curvature = std::numeric_limits<double>::infinity();  // (Kᵢᵢ + Kⱼⱼ − 2Kᵢⱼ)/(Kᵢᵢ + Kⱼⱼ)
};

class Smo {
    KernelRows &rows;
    index_t n;
    bool intercept, shrinks;
    RowCache cache;
    // all by position
    std::vector<index_t> order;
    std::vector<double> y, low, high, beta, v, diagonal;
    std::vector<double> up, down;   // 0 where β may rise (fall), else −∞ (+∞)
    SmoState s;

    const double *row(index_t position, int threads);
    void bounds(index_t k);
    index_t choose_first(int threads);
    index_t choose_second(index_t i, const double *ki, int threads);
    bool pair_step(int threads);
    bool single_step(int threads);
    void subtract(const double *ki, const double *kj, double t, int threads);
    void look();
    bool idle(index_t k) const;
    void shrink();
    void move(const std::vector<index_t> &positions, index_t active);

  public:
    // β = 0.  y, low, high by row; `bytes` for rows of K.
    Smo(KernelRows &rows, const double *y, const double *low, const double *high, bool intercept, double bytes,
        bool shrinks);
    // At most `steps` steps; true once the active rows' gap is at most tol (D + gap) or `floor`, or no step is left.
    bool run(index_t steps, double tol, double floor, int threads);
    // v of every row; those that matter again are active.
    void complete(int threads);
    // by row
    void read(double *beta, double *v) const;
    const SmoState &state() const { return s; }
};

}  // namespace linsep
