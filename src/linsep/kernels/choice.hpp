// Learning from an expert's choices, one state after the other.
//
// State s has the actions of rows offsets[s], …, offsets[s + 1] − 1 of the design; the expert took row chosen[s].
//
//     rival = the best scored action that is not the expert's (the first of equals)
//     if the rival wins:  w += x_chosen − x_rival          (Collins 2002, figure 2)
//
// A rival with a larger score wins. With the same score it wins if `strict`, else only if it comes before every
// other action of that score, as argmax has it. Rows marked in `same` equal the expert's: they are never rivals.
//
// The mean of w over the visits t = 0, …, T − 1 (each after its update) is w − late / T with late = Σ t·(update at
// visit t), so an average costs only the updates.
#pragma once
#include "rows.hpp"

namespace linsep {

struct ChoiceRows {
    index_t states;
    const index_t *offsets;  // (states + 1): 0, …, n, rising
    const index_t *chosen;   // (states): rows
    const std::uint8_t *same;  // (n)
};

struct ChoiceWeights {
    double *w;      // (d)
    double *late;   // (d)
    index_t clock;  // visits so far
};

// One visit to each of the `count` states of `order`, in that order. A mistake at state s writes (s, rival row) to
// `mistakes`, which has room for `count` pairs. Returns the number of mistakes.
index_t choice_epoch(const Design &, const ChoiceRows &, const index_t *order, index_t count, bool strict,
                     ChoiceWeights, index_t *mistakes);

// ‖x_chosen − x_a‖² for every row a of every state; exactly 0 for rows that are the same.
void choice_distances(const Design &, const ChoiceRows &, double *out);

}  // namespace linsep
