#include "svmlight.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#include "chunks.hpp"

namespace linsep {
namespace {

constexpr double kTens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                            1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

bool is_digit(char c) { return unsigned(c) - unsigned('0') < 10u; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
bool ends_piece(char c) { return is_blank(c) || c == '\n' || c == '#'; }

// What the standard library reads: long decimals, exponents, inf, nan. Too large a number is infinite, as in Python.
const char *slow_number(const char *p, const char *end, double &out) {
    const char *from = *p == '+' ? p + 1 : p;
    if (from != p && !(is_digit(*from) || *from == '.' || std::isalpha(static_cast<unsigned char>(*from)))) return nullptr;
    const auto [stop, problem] = std::from_chars(from, end, out);
    if (problem == std::errc::invalid_argument || stop[-1] == ')') return nullptr;
    if (problem == std::errc::result_out_of_range) out = std::strtod(std::string(from, stop).c_str(), nullptr);
    return ends_piece(*stop) ? stop : nullptr;
}

// Reads a number that ends where a piece ends; null if there is none. Up to 15 digits and 22 of them behind the point
// are exact: a whole number below 2⁵³ and a power of ten that is a double, so that one division rounds once.
const char *read_number(const char *p, const char *end, double &out) {
    const char *s = p;
    const bool negative = *s == '-';
    s += negative || *s == '+';
    std::uint64_t digits = 0;
    const char *first = s;
    for (; is_digit(*s); ++s) digits = digits * 10 + std::uint64_t(*s - '0');
    std::ptrdiff_t count = s - first, behind = 0;
    if (*s == '.') {
        const char *point = ++s;
        for (; is_digit(*s); ++s) digits = digits * 10 + std::uint64_t(*s - '0');
        behind = s - point;
        count += behind;
    }
    if (count == 0 || count > 15 || !ends_piece(*s)) return slow_number(p, end, out);
    const double size = behind ? double(digits) / kTens[behind] : double(digits);
    out = negative ? -size : size;
    return s;
}

// Reads a whole number without a sign; null if there is none or it has more than 18 digits.
const char *read_whole(const char *p, index_t &out) {
    const char *first = p;
    index_t number = 0;
    for (; is_digit(*p) && p - first < 19; ++p) number = number * 10 + (*p - '0');
    out = number;
    return p == first || p - first > 18 ? nullptr : p;
}

// Parses lines in [p, end), the last of which ends in a newline: no loop over a line needs another bound.
class Parser {
    SvmlightChunk &out;
    const char *origin;  // of byte `shift` of the text
    index_t shift;
    const char *end;

    bool wrong(SvmlightFault kind, const char *at) {
        out.fault = kind;
        out.fault_at = shift + (at - origin);
        return false;
    }

    bool label(const char *&p) {
        const char *begin = p;
        bool several = false;
        for (; !ends_piece(*p); ++p) {
            if (*p == ':') return wrong(SvmlightFault::label, begin);
            several |= *p == ',';
        }
        if (several) return wrong(SvmlightFault::several_labels, begin);
        double number;
        if (read_number(begin, end, number) != p || !std::isfinite(number)) {
            number = std::numeric_limits<double>::quiet_NaN();
            ++out.with_words;
        }
        out.labels.push_back(number);
        out.spans.push_back(shift + (begin - origin));
        out.spans.push_back(p - begin);
        return true;
    }

    bool query(const char *&p) {
        index_t number = -1;
        if (std::strncmp(p, "qid:", 4) == 0) {
            const char *stop = read_whole(p + 4, number);
            if (!stop || !ends_piece(*stop)) return wrong(SvmlightFault::query, p);
            p = stop;
            ++out.with_query;
        }
        out.queries.push_back(number);
        return true;
    }

    bool entries(const char *&p) {
        index_t previous = -1;
        const std::size_t before = out.indices.size();
        for (;;) {
            while (is_blank(*p)) ++p;
            if (*p == '#') p = static_cast<const char *>(std::memchr(p, '\n', std::size_t(end - p)));
            if (*p == '\n') break;
            index_t index;
            double value;
            const char *colon = read_whole(p, index);
            if (!colon) return wrong(SvmlightFault::index, p);
            if (*colon != ':') return wrong(SvmlightFault::colon, p);
            const char *stop = read_number(colon + 1, end, value);
            if (!stop) return wrong(SvmlightFault::value, colon + 1);
            if (index <= previous) return wrong(SvmlightFault::order, p);
            if (previous < 0) out.least = std::min(out.least, index);
            previous = index;
            out.indices.push_back(index);
            out.values.push_back(value);
            p = stop;
        }
        out.most = std::max(out.most, previous);
        out.lengths.push_back(index_t(out.indices.size() - before));
        return true;
    }

  public:
    Parser(SvmlightChunk &chunk, const char *from, index_t at) : out(chunk), origin(from), shift(at), end(from) {}

    void lines(const char *p, const char *stop) {
        end = stop;
        for (; p < end; ++p) {
            while (is_blank(*p)) ++p;
            if (*p == '\n') continue;
            if (*p != '#') {
                if (!label(p)) return;
                while (is_blank(*p)) ++p;
                if (!query(p) || !entries(p)) return;
            }
            p = static_cast<const char *>(std::memchr(p, '\n', std::size_t(end - p)));
        }
    }
};

void parse_chunk(SvmlightChunk &chunk, const char *begin, const char *end, index_t at) try {
    const std::size_t guess = std::size_t(end - begin) / 6 + 16;
    chunk.indices.reserve(guess);
    chunk.values.reserve(guess);
    Parser(chunk, begin, at).lines(begin, end);
} catch (const std::bad_alloc &) {
    chunk.out_of_memory = true;
}

}  // namespace

SvmlightText::SvmlightText(const char *text, index_t size, int threads) {
    index_t whole = size;  // the bytes of lines that end in a newline
    while (whole > 0 && text[whole - 1] != '\n') --whole;
    std::vector<index_t> cuts{0};
    while (cuts.back() < whole) {
        const index_t wanted = std::min(whole, cuts.back() + kTextChunk) - 1;
        const void *newline = std::memchr(text + wanted, '\n', std::size_t(whole - wanted));
        cuts.push_back(static_cast<const char *>(newline) - text + 1);
    }
    const index_t count = index_t(cuts.size()) - 1;
    last.assign(text + whole, std::size_t(size - whole)).push_back('\n');
    chunks.resize(std::size_t(count + 1));
    for_chunks(count + 1, threads, [&](index_t c) {
        if (c < count) return parse_chunk(chunks[std::size_t(c)], text + cuts[c], text + cuts[c + 1], cuts[c]);
        parse_chunk(chunks[std::size_t(c)], last.data(), last.data() + last.size(), whole);
    });
    for (const SvmlightChunk &chunk : chunks) {
        if (chunk.out_of_memory) throw std::bad_alloc();
        if (fault == SvmlightFault::none) fault = chunk.fault, fault_at = chunk.fault_at;
        rows += index_t(chunk.labels.size()), entries += index_t(chunk.indices.size());
        least = std::min(least, chunk.least), most = std::max(most, chunk.most);
        with_query += chunk.with_query, with_words += chunk.with_words;
    }
}

template <class I, class V>
void SvmlightText::fill(const SvmlightTarget<I, V> &to, index_t base, int threads) const {
    std::vector<index_t> row(chunks.size() + 1, 0), entry(chunks.size() + 1, 0);
    for (std::size_t c = 0; c < chunks.size(); ++c) {
        row[c + 1] = row[c] + index_t(chunks[c].labels.size());
        entry[c + 1] = entry[c] + index_t(chunks[c].indices.size());
    }
    to.indptr[0] = 0;
    for_chunks(index_t(chunks.size()), threads, [&](index_t number) {
        const std::size_t c = std::size_t(number);
        const SvmlightChunk &from = chunks[c];
        std::copy(from.labels.begin(), from.labels.end(), to.labels + row[c]);
        std::copy(from.spans.begin(), from.spans.end(), to.spans + 2 * row[c]);
        std::copy(from.queries.begin(), from.queries.end(), to.queries + row[c]);
        index_t at = entry[c];
        for (std::size_t i = 0; i < from.lengths.size(); ++i) to.indptr[row[c] + index_t(i) + 1] = I(at += from.lengths[i]);
        for (std::size_t k = 0; k < from.indices.size(); ++k) to.indices[entry[c] + index_t(k)] = I(from.indices[k] - base);
        for (std::size_t k = 0; k < from.values.size(); ++k) to.values[entry[c] + index_t(k)] = V(from.values[k]);
    });
}

template void SvmlightText::fill(const SvmlightTarget<std::int32_t, double> &, index_t, int) const;
template void SvmlightText::fill(const SvmlightTarget<std::int32_t, float> &, index_t, int) const;
template void SvmlightText::fill(const SvmlightTarget<std::int64_t, double> &, index_t, int) const;
template void SvmlightText::fill(const SvmlightTarget<std::int64_t, float> &, index_t, int) const;

}  // namespace linsep
