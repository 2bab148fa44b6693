// Columns of sparse rows, without the transpose.
//
// A working set of columns is copied out of the rows as rows of its own: `place` holds a chosen column's number in the
// copy, −1 for all others. Rows stay in order, and so do a row's columns where `place` rises. First the entries are
// counted, then copied.
#pragma once
#include "design.hpp"

namespace linsep {

// starts (n + 1): where each row of the copy begins.
void columns_count(const Design &, const std::int32_t *place, std::int32_t *starts, int threads);

// Values (double, or float for rows of float) and columns of the copy.
template <class V>
void columns_copy(const Design &, const std::int32_t *place, const std::int32_t *starts, V *values,
                  std::int32_t *columns, int threads);

// out (d) = Σᵢ cᵢ xᵢⱼ²; c is 1 where it is null.
void columns_squares(const Design &, const double *c, double *out, int threads);

}  // namespace linsep
