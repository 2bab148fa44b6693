// K sums at once over sparse rows: zᵢ = Σⱼ xᵢⱼ wⱼ with wⱼ of K numbers, in registers.
//
// The wⱼ stand `padded(K)` apart, whole packs of eight, so that no loop has a remainder. With the transpose of X at
// hand the same function is the adjoint: gⱼ = Σᵢ xᵢⱼ rᵢ is written once for every column, where adding row by row
// would need a copy of all d×K sums for every chunk of rows.
#pragma once
#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "chunks.hpp"
#include "design.hpp"
#include "registers.hpp"

namespace linsep {

constexpr index_t kPack = 8;  // numbers

inline index_t padded(index_t k) { return (k + kPack - 1) / kPack * kPack; }

// A register of the instruction set, but at most one pack: a wider vector type would be taken apart through memory.
template <class A>
struct Register {
    static constexpr index_t bytes = std::min<index_t>(kRegister, kPack * index_t(sizeof(A))), count = bytes / index_t(sizeof(A));
    typedef A type __attribute__((vector_size(bytes)));
};
constexpr index_t kHeld = 8;  // registers that hold sums

// z[0..V registers) = Σ over the entries [k, end) of a row; float32 sums are added up in float64 every 256 entries.
template <index_t V, class A, class T, class I>
void gather_registers(const T *data, const I *indices, index_t k, index_t end, const A *w, index_t stride, double *z) {
    using R = Register<A>;
    constexpr index_t block = std::is_same_v<A, double> ? std::numeric_limits<index_t>::max() : 256;
    std::fill(z, z + V * R::count, 0.0);
    while (k < end) {
        const index_t stop = end - k > block ? k + block : end;
        typename R::type sum[V] = {};
        for (; k < stop; ++k) {
            const A v = A(data[k]), *from = w + index_t(indices[k]) * stride;
            for (index_t p = 0; p < V; ++p) {
                typename R::type part;
                std::memcpy(&part, from + p * R::count, sizeof part);
                sum[p] += v * part;
            }
        }
        for (index_t p = 0; p < V; ++p)
            for (index_t c = 0; c < R::count; ++c) z[p * R::count + c] += double(sum[p][c]);
    }
}

// Calls f with the number of registers, 1 to kHeld, as a compile-time constant.
template <index_t V = kHeld, class F>
void with_registers(index_t count, F &&f) {
    if constexpr (V > 1)
        if (count < V) return with_registers<V - 1>(count, f);
    f(std::integral_constant<index_t, V>());
}

// z (k) = Σⱼ xᵢⱼ wⱼ for row i.
template <class A, class T, class I>
void gather_row(const CsrRows<T, I> &x, index_t i, const A *w, index_t k, double *z) {
    constexpr index_t count = Register<A>::count;
    const index_t stride = padded(k), begin = x.begin(i), end = x.end(i);
    for (index_t first = 0; first < k; first += kHeld * count) {
        double sums[kHeld * count];
        const index_t wanted = std::min(k - first, kHeld * count);
        with_registers((wanted + count - 1) / count, [&](auto registers) {
            gather_registers<decltype(registers)::value>(x.data, x.indices, begin, end, w + first, stride, sums);
        });
        std::copy(sums, sums + wanted, z + first);
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
