// Weighted Gram matrices [X 1]ᵀ diag(c) [X 1], c ≥ 0: the Hessian of a loss.
// Dense rows are scaled by √c into a tile and multiplied by BLAS; rows with few entries add their outer
// products directly. Chunks are summed in order, so threads do not change a bit.
#include <cmath>
#include <type_traits>

#include "blas.hpp"
#include "chunks.hpp"
#include "passes.hpp"
#include "tiles.hpp"

namespace linsep {
namespace {

// A sparse row's outer product where its columns rise: only the upper triangle is visited.
template <class T, class I>
bool rising_product(const T *values, const I *columns, index_t count, double c, index_t width, double *out) {
    for (index_t a = 1; a < count; ++a)
        if (columns[a - 1] >= columns[a]) return false;
    for (index_t a = 0; a < count; ++a) {
        const double scaled = c * double(values[a]);
        double *__restrict__ row = out + index_t(columns[a]) * width;
#pragma GCC unroll 4
        for (index_t b = a; b < count; ++b) row[columns[b]] += scaled * double(values[b]);
        row[width - 1] += scaled;
    }
    return true;
}

template <class T, class I>
void outer_products(const CsrRows<T, I> &x, index_t lo, index_t hi, const double *c, double *out) {
    const index_t width = x.d + 1;
    for (index_t i = lo; i < hi; ++i) {
        if (c[i] == 0) continue;
        out[width * width - 1] += c[i];
        const index_t begin = x.begin(i);
        if (rising_product(x.data + begin, x.indices + begin, x.end(i) - begin, c[i], width, out)) continue;
        x.each(i, [&](index_t a, double va) {
            const double scaled = c[i] * va;
            double *row = out + a * width;
            x.each(i, [&](index_t b, double vb) {
                if (b >= a) row[b] += scaled * vb;
            });
            row[x.d] += scaled;
        });
    }
}

// A tile of √c-scaled rows, the column of ones included.
template <class A>
void scaled_tile(const Design &x, index_t lo, index_t hi, const double *c, A *to, TileSpace<A> &space) {
    index_t stride;
    const A *from = tile(x, lo, hi, space.rows, stride);
    for (index_t i = lo; i < hi; ++i, to += x.d + 1) {
        const A root = A(std::sqrt(c[i]));
        const A *row = from + (i - lo) * stride;
#pragma omp simd
        for (index_t j = 0; j < x.d; ++j) to[j] = root * row[j];
        to[x.d] = root;
    }
}

template <class A>
void tile_products(const Design &x, index_t lo, index_t hi, const double *c, double *out, TileSpace<A> &space) {
    const index_t width = x.d + 1, rows = hi - lo;
    space.left.resize(std::size_t(rows * width));
    scaled_tile<A>(x, lo, hi, c, space.left.data(), space);
    if constexpr (std::is_same_v<A, double>) {
        Blas<A>::gram(int(width), int(rows), space.left.data(), int(width), 1.0, out, int(width));
    } else {
        space.product.resize(std::size_t(width * width));
        Blas<A>::gram(int(width), int(rows), space.left.data(), int(width), A(0), space.product.data(), int(width));
        for (index_t a = 0; a < width; ++a)
#pragma omp simd
            for (index_t b = a; b < width; ++b) out[a * width + b] += double(space.product[a * width + b]);
    }
}

}  // namespace

void gram(const Design &design, const double *c, double *out, int threads, Arithmetic arithmetic) {
    const index_t width = design.d + 1, cells = width * width;
    const bool few = design.storage == Storage::csr && 4 * design.nnz < design.n * design.d;
    const index_t pairs = few ? design.nnz * (1 + design.nnz / std::max<index_t>(1, design.n)) : design.n * cells;
    const index_t affordable = std::max<index_t>(2, (index_t(1) << 22) / cells);
    Chunks chunks(design.n, pairs / 8, cells);
    if (chunks.count > affordable) chunks = Chunks(design.n, affordable * 16384, 1);
    const index_t rows = std::clamp<index_t>(131072 / width, 128, 1024);
    sum_chunks(chunks, cells, out, threads, [&](index_t chunk, double *total) {
        const index_t begin = chunks.begin(chunk), end = chunks.end(chunk);
        if (few) return visit_csr(design, [&](const auto &x) { outer_products(x, begin, end, c, total); });
        const auto tiles = [&](auto one) {
            TileSpace<decltype(one)> space;
            for (index_t lo = begin; lo < end; lo += rows)
                tile_products(design, lo, std::min(end, lo + rows), c, total, space);
        };
        arithmetic == Arithmetic::f32 ? tiles(float{}) : tiles(double{});
    });
}

}  // namespace linsep
