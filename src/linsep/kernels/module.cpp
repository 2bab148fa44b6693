#include "bind.hpp"
#include "blas.hpp"

namespace linsep {
namespace {

Element element_of(const Any &a) {
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
                      data, {}, {}, {}};
}

Matrix *csr(Any data, Any indices, Any indptr, index_t d) {
    const bool wide = indices.dtype() == nb::dtype<std::int64_t>();
    if (indices.dtype() != indptr.dtype() || !(wide || indices.dtype() == nb::dtype<std::int32_t>()))
        throw nb::type_error("indices and indptr are both int32 or both int64");
    const index_t n = index_t(indptr.size()) - 1, nnz = index_t(data.size());
    return new Matrix{{Storage::csr, element_of(data), wide, n, d, d, nnz, data.data(), indptr.data(), indices.data(),
                       nullptr},
                      data, indices, indptr, {}};
}

Matrix *take(const Matrix &whole, InIndex rows) {
    Matrix *part = new Matrix(whole);
    part->subset = rows;
    part->x.n = index_t(rows.size());
    part->x.subset = rows.data();
    part->x.nnz = whole.x.n ? index_t(double(whole.x.nnz) / double(whole.x.n) * double(part->x.n)) : 0;
    return part;
}

template <class T>
void set_blas(nb::capsule gemm, nb::capsule syrk) {
    Blas<T>::gemm_ = reinterpret_cast<typename Blas<T>::Gemm *>(gemm.data());
    Blas<T>::syrk_ = reinterpret_cast<typename Blas<T>::Syrk *>(syrk.data());
}

}  // namespace
}  // namespace linsep

NB_MODULE(LINSEP_MODULE, m) {
    using namespace linsep;
    nb::set_leak_warnings(false);
    nb::class_<Matrix>(m, "Matrix")
        .def_static("dense", &dense, nb::rv_policy::take_ownership)
        .def_static("csr", &csr, nb::rv_policy::take_ownership)
        .def("take", &take, nb::rv_policy::take_ownership)
        .def_prop_ro("n", [](const Matrix &a) { return a.x.n; })
        .def_prop_ro("d", [](const Matrix &a) { return a.x.d; })
        .def_prop_ro("nnz", [](const Matrix &a) { return a.x.nnz; });
    m.def("set_blas", [](nb::capsule dgemm, nb::capsule dsyrk, nb::capsule sgemm, nb::capsule ssyrk) {
        set_blas<double>(dgemm, dsyrk);
        set_blas<float>(sgemm, ssyrk);
    });
    bind_passes(m);
    bind_dual(m);
}
