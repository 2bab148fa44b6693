// Asking for memory before it is needed.
//
// The lines go to the second-level cache: on their way to the first they would stand in the queue that the loop's own
// misses need. gcc takes a function that does nothing but prefetch for one without effect, and leaves out its calls; the
// empty statement beside the prefetch is an effect (docs/decisions/0008). Inlined always, so that no row costs a call.
#pragma once
#include <cstdint>

namespace linsep {

#define LINSEP_PREFETCHES [[gnu::always_inline]] inline

LINSEP_PREFETCHES void prefetch(const void *p) {
    __builtin_prefetch(p, 0, 2);
    asm volatile("");
}
// To the first-level cache: for a few lines that are needed soon.
LINSEP_PREFETCHES void prefetch_near(const void *p) {
    __builtin_prefetch(p, 0, 3);
    asm volatile("");
}

// The cache lines of p[0..count); of many the first only, because the processor follows by itself.
template <class T>
LINSEP_PREFETCHES void prefetch_lines(const T *p, std::int64_t count) {
    constexpr std::int64_t line = 64 / std::int64_t(sizeof(T)), most = 128 * line;
    const std::int64_t end = count < most ? count : most;
    for (std::int64_t j = 0; j < end; j += line) prefetch(p + j);
    if (end > 0) prefetch(p + end - 1);
}

}  // namespace linsep
