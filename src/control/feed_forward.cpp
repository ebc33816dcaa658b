// nu = ID(q_d, v_d, a_d), or inputs that are signals.
#include "control/drives.h"
#include "control/reference_force.h"

namespace cuttle {
namespace {

class FeedInputs final : public OutputLaw {
 public:
  FeedInputs(const ControlSettings& settings, const ControlPlaces& places)
      : signals_(settings.feed_inputs, places.input_count()) {}
  void outputs(const ControlArguments& at, const OutputBounds& /*bounds*/, VectorXd& out) override {
    out = signals_.at(at.time);
  }
  void derivatives(const ControlArguments& /*at*/, const OutputBounds& /*bounds*/, const VectorXd& /*out*/,
                   const InputSlopes& /*before*/, MatrixXd& /*by_q*/, MatrixXd& /*by_v*/) override {}

 private:
  Reference signals_;
};

}  // namespace

std::shared_ptr<const Controller> make_feed_forward(ControlSettings settings) {
  const Controls what = settings.feed_inputs.empty() ? Controls::configuration : Controls::inputs;
  return framed_controller(
      "feed_forward", std::move(settings), what,
      [](const Model& model, const ControlSettings& s, const ControlPlaces& places) -> std::unique_ptr<OutputLaw> {
        if (!s.feed_inputs.empty()) return std::make_unique<FeedInputs>(s, places);
        auto law = std::make_unique<ReferenceForce>(model, s, places, true);
        try_law(model, *law, places);
        return through_drives(model, places, std::move(law));
      });
}

}  // namespace cuttle
