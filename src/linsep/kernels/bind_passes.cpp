#include "bind.hpp"
#include "passes.hpp"

namespace linsep {
namespace {

Arithmetic arithmetic(bool single) { return single ? Arithmetic::f32 : Arithmetic::f64; }

void py_scores(const Matrix &m, In w, index_t k, Out out, int threads, bool single) {
    const double *wp = sized(w, (m.x.d + 1) * k, "w");
    double *op = sized(out, m.x.n * k, "out");
    nb::gil_scoped_release release;
    scores(m.x, wp, k, op, threads, arithmetic(single));
}

bool py_sides(const Matrix &m, In w, nb::ndarray<bool, nb::c_contig, nb::device::cpu> out, int threads) {
    const double *wp = sized(w, m.x.d + 1, "w");
    bool *op = sized(out, m.x.n, "out");
    nb::gil_scoped_release release;
    return sides(m.x, wp, op, threads);
}

void py_adjoint(const Matrix &m, In r, index_t k, Out out, int threads, bool single) {
    const double *rp = sized(r, m.x.n * k, "r");
    double *op = sized(out, (m.x.d + 1) * k, "out");
    nb::gil_scoped_release release;
    adjoint(m.x, rp, k, op, threads, arithmetic(single));
}

double py_loss_pass(const Matrix &m, const std::string &loss, In y, std::optional<In> s, double scale, In w, Out f,
                    std::optional<Out> g, std::optional<Out> h, Out grad, int threads) {
    const index_t n = m.x.n;
    const LossKernel &kernel = named(kLosses, loss);
    const LossRows rows{nullptr, sized(y, n, "y"), sized(s, n, "s"), scale};
    const double *wp = sized(w, m.x.d + 1, "w");
    double *fp = sized(f, n, "f"), *gp = sized(g, n, "g"), *hp = sized(h, n, "h");
    double *out = sized(grad, m.x.d + 1, "grad");
    nb::gil_scoped_release release;
    return loss_pass(m.x, kernel, rows, wp, fp, gp, hp, out, threads);
}

double py_loss_values(const std::string &loss, In f, In y, std::optional<In> s, double scale, std::optional<Out> g,
                      std::optional<Out> h, int threads) {
    const index_t n = index_t(f.size());
    const LossKernel &kernel = named(kLosses, loss);
    const LossRows rows{f.data(), sized(y, n, "y"), sized(s, n, "s"), scale};
    double *gp = sized(g, n, "g"), *hp = sized(h, n, "h");
    nb::gil_scoped_release release;
    return loss_values(kernel, rows, n, gp, hp, threads);
}

std::pair<double, double> py_loss_search(const std::string &loss, In f, In u, double t, In y,
                                         std::optional<In> s, double scale, int threads) {
    const index_t n = index_t(f.size());
    const LossKernel &kernel = named(kLosses, loss);
    const LossRows rows{f.data(), sized(y, n, "y"), sized(s, n, "s"), scale};
    const double *up = sized(u, n, "u");
    double out[2];
    nb::gil_scoped_release release;
    loss_search(kernel, rows, up, t, n, out, threads);
    return {out[0], out[1]};
}

const LossKernel &convex_loss(const std::string &name) {
    const LossKernel &kernel = named(kLosses, name);
    if (!kernel.conjugate) throw nb::value_error((name + " is not convex: it has no conjugate").c_str());
    return kernel;
}

void py_loss_linearised(const std::string &loss, In f, In u, In y, Out theta, int threads) {
    const index_t n = index_t(f.size());
    const LossKernel &kernel = convex_loss(loss);
    const LossRows rows{f.data(), sized(y, n, "y"), nullptr, 1.0};
    const double *up = sized(u, n, "u");
    double *tp = sized(theta, n, "theta");
    nb::gil_scoped_release release;
    loss_linearised(kernel, rows, up, n, tp, threads);
}

std::pair<double, double> py_loss_conjugate(const std::string &loss, Out theta, In y, std::optional<In> s,
                                            double scale, std::pair<double, double> shrink, Out r, int threads) {
    const index_t n = index_t(theta.size());
    const LossKernel &kernel = convex_loss(loss);
    const LossRows rows{nullptr, sized(y, n, "y"), sized(s, n, "s"), scale};
    double *rp = sized(r, n, "r"), out[2];
    const double factors[2] = {shrink.first, shrink.second};
    nb::gil_scoped_release release;
    loss_conjugate(kernel, rows, factors, n, theta.data(), rp, out, threads);
    return {out[0], out[1]};
}

JointRows joint_rows(InIndex &y, std::optional<In> &s, double scale, index_t n, index_t k) {
    const index_t *labels = sized(y, n, "y");
    if (!all_below(labels, n, k)) throw nb::value_error("y: labels are 0, …, k - 1");
    return {labels, sized(s, n, "s"), scale, k};
}

double py_joint_pass(const Matrix &m, const std::string &loss, InIndex y, std::optional<In> s, double scale, In w,
                     index_t k, std::optional<Out> f, std::optional<Out> state, Out grad, int threads, bool single) {
    const JointKernel &kernel = named(kJointLosses, loss);
    const JointRows rows = joint_rows(y, s, scale, m.x.n, k);
    const double *wp = sized(w, (m.x.d + 1) * k, "w");
    double *fp = sized(f, m.x.n * k, "f"), *sp = sized(state, m.x.n * k, "state");
    double *out = sized(grad, (m.x.d + 1) * k, "grad");
    nb::gil_scoped_release release;
    return joint_pass(m.x, kernel, rows, wp, fp, sp, out, threads, arithmetic(single));
}

double py_fold_pass(const Matrix &m, const std::string &loss, In y, std::optional<In> s, InIndex fold, In share, In w,
                    std::optional<Out> every, Out mean, Out left, Out grad, int threads) {
    const index_t n = m.x.n, k = index_t(share.size());
    const LossKernel &kernel = named(kLosses, loss);
    const FoldRows rows{sized(y, n, "y"), sized(s, n, "s"), sized(fold, n, "fold"), share.data(), k};
    const double *wp = sized(w, (m.x.d + 1) * k, "w");
    const FoldScores out{sized(every, n * k, "every"), sized(mean, n, "mean"), sized(left, n, "left")};
    double *gp = sized(grad, (m.x.d + 1) * k, "grad");
    if (!all_below(rows.fold, n, k)) throw nb::value_error("fold: folds are 0, …, k - 1");
    nb::gil_scoped_release release;
    return fold_pass(m.x, kernel, rows, wp, out, gp, threads);
}

void py_class_sums(const Matrix &m, InIndex y, std::optional<In> s, double scale, index_t k, Out out,
                   int threads) {
    const JointRows rows = joint_rows(y, s, scale, m.x.n, k);
    double *op = sized(out, (m.x.d + 1) * k, "out");
    nb::gil_scoped_release release;
    class_sums(m.x, rows, op, threads);
}

double py_joint_values(const std::string &loss, Out z, InIndex y, std::optional<In> s, double scale, index_t k,
                       std::optional<Out> r, int threads) {
    const JointKernel &kernel = named(kJointLosses, loss);
    const index_t n = index_t(y.size());
    const JointRows rows = joint_rows(y, s, scale, n, k);
    double *zp = sized(z, n * k, "z"), *rp = sized(r, n * k, "r");
    nb::gil_scoped_release release;
    return joint_values(kernel, rows, n, zp, rp, threads);
}

void py_joint_linearised(const std::string &loss, In state, In u, std::optional<In> b, InIndex y, index_t k, Out theta,
                         int threads) {
    const JointKernel &kernel = named(kJointLosses, loss);
    if (!kernel.linearised) throw nb::value_error((loss + " has no second derivative").c_str());
    const index_t n = index_t(y.size());
    std::optional<In> unweighted;
    const JointRows rows = joint_rows(y, unweighted, 1.0, n, k);
    const double *sp = sized(state, n * k, "state"), *up = sized(u, n * k, "u"), *bp = sized(b, k, "b");
    double *tp = sized(theta, n * k, "theta");
    nb::gil_scoped_release release;
    joint_linearised(kernel.linearised, rows, sp, up, bp, n, tp, threads);
}

void py_joint_domain(const std::string &loss, Out theta, InIndex y, index_t k, int threads) {
    const JointKernel &kernel = named(kJointLosses, loss);
    const index_t n = index_t(y.size());
    std::optional<In> unweighted;
    const JointRows rows = joint_rows(y, unweighted, 1.0, n, k);
    double *tp = sized(theta, n * k, "theta");
    nb::gil_scoped_release release;
    joint_domain(kernel, rows, n, tp, threads);
}

void py_class_tilt(Out q, In factors, InIndex y, std::optional<In> s, index_t k, Out out, int threads) {
    const index_t n = index_t(y.size());
    const JointRows rows = joint_rows(y, s, 1.0, n, k);
    double *qp = sized(q, n * k, "q"), *op = sized(out, 2 * k, "out");
    const double *fp = sized(factors, k, "factors");
    nb::gil_scoped_release release;
    class_tilt(fp, rows, n, qp, op, threads);
}

std::pair<double, double> py_joint_conjugate(const std::string &loss, In theta, InIndex y, std::optional<In> s,
                                             double scale, index_t k, Out r, int threads) {
    const JointKernel &kernel = named(kJointLosses, loss);
    const index_t n = index_t(y.size());
    const JointRows rows = joint_rows(y, s, scale, n, k);
    const double *tp = sized(theta, n * k, "theta");
    double *rp = sized(r, n * k, "r"), out[2];
    nb::gil_scoped_release release;
    joint_conjugate(kernel, rows, n, tp, rp, out, threads);
    return {out[0], out[1]};
}

std::pair<double, double> py_joint_search(const std::string &loss, In f, In u, double t, InIndex y, std::optional<In> s,
                                          double scale, index_t k, int threads) {
    const JointKernel &kernel = named(kJointLosses, loss);
    const index_t n = index_t(y.size());
    const JointRows rows = joint_rows(y, s, scale, n, k);
    const double *fp = sized(f, n * k, "f"), *up = sized(u, n * k, "u");
    double out[2];
    nb::gil_scoped_release release;
    joint_search(kernel, rows, fp, up, t, n, out, threads);
    return {out[0], out[1]};
}

void py_joint_hessian(const Matrix &m, const std::string &loss, InIndex y, std::optional<In> s, double scale,
                      In state, In v, index_t k, std::optional<Out> u, Out out, int threads, bool single) {
    const JointKernel &kernel = named(kJointLosses, loss);
    if (!kernel.curve) throw nb::value_error((loss + " has no second derivative").c_str());
    const JointRows rows = joint_rows(y, s, scale, m.x.n, k);
    const double *sp = sized(state, m.x.n * k, "state"), *vp = sized(v, (m.x.d + 1) * k, "v");
    double *up = sized(u, m.x.n * k, "u"), *op = sized(out, (m.x.d + 1) * k, "out");
    nb::gil_scoped_release release;
    joint_hessian(m.x, kernel.curve, rows, sp, vp, up, op, threads, arithmetic(single));
}

void py_hessian(const Matrix &m, In h, In v, std::optional<Out> u, Out out, int threads) {
    const double *hp = sized(h, m.x.n, "h"), *vp = sized(v, m.x.d + 1, "v");
    double *up = sized(u, m.x.n, "u"), *op = sized(out, m.x.d + 1, "out");
    nb::gil_scoped_release release;
    margin_hessian(m.x, hp, vp, up, op, threads);
}

void py_row_norms(const Matrix &m, std::optional<In> q, Out out, int threads) {
    const double *qp = sized(q, m.x.d, "q");
    double *op = sized(out, m.x.n, "out");
    nb::gil_scoped_release release;
    row_norms(m.x, qp, op, threads);
}

void py_gram(const Matrix &m, In c, std::optional<InIndex> fold, index_t count, Out out, int threads, bool single) {
    const double *cp = sized(c, m.x.n, "c");
    const Folds folds{sized(fold, m.x.n, "fold"), count};
    double *op = sized(out, count * (m.x.d + 1) * (m.x.d + 1), "out");
    if (folds.fold && !all_below(folds.fold, m.x.n, count)) throw nb::value_error("fold: folds are 0, …, count - 1");
    nb::gil_scoped_release release;
    gram(m.x, cp, folds, op, threads, arithmetic(single));
}

std::tuple<std::uint64_t, bool, double> py_scan(const Matrix &m, std::uint32_t salt,
                                                std::optional<Out> column_squares, int threads) {
    double *cp = sized(column_squares, m.x.d, "column_squares");
    nb::gil_scoped_release release;
    const Scan result = scan(m.x, salt, cp, threads);
    return {result.hash, result.finite, result.squares};
}

}  // namespace

void bind_passes(nb::module_ &m) {
    m.def("scores", &py_scores, nb::arg("matrix"), nb::arg("w"), nb::arg("k"), written("out"), nb::arg("threads"),
          nb::arg("single"));
    m.def("sides", &py_sides, nb::arg("matrix"), nb::arg("w"), written("out"), nb::arg("threads"));
    m.def("adjoint", &py_adjoint, nb::arg("matrix"), nb::arg("r"), nb::arg("k"), written("out"), nb::arg("threads"),
          nb::arg("single"));
    m.def("loss_pass", &py_loss_pass, nb::arg("matrix"), nb::arg("loss"), nb::arg("y"), nb::arg("s").none(),
          nb::arg("scale"), nb::arg("w"), written("f"), written("g").none(), written("h").none(), written("grad"),
          nb::arg("threads"));
    m.def("loss_values", &py_loss_values, nb::arg("loss"), nb::arg("f"), nb::arg("y"), nb::arg("s").none(),
          nb::arg("scale"), written("g").none(), written("h").none(), nb::arg("threads"));
    m.def("loss_search", &py_loss_search, nb::arg("loss"), nb::arg("f"), nb::arg("u"), nb::arg("t"), nb::arg("y"),
          nb::arg("s").none(), nb::arg("scale"), nb::arg("threads"));
    m.def("loss_linearised", &py_loss_linearised, nb::arg("loss"), nb::arg("f"), nb::arg("u"), nb::arg("y"),
          written("theta"), nb::arg("threads"));
    m.def("loss_conjugate", &py_loss_conjugate, nb::arg("loss"), written("theta"), nb::arg("y"), nb::arg("s").none(),
          nb::arg("scale"), nb::arg("shrink"), written("r"), nb::arg("threads"));
    m.def("fold_pass", &py_fold_pass, nb::arg("matrix"), nb::arg("loss"), nb::arg("y"), nb::arg("s").none(),
          nb::arg("fold"), nb::arg("share"), nb::arg("w"), written("every").none(), written("mean"), written("left"),
          written("grad"), nb::arg("threads"));
    m.def("joint_pass", &py_joint_pass, nb::arg("matrix"), nb::arg("loss"), nb::arg("y"), nb::arg("s").none(),
          nb::arg("scale"), nb::arg("w"), nb::arg("k"), written("f").none(), written("state").none(), written("grad"),
          nb::arg("threads"), nb::arg("single"));
    m.def("class_sums", &py_class_sums, nb::arg("matrix"), nb::arg("y"), nb::arg("s").none(), nb::arg("scale"),
          nb::arg("k"), written("out"), nb::arg("threads"));
    m.def("joint_values", &py_joint_values, nb::arg("loss"), written("z"), nb::arg("y"), nb::arg("s").none(),
          nb::arg("scale"), nb::arg("k"), written("r").none(), nb::arg("threads"));
    m.def("joint_linearised", &py_joint_linearised, nb::arg("loss"), nb::arg("state"), nb::arg("u"), nb::arg("b").none(),
          nb::arg("y"), nb::arg("k"), written("theta"), nb::arg("threads"));
    m.def("joint_domain", &py_joint_domain, nb::arg("loss"), written("theta"), nb::arg("y"), nb::arg("k"),
          nb::arg("threads"));
    m.def("class_tilt", &py_class_tilt, written("q"), nb::arg("factors"), nb::arg("y"), nb::arg("s").none(), nb::arg("k"),
          written("out"), nb::arg("threads"));
    m.def("joint_conjugate", &py_joint_conjugate, nb::arg("loss"), nb::arg("theta"), nb::arg("y"), nb::arg("s").none(),
          nb::arg("scale"), nb::arg("k"), written("r"), nb::arg("threads"));
    m.def("joint_search", &py_joint_search, nb::arg("loss"), nb::arg("f"), nb::arg("u"), nb::arg("t"), nb::arg("y"),
          nb::arg("s").none(), nb::arg("scale"), nb::arg("k"), nb::arg("threads"));
    m.def("joint_hessian", &py_joint_hessian, nb::arg("matrix"), nb::arg("loss"), nb::arg("y"), nb::arg("s").none(),
          nb::arg("scale"), nb::arg("state"), nb::arg("v"), nb::arg("k"), written("u").none(), written("out"),
          nb::arg("threads"), nb::arg("single"));
    m.def("hessian", &py_hessian, nb::arg("matrix"), nb::arg("h"), nb::arg("v"), written("u").none(), written("out"),
          nb::arg("threads"));
    m.def("row_norms", &py_row_norms, nb::arg("matrix"), nb::arg("q").none(), written("out"), nb::arg("threads"));
    m.def("gram", &py_gram, nb::arg("matrix"), nb::arg("c"), nb::arg("fold").none(), nb::arg("count"), written("out"),
          nb::arg("threads"), nb::arg("single"));
    m.def("scan", &py_scan, nb::arg("matrix"), nb::arg("salt"), written("column_squares").none(),
          nb::arg("threads"));
}

}  // namespace linsep
