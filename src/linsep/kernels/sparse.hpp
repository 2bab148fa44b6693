// K sums at once over sparse rows: zᵢ = Σⱼ xᵢⱼ wⱼ with wⱼ of K numbers, in registers.
//
// The wⱼ stand `padded(K)` apart, whole packs of eight, so that no loop has a remainder. With the transpose of X at
// hand the same function is the adjoint: gⱼ = Σᵢ xᵢⱼ rᵢ is written once for every column, where adding row by row
// would need a copy of all d×K sums for every chunk of rows.
#pragma once
#include <algorithm>
#include <cstring>

#include "chunks.hpp"
#include "design.hpp"

namespace linsep {

constexpr index_t kPack = 8, kPacks = 4;  // numbers a pack, packs held in registers

inline index_t padded(index_t k) { return (k + kPack - 1) / kPack * kPack; }

template <class A>
struct Eight {
    typedef A type __attribute__((vector_size(kPack * sizeof(A))));
};

// z[0..8P) = Σ over the entries [k, end) of a row; sums of 256 entries in the arithmetic A, their sum in float64.
template <index_t P, class A, class T, class I>
void gather_packs(const T *data, const I *indices, index_t k, index_t end, const A *w, index_t stride, double *z) {
    using Sum = typename Eight<A>::type;
    typename Eight<double>::type total[P] = {};
    while (k < end) {
        const index_t stop = std::min(end, k + 256);
        Sum sum[P] = {};
        for (; k < stop; ++k) {
            const A v = A(data[k]), *from = w + index_t(indices[k]) * stride;
            for (index_t p = 0; p < P; ++p) {
                Sum pack;
                std::memcpy(&pack, from + p * kPack, sizeof pack);
                sum[p] += v * pack;
            }
        }
        for (index_t p = 0; p < P; ++p) total[p] += __builtin_convertvector(sum[p], typename Eight<double>::type);
    }
    std::memcpy(z, total, sizeof total);
}

// z (k) = Σⱼ xᵢⱼ wⱼ for row i.
template <class A, class T, class I>
void gather_row(const CsrRows<T, I> &x, index_t i, const A *w, index_t k, double *z) {
    const index_t stride = padded(k), begin = x.begin(i), end = x.end(i);
    for (index_t first = 0; first < k; first += kPack * kPacks) {
        double sums[kPack * kPacks];
        const index_t count = std::min(k - first, kPack * kPacks);
        const A *from = w + first;
        switch (padded(count) / kPack) {
            case 1: gather_packs<1>(x.data, x.indices, begin, end, from, stride, sums); break;
            case 2: gather_packs<2>(x.data, x.indices, begin, end, from, stride, sums); break;
            case 3: gather_packs<3>(x.data, x.indices, begin, end, from, stride, sums); break;
            default: gather_packs<4>(x.data, x.indices, begin, end, from, stride, sums);
        }
        std::copy(sums, sums + count, z + first);
    }
}

// Rows of k numbers, padded and in the arithmetic A.
template <class A>
void pad_rows(const double *from, index_t rows, index_t k, A *to) {
    const index_t stride = padded(k);
    for (index_t i = 0; i < rows; ++i)
        for (index_t c = 0; c < stride; ++c) to[i * stride + c] = c < k ? A(from[i * k + c]) : A(0);
}

// out (n×k) = X W, the rows shared out among the threads by their entries: each is one thread's own.
template <class A, class T, class I>
void gather_rows(const CsrRows<T, I> &x, const A *w, index_t k, double *out, int threads) {
    constexpr index_t kParts = 64;
    const index_t entries = index_t(x.indptr[x.n]);
    const auto cut = [&](index_t part) {
        const I at = I(double(entries) * double(part) / double(kParts));
        return part == kParts ? x.n : std::lower_bound(x.indptr, x.indptr + x.n, at) - x.indptr;
    };
    for_chunks(kParts, threads, [&](index_t part) {
        for (index_t i = cut(part), end = cut(part + 1); i < end; ++i) gather_row(x, i, w, k, out + i * k);
    });
}

}  // namespace linsep
