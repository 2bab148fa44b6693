// Coordinate descent for the penalised quadratic model of proximal Newton.
//
// With g the gradient of the smooth part and H = XᵀCX at the weights w of m chosen coordinates, find z that minimises
//
//     ⟨g, z − w⟩ + ½ (z − w)ᵀ H (z − w) + Σⱼ [ cⱼ/2 zⱼ² + aⱼ|zⱼ| ],        lⱼ ≤ zⱼ ≤ uⱼ.
//
// One coordinate's minimiser, with s = gⱼ + (H(z − w))ⱼ its slope and h = Hⱼⱼ: clip(soft(h zⱼ − s, aⱼ)/(h + cⱼ), lⱼ, uⱼ).
// A free intercept is minimised out (see PrimalColumns::mean), so columns may be far from their means.
// A sweep visits the coordinates in order. Those that stay at 0, or at a bound, by more than the last sweep's largest
// violation rest until the others are done; then all are swept once more (Yuan, Ho and Lin 2012, section 4).
//
// Three forms of H: a matrix (primal_gram), packed columns √c·x with q = √C X(z − w) kept (primal_columns), and K softmax
// scores a row with the residual C X(z − w) kept (primal_joint), one block of K weights a column.
#pragma once
#include "rows.hpp"

namespace linsep {

struct PrimalTerms {
    index_t count;
    const double *g, *w, *a, *c, *lower, *upper;
    double *z;
};

struct PrimalLimits {
    double violation;  // ends when no coordinate moves by more than this over its curvature
    index_t sweeps;    // at most, over all coordinates' worth of work
};

struct PrimalResult {
    double violation;  // largest of the last full sweep
    index_t visited;   // coordinates
    bool finished;
};

struct PrimalColumns {
    const double *values;             // √cᵢ xᵢⱼ
    const std::int32_t *rows;
    const index_t *starts;            // count + 1
    const double *h;                  // Σ cᵢxᵢⱼ², less count·mean² where the intercept is free
    const double *mean;               // √(Σc)·(mean of the column by weights c), or null: no intercept
    double *q;                        // n: √C X(z − w)
};

// values and rows of the chosen columns; t is the transpose of X.
void primal_pack(const Design &t, const index_t *chosen, const index_t *starts, index_t count, const double *root,
                 double *values, std::int32_t *rows, int threads);

// G (count², symmetric) = Σ over rows of aᵢaᵢᵀ, aᵢ the row's entries in the chosen packed columns.
void primal_cross(const double *values, const std::int32_t *rows, const index_t *starts, index_t n,
                  const index_t *chosen, index_t count, double *G, int threads);

PrimalResult primal_gram(const double *H, const PrimalTerms &, const PrimalLimits &);
PrimalResult primal_columns(const PrimalColumns &, const PrimalTerms &, const PrimalLimits &);

// Terms hold count·k numbers, a column's k together; values are plain entries, share·p the rows' curvature.
struct PrimalJoint {
    const double *values;
    const std::int32_t *rows;
    const index_t *starts;
    const double *h;      // count·k: a bound of the block's curvature
    const double *p;      // n·k probabilities
    const double *share;  // n
    double *residual;     // n·k: sᵢ pᵢₖ (uᵢₖ − Σ p u), u = X(z − w)
    index_t k;
};
PrimalResult primal_joint(const PrimalJoint &, const PrimalTerms &, const PrimalLimits &);

}  // namespace linsep
