#include "columns.hpp"

#include <stdexcept>
#include <vector>

#include "chunks.hpp"

namespace linsep {
namespace {

// Calls f with the typed rows; only sparse ones have columns to leave out.
template <class F>
void visit_sparse(const Design &design, F &&f) {
    if (design.storage != Storage::csr) throw std::invalid_argument("columns are copied out of sparse rows");
    design.wide_index ? visit_csr<std::int64_t>(design, f) : visit_csr<std::int32_t>(design, f);
}

}  // namespace

void columns_count(const Design &design, const std::int32_t *place, std::int32_t *starts, int threads) {
    const Chunks chunks(design.n, design.nnz, 0);
    visit_sparse(design, [&](const auto &x) {
        for_chunks(chunks, threads, [&](index_t c) {
            for (index_t i = chunks.begin(c); i < chunks.end(c); ++i) {
                std::int32_t count = 0;
                for (index_t k = x.begin(i), end = x.end(i); k < end; ++k) count += place[x.indices[k]] >= 0;
                starts[i + 1] = count;
            }
        });
    });
    starts[0] = 0;
    for (index_t i = 0; i < design.n; ++i) starts[i + 1] += starts[i];
}

template <class V>
void columns_copy(const Design &design, const std::int32_t *place, const std::int32_t *starts, V *values,
                  std::int32_t *columns, int threads) {
    const Chunks chunks(design.n, design.nnz, 0);
    visit_sparse(design, [&](const auto &x) {
        for_chunks(chunks, threads, [&](index_t c) {
            std::vector<V> value;  // of a row: every entry is written, and kept where it is chosen
            std::vector<std::int32_t> column;
            for (index_t i = chunks.begin(c); i < chunks.end(c); ++i) {
                const index_t begin = x.begin(i), end = x.end(i);
                if (value.size() < std::size_t(end - begin + 1)) {
                    value.resize(std::size_t(end - begin + 1));
                    column.resize(std::size_t(end - begin + 1));
                }
                V *v = value.data();
                std::int32_t *p = column.data();
                index_t kept = 0;
                for (index_t k = begin; k < end; ++k) {
                    const std::int32_t to = place[x.indices[k]];
                    v[kept] = V(x.data[k]), p[kept] = to;
                    kept += to >= 0;
                }
                kept = std::min<index_t>(kept, starts[i + 1] - starts[i]);
                std::copy(v, v + kept, values + starts[i]);
                std::copy(p, p + kept, columns + starts[i]);
            }
        });
    });
}

template void columns_copy(const Design &, const std::int32_t *, const std::int32_t *, double *, std::int32_t *, int);
template void columns_copy(const Design &, const std::int32_t *, const std::int32_t *, float *, std::int32_t *, int);

void columns_squares(const Design &design, const double *weights, double *out, int threads) {
    const Chunks chunks(design.n, design.nnz, design.d);
    visit_sparse(design, [&](const auto &x) {
        sum_chunks(chunks, design.d, out, threads, [&](index_t c, double *sum) {
            for (index_t i = chunks.begin(c); i < chunks.end(c); ++i) {
                const double weight = weights ? weights[i] : 1.0;
                x.each(i, [&](index_t j, double v) { sum[j] += weight * v * v; });
            }
        });
    });
}

}  // namespace linsep
