// What a run's derivatives are of: outputs by name, and their slopes in a motion.
#include "simulation/motion_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "algorithms/differentiated_groups.h"
#include "algorithms/forward_numbers.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/sites.h"
#include "cuttle/algorithms/state_layout.h"
#include "cuttle/error.h"
#include "cuttle/model/frame_names.h"
#include "cuttle/model/spelling.h"
#include "cuttle/spatial/eigen.h"

namespace cuttle {
namespace {

using Motion = DifferentiatedMotion;
using Numbers = std::vector<ForwardDual>;

MotionOutput whole(const std::vector<CoordinateInfo>& columns, const VectorXT<ForwardDual>& (*of)(const Motion&)) {
  MotionOutput output{columns, [of](const Motion& motion, Numbers& numbers) {
                        const VectorXT<ForwardDual>& x = of(motion);
                        numbers.insert(numbers.end(), x.begin(), x.end());
                      }};
  output.follows_robot = false;
  return output;
}
const VectorXT<ForwardDual>& q_of(const Motion& motion) { return motion.q; }
const VectorXT<ForwardDual>& v_of(const Motion& motion) { return motion.v; }
const VectorXT<ForwardDual>& u_of(const Motion& motion) { return motion.u; }

MotionOutput following(MotionOutput output, bool q, bool v, bool u) {
  output.follows_q = q, output.follows_v = v, output.follows_u = u;
  return output;
}

std::optional<MotionOutput> one_of(const std::vector<CoordinateInfo>& columns, const std::string& name,
                                   const VectorXT<ForwardDual>& (*of)(const Motion&)) {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const auto& info) { return info.name == name; });
  if (found == columns.end()) return std::nullopt;
  const Eigen::Index index = found - columns.begin();
  MotionOutput output{{*found},
                      [of, index](const Motion& motion, Numbers& numbers) { numbers.push_back(of(motion)[index]); }};
  output.follows_robot = false;
  return output;
}

using FrameNumbers = void (*)(const FrameT<ForwardDual>&, const Motion&, Numbers&);
const KinematicsT<ForwardDual>& kinematics_of(const Motion& motion) {
  return forward_kinematics<ForwardDual>(motion.model, motion.data, motion.q, motion.v);
}
void add(const Vector3T<ForwardDual>& x, Numbers& numbers) { numbers.insert(numbers.end(), {x.x, x.y, x.z}); }
void position_of(const FrameT<ForwardDual>& frame, const Motion& motion, Numbers& numbers) {
  add(kinematics_of(motion).pose(frame).position, numbers);
}
void velocity_of(const FrameT<ForwardDual>& frame, const Motion& motion, Numbers& numbers) {
  const auto& kinematics = kinematics_of(motion);
  add(kinematics.pose(frame).rotation * kinematics.velocity_of(frame).linear, numbers);
}
void rotation_of(const FrameT<ForwardDual>& frame, const Motion& motion, Numbers& numbers) {
  const auto quaternion = quaternion_from_matrix(kinematics_of(motion).pose(frame).rotation);
  numbers.insert(numbers.end(), {quaternion.w, quaternion.x, quaternion.y, quaternion.z});
}

MotionOutput whole_q(const Model& model) {
  MotionOutput output = following(whole(model.configuration_info(), q_of), true, false, false);
  if (model.nq() != model.nv()) return output;
  output.plain = [](const Model&, Data&, const VectorXd& q, const VectorXd&, Eigen::Ref<VectorXd> values,
                    Eigen::Ref<MatrixXd>* by_q, Eigen::Ref<MatrixXd>*) {
    values = q;
    if (by_q != nullptr) by_q->setIdentity();
  };
  return output;
}

MotionOutput whole_v(const Model& model) {
  MotionOutput output = following(whole(model.velocity_info(), v_of), false, true, false);
  output.plain = [](const Model&, Data&, const VectorXd&, const VectorXd& v, Eigen::Ref<VectorXd> values,
                    Eigen::Ref<MatrixXd>*, Eigen::Ref<MatrixXd>* by_v) {
    values = v;
    if (by_v != nullptr) by_v->setIdentity();
  };
  return output;
}

/// Of a position in the world, whose velocity is R times the linear rows of the Jacobian.
void plain_position(const Frame& frame, const Model& model, Data& data, const VectorXd& q, Eigen::Ref<VectorXd> values,
                    Eigen::Ref<MatrixXd>* by_q) {
  const Pose pose = forward_kinematics<double>(model, data, q).pose(frame);
  values = to_eigen(pose.position);
  if (by_q != nullptr) *by_q = to_eigen(pose.rotation) * frame_jacobian<double>(model, data, q, frame).bottomRows(3);
}

std::optional<MotionOutput> of_frame(const Model& model, const std::string& name) {
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
    MotionOutput output;
    for (const char* component : kind.components) {
      output.columns.push_back({fmt::format("{}.{}", name.substr(0, dot), component), kind.unit});
      if (kind.numbers == velocity_of)
        output.columns.back().name = fmt::format("{}.v{}", name.substr(0, dot), component);
    }
    output.follows_v = kind.numbers == velocity_of;
    if (kind.numbers == position_of) {
      output.plain = [at = *find_frame(model, frame)](const Model& its_model, Data& data, const VectorXd& q,
                                                      const VectorXd&, Eigen::Ref<VectorXd> values,
                                                      Eigen::Ref<MatrixXd>* by_q, Eigen::Ref<MatrixXd>*) {
        plain_position(at, its_model, data, q, values, by_q);
      };
    }
    output.read = [frame, numbers = kind.numbers](const Motion& motion, Numbers& all) {
      numbers(*find_frame(motion.model, frame), motion, all);
    };
    return output;
  }
  return std::nullopt;
}

/// What contacts store: pressed in, and in their bristles.
ForwardDual contact_energy(const Motion& motion) {
  if (motion.model.site_laws().empty()) return ForwardDual(0.0);
  SitesT<ForwardDual> sites(motion.model);
  sites.take(kinematics_of(motion), motion.time, motion.site_states);
  return sites.stored_energy();
}

std::optional<MotionOutput> of_energy(const std::string& name) {
  const auto energy = [&](auto value) {
    return MotionOutput{{{name, "J"}},
                        [value](const Motion& motion, Numbers& numbers) { numbers.push_back(value(motion)); }};
  };
  if (name == "energy.kinetic") {
    return energy([](const Motion& m) { return kinetic_energy<ForwardDual>(m.model, m.data, m.q, m.v); });
  }
  if (name == "energy.gravity") {
    return energy([](const Motion& m) { return gravity_energy<ForwardDual>(m.model, m.data, m.q); });
  }
  if (name == "energy.elastic") {
    return energy([](const Motion& m) { return elastic_energy<ForwardDual>(m.model, m.data, m.q); });
  }
  if (name == "energy.contacts") {
    MotionOutput output = energy(contact_energy);
    output.follows_sites = true;
    return output;
  }
  return std::nullopt;
}

}  // namespace

MotionOutput find_motion_output(const Model& model, const std::string& name) {
  if (name == "q") return whole_q(model);
  if (name == "v") return whole_v(model);
  if (name == "u") return following(whole(model.input_info(), u_of), false, false, true);
  if (auto found = of_frame(model, name)) return *found;
  if (auto found = of_energy(name)) return following(*found, true, name == "energy.kinetic", false);
  if (auto found = one_of(model.configuration_info(), name, q_of)) return following(*found, true, false, false);
  if (auto found = one_of(model.velocity_info(), name, v_of)) return following(*found, false, true, false);
  if (auto found = one_of(model.input_info(), name, u_of)) return following(*found, false, false, true);
  std::vector<std::string> known{
      "q", "v", "u", "tip.position", "energy.kinetic", "energy.gravity", "energy.elastic", "energy.contacts"};
  for (const std::string& frame : frame_names(model)) known.push_back(frame + ".position");
  for (const auto* infos : {&model.configuration_info(), &model.velocity_info(), &model.input_info()}) {
    for (const auto& info : *infos) known.push_back(info.name);
  }
  throw ArgumentError(fmt::format(
      "of: found '{}', expected q, v, u, FRAME.position, FRAME.velocity, FRAME.rotation (of LINK.tip, LINK.base, a "
      "marker or tip), energy.kinetic, energy.gravity, energy.elastic, energy.contacts, a coordinate, a velocity or an "
      "input{}",
      name, did_you_mean(name, known)));
}

MotionOutputs::MotionOutputs(const Model& model, const std::vector<std::string>& of)
    : model_(model),
      variable_(differentiate(model, {})),
      data_(variable_),
      change_(model.nv()),
      element_states_(model.element_start().cast<ForwardDual>()),
      sites_(VectorXT<ForwardDual>::Zero(state_layout(model).sites)),
      plain_data_(model) {
  for (const std::string& name : of) {
    outputs_.push_back(find_motion_output(model, name));
    const auto& columns = outputs_.back().columns;
    columns_.insert(columns_.end(), columns.begin(), columns.end());
    sizes_.push_back(static_cast<int>(columns.size()));
  }
  const auto count = static_cast<Eigen::Index>(columns_.size());
  values_.setZero(count);
  by_q_.setZero(count, model.nv()), by_v_.setZero(count, model.nv()), by_u_.setZero(count, model.nu());
  by_sites_.setZero(count, sites_.size());
}

bool MotionOutputs::follow_inputs() const {
  return std::any_of(outputs_.begin(), outputs_.end(), [](const MotionOutput& output) { return output.follows_u; });
}

void MotionOutputs::read(bool MotionOutput::*follow, MatrixXd* slopes, Eigen::Index first, Eigen::Index count) {
  const DifferentiatedMotion motion{time_, paths_, variable_, data_, q_, v_, u_, element_states_, sites_};
  Eigen::Index row = 0;
  for (const MotionOutput& output : outputs_) {
    const auto size = static_cast<Eigen::Index>(output.columns.size());
    if (!output.plain && (follow == nullptr || output.*follow)) {
      numbers_.clear();
      output.read(motion, numbers_);
      for (Eigen::Index i = 0; i < size; ++i) {
        const ForwardDual& number = numbers_[static_cast<std::size_t>(i)];
        if (slopes == nullptr) values_[row + i] = number.value;
        for (Eigen::Index k = 0; k < count; ++k) (*slopes)(row + i, first + k) = number.derivative[k];
      }
    }
    row += size;
  }
}

const VectorXd& MotionOutputs::values(const OutputArguments& at) {
  q_ = at.q.cast<ForwardDual>(), v_ = at.v.cast<ForwardDual>(), u_ = at.u.cast<ForwardDual>();
  sites_ = at.sites.cast<ForwardDual>(), time_ = at.time;
  read(nullptr, nullptr, 0, 0);
  read_plain(at.q, at.v, false);
  return values_;
}

void MotionOutputs::read_plain(const VectorXd& q, const VectorXd& v, bool with_slopes) {
  Eigen::Index row = 0;
  for (std::size_t i = 0; i < outputs_.size(); row += sizes_[i++]) {
    const MotionOutput& output = outputs_[i];
    if (!output.plain) continue;
    Eigen::Ref<MatrixXd> by_q = by_q_.middleRows(row, sizes_[i]), by_v = by_v_.middleRows(row, sizes_[i]);
    output.plain(model_, plain_data_, q, v, values_.segment(row, sizes_[i]),
                 with_slopes && output.follows_q ? &by_q : nullptr, with_slopes && output.follows_v ? &by_v : nullptr);
  }
}

void MotionOutputs::slopes(const OutputArguments& at) {
  values(at);
  read_plain(at.q, at.v, true);
  const VectorXT<ForwardDual> plain_q = q_;
  const auto along = [&](Eigen::Index size, bool MotionOutput::*follow, MatrixXd& slopes, const auto& turn) {
    if (std::none_of(outputs_.begin(), outputs_.end(), [&](const MotionOutput& o) { return !o.plain && o.*follow; })) {
      return;
    }
    for (Eigen::Index first = 0; first < size; first += k_forward_width) {
      const Eigen::Index count = std::min<Eigen::Index>(k_forward_width, size - first);
      for (Eigen::Index k = 0; k < count; ++k) turn(first + k, k, 1.0);
      read(follow, &slopes, first, count);
      for (Eigen::Index k = 0; k < count; ++k) turn(first + k, k, 0.0);
    }
  };
  change_.setZero();
  along(model_.nv(), &MotionOutput::follows_q, by_q_, [&](Eigen::Index i, Eigen::Index k, double slope) {
    change_[i].derivative[k] = slope;
    integrate<ForwardDual>(variable_, plain_q, change_, q_);
  });
  q_ = plain_q;
  along(model_.nv(), &MotionOutput::follows_v, by_v_,
        [&](Eigen::Index i, Eigen::Index k, double slope) { v_[i].derivative[k] = slope; });
  along(model_.nu(), &MotionOutput::follows_u, by_u_,
        [&](Eigen::Index i, Eigen::Index k, double slope) { u_[i].derivative[k] = slope; });
  along(sites_.size(), &MotionOutput::follows_sites, by_sites_,
        [&](Eigen::Index i, Eigen::Index k, double slope) { sites_[i].derivative[k] = slope; });
}

VariedOutputs::VariedOutputs(const Model& model, const std::vector<std::string>& of,
                             const std::vector<std::string>& paths)
    : u_(VectorXT<ForwardDual>::Zero(model.nu())), element_states_(model.element_start().cast<ForwardDual>()) {
  std::size_t rows = 0;
  for (const std::string& name : of) {
    MotionOutput output = find_motion_output(model, name);
    const std::size_t size = output.columns.size();
    if (output.follows_robot) outputs_.emplace_back(static_cast<Eigen::Index>(rows), std::move(output));
    rows += size;
  }
  slopes_.setZero(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(paths.size()));
  if (outputs_.empty()) return;
  differentiate_in_groups(model, paths, [this](std::size_t first, std::size_t count, ModelT<ForwardDual> variable) {
    groups_.push_back(std::make_unique<Group>(std::move(variable)));
    for (std::size_t k = first; k < first + count; ++k) groups_.back()->paths.push_back(k);
  });
}

const MatrixXd& VariedOutputs::slopes(const OutputArguments& at) {
  const VectorXT<ForwardDual> plain_q = at.q.cast<ForwardDual>(), plain_v = at.v.cast<ForwardDual>(),
                              sites = at.sites.cast<ForwardDual>();
  for (const auto& group : groups_) {
    const DifferentiatedMotion motion{at.time, group->paths, group->model,    group->data, plain_q,
                                      plain_v, u_,           element_states_, sites};
    for (const auto& [row, output] : outputs_) {
      numbers_.clear();
      output.read(motion, numbers_);
      for (std::size_t i = 0; i < numbers_.size(); ++i) {
        for (std::size_t k = 0; k < group->paths.size(); ++k) {
          slopes_(row + static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(group->paths[k])) =
              numbers_[i].derivative[k];
        }
      }
    }
  }
  return slopes_;
}

}  // namespace cuttle
