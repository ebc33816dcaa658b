#include "cuttle/control/function_law.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "control/clocked_controller.h"
#include "cuttle/error.h"

namespace cuttle {
namespace {

class FunctionLaw final : public OutputLaw {
 public:
  explicit FunctionLaw(ControlFunction function) : function_(std::move(function)) {}

  void outputs(const ControlArguments& at, const OutputBounds& /*bounds*/, VectorXd& out) override {
    function_(at, out);
    for (Eigen::Index i = 0; i < out.size(); ++i) {
      if (std::isfinite(out[i])) continue;
      throw SimulationError(fmt::format(
          "at t = {:.9g} s: outputs[{}] of the function: found {}, expected a finite number", at.time, i, out[i]));
    }
  }
  void derivatives(const ControlArguments& /*at*/, const OutputBounds& /*bounds*/, const VectorXd& /*out*/,
                   const InputSlopes& /*before*/, MatrixXd& /*by_q*/, MatrixXd& /*by_v*/) override {}

 private:
  ControlFunction function_;
};

}  // namespace

std::shared_ptr<const Controller> make_function_law(ControlSettings settings, std::function<ControlFunction()> make) {
  if (!settings.rate) {
    throw ArgumentError(Diagnostic("rate", "none", "samples a second [Hz]: a function is asked at samples"));
  }
  // functions that `make` makes may share an object, as those of Python do
  LawT<ControlSettings> law{
      .type = "function",
      .describe = [](ControlSettings& own, SettingVisitor& visitor) { visitor.inputs(own.inputs); },
      .bind = [make = std::move(make)](const Model&, const ControlSettings&,
                                       const ControlPlaces&) { return std::make_unique<FunctionLaw>(make()); },
      .runs_in_copies = false};
  return clocked_controller(std::move(law), std::move(settings));
}

}  // namespace cuttle
