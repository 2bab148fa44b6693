// The layout of a text of separated fields: how many records and fields, and the first thing that is not as it should.
//
// A record is a line, or several where a quoted field holds a newline. Every record has as many fields as the first.
// A field is quoted if it begins with a quote: it ends at the next quote that is not doubled, where a separator or the
// end of the line must follow. An empty line is a record of one empty field, and counted as blank where others have more.
// kernels/reference_fields.py is the plain twin.
#pragma once
#include <vector>

#include "design.hpp"

namespace linsep {

enum class FieldsFault : int { none, ragged, open_quote, after_quote };

struct Place {
    index_t line = 0, column = 0;  // from 1, the column in bytes; line 0: nowhere
};

struct FieldsLayout {
    index_t records = 0, fields = 0;  // blank lines are not records
    index_t quoted = 0;               // fields that are quoted
    std::vector<index_t> blanks;      // how many records and blanks come before each blank
    FieldsFault fault = FieldsFault::none;
    Place at;                         // of the fault
    index_t found = 0;                // fields of the ragged record
    std::vector<index_t> ragged;      // lenient: line, first and last byte + 1 of each record left out
    Place stray;                      // the first quote inside a field that is not quoted
    index_t line_of = 0;              // the line on which the record asked for begins
};

// `quote` < 0: no character quotes. `wanted`: the number of the record whose line is asked for; the scan ends there.
// `lenient`: a record with another number of fields is left out and listed, not a fault.
FieldsLayout fields_layout(const char *text, index_t size, char separator, int quote, index_t wanted, bool lenient);

}  // namespace linsep
