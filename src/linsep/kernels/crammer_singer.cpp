// Entry points of crammer_singer.hpp for any Design.
#include "crammer_singer.hpp"

#include <type_traits>

#include "chunks.hpp"

namespace linsep {

void crammer_singer_sweep(const Design &design, const CrammerSingerArrays &s, DualState &state, int threads) {
    const SweepVectors vectors{s.order, design.d * s.classes, s.w, s.lane_w, false};
    visit(design, [&](const auto &x) {
        const CrammerSingerRun<std::decay_t<decltype(x)>> run{x, s, state};
        sweep_class_rows(vectors, {s.classes, s.b, s.r}, state, threads, run);
    });
}

namespace {

// Scratch and sums of one chunk of rows.
struct ProximalChunk {
    index_t classes, width;  // width: d + 1
    ProximalTotals t{0, 0, 0};
    std::vector<double> g, row;
    std::vector<index_t> free, held;

    ProximalChunk(index_t k, index_t d) : classes(k), width(d + 1), g(std::size_t(k)), row(std::size_t(d + 1)) {
        row[std::size_t(d)] = 1.0;
    }

    // a at the gradients g; lists the classes off their bound, and those with a multiplier that is not 0.
    // Rounding of the level times σ is taken out of the largest free multiplier: their sum is 0.
    void solve(const ProximalRows &p, index_t i, double *a) {
        const index_t own = p.y[i];
        const double *centre = p.centre + i * classes, c = p.cost[i], s = p.sigma;
        const double level = row_level(centre, g.data(), classes, own, c, 1.0 / s);
        double top = g[0], inner = 0, square = 0, sum = 0;
        free.clear(), held.clear();
        index_t largest = own;
        for (index_t k = 0; k < classes; ++k) {
            const double upper = k == own ? c : 0.0, target = centre[k] + s * (level - g[std::size_t(k)]);
            a[k] = std::min(upper, target), sum += a[k];
            if (!(target < upper)) continue;
            if (free.empty() || std::fabs(a[k]) > std::fabs(a[largest])) largest = k;
            free.push_back(k);
        }
        a[largest] = std::min(largest == own ? c : 0.0, a[largest] - sum);
        for (index_t k = 0; k < classes; ++k) {
            const double gk = g[std::size_t(k)];
            top = std::max(top, gk), inner += a[k] * gk;
            if (a[k] != 0.0) held.push_back(k);
            square += (a[k] - centre[k]) * (a[k] - centre[k]);
            if (k != own) t.conjugate += a[k];
        }
        t.envelope -= inner + 0.5 * square / s, t.loss += c * (top - g[std::size_t(own)]);
    }

    // Upper triangle of hessian += σ x xᵀ ⊗ (I_F − 1_F 1_Fᵀ/|F|); x is in `row`.
    void curve(double sigma, double *hessian) const {
        const double share = 1.0 / double(free.size());
        const index_t stride = classes * width;
        for (std::size_t p = 0; p < free.size(); ++p)
            for (std::size_t q = p; q < free.size(); ++q) {
                const double weight = sigma * ((p == q ? 1.0 : 0.0) - share);
                for (index_t j = 0; j < width; ++j) {
                    double *h = hessian + (free[p] * width + j) * stride + free[q] * width;
                    const double scaled = weight * row[std::size_t(j)];
                    if (scaled == 0.0) continue;
#pragma omp simd
                    for (index_t l = 0; l < width; ++l) h[l] += scaled * row[std::size_t(l)];
                }
            }
    }
};

template <class Rows>
ProximalTotals proximal_rows(const Rows &x, const Chunks &chunks, const ProximalRows &p, const double *w, double *next,
                             double *adjoint, double *hessian, int threads) {
    const index_t classes = p.classes, width = (x.d + 1) * classes, square = hessian ? width * width : 0;
    std::vector<ProximalTotals> totals(static_cast<std::size_t>(chunks.count));
    std::vector<double> out(static_cast<std::size_t>(width + square));
    sum_chunks(chunks, width + square, out.data(), threads, [&](index_t c, double *sum) {
        ProximalChunk chunk(classes, x.d);
        double *g = chunk.g.data();
        for (index_t i = chunks.begin(c); i < chunks.end(c); ++i) {
            double *a = next + i * classes;
            for (index_t k = 0; k < classes; ++k) g[k] = w[x.d * classes + k] + (k == p.y[i] ? 0.0 : 1.0);
            std::fill(chunk.row.begin(), chunk.row.end() - 1, 0.0);
            x.each(i, [&](index_t j, double v) {
                chunk.row[std::size_t(j)] = v;
#pragma omp simd
                for (index_t k = 0; k < classes; ++k) g[k] += v * w[j * classes + k];
            });
            chunk.solve(p, i, a);
            const auto gather = [&](index_t j, double v) { add_classes(v, a, chunk.held, classes, sum + j * classes); };
            x.each(i, gather), gather(x.d, 1.0);
            if (hessian && chunk.free.size() > 1) chunk.curve(p.sigma, sum + width);
        }
        totals[std::size_t(c)] = chunk.t;
    });
    std::copy(out.begin(), out.begin() + width, adjoint);
    if (hessian) std::copy(out.begin() + width, out.end(), hessian);
    ProximalTotals t{0, 0, 0};
    for (const ProximalTotals &o : totals) t.envelope += o.envelope, t.loss += o.loss, t.conjugate += o.conjugate;
    return t;
}

}  // namespace

ProximalTotals crammer_singer_proximal(const Design &design, const ProximalRows &p, const double *w, double *next,
                                       double *adjoint, double *hessian, int threads) {
    const index_t width = (design.d + 1) * p.classes;
    const index_t work = design.nnz * p.classes * 4;
    const Chunks chunks(design.n, work, hessian ? 16 * width * width : width);
    return visit(design, [&](const auto &x) { return proximal_rows(x, chunks, p, w, next, adjoint, hessian, threads); });
}

}  // namespace linsep
