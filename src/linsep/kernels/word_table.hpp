// Words by number: an open-addressing hash table from bytes to 0, 1, 2, … in the order in which words are added.
#pragma once
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "design.hpp"
#include "prefetch.hpp"

namespace linsep {

struct Slice {
    const char *data;
    std::uint32_t size;
};

constexpr std::uint32_t kNoWord = 0xffffffffu;

template <class T>
T loaded(const char *from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

// Only for tables that live in memory: its values are not the same on every machine (see `bucket_of` for those).
inline std::uint64_t hash_of(Slice word) {
    const char *p = word.data;
    std::uint32_t left = word.size;
    std::uint64_t h = 0x9e3779b97f4a7c15ull ^ left;
    const auto mix = [&h](std::uint64_t part) {
        h = (h ^ part) * 0xff51afd7ed558ccdull;
        h ^= h >> 32;
    };
    for (; left >= 8; p += 8, left -= 8) mix(loaded<std::uint64_t>(p));
    if (left >= 4) {
        mix(loaded<std::uint32_t>(p) | std::uint64_t(loaded<std::uint32_t>(p + left - 4)) << 32);
    } else if (left) {
        mix(std::uint64_t(std::uint8_t(p[0])) | std::uint64_t(std::uint8_t(p[left / 2])) << 8 |
            std::uint64_t(std::uint8_t(p[left - 1])) << 16);
    }
    return h * 0xc4ceb9fe1a85ec53ull;
}

class WordTable {
    struct Slot {
        std::uint32_t tag, number;  // the upper half of the hash; kNoWord: empty
    };
    struct Word {
        std::uint64_t hash, start;
        std::uint32_t size;
    };
    std::vector<Slot> slots;
    std::vector<Word> words;
    std::vector<char> bytes;
    std::size_t mask;

    void grow() {
        mask = 2 * mask + 1;
        slots.assign(mask + 1, {0, kNoWord});
        for (std::uint32_t i = 0; i < words.size(); ++i) {
            std::size_t at = words[i].hash & mask;
            while (slots[at].number != kNoWord) at = (at + 1) & mask;
            slots[at] = {std::uint32_t(words[i].hash >> 32), i};
        }
    }

    // The slot that holds the word, or the empty one where it would be.
    std::size_t place(Slice word, std::uint64_t hash) const {
        const std::uint32_t tag = std::uint32_t(hash >> 32);
        for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
            const Slot slot = slots[at];
            if (slot.number == kNoWord) return at;
            if (slot.tag != tag) continue;
            const Word &known = words[slot.number];
            if (known.size == word.size && !std::memcmp(bytes.data() + known.start, word.data, word.size)) return at;
        }
    }

  public:
    WordTable() : slots(1024, {0, kNoWord}), mask(1023) {}

    std::uint32_t size() const { return std::uint32_t(words.size()); }
    Slice word(std::uint32_t i) const { return {bytes.data() + words[i].start, words[i].size}; }
    std::uint64_t hash(std::uint32_t i) const { return words[i].hash; }

    // What `find` and `add` will read, asked for early and in three steps, as each needs the one before.
    LINSEP_PREFETCHES void prefetch_slot(std::uint64_t hash) const { prefetch_near(&slots[hash & mask]); }
    std::uint32_t prefetch_word(std::uint64_t hash) const {
        const Slot slot = slots[hash & mask];
        if (slot.number == kNoWord || slot.tag != std::uint32_t(hash >> 32)) return kNoWord;
        prefetch_near(&words[slot.number]);
        return slot.number;
    }
    LINSEP_PREFETCHES void prefetch_bytes(std::uint32_t number) const { prefetch_near(bytes.data() + words[number].start); }

    // kNoWord if the table does not have it.
    std::uint32_t find(Slice word, std::uint64_t hash) const { return slots[place(word, hash)].number; }

    std::uint32_t add(Slice word, std::uint64_t hash) {
        const std::size_t at = place(word, hash);
        if (slots[at].number != kNoWord) return slots[at].number;
        const std::uint32_t number = size();
        if (number >= kNoWord - 1) throw std::length_error("more than 4 billion different words");
        slots[at] = {std::uint32_t(hash >> 32), number};
        words.push_back({hash, bytes.size(), word.size});
        bytes.insert(bytes.end(), word.data, word.data + word.size);
        if (2 * words.size() > mask) grow();
        return number;
    }
};

}  // namespace linsep
