// From a text to its terms: words, runs of words, or runs of characters, as slices of one buffer.
//
// The text is UTF-8. What a letter is, what white space is and what the lower case of a code point is stands in tables
// that the caller gives (Python's own answers), so that terms are those of Python's `str` and `re`.
//
//     words       maximal runs of letters (\w) of at least `shortest` code points, without the stop words; the buffer
//                 holds them with one space between, so that a run of n words is one slice
//     characters  the text with every run of two or more white spaces made one space; runs of n code points
//     padded      words between white space, each with a space before and after; runs of n code points within one;
//                 a word with fewer than n of them counts once, whole
#pragma once
#include <algorithm>
#include <vector>

#include "word_table.hpp"

namespace linsep {

enum class Unit { words, characters, padded };
enum Letter : std::uint8_t { kWord = 1, kSpace = 2 };

struct Reading {
    const std::uint8_t *kinds;  // (letters): bits of Letter
    const std::int32_t *lower;  // (letters): code points; themselves where case is kept
    index_t letters;            // code points from here on are no letters and keep their case
    Unit unit;
    int least, most;  // units in a term
    int shortest;     // code points in a word
    const WordTable *stop;
};

// One code point, and how many bytes it has; bytes that are not UTF-8 are U+FFFD one by one.
inline std::int32_t decoded(const char *p, const char *end, int &size) {
    const auto byte = [p](int i) { return std::int32_t(std::uint8_t(p[i])); };
    const auto follows = [&](int i) { return p + i < end && (byte(i) & 0xc0) == 0x80; };
    const std::int32_t first = byte(0);
    size = 1;
    if (first < 0x80) return first;
    if (first >= 0xc2 && first < 0xe0 && follows(1)) {
        size = 2;
        return (first & 0x1f) << 6 | (byte(1) & 0x3f);
    }
    if (first >= 0xe0 && first < 0xf0 && follows(1) && follows(2)) {
        size = 3;
        return (first & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
    }
    if (first >= 0xf0 && first < 0xf5 && follows(1) && follows(2) && follows(3)) {
        size = 4;
        return (first & 0x07) << 18 | (byte(1) & 0x3f) << 12 | (byte(2) & 0x3f) << 6 | (byte(3) & 0x3f);
    }
    return 0xfffd;
}

inline char *encoded(std::int32_t code, char *out) {
    if (code < 0x80) {
        *out++ = char(code);
    } else if (code < 0x800) {
        *out++ = char(0xc0 | code >> 6);
        *out++ = char(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *out++ = char(0xe0 | code >> 12);
        *out++ = char(0x80 | (code >> 6 & 0x3f));
        *out++ = char(0x80 | (code & 0x3f));
    } else {
        *out++ = char(0xf0 | code >> 18);
        *out++ = char(0x80 | (code >> 12 & 0x3f));
        *out++ = char(0x80 | (code >> 6 & 0x3f));
        *out++ = char(0x80 | (code & 0x3f));
    }
    return out;
}

class Reader {
    const Reading r;
    char word_byte[256];  // the lower case of an ASCII letter, 0 for every other byte
    std::vector<char> buffer;
    std::vector<std::uint32_t> starts, ends;  // of each unit in the buffer

    std::uint8_t kind(std::int32_t code) const { return code < r.letters ? r.kinds[code] : 0; }
    std::int32_t lower(std::int32_t code) const { return code < r.letters ? r.lower[code] : code; }

    // Moves p behind the word's letters, writes their lower case; returns how many they are.
    index_t letters_of_word(const char *&p, const char *end, char *&out) const {
        index_t count = 0;
        for (;;) {
            for (char c; p < end && (c = word_byte[std::uint8_t(*p)]); ++p, ++count) *out++ = c;
            if (p == end || std::uint8_t(*p) < 0x80) return count;
            int size;
            const std::int32_t code = decoded(p, end, size);
            if (!(kind(code) & kWord)) return count;
            out = encoded(lower(code), out);
            p += size, ++count;
        }
    }

    bool stopped(const char *word, const char *end) const {
        const Slice slice{word, std::uint32_t(end - word)};
        return r.stop && r.stop->find(slice, hash_of(slice)) != kNoWord;
    }

    void read_words(const char *p, const char *end) {
        char *out = buffer.data();
        while (p < end) {
            char *begin = out;
            const index_t count = letters_of_word(p, end, out);
            if (count >= r.shortest && !stopped(begin, out)) {
                starts.push_back(std::uint32_t(begin - buffer.data()));
                ends.push_back(std::uint32_t(out - buffer.data()));
                *out++ = ' ';
            } else {
                out = begin;
            }
            for (int size; p < end && !word_byte[std::uint8_t(*p)]; p += size)
                if (kind(decoded(p, end, size)) & kWord) break;
        }
    }

    void put(std::int32_t code, char *&out) {
        starts.push_back(std::uint32_t(out - buffer.data()));
        out = encoded(code, out);
        ends.push_back(std::uint32_t(out - buffer.data()));
    }

    void read_characters(const char *p, const char *end) {
        char *out = buffer.data();
        for (int size; p < end; p += size) {
            const std::int32_t code = decoded(p, end, size);
            if (!(kind(code) & kSpace)) {
                put(lower(code), out);
                continue;
            }
            int spaces = 1;
            for (int more; p + size < end && (kind(decoded(p + size, end, more)) & kSpace); ++spaces)
                p += size, size = more;
            put(spaces > 1 ? ' ' : code, out);
        }
    }

    template <class Sink>
    void runs(std::size_t from, std::size_t to, Sink &&sink) const {
        for (std::size_t n = std::size_t(r.least); n <= std::min(std::size_t(r.most), to - from); ++n)
            for (std::size_t i = from; i + n <= to; ++i)
                sink(Slice{buffer.data() + starts[i], ends[i + n - 1] - starts[i]});
    }

    // The units from, …, to − 1 are one word with its spaces.
    template <class Sink>
    void runs_of_word(std::size_t from, std::size_t to, Sink &&sink) const {
        runs(from, to, sink);
        if (to - from < std::size_t(r.least)) sink(Slice{buffer.data() + starts[from], ends[to - 1] - starts[from]});
    }

    template <class Sink>
    void padded(const char *p, const char *end, Sink &&sink) {
        char *out = buffer.data();
        while (p < end) {
            const std::size_t from = starts.size();
            put(' ', out);
            int size;
            for (std::int32_t code; p < end && !(kind(code = decoded(p, end, size)) & kSpace); p += size)
                put(lower(code), out);
            put(' ', out);
            if (starts.size() > from + 2) runs_of_word(from, starts.size(), sink);
            for (; p < end && (kind(decoded(p, end, size)) & kSpace); p += size) {}
        }
    }

  public:
    explicit Reader(const Reading &reading) : r(reading) {
        for (std::int32_t c = 0; c < 256; ++c) word_byte[c] = c < 128 && (kind(c) & kWord) ? char(lower(c)) : 0;
    }

    // Calls sink(term) for every term of the text; a slice lives until the next call.
    template <class Sink>
    void terms(const char *p, const char *end, Sink &&sink) {
        // a code point becomes one of at most four bytes; a space, or two, take the place of what parts two words
        const std::size_t room = 4 * std::size_t(end - p) + 16;
        if (buffer.size() < room) buffer.resize(room);
        starts.clear(), ends.clear();
        if (r.unit == Unit::padded) return padded(p, end, sink);
        r.unit == Unit::words ? read_words(p, end) : read_characters(p, end);
        runs(0, starts.size(), sink);
    }
};

}  // namespace linsep
