// What passes are made of: rows in blocks that stay in cache, products with K vectors, sums over the rows.
#pragma once
#include <numeric>

#include "blocks.hpp"
#include "chunks.hpp"
#include "passes.hpp"

namespace linsep {

inline index_t work(const Design &x) { return x.nnz + x.n; }

// Rows of one block: as many as keep a tile and its products inside the second-level cache.
inline index_t block_rows(const Design &x, index_t k) {
    if (k == 1 || x.storage == Storage::csr) return kBlock;
    const index_t fit = 65536 / std::max<index_t>(1, x.d);
    return std::clamp<index_t>(fit, 64, kBlock);
}

template <class F>
void for_blocks(const Chunks &chunks, index_t c, index_t rows, F &&f) {
    for (index_t lo = chunks.begin(c), end = chunks.end(c); lo < end; lo += rows) f(lo, std::min(end, lo + rows));
}

// Calls f with a value of the arithmetic's type.
template <class F>
void with_arithmetic(Arithmetic a, F &&f) {
    a == Arithmetic::f32 ? f(float{}) : f(double{});
}

inline void add_intercept(double *z, const double *b, index_t rows, index_t k) {
    for (index_t i = 0; i < rows; ++i)
        for (index_t c = 0; c < k; ++c) z[i * k + c] += b[c];
}

inline void add_columns(const double *r, index_t rows, index_t k, double *sum) {
    for (index_t i = 0; i < rows; ++i)
        for (index_t c = 0; c < k; ++c) sum[c] += r[i * k + c];
}

inline double sum(const double *r, index_t n) {
    double a = 0;
#pragma omp simd reduction(+ : a)
    for (index_t i = 0; i < n; ++i) a += r[i];
    return a;
}

// out = [X 1]ᵀ R ((d+1)×k); f(lo, hi, r, value, space) writes the rows lo..hi of R to r and adds to a value, whose sum
// over all rows is returned. Where X has its transpose, R is kept and each column summed by itself (sparse.hpp).
template <class A, class Rows, class F>
double adjoint_of(const Design &design, const Rows &x, index_t k, double *out, int threads, F &&f) {
    const index_t rows = block_rows(design, k), head = x.d * k, tail = k + 1;
    const bool by_columns = design.columns != nullptr;
    const Chunks chunks(design.n, work(design) * k, by_columns ? tail : head + tail);
    Workspace<Use::rows, A> kept(by_columns ? design.n * padded(k) : 0);
    A *all = kept.data();
    const auto blocks = [&](index_t c, double *sums, double *total) {
        TileSpace<A> space;
        std::vector<double> r(std::size_t(rows * k));
        for_blocks(chunks, c, rows, [&](index_t lo, index_t hi) {
            f(lo, hi, r.data(), total[k], space);
            add_columns(r.data(), hi - lo, k, total);
            if (by_columns) pad_rows(r.data(), hi - lo, k, all + lo * padded(k));
            else block_adjoint<A>(x, lo, hi, r.data(), k, sums, space);
        });
    };
    std::vector<double> last(static_cast<std::size_t>(tail));
    if constexpr (Rows::sparse)
        if (by_columns) {
            sum_chunks(chunks, tail, last.data(), threads, [&](index_t c, double *total) { blocks(c, nullptr, total); });
            std::copy(last.begin(), last.end() - 1, out + head);
            gather_rows(Rows(*design.columns), all, k, out, threads);
            return last.back();
        }
    std::vector<double> values(std::size_t(chunks.count), 0.0);
    sum_chunks(chunks, head + k, out, threads, [&](index_t c, double *total) {
        std::vector<double> own(std::size_t(tail), 0.0);
        blocks(c, total, own.data());
        std::copy(own.begin(), own.end() - 1, total + head);
        values[std::size_t(c)] = own.back();
    });
    unpack_sums<Rows>(out, x.d, k);
    return std::accumulate(values.begin(), values.end(), 0.0);
}

inline LossRows at(const LossRows &x, index_t i) { return {x.f ? x.f + i : nullptr, x.y + i, x.s ? x.s + i : nullptr, x.scale}; }
inline JointRows at(const JointRows &x, index_t i) {
    return {x.y ? x.y + i : nullptr, x.s ? x.s + i : nullptr, x.scale, x.k};
}

}  // namespace linsep
