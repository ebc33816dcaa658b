// Linear quadratic regulator, infinite horizon:
// u = u_e - K x, x = (displacement from q_e, v), with the K that makes the integral of x^T Q x + u^T R u least for the
// exact linearization about the equilibrium: K = R^-1 B^T X, A^T X + X A - X B R^-1 B^T X + Q = 0.
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>

#include "control/bounded_slopes.h"
#include "control/clocked_controller.h"
#include "control/linearization.h"
#include "control/plant.h"
#include "control/riccati.h"
#include "cuttle/error.h"

namespace cuttle {
namespace {

/// A weight as a symmetric matrix. @param definite  else semidefinite.
MatrixXd weight_matrix(const char* key, const std::vector<double>& values, int n, bool definite) {
  MatrixXd weight = gain_matrix(key, values, n);
  const double least = Eigen::SelfAdjointEigenSolver<MatrixXd>(weight, Eigen::EigenvaluesOnly).eigenvalues()[0];
  const bool symmetric = weight.isApprox(weight.transpose(), 1e-12);
  const double zero = -1e-12 * weight.norm();
  if (symmetric && (definite ? least > 0.0 : least >= zero)) return weight;
  throw ArgumentError(Diagnostic(
      key, symmetric ? fmt::format("a least eigenvalue of {:g}", least) : "a matrix that is not symmetric",
      definite ? "a symmetric matrix with positive eigenvalues" : "a symmetric matrix without negative eigenvalues"));
}

class Lqr final : public OutputLaw {
 public:
  Lqr(const Model& model, const LqrSettings& settings, const ControlPlaces& places) : model_(model), places_(places) {
    refuse_loops(model);
    const int nv = model.nv(), m = places.input_count();
    const Linearization linear = linearize(model, places.inputs, settings.equilibrium);
    const MatrixXd Q = weight_matrix("state_weight", settings.state_weight, 2 * nv, false);
    const MatrixXd R = weight_matrix("input_weight", settings.input_weight, m, true);
    const MatrixXd to_gain = R.llt().solve(linear.B.transpose());
    gain_ = to_gain * solve_riccati(linear.A, linear.B * to_gain, Q);
    equilibrium_ = linear.q, inputs_ = linear.u;
    away_.setZero(nv), state_.setZero(2 * nv), unit_.setZero(nv), away_rate_.setZero(nv);
  }

  void describe(ControlColumns& columns) const override {
    columns.reference = model_.configuration_info();
    columns.error = model_.velocity_info();
    for (CoordinateInfo& error : columns.error) {
      if (error.unit.ends_with("/s")) error.unit.resize(error.unit.size() - 2);
      error.meaning.clear();
    }
  }
  /// The error is the displacement back to the equilibrium, in velocity coordinates.
  void observe(const ControlArguments& at, VectorOutT<double> reference, VectorOutT<double> error) override {
    reference = equilibrium_;
    difference<double>(model_, at.q, equilibrium_, error);
  }

  void outputs(const ControlArguments& at, const OutputBounds& /*bounds*/, VectorXd& out) override {
    difference<double>(model_, equilibrium_, at.q, away_);
    state_ << away_, at.v;
    out = inputs_;
    out.noalias() -= gain_ * state_;
  }
  void derivatives(const ControlArguments& at, const OutputBounds& bounds, const VectorXd& out,
                   const InputSlopes& before, MatrixXd& by_q, MatrixXd& by_v) override {
    const Eigen::Index nv = at.v.size();
    difference<double>(model_, equilibrium_, at.q, away_);
    for (Eigen::Index k = 0; k < nv; ++k) {
      unit_.setZero(), unit_[k] = 1.0;
      tangent_rate<double>(model_, away_, unit_, away_rate_);
      by_q.col(k).noalias() = -gain_.leftCols(nv) * away_rate_;
    }
    by_v = -gain_.rightCols(nv);
    hold_slopes(places_, bounds, out, before.by_q, by_q);
    hold_slopes(places_, bounds, out, before.by_v, by_v);
  }

 private:
  const Model& model_;
  ControlPlaces places_;
  MatrixXd gain_;
  VectorXd equilibrium_, inputs_, away_, state_, unit_, away_rate_;
};

LawT<LqrSettings> lqr() {
  return {
      .type = "lqr",
      .about = "Holds an equilibrium by all coordinates and velocities: u = u_e - K x, optimal for its linearization.",
      .example = "{name: hold, type: lqr, inputs: [motor], state_weight: 1, input_weight: 0.1}",
      .describe =
          [](LqrSettings& settings, SettingVisitor& visitor) {
            visitor.inputs(settings.inputs);
            visitor.weight("state_weight", settings.state_weight,
                           "Q, of displacements from the equilibrium and then of velocities: a number, one each, or a "
                           "symmetric matrix by rows.");
            visitor.weight("input_weight", settings.input_weight, "R, of the inputs, likewise; positive.");
            visitor.equilibrium(settings.equilibrium);
          },
      .bind = bind_law<Lqr, LqrSettings>,
      .solves_motion = true};
}

}  // namespace

std::shared_ptr<const Controller> make_lqr(LqrSettings settings) {
  return clocked_controller(lqr(), std::move(settings));
}

LibraryLaw lqr_law() { return library_law(lqr(), make_lqr); }

}  // namespace cuttle
