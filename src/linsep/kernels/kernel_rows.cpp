#include "kernel_rows.hpp"

#include <algorithm>
#include <cmath>

#include "chunks.hpp"
#include "vecmath.hpp"

namespace linsep {
namespace {

// Where columns, weighted by their entries, are emptier than this, panels would multiply mostly zeros.
constexpr double kFill = 0.12;
constexpr index_t kPanel = 512;

double power(double base, index_t exponent) {
    double result = 1.0;
    for (; exponent; exponent >>= 1, base *= base)
        if (exponent & 1) result *= base;
    return result;
}

inline double tanh_of(double t) {
    const double e = exp_nonpositive(-2.0 * std::fabs(t)), size = (1.0 - e) / (1.0 + e);
    return t < 0 ? -size : size;
}

// out[r] += Σ over the E columns; each out[r] is one sum in the order of the columns.
template <int E, class T>
void add_columns(const T *const *column, const double *value, index_t rows, double *out) {
#pragma omp simd
    for (index_t r = 0; r < rows; ++r) {
        double sum = out[r];
        for (int e = 0; e < E; ++e) sum += value[e] * double(column[e][r]);
        out[r] = sum;
    }
}

template <class T>
class Panels : public RowStore {
    index_t d;
    std::vector<T> data;  // panel p, column j, row r at (p·d + j)·kPanel + r

    void dots_of_panel(const Query &q, const T *base, index_t rows, double *out) const {
        const std::size_t count = q.columns.size();
        std::fill(out, out + rows, 0.0);
        const T *column[4];
        std::size_t e = 0;
        for (; e + 4 <= count; e += 4) {
            for (std::size_t f = 0; f < 4; ++f) column[f] = base + q.columns[e + f] * kPanel;
            add_columns<4>(column, q.values.data() + e, rows, out);
        }
        for (; e < count; ++e) {
            column[0] = base + q.columns[e] * kPanel;
            add_columns<1>(column, q.values.data() + e, rows, out);
        }
    }

  public:
    Panels(const Design &x, const index_t *order, index_t count) : d(x.d) {
        data.assign(std::size_t((count + kPanel - 1) / kPanel * kPanel * d), T(0));
        Query row;
        for (index_t k = 0; k < count; ++k) {
            T *to = data.data() + k / kPanel * d * kPanel + k % kPanel;
            row.read(x, order[k]);
            for (std::size_t e = 0; e < row.columns.size(); ++e) to[row.columns[e] * kPanel] = T(row.values[e]);
        }
    }
    void dots(const Query &q, index_t from, index_t to, double *out) const override {
        for (index_t panel = from / kPanel; panel * kPanel < to; ++panel) {
            const index_t lo = std::max(from, panel * kPanel), hi = std::min(to, (panel + 1) * kPanel);
            dots_of_panel(q, data.data() + panel * d * kPanel + (lo - panel * kPanel), hi - lo, out + lo);
        }
    }
};

template <class T>
class Columns : public RowStore {
    std::vector<index_t> start;
    std::vector<std::int32_t> rows;
    std::vector<T> entries;

  public:
    Columns(const Design &x, const index_t *order, index_t count) : start(std::size_t(x.d + 1), 0) {
        Query row;
        for (index_t k = 0; k < count; ++k) {
            row.read(x, order[k]);
            for (index_t j : row.columns) ++start[std::size_t(j + 1)];
        }
        for (std::size_t j = 1; j < start.size(); ++j) start[j] += start[j - 1];
        rows.resize(std::size_t(start.back())), entries.resize(std::size_t(start.back()));
        std::vector<index_t> next(start.begin(), start.end() - 1);
        for (index_t k = 0; k < count; ++k) {
            row.read(x, order[k]);
            for (std::size_t e = 0; e < row.columns.size(); ++e) {
                const auto at = std::size_t(next[std::size_t(row.columns[e])]++);
                rows[at] = std::int32_t(k), entries[at] = T(row.values[e]);
            }
        }
    }
    void dots(const Query &q, index_t from, index_t to, double *out) const override {
        std::fill(out + from, out + to, 0.0);
        for (std::size_t e = 0; e < q.columns.size(); ++e) {
            const std::int32_t *r = rows.data();
            const std::int32_t *begin = r + start[std::size_t(q.columns[e])];
            const std::int32_t *end = r + start[std::size_t(q.columns[e]) + 1];
            begin = std::lower_bound(begin, end, std::int32_t(from));
            end = std::lower_bound(begin, end, std::int32_t(to));
            const double value = q.values[e];
            const T *entry = entries.data() + (begin - r);
            for (; begin < end; ++begin, ++entry) out[*begin] += value * double(*entry);
        }
    }
};

// Positions in parts that do not depend on the threads.
template <class F>
void for_positions(index_t from, index_t to, index_t work, int threads, const F &f) {
    const index_t size = work < 100000 ? to - from : std::max<index_t>(kPanel, (to - from) / 16 / kPanel * kPanel);
    if (to <= from) return;
    for_chunks((to - from + size - 1) / size, threads, [&](index_t c) {
        f(from + c * size, std::min(to, from + (c + 1) * size));
    });
}

// f(data, row step, column step) for a dense matrix of any element type and order.
template <class F>
void with_entries(const Design &x, const F &f) {
    const index_t down = x.storage == Storage::rows ? x.stride : 1, right = x.storage == Storage::rows ? 1 : x.stride;
    switch (x.element) {
        case Element::f64: return f(static_cast<const double *>(x.data), down, right);
        case Element::f32: return f(static_cast<const float *>(x.data), down, right);
        default: return f(static_cast<const std::uint8_t *>(x.data), down, right);
    }
}

}  // namespace

void KernelFunction::apply(double x2, const double *z2, double *values, index_t count) const {
    const double g = gamma, c = coef0;  // in registers: a store to values must not seem to change them
    switch (kind) {
        case KernelKind::linear: return;
        case KernelKind::polynomial:
            for (index_t k = 0; k < count; ++k) values[k] = power(g * values[k] + c, degree);
            return;
        case KernelKind::rbf:
#pragma omp simd
            for (index_t k = 0; k < count; ++k) {
                const double exponent = g * (2.0 * values[k] - (x2 + z2[k]));
                values[k] = exp_nonpositive(exponent < 0 ? exponent : 0.0);
            }
            return;
        case KernelKind::sigmoid:
#pragma omp simd
            for (index_t k = 0; k < count; ++k) values[k] = tanh_of(g * values[k] + c);
    }
}

void Query::read(const Design &x, index_t row) {
    columns.clear(), values.clear(), norm2 = 0;
    visit(x, [&](const auto &rows) {
        rows.each(row, [&](index_t j, double v) {
            if (v == 0) return;
            columns.push_back(j), values.push_back(v), norm2 += v * v;
        });
    });
}

StoreForm::StoreForm(const Design &x, double memory) {
    std::vector<double> counts(std::size_t(x.d), 0.0);
    bool single = true, byte = true;
    visit(x, [&](const auto &rows) {
        for (index_t i = 0; i < x.n; ++i)
            rows.each(i, [&](index_t j, double v) {
                counts[std::size_t(j)] += v != 0;
                single &= double(float(v)) == v;
                byte &= v >= 0 && v < 256 && double(std::uint8_t(v)) == v;
            });
    });
    element = byte ? Element::u8 : single ? Element::f32 : Element::f64;
    double entries = 0, squares = 0;
    for (double c : counts) entries += c, squares += c * c;
    const double size = double(x.n) * double(x.d) * (byte ? 1 : single ? 4 : 8);
    panels = squares >= kFill * double(x.n) * entries && (x.storage != Storage::csr || size <= memory);
}

template <template <class> class Store>
std::unique_ptr<RowStore> store_of(Element element, const Design &x, const index_t *order, index_t count) {
    switch (element) {
        case Element::f64: return std::make_unique<Store<double>>(x, order, count);
        case Element::f32: return std::make_unique<Store<float>>(x, order, count);
        default: return std::make_unique<Store<std::uint8_t>>(x, order, count);
    }
}

std::unique_ptr<RowStore> make_store(const Design &x, StoreForm form, const index_t *order, index_t count) {
    return form.panels ? store_of<Panels>(form.element, x, order, count)
                       : store_of<Columns>(form.element, x, order, count);
}

DesignKernel::DesignKernel(const Design &x_, KernelFunction f, double memory)
    : x(x_), function(f), form(x_, memory), norms(std::size_t(x_.n)) {
    for (index_t i = 0; i < x.n; ++i) {
        query.read(x, i);
        norms[std::size_t(i)] = query.norm2, order.push_back(i);
    }
    store = make_store(x, form, order.data(), x.n), arranged = norms;
}

void DesignKernel::arrange(const index_t *o, index_t count) {
    if (count == index_t(order.size()) && std::equal(order.begin(), order.end(), o)) return;
    order.assign(o, o + count);
    store.reset();  // not two of them at a time
    store = make_store(x, form, o, count);
    arranged.clear();
    for (index_t i : order) arranged.push_back(norms[std::size_t(i)]);
}

void DesignKernel::fill(const Query &q, index_t from, index_t to, double *out, int threads) const {
    const index_t work = (to - from) * (index_t(q.columns.size()) + 16);
    for_positions(from, to, work, threads, [&](index_t lo, index_t hi) {
        store->dots(q, lo, hi, out);
        function.apply(q.norm2, arranged.data() + lo, out + lo, hi - lo);
    });
}

void DesignKernel::fill(index_t row, index_t from, index_t to, double *out, int threads) {
    query.read(x, row);
    fill(query, from, to, out, threads);
}

void DesignKernel::diagonal(double *out) {
    for (index_t i = 0; i < x.n; ++i) {
        const double z2 = norms[std::size_t(i)];
        out[i] = z2;
        function.apply(z2, &z2, out + i, 1);
    }
}

void DesignKernel::block(const Design &q, index_t first, index_t count, double *out, int threads) const {
    for_chunks(count, threads, [&](index_t r) {
        Query one;
        one.read(q, first + r);
        fill(one, 0, x.n, out + r * x.n, 1);
    });
}

void GivenKernel::fill(index_t row, index_t from, index_t to, double *out, int) {
    const index_t source = x.subset ? x.subset[row] : row;
    with_entries(x, [&](const auto *data, index_t down, index_t right) {
        const auto *of_row = data + source * down;
        for (index_t k = from; k < to; ++k) out[k] = double(of_row[column(order[std::size_t(k)]) * right]);
    });
}

void GivenKernel::diagonal(double *out) {
    with_entries(x, [&](const auto *data, index_t down, index_t right) {
        for (index_t i = 0; i < x.n; ++i)
            out[i] = double(data[(x.subset ? x.subset[i] : i) * down + column(i) * right]);
    });
}

void CalledKernel::fill(index_t row, index_t from, index_t to, double *out, int) {
    call(row, whole.data());
    for (index_t k = from; k < to; ++k) out[k] = whole[std::size_t(order[std::size_t(k)])];
}

}  // namespace linsep
