// nu = K_P e - K_D v + g(q) + s(q, 0): a spring to the reference, without the robot's own weight and elasticity.
#include "control/allocated_law.h"
#include "control/clocked_controller.h"

namespace cuttle {
namespace {

class PdWithCancellation final : public AllocatedLaw {
 public:
  PdWithCancellation(const Model& model, const FeedbackSettings& settings, ControlPlaces places)
      : AllocatedLaw(model, settings, std::move(places)), data_(model), none_(VectorXd::Zero(model.nv())) {}

 private:
  void force(const ControlArguments& at, VectorXd& nu) override {
    plant_.read_held(at);
    for (int i = 0; i < places_.coordinate_count(); ++i) nu[i] = plant_.held[places_.v[i]];
    add_feedback(at, nu);
  }

  void force_slopes(const ControlArguments& at, const InputSlopes& /*before*/, MatrixXd& by_q,
                    MatrixXd& by_v) override {
    if (!derivatives_) derivatives_.emplace(plant_.model());
    inverse_dynamics_derivatives(plant_.model(), data_, *derivatives_, at.q, none_, none_);
    by_v.setZero();
    for (int i = 0; i < places_.coordinate_count(); ++i) {
      by_q.row(i) = derivatives_->by_q.row(places_.v[i]);
      for (int j = 0; j < places_.coordinate_count(); ++j) {
        by_q(i, places_.v[j]) -= kp_(i, j);
        by_v(i, places_.v[j]) = -kd_(i, j);
      }
    }
  }

  Data data_;
  VectorXd none_;
  std::optional<DerivativeData> derivatives_;
};

LawT<PdWithCancellationSettings> pd_with_cancellation() {
  return {.type = "pd_with_cancellation",
          .about = "nu = K_P e - K_D v + g(q) + s(q, 0): a spring to the reference, without weight and elasticity.",
          .example = "{name: hold, type: pd_with_cancellation, links: [shoulder], reference: [0.5], kp: 2, kd: 0.1}",
          .describe =
              [](PdWithCancellationSettings& settings, SettingVisitor& visitor) {
                visitor.inputs(settings.inputs), visitor.links(settings.links);
                describe_feedback(settings, visitor);
              },
          .bind = bind_effort_law<PdWithCancellation, PdWithCancellationSettings>,
          .controls = Controls::configuration};
}

}  // namespace

std::shared_ptr<const Controller> make_pd_with_cancellation(PdWithCancellationSettings settings) {
  return clocked_controller(pd_with_cancellation(), std::move(settings));
}

LibraryLaw pd_with_cancellation_law() { return library_law(pd_with_cancellation(), make_pd_with_cancellation); }

}  // namespace cuttle
