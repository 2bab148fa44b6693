// Weighted Gram matrices [X 1]ᵀ diag(c) [X 1], c ≥ 0: the Hessian of a loss.
// Dense rows are scaled by √c into a tile and multiplied in registers (skinny.hpp), many columns by BLAS; rows with few
// entries add their outer products directly. Where rows are dealt to folds, each fold has a matrix of its own and a part of every tile.
// Chunks are summed in order, so threads do not change a bit.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "blas.hpp"
#include "chunks.hpp"
#include "passes.hpp"
#include "skinny.hpp"
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
void outer_products(const CsrRows<T, I> &x, index_t lo, index_t hi, const double *c, const Folds &folds, double *sums) {
    const index_t width = x.d + 1;
    for (index_t i = lo; i < hi; ++i) {
        if (c[i] == 0) continue;
        double *out = sums + folds.of(i) * width * width;
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

// Up to so many columns BLAS, which packs and knows no triangle of blocks, is slower.
constexpr index_t kInRegisters = 256;

// A tile of √c-scaled rows, the column of ones included, those of a fold together: fold f begins at row ends[f − 1].
// Rows with c = 0 add nothing and are left out: of a squared hinge they are most.
template <class A>
void scaled_tile(const Design &x, index_t lo, index_t hi, const double *c, const Folds &folds, TileSpace<A> &space,
                 std::vector<index_t> &ends) {
    const index_t apart = gram_stride<A>(x.d + 1);
    index_t stride;
    const A *from = tile(x, lo, hi, space.rows, stride);
    std::fill(ends.begin(), ends.end(), 0);
    for (index_t i = lo; i < hi; ++i) ends[std::size_t(folds.of(i) + 1)] += c[i] != 0;
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    for (index_t i = lo; i < hi; ++i) {
        if (c[i] == 0) continue;
        const A root = A(std::sqrt(c[i]));
        const A *row = from + (i - lo) * stride;
        A *to = space.left.data() + ends[std::size_t(folds.of(i))]++ * apart;
#pragma omp simd
        for (index_t j = 0; j < x.d; ++j) to[j] = root * row[j];
        to[x.d] = root;
        std::fill(to + x.d + 1, to + apart, A(0));
    }
}

// out += AᵀA, upper triangle, of rows of `width` numbers.
template <class A>
void add_products(const A *from, index_t rows, index_t width, double *out, std::vector<A> &product) {
    const index_t stride = gram_stride<A>(width);
    if constexpr (std::is_same_v<A, double>)
        if (width > kInRegisters) return Blas<A>::gram(int(width), int(rows), from, int(stride), 1.0, out, int(width));
    product.assign(std::size_t(stride * stride), A(0));
    if (width <= kInRegisters) skinny_gram(from, stride, rows, product.data());
    else Blas<A>::gram(int(width), int(rows), from, int(stride), A(0), product.data(), int(stride));
    for (index_t a = 0; a < width; ++a)
#pragma omp simd
        for (index_t b = a; b < width; ++b) out[a * width + b] += double(product[std::size_t(a * stride + b)]);
}

template <class A>
void tile_products(const Design &x, index_t lo, index_t hi, const double *c, const Folds &folds, double *out,
                   TileSpace<A> &space, std::vector<index_t> &ends) {
    const index_t width = x.d + 1, stride = gram_stride<A>(width);
    space.left.resize(std::size_t((hi - lo) * stride));
    scaled_tile(x, lo, hi, c, folds, space, ends);
    for (index_t f = 0, begin = 0; f < folds.count; begin = ends[std::size_t(f++)])
        if (const index_t rows = ends[std::size_t(f)] - begin)
            add_products(space.left.data() + begin * stride, rows, width, out + f * width * width, space.product);
}

// The rows with c > 0 as a design of their own. Where they are few, as the rows near the kink of a hinge are, the others
// are not even looked at, and chunks are cut for what there is to do.
struct Counted {
    std::vector<index_t> rows, fold;
    std::vector<double> c;
    Design design;

    Counted(const Design &all, const double *given, const Folds &folds) : design(all) {
        for (index_t i = 0; i < all.n; ++i) {
            if (given[i] == 0) continue;
            rows.push_back(all.subset ? all.subset[i] : i), c.push_back(given[i]);
            if (folds.fold) fold.push_back(folds.fold[i]);
        }
        design.n = index_t(rows.size()), design.subset = rows.data(), design.nnz = design.n * design.d;
        if (design.storage != Storage::csr) return;
        design.nnz = 0;
        visit_csr(design, [&](const auto &x) {
            for (index_t i = 0; i < x.n; ++i) design.nnz += x.end(i) - x.begin(i);
        });
    }
};

}  // namespace

void gram(const Design &design, const double *c, const Folds &folds, double *out, int threads, Arithmetic arithmetic) {
    if (const index_t zeros = std::count(c, c + design.n, 0.0); zeros > 0 && 2 * zeros >= design.n) {
        const Counted few(design, c, folds);
        return gram(few.design, few.c.data(), {folds.fold ? few.fold.data() : nullptr, folds.count}, out, threads, arithmetic);
    }
    const index_t width = design.d + 1, cells = width * width * folds.count;
    // A pair of entries by itself costs 13 times as much as in a product of dense tiles, and the tile 90 pairs a column.
    const double each = double(design.nnz) / double(std::max<index_t>(1, design.n)), d = double(design.d);
    const bool few = design.storage == Storage::csr && 13 * each * each < d * (d + 90);
    if (!few && width > kInRegisters) fetch_blas();
    const index_t pairs = few ? design.nnz * (1 + design.nnz / std::max<index_t>(1, design.n)) : design.n * width * width;
    const index_t affordable = std::max<index_t>(2, (index_t(1) << 22) / cells);
    Chunks chunks(design.n, pairs / 8, cells);
    if (chunks.count > affordable) chunks = Chunks(design.n, affordable * 16384, 1), chunks.work = pairs / 8;
    const index_t rows = std::clamp<index_t>(131072 / width, 128, folds.count > 1 ? 4096 : 1024);
    sum_chunks(chunks, cells, out, threads, [&](index_t chunk, double *total) {
        const index_t begin = chunks.begin(chunk), end = chunks.end(chunk);
        if (few) return visit_csr(design, [&](const auto &x) { outer_products(x, begin, end, c, folds, total); });
        const auto tiles = [&](auto one) {
            TileSpace<decltype(one)> space;
            std::vector<index_t> ends(std::size_t(folds.count + 1));
            for (index_t lo = begin; lo < end; lo += rows)
                tile_products(design, lo, std::min(end, lo + rows), c, folds, total, space, ends);
        };
        arithmetic == Arithmetic::f32 ? tiles(float{}) : tiles(double{});
    });
}

}  // namespace linsep
