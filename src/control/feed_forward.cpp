// nu = ID(q_d, v_d, a_d), or inputs that are signals.
#include "control/clocked_controller.h"
#include "control/drives.h"
#include "control/reference_force.h"

namespace cuttle {
namespace {

class FeedInputs final : public OutputLaw {
 public:
  FeedInputs(const FeedForwardSettings& settings, const ControlPlaces& places)
      : signals_(settings.feed_inputs, places.input_count()) {}
  void outputs(const ControlArguments& at, const OutputBounds& /*bounds*/, VectorXd& out) override {
    out = signals_.at(at.time);
  }
  void derivatives(const ControlArguments& /*at*/, const OutputBounds& /*bounds*/, const VectorXd& /*out*/,
                   const InputSlopes& /*before*/, MatrixXd& /*by_q*/, MatrixXd& /*by_v*/) override {}

 private:
  Reference signals_;
};

LawT<FeedForwardSettings> feed_forward() {
  return {
      .type = "feed_forward",
      .about = "nu = ID(q_d, v_d, a_d), inverse dynamics of the reference; or inputs that are signals.",
      .example =
          "{name: push, type: feed_forward, inputs: {motor: {type: sine, amplitude: 2, frequency: 1}}, window: [1, 4]}",
      .describe =
          [](FeedForwardSettings& settings, SettingVisitor& visitor) {
            visitor.links(settings.links);
            visitor.fed_inputs(settings);
          },
      .bind = [](const Model& model, const FeedForwardSettings& settings,
                 const ControlPlaces& places) -> std::unique_ptr<OutputLaw> {
        if (!settings.feed_inputs.empty()) return std::make_unique<FeedInputs>(settings, places);
        auto law = std::make_unique<ReferenceForce>(model, without_gains(settings), places, true);
        try_law(model, *law, places);
        return through_drives(model, places, std::move(law));
      },
      .controls = Controls::configuration};
}

}  // namespace

std::shared_ptr<const Controller> make_feed_forward(FeedForwardSettings settings) {
  auto own = feed_forward();
  if (!settings.feed_inputs.empty()) own.controls = Controls::inputs;
  return clocked_controller(std::move(own), std::move(settings));
}

LibraryLaw feed_forward_law() { return library_law(feed_forward(), make_feed_forward); }

}  // namespace cuttle
