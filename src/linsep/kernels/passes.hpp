// Passes over the rows: each reads X once, in blocks that stay in cache, and sums in a fixed order.
// Weights carry the intercept as their last row: w has d + 1 entries, W is (d + 1)×K row-major.
#pragma once
#include "joint.hpp"
#include "loss.hpp"
#include "design.hpp"

namespace linsep {

enum class Arithmetic { f64, f32 };  // of the matrix products; sums over tiles are always float64

// ---- one score a row (passes.cpp) ------------------------------------------------------------------------

void margin_scores(const Design &, const double *w, double *out, int threads);
void margin_adjoint(const Design &, const double *r, double *out, int threads);
// out (n) ← whether ⟨xᵢ, w⟩ + b > 0, without keeping the scores; returns whether all of these are finite.
bool sides(const Design &, const double *w, bool *out, int threads);
// One binary loss, fused: f = Xw + b, g = s y ℓ′, h = s ℓ″ (g, h may be null), grad = [X 1]ᵀ g; returns Σ s ℓ.
double loss_pass(const Design &, const LossKernel &, LossRows, const double *w, double *f, double *g, double *h,
                 double *grad, int threads);
// out = [X 1]ᵀ diag(curvature) [X 1] v; u (n, may be null) receives [X 1] v.
void margin_hessian(const Design &, const double *curvature, const double *v, double *u, double *out, int threads);
// The loss without X, from scores already known.
double loss_values(const LossKernel &, LossRows, index_t n, double *g, double *h, int threads);
// out2: Σ s ℓ(y (f + t u)) and its derivative in t.
void loss_search(const LossKernel &, LossRows, const double *u, double t, index_t n, double *out2, int threads);
// The dual point θ = −ℓ′ − ℓ″·y u.
void loss_linearised(const LossKernel &, LossRows, const double *u, index_t n, double *theta, int threads);
// θ ← θ·shrink2[y < 0], r = s θ y; out2: Σ s ℓ*(−θ) and Σ s |ℓ*(−θ)|.
void loss_conjugate(const LossKernel &, LossRows, const double *shrink2, index_t n, double *theta, double *r,
                    double *out2, int threads);
// out (n) = Σⱼ qⱼ xᵢⱼ², q = 1 where null
void row_norms(const Design &, const double *q, double *out, int threads);

// ---- K scores a row (joint_passes.cpp) -------------------------------------------------------------------

// out (n×k) = X W + 1 bᵀ
void scores(const Design &, const double *w, index_t k, double *out, int threads, Arithmetic);
// out ((d+1)×k) = [X 1]ᵀ R
void adjoint(const Design &, const double *r, index_t k, double *out, int threads, Arithmetic);
// One K-score loss, fused: F = XW + b (may be null), state (n×K, may be null), grad = [X 1]ᵀ R; returns Σ s ℓ.
double joint_pass(const Design &, const JointKernel &, JointRows, const double *w, double *f, double *state,
                  double *grad, int threads, Arithmetic);
// out = [X 1]ᵀ s∇² [X 1] v; u (n×K, may be null) receives [X 1] v.
void joint_hessian(const Design &, JointCurveFn curve, JointRows, const double *state, const double *v, double *u,
                   double *out, int threads, Arithmetic);
// out ((d+1)×k): column c ← Σ over the rows of class c of s [xᵢ; 1].
void class_sums(const Design &, JointRows, double *out, int threads);
// From known scores F: writes state over `z` (which holds F), s·∇ to r (may be null); returns Σ s ℓ.
double joint_values(const JointKernel &, JointRows, index_t n, double *z, double *r, int threads);
// out2: Σ s ℓ(F + t U) and its derivative in t.
void joint_search(const JointKernel &, JointRows, const double *f, const double *u, double t, index_t n, double *out2,
                  int threads);
// theta (n×k) ← −∇ − ∇²(U + 1 bᵀ) at the state; b (k) may be null.
void joint_linearised(JointLinearisedFn, JointRows, const double *state, const double *u, const double *b, index_t n,
                      double *theta, int threads);
// theta (n×k) brought into the domain of ℓ*.
void joint_domain(const JointKernel &, JointRows, index_t n, double *theta, int threads);
// q (n×k), distributions, become those ∝ q·factors; out (2×k) ← Σ s (e_y − q) and Σ s q(1 − q).
void class_tilt(const double *factors, JointRows, index_t n, double *q, double *out, int threads);
// out2 ← Σ s ℓ*(−θ) and Σ s |ℓ*(−θ)|, +inf where a row of weight is outside of the domain; r (n×k) ← s θ.
void joint_conjugate(const JointKernel &, JointRows, index_t n, const double *theta, double *r, double *out2, int threads);

// ---- Gram matrices (gram.cpp) ----------------------------------------------------------------------------

// The fold of every row, 0 where there is one for all.
struct Folds {
    const index_t *fold;
    index_t count;
    index_t of(index_t i) const { return fold ? fold[i] : 0; }
};
// Upper triangles of out (count×(d+1)²): [X 1]ᵀ diag(c) [X 1] over the rows of each fold, c ≥ 0.
void gram(const Design &, const double *c, const Folds &, double *out, int threads, Arithmetic);

// ---- problems that each leave out a fold (folds.cpp) -------------------------------------------------------

// Rows of k problems: row i is in all of them but that of its fold; share (k): what a weight counts in each.
struct FoldRows {
    const double *y, *s;
    const index_t *fold;
    const double *share;
    index_t k;
};
// Of every row all its scores (n×k, may be null), their mean, and the one of the problem that leaves it out.
struct FoldScores {
    double *every, *mean, *left;
};
// grad ((d+1)×k): column c ← [X 1]ᵀ s y ℓ′ of problem c at column c of W; returns the sum of all Σ s ℓ.
double fold_pass(const Design &, const LossKernel &, FoldRows, const double *w, FoldScores, double *grad, int threads);

// ---- everything about the entries (scan.cpp) --------------------------------------------------------------

struct Scan {
    std::uint64_t hash;
    bool finite;
    double squares;
};
// A hash of the non-zero entries by value and place, the same for every storage; whether all are finite; Σ xᵢⱼ² over
// all entries, and over every column (may be null).
Scan scan(const Design &, std::uint32_t salt, double *column_squares, int threads);

}  // namespace linsep
