// The perceptron and the delta rule, block by block of an order of the rows.
//
//   score      z = ⟨w, x⟩ + b, b the weight of an extra input of 1
//   mistake         w += η t x                where x is on the wrong side, t = ±1
//   thresholded     w += η (t − sign z) x     which is 2η t x there, and 0 elsewhere
//   unthresholded   w += η (t − z) x          for every x
//
// A block of `batch` rows is judged by the weights before it, and its corrections are summed: 1 is the incremental
// form, n the batch form. K classes: K units, each with t = 1 for its own class, or (joint, Kesler's construction)
// the rule w_y += ηx, w_r −= ηx for the true class y and the best of the others, r.
//
// w = scale·v, so that unit length after an update costs O(non-zeros); Σ over all steps of w is sum + steps·v, so
// that the average costs one more axpy an update (steps: the sum of the scales so far).
// Rows x − μ without a dense μ: v holds δx, and three more weights, Σδ (twice: the bias, m) and q = Σδ⟨x, μ⟩, so that
// w = v − mμ and z = ⟨v, x⟩ + b + m(‖μ‖² − ⟨x, μ⟩) − q.
#pragma once
#include <cmath>
#include <vector>

#include "design.hpp"

namespace linsep {

enum class PerceptronRule { mistake, thresholded, unthresholded };

struct PerceptronSettings {
    PerceptronRule rule;
    int tie;  // z = 0 is class −1 or 1, or (0) a mistake whatever the class
    bool joint, bias, normalize, average, record, pocket;
    double rate;
    index_t batch;
};

struct Correction {
    index_t row, unit;
    double step;
};

// The numbers of a fit between epochs. w (units × width) belongs to the caller, is read and written in place, and has
// scale 1 between epochs; width = d + 1, or d + 3 for centred rows.
struct PerceptronState {
    PerceptronSettings set;
    index_t units, width, d;
    const index_t *y;     // class numbers
    const double *shift;  // ⟨xᵢ, μ⟩, or null
    double mean2;         // ‖μ‖²
    double *w;
    std::vector<double> sum, scale, steps, norm2, z;
    std::vector<index_t> mistakes, updates, touched;
    std::vector<Correction> corrections;
    index_t blocks = 0;
    std::vector<double> path;        // the weights after every update
    std::vector<index_t> path_rows;  // the first row corrected by it
    std::vector<double> best;        // the pocket
    index_t best_errors = -1;        // of the pocket; −1: empty

    double *unit(index_t k) { return w + k * width; }
    void copy_weights(std::vector<double> &to) const {
        for (index_t k = 0; k < units; ++k)
            for (index_t j = 0; j < width; ++j) to.push_back(scale[std::size_t(k)] * w[k * width + j]);
    }
};

// One pass in the given order; mistakes are added to s.mistakes, updates to s.updates.
void perceptron_epoch(const Design &, PerceptronState &s, const index_t *order, index_t count);
// Rows that the rule counts as mistakes, summed over the units, at the present weights.
index_t perceptron_mistakes(const Design &, PerceptronState &s);
// Puts the present weights into the pocket if fewer rows are predicted wrongly.
void perceptron_judge(const Design &, PerceptronState &s);

}  // namespace linsep
