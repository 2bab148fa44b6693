#include "chunks.hpp"

#include "pool.hpp"

namespace linsep {

constexpr index_t kLine = 8;  // doubles in a line of the cache

void for_chunks(index_t count, int threads, FunctionRef<void(index_t)> f) {
    if (threads <= 1 || count <= 1) {
        for (index_t c = 0; c < count; ++c) f(c);
        return;
    }
    Pool::each(count, threads, f);
}

void sum_chunks(const Chunks &chunks, index_t width, double *out, int threads, FunctionRef<void(index_t, double *)> f) {
    if (chunks.count == 1) {
        std::fill(out, out + width, 0.0);
        f(index_t(0), out);
        return;
    }
    const index_t stride = width + kLine;  // two threads never write to one line
    Workspace<Use::sums> work(chunks.count * stride);
    double *partial = work.data();
    for_chunks(chunks, threads, [&](index_t c) {
        double *sum = partial + c * stride;
        std::fill(sum, sum + width, 0.0);
        f(c, sum);
    });
    const index_t slice = 8192, slices = (width + slice - 1) / slice;
    for_chunks(slices, slices > 8 ? threads : 1, [&](index_t s) {
        const index_t lo = s * slice, hi = std::min(width, lo + slice);
        std::copy(partial + lo, partial + hi, out + lo);
        for (index_t c = 1; c < chunks.count; ++c) {
            const double *p = partial + c * stride;
#pragma omp simd
            for (index_t j = lo; j < hi; ++j) out[j] += p[j];
        }
    });
}

void sum_rows(index_t n, index_t work, index_t width, double *out, int threads,
              FunctionRef<void(index_t, index_t, double *)> f) {
    const Chunks chunks(n, work, width);
    sum_chunks(chunks, width, out, threads, [&](index_t c, double *sum) {
        f(chunks.begin(c), chunks.end(c) - chunks.begin(c), sum);
    });
}

}  // namespace linsep
