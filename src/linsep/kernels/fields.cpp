#include "fields.hpp"

#include <cstring>

namespace linsep {
namespace {

class Scanner {
    const char *p, *end, *line_begin;
    char separator;
    int quote;
    index_t line = 1;
    bool stops[256] = {};  // bytes at which a field that is not quoted needs a look
    FieldsLayout &out;

    Place here(const char *at) const { return {line, at - line_begin + 1}; }
    bool is_quote(char c) const { return quote >= 0 && c == char(quote); }
    bool wrong(FieldsFault kind, Place at) {
        out.fault = kind;
        out.at = at;
        return false;
    }

    // From the quote to behind the one that closes it.
    bool quoted_field() {
        const Place opened = here(p);
        ++out.quoted;
        for (++p; p < end; ++p) {
            if (*p == '\n') ++line, line_begin = p + 1;
            if (!is_quote(*p)) continue;
            if (p + 1 < end && is_quote(p[1])) {
                ++p;
                continue;
            }
            ++p;
            const char *next = p < end && *p == '\r' ? p + 1 : p;
            if (p < end && *p != separator && next < end && *next != '\n')
                return wrong(FieldsFault::after_quote, here(p));
            p = p < end && *p != separator ? next : p;
            return true;
        }
        return wrong(FieldsFault::open_quote, opened);
    }

    void plain_field() {
        for (; p < end; ++p) {
            while (p < end && !stops[static_cast<unsigned char>(*p)]) ++p;
            if (p == end || *p == separator || *p == '\n') return;
            if (!out.stray.line) out.stray = here(p);
        }
    }

    // One record up to its newline or the end; its number of fields, 0 for a fault.
    index_t record() {
        for (index_t fields = 1;; ++fields, ++p) {
            if (p < end && is_quote(*p)) {
                if (!quoted_field()) return 0;
            } else {
                plain_field();
            }
            if (p == end || *p == '\n') return fields;
        }
    }

  public:
    Scanner(const char *text, index_t size, char sep, int q, FieldsLayout &layout)
        : p(text), end(text + size), line_begin(text), separator(sep), quote(q), out(layout) {
        stops[static_cast<unsigned char>(sep)] = stops[static_cast<unsigned char>('\n')] = true;
        if (q >= 0) stops[q & 255] = true;
    }

    void run(index_t wanted, bool lenient) {
        const char *text = p;
        while (p < end) {
            const char *begin = p;
            const index_t first_line = line;
            const index_t fields = record();
            if (fields == 0) return;
            const bool blank = p == begin || (p == begin + 1 && *begin == '\r');
            if (blank && out.fields != 1 && (out.fields > 1 || out.records == 0)) {
                out.blanks.push_back(out.records + index_t(out.blanks.size()));
            } else if (out.records > 0 && fields != out.fields) {
                if (!lenient) {
                    out.found = fields;
                    wrong(FieldsFault::ragged, {first_line, 1});
                    return;
                }
                out.ragged.insert(out.ragged.end(), {first_line, begin - text, p - text + (p < end)});
            } else {
                out.fields = fields;
                if (out.records++ == wanted) {
                    out.line_of = first_line;
                    return;
                }
            }
            if (p < end) ++p, ++line, line_begin = p;
        }
    }
};

}  // namespace

FieldsLayout fields_layout(const char *text, index_t size, char separator, int quote, index_t wanted, bool lenient) {
    FieldsLayout layout;
    Scanner(text, size, separator, quote, layout).run(wanted, lenient);
    return layout;
}

}  // namespace linsep
