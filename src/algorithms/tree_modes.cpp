#include "algorithms/tree_modes.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "algorithms/first_order_motion.h"
#include "algorithms/tree_stability.h"
#include "cuttle/error.h"

namespace cuttle {
namespace {

constexpr double k_eps = std::numeric_limits<double>::epsilon();
constexpr int k_first_vectors = 4;  // modes of one frequency that are told apart: those of a round rod are double
constexpr double k_small_residual = 1e-11;          // relative residual of an eigenvector
constexpr double k_same_vector = 1e-12;             // what is left of a vector that the basis has already
constexpr double k_product_rounding = 1e4 * k_eps;  // of products along the tree, beside those of the largest entries
constexpr double k_shift = 1e-5;                    // of what floats: beside the largest frequency, or about that

using Complex = std::complex<double>;

VectorXd tree_product(const TreeTangent& tree, const VectorXd& x) {
  VectorXd result;
  tree.multiply(x, result);
  return result;
}
Eigen::VectorXcd tree_product(const TreeTangent& tree, const Eigen::VectorXcd& x) {
  Eigen::VectorXcd result(x.size());
  result.real() = tree_product(tree, VectorXd(x.real())), result.imag() = tree_product(tree, VectorXd(x.imag()));
  return result;
}

/// Small motions M x'' + D x' + K x = 0 with rows that x keeps, as products.
class SmallMotions {
 public:
  SmallMotions(const Model& model, TreeDerivatives& dynamics, const MatrixXd& rows)
      : size_(model.nv()), mass_(model), damping_(model), stiffness_(model), shifted_(model) {
    const StepCoordinates coordinates(model);
    const auto form = [&](double by_q, double by_v, double by_a, TreeTangent& tree) {
      StepDirections directions;
      coordinates.motion_directions(by_q, by_v, by_a, directions);
      dynamics.form(model, directions, tree);
    };
    form(0.0, 0.0, 1.0, mass_), form(0.0, 1.0, 0.0, damping_), form(1.0, 0.0, 0.0, stiffness_);
    mass_size_ = symmetry_of(mass_, size_).size;
    const TreeSymmetry stiffness = symmetry_of(stiffness_, size_), damping = symmetry_of(damping_, size_);
    stiffness_size_ = stiffness.size;
    is_damped_ = damping.size > 0.0, is_symmetric_ = stiffness.symmetric;
    for (const double shift : {0.0, k_shift * scale()}) {
      shift_ = shift;
      form(1.0, shift, shift * shift, shifted_.tree());
      shifted_.border(rows.transpose(), rows);
      shifted_.factor();
      if (is_solved()) break;
    }
  }

  int size() const { return size_; }
  bool is_damped() const { return is_damped_; }
  bool is_symmetric() const { return is_symmetric_; }
  double shift() const { return shift_; }
  double stiffness_size() const { return stiffness_size_; }
  /// Of frequencies [1/s].
  double scale() const { return std::sqrt(stiffness_size_ / mass_size_); }

  VectorXd mass(const VectorXd& x) const { return tree_product(mass_, x); }
  VectorXd damping(const VectorXd& x) const { return tree_product(damping_, x); }
  Eigen::VectorXcd mass(const Eigen::VectorXcd& x) const { return tree_product(mass_, x); }
  Eigen::VectorXcd damping(const Eigen::VectorXcd& x) const { return tree_product(damping_, x); }
  Eigen::VectorXcd stiffness(const Eigen::VectorXcd& x) const { return tree_product(stiffness_, x); }
  /// x of (K + s D + s^2 M) x = right, with the rows' reactions.
  VectorXd solve(const VectorXd& right) const {
    VectorXd all = VectorXd::Zero(size_ + shifted_.row_count()), result;
    all.head(size_) = right;
    shifted_.solve(all, result);
    return result.head(size_);
  }

 private:
  /// Whether the factors are those of a matrix that is not singular.
  bool is_solved() const {
    constexpr double k_most_growth = 1e12;
    const VectorXd right = mass(trial_vector(size_, 0)), once = solve(right), twice = solve(mass(once));
    if (!once.allFinite() || !twice.allFinite()) return false;
    return twice.norm() <= k_most_growth * mass_size_ / stiffness_size_ * once.norm();
  }

  int size_;
  TreeTangent mass_, damping_, stiffness_;
  BorderedTangent shifted_;
  double mass_size_ = 0.0, stiffness_size_ = 0.0, shift_ = 0.0;
  bool is_damped_ = false, is_symmetric_ = false;
};

/// Largest eigenvalues of a linear map by a basis that grows vector by vector from a block of some: H = V^T B (map V).
/// @param map, weigh  of vectors of `size`; the basis is orthonormal with the weight B.
/// @param symmetric  whether B map is.
/// @return values by descending size, and their vectors as columns.
template <typename Map, typename Weigh>
std::pair<Eigen::VectorXcd, Eigen::MatrixXcd> largest_eigenvalues(int size, int wanted, bool symmetric, const Map& map,
                                                                  const Weigh& weigh) {
  const int most = std::min(size, 60 + 20 * wanted);
  MatrixXd V(size, most), weighed(size, most), H = MatrixXd::Zero(most, most);
  int count = 0;
  // what is left of w beyond the basis becomes its next vector
  const auto append = [&](VectorXd w, Eigen::Ref<VectorXd> coefficients) {
    double norm = std::sqrt(std::abs(w.dot(weigh(w))));
    const double before = norm;
    for (int pass = 0; pass < 2; ++pass) {
      const VectorXd along = weighed.leftCols(count).transpose() * w;
      w -= V.leftCols(count) * along;
      coefficients.head(count) += along;
    }
    const VectorXd& weight = weigh(w);
    norm = std::sqrt(std::abs(w.dot(weight)));
    if (!(norm > k_same_vector * before) || count == most) return norm > k_same_vector * before ? norm : 0.0;
    coefficients[count] = norm;
    V.col(count) = w / norm, weighed.col(count) = weight / norm;
    ++count;
    return 0.0;
  };
  VectorXd unused = VectorXd::Zero(most);
  for (int i = 0; i < std::min(k_first_vectors, size); ++i) append(map(trial_vector(size, i)), unused);
  VectorXd beyond = VectorXd::Zero(most);  // what the full basis leaves out of the image of each of its vectors
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;
  const int every = std::max(10, wanted / 2);
  for (int k = 0; k < count; ++k) {
    VectorXd coefficients = VectorXd::Zero(most);
    beyond[k] = append(map(V.col(k)), coefficients);
    H.col(k) = coefficients;
    const int order = k + 1;
    const bool complete = order == count;
    if (!complete && (order < wanted || order % every != 0)) continue;
    if (symmetric) {
      const MatrixXd half = H.topLeftCorner(order, order);
      const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(0.5 * (half + half.transpose()));
      values = solver.eigenvalues().cast<Complex>(), vectors = solver.eigenvectors().cast<Complex>();
    } else {
      const Eigen::EigenSolver<MatrixXd> solver(MatrixXd(H.topLeftCorner(order, order)));
      values = solver.eigenvalues(), vectors = solver.eigenvectors();
    }
    std::vector<int> by_size(static_cast<std::size_t>(order));
    for (int i = 0; i < order; ++i) by_size[static_cast<std::size_t>(i)] = i;
    std::stable_sort(by_size.begin(), by_size.end(),
                     [&](int a, int b) { return std::abs(values[a]) > std::abs(values[b]); });
    values = Eigen::VectorXcd(values(by_size)), vectors = Eigen::MatrixXcd(vectors(Eigen::all, by_size));
    const int kept = std::min(order, wanted);
    int converged = 0;
    for (; converged < kept; ++converged) {
      const Eigen::VectorXcd left = H.block(order, 0, count - order, order) * vectors.col(converged);
      const double left_out = beyond.head(order).cwiseProduct(vectors.col(converged).cwiseAbs()).norm();
      if (std::hypot(left.norm(), left_out) > k_small_residual * std::abs(values[converged])) break;
    }
    if (converged == kept && (order >= wanted || complete)) {
      return {values.head(kept), V.leftCols(order) * vectors.leftCols(kept)};
    }
    if (complete && !beyond.isZero(0.0)) {
      throw SimulationError(
          fmt::format("modes: only {} of {} eigenvalues converge in {} products: ask for fewer, or lower the damping "
                      "times of materials (where they are long, very many motions creep back at about one rate)",
                      converged, wanted, most));
    }
  }
  return {values, V.leftCols(values.size()) * vectors};
}

/// Whether a mode is a motion that meets no force, whose eigenvalue is what rounding left of 0.
bool is_free(const SmallMotions& motions, Complex eigenvalue, const Eigen::VectorXcd& x) {
  const double least = k_product_rounding * motions.stiffness_size() * x.norm();
  return motions.stiffness(x).norm() <= least && std::abs(eigenvalue) * motions.damping(x).norm() <= least &&
         std::norm(eigenvalue) * motions.mass(x).norm() <= least;
}

/// Eigenvalues and shapes of undamped motions with an energy: of (K, M).
std::vector<Mode> undamped_modes(const SmallMotions& motions, int count) {
  const auto map = [&](const VectorXd& x) { return motions.solve(motions.mass(x)); };
  const auto weigh = [&](const VectorXd& x) { return motions.mass(x); };
  const auto [values, vectors] = largest_eigenvalues(motions.size(), count, true, map, weigh);
  std::vector<Mode> all;
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    const double square = 1.0 / values[i].real() - motions.shift() * motions.shift();
    Mode mode;
    mode.shape = vectors.col(i);
    const double size = std::sqrt(std::abs(square));
    if (is_free(motions, size, mode.shape)) {
      all.push_back(std::move(mode));
    } else if (square > 0.0) {
      mode.eigenvalue = {0.0, size};
      all.push_back(std::move(mode));
    } else {
      mode.eigenvalue = -size;
      all.push_back(mode);
      mode.eigenvalue = size;
      all.push_back(std::move(mode));
    }
  }
  return all;
}

/// The same of all others: of x and its rate.
std::vector<Mode> damped_modes(const SmallMotions& motions, int count) {
  const int n = motions.size();
  const double shift = motions.shift();
  const auto map = [&](const VectorXd& z) {
    const VectorXd a = z.head(n), b = z.tail(n);
    VectorXd result(2 * n);
    result.head(n) = motions.solve(-motions.damping(a) - motions.mass(VectorXd(b + shift * a)));
    result.tail(n) = a + shift * result.head(n);
    return result;
  };
  const auto weigh = [](const VectorXd& z) -> const VectorXd& { return z; };
  const auto [values, vectors] = largest_eigenvalues(2 * n, 2 * count, false, map, weigh);
  std::vector<Mode> all;
  MatrixXd free(n, 0);  // orthonormal: a free motion is two eigenvectors, of its place and of its speed
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    Mode mode;
    mode.eigenvalue = shift + 1.0 / values[i];
    if (mode.eigenvalue.imag() < 0.0) continue;
    mode.shape = vectors.col(i).head(n);
    if (is_free(motions, mode.eigenvalue, mode.shape)) {
      constexpr double k_new = 1e-4;
      VectorXd x = mode.shape.real();
      if (x.norm() < mode.shape.imag().norm()) x = mode.shape.imag();
      x.normalize();
      const VectorXd rest = x - free * (free.transpose() * x);
      if (rest.norm() < k_new) continue;
      free.conservativeResize(n, free.cols() + 1);
      free.rightCols<1>() = rest.normalized();
      mode.eigenvalue = 0.0, mode.shape = x.cast<Complex>();
    }
    all.push_back(std::move(mode));
  }
  return all;
}

/// Residual of a mode, as a change of its eigenvalue.
double rounding_of(const SmallMotions& motions, const Mode& mode) {
  const Complex lambda = mode.eigenvalue;
  const Eigen::VectorXcd& x = mode.shape;
  const Eigen::VectorXcd mass = motions.mass(x), damping = motions.damping(x);
  const Complex left = x.dot(motions.stiffness(x) + lambda * (lambda * mass + damping));
  const Complex slope = x.dot(2.0 * lambda * mass + damping);
  if (lambda == 0.0) return k_product_rounding * motions.scale();
  const double own = k_product_rounding * std::abs(lambda);
  return std::abs(slope) > 0.0 ? std::max(own, std::abs(left / slope)) : own;
}

}  // namespace

std::vector<Mode> tree_modes(const Model& model, TreeDerivatives& dynamics, const MatrixXd& rows, int count) {
  const SmallMotions motions(model, dynamics, rows);
  const bool undamped = !motions.is_damped() && motions.is_symmetric();
  std::vector<Mode> all = undamped ? undamped_modes(motions, count) : damped_modes(motions, count);
  for (Mode& mode : all) {
    mode.rounding = rounding_of(motions, mode);
    if (std::abs(mode.eigenvalue.real()) <= mode.rounding) mode.eigenvalue.real(0.0);
    normalize_shape(mode);
  }
  sort_by_size(all);
  if (static_cast<int>(all.size()) > count) all.resize(static_cast<std::size_t>(count));
  return all;
}

std::optional<Eigen::MatrixXcd> tree_mode_weights(const Model& model, TreeDerivatives& dynamics,
                                                  const std::vector<Mode>& modes, double equal) {
  const int n = model.nv();
  const StepCoordinates coordinates(model);
  TreeTangent mass(model), damping(model), stiffness(model);
  const auto form = [&](double by_q, double by_v, double by_a, TreeTangent& tree) {
    StepDirections directions;
    coordinates.motion_directions(by_q, by_v, by_a, directions);
    dynamics.form(model, directions, tree);
    return symmetry_of(tree, n).symmetric;
  };
  if (!form(0.0, 0.0, 1.0, mass) || !form(0.0, 1.0, 0.0, damping) || !form(1.0, 0.0, 0.0, stiffness)) {
    return std::nullopt;
  }
  Eigen::MatrixXcd weights(static_cast<Eigen::Index>(modes.size()), n);
  for (std::size_t first = 0; first < modes.size();) {
    const Complex lambda = modes[first].eigenvalue;
    std::size_t end = first + 1;  // modes ascend: equal ones are neighbors
    while (end < modes.size() && std::abs(modes[end].eigenvalue - lambda) <= equal * std::abs(lambda)) ++end;
    const auto count = static_cast<Eigen::Index>(end - first);
    Eigen::MatrixXcd X(n, count), sloped(n, count);
    for (Eigen::Index k = 0; k < count; ++k) {
      const Eigen::VectorXcd& x = modes[first + static_cast<std::size_t>(k)].shape;
      X.col(k) = x, sloped.col(k) = 2.0 * lambda * tree_product(mass, x) + tree_product(damping, x);
    }
    weights.middleRows(static_cast<Eigen::Index>(first), count) =
        (X.transpose() * sloped).partialPivLu().solve(X.transpose());
    first = end;
  }
  return weights;
}

}  // namespace cuttle
