#include "bind.hpp"
#include "smo.hpp"

namespace linsep {
namespace {

struct NamedKernel {
    const char *name;
    KernelKind kind;
};
constexpr NamedKernel kKernels[] = {
    {"linear", KernelKind::linear},
    {"polynomial", KernelKind::polynomial},
    {"rbf", KernelKind::rbf},
    {"sigmoid", KernelKind::sigmoid},
};

// The rows of a kernel, with the arrays that they read.
struct PyKernelRows {
    Matrix matrix;
    std::optional<InIndex> columns;
    std::unique_ptr<KernelRows> rows;
};

PyKernelRows *of_design(const Matrix &m, const std::string &name, double gamma, double coef0, index_t degree,
                        double memory) {
    const KernelFunction f{named(kKernels, name).kind, gamma, coef0, degree};
    auto *made = new PyKernelRows{m, {}, {}};
    nb::gil_scoped_release release;
    made->rows = std::make_unique<DesignKernel>(made->matrix.x, f, memory);
    return made;
}

PyKernelRows *given(const Matrix &m, std::optional<InIndex> columns) {
    if (m.x.storage == Storage::csr) throw nb::type_error("a given kernel matrix is dense");
    const index_t *chosen = sized(columns, m.x.n, "columns");
    if (chosen ? !all_below(chosen, m.x.n, m.x.d) : m.x.n > m.x.d) throw nb::value_error("columns are 0, …, d - 1");
    auto *made = new PyKernelRows{m, columns, {}};
    made->rows = std::make_unique<GivenKernel>(made->matrix.x, chosen);
    return made;
}

// call(row) returns the n values of a row
PyKernelRows *called(In diagonal, nb::callable call) {
    const index_t n = index_t(diagonal.size());
    auto write = [call, n](index_t row, double *out) {
        nb::gil_scoped_acquire acquire;
        In values = nb::cast<In>(call(row));
        std::copy_n(sized(values, n, "row"), n, out);
    };
    return new PyKernelRows{{}, {}, std::make_unique<CalledKernel>(n, diagonal.data(), write)};
}

void block(const PyKernelRows &k, const Matrix &q, index_t first, Out out, int threads) {
    const auto *rows = dynamic_cast<const DesignKernel *>(k.rows.get());
    if (!rows) throw nb::type_error("only the kernel of a design has blocks");
    const index_t count = index_t(out.shape(0));
    if (q.x.d != k.matrix.x.d || first < 0 || first + count > q.x.n) throw nb::value_error("no such rows");
    double *to = sized(out, count * k.matrix.x.n, "out");
    nb::gil_scoped_release release;
    rows->block(q.x, first, count, to, threads);
}

struct PySmo {
    nb::object kernel;
    Smo smo;
};

PySmo *new_smo(nb::object kernel, In y, In low, In high, bool intercept, double bytes, bool shrinks) {
    KernelRows &rows = *nb::cast<PyKernelRows &>(kernel).rows;
    const index_t n = rows.n();
    return new PySmo{kernel, Smo(rows, sized(y, n, "y"), sized(low, n, "low"), sized(high, n, "high"), intercept,
                                 bytes, shrinks)};
}

bool run(PySmo &s, index_t steps, double tol, double floor, int threads) {
    nb::gil_scoped_release release;
    return s.smo.run(steps, tol, floor, threads);
}

void complete(PySmo &s, int threads) {
    nb::gil_scoped_release release;
    s.smo.complete(threads);
}

void read(const PySmo &s, Out beta, Out v) {
    const index_t n = nb::cast<PyKernelRows &>(s.kernel).rows->n();
    s.smo.read(sized(beta, n, "beta"), sized(v, n, "v"));
}

}  // namespace

void bind_smo(nb::module_ &m) {
    nb::class_<PyKernelRows>(m, "KernelRows")
        .def_static("of", &of_design, nb::rv_policy::take_ownership)
        .def_static("given", &given, nb::arg("matrix"), nb::arg("columns").none(), nb::rv_policy::take_ownership)
        .def_static("called", &called, nb::rv_policy::take_ownership)
        .def("diagonal", [](PyKernelRows &k, Out out) { k.rows->diagonal(sized(out, k.rows->n(), "out")); })
        .def("block", &block);
    nb::class_<SmoState>(m, "SmoState")
        .def_ro("iterations", &SmoState::iterations)
        .def_ro("active", &SmoState::active)
        .def_ro("rows_computed", &SmoState::rows_computed)
        .def_ro("dual", &SmoState::dual)
        .def_ro("gap", &SmoState::gap)
        .def_ro("high", &SmoState::high)
        .def_ro("low", &SmoState::low)
        .def_ro("largest_v", &SmoState::largest_v)
        .def_ro("least_curvature", &SmoState::least_curvature);
    nb::class_<PySmo>(m, "Smo")
        .def_static("over", &new_smo, nb::rv_policy::take_ownership)
        .def("run", &run)
        .def("complete", &complete)
        .def("read", &read)
        .def_prop_ro("state", [](const PySmo &s) { return s.smo.state(); });
}

}  // namespace linsep
