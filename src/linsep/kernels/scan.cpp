// The fingerprint of a matrix, fused with the check for NaN and infinity.
//
// H = Σ over non-zero xᵢⱼ of (lo(xᵢⱼ) + lo(kᵢⱼ))·(hi(xᵢⱼ) + hi(kᵢⱼ)) mod 2⁶⁴, where lo and hi are the halves of
// 64 bits, the entry is taken as a float64, kᵢⱼ = rᵢ xor cⱼ joins the 64-bit keys of row and column, and the two
// sums are taken mod 2³². The xor matters: with one key a factor, entries whose lo is 0 (all small integers)
// could be swapped within a row unseen.
// A sum does not depend on the order, so neither storage nor threads change it; certify/verifier.py repeats
// it in NumPy. It detects accidents and careless edits; it is not a cryptographic hash.
#include <numeric>

#include "chunks.hpp"
#include "passes.hpp"
#include "vecmath.hpp"

namespace linsep {
namespace {

std::uint64_t key(std::uint64_t place, std::uint32_t salt) {
    std::uint64_t z = place * 0x9E3779B97F4A7C15ull + salt;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

std::uint64_t term(double x, std::uint64_t place, std::uint64_t &bad) {
    const std::uint64_t bits = double_to_bits(x);
    const std::uint32_t lo = std::uint32_t(bits), hi = std::uint32_t(bits >> 32);
    bad |= (hi & 0x7ff00000u) == 0x7ff00000u;
    const std::uint32_t low = lo + std::uint32_t(place), high = hi + std::uint32_t(place >> 32);
    const std::uint64_t product = std::uint64_t(low) * std::uint64_t(high);
    return (bits << 1) == 0 ? 0 : product;
}

void scan_doubles(const double *x, index_t count, std::uint64_t fixed, const std::uint64_t *keys, std::uint64_t &hash,
                  std::uint64_t &bad) {
    std::uint64_t h = 0, b = 0;
#pragma omp simd reduction(+ : h) reduction(| : b)
    for (index_t j = 0; j < count; ++j) h += term(x[j], fixed ^ keys[j], b);
    hash += h;
    bad |= b;
}

// Other types are widened first, a few hundred at a time: the compiler makes vector code of either loop, not of both.
template <class T>
void scan_line(const T *x, index_t count, std::uint64_t fixed, const std::uint64_t *keys, std::uint64_t &hash,
               std::uint64_t &bad) {
    if constexpr (std::is_same_v<T, double>) return scan_doubles(x, count, fixed, keys, hash, bad);
    double wide[256];
    for (index_t lo = 0; lo < count; lo += 256) {
        const index_t size = std::min<index_t>(256, count - lo);
#pragma omp simd
        for (index_t j = 0; j < size; ++j) wide[j] = double(x[lo + j]);
        scan_doubles(wide, size, fixed, keys + lo, hash, bad);
    }
}

// The entries of a sparse row: their columns' keys are collected first.
template <class T, class I>
void scan_sparse(const T *x, const I *indices, index_t count, std::uint64_t fixed, const std::uint64_t *keys,
                 std::uint64_t &hash, std::uint64_t &bad) {
    std::uint64_t own[256];
    for (index_t lo = 0; lo < count; lo += 256) {
        const index_t size = std::min<index_t>(256, count - lo);
        for (index_t j = 0; j < size; ++j) own[j] = keys[indices[lo + j]];
        scan_line(x + lo, size, fixed, own, hash, bad);
    }
}

}  // namespace

Scan scan(const Design &design, std::uint32_t salt, double *column_squares, int threads) {
    const index_t width = column_squares ? design.d : 0;
    const Chunks chunks(design.n, design.nnz + design.n, width);
    std::vector<std::uint64_t> hash(std::size_t(chunks.count), 0), bad(hash);
    std::vector<double> squared(hash.size(), 0.0);
    std::vector<std::uint64_t> columns;
    for (index_t j = 0; j < design.d; ++j) columns.push_back(key(std::uint64_t(j), ~salt));
    visit(design, [&](const auto &x) {
        using Rows = std::decay_t<decltype(x)>;
        using T = typename Rows::value_type;
        sum_chunks(chunks, width, column_squares, threads, [&](index_t c, double *squares) {
            const index_t begin = chunks.begin(c), end = chunks.end(c);
            std::uint64_t h = 0, b = 0;
            double all = 0;
            if constexpr (Rows::sparse) {
                for (index_t i = begin; i < end; ++i) {
                    const index_t at = x.begin(i), count = x.end(i) - at;
                    scan_sparse(x.data + at, x.indices + at, count, key(std::uint64_t(i), salt), columns.data(), h, b);
                    all += sum_of_squares(x.data + at, count);
                    if (column_squares) x.each(i, [&](index_t j, double v) { squares[j] += v * v; });
                }
            } else if constexpr (std::is_same_v<Rows, DenseRows<T>>) {
                for (index_t i = begin; i < end; ++i) {
                    const T *__restrict row = x.row(i);
                    double *__restrict sum = squares;
                    scan_line(row, x.d, key(std::uint64_t(i), salt), columns.data(), h, b);
                    if (!column_squares) all += sum_of_squares(row, x.d);
#pragma omp simd
                    for (index_t j = 0; j < width; ++j) sum[j] += double(row[j]) * double(row[j]);
                }
            } else if (x.subset) {
                for (index_t i = begin; i < end; ++i) {
                    const std::uint64_t row = key(std::uint64_t(i), salt);
                    x.each(i, [&](index_t j, double v) {
                        h += term(v, row ^ columns[std::size_t(j)], b);
                        all += v * v;
                        if (column_squares) squares[j] += v * v;
                    });
                }
            } else {
                std::vector<std::uint64_t> rows;
                for (index_t i = begin; i < end; ++i) rows.push_back(key(std::uint64_t(i), salt));
                for (index_t j = 0; j < x.d; ++j) {
                    const T *column = x.data + j * x.stride + begin;
                    scan_line(column, end - begin, columns[std::size_t(j)], rows.data(), h, b);
                    const double sum = sum_of_squares(column, end - begin);
                    all += sum;
                    if (column_squares) squares[j] = sum;
                }
            }
            if (column_squares) all = std::accumulate(squares, squares + width, 0.0);
            squared[std::size_t(c)] = all;
            hash[std::size_t(c)] = h;
            bad[std::size_t(c)] = b;
        });
    });
    Scan result{0, true, 0.0};
    for (std::size_t c = 0; c < hash.size(); ++c) {
        result.hash += hash[c];
        result.squares += squared[c];
        result.finite = result.finite && !bad[c];
    }
    return result;
}

}  // namespace linsep
