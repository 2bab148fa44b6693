#include <algorithm>
#include <mutex>
#include <type_traits>
#include <utility>

#include "bind.hpp"
#include "blas.hpp"

namespace linsep {
namespace {

template <class Array>
Element element_of(const Array &a) {
    if (a.dtype() == nb::dtype<double>()) return Element::f64;
    if (a.dtype() == nb::dtype<float>()) return Element::f32;
    if (a.dtype() == nb::dtype<std::uint8_t>() || a.dtype() == nb::dtype<bool>()) return Element::u8;
    throw nb::type_error("a design holds float64, float32, uint8 or bool");
}

Matrix *dense(Any data) {
    if (data.ndim() != 2) throw nb::value_error("a dense design has two dimensions");
    const index_t n = index_t(data.shape(0)), d = index_t(data.shape(1));
    const bool by_rows = data.stride(1) == 1 || d <= 1, by_columns = data.stride(0) == 1 || n <= 1;
    if (!by_rows && !by_columns) throw nb::value_error("a dense design has contiguous rows or contiguous columns");
    const Storage storage = by_rows ? Storage::rows : Storage::columns;
    const index_t stride = by_rows ? index_t(data.stride(0)) : index_t(data.stride(1));
    return new Matrix{{storage, element_of(data), false, n, d, stride, n * d, data.data(), nullptr, nullptr, nullptr},
                      data, {}, {}, {}, {}, {}};
}

// Offsets that never fall, from 0 to at most nnz, and columns in 0, …, d − 1: else a kernel would leave the arrays.
template <class I>
void check_csr(const I *indptr, const I *indices, index_t n, index_t nnz, index_t d) {
    bool valid = indptr[0] == 0 && index_t(indptr[n]) <= nnz;
    for (index_t i = 0; i < n; ++i) valid &= indptr[i] <= indptr[i + 1];
    if (!valid) throw nb::value_error("indptr rises from 0 to at most the number of entries");
    using U = std::make_unsigned_t<I>;
    U most = 0;  // a negative column becomes a large one
    for (index_t k = 0; k < index_t(indptr[n]); ++k) most = std::max(most, U(indices[k]));
    if (indptr[n] > 0 && std::uint64_t(most) >= std::uint64_t(d)) throw nb::value_error("indices are 0, …, d - 1");
}

Matrix *csr(Line data, Line indices, Line indptr, index_t d) {
    const bool wide = indices.dtype() == nb::dtype<std::int64_t>();
    if (indices.dtype() != indptr.dtype() || !(wide || indices.dtype() == nb::dtype<std::int32_t>()))
        throw nb::type_error("indices and indptr are both int32 or both int64");
    const index_t n = index_t(indptr.size()) - 1, nnz = index_t(data.size());
    if (n < 0 || index_t(indices.size()) != nnz) throw nb::value_error("as many indices as entries, and n + 1 offsets");
    using I32 = const std::int32_t *;
    using I64 = const std::int64_t *;
    wide ? check_csr(I64(indptr.data()), I64(indices.data()), n, nnz, d)
         : check_csr(I32(indptr.data()), I32(indices.data()), n, nnz, d);
    return new Matrix{{Storage::csr, element_of(data), wide, n, d, d, nnz, data.data(), indptr.data(), indices.data(),
                       nullptr},
                      Any(data), indices, indptr, {}, {}, {}};
}

// The same rows with their transpose at hand, for passes with several scores a row.
Matrix *with_columns(const Matrix &rows, const Matrix &columns) {
    const Design &x = rows.x, &t = columns.x;
    const bool fits = x.storage == Storage::csr && t.storage == Storage::csr && x.element == t.element &&
                      x.wide_index == t.wide_index && x.n == t.d && x.d == t.n && x.nnz == t.nnz;
    if (!fits || x.subset || t.subset) throw nb::value_error("columns: the transpose of all rows, of the same types");
    Matrix *both = new Matrix(rows);
    both->columns = std::make_shared<const Matrix>(columns);
    both->x.columns = &both->columns->x;
    return both;
}

Matrix *take(const Matrix &whole, InIndex rows) {
    const index_t n = index_t(rows.size());
    if (!all_below(rows.data(), n, whole.x.n)) throw nb::value_error("rows are 0, …, n - 1");
    Matrix *part = new Matrix(whole);
    part->subset = rows;
    part->columns.reset();
    part->x.columns = nullptr;
    part->x.n = n;
    part->x.subset = rows.data();
    if (whole.x.subset) {
        std::vector<index_t> composed(rows.data(), rows.data() + n);
        for (index_t &i : composed) i = whole.x.subset[i];
        part->nested = std::make_shared<const std::vector<index_t>>(std::move(composed));
        part->x.subset = part->nested->data();
    }
    part->x.nnz = whole.x.n ? index_t(double(whole.x.nnz) / double(whole.x.n) * double(n)) : 0;
    return part;
}

template <class T>
void set_blas(nb::handle gemm, nb::handle syrk) {
    Blas<T>::gemm_ = reinterpret_cast<typename Blas<T>::Gemm *>(nb::cast<nb::capsule>(gemm).data());
    Blas<T>::syrk_ = reinterpret_cast<typename Blas<T>::Syrk *>(nb::cast<nb::capsule>(syrk).data());
}

PyObject *blas_source = nullptr;  // a function without arguments; kept as long as the process lives

}  // namespace

void fetch_blas() {
    static std::once_flag fetched;
    std::call_once(fetched, [] {
        nb::gil_scoped_acquire held;
        const nb::object found = nb::handle(blas_source)();  // dgemm, dsyrk, sgemm, ssyrk
        set_blas<double>(found[0], found[1]);
        set_blas<float>(found[2], found[3]);
    });
}

}  // namespace linsep

NB_MODULE(LINSEP_MODULE, m) {
    using namespace linsep;
    nb::set_leak_warnings(false);
    nb::class_<Matrix>(m, "Matrix")
        .def_static("dense", &dense, nb::rv_policy::take_ownership)
        .def_static("csr", &csr, nb::rv_policy::take_ownership)
        .def("take", &take, nb::rv_policy::take_ownership)
        .def("with_columns", &with_columns, nb::rv_policy::take_ownership)
        .def_prop_ro("n", [](const Matrix &a) { return a.x.n; })
        .def_prop_ro("d", [](const Matrix &a) { return a.x.d; })
        .def_prop_ro("subset", [](const Matrix &a) { return a.x.subset != nullptr; })
        .def_prop_ro("nnz", [](const Matrix &a) { return a.x.nnz; });
    m.def("blas_from", [](nb::callable source) { blas_source = source.release().ptr(); });
    bind_passes(m);
    bind_dual(m);
    bind_perceptron(m);
    bind_choice(m);
    bind_sgd(m);
    bind_smo(m);
    bind_primal(m);
    bind_columns(m);
}
