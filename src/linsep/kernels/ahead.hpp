// Rows in random order are scattered over memory, so a loop over them asks for a row some places before it gets there.
#pragma once
#include "rows.hpp"

namespace linsep {

constexpr index_t kAhead = 8;  // rows

// Called at every place k of an order, it asks at every other for two rows; `arrays` hold one number a row that the loop
// reads too.
template <class Rows, class Index, class... Arrays>
LINSEP_PREFETCHES void ask_ahead(const Rows &x, const Index *order, index_t count, index_t k, const Arrays *...arrays) {
    if (k % 2 != 0 || k + kAhead + 1 >= count) return;
    const index_t i = index_t(order[k + kAhead]), j = index_t(order[k + kAhead + 1]);
    x.prefetch(i, j);
    (prefetch(arrays + i), ...);
    (prefetch(arrays + j), ...);
}

}  // namespace linsep
