// K sums at once over sparse rows: zᵢ = Σⱼ xᵢⱼ wⱼ with wⱼ of K numbers, in registers.
//
// The wⱼ stand `padded(K)` apart, whole packs of eight, so that no loop has a remainder. With the transpose of X at
// hand the same function is the adjoint: gⱼ = Σᵢ xᵢⱼ rᵢ is written once for every column, where adding row by row
// would need a copy of all d×K sums for every chunk of rows.
#pragma once
#include "design.hpp"

namespace linsep {

constexpr index_t kPack = 8;  // numbers

inline index_t padded(index_t k) { return (k + kPack - 1) / kPack * kPack; }

// Z ((hi−lo)×k) = the rows lo..hi of sparse X times W. A: the arithmetic; float32 sums are added up in float64 every 256
// entries.
template <class A>
void gather_rows(const Design &, index_t lo, index_t hi, const A *w, index_t k, double *z);
// The same for all rows of a matrix, shared out among the threads by their entries: each is one thread's own.
template <class A>
void gather_all(const Design &, const A *w, index_t k, double *z, int threads);

// G (d×k) += the rows lo..hi of sparse X, transposed, times R.
void scatter_rows(const Design &, index_t lo, index_t hi, const double *r, index_t k, double *g);

// Rows of k numbers, padded and in the arithmetic A.
template <class A>
void pad_rows(const double *from, index_t rows, index_t k, A *to) {
    const index_t stride = padded(k);
    for (index_t i = 0; i < rows; ++i)
        for (index_t c = 0; c < stride; ++c) to[i * stride + c] = c < k ? A(from[i * k + c]) : A(0);
}

}  // namespace linsep
