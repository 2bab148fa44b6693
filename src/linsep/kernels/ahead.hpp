// Rows for a loop that takes one after the other: a second thread reads those to come, so that they are in a cache
// when the loop gets there. It changes no number; a loop of which each step needs the one before can use a second
// core for nothing else.
#pragma once
#include <algorithm>
#include <atomic>
#include <type_traits>

#include "design.hpp"
#include "pool.hpp"

namespace linsep {

constexpr index_t kAheadBytes = index_t(1) << 17;    // how far the second thread runs ahead
constexpr index_t kWorthwhile = index_t(1) << 22;    // bytes of rows: fewer are in a cache anyway
constexpr index_t kReported = 8;                     // rows between two reports of the loop

// One load a cache line: many misses are under way at once. Prefetch instructions did less.
template <class T>
double touch_lines(const T *p, index_t count) {
    double sum = 0;
    for (index_t j = 0; j < count; j += index_t(64 / sizeof(T))) sum += double(p[j]);
    return count > 0 ? sum + double(p[count - 1]) : sum;
}

template <class Rows>
double touch_row(const Rows &x, index_t i) {
    if constexpr (Rows::sparse)
        return touch_lines(x.data + x.begin(i), x.count(i)) + touch_lines(x.indices + x.begin(i), x.count(i));
    else if constexpr (std::is_same_v<Rows, DenseRows<typename Rows::value_type>>)
        return touch_lines(x.row(i), x.d);
    else
        return 0;
}

// Where the loop is: it calls `reached` with the place of every row in the order.
class Place {
    std::atomic<index_t> at{0};

  public:
    void reached(index_t k) {
        if (k % kReported == 0) at.store(k, std::memory_order_relaxed);
    }
    void ended() { at.store(-1, std::memory_order_relaxed); }
    index_t now() const { return at.load(std::memory_order_relaxed); }
};

template <class Rows, class Index>
void touch_ahead(const Rows &x, const Index *order, index_t count, index_t distance, const Place &place) {
    double sum = 0;
    for (index_t k = 0; k < count;) {
        const index_t now = place.now();
        if (now < 0) break;
        k = std::max(k, now + kReported);
        const index_t end = std::min(count, now + distance);
        for (; k < end; ++k) sum += touch_row(x, index_t(order[k]));
        if (k < count) Pool::pause();
    }
    [[maybe_unused]] volatile double kept = sum;  // so that the loads stay
}

// loop(place) visits the rows of the order one after the other.
template <class Rows, class Index, class F>
void with_rows_ahead(const Rows &x, const Index *order, index_t count, int threads, F &&loop) {
    Place place;
    const index_t entries = count > 0 ? x.count(index_t(order[count / 2])) : 0;
    const index_t bytes = 1 + entries * index_t(sizeof(typename Rows::value_type) + (Rows::sparse ? 4 : 0));
    if (threads < 2 || count * bytes < kWorthwhile) return loop(place);
    const index_t distance = std::clamp<index_t>(kAheadBytes / bytes, 2 * kReported, 4096);
    Pool::each(2, 2, [&](index_t part) {
        if (part == 1) return touch_ahead(x, order, count, distance, place);
        loop(place);
        place.ended();
    });
}

}  // namespace linsep
