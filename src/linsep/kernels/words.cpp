#include "words.hpp"

#include <atomic>
#include <cmath>
#include <exception>
#include <type_traits>

#include "chunks.hpp"
#include "words_counter.hpp"
#include "words_sort.hpp"

namespace linsep {
namespace {

using Chunk = WordCounts::Chunk;

constexpr index_t kChunkBytes = 1 << 16;

std::vector<Chunk> cut(const Texts &texts) {
    std::vector<Chunk> chunks;
    for (index_t i = 0, first = 0; i < texts.n; ++i)
        if (i + 1 == texts.n || texts.offsets[i + 1] - texts.offsets[first] >= kChunkBytes) {
            chunks.push_back({first, i + 1, 0, {}, {}});
            first = i + 1;
        }
    return chunks;
}

void add_found(const Chunk &chunk, std::vector<WordCounts::Found> &found) {
    for (const WordCounts::Entry &entry : chunk.entries) {
        if (entry.word >= found.size()) found.resize(std::max<std::size_t>(2 * found.size(), entry.word + 1024));
        ++found[entry.word].documents;
        found[entry.word].total += entry.count;
    }
}

// A table of marks pays only where there is enough text for it.
bool marks_pay(const Texts &texts, index_t columns) { return columns <= texts.offsets[texts.n] - texts.offsets[0]; }

// Runs work(w) for every worker w; each takes chunks until none is left.
template <class Work>
std::vector<Chunk> taken(std::vector<Chunk> chunks, int workers, Work &&work) {
    std::atomic<std::size_t> next{0};
    std::vector<std::exception_ptr> failures(static_cast<std::size_t>(workers));
    for_chunks(workers, workers, [&](index_t w) {
        const auto take = [&]() -> Chunk * {
            const std::size_t c = next.fetch_add(1);
            if (c >= chunks.size()) return nullptr;
            chunks[c].worker = int(w);
            return &chunks[c];
        };
        try {
            work(int(w), take);
        } catch (...) {  // memory may end; an exception must not leave a thread
            failures[std::size_t(w)] = std::current_exception();
        }
    });
    for (const std::exception_ptr &failure : failures)
        if (failure) std::rethrow_exception(failure);
    return chunks;
}

// One `find` for each worker, of which there are no more than chunks.
template <class Find>
std::vector<Chunk> counted(const Texts &texts, const Reading &reading, std::vector<Find> &finds, bool marked) {
    std::vector<Chunk> chunks = cut(texts);
    if (finds.size() > chunks.size()) finds.resize(std::max<std::size_t>(1, chunks.size()));
    return taken(std::move(chunks), int(finds.size()), [&](int w, auto &&take) {
        Counter<Find> counter(reading, finds[std::size_t(w)], marked);
        while (Chunk *chunk = take()) {
            counter.count(texts, *chunk);
            if constexpr (std::is_same_v<Find, NewWords>) add_found(*chunk, finds[std::size_t(w)].found);
        }
    });
}

}  // namespace

std::uint32_t bucket_of(Slice word, index_t buckets) {
    const auto turned = [](std::uint32_t x, int by) { return x << by | x >> (32 - by); };
    const auto mixed = [&](std::uint32_t k) { return turned(k * 0xcc9e2d51u, 15) * 0x1b873593u; };
    std::uint32_t h = 0, tail = 0;
    const auto byte = [&](std::uint32_t i) { return std::uint32_t(std::uint8_t(word.data[i])); };
    const std::uint32_t whole = word.size & ~3u;
    for (std::uint32_t i = 0; i < whole; i += 4) {
        h ^= mixed(byte(i) | byte(i + 1) << 8 | byte(i + 2) << 16 | byte(i + 3) << 24);
        h = turned(h, 13) * 5 + 0xe6546b64u;
    }
    for (std::uint32_t i = word.size; i-- > whole;) tail = tail << 8 | byte(i);
    if (word.size != whole) h ^= mixed(tail);
    h ^= word.size;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    h ^= h >> 16;
    return std::uint32_t(std::abs(index_t(std::int32_t(h))) % buckets);
}

WordCounts WordCounts::of_new(const Texts &texts, const Reading &reading, int threads) {
    std::vector<NewWords> finds(std::size_t(std::max(1, threads)));
    WordCounts counts;
    counts.documents = texts.n;
    counts.chunks = counted(texts, reading, finds, true);
    counts.all = std::make_unique<WordTable>(std::move(finds[0].table));
    counts.facts = std::move(finds[0].found);
    counts.joined.resize(finds.size());
    for (std::size_t w = 1; w < finds.size(); ++w) {
        const WordTable &table = finds[w].table;
        for (std::uint32_t i = 0; i < table.size(); ++i) {
            const std::uint32_t number = counts.all->add(table.word(i), table.hash(i));
            counts.joined[w].push_back(number);
            if (number >= counts.facts.size()) counts.facts.resize(2 * std::size_t(number) + 1024);
            counts.facts[number].documents += finds[w].found[i].documents;
            counts.facts[number].total += finds[w].found[i].total;
        }
    }
    counts.facts.resize(counts.all->size());
    return counts;
}

WordCounts WordCounts::of_known(const Texts &texts, const Reading &reading, const WordTable &table, int threads) {
    std::vector<KnownWords> finds(std::size_t(std::max(1, threads)), KnownWords{{&table}});
    WordCounts counts;
    counts.documents = texts.n;
    counts.chunks = counted(texts, reading, finds, marks_pay(texts, table.size()));
    return counts;
}

WordCounts WordCounts::of_hashed(const Texts &texts, const Reading &reading, index_t buckets, int threads) {
    std::vector<HashedWords> finds(std::size_t(std::max(1, threads)), HashedWords{buckets});
    WordCounts counts;
    counts.documents = texts.n;
    counts.chunks = counted(texts, reading, finds, marks_pay(texts, buckets));
    return counts;
}

index_t WordCounts::sort_words(index_t least, index_t most, int threads) {
    order.clear();
    for (std::uint32_t i = 0; i < facts.size(); ++i)
        if (least <= facts[i].documents && facts[i].documents <= most) order.push_back(i);
    sort_by_bytes(*all, order, threads);
    number_columns();
    return index_t(order.size());
}

void WordCounts::keep(const index_t *columns, index_t count) {
    std::vector<std::uint32_t> kept(static_cast<std::size_t>(count));
    for (index_t j = 0; j < count; ++j) kept[std::size_t(j)] = order[std::size_t(columns[j])];
    order = std::move(kept);
    number_columns();
}

void WordCounts::hash_words(index_t buckets, index_t *buckets_of_words) {
    for (std::size_t j = 0; j < order.size(); ++j) {
        column[order[j]] = bucket_of(all->word(order[j]), buckets);
        buckets_of_words[j] = column[order[j]];
    }
}

void WordCounts::number_columns() {
    column.assign(facts.size(), kNoWord);
    for (std::size_t j = 0; j < order.size(); ++j) column[order[j]] = std::uint32_t(j);
}

// The entries of each row become columns, sorted, and those of one column are joined.
void WordCounts::settle(Chunk &chunk, index_t *indptr) const {
    const std::vector<std::uint32_t> *to_all = all && chunk.worker > 0 ? &joined[std::size_t(chunk.worker)] : nullptr;
    std::vector<std::uint64_t> row;
    std::size_t from = 0, kept = 0;
    for (index_t i = chunk.first; i < chunk.last; ++i) {
        std::size_t &end = chunk.ends[std::size_t(i - chunk.first)];
        row.clear();
        for (; from < end; ++from) {
            const Entry entry = chunk.entries[from];
            const std::uint32_t number = to_all ? (*to_all)[entry.word] : entry.word;
            const std::uint32_t place = all ? column[number] : number;
            if (place != kNoWord) row.push_back(std::uint64_t(place) << 32 | entry.count);
        }
        std::sort(row.begin(), row.end());
        const std::size_t first = kept;
        for (const std::uint64_t key : row) {
            const std::uint32_t place = std::uint32_t(key >> 32), count = std::uint32_t(key);
            if (kept > first && chunk.entries[kept - 1].word == place) chunk.entries[kept - 1].count += count;
            else chunk.entries[kept++] = {place, count};
        }
        indptr[i + 1] = index_t(kept - first);
        end = kept;
    }
}

index_t WordCounts::rows(index_t *indptr, int threads) {
    indptr[0] = 0;
    for_chunks(index_t(chunks.size()), threads, [&](index_t c) { settle(chunks[std::size_t(c)], indptr); });
    for (index_t i = 0; i < documents; ++i) indptr[i + 1] += indptr[i];
    return indptr[documents];
}

template <class Index, class Value>
void WordCounts::write(const index_t *indptr, Index *indices, Value *data, int threads) const {
    for_chunks(index_t(chunks.size()), threads, [&](index_t c) {
        const Chunk &chunk = chunks[std::size_t(c)];
        const index_t at = indptr[chunk.first], count = chunk.ends.empty() ? 0 : index_t(chunk.ends.back());
        for (index_t k = 0; k < count; ++k) {
            indices[at + k] = Index(chunk.entries[std::size_t(k)].word);
            data[at + k] = Value(chunk.entries[std::size_t(k)].count);
        }
    });
}

template <class Index, class Value>
void weigh(index_t n, const index_t *indptr, const Index *indices, Value *data, const Weighing &how, int threads) {
    const Chunks chunks(n, indptr[n], 0);
    for_chunks(chunks, threads, [&](index_t c) {
        for (index_t i = chunks.begin(c); i < chunks.end(c); ++i) {
            double sum = 0;
            for (index_t k = indptr[i]; k < indptr[i + 1]; ++k) {
                double value = how.binary ? 1.0 : double(data[k]);
                if (how.sublinear) value = value > 1.0 ? std::log(value) + 1.0 : value;
                if (how.idf) value *= how.idf[indices[k]];
                sum += how.norm == 2 ? value * value : value;
                data[k] = Value(value);
            }
            const double size = how.norm == 2 ? std::sqrt(sum) : sum;
            if (how.norm && size > 0)
                for (index_t k = indptr[i]; k < indptr[i + 1]; ++k) data[k] = Value(double(data[k]) / size);
        }
    });
}

#define LINSEP_WORDS(I, V)                                                                         \
    template void WordCounts::write<I, V>(const index_t *, I *, V *, int) const;                    \
    template void weigh<I, V>(index_t, const index_t *, const I *, V *, const Weighing &, int);
LINSEP_WORDS(std::int32_t, float)
LINSEP_WORDS(std::int32_t, double)
LINSEP_WORDS(std::int64_t, float)
LINSEP_WORDS(std::int64_t, double)
#undef LINSEP_WORDS

}  // namespace linsep
