#include "sparse.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "chunks.hpp"
#include "registers.hpp"

namespace linsep {
namespace {

// A register of the instruction set, but at most one pack: a wider vector type would be taken apart through memory.
template <class A>
struct Register {
    static constexpr index_t bytes = std::min<index_t>(kRegister, kPack * index_t(sizeof(A))), count = bytes / index_t(sizeof(A));
    typedef A type __attribute__((vector_size(bytes)));
};
constexpr index_t kHeld = 8;  // registers that hold sums

// z[0..V registers) = Σ over the entries [k, end) of a row.
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

}  // namespace

template <class A>
void gather_rows(const Design &design, index_t lo, index_t hi, const A *w, index_t k, double *z) {
    visit_csr(design, [&](const auto &x) {
        for (index_t i = lo; i < hi; ++i) gather_row(x, i, w, k, z + (i - lo) * k);
    });
}

template <class A>
void gather_all(const Design &design, const A *w, index_t k, double *z, int threads) {
    constexpr index_t kParts = 64;
    std::vector<index_t> cuts(kParts + 1, design.n);  // the first row of every part
    visit_csr(design, [&](const auto &x) {
        const double entries = double(x.indptr[x.n]);
        for (index_t part = 0; part < kParts; ++part) {
            const auto at = static_cast<std::decay_t<decltype(*x.indptr)>>(entries * double(part) / double(kParts));
            cuts[std::size_t(part)] = std::lower_bound(x.indptr, x.indptr + x.n, at) - x.indptr;
        }
    });
    for_chunks(kParts, threads, [&](index_t part) {
        const index_t lo = cuts[std::size_t(part)];
        gather_rows(design, lo, cuts[std::size_t(part + 1)], w, k, z + lo * k);
    });
}

void scatter_rows(const Design &design, index_t lo, index_t hi, const double *r, index_t k, double *g) {
    visit_csr(design, [&](const auto &x) {
        for (index_t i = lo; i < hi; ++i) {
            const double *ri = r + (i - lo) * k;
            x.each(i, [&](index_t j, double v) {
                double *gj = g + j * k;
#pragma omp simd
                for (index_t c = 0; c < k; ++c) gj[c] += v * ri[c];
            });
        }
    });
}

template void gather_rows(const Design &, index_t, index_t, const double *, index_t, double *);
template void gather_rows(const Design &, index_t, index_t, const float *, index_t, double *);
template void gather_all(const Design &, const double *, index_t, double *, int);
template void gather_all(const Design &, const float *, index_t, double *, int);

}  // namespace linsep
