// The rows of a kernel matrix used last, in bounded memory: the one not used for longest makes room.
//
// A row is held for the active positions only, or for the first of them (its valid length). When positions are
// dropped, the rows are made shorter in place, and more of them fit.
#pragma once
#include <algorithm>
#include <list>
#include <memory>
#include <vector>

#include "design.hpp"

namespace linsep {

class RowCache {
    index_t doubles, stride;                          // of the memory, and of one row
    std::unique_ptr<double[]> memory;                 // pages are taken when first written
    std::vector<index_t> row_of, length, slot_of;     // of a slot its row and valid length; of a row its slot or −1
    std::list<index_t> recent;                        // slots in use, the last used first
    std::vector<std::list<index_t>::iterator> place;  // of a slot in `recent`

    index_t capacity() const { return std::min<index_t>(doubles / stride, index_t(slot_of.size())); }
    index_t free_slot() {
        if (index_t(row_of.size()) < capacity()) {
            const auto slot = index_t(row_of.size());
            row_of.push_back(-1), length.push_back(0), recent.push_front(slot), place.push_back(recent.begin());
            return slot;
        }
        const index_t slot = recent.back();
        if (row_of[std::size_t(slot)] >= 0) slot_of[std::size_t(row_of[std::size_t(slot)])] = -1;
        return slot;
    }

  public:
    struct Row {
        double *values;
        index_t *valid;   // how many of them; the caller computes the rest
    };

    // At most `bytes`, but two rows always.
    RowCache(index_t n, double bytes)
        : doubles(index_t(std::min(std::max(bytes / 8.0, 2.0 * double(n)), double(n) * double(std::max<index_t>(n, 2))))),
          stride(std::max<index_t>(n, 1)), memory(new double[std::size_t(doubles)]), slot_of(std::size_t(n), -1) {}

    // The row, marked as the last used. What `take` returned before stays valid for one more call.
    Row take(index_t row) {
        index_t slot = slot_of[std::size_t(row)];
        if (slot < 0) {
            slot = free_slot();
            slot_of[std::size_t(row)] = slot, row_of[std::size_t(slot)] = row, length[std::size_t(slot)] = 0;
        }
        recent.splice(recent.begin(), recent, place[std::size_t(slot)]);
        return {memory.get() + slot * stride, &length[std::size_t(slot)]};
    }

    // Only the positions kept[0] < kept[1] < … remain, as 0, 1, ….
    void compact(const std::vector<index_t> &kept) {
        const auto wanted = std::max<index_t>(1, index_t(kept.size()));
        const index_t narrow = wanted * 5 <= stride * 4 ? wanted : stride;
        for (std::size_t slot = 0; slot < row_of.size(); ++slot) {
            const double *from = memory.get() + index_t(slot) * stride;
            double *to = memory.get() + index_t(slot) * narrow;
            std::size_t k = 0;
            for (; k < kept.size() && kept[k] < length[slot]; ++k) to[k] = from[kept[k]];
            length[slot] = index_t(k);
        }
        stride = narrow;
    }

    // Room for rows of `count` positions: what is held stays if it fits, else it is dropped.
    void widen(index_t count) {
        if (count <= stride) return;
        std::fill(slot_of.begin(), slot_of.end(), index_t(-1));
        row_of.clear(), length.clear(), place.clear(), recent.clear();
        stride = index_t(slot_of.size());
    }

    index_t held() const { return index_t(row_of.size()); }
};

}  // namespace linsep
