#include <nanobind/stl/shared_ptr.h>

#include "bind.hpp"
#include "words.hpp"

namespace linsep {
namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using OutBytes = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Written = nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr index_t kLongest = index_t(1) << 30;  // bytes of one text: places within it are 32-bit numbers

// Offsets that never fall and stay within the bytes: else a kernel would leave the arrays.
Texts checked(const Bytes &bytes, const InIndex &offsets) {
    const index_t n = index_t(offsets.size()) - 1, *o = offsets.data();
    bool valid = n >= 0 && o[0] >= 0 && o[n] <= index_t(bytes.size());
    for (index_t i = 0; valid && i < n; ++i) valid = o[i] <= o[i + 1];
    if (!valid) throw nb::value_error("offsets rise from 0 to at most the number of bytes");
    for (index_t i = 0; i < n; ++i)
        if (o[i + 1] - o[i] > kLongest) throw nb::value_error("a text has more than 2^30 bytes");
    return {reinterpret_cast<const char *>(bytes.data()), o, n};
}

// Where texts of so many code points each begin in their common UTF-8. Every byte but 10xxxxxx begins a code point.
void text_offsets(Bytes bytes, InIndex lengths, OutIndex out) {
    const index_t n = index_t(lengths.size()), size = index_t(bytes.size());
    index_t *offsets = sized(out, n + 1, "out"), at = 0;
    nb::gil_scoped_release release;
    const auto continues = [&](index_t k) { return (bytes.data()[k] & 0xc0) == 0x80; };
    for (index_t i = 0; i < n; ++i) {
        offsets[i] = at;
        for (index_t left = lengths.data()[i]; left > 0;) {  // as many bytes; then as many as were not beginnings
            const index_t until = std::min(size, at + left);
            index_t inside = 0;
            for (index_t k = at; k < until; ++k) inside += continues(k);
            at = until, left = at < size ? inside : 0;
        }
        while (at < size && continues(at)) ++at;
    }
    offsets[n] = size;
}

std::shared_ptr<WordTable> table_of(Bytes bytes, InIndex offsets) {
    const Texts words = checked(bytes, offsets);
    auto table = std::make_shared<WordTable>();
    for (index_t i = 0; i < words.n; ++i) {
        const Slice word{words.bytes + words.offsets[i], std::uint32_t(words.offsets[i + 1] - words.offsets[i])};
        if (table->add(word, hash_of(word)) != std::uint32_t(i)) throw nb::value_error("a word occurs twice");
    }
    return table;
}

constexpr struct {
    const char *name;
    Unit unit;
} kUnits[] = {{"word", Unit::words}, {"char", Unit::characters}, {"char_wb", Unit::padded}};

// Keeps alive what its Reading points to.
struct WordReading {
    Bytes kinds;
    Codes lower;
    std::shared_ptr<WordTable> stop;
    Reading r;
};

WordReading *reading(Bytes kinds, Codes lower, const std::string &unit, std::tuple<int, int, int> sizes,
                     std::shared_ptr<WordTable> stop) {
    const auto [least, most, shortest] = sizes;
    const index_t letters = index_t(kinds.size());
    if (letters < 128 || index_t(lower.size()) != letters) throw nb::value_error("kinds and lower have the same size");
    for (index_t c = 0; c < 128; ++c)  // a code point is written in at most four bytes, an ASCII letter in one
        if (std::uint32_t(lower.data()[c]) > 127) throw nb::value_error("lower holds ASCII for ASCII");
    if (least < 1 || most < least || shortest < 1) throw nb::value_error("1 <= least <= most, 1 <= shortest");
    const Reading r{kinds.data(), lower.data(), letters, named(kUnits, unit).unit, least, most, shortest, stop.get()};
    return new WordReading{kinds, lower, std::move(stop), r};
}

WordCounts count_new(Bytes bytes, InIndex offsets, const WordReading &how, int threads) {
    const Texts texts = checked(bytes, offsets);
    nb::gil_scoped_release release;
    return WordCounts::of_new(texts, how.r, threads);
}

WordCounts count_known(Bytes bytes, InIndex offsets, const WordReading &how, const WordTable &table, int threads) {
    const Texts texts = checked(bytes, offsets);
    nb::gil_scoped_release release;
    return WordCounts::of_known(texts, how.r, table, threads);
}

WordCounts count_hashed(Bytes bytes, InIndex offsets, const WordReading &how, index_t buckets, int threads) {
    const Texts texts = checked(bytes, offsets);
    if (buckets < 1 || buckets > (index_t(1) << 31) - 1) throw nb::value_error("buckets: 1 to 2^31 - 1");
    nb::gil_scoped_release release;
    return WordCounts::of_hashed(texts, how.r, buckets, threads);
}

void keep(WordCounts &counts, InIndex columns) {
    if (!all_below(columns.data(), index_t(columns.size()), index_t(counts.sorted().size())))
        throw nb::value_error("columns are those of sorted words");
    counts.keep(columns.data(), index_t(columns.size()));
}

void hash_words(WordCounts &counts, index_t buckets, OutIndex out) {
    if (buckets < 1 || buckets > (index_t(1) << 31) - 1) throw nb::value_error("buckets: 1 to 2^31 - 1");
    counts.hash_words(buckets, sized(out, index_t(counts.sorted().size()), "out"));
}

void facts(const WordCounts &counts, OutIndex documents, OutIndex total, OutIndex sizes) {
    const auto &sorted = counts.sorted();
    const index_t count = index_t(sorted.size());
    index_t *d = sized(documents, count, "documents"), *t = sized(total, count, "total"), *s = sized(sizes, count, "sizes");
    for (std::size_t j = 0; j < sorted.size(); ++j) {
        const WordCounts::Found found = counts.found(sorted[j]);
        d[j] = found.documents, t[j] = found.total, s[j] = counts.word(sorted[j]).size;
    }
}

void spell(const WordCounts &counts, OutBytes out) {
    std::size_t at = 0;
    for (const std::uint32_t number : counts.sorted()) {
        const Slice word = counts.word(number);
        if (at + word.size > out.size()) throw nb::value_error("out is too small for the words");
        std::memcpy(out.data() + at, word.data, word.size);
        at += word.size;
    }
}

index_t rows(WordCounts &counts, OutIndex indptr, int threads) {
    index_t *out = sized(indptr, counts.n() + 1, "indptr");
    nb::gil_scoped_release release;
    return counts.rows(out, threads);
}

// Calls f with pointers of the types of indices (int32, int64) and data (float32, float64).
template <class F>
void typed(Written &indices, Written &data, F &&f) {
    const bool wide = indices.dtype() == nb::dtype<std::int64_t>(), fine = data.dtype() == nb::dtype<double>();
    if (!wide && indices.dtype() != nb::dtype<std::int32_t>()) throw nb::type_error("indices are int32 or int64");
    if (!fine && data.dtype() != nb::dtype<float>()) throw nb::type_error("data are float32 or float64");
    void *i = indices.data(), *v = data.data();
    nb::gil_scoped_release release;
    if (wide) fine ? f((std::int64_t *)i, (double *)v) : f((std::int64_t *)i, (float *)v);
    else fine ? f((std::int32_t *)i, (double *)v) : f((std::int32_t *)i, (float *)v);
}

void write(const WordCounts &counts, InIndex indptr, Written indices, Written data, int threads) {
    const index_t *offsets = sized(indptr, counts.n() + 1, "indptr");
    sized(indices, offsets[counts.n()], "indices"), sized(data, offsets[counts.n()], "data");
    typed(indices, data, [&](auto *i, auto *v) { counts.write(offsets, i, v, threads); });
}

void py_weigh(InIndex indptr, Written indices, Written data, std::optional<In> idf, std::tuple<bool, bool, int> how,
              int threads) {
    const index_t n = index_t(indptr.size()) - 1;
    if (n < 0) throw nb::value_error("indptr has n + 1 offsets");
    sized(indices, indptr.data()[n], "indices"), sized(data, indptr.data()[n], "data");
    const auto [binary, sublinear, norm] = how;
    const Weighing weighing{idf ? idf->data() : nullptr, binary, sublinear, norm};
    typed(indices, data, [&](auto *i, auto *v) { weigh(n, indptr.data(), i, v, weighing, threads); });
}

}  // namespace

void bind_words(nb::module_ &m) {
    nb::class_<WordTable>(m, "WordTable")
        .def_static("of", &table_of)
        .def_prop_ro("size", [](const WordTable &table) { return table.size(); });
    nb::class_<WordReading>(m, "WordReading")
        .def_static("of", &reading, nb::arg("kinds"), nb::arg("lower"), nb::arg("unit"), nb::arg("sizes"),
                    nb::arg("stop").none(), nb::rv_policy::take_ownership);
    nb::class_<WordCounts>(m, "WordCounts")
        .def_static("of_new", &count_new)
        .def_static("of_known", &count_known)
        .def_static("of_hashed", &count_hashed)
        .def("sort_words", &WordCounts::sort_words)
        .def("keep", &keep)
        .def("hash_words", &hash_words, nb::arg("buckets"), written("out"))
        .def("facts", &facts, written("documents"), written("total"), written("sizes"))
        .def("spell", &spell, written("out"))
        .def("rows", &rows, written("indptr"), nb::arg("threads"))
        .def("write", &write, nb::arg("indptr"), written("indices"), written("data"), nb::arg("threads"));
    m.def("text_offsets", &text_offsets, nb::arg("bytes"), nb::arg("lengths"), written("out"));
    m.def("weigh_words", &py_weigh, nb::arg("indptr"), nb::arg("indices"), written("data"), nb::arg("idf").none(),
          nb::arg("how"), nb::arg("threads"));
}

}  // namespace linsep
