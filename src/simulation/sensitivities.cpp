#include "cuttle/simulation/sensitivities.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "algorithms/gradient_numbers.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"
#include "cuttle/model/frame_names.h"
#include "cuttle/model/spelling.h"

namespace cuttle {
namespace {

using Motion = DifferentiatedMotion;
using Numbers = std::vector<Gradient>;

/// Something that is asked for: the names of its numbers, and what they are in a motion.
struct Output {
  std::vector<CoordinateInfo> columns;
  std::function<void(const Motion&, Numbers&)> read;
};

Output whole(const std::vector<CoordinateInfo>& columns, const VectorXT<Gradient>& (*of)(const Motion&)) {
  return {columns, [of](const Motion& motion, Numbers& numbers) {
            const VectorXT<Gradient>& x = of(motion);
            numbers.insert(numbers.end(), x.begin(), x.end());
          }};
}
const VectorXT<Gradient>& q_of(const Motion& motion) { return motion.q; }
const VectorXT<Gradient>& v_of(const Motion& motion) { return motion.v; }
const VectorXT<Gradient>& u_of(const Motion& motion) { return motion.u; }

std::optional<Output> one_of(const std::vector<CoordinateInfo>& columns, const std::string& name,
                             const VectorXT<Gradient>& (*of)(const Motion&)) {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const auto& info) { return info.name == name; });
  if (found == columns.end()) return std::nullopt;
  const Eigen::Index index = found - columns.begin();
  return Output{{*found},
                [of, index](const Motion& motion, Numbers& numbers) { numbers.push_back(of(motion)[index]); }};
}

using FrameNumbers = void (*)(const FrameT<Gradient>&, const Motion&, Numbers&);
const KinematicsT<Gradient>& kinematics_of(const Motion& motion) {
  return forward_kinematics<Gradient>(motion.model, motion.data, motion.q, motion.v);
}
void add(const Vector3T<Gradient>& x, Numbers& numbers) { numbers.insert(numbers.end(), {x.x, x.y, x.z}); }
void position_of(const FrameT<Gradient>& frame, const Motion& motion, Numbers& numbers) {
  add(kinematics_of(motion).pose(frame).position, numbers);
}
void velocity_of(const FrameT<Gradient>& frame, const Motion& motion, Numbers& numbers) {
  const auto& kinematics = kinematics_of(motion);
  add(kinematics.pose(frame).rotation * kinematics.velocity_of(frame).linear, numbers);
}
void rotation_of(const FrameT<Gradient>& frame, const Motion& motion, Numbers& numbers) {
  const auto quaternion = quaternion_from_matrix(kinematics_of(motion).pose(frame).rotation);
  numbers.insert(numbers.end(), {quaternion.w, quaternion.x, quaternion.y, quaternion.z});
}

std::optional<Output> of_frame(const Model& model, const std::string& name) {
  struct Kind {
    const char* name;
    const char* unit;
    std::vector<const char*> components;
    FrameNumbers numbers;
  };
  static const std::vector<Kind> k_kinds{{"position", "m", {"x", "y", "z"}, position_of},
                                         {"velocity", "m/s", {"x", "y", "z"}, velocity_of},
                                         {"rotation", "1", {"qw", "qx", "qy", "qz"}, rotation_of}};
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return std::nullopt;
  std::string frame = name.substr(0, dot);
  if (!find_frame(model, frame) && frame == "tip" && !model.links().empty()) frame = model.links().back().name + ".tip";
  if (!find_frame(model, frame)) return std::nullopt;
  for (const Kind& kind : k_kinds) {
    if (name.substr(dot + 1) != kind.name) continue;
    Output output;
    for (const char* component : kind.components) {
      output.columns.push_back({fmt::format("{}.{}", name.substr(0, dot), component), kind.unit});
      if (kind.numbers == velocity_of)
        output.columns.back().name = fmt::format("{}.v{}", name.substr(0, dot), component);
    }
    output.read = [frame, numbers = kind.numbers](const Motion& motion, Numbers& all) {
      numbers(*find_frame(motion.model, frame), motion, all);
    };
    return output;
  }
  return std::nullopt;
}

std::optional<Output> of_energy(const std::string& name) {
  const auto energy = [&](auto value) {
    return Output{{{name, "J"}}, [value](const Motion& motion, Numbers& numbers) { numbers.push_back(value(motion)); }};
  };
  if (name == "energy.kinetic") {
    return energy([](const Motion& m) { return kinetic_energy<Gradient>(m.model, m.data, m.q, m.v); });
  }
  if (name == "energy.gravity") {
    return energy([](const Motion& m) { return gravity_energy<Gradient>(m.model, m.data, m.q); });
  }
  if (name == "energy.elastic") {
    return energy([](const Motion& m) { return elastic_energy<Gradient>(m.model, m.data, m.q); });
  }
  return std::nullopt;
}

Output find_output(const Model& model, const std::string& name) {
  if (name == "q") return whole(model.configuration_info(), q_of);
  if (name == "v") return whole(model.velocity_info(), v_of);
  if (name == "u") return whole(model.input_info(), u_of);
  if (auto found = of_frame(model, name)) return *found;
  if (auto found = of_energy(name)) return *found;
  if (auto found = one_of(model.configuration_info(), name, q_of)) return *found;
  if (auto found = one_of(model.velocity_info(), name, v_of)) return *found;
  if (auto found = one_of(model.input_info(), name, u_of)) return *found;
  std::vector<std::string> known{"q", "v", "u", "tip.position", "energy.kinetic", "energy.gravity", "energy.elastic"};
  for (const std::string& frame : frame_names(model)) known.push_back(frame + ".position");
  for (const auto* infos : {&model.configuration_info(), &model.velocity_info(), &model.input_info()}) {
    for (const auto& info : *infos) known.push_back(info.name);
  }
  throw ArgumentError(fmt::format(
      "of: found '{}', expected q, v, u, FRAME.position, FRAME.velocity, FRAME.rotation (of LINK.tip, LINK.base, a "
      "marker or tip), energy.kinetic, energy.gravity, energy.elastic, a coordinate, a velocity or an input{}",
      name, did_you_mean(name, known)));
}

}  // namespace

Sensitivities sensitivities(const Model& model, const Scenario& scenario, const std::vector<std::string>& of,
                            const std::vector<std::string>& by, const std::vector<double>& times,
                            const RunOptions& options) {
  std::vector<Output> outputs;
  Sensitivities result;
  for (const std::string& name : of) {
    outputs.push_back(find_output(model, name));
    const auto& columns = outputs.back().columns;
    result.outputs.insert(result.outputs.end(), columns.begin(), columns.end());
  }
  const MotionDerivatives motions(model, scenario, by);
  result.parameters = motions.parameters();
  result.times = times;
  const auto count = static_cast<Eigen::Index>(result.outputs.size());
  result.values.assign(times.size(), VectorXd::Zero(count));
  result.derivatives.assign(times.size(), MatrixXd::Zero(count, static_cast<Eigen::Index>(by.size())));
  std::size_t at = 0;
  motions.run(
      times,
      [&](const Motion& motion) {
        Numbers numbers;
        for (const Output& output : outputs) output.read(motion, numbers);
        for (Eigen::Index i = 0; i < count; ++i) {
          const Gradient& number = numbers[static_cast<std::size_t>(i)];
          result.values[at][i] = number.value;
          for (std::size_t k = 0; k < motion.paths.size(); ++k) {
            result.derivatives[at](i, static_cast<Eigen::Index>(motion.paths[k])) = number.derivative[k];
          }
        }
        at = (at + 1) % times.size();
      },
      options);
  return result;
}

}  // namespace cuttle
