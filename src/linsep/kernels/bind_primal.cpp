#include "bind.hpp"
#include "primal.hpp"

namespace linsep {
namespace {

using Rows32 = nb::ndarray<const std::int32_t, nb::c_contig, nb::device::cpu>;
using OutRows32 = nb::ndarray<std::int32_t, nb::c_contig, nb::device::cpu>;
using Found = std::tuple<double, index_t, bool>;

// The arrays of one model, kept alive; z is written.
struct Terms {
    In g, w, a, c, lower, upper;
    Out z;

    index_t size() const { return index_t(g.size()); }
    PrimalTerms terms(index_t count) const {
        return {count, g.data(), w.data(), a.data(), c.data(), lower.data(), upper.data(), z.data()};
    }
};

// Packed columns, kept alive.
struct Packed {
    In values;
    Rows32 rows;
    InIndex starts;
    index_t n;

    index_t count() const { return index_t(starts.size()) - 1; }
};

Found found(const PrimalResult &r) { return {r.violation, r.visited, r.finished}; }

Terms *new_terms(In g, In w, In a, In c, In lower, In upper, Out z) {
    const index_t m = index_t(g.size());
    sized(w, m, "w"), sized(a, m, "a"), sized(c, m, "c"), sized(lower, m, "lower"), sized(upper, m, "upper");
    sized(z, m, "z");
    return new Terms{g, w, a, c, lower, upper, z};
}

// Offsets that never fall within the values, and rows below n: else a kernel would leave the arrays.
Packed *new_packed(In values, Rows32 rows, InIndex starts, index_t n) {
    const index_t count = index_t(starts.size()) - 1, *s = starts.data();
    bool valid = count >= 0 && s[0] == 0 && s[count] <= index_t(values.size()) && rows.size() == values.size();
    for (index_t j = 0; valid && j < count; ++j) valid = s[j] <= s[j + 1];
    for (index_t k = 0; valid && k < s[count]; ++k) valid = std::uint32_t(rows.data()[k]) < std::uint64_t(n);
    if (!valid) throw nb::value_error("starts rise from 0 to at most the number of values, rows are 0, …, n - 1");
    return new Packed{values, rows, starts, n};
}

void py_pack(const Matrix &columns, InIndex chosen, InIndex starts, std::optional<In> root, Out values, OutRows32 rows,
             int threads) {
    const index_t count = index_t(chosen.size());
    const index_t *s = sized(starts, count + 1, "starts");
    if (!all_below(chosen.data(), count, columns.x.n)) throw nb::value_error("chosen are 0, …, d - 1");
    bool valid = s[0] >= 0 && s[count] <= index_t(values.size()) && rows.size() == values.size();
    for (index_t j = 0; valid && j < count; ++j) valid = s[j] <= s[j + 1];
    if (!valid) throw nb::value_error("starts rise to at most the number of values");
    const double *r = sized(root, columns.x.d, "root");
    nb::gil_scoped_release release;
    primal_pack(columns.x, chosen.data(), s, count, r, values.data(), rows.data(), threads);
}

Found py_gram(In H, const Terms &t, double violation, index_t sweeps) {
    const double *h = sized(H, t.size() * t.size(), "H");
    nb::gil_scoped_release release;
    return found(primal_gram(h, t.terms(t.size()), {violation, sweeps}));
}

Found py_columns(const Packed &x, const Terms &t, In h, std::optional<In> mean, Out q, double violation,
                 index_t sweeps) {
    const index_t m = x.count();
    if (t.size() != m) throw nb::value_error("as many terms as columns");
    const PrimalColumns columns{x.values.data(), x.rows.data(), x.starts.data(), sized(h, m, "h"),
                                sized(mean, m, "mean"), sized(q, x.n, "q")};
    nb::gil_scoped_release release;
    return found(primal_columns(columns, t.terms(m), {violation, sweeps}));
}

Found py_joint(const Packed &x, const Terms &t, In h, In p, In share, Out residual, double violation,
               index_t sweeps) {
    const index_t n = x.n, k = n > 0 ? index_t(p.size()) / n : 1, m = x.count();
    if (t.size() != m * k) throw nb::value_error("K terms a column");
    const PrimalJoint columns{x.values.data(), x.rows.data(), x.starts.data(), sized(h, m * k, "h"),
                              sized(p, n * k, "p"), sized(share, n, "share"), sized(residual, n * k, "residual"), k};
    nb::gil_scoped_release release;
    return found(primal_joint(columns, t.terms(m), {violation, sweeps}));
}

}  // namespace

void bind_primal(nb::module_ &m) {
    nb::class_<Terms>(m, "PrimalTerms")
        .def(nb::new_(&new_terms), nb::arg("g"), nb::arg("w"), nb::arg("a"), nb::arg("c"), nb::arg("lower"),
             nb::arg("upper"), written("z"));
    nb::class_<Packed>(m, "PackedColumns")
        .def(nb::new_(&new_packed), nb::arg("values"), nb::arg("rows"), nb::arg("starts"), nb::arg("n"));
    m.def("primal_pack", &py_pack, nb::arg("columns"), nb::arg("chosen"), nb::arg("starts"), nb::arg("root").none(),
          written("values"), written("rows"), nb::arg("threads"));
    m.def("primal_gram", &py_gram, nb::arg("H"), nb::arg("terms"), nb::arg("violation"), nb::arg("sweeps"));
    m.def("primal_columns", &py_columns, nb::arg("columns"), nb::arg("terms"), nb::arg("h"), nb::arg("mean").none(),
          written("q"), nb::arg("violation"), nb::arg("sweeps"));
    m.def("primal_joint", &py_joint, nb::arg("columns"), nb::arg("terms"), nb::arg("h"), nb::arg("p"),
          nb::arg("share"), written("residual"), nb::arg("violation"), nb::arg("sweeps"));
}

}  // namespace linsep
