#include "algorithms/balance_displacement.h"

#include <Eigen/QR>
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "algorithms/frame_columns.h"
#include "cuttle/error.h"

namespace cuttle {
namespace {

constexpr double k_rows_twice = 1e-13;  // condition of what the rows leave
constexpr int k_refinements = 2;        // stiffness is very much beside inertia

void require_finite_displacement(const VectorXP& x) {
  if (x.allFinite()) return;
  throw SimulationError("a start at which friction acts: something moves without mass or stiffness");
}

}  // namespace

void prepare_site_jacobians(EquationOfMotion& equation, VectorInT<double> q) {
  sweep::outward<MotionLevel::pose, false, true, double>(equation.model(), equation.data(), q.data(), nullptr, nullptr,
                                                         {});
}

MatrixXd site_jacobian(EquationOfMotion& equation, const SitePlace& place) {
  MatrixXd J(6 * place.frame_count, equation.model().nv()), of_frame(6, equation.model().nv());
  for (int k = 0; k < place.frame_count; ++k) {
    sweep::frame_columns(equation.model(), equation.data(), equation.sites()->frame(place.frame[k]), of_frame);
    J.middleRows(6 * k, 6) = of_frame;
  }
  return J;
}

DenseDisplacement::DenseDisplacement(EquationOfMotion& equation, VectorInT<double> q, MatrixXd M)
    : equation_(equation), q_(q), M_(std::move(M)) {
  find_free_motions();
}

void DenseDisplacement::find_free_motions() {
  const Eigen::Index nv = M_.rows();
  const std::vector<char>& driven = equation_.driven().driven;
  const bool drives = std::any_of(driven.begin(), driven.end(), [](char is_driven) { return is_driven != 0; });
  const int held = equation_.rows().count();
  if (!drives && held == 0) return;
  free_ = MatrixXP::Identity(nv, nv);
  if (drives) {
    Eigen::Index count = 0;
    for (Eigen::Index k = 0; k < nv; ++k) {
      if (driven[static_cast<std::size_t>(k)] == 0) free_.col(count++) = VectorXP::Unit(nv, k);
    }
    free_.conservativeResize(nv, count);
  }
  if (held == 0) return;
  const MatrixXP G = equation_.rows().jacobian(equation_.data(), q_).cast<Precise>() * free_;
  Eigen::ColPivHouseholderQR<MatrixXP> factors(G.transpose());
  factors.setThreshold(k_rows_twice);
  const MatrixXP Q = factors.householderQ() * MatrixXP::Identity(free_.cols(), free_.cols());
  free_ = (free_ * Q.rightCols(free_.cols() - factors.rank())).eval();
}

VectorXd DenseDisplacement::stiffness_beside_inertia(const std::vector<Bristle>& bristles) {
  const Eigen::Index nv = M_.rows();
  std::vector<Eigen::Index> part(static_cast<std::size_t>(nv));  // some coordinate before it that it is coupled to
  std::iota(part.begin(), part.end(), 0);
  const auto first_of = [&part](Eigen::Index k) {
    while (part[static_cast<std::size_t>(k)] != k) k = part[static_cast<std::size_t>(k)];
    return k;
  };
  const auto couple = [&](Eigen::Index i, Eigen::Index k) {
    const auto [first, last] = std::minmax({first_of(i), first_of(k)});
    part[static_cast<std::size_t>(last)] = first;
  };
  const bool holds_loops = equation_.rows().count() > 0;
  for (Eigen::Index i = 0; i < nv; ++i) {
    for (Eigen::Index k = i + 1; k < nv; ++k) {
      if (holds_loops || M_(i, k) != 0.0) couple(i, k);
    }
  }
  VectorXd stiffness = VectorXd::Zero(nv);
  for (const Bristle& bristle : bristles) {
    Eigen::Index before = -1;
    for (Eigen::Index k = 0; k < nv; ++k) {
      if (bristle.way.col(k).isZero(0.0)) continue;
      if (before >= 0) couple(before, k);
      before = k;
    }
    stiffness = stiffness.cwiseMax(-bristle.force.cwiseProduct(bristle.way.transpose()).rowwise().sum());
  }
  const std::vector<char>& driven = equation_.driven().driven;
  VectorXd most = VectorXd::Zero(nv);  // of each part, at its first coordinate
  for (Eigen::Index k = 0; k < nv; ++k) {
    const bool is_driven = !driven.empty() && driven[static_cast<std::size_t>(k)] != 0;
    double& of_part = most[first_of(k)];
    if (!is_driven && M_(k, k) > 0.0) of_part = std::max(of_part, stiffness[k] / M_(k, k));
  }
  const double of_all = most.maxCoeff();
  VectorXd result(nv);
  for (Eigen::Index k = 0; k < nv; ++k) {
    const double of_part = most[first_of(k)];
    result[k] = of_part > 0.0 ? of_part : of_all;
  }
  return result;
}

VectorXP DenseDisplacement::solve(const std::vector<NormalStiffness>& normals, const std::vector<Bristle>& bristles,
                                  const VectorXd& eps, const VectorXP& force) {
  if (base_eps_.size() == 0 || eps != base_eps_) {
    base_eps_ = eps, base_ = eps.cast<Precise>().asDiagonal() * M_.cast<Precise>();
    const double heaviest = M_.diagonal().maxCoeff();
    for (Eigen::Index k = 0; k < M_.rows(); ++k) {  // what has no mass goes as far as it is let go, whatever its mass
      if (!(M_(k, k) > 0.0)) base_(k, k) += eps[k] * heaviest;
    }
    for (const NormalStiffness& normal : normals) {
      const VectorXP along = normal.force.cast<Precise>();
      base_.noalias() += normal.stiffness * along * along.transpose();
    }
  }
  MatrixXP equations = base_;
  for (const Bristle& bristle : bristles) {
    if (bristle.slides) continue;
    const MatrixXP held = (bristle.by_way * bristle.way).cast<Precise>();
    equations.noalias() -= bristle.force.cast<Precise>() * held;
  }
  VectorXP x;
  if (free_.size() == 0) {
    x = equations.ldlt().solve(force);
  } else {
    const MatrixXP reduced = free_.transpose() * equations * free_;
    x = free_ * reduced.ldlt().solve(free_.transpose() * force);
  }
  require_finite_displacement(x);
  return x;
}

TreeDisplacement::TreeDisplacement(EquationOfMotion& equation, const EquationOfMotion::Instant& at)
    : equation_(equation),
      at_(at),
      dynamics_(equation.model()),
      tangent_(equation.model()),
      none_(VectorXd::Zero(equation.model().nv())) {
  StepCoordinates(equation.model()).motion_directions(0.0, 0.0, 1.0, directions_);
  take();
  dynamics_.form(equation_.model(), directions_, tangent_.tree());
}

void TreeDisplacement::take() {
  const std::vector<ExternalWrench> no_wrenches;
  dynamics_.take(equation_.model(), equation_.data(), at_.q, at_.v, none_, {&at_.u, no_wrenches});
}

VectorXd TreeDisplacement::stiffness_beside_inertia(const std::vector<Bristle>& bristles) {
  double most = 0.0;
  VectorXd product;
  for (const Bristle& bristle : bristles) {
    for (Eigen::Index r = 0; r < bristle.way.rows(); ++r) {
      const VectorXd way = bristle.way.row(r);
      tangent_.tree().multiply(way, product);
      const double inertia = way.dot(product);
      if (inertia > 0.0) most = std::max(most, -way.dot(bristle.force * (bristle.way * way)) / inertia);
    }
  }
  return VectorXd::Constant(none_.size(), most);
}

void TreeDisplacement::load(const SitePlace& place, const MatrixXd& slopes) {
  using Slope = TreeDerivatives::LoadSlopes::Matrix;
  const Slope none = Slope::Zero();
  const Sites& sites = *equation_.sites();
  for (int i = 0; i < place.frame_count; ++i) {
    for (int k = 0; k < place.frame_count; ++k) {
      dynamics_.load(
          {sites.frame(place.frame[i]), sites.frame(place.frame[k]), none, none, slopes.block<6, 6>(6 * i, 6 * k)}, {});
    }
  }
}

VectorXP TreeDisplacement::solve(const std::vector<NormalStiffness>& normals, const std::vector<Bristle>& bristles,
                                 const VectorXd& of_coordinates, const VectorXP& force) {
  const double eps = of_coordinates.maxCoeff();
  take();
  for (const NormalStiffness& normal : normals) {
    load(*normal.place, -normal.stiffness / eps * normal.pressed * normal.pressed.transpose());
  }
  for (const Bristle& bristle : bristles) {
    if (!bristle.slides) load(*bristle.place, bristle.on_frames * bristle.by_way * bristle.of_frames / eps);
  }
  dynamics_.form(equation_.model(), directions_, tangent_.tree());
  tangent_.border({}, {});
  const int held = equation_.rows().count();
  if (held > 0) {
    const MatrixXd& G = equation_.rows().jacobian(equation_.data(), at_.q);
    tangent_.border(G.transpose(), G);
  }
  VectorXd right = VectorXd::Zero(none_.size() + held);
  right.head(none_.size()) = (force / eps).cast<double>();
  const std::vector<char>& driven = equation_.driven().driven;
  for (std::size_t i = 0; i < driven.size(); ++i) {
    if (driven[i] == 0) continue;
    tangent_.pin(static_cast<int>(i));
    right[static_cast<Eigen::Index>(i)] = 0.0;
  }
  tangent_.factor();
  if (held > 0 && tangent_.row_condition() < k_rows_twice) {
    throw SimulationError("a start at which friction acts: loops of a large robot hold something twice: leave one out");
  }
  VectorXd x, product, more;
  tangent_.solve(right, x);
  for (int i = 0; i < k_refinements; ++i) {
    tangent_.multiply(x, product);
    product = right - product;
    tangent_.solve(product, more);
    x += more;
  }
  VectorXP found = x.head(none_.size()).cast<Precise>();
  require_finite_displacement(found);
  return found;
}

}  // namespace cuttle
