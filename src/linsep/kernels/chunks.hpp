// Same bits for any number of threads: rows are cut into chunks by facts of the problem alone, each chunk
// is summed by one thread from its first row to its last, and the chunks' sums are added in their order.
#pragma once
#include <algorithm>
#include <vector>

#include "design.hpp"
#include "pool.hpp"

namespace linsep {

constexpr index_t kBlock = 256;  // rows a thread holds in cache at a time

struct Chunks {
    index_t n, count, size;

    // `work`: elements read in all; `width`: doubles that one chunk must sum into.
    Chunks(index_t n_, index_t work, index_t width) : n(n_) {
        const index_t wanted = std::min<index_t>(64, work / 16384);
        const index_t affordable = std::max<index_t>(2, work / (8 * std::max<index_t>(1, width)));
        const index_t blocks = (n + kBlock - 1) / kBlock;
        count = std::max<index_t>(1, std::min({wanted, affordable, blocks}));
        size = std::max<index_t>(1, (blocks + count - 1) / count) * kBlock;
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
    Pool::each(count, threads, f);
}

// Memory for one use, kept by the calling thread from one pass to the next: fresh pages cost more than the sums.
// What is larger than `kKept` entries is given back.
constexpr std::size_t kKept = std::size_t(1) << 25;

enum class Use { sums, weights, rows };

template <Use use, class T = double>
class Workspace {
    std::vector<T> &store;
    static std::vector<T> &own() {
        static thread_local std::vector<T> kept;
        return kept;
    }

  public:
    explicit Workspace(index_t size) : store(own()) {
        if (store.size() < std::size_t(size)) store.resize(std::size_t(size));
    }
    ~Workspace() {
        if (store.size() > kKept) std::vector<T>().swap(store);
    }
    Workspace(const Workspace &) = delete;
    T *data() { return store.data(); }
};

// out (width doubles) = Σ over chunks c of what f(c, sum) adds to its own zeroed `sum`, chunk by chunk in order.
template <class F>
void sum_chunks(const Chunks &chunks, index_t width, double *out, int threads, F &&f) {
    if (chunks.count == 1) {
        std::fill(out, out + width, 0.0);
        f(index_t(0), out);
        return;
    }
    Workspace<Use::sums> work(chunks.count * width);
    double *partial = work.data();
    for_chunks(chunks.count, threads, [&](index_t c) {
        double *sum = partial + c * width;
        std::fill(sum, sum + width, 0.0);
        f(c, sum);
    });
    const index_t slice = 8192, slices = (width + slice - 1) / slice;
    for_chunks(slices, slices > 8 ? threads : 1, [&](index_t s) {
        const index_t lo = s * slice, hi = std::min(width, lo + slice);
        std::copy(partial + lo, partial + hi, out + lo);
        for (index_t c = 1; c < chunks.count; ++c) {
            const double *p = partial + c * width;
#pragma omp simd
            for (index_t j = lo; j < hi; ++j) out[j] += p[j];
        }
    });
}

}  // namespace linsep
