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

// What is found in a chunk of rows. The keys of all columns are made beforehand.
struct Found {
    std::uint32_t salt;
    const std::uint64_t *columns;
    double *squares;  // by column, or null
    std::uint64_t hash = 0, bad = 0;
    double all = 0;

    std::uint64_t row(index_t i) const { return key(std::uint64_t(i), salt); }

    void line(const double *x, index_t count, std::uint64_t fixed, const std::uint64_t *keys) {
        std::uint64_t h = 0, b = 0;
#pragma omp simd reduction(+ : h) reduction(| : b)
        for (index_t j = 0; j < count; ++j) h += term(x[j], fixed ^ keys[j], b);
        hash += h;
        bad |= b;
    }

    // Other types are widened first, a few hundred at a time: the compiler makes vector code of either loop, not of both.
    template <class T>
    void line(const T *x, index_t count, std::uint64_t fixed, const std::uint64_t *keys) {
        double wide[256];
        for (index_t lo = 0; lo < count; lo += 256) {
            const index_t size = std::min<index_t>(256, count - lo);
#pragma omp simd
            for (index_t j = 0; j < size; ++j) wide[j] = double(x[lo + j]);
            line(wide, size, fixed, keys + lo);
        }
    }
};

// The entries of sparse rows, a few hundred at a time whatever their rows: their keys are collected first.
template <class T, class I>
void look(const CsrRows<T, I> &x, index_t begin, index_t end, Found &found) {
    constexpr index_t room = 256;
    std::uint64_t own[room];
    index_t first = 0, count = 0;  // of the entries collected
    const auto flush = [&] {
        found.line(x.data + first, count, 0, own);
        found.all += sum_of_squares(x.data + first, count);
        first += count, count = 0;
    };
    for (index_t i = begin; i < end; ++i) {
        const std::uint64_t row = found.row(i);
        index_t k = x.begin(i);
        const index_t stop = x.end(i);
        if (first + count != k) flush(), first = k;  // a subset's next row stands elsewhere
        while (k < stop) {
            const index_t more = std::min(stop - k, room - count);
            for (index_t j = 0; j < more; ++j) own[count + j] = row ^ found.columns[x.indices[k + j]];
            k += more, count += more;
            if (count == room) flush();
        }
        if (found.squares) x.each(i, [&](index_t j, double v) { found.squares[j] += v * v; });
    }
    flush();
}

template <class T>
void look(const DenseRows<T> &x, index_t begin, index_t end, Found &found) {
    const index_t width = found.squares ? x.d : 0;
    for (index_t i = begin; i < end; ++i) {
        const T *__restrict row = x.row(i);
        double *__restrict sum = found.squares;
        found.line(row, x.d, found.row(i), found.columns);
        if (!sum) found.all += sum_of_squares(row, x.d);
#pragma omp simd
        for (index_t j = 0; j < width; ++j) sum[j] += double(row[j]) * double(row[j]);
    }
}

template <class T>
void look(const DenseColumns<T> &x, index_t begin, index_t end, Found &found) {
    if (x.subset) {
        for (index_t i = begin; i < end; ++i) {
            const std::uint64_t row = found.row(i);
            x.each(i, [&](index_t j, double v) {
                found.hash += term(v, row ^ found.columns[j], found.bad);
                found.all += v * v;
                if (found.squares) found.squares[j] += v * v;
            });
        }
        return;
    }
    std::vector<std::uint64_t> rows;
    for (index_t i = begin; i < end; ++i) rows.push_back(found.row(i));
    for (index_t j = 0; j < x.d; ++j) {
        const T *column = x.data + j * x.stride + begin;
        found.line(column, end - begin, found.columns[j], rows.data());
        const double sum = sum_of_squares(column, end - begin);
        found.all += sum;
        if (found.squares) found.squares[j] = sum;
    }
}

std::vector<std::uint64_t> column_keys(index_t d, std::uint32_t salt, int threads) {
    std::vector<std::uint64_t> keys(static_cast<std::size_t>(d));
    std::uint64_t *out = keys.data();
    const Chunks chunks(d, d, 0);
    for_chunks(chunks, threads, [&](index_t c) {
        const index_t end = chunks.end(c);
#pragma omp simd
        for (index_t j = chunks.begin(c); j < end; ++j) out[j] = key(std::uint64_t(j), salt);
    });
    return keys;
}

}  // namespace

Scan scan(const Design &design, std::uint32_t salt, double *column_squares, int threads) {
    const index_t width = column_squares ? design.d : 0;
    const Chunks chunks(design.n, design.nnz + design.n, width);
    const std::vector<std::uint64_t> columns = column_keys(design.d, ~salt, threads);
    std::vector<Found> all(std::size_t(chunks.count), Found{salt, columns.data(), nullptr});
    sum_chunks(chunks, width, column_squares, threads, [&](index_t c, double *squares) {
        Found found{salt, columns.data(), column_squares ? squares : nullptr};  // beside those of other threads it is slow
        visit_storage(design, [&](const auto &x) { look(x, chunks.begin(c), chunks.end(c), found); });
        if (column_squares) found.all = std::accumulate(squares, squares + width, 0.0);
        all[std::size_t(c)] = found;
    });
    Scan result{0, true, 0.0};
    for (const Found &found : all) {
        result.hash += found.hash;
        result.squares += found.all;
        result.finite = result.finite && !found.bad;
    }
    return result;
}

}  // namespace linsep
