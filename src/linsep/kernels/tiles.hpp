// Products of rows with K vectors, block by block, in the arithmetic A (float or double), for every storage.
//
// Dense rows are taken as a tile, row-major: multiplied in registers (skinny.hpp) up to kSkinny vectors, by BLAS beyond.
// Their vectors are class-major (K×d).  Sparse rows keep the vectors feature-major, so that an entry meets K neighbours:
// weights padded (sparse.hpp), sums d×K.
#pragma once
#include <vector>

#include "chunks.hpp"
#include "function_ref.hpp"
#include "design.hpp"

namespace linsep {

constexpr index_t kSkinny = 32;

// Rows of one block: as many as keep a tile and its products inside the second-level cache.
index_t tile_rows(const Design &);

template <class A>
struct TileSpace {  // what one thread needs to multiply tiles
    std::vector<A> rows, left, product;
};

// The rows lo..hi, `stride` apart: where they are if they are dense rows of A already, else copied to the buffer.
template <class A>
const A *tile(const Design &, index_t lo, index_t hi, std::vector<A> &buffer, index_t &stride);

// Z ((hi−lo)×k) = [X 1] W for blocks of rows, from a copy of W in the order and arithmetic that the rows want.
template <class A>
class BlockScores {
    const Design &x;
    const double *intercepts;
    index_t k;
    Workspace<Use::weights, A> weights;

  public:
    BlockScores(const Design &, const double *w, index_t k, int threads);
    void operator()(index_t lo, index_t hi, double *z, TileSpace<A> &);
};

// What writes the rows lo..hi of R to r and adds to a value.
template <class A>
using RowsOf = FunctionRef<void(index_t lo, index_t hi, double *r, double &value, TileSpace<A> &)>;

// out = [X 1]ᵀ R ((d+1)×k); returns the sum of the value over all rows. Where X has its transpose, R is kept and each
// column summed by itself (sparse.hpp).
template <class A>
double adjoint_of(const Design &, index_t k, double *out, int threads, RowsOf<A>);

}  // namespace linsep
