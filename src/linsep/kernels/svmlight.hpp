// Text in the svmlight format becomes rows: one a line, `label [qid:number] index:value index:value … # comment`.
//
// The text is cut into chunks of about kTextChunk bytes that end at a newline, so that each thread parses whole lines
// and the result depends on the text alone. A chunk keeps what it read; `fill` copies the chunks into one CSR matrix.
// Within a row indices rise. Blank lines and lines that hold only a comment are no rows.
//
// What is wrong is reported as a fault: its kind and the byte at which the piece begins that is not as expected.
// The first fault of the text wins. kernels/reference_svmlight.py is the plain twin.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "design.hpp"

namespace linsep {

constexpr index_t kTextChunk = index_t(1) << 20;

enum class SvmlightFault : int { none, label, several_labels, index, colon, value, order, query };

struct SvmlightChunk {
    std::vector<double> labels;     // NaN for a label that is no number
    std::vector<index_t> spans;     // of each label: where it begins in the text, and its bytes
    std::vector<index_t> queries;   // −1 for a row without qid
    std::vector<index_t> lengths;   // entries of each row
    std::vector<index_t> indices;
    std::vector<double> values;
    index_t least = INT64_MAX, most = -1, with_query = 0, with_words = 0;
    SvmlightFault fault = SvmlightFault::none;
    index_t fault_at = 0;
    bool out_of_memory = false;
};

template <class I, class V>
struct SvmlightTarget {
    double *labels;
    index_t *spans, *queries;
    I *indptr, *indices;
    V *values;
};

class SvmlightText {
    std::vector<SvmlightChunk> chunks;
    std::string last;  // the last line, where no newline ends it

  public:
    SvmlightText(const char *text, index_t size, int threads);
    index_t rows = 0, entries = 0, least = INT64_MAX, most = -1, with_query = 0, with_words = 0;
    SvmlightFault fault = SvmlightFault::none;
    index_t fault_at = 0;

    // Writes everything, with `base` taken off each index.
    template <class I, class V>
    void fill(const SvmlightTarget<I, V> &to, index_t base, int threads) const;
};

}  // namespace linsep
