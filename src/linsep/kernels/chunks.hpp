// Same bits for any number of threads: rows are cut into chunks by facts of the problem alone, each chunk
// is summed by one thread from its first row to its last, and the chunks' sums are added in their order.
#pragma once
#include <algorithm>
#include <vector>

#include "function_ref.hpp"
#include "design.hpp"

namespace linsep {

constexpr index_t kBlock = 256;  // rows a thread holds in cache at a time
constexpr index_t kEach = 1 << 17;  // elements for which a thread is worth waking: it takes about as long to come

struct Chunks {
    index_t n, work, count, size;

    // `work`: elements read in all; `width`: doubles that one chunk must sum into.
    Chunks(index_t n_, index_t work_, index_t width) : n(n_), work(work_) {
        const index_t wanted = std::min<index_t>(64, work / 16384);
        const index_t affordable = std::max<index_t>(2, work / (8 * std::max<index_t>(1, width)));
        const index_t blocks = (n + kBlock - 1) / kBlock;
        count = std::max<index_t>(1, std::min({wanted, affordable, blocks}));
        size = std::max<index_t>(1, (blocks + count - 1) / count) * kBlock;
        count = std::max<index_t>(1, (n + size - 1) / size);
    }
    index_t begin(index_t c) const { return std::min(n, c * size); }
    index_t end(index_t c) const { return std::min(n, (c + 1) * size); }
    // As many of the threads as have work enough.
    int worth(int threads) const { return int(std::min<index_t>(threads, 1 + work / kEach)); }
};

// Calls f(lo, hi) for the blocks of rows of a chunk.
template <class F>
void for_blocks(const Chunks &chunks, index_t c, index_t rows, F &&f) {
    for (index_t lo = chunks.begin(c), end = chunks.end(c); lo < end; lo += rows) f(lo, std::min(end, lo + rows));
}

// Runs f(chunk) for every chunk on at most `threads` threads.
void for_chunks(index_t count, int threads, FunctionRef<void(index_t)> f);
inline void for_chunks(const Chunks &chunks, int threads, FunctionRef<void(index_t)> f) {
    for_chunks(chunks.count, chunks.worth(threads), f);
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
void sum_chunks(const Chunks &, index_t width, double *out, int threads, FunctionRef<void(index_t, double *)> f);
// The same for rows whose entries are not read: f(first row, count, sum).
void sum_rows(index_t n, index_t work, index_t width, double *out, int threads, FunctionRef<void(index_t, index_t, double *)> f);

}  // namespace linsep
