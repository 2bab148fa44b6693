#include "bind.hpp"
#include "choice.hpp"

namespace linsep {
namespace {

using InMask = nb::ndarray<const std::uint8_t, nb::c_contig, nb::device::cpu>;

// Offsets that rise from 0 to n, and a choice within each state: else a kernel would leave the arrays.
ChoiceRows checked(const Matrix &m, InIndex &offsets, InIndex &chosen, const std::uint8_t *same) {
    const index_t states = index_t(chosen.size());
    const index_t *o = sized(offsets, states + 1, "offsets"), *c = chosen.data();
    bool valid = o[0] == 0 && o[states] == m.x.n;
    for (index_t s = 0; s < states; ++s) valid &= o[s] < o[s + 1];
    if (!valid) throw nb::value_error("offsets rise from 0 to the number of rows");
    for (index_t s = 0; s < states; ++s) valid &= o[s] <= c[s] && c[s] < o[s + 1];
    if (!valid) throw nb::value_error("the chosen row is one of its state's");
    return {states, o, c, same};
}

index_t py_choice_epoch(const Matrix &m, InIndex offsets, InIndex chosen, InMask same, InIndex order, bool strict,
                        Out w, Out late, index_t clock, OutIndex mistakes) {
    const ChoiceRows rows = checked(m, offsets, chosen, sized(same, m.x.n, "same"));
    const index_t count = index_t(order.size());
    if (!all_below(order.data(), count, rows.states)) throw nb::value_error("order holds numbers of states");
    const ChoiceWeights weights{sized(w, m.x.d, "w"), sized(late, m.x.d, "late"), clock};
    index_t *out = sized(mistakes, 2 * count, "mistakes");
    nb::gil_scoped_release release;
    return choice_epoch(m.x, rows, order.data(), count, strict, weights, out);
}

void py_choice_distances(const Matrix &m, InIndex offsets, InIndex chosen, Out out) {
    const ChoiceRows rows = checked(m, offsets, chosen, nullptr);
    double *to = sized(out, m.x.n, "out");
    nb::gil_scoped_release release;
    choice_distances(m.x, rows, to);
}

}  // namespace

void bind_choice(nb::module_ &m) {
    m.def("choice_epoch", &py_choice_epoch, nb::arg("matrix"), nb::arg("offsets"), nb::arg("chosen"), nb::arg("same"),
          nb::arg("order"), nb::arg("strict"), written("w"), written("late"), nb::arg("clock"),
          written("mistakes"));
    m.def("choice_distances", &py_choice_distances, nb::arg("matrix"), nb::arg("offsets"), nb::arg("chosen"),
          written("out"));
}

}  // namespace linsep
