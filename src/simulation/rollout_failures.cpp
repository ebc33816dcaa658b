#include "simulation/rollout_failures.h"

#include <algorithm>

#include "cuttle/error.h"
#include "spatial/number_text.h"

namespace cuttle {

std::string failures_text(const std::vector<std::string>& failures) {
  constexpr long k_most_listed = 4;
  const auto failed = [](const std::string& reason) { return !reason.empty(); };
  const long count = std::count_if(failures.begin(), failures.end(), failed);
  if (count == 0) return "";
  std::string text = std::to_string(count) + " of " + std::to_string(failures.size()) + " robots failed: ";
  long listed = 0;
  for (std::size_t robot = 0; robot < failures.size() && listed < k_most_listed; ++robot) {
    if (!failed(failures[robot])) continue;
    text += (listed++ > 0 ? "; robot " : "robot ") + std::to_string(robot) + ": " + failures[robot];
  }
  return text + (count > listed ? "; .." : "") + "; raise_on_failure = false gives NaN instead of this error";
}

const char* robot_status_name(RobotStatus status) {
  switch (status) {
    case RobotStatus::good:
      return "good";
    case RobotStatus::bad_argument:
      return "bad argument";
    case RobotStatus::singular_mass:
      return "singular mass matrix";
    case RobotStatus::not_finite:
      return "not finite";
    case RobotStatus::undefined:
      return "undefined shape";
    case RobotStatus::gone_through:
      return "gone through";
  }
  return "";
}

std::string rollout_failure(const Model& model, RobotStatus status, double time, VectorXd q, const VectorXd& v) {
  const std::string after = "after t = " + number_text(time) + " s: ";
  switch (status) {
    case RobotStatus::good:
      return "";
    case RobotStatus::bad_argument:
      if (!v.allFinite()) return "initial: v: found a number that is not finite, expected finite numbers";
      try {
        check_configuration<double>(model, q, "initial");
      } catch (const ArgumentError& error) {
        return error.what();
      }
      return after + "a tendon of `slack: error` got a tension below 0";
    case RobotStatus::singular_mass:
      return after + "its mass matrix is not positive definite";
    case RobotStatus::not_finite:
      return after + "its state grew beyond all numbers; shorter steps may help";
    case RobotStatus::undefined:
      return after + "its shape is not defined";
    case RobotStatus::gone_through:
      return after +
             "a link is more than half through what it touches, expected a larger `modulus`, another start or shorter "
             "steps";
  }
  return "";
}

}  // namespace cuttle
