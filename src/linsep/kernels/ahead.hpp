// Rows in random order are scattered over memory. Before a loop visits the next few of them, one plain load a cache
// line has many misses under way at once, and the rows are in the cache when the loop gets there. (Prefetch
// instructions did less, and a second thread that reads ahead did harm.)
#pragma once
#include <algorithm>
#include <type_traits>

#include "design.hpp"

namespace linsep {

constexpr index_t kTouched = 8192;  // entries at a time

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

// A loop over the rows of an order calls `reached` with every place in turn; some thousand entries are touched at a
// time, and what `more(i)` reads of row i.
template <class Rows, class Index, class More>
class Ahead {
    const Rows &x;
    const Index *order;
    More more;
    index_t count, block, untouched = 0;

  public:
    Ahead(const Rows &rows, const Index *order_, index_t count_, More more_)
        : x(rows), order(order_), more(more_), count(count_) {
        const index_t entries = count > 0 ? x.count(index_t(order[count / 2])) : 1;
        block = std::min<index_t>(256, 1 + kTouched / (1 + entries));
    }
    void reached(index_t k) {
        if (k < untouched) return;
        const index_t end = std::min(count, k + block);
        untouched = end;
        if (order[end - 1] - order[k] == Index(end - 1 - k)) return;  // in a row: the processor reads ahead by itself
        double sum = 0;
        for (index_t r = k; r < end; ++r) sum += touch_row(x, index_t(order[r])) + double(more(order[r]));
        [[maybe_unused]] volatile double kept = sum;  // so that the loads stay
    }
};

}  // namespace linsep
