// Inputs from a program of the user's: a line of JSON to it at each sample, a line of JSON back.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "control/child_program.h"
#include "control/clocked_controller.h"
#include "control/output_law.h"
#include "cuttle/error.h"
#include "cuttle/model/sensor.h"

namespace cuttle {
namespace {

using Json = nlohmann::ordered_json;

class External final : public OutputLaw {
 public:
  External(const Model& model, const ExternalSettings& settings, const ControlPlaces& places)
      : program_(settings.program),
        count_(static_cast<std::size_t>(places.input_count())),
        sensors_(recorded_sensors(model)) {}

  /// Once a sample. The program begins with the first one: who only reads a scenario starts none.
  void outputs(const ControlArguments& at, const OutputBounds& /*bounds*/, VectorXd& out) override {
    if (!child_) child_.emplace(program_.command, program_.directory);
    const Json question{{"time", at.time},
                        {"q", std::vector<double>(at.q.begin(), at.q.end())},
                        {"v", std::vector<double>(at.v.begin(), at.v.end())},
                        {"sensors", readings(at)}};
    const auto while_waiting = [&at] {
      if (at.heartbeat != nullptr) (*at.heartbeat)(at.time);
    };
    try {
      read(child_->ask(question.dump(), program_.timeout, while_waiting), out);
    } catch (const SimulationError& error) {
      throw SimulationError(fmt::format("at t = {:.9g} s: {}", at.time, error.what()));
    }
  }
  void derivatives(const ControlArguments& /*at*/, const OutputBounds& /*bounds*/, const VectorXd& /*out*/,
                   const InputSlopes& /*before*/, MatrixXd& /*by_q*/, MatrixXd& /*by_v*/) override {}

 private:
  /// By sensor and column; null for what is not known.
  Json readings(const ControlArguments& at) const {
    Json all = Json::object();
    Eigen::Index index = 0;
    for (const RecordedSensor& sensor : sensors_) {
      Json& own = all[sensor.name] = Json::object();
      for (const CoordinateInfo& column : sensor.columns) {
        own[column.name] = at.sensors != nullptr ? Json((*at.sensors)[index]) : Json();
        ++index;
      }
    }
    return all;
  }
  void read(const std::string& answer, VectorXd& out) const {
    const Json json = Json::parse(answer, nullptr, false);
    const auto u = json.is_object() ? json.find("u") : json.end();
    bool good = json.is_object() && u != json.end() && u->is_array() && u->size() == count_;
    for (std::size_t i = 0; good && i < count_; ++i) {
      good = (*u)[i].is_number() && std::isfinite((*u)[i].get<double>());
      if (good) out[static_cast<Eigen::Index>(i)] = (*u)[i].get<double>();
    }
    if (good) return;
    constexpr std::size_t k_shown = 120;
    throw SimulationError(fmt::format("found the answer '{}{}', expected {{\"u\": [{} finite number{}]}}",
                                      answer.substr(0, k_shown), answer.size() > k_shown ? ".." : "", count_,
                                      count_ == 1 ? "" : "s"));
  }

  ExternalProgram program_;
  std::size_t count_;
  std::vector<RecordedSensor> sensors_;
  std::optional<ChildProgram> child_;
};

LawT<ExternalSettings> external() {
  return {.type = "external",
          .about = "A program sets the inputs: at each sample it reads a line of JSON and answers with one.",
          .example = "{name: python, type: external, command: [python3, controller.py], inputs: [motor], rate: 100}",
          .describe =
              [](ExternalSettings& settings, SettingVisitor& visitor) {
                visitor.inputs(settings.inputs);
                visitor.program(settings.program);
              },
          .bind = bind_law<External, ExternalSettings>,
          .runs_in_copies = false};
}

}  // namespace

std::shared_ptr<const Controller> make_external(ExternalSettings settings) {
  const auto refuse = [](const char* key, const std::string& found, const std::string& expected) {
    throw ArgumentError(Diagnostic(key, found, expected));
  };
  if (settings.program.command.empty()) refuse("command", "none", "a program and its arguments");
  const double timeout = settings.program.timeout;
  if (!(timeout > 0.0) || !std::isfinite(timeout)) refuse("timeout", fmt::format("{:g}", timeout), "a number > 0 [s]");
  if (!settings.rate) refuse("rate", "none", "samples a second [Hz]: a program is asked at samples");
  return clocked_controller(external(), std::move(settings));
}

LibraryLaw external_law() { return library_law(external(), make_external); }

}  // namespace cuttle
