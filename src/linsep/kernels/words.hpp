// Bags of words: texts → counts of their terms, as rows of a sparse matrix.
//
// Documents are cut into chunks of about the same number of bytes, by facts of the texts alone. A worker takes chunks
// as they come and numbers the words it meets in a table of its own; the tables are then joined, the words within the
// limits sorted by their bytes (the order of code points), and only the place of a word in that order is its column.
// So the result does not depend on the number of threads nor on who took which chunk.
#pragma once
#include <memory>
#include <vector>

#include "words_reading.hpp"

namespace linsep {

struct Texts {
    const char *bytes;
    const index_t *offsets;  // (n + 1)
    index_t n;
};

// MurmurHash3 (x86, 32 bits, seed 0) of the bytes, |h| mod buckets: the column of a hashed word on every machine, and
// the one of scikit-learn's HashingVectorizer.
std::uint32_t bucket_of(Slice word, index_t buckets);

class WordCounts {
  public:
    struct Entry {
        std::uint32_t word, count;
    };
    struct Chunk {
        index_t first, last;            // documents
        int worker;                     // whose numbers the entries have
        std::vector<Entry> entries;     // document by document
        std::vector<std::size_t> ends;  // of each document in `entries`
    };
    struct Found {
        index_t documents, total;
    };

    // Every word is new once.
    static WordCounts of_new(const Texts &, const Reading &, int threads);
    // Columns are the numbers of the words of the table; words it does not have are left out.
    static WordCounts of_known(const Texts &, const Reading &, const WordTable &, int threads);
    // Columns are buckets.
    static WordCounts of_hashed(const Texts &, const Reading &, index_t buckets, int threads);

    // Columns are the words found in at least `least` and at most `most` documents, sorted. Returns how many.
    index_t sort_words(index_t least, index_t most, int threads);
    // Of the sorted words only these, in rising order.
    void keep(const index_t *columns, index_t count);
    // Several words a column: the bucket of every sorted word, also written to `buckets_of_words`.
    void hash_words(index_t buckets, index_t *buckets_of_words);

    const std::vector<std::uint32_t> &sorted() const { return order; }
    Slice word(std::uint32_t number) const { return all->word(number); }
    Found found(std::uint32_t number) const { return facts[number]; }

    // Entries become columns, in rising order within a row, each once. Writes the row's offsets, returns the last.
    index_t rows(index_t *indptr, int threads);
    template <class Index, class Value>
    void write(const index_t *indptr, Index *indices, Value *data, int threads) const;
    index_t n() const { return documents; }

  private:
    index_t documents = 0;
    std::vector<Chunk> chunks;
    std::unique_ptr<WordTable> all;                    // words of all workers; none where columns are known
    std::vector<std::vector<std::uint32_t>> joined;    // for each worker: its numbers → those of `all`
    std::vector<Found> facts;                          // by number
    std::vector<std::uint32_t> order;                  // numbers, in the order of columns
    std::vector<std::uint32_t> column;                 // by number; kNoWord: not kept

    void number_columns();
    void settle(Chunk &, index_t *indptr) const;
};

struct Weighing {
    const double *idf;  // null: 1
    bool binary, sublinear;
    int norm;  // 0 none, 1 sum of magnitudes, 2 length
};

// Counts become weights in place: tf (or 1, or 1 + ln tf) times idf, each row divided by its norm if that is not 0.
template <class Index, class Value>
void weigh(index_t n, const index_t *indptr, const Index *indices, Value *data, const Weighing &, int threads);

}  // namespace linsep
