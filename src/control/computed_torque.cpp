// Computed torque control (inverse dynamics control, feedback linearization):
// a = a_d + K_D e' + K_P e: inverse dynamics of what else acts, on the controlled coordinates.
#include "control/allocated_law.h"
#include "control/clocked_controller.h"

namespace cuttle {
namespace {

class ComputedTorque final : public AllocatedLaw {
 public:
  ComputedTorque(const Model& model, const FeedbackSettings& settings, ControlPlaces places)
      : AllocatedLaw(model, settings, std::move(places)) {
    refuse_loops(model);
    const int n = places_.coordinate_count(), nv = model.nv();
    wanted_.resize(n), target_.resize(nv);
    columns_.resize(nv, n), mobility_.resize(n, n);
    divided_.resize(nv, nv);
  }

 private:
  /// (S M^-1 S^T) nu = a - S a_free, S the rows of the controlled coordinates; the others go as they go.
  void force(const ControlArguments& at, VectorXd& nu) override {
    plant_.read_motion(at);
    const int n = places_.coordinate_count();
    wanted_ = reference_.acceleration_at(at.time);
    add_feedback(at, wanted_);
    wanted_.noalias() += kd_ * reference_.rate_at(at.time);
    columns_.setZero();
    for (int i = 0; i < n; ++i) columns_(places_.v[i], i) = 1.0;
    plant_.divide_by_mass(columns_);
    for (int i = 0; i < n; ++i) {
      mobility_.row(i) = columns_.row(places_.v[i]);
      nu[i] = wanted_[i] - plant_.free_acceleration[places_.v[i]];
    }
    factor_.compute(mobility_);
    factor_.solveInPlace(nu);
    target_ = plant_.free_acceleration;
    target_.noalias() += columns_ * nu;
  }

  /// M a + rest = S^T nu with S a as wanted, differentiated: (S M^-1 S^T) dnu = da + S M^-1 d(M a + rest).
  void force_slopes(const ControlArguments& at, const InputSlopes& before, MatrixXd& by_q, MatrixXd& by_v) override {
    const Plant::Slopes& d = plant_.motion_slopes(at, target_, nullptr, &before);
    const auto finish = [&](const MatrixXd& slope, const MatrixXd& gain, MatrixXd& result) {
      divided_ = slope;
      plant_.divide_by_mass(divided_);
      for (int i = 0; i < places_.coordinate_count(); ++i) {
        result.row(i) = divided_.row(places_.v[i]);
        for (int j = 0; j < places_.coordinate_count(); ++j) result(i, places_.v[j]) -= gain(i, j);
      }
      factor_.solveInPlace(result);
    };
    finish(d.by_q, kp_, by_q);
    finish(d.by_v, kd_, by_v);
  }

  VectorXd wanted_, target_;
  MatrixXd columns_, mobility_, divided_;
  Eigen::LLT<MatrixXd> factor_;
};

LawT<ComputedTorqueSettings> computed_torque() {
  return {
      .type = "computed_torque",
      .about = "Coordinates of links follow their references: a = a_d + K_D e' + K_P e exactly, whatever else acts.",
      .example =
          "{name: arm, type: computed_torque, inputs: [motor], reference: [{type: cubic, start: 0, end: 3, from: 0, "
          "to: 1.57}], kp: 100, kd: 20}",
      .describe =
          [](ComputedTorqueSettings& settings, SettingVisitor& visitor) {
            visitor.inputs(settings.inputs), visitor.links(settings.links);
            describe_feedback(settings, visitor);
          },
      .bind = bind_effort_law<ComputedTorque, ComputedTorqueSettings>,
      .controls = Controls::configuration,
      .solves_motion = true};
}

}  // namespace

std::shared_ptr<const Controller> make_computed_torque(ComputedTorqueSettings settings) {
  return clocked_controller(computed_torque(), std::move(settings));
}

LibraryLaw computed_torque_law() { return library_law(computed_torque(), make_computed_torque); }

}  // namespace cuttle
