#include "choice.hpp"

#include <vector>

namespace linsep {
namespace {

struct Verdict {
    index_t rival;  // −1: none
    bool wins;
};

template <class Rows>
Verdict judge(const Rows &x, const ChoiceRows &s, index_t state, bool strict, const double *w) {
    const index_t chosen = s.chosen[state];
    const double own = x.dot(chosen, w);
    index_t rival = -1, first_equal = chosen;
    double best = 0;
    for (index_t a = s.offsets[state]; a < s.offsets[state + 1]; ++a) {
        if (a == chosen) continue;
        if (s.same[a]) {
            if (a < first_equal) first_equal = a;
            continue;
        }
        const double score = x.dot(a, w);
        if (rival < 0 || score > best) rival = a, best = score;
    }
    return {rival, rival >= 0 && (best > own || (best == own && (strict || rival < first_equal)))};
}

template <class Rows>
void add_difference(const Rows &x, index_t chosen, index_t rival, double factor, double *w) {
    x.axpy(chosen, factor, w);
    x.axpy(rival, -factor, w);
}

template <class Rows>
index_t epoch(const Rows &x, const ChoiceRows &s, const index_t *order, index_t count, bool strict,
              ChoiceWeights weights, index_t *mistakes) {
    index_t made = 0;
    for (index_t k = 0; k < count; ++k) {
        const index_t state = order[k], chosen = s.chosen[state];
        if (k + 1 < count) x.prefetch(s.offsets[order[k + 1]]);
        const Verdict verdict = judge(x, s, state, strict, weights.w);
        if (!verdict.wins) continue;
        add_difference(x, chosen, verdict.rival, 1.0, weights.w);
        add_difference(x, chosen, verdict.rival, double(weights.clock + k), weights.late);
        mistakes[2 * made] = state;
        mistakes[2 * made + 1] = verdict.rival;
        ++made;
    }
    return made;
}

// The difference is written out entry by entry and taken back, so equal rows give exactly 0 in any storage.
template <class Rows>
void distances(const Rows &x, const ChoiceRows &s, double *out) {
    std::vector<double> difference(static_cast<std::size_t>(x.d), 0.0);
    for (index_t state = 0; state < s.states; ++state) {
        const index_t chosen = s.chosen[state];
        for (index_t a = s.offsets[state]; a < s.offsets[state + 1]; ++a) {
            double sum = 0;
            const auto take = [&](index_t j, double) {
                double &entry = difference[std::size_t(j)];
                sum += entry * entry;
                entry = 0;
            };
            add_difference(x, chosen, a, 1.0, difference.data());
            x.each(a, take);
            x.each(chosen, take);
            out[a] = sum;
        }
    }
}

}  // namespace

index_t choice_epoch(const Design &design, const ChoiceRows &s, const index_t *order, index_t count, bool strict,
                     ChoiceWeights weights, index_t *mistakes) {
    return visit(design, [&](const auto &x) { return epoch(x, s, order, count, strict, weights, mistakes); });
}

void choice_distances(const Design &design, const ChoiceRows &s, double *out) {
    visit(design, [&](const auto &x) { distances(x, s, out); });
}

}  // namespace linsep
