#include "run_state.h"

#include <memory>

#include "cuttle/io/robot_text.h"
#include "cuttle/io/run_texts.h"
#include "cuttle/simulation/integrator.h"

namespace cuttle::python {
namespace {

/// In the place of a controller that has run: it says what was recorded of it, and sets nothing.
class RecordedLaw final : public Controller {
 public:
  explicit RecordedLaw(ControlColumns columns) : columns_(std::move(columns)) {}
  std::string type_name() const override { return "recorded"; }
  std::unique_ptr<ControlLaw> bind(const Model& /*model*/) const override { return std::make_unique<Law>(columns_); }

 private:
  class Law final : public ControlLaw {
   public:
    explicit Law(ControlColumns columns) : columns_(std::move(columns)) {}
    void add_inputs(const ControlArguments& /*at*/, VectorXd& /*u*/) override {}
    void add_derivatives(const ControlArguments& /*at*/, MatrixXd& /*by_q*/, MatrixXd& /*by_v*/) override {}
    ControlColumns columns(const Model& /*model*/) const override { return columns_; }

   private:
    ControlColumns columns_;
  };
  ControlColumns columns_;
};

/// A motion of the joints, and of the base, of which efforts were recorded.
DrivenMotion recorded_drives(const std::vector<RecordedMotion>& recorded) {
  DrivenMotion motion;
  for (const RecordedMotion& driven : recorded) {
    if (driven.name == "base") {
      motion.base.position = std::array<Signal, 3>{};
    } else {
      motion.joints[driven.name].resize(driven.efforts.size());
    }
  }
  return motion;
}

}  // namespace

RunState state_of(const ResultFile& result, const Outcome& outcome) {
  RunState state;
  WrittenRobot robot = write_robot(result.robot, result.visuals);
  state.robot_yaml = std::move(robot.yaml), state.robot_files = std::move(robot.files);
  state.path = result.path, state.source = result.source, state.changes = result.changes;
  describe_run(state.source, result.robot, result.visuals, result.scenario);
  state.duration = result.scenario.duration, state.output_step = result.scenario.output_step;
  state.integrator = result.scenario.integrator;
  if (state.integrator.method) state.integrator.type = state.integrator.method->type_name();
  state.controllers = result.controllers, state.motion = result.motion, state.samples = result.samples;
  state.cuttle_version = result.cuttle_version, state.environment = result.environment;
  state.statistics = result.statistics, state.sequence = result.sequence;
  state.outcome = outcome;
  return state;
}

std::pair<ResultFile, Outcome> result_of(RunState state) {
  RobotFile robot = load_robot_text(state.robot_yaml, "a pickled run", state.robot_files);
  ResultFile result;
  result.path = std::move(state.path);
  result.robot = std::move(robot.robot), result.visuals = std::move(robot.visuals);
  result.scenario.duration = state.duration, result.scenario.output_step = state.output_step;
  result.scenario.integrator = std::move(state.integrator);
  for (const RecordedController& controller : state.controllers) {
    result.scenario.controllers.push_back({controller.name, std::make_shared<const RecordedLaw>(controller.columns)});
  }
  result.scenario.motion = recorded_drives(state.motion);
  result.controllers = std::move(state.controllers), result.motion = std::move(state.motion);
  result.samples = std::move(state.samples);
  result.status = state.outcome.status, result.message = state.outcome.message;
  result.warnings = state.outcome.warnings, result.redundant_rows = state.outcome.redundant_rows;
  result.cuttle_version = std::move(state.cuttle_version), result.environment = std::move(state.environment);
  result.statistics = std::move(state.statistics), result.sequence = std::move(state.sequence);
  result.source = std::move(state.source), result.changes = std::move(state.changes);
  return {std::move(result), std::move(state.outcome)};
}

bool same_run(const std::pair<const ResultFile&, const Outcome&>& a,
              const std::pair<const ResultFile&, const Outcome&>& b) {
  const auto end_of = [](const Outcome& outcome) {
    return std::tuple(outcome.status, outcome.message, outcome.warnings, outcome.integrator);
  };
  if (end_of(a.second) != end_of(b.second)) return false;
  if (bytes_of(a.first.samples, true) != bytes_of(b.first.samples, true)) return false;
  return bytes_of(a.first.controllers) == bytes_of(b.first.controllers) &&
         write_robot(a.first.robot).yaml == write_robot(b.first.robot).yaml;
}

}  // namespace cuttle::python
