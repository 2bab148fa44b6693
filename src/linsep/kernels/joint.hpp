// Losses on K scores. A block of rows holds Z (rows×K, row-major), labels y in 0..K−1, weights s.
//   softmax    ℓ = ln Σₖ e^zₖ − z_y,   P = softmax(z),  ∇ = P − e_y,  ∇²u = P∘(u − ⟨P, u⟩)
//   one_of_k   ℓ = Σₖ (zₖ − [k = y])²,                  ∇ = 2(z − e_y), ∇²u = 2u
//   crammer_singer   ℓ = maxₖ (zₖ + [k ≠ y]) − z_y,     a subgradient, no curvature
#pragma once
#include <array>

#include "design.hpp"

namespace linsep {

struct JointRows {
    const index_t *y;
    const double *s;
    double scale;
    index_t k;
    double weight(index_t i) const { return s ? s[i] * scale : scale; }
};

// Replaces Z by the state the second derivative needs, writes s·∇ to r (if not null), returns Σ s ℓ.
using JointTermsFn = double (*)(const JointRows &, index_t n, double *z, double *r);
// u ← s ∇² u at that state.
using JointCurveFn = void (*)(const JointRows &, index_t n, const double *state, double *u);
// θ ← −∇ − ∇²(u + b) at that state; b: K changes that all rows share, or null.
using JointLinearisedFn = void (*)(const JointRows &, index_t n, const double *state, const double *u, const double *b,
                                   double *theta);
// ℓ*(−θ) of one row of K multipliers inside the domain.
using JointConjugateFn = double (*)(const double *theta, index_t own, index_t k);

struct JointKernel {
    const char *name;
    JointTermsFn terms;
    JointCurveFn curve;
    JointLinearisedFn linearised;
    JointConjugateFn conjugate;
    bool simplex;  // the domain of the conjugate: q in the simplex, or everything
};

extern const std::array<JointKernel, 3> kJointLosses;  // joint.cpp

// Whether q = e_y − θ is in the simplex, but for the rounding of K terms in its sum.
bool in_simplex(const double *theta, index_t own, index_t k);
// q made a distribution: what is negative becomes 0, an excess over 1 is scaled away.
void onto_simplex(double *theta, index_t own, index_t k);

}  // namespace linsep
