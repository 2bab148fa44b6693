#include "perceptron.hpp"

#include <algorithm>

#include "ahead.hpp"

namespace linsep {
namespace {

template <class Rows>
struct Learner {
    const Rows &x;
    PerceptronState &s;
    const PerceptronSettings set = s.set;

    // ⟨v, x̂⟩, x̂ the centred row with its extra 1
    [[gnu::always_inline]] double raw(index_t i, index_t k) const {
        const double *v = s.unit(k);
        double z = x.dot(i, v) + v[x.d];
        if (s.shift) z += v[x.d + 1] * (s.mean2 - s.shift[i]) - v[x.d + 2];
        return z;
    }
    double score(index_t i, index_t k) const { return s.scale[std::size_t(k)] * raw(i, k); }

    void add(index_t i, double a, double *v) const {
        x.axpy(i, a, v);
        if (set.bias) v[x.d] += a;
        if (s.shift) v[x.d + 1] += a, v[x.d + 2] += a * s.shift[i];
    }

    bool wrong_side(double z, double t) const {
        return z == 0.0 ? set.tie == 0 || double(set.tie) != t : (z > 0.0) != (t > 0.0);
    }

    void judge_unit(index_t i, index_t k, double t) {
        const double z = score(i, k);
        const bool wrong = wrong_side(z, t);
        s.mistakes[std::size_t(k)] += wrong;
        double step = wrong ? set.rate * t : 0.0;
        if (set.rule == PerceptronRule::thresholded) step *= 2.0;
        if (set.rule == PerceptronRule::unthresholded) step = set.rate * (t - z);
        if (step != 0.0) s.corrections.push_back({i, k, step});
    }

    // The best class other than `own`; of equals the first, or the last where a tie is for the later class.
    index_t rival_of(index_t own) const {
        index_t rival = own == 0 ? 1 : 0;
        for (index_t k = rival + 1; k < s.units; ++k) {
            const double zk = s.z[std::size_t(k)], zr = s.z[std::size_t(rival)];
            if (k != own && (zk > zr || (set.tie > 0 && zk == zr))) rival = k;
        }
        return rival;
    }

    void judge_joint(index_t i) {
        for (index_t k = 0; k < s.units; ++k) s.z[std::size_t(k)] = score(i, k);
        const index_t own = s.y[i], rival = rival_of(own);
        const double lead = s.z[std::size_t(own)] - s.z[std::size_t(rival)];
        const bool loses_tie = set.tie == 0 || (set.tie > 0) == (rival > own);
        if (lead > 0.0 || (lead == 0.0 && !loses_tie)) return;
        ++s.mistakes[0];
        s.corrections.push_back({i, own, set.rate});
        s.corrections.push_back({i, rival, -set.rate});
    }

    void judge(index_t i) {
        if (set.joint) return judge_joint(i);
        if (s.units == 1) return judge_unit(i, 0, s.y[i] == 1 ? 1.0 : -1.0);
        for (index_t k = 0; k < s.units; ++k) judge_unit(i, k, s.y[i] == k ? 1.0 : -1.0);
    }

    // ‖v‖² of a unit, from its entries.
    double exact_norm2(index_t k) const {
        const double *v = s.unit(k);
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (index_t j = 0; j <= x.d; ++j) sum += v[j] * v[j];
        if (s.shift) sum += v[x.d + 1] * (v[x.d + 1] * s.mean2 - 2.0 * v[x.d + 2]);
        return std::max(sum, 0.0);
    }

    // ‖v + a x̂‖² from ‖v‖²; exact where the terms cancel.
    void track_norm(index_t i, index_t k, double a) const {
        if (!Rows::sparse) return;
        double square = x.norm2(i) + (set.bias ? 1.0 : 0.0);
        if (s.shift) square += s.mean2 - 2.0 * s.shift[i];
        double &norm2 = s.norm2[std::size_t(k)];
        const double before = norm2 + a * a * square;
        norm2 = before + 2.0 * a * raw(i, k);
        if (norm2 < 1e-4 * before) norm2 = -1.0;
    }

    void correct(const Correction &c) {
        const std::size_t k = std::size_t(c.unit);
        const double a = c.step / s.scale[k];
        if (set.normalize && s.norm2[k] >= 0.0) track_norm(c.row, c.unit, a);
        add(c.row, a, s.unit(c.unit));
        if (set.average) add(c.row, -a * s.steps[k], s.sum.data() + c.unit * s.width);
        if (!s.touched[k]) s.touched[k] = 1, s.updates[k] += !set.joint;
    }

    // Scale 1 again. The sum is brought up to date, because steps/scale would outgrow it and cancel.
    void fold(index_t unit) {
        const std::size_t k = std::size_t(unit);
        const double a = s.scale[k];
        if (a == 1.0) return;
        double *v = s.unit(unit);
        if (set.average) {
            double *sum = s.sum.data() + unit * s.width;
            for (index_t j = 0; j < s.width; ++j) sum[j] += s.steps[k] * v[j];
            s.steps[k] = 0.0;
        }
        for (index_t j = 0; j < s.width; ++j) v[j] *= a;
        s.norm2[k] *= a * a, s.scale[k] = 1.0;
    }

    // Unit length: of each unit that moved, or of all units as the one vector of Kesler's construction.
    void normalise() {
        double all = 0;
        for (index_t k = 0; k < s.units; ++k) {
            double &norm2 = s.norm2[std::size_t(k)];
            if (s.touched[std::size_t(k)] && (!Rows::sparse || norm2 < 0.0)) norm2 = exact_norm2(k);
            all += norm2;
        }
        for (index_t k = 0; k < s.units; ++k) {
            const double norm2 = set.joint ? all : s.norm2[std::size_t(k)];
            if ((!set.joint && !s.touched[std::size_t(k)]) || !(norm2 > 0.0)) continue;
            const double a = s.scale[std::size_t(k)] = 1.0 / std::sqrt(norm2);
            if (!Rows::sparse || a < 1e-3 || a > 1e3) fold(k);
        }
    }

    void step(const index_t *rows, index_t count) {
        s.corrections.clear();
        for (index_t r = 0; r < count; ++r) judge(rows[r]);
        if (!s.corrections.empty()) {
            for (const Correction &c : s.corrections) correct(c);
            if (set.joint) ++s.updates[0];
            if (set.normalize) normalise();
            std::fill(s.touched.begin(), s.touched.end(), 0);
            if (set.record) s.copy_weights(s.path), s.path_rows.push_back(s.corrections[0].row);
            if (set.pocket) pocket();
        }
        if (set.average)
            for (index_t k = 0; k < s.units; ++k) s.steps[std::size_t(k)] += s.scale[std::size_t(k)];
        ++s.blocks;
    }

    index_t predicted(index_t i) const {
        const bool later = set.tie > 0;
        double top = score(i, 0);
        if (s.units == 1) return top > 0.0 || (later && top == 0.0);
        index_t best = 0;
        for (index_t k = 1; k < s.units; ++k) {
            const double z = score(i, k);
            if (z > top || (later && z == top)) best = k, top = z;
        }
        return best;
    }

    void pocket() {
        const index_t limit = s.best_errors < 0 ? x.n + 1 : s.best_errors;
        index_t errors = 0;
        for (index_t i = 0; i < x.n && errors < limit; ++i) errors += predicted(i) != s.y[i];
        if (errors >= limit) return;
        s.best_errors = errors;
        s.best.clear();
        s.copy_weights(s.best);
    }

    // One unit, row by row, w itself: what `step` does, without its generality.
    template <PerceptronRule rule>
    void plain_epoch(const index_t *order, index_t count) {
        double *v = s.unit(0);
        index_t mistakes = 0;
        for (index_t k = 0; k < count; ++k) {
            ask_ahead(x, order, count, k, s.y);
            const index_t i = order[k];
            const double t = s.y[i] == 1 ? 1.0 : -1.0, z = raw(i, 0);
            const bool wrong = wrong_side(z, t);
            mistakes += wrong;
            if (rule != PerceptronRule::unthresholded && !wrong) continue;
            const double reach = rule == PerceptronRule::mistake ? t : rule == PerceptronRule::thresholded ? 2.0 * t : t - z;
            if (reach == 0.0) continue;
            add(i, set.rate * reach, v);
            ++s.updates[0];
        }
        s.mistakes[0] += mistakes, s.blocks += count;
    }

    void epoch(const index_t *order, index_t count) {
        if (s.units == 1 && set.batch == 1 && !(set.normalize || set.average || set.record || set.pocket)) {
            switch (set.rule) {
                case PerceptronRule::mistake: return plain_epoch<PerceptronRule::mistake>(order, count);
                case PerceptronRule::thresholded: return plain_epoch<PerceptronRule::thresholded>(order, count);
                default: return plain_epoch<PerceptronRule::unthresholded>(order, count);
            }
        }
        for (index_t k = 0; k < s.units; ++k) s.norm2[std::size_t(k)] = exact_norm2(k);
        for (index_t k = 0; k < count; k += set.batch) {
            const index_t size = std::min(set.batch, count - k);
            for (index_t r = k; r < k + size; ++r) ask_ahead(x, order, count, r, s.y);
            step(order + k, size);
        }
        for (index_t k = 0; k < s.units; ++k) fold(k);
    }
};

template <class F>
void with_learner(const Design &design, PerceptronState &s, F &&f) {
    visit(design, [&](const auto &x) {
        Learner<std::decay_t<decltype(x)>> learner{x, s};
        f(learner);
    });
}

}  // namespace

void perceptron_epoch(const Design &design, PerceptronState &s, const index_t *order, index_t count) {
    with_learner(design, s, [&](auto &learner) { learner.epoch(order, count); });
}

index_t perceptron_mistakes(const Design &design, PerceptronState &s) {
    const std::vector<index_t> kept(s.mistakes);
    std::fill(s.mistakes.begin(), s.mistakes.end(), 0);
    with_learner(design, s, [&](auto &learner) {
        for (index_t i = 0; i < design.n; ++i) s.corrections.clear(), learner.judge(i);
    });
    index_t total = 0;
    for (index_t m : s.mistakes) total += m;
    s.mistakes = kept;
    return total;
}

void perceptron_judge(const Design &design, PerceptronState &s) {
    with_learner(design, s, [](auto &learner) { learner.pocket(); });
}

}  // namespace linsep
