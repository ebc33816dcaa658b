#pragma once

#include <Eigen/QR>

#include "control/allocation.h"
#include "control/null_space_slopes.h"

namespace cuttle {

/// Of a law that has no gains of errors.
inline FeedbackSettings without_gains(const ReferenceSettings& settings) { return {settings, {}, {}}; }

/// A law that says a generalized force nu on its coordinates, which is allocated to its inputs: A u = nu exactly if
/// some u within the bounds does that, else with the least error in the norm of M^-1.
class AllocatedLaw : public OutputLaw {
 public:
  AllocatedLaw(const Model& model, const FeedbackSettings& settings, ControlPlaces places);

  void outputs(const ControlArguments& at, const OutputBounds& bounds, VectorXd& out) final;
  void derivatives(const ControlArguments& at, const OutputBounds& bounds, const VectorXd& out,
                   const InputSlopes& before, MatrixXd& by_q, MatrixXd& by_v) final;
  void describe(ControlColumns& columns) const override;
  void observe(const ControlArguments& at, VectorOutT<double> reference, VectorOutT<double> error) override;
  Reference* reference() override { return &reference_; }
  /// Of the last `outputs`: |A u - nu| / |nu| in the norm of M^-1; 0 if there is no nu.
  std::optional<double> allocation_residual() const override { return residual_; }

 protected:
  /// nu, after plant.read_motion or read_inertia of its own choice.
  virtual void force(const ControlArguments& at, VectorXd& nu) = 0;
  /// How it changes, n x nv; `before` says how at.u does.
  virtual void force_slopes(const ControlArguments& at, const InputSlopes& before, MatrixXd& by_q, MatrixXd& by_v) = 0;
  void check_span(double time);

  Plant plant_;
  ControlPlaces places_;
  Reference reference_;
  MatrixXd kp_, kd_;
  VectorXd q_, v_;  ///< controlled coordinates
  void read_coordinates(const ControlArguments& at);
  /// Adds K_P (q_d - q) - K_D v of the controlled coordinates.
  void add_feedback(const ControlArguments& at, VectorXd& sum);

 private:
  Allocation allocation_;
  MatrixXd span_;
  Eigen::ColPivHouseholderQR<MatrixXd> span_factor_;
  VectorXd off_, nu_, spread_, error_, w_;
  NullSpaceSlopes null_space_;
  MatrixXd nu_by_q_, nu_by_v_, change_q_, change_v_, rows_, nearest_rows_;
  Eigen::RowVectorXd bound_;
  double residual_ = 0.0;
};

}  // namespace cuttle
