#include "cuttle/algorithms/statics.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "algorithms/newton_solver.h"
#include "algorithms/step_coordinates.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "model/check_argument.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

constexpr double k_shortest_load_step = 1.0 / 4096.0;

/// The equations of equilibrium with a part of the imbalance that the start had, in the displacement from the last
/// equilibrium.
class StaticProblem final : public NewtonProblem {
 public:
  StaticProblem(const Model& model, Data& data, const StaticLoads& loads)
      : model_(model),
        data_(data),
        loads_(loads),
        derivatives_(model),
        coordinates_(model),
        zero_(VectorXd::Zero(model.nv())),
        q_(model.nq()) {
    if (loads_.u.size() == 0) loads_.u.setZero(model.nu());
  }

  int unknowns() const { return model_.nv(); }
  void start(const VectorXd& q0) {
    part_ = 1.0;
    held_ = balance(q0);
  }
  /// Displacements count from q.
  void begin(const VectorXd& q, double part) { from_ = q, part_ = part; }

  bool equations(const VectorXd& z, VectorXd& result, std::string& trouble) override {
    try {
      coordinates_.configuration_at(from_, z, q_);
      result = balance(q_) - (1.0 - part_) * held_;
    } catch (const Error& error) {
      trouble = error.what();
      return false;
    }
    return true;
  }
  void tangent(const VectorXd& z, MatrixXd& result) override { coordinates_.chain(z, q_, 1.0, stiffness(), result); }
  /// d(forces)/dq at the last q.
  const MatrixXd& stiffness() {
    inverse_dynamics_derivatives(model_, data_, derivatives_, q_, zero_, zero_, {&loads_.u, loads_.external});
    return derivatives_.by_q;
  }
  const VectorXd& q() const { return q_; }
  VectorXd balance(const VectorXd& q) {
    VectorXd force = inverse_dynamics<double>(model_, data_, q, zero_, zero_);
    if (model_.nu() > 0) force -= actuation_force<double>(model_, data_, q, loads_.u);
    if (!loads_.external.empty()) force -= external_force<double>(model_, data_, q, loads_.external);
    return force;
  }

 private:
  const Model& model_;
  Data& data_;
  StaticLoads loads_;
  DerivativeData derivatives_;
  StepCoordinates coordinates_;
  VectorXd zero_, q_, from_, held_;
  double part_ = 1.0;
};

}  // namespace

StaticEquilibrium static_equilibrium(const Model& model, Data& data, const StaticLoads& loads, VectorInT<double> q0,
                                     const std::function<void(double)>& progress) {
  check_configuration_argument(model, "static_equilibrium", "q0", q0);
  if (loads.u.size() != 0) check_argument(model, "static_equilibrium", "loads.u", loads.u, model.nu());
  StaticProblem problem(model, data, loads);
  NewtonSolver newton(problem.unknowns(), model.nv());
  StaticEquilibrium result;
  result.q = q0;
  problem.start(result.q);
  double done = 0.0, step = 1.0;
  VectorXd z(problem.unknowns());
  while (done < 1.0) {
    const double target = std::min(1.0, done + step);
    problem.begin(result.q, target);
    z.setZero();
    const bool converged = newton.solve(problem, z);
    result.iterations += static_cast<int>(newton.iterations().size());
    if (converged) {
      result.q = problem.q();
      done = target, step *= 2.0;
      ++result.load_steps;
      if (progress) progress(done);
      continue;
    }
    newton.forget_tangent();
    step *= 0.5;
    if (step < k_shortest_load_step) {
      std::string where;
      if (!newton.iterations().empty()) {
        const auto& last = newton.iterations().back();
        where = "; largest force left " + number_text(last.residual) + " on " + model.velocity_info()[last.worst].name +
                " (link '" + model.link_of_velocity(last.worst) + "')";
      }
      throw StaticsError("static_equilibrium: found none beyond " + number_text(100.0 * done) +
                         " % of the load: " + newton.trouble() + where);
    }
  }
  const VectorXd left = problem.balance(result.q);
  result.residual = left.size() > 0 ? left.cwiseAbs().maxCoeff() : 0.0;
  const MatrixXd& K = problem.stiffness();
  if (K.size() > 0) {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> modes(0.5 * (K + K.transpose()), Eigen::EigenvaluesOnly);
    result.smallest_stiffness = modes.eigenvalues()[0];
  }
  return result;
}

std::vector<ExternalWrench> loads_at(const Model& model, double time) {
  std::vector<ExternalWrench> loads(load_wrench_count(model));
  load_wrenches<double>(model, time, loads);
  return loads;
}

}  // namespace cuttle
