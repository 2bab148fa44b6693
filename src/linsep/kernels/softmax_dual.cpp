// Entry points of softmax_dual.hpp for any Design.
#include "softmax_dual.hpp"

#include <type_traits>

#include "chunks.hpp"

namespace linsep {

void softmax_sweep(const Design &design, const SoftmaxArrays &s, DualState &state, int threads) {
    const SweepVectors vectors{s.order, design.d * padded(s.classes), s.w, s.lane_w, true};
    visit(design, [&](const auto &x) {
        const SoftmaxRun<std::decay_t<decltype(x)>> run{design, x, s, state};
        sweep_class_rows(vectors, {s.classes, s.b, s.r}, state, threads, run);
    });
}

void softmax_multipliers(const double *t, const std::int64_t *y, index_t n, index_t classes, double *theta, int threads) {
    const Chunks chunks(n, 8 * n * classes, 1);
    for_chunks(chunks, threads, [&](index_t c) {
        for (index_t i = chunks.begin(c); i < chunks.end(c); ++i) {
            const double *ti = t + i * classes;
            double *to = theta + i * classes, others = 0;
#pragma omp simd
            for (index_t k = 0; k < classes; ++k) to[k] = -exp_nonpositive(ti[k]);
            to[y[i]] = 0;
#pragma omp simd reduction(+ : others)
            for (index_t k = 0; k < classes; ++k) others += to[k];
            to[y[i]] = std::min(-others, 1.0);
        }
    });
}

}  // namespace linsep
