// Same bits for any number of threads: rows are cut into chunks by facts of the problem alone, each chunk
// is summed by one thread from its first row to its last, and the chunks' sums are added in their order.
#pragma once
#include <algorithm>
#include <vector>

#include "design.hpp"

namespace linsep {

constexpr index_t kBlock = 256;  // rows a thread holds in cache at a time

struct Chunks {
    index_t n, count, size;

    // `work`: elements read in all; `width`: doubles that one chunk must sum into.
    Chunks(index_t n_, index_t work, index_t width) : n(n_) {
        const index_t wanted = std::min<index_t>(64, work / 16384);
        const index_t affordable = std::max<index_t>(4, work / (4 * std::max<index_t>(1, width)));
        const index_t blocks = (n + kBlock - 1) / kBlock;
        count = std::max<index_t>(1, std::min({wanted, affordable, blocks}));
        size = ((blocks + count - 1) / count) * kBlock;
        count = std::max<index_t>(1, (n + size - 1) / size);
    }
    index_t begin(index_t c) const { return std::min(n, c * size); }
    index_t end(index_t c) const { return std::min(n, (c + 1) * size); }
};

// Runs f(chunk) for every chunk on at most `threads` threads.
template <class F>
void for_chunks(index_t count, int threads, F &&f) {
    if (threads <= 1 || count <= 1) {
        for (index_t c = 0; c < count; ++c) f(c);
        return;
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(int(std::min<index_t>(threads, count)))
    for (index_t c = 0; c < count; ++c) f(c);
}

// out[j] = Σ_c partial[c·width + j], chunk by chunk in order; the columns are shared among threads.
inline void reduce_chunks(const double *partial, index_t count, index_t width, double *out, int threads) {
    const index_t slice = 8192, slices = (width + slice - 1) / slice;
    for_chunks(slices, threads, [&](index_t s) {
        const index_t lo = s * slice, hi = std::min(width, lo + slice);
        std::copy(partial + lo, partial + hi, out + lo);
        for (index_t c = 1; c < count; ++c) {
            const double *p = partial + c * width;
#pragma omp simd
            for (index_t j = lo; j < hi; ++j) out[j] += p[j];
        }
    });
}

// The chunks' sums: one zeroed row of `width` doubles a chunk (zeroed by the thread that will fill it).
struct Partials {
    index_t width;
    std::vector<double> store;
    Partials(index_t count, index_t width_) : width(width_), store(std::size_t(count * width_)) {}
    double *operator[](index_t c) { return store.data() + c * width; }
};

}  // namespace linsep
