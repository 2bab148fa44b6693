// Rows of a kernel matrix, k(x, zₖ) for one x and many zₖ, computed when they are needed.
//
//   linear ⟨x, z⟩     polynomial (γ⟨x, z⟩ + c)^p     rbf exp(−γ‖x − z‖²)     sigmoid tanh(γ⟨x, z⟩ + c)
//
// The z are held in an order of their own, which a solver changes as rows leave and return, in one of two forms:
//   panels    512 rows side by side, column by column: a product reads only the columns that x has entries in
//   columns   for every column its rows and entries: for data with so few entries that panels would be mostly zeros
// Each product is one sum over the columns of x in rising order, so k(x, z) = k(z, x) bit for bit, for any chunks.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "rows.hpp"

namespace linsep {

enum class KernelKind { linear, polynomial, rbf, sigmoid };

struct KernelFunction {
    KernelKind kind;
    double gamma, coef0;
    index_t degree;

    // values: ⟨x, zₖ⟩ in, k(x, zₖ) out; x2 = ‖x‖², z2[k] = ‖zₖ‖²
    void apply(double x2, const double *z2, double *values, index_t count) const;
};

// A row by its entries.
struct Query {
    std::vector<index_t> columns;
    std::vector<double> values;
    double norm2 = 0;
    void read(const Design &x, index_t row);
};

// Rows in an order of their own, for products with one vector.
class RowStore {
  public:
    virtual ~RowStore() = default;
    // out[k] = ⟨q, zₖ⟩ for from ≤ k < to
    virtual void dots(const Query &q, index_t from, index_t to, double *out) const = 0;
};

// Facts that choose the form: the smallest type in which all entries are exact, and whether panels pay.
struct StoreForm {
    Element element;
    bool panels;
    // `memory`: bytes that panels may take where the data themselves are sparse
    StoreForm(const Design &x, double memory);
};

std::unique_ptr<RowStore> make_store(const Design &x, StoreForm form, const index_t *order, index_t count);

// What SMO asks for: rows of the kernel matrix over the rows in an order.
class KernelRows {
  public:
    virtual ~KernelRows() = default;
    virtual index_t n() const = 0;
    // from now on position k means row order[k], k < count
    virtual void arrange(const index_t *order, index_t count) = 0;
    // out[k] = k(x_row, x_order[k]) for from ≤ k < to
    virtual void fill(index_t row, index_t from, index_t to, double *out, int threads) = 0;
    virtual void diagonal(double *out) = 0;
};

// Of a design and one of the four functions.
class DesignKernel : public KernelRows {
    Design x;
    KernelFunction function;
    StoreForm form;
    std::vector<double> norms, arranged;   // ‖xᵢ‖² by row, and by position
    std::vector<index_t> order;
    std::unique_ptr<RowStore> store;
    Query query;

    void fill(const Query &q, index_t from, index_t to, double *out, int threads) const;

  public:
    DesignKernel(const Design &x, KernelFunction function, double memory);
    index_t n() const override { return x.n; }
    void arrange(const index_t *order, index_t count) override;
    void fill(index_t row, index_t from, index_t to, double *out, int threads) override;
    void diagonal(double *out) override;
    // out (rows of q × n): the kernel of other rows with these, which are in their own order
    void block(const Design &q, index_t first, index_t count, double *out, int threads) const;
};

// Of a matrix that is given: k(xᵢ, xⱼ) = data[columns[i], columns[j]].
class GivenKernel : public KernelRows {
    Design x;
    const index_t *columns;                // null: 0, …, n − 1
    std::vector<index_t> order;
    index_t column(index_t i) const { return columns ? columns[i] : i; }

  public:
    GivenKernel(const Design &x, const index_t *columns) : x(x), columns(columns) {}
    index_t n() const override { return x.n; }
    void arrange(const index_t *o, index_t count) override { order.assign(o, o + count); }
    void fill(index_t row, index_t from, index_t to, double *out, int threads) override;
    void diagonal(double *out) override;
};

// By calls: call(row, out) writes the n values of a row.
class CalledKernel : public KernelRows {
    index_t rows;
    std::function<void(index_t, double *)> call;
    std::vector<double> own, whole;        // the diagonal, and one whole row
    std::vector<index_t> order;

  public:
    CalledKernel(index_t rows, const double *diagonal, std::function<void(index_t, double *)> call)
        : rows(rows), call(std::move(call)), own(diagonal, diagonal + rows), whole(std::size_t(rows)) {}
    index_t n() const override { return rows; }
    void arrange(const index_t *o, index_t count) override { order.assign(o, o + count); }
    void fill(index_t row, index_t from, index_t to, double *out, int threads) override;
    void diagonal(double *out) override { std::copy(own.begin(), own.end(), out); }
};

}  // namespace linsep
