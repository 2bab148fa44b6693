// Words sorted by their bytes, which for UTF-8 is the order of code points and so that of Python's strings.
//
// Words are dealt by their first two bytes; each heap is sorted by the first eight bytes as one number, and by what
// follows only where those are equal.
#pragma once
#include <algorithm>
#include <cstring>
#include <vector>

#include "chunks.hpp"
#include "word_table.hpp"

namespace linsep {

struct SortKey {
    std::uint64_t first;  // the first eight bytes, the first one highest, zeros behind the end
    std::uint32_t number;
};

inline SortKey sort_key(const WordTable &table, std::uint32_t number) {
    const Slice word = table.word(number);
    std::uint64_t first = 0;
    for (std::uint32_t i = 0; i < 8; ++i) first = first << 8 | (i < word.size ? std::uint8_t(word.data[i]) : 0);
    return {first, number};
}

inline bool before(const WordTable &table, const SortKey &a, const SortKey &b) {
    if (a.first != b.first) return a.first < b.first;
    const Slice x = table.word(a.number), y = table.word(b.number);
    const int c = std::memcmp(x.data, y.data, std::min(x.size, y.size));
    return c ? c < 0 : x.size < y.size;
}

inline void sort_by_bytes(const WordTable &table, std::vector<std::uint32_t> &numbers, int threads) {
    constexpr std::size_t kHeaps = 1 << 16;
    std::vector<SortKey> keys(numbers.size()), dealt(numbers.size());
    std::vector<std::size_t> starts(kHeaps + 1, 0);
    for (std::size_t j = 0; j < numbers.size(); ++j) {
        keys[j] = sort_key(table, numbers[j]);
        ++starts[(keys[j].first >> 48) + 1];
    }
    for (std::size_t h = 0; h < kHeaps; ++h) starts[h + 1] += starts[h];
    std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
    for (const SortKey &key : keys) dealt[next[key.first >> 48]++] = key;
    for_chunks(index_t(kHeaps / 64), numbers.size() > 4096 ? threads : 1, [&](index_t c) {
        for (std::size_t h = std::size_t(c) * 64; h < std::size_t(c + 1) * 64; ++h)
            std::sort(dealt.begin() + std::ptrdiff_t(starts[h]), dealt.begin() + std::ptrdiff_t(starts[h + 1]),
                      [&](const SortKey &a, const SortKey &b) { return before(table, a, b); });
    });
    for (std::size_t j = 0; j < numbers.size(); ++j) numbers[j] = dealt[j].number;
}

}  // namespace linsep
