#include "algorithms/balance_displacement.h"

#include <Eigen/QR>
#include <utility>

#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"

namespace cuttle {
namespace {

constexpr double k_rows_twice = 1e-13;  // condition of what the rows leave
constexpr int k_refinements = 2;        // stiffness is very much beside inertia

}  // namespace

MatrixXd site_jacobian(EquationOfMotion& equation, VectorInT<double> q, const SitePlace& place) {
  MatrixXd J(6 * place.frame_count, equation.model().nv());
  for (int k = 0; k < place.frame_count; ++k) {
    J.middleRows(6 * k, 6) =
        frame_jacobian<double>(equation.model(), equation.data(), q, equation.sites()->frame(place.frame[k]));
  }
  return J;
}

DenseDisplacement::DenseDisplacement(EquationOfMotion& equation, VectorInT<double> q, MatrixXd M)
    : equation_(equation), q_(q), M_(std::move(M)) {}

VectorXd DenseDisplacement::solve(const std::vector<SiteStiffness>& sites, double eps, const VectorXd& force) {
  const Eigen::Index nv = M_.rows(), held = equation_.rows().count();
  if (base_.size() == 0) {
    base_.setZero(nv + held, nv + held);
    base_.topLeftCorner(nv, nv) = eps * M_;
    jacobians_.reserve(sites.size());
    for (const SiteStiffness& site : sites) {
      const MatrixXd& J = jacobians_.emplace_back(site_jacobian(equation_, q_, *site.place));
      base_.topLeftCorner(nv, nv) -= J.transpose() * site.normal * J;
    }
    if (held > 0) {
      base_.bottomLeftCorner(held, nv) = equation_.rows().jacobian(equation_.data(), q_);
      base_.topRightCorner(nv, held) = base_.bottomLeftCorner(held, nv).transpose();
    }
  }
  MatrixXd equations = base_;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    if (sites[i].bristle.isZero(0.0)) continue;
    equations.topLeftCorner(nv, nv) -= jacobians_[i].transpose() * sites[i].bristle * jacobians_[i];
  }
  VectorXd right = VectorXd::Zero(nv + held);
  right.head(nv) = force;
  const std::vector<char>& driven = equation_.driven().driven;
  for (std::size_t i = 0; i < driven.size(); ++i) {
    if (driven[i] == 0) continue;
    const auto k = static_cast<Eigen::Index>(i);
    equations.row(k).setZero(), equations.col(k).setZero(), equations(k, k) = 1.0, right[k] = 0.0;
  }
  return equations.completeOrthogonalDecomposition().solve(right).head(nv);
}

TreeDisplacement::TreeDisplacement(EquationOfMotion& equation, const EquationOfMotion::Instant& at)
    : equation_(equation),
      at_(at),
      dynamics_(equation.model()),
      tangent_(equation.model()),
      none_(VectorXd::Zero(equation.model().nv())) {
  StepCoordinates(equation.model()).motion_directions(0.0, 0.0, 1.0, directions_);
  take();
}

void TreeDisplacement::take() {
  const std::vector<ExternalWrench> no_wrenches;
  dynamics_.take(equation_.model(), equation_.data(), at_.q, at_.v, none_, {&at_.u, no_wrenches});
}

VectorXd TreeDisplacement::inertia(const VectorXd& x) {
  dynamics_.form(equation_.model(), directions_, tangent_.tree());
  VectorXd product;
  tangent_.tree().multiply(x, product);
  return product;
}

VectorXd TreeDisplacement::solve(const std::vector<SiteStiffness>& sites, double eps, const VectorXd& force) {
  take();
  using Slope = TreeDerivatives::LoadSlopes::Matrix;
  const Slope none = Slope::Zero();
  for (const SiteStiffness& site : sites) {
    const MatrixXd all = (site.normal + site.bristle) / eps;
    const SitePlace& place = *site.place;
    for (int i = 0; i < place.frame_count; ++i) {
      for (int k = 0; k < place.frame_count; ++k) {
        const Sites& frames = *equation_.sites();
        dynamics_.load(
            {frames.frame(place.frame[i]), frames.frame(place.frame[k]), none, none, all.block<6, 6>(6 * i, 6 * k)},
            {});
      }
    }
  }
  dynamics_.form(equation_.model(), directions_, tangent_.tree());
  tangent_.border({}, {});
  const int held = equation_.rows().count();
  if (held > 0) {
    const MatrixXd& G = equation_.rows().jacobian(equation_.data(), at_.q);
    tangent_.border(G.transpose(), G);
  }
  VectorXd right = VectorXd::Zero(none_.size() + held);
  right.head(none_.size()) = force / eps;
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
  if (!x.allFinite())
    throw SimulationError("a start at which friction acts: something moves without mass or stiffness");
  return x.head(none_.size());
}

}  // namespace cuttle
