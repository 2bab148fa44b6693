// The fingerprint of a matrix, fused with the check for NaN and infinity.
//
// H = Σ over non-zero xᵢⱼ of (lo(xᵢⱼ) + rᵢ)·(hi(xᵢⱼ) + cⱼ) mod 2⁶⁴, where lo and hi are the halves of the
// entry as a float64, rᵢ and cⱼ are 32-bit keys of row and column, and the two sums are taken mod 2³².
// A sum does not depend on the order, so neither storage nor threads change it; certify/verify.py repeats
// it in NumPy. It detects accidents and careless edits; it is not a cryptographic hash.
#include "chunks.hpp"
#include "passes.hpp"
#include "vecmath.hpp"

namespace linsep {
namespace {

std::uint32_t key(std::uint64_t place, std::uint32_t salt) {
    std::uint64_t z = place * 0x9E3779B97F4A7C15ull + salt;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return std::uint32_t(z >> 32);
}

std::uint64_t term(double x, std::uint32_t row, std::uint32_t column, std::uint64_t &bad) {
    const std::uint64_t bits = double_to_bits(x);
    const std::uint32_t lo = std::uint32_t(bits), hi = std::uint32_t(bits >> 32);
    bad |= (hi & 0x7ff00000u) == 0x7ff00000u;
    const std::uint64_t product = std::uint64_t(lo + row) * std::uint64_t(hi + column);
    return (bits << 1) == 0 ? 0 : product;
}

template <class T>
void scan_line(const T *x, index_t count, std::uint32_t fixed, const std::uint32_t *keys, bool by_row,
               std::uint64_t &hash, std::uint64_t &bad) {
    std::uint64_t h = 0, b = 0;
#pragma omp simd reduction(+ : h) reduction(| : b)
    for (index_t j = 0; j < count; ++j) h += term(double(x[j]), by_row ? fixed : keys[j], by_row ? keys[j] : fixed, b);
    hash += h;
    bad |= b;
}

}  // namespace

Scan scan(const Design &design, std::uint32_t salt, double *column_squares, int threads) {
    const Chunks chunks(design.n, design.nnz + design.n, design.d);
    Partials squares(chunks.count, design.d);
    std::vector<std::uint64_t> hash(std::size_t(chunks.count), 0), bad(hash);
    std::vector<std::uint32_t> columns;
    for (index_t j = 0; j < design.d; ++j) columns.push_back(key(std::uint64_t(j), ~salt));
    visit(design, [&](const auto &x) {
        using Rows = std::decay_t<decltype(x)>;
        using T = typename Rows::value_type;
        for_chunks(chunks.count, threads, [&](index_t c) {
            const index_t begin = chunks.begin(c), end = chunks.end(c);
            std::uint64_t h = 0, b = 0;
            if constexpr (std::is_same_v<Rows, DenseRows<T>>) {
                for (index_t i = begin; i < end; ++i) {
                    const T *__restrict row = x.row(i);
                    double *__restrict sum = squares[c];
                    scan_line(row, x.d, key(std::uint64_t(i), salt), columns.data(), true, h, b);
#pragma omp simd
                    for (index_t j = 0; j < x.d; ++j) sum[j] += double(row[j]) * double(row[j]);
                }
            } else if constexpr (Rows::sparse) {
                for (index_t i = begin; i < end; ++i) {
                    const std::uint32_t row = key(std::uint64_t(i), salt);
                    x.each(i, [&](index_t j, double v) {
                        h += term(v, row, columns[std::size_t(j)], b);
                        squares[c][j] += v * v;
                    });
                }
            } else {
                std::vector<std::uint32_t> rows;
                for (index_t i = begin; i < end; ++i) rows.push_back(key(std::uint64_t(i), salt));
                for (index_t j = 0; j < x.d; ++j) {
                    const T *column = x.data + j * x.stride + begin;
                    scan_line(column, end - begin, columns[std::size_t(j)], rows.data(), false, h, b);
                    double sum = 0;
#pragma omp simd reduction(+ : sum)
                    for (index_t i = 0; i < end - begin; ++i) sum += double(column[i]) * double(column[i]);
                    squares[c][j] = sum;
                }
            }
            hash[std::size_t(c)] = h;
            bad[std::size_t(c)] = b;
        });
    });
    reduce_chunks(squares[0], chunks.count, design.d, column_squares, threads);
    Scan result{0, true};
    for (std::size_t c = 0; c < hash.size(); ++c) {
        result.hash += hash[c];
        result.finite = result.finite && !bad[c];
    }
    return result;
}

}  // namespace linsep
