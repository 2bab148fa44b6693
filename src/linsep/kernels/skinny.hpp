// Products of a tile of dense rows with a few vectors, in registers: R rows by C vectors at a time.
//
// BLAS packs its operands for large products; with K around ten, packing costs as much as multiplying. Here the
// rows are read where they are. Vectors are class-major: w (K×d), g (K×d). The last columns, fewer than a vector
// register holds, are covered by one more register that overlaps the one before, with zeros in the overlap.
#pragma once
#include <cstring>
#include <utility>

#include "design.hpp"
#include "registers.hpp"

namespace linsep {

template <class A>
struct Pack {
    typedef A type __attribute__((vector_size(kRegister)));
    static constexpr index_t lanes = kRegister / index_t(sizeof(A));
    static type load(const A *p) {
        type v;
        std::memcpy(&v, p, sizeof v);
        return v;
    }
    // Numbers of another type as A.
    template <class T>
    static type load(const T *p) {
        typedef T narrow __attribute__((vector_size(sizeof(T) * std::size_t(lanes))));
        narrow v;
        std::memcpy(&v, p, sizeof v);
        return __builtin_convertvector(v, type);
    }
    static void store(A *p, type v) { std::memcpy(p, &v, sizeof v); }
    static A sum(type v) {
        A s = 0;
        for (index_t l = 0; l < lanes; ++l) s += v[l];
        return s;
    }
    // Half the sums: groups of `width` lanes of a, then those of b, each group folded to half its lanes.
    template <index_t width, std::size_t... l>
    static type halves(type a, type b, std::index_sequence<l...>) {
        constexpr index_t half = width / 2;
        return __builtin_shufflevector(a, b, (index_t(l) / half * width + index_t(l) % half)...) +
               __builtin_shufflevector(a, b, (index_t(l) / half * width + index_t(l) % half + half)...);
    }
    template <index_t width>
    static type halves(type a, type b) {
        return halves<width>(a, b, std::make_index_sequence<std::size_t(lanes)>());
    }
    // The sums of four vectors, which together take as many steps as one alone.
    static void sums(type a, type b, type c, type d, A *to) {
        if constexpr (lanes < 4) {
            to[0] = sum(a), to[1] = sum(b), to[2] = sum(c), to[3] = sum(d);
        } else {
            type all = halves<lanes / 2>(halves<lanes>(a, b), halves<lanes>(c, d));  // four groups of lanes / 4
            if constexpr (lanes >= 8) all = halves<lanes / 4>(all, all);
            if constexpr (lanes >= 16) all = halves<lanes / 8>(all, all);
            for (index_t q = 0; q < 4; ++q) to[q] = all[q];
        }
    }
    // p[0..lanes) with its first `zeros` entries replaced by 0
    static type tail(const A *p, index_t zeros) {
        type v = load(p);
        for (index_t l = 0; l < zeros; ++l) v[l] = 0;
        return v;
    }
};

constexpr index_t kSkinnyRows = 4, kSkinnyClasses = 5;

// The last columns of C vectors, where whole registers leave some over.
template <index_t C, class A>
struct SkinnyTails {
    using P = Pack<A>;
    const index_t whole;
    typename P::type last[C];
    SkinnyTails(const A *w, index_t d) : whole(d / P::lanes * P::lanes) {
        for (index_t c = 0; c < C && whole < d && d >= P::lanes; ++c)
            last[c] = P::tail(w + c * d + d - P::lanes, whole - d + P::lanes);
    }
};

// z[r·k + c] = Σⱼ x[r·stride + j] w[c·d + j] for R rows and C classes.
template <index_t R, index_t C, class A>
void skinny_dots(const A *x, index_t stride, const A *w, const SkinnyTails<C, A> &tails, index_t d, index_t k, double *z) {
    using P = Pack<A>;
    typename P::type sum[R][C] = {};
    const index_t whole = tails.whole;
    for (index_t j = 0; j < whole; j += P::lanes) {
        typename P::type row[R];
        for (index_t r = 0; r < R; ++r) row[r] = P::load(x + r * stride + j);
        for (index_t c = 0; c < C; ++c) {
            const typename P::type v = P::load(w + c * d + j);
            for (index_t r = 0; r < R; ++r) sum[r][c] += row[r] * v;
        }
    }
    if (whole < d && d >= P::lanes) {
        const index_t j = d - P::lanes;
        for (index_t r = 0; r < R; ++r) {
            const typename P::type row = P::load(x + r * stride + j);
            for (index_t c = 0; c < C; ++c) sum[r][c] += row * tails.last[c];
        }
    }
    for (index_t c = 0; c < C; ++c) {
        A s[R];
        if constexpr (R == 4) P::sums(sum[0][c], sum[1][c], sum[2][c], sum[3][c], s);
        else
            for (index_t r = 0; r < R; ++r) s[r] = P::sum(sum[r][c]);
        for (index_t r = 0; r < R; ++r) {
            if (d < P::lanes)
                for (index_t j = 0; j < d; ++j) s[r] += x[r * stride + j] * w[c * d + j];
            z[r * k + c] = double(s[r]);
        }
    }
}

// g[c·d + j] += Σᵢ r[i·k + c] x[i·stride + j] over `rows` rows, for C classes and V registers of columns from j on;
// the first `zeros` columns of the last register are left alone.
template <index_t V, index_t C, class A>
void skinny_sums(const A *x, index_t stride, const A *r, index_t rows, index_t k, A *g, index_t d, index_t zeros) {
    using P = Pack<A>;
    typename P::type sum[C][V] = {};
    for (index_t i = 0; i < rows; ++i) {
        typename P::type row[V];
        for (index_t v = 0; v < V; ++v) row[v] = P::load(x + i * stride + v * P::lanes);
        for (index_t c = 0; c < C; ++c) {
            const A scale = r[i * k + c];
            for (index_t v = 0; v < V; ++v) sum[c][v] += row[v] * scale;
        }
    }
    for (index_t c = 0; c < C; ++c)
        for (index_t v = 0; v < V; ++v) {
            A *to = g + c * d + v * P::lanes;
            for (index_t l = 0; l < (v == V - 1 ? zeros : 0); ++l) sum[c][v][l] = 0;
            P::store(to, P::load(to) + sum[c][v]);
        }
}

// Calls f with C as a compile-time constant, 1 ≤ C ≤ kSkinnyClasses.
template <class F>
void with_classes(index_t c, F &&f) {
    switch (c) {
        case 1: return f(std::integral_constant<index_t, 1>());
        case 2: return f(std::integral_constant<index_t, 2>());
        case 3: return f(std::integral_constant<index_t, 3>());
        case 4: return f(std::integral_constant<index_t, 4>());
        default: return f(std::integral_constant<index_t, 5>());
    }
}

// Z (rows×k) = X Wᵀ.
template <class A>
void skinny_scores(const A *x, index_t stride, index_t rows, const A *w, index_t d, index_t k, double *z) {
    for (index_t first = 0; first < k; first += kSkinnyClasses)
        with_classes(std::min(kSkinnyClasses, k - first), [&](auto c) {
            constexpr index_t C = decltype(c)::value;
            const A *wc = w + first * d;
            const SkinnyTails<C, A> tails(wc, d);
            index_t i = 0;
            for (; i + kSkinnyRows <= rows; i += kSkinnyRows)
                skinny_dots<kSkinnyRows, C>(x + i * stride, stride, wc, tails, d, k, z + i * k + first);
            for (; i < rows; ++i) skinny_dots<1, C>(x + i * stride, stride, wc, tails, d, k, z + i * k + first);
        });
}

// G (k×d) += Rᵀ X.
template <class A>
void skinny_adjoint(const A *x, index_t stride, index_t rows, const A *r, index_t d, index_t k, A *g) {
    using P = Pack<A>;
    constexpr index_t V = 4, span = V * P::lanes;
    for (index_t first = 0; first < k; first += kSkinnyClasses)
        with_classes(std::min(kSkinnyClasses, k - first), [&](auto c) {
            constexpr index_t C = decltype(c)::value;
            const A *rc = r + first;
            A *gc = g + first * d;
            index_t j = 0;
            for (; j + span <= d; j += span) skinny_sums<V, C>(x + j, stride, rc, rows, k, gc + j, d, 0);
            for (; j + P::lanes <= d; j += P::lanes) skinny_sums<1, C>(x + j, stride, rc, rows, k, gc + j, d, 0);
            if (j < d && d >= P::lanes)
                return skinny_sums<1, C>(x + d - P::lanes, stride, rc, rows, k, gc + d - P::lanes, d, j - d + P::lanes);
            for (; j < d; ++j)
                for (index_t i = 0; i < rows; ++i)
                    for (index_t l = 0; l < C; ++l) gc[l * d + j] += rc[i * k + l] * x[i * stride + j];
        });
}

// Gram matrices: so many columns by registers of columns in one block of sums, as the registers hold.
constexpr index_t kGramColumns = kRegister == 64 ? 8 : 4, kGramRegisters = 3;

// From one row to the next: no block has a remainder.
template <class A>
constexpr index_t gram_stride(index_t width) {
    constexpr index_t step = Pack<A>::lanes > kGramColumns ? Pack<A>::lanes : kGramColumns;
    return (width + step - 1) / step * step;
}

// G (stride×stride) += XᵀX, at least the upper triangle, of rows that end in zeros.
template <class A>
void skinny_gram(const A *x, index_t stride, index_t rows, A *g) {
    constexpr index_t C = kGramColumns, lanes = Pack<A>::lanes;
    for (index_t first = 0; first < stride; first += C) {
        index_t j = first / lanes * lanes;
        const auto block = [&](auto registers) {
            constexpr index_t V = decltype(registers)::value;
            skinny_sums<V, C>(x + j, stride, x + first, rows, stride, g + first * stride + j, stride, 0);
            j += V * lanes;
        };
        while (j + kGramRegisters * lanes <= stride) block(std::integral_constant<index_t, kGramRegisters>());
        if (j + 2 * lanes <= stride) block(std::integral_constant<index_t, 2>());
        if (j < stride) block(std::integral_constant<index_t, 1>());
    }
}

}  // namespace linsep
