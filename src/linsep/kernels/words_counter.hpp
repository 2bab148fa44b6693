// Counting the terms of one document after the other, by the number that a table, or a hash, gives each.
#pragma once
#include <type_traits>

#include "words.hpp"

namespace linsep {

// Where in the entries of the document at hand a word stands, if its last document is that one.
struct Mark {
    std::uint32_t document = 0, place = 0;
};

// A table from terms to numbers: `hash` first, then `find`; between them what `find` reads is asked for early.
template <class Table>
struct Tabled {
    Table table;
    const WordTable &words() const {
        if constexpr (std::is_pointer_v<Table>) return *table;
        else return table;
    }
    static std::uint64_t hash(Slice word) { return hash_of(word); }
    LINSEP_PREFETCHES void prefetch_slot(std::uint64_t hash) const { words().prefetch_slot(hash); }
    std::uint32_t prefetch_word(std::uint64_t hash) const { return words().prefetch_word(hash); }
    LINSEP_PREFETCHES void prefetch_bytes(std::uint32_t number) const { words().prefetch_bytes(number); }
};

struct NewWords : Tabled<WordTable> {
    std::vector<WordCounts::Found> found;
    std::uint32_t find(Slice word, std::uint64_t hash) { return table.add(word, hash); }
};

struct KnownWords : Tabled<const WordTable *> {
    std::uint32_t find(Slice word, std::uint64_t hash) const { return table->find(word, hash); }
};

struct HashedWords {
    index_t buckets = 1;
    std::uint64_t hash(Slice word) const { return bucket_of(word, buckets); }
    static void prefetch_slot(std::uint64_t) {}
    static std::uint32_t prefetch_word(std::uint64_t hash) { return std::uint32_t(hash); }
    static void prefetch_bytes(std::uint32_t) {}
    static std::uint32_t find(Slice, std::uint64_t hash) { return std::uint32_t(hash); }
};

// Reads documents one after the other. Without marks a word's entries are joined when the row is settled.
// Terms are looked up some at a time, so that their ways through memory overlap.
template <class Find>
class Counter {
    struct Term {
        Slice word;
        std::uint64_t hash;
        std::uint32_t likely;
    };
    static constexpr int kTogether = 32;

    Reader reader;
    Find &find;
    std::vector<Mark> marks;
    const bool marked;
    std::uint32_t document = 0;
    Term terms[kTogether];
    int waiting = 0;

    void mark(std::uint32_t word, WordCounts::Chunk &chunk) {
        if (word >= marks.size()) marks.resize(std::max<std::size_t>(2 * marks.size(), word + 1024));
        Mark &mark = marks[word];
        if (mark.document == document) {
            ++chunk.entries[mark.place].count;
        } else {
            mark = {document, std::uint32_t(chunk.entries.size())};
            chunk.entries.push_back({word, 1});
        }
    }

    void look_up(WordCounts::Chunk &chunk) {
        for (int i = 0; i < waiting; ++i) {
            terms[i].likely = find.prefetch_word(terms[i].hash);
            if (terms[i].likely < marks.size()) prefetch_near(&marks[terms[i].likely]);
        }
        for (int i = 0; i < waiting; ++i)
            if (terms[i].likely != kNoWord) find.prefetch_bytes(terms[i].likely);
        for (int i = 0; i < waiting; ++i) {
            const std::uint32_t word = find.find(terms[i].word, terms[i].hash);
            if (word == kNoWord) continue;
            if (marked) mark(word, chunk);
            else chunk.entries.push_back({word, 1});
        }
        waiting = 0;
    }

  public:
    Counter(const Reading &reading, Find &find_, bool marked_) : reader(reading), find(find_), marked(marked_) {}

    void count(const Texts &texts, WordCounts::Chunk &chunk) {
        for (index_t i = chunk.first; i < chunk.last; ++i) {
            ++document;
            reader.terms(texts.bytes + texts.offsets[i], texts.bytes + texts.offsets[i + 1], [&](Slice word) {
                terms[waiting] = {word, find.hash(word), kNoWord};
                find.prefetch_slot(terms[waiting].hash);
                if (++waiting == kTogether) look_up(chunk);
            });
            look_up(chunk);
            chunk.ends.push_back(chunk.entries.size());
        }
    }
};

}  // namespace linsep
