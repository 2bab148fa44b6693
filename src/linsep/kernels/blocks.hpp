// Products of a block of rows [lo, hi) with one vector, and sums over the entries of a block, for every storage.
// Everything above them is storage-free: the type of the rows is looked up once a block.
#pragma once
#include "joint.hpp"
#include "design.hpp"

namespace linsep {

// out[i − lo] = b + ⟨xᵢ, w⟩
void block_scores(const Design &, index_t lo, index_t hi, const double *w, double b, double *out);
// g += Σᵢ r[i − lo] xᵢ
void block_adjoint(const Design &, index_t lo, index_t hi, const double *r, double *g);
// out[i − lo] = Σⱼ qⱼ xᵢⱼ², q = 1 where null
void block_norms(const Design &, index_t lo, index_t hi, const double *q, double *out);
// out (d×k): column yᵢ += sᵢ xᵢ, in one look at every entry; `rows` begin at lo.
void block_class_sums(const Design &, index_t lo, index_t hi, const JointRows &rows, double *out);

}  // namespace linsep
