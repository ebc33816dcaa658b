#include "control/law_model.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/state_layout.h"
#include "cuttle/bodies/rigid_body.h"
#include "cuttle/error.h"
#include "cuttle/model/spelling.h"
#include "model/law_beside_actuators.h"

namespace cuttle {
namespace {

using Names = std::set<std::string>;

/// The links that are named and all that hang on them.
Names cut_links(const Model& whole, const std::vector<std::string>& named) {
  std::vector<std::string> known;
  for (const auto& link : whole.links()) known.push_back(link.name);
  for (std::size_t i = 0; i < named.size(); ++i) {
    if (std::find(known.begin(), known.end(), named[i]) != known.end()) continue;
    throw ArgumentError(
        Diagnostic({"model", "without", i}, "no link '" + named[i] + "'", "a link" + did_you_mean(named[i], known)));
  }
  Names cut;
  for (const auto& link : whole.links()) {  // parents stand before what hangs on them
    const bool hangs = link.parent >= 0 && cut.count(whole.links()[static_cast<std::size_t>(link.parent)].name) > 0;
    if (hangs || std::find(named.begin(), named.end(), link.name) != named.end()) cut.insert(link.name);
  }
  return cut;
}

RigidParameters rigid_body_of(const SpatialInertia& inertia, const Pose& tip) {
  RigidParameters rigid;
  rigid.mass = inertia.mass;
  if (inertia.mass > 0.0) rigid.com = (1.0 / inertia.mass) * inertia.moment;
  const double c2 = rigid.mass * dot(rigid.com, rigid.com);
  rigid.inertia = inertia.rotation + (SymmetricMatrix3T<double>::outer(rigid.mass, rigid.com) -
                                      SymmetricMatrix3T<double>::diagonal(c2, c2, c2));
  rigid.tip = tip;
  return rigid;
}

/// Links without those that are cut; with `rigid` deforming bodies are rigid ones of their shape at rest, and what
/// hangs on these does so where it is then.
std::vector<Link> links_of(const Model& whole, const LawModel& what, const Names& cut) {
  Data data(whole);
  const KinematicsT<double>& rest = forward_kinematics<double>(whole, data, whole.neutral());
  std::vector<Link> links;
  for (std::size_t i = 0; i < whole.links().size(); ++i) {
    const auto& info = whole.links()[i];
    if (cut.count(info.name) > 0) continue;
    Link link = whole.robot().links[i];
    const auto deforms = [&](int index) {
      const auto& body = whole.robot().links[static_cast<std::size_t>(index)].body;
      return what.rigid && body && body->coordinate_count() > 0;
    };
    if (link.parent.link.empty()) {
      link.parent.link = info.parent < 0 ? "base" : whole.links()[static_cast<std::size_t>(info.parent)].name;
    }
    if (info.parent >= 0 && deforms(info.parent)) {
      const Pose parent = rest.pose(whole.links()[static_cast<std::size_t>(info.parent)].base);
      link.parent.at = PortLocation::base();
      link.parent.pose = parent.inverse() * rest.pose(info.base);
    }
    if (deforms(static_cast<int>(i))) {
      const Pose tip = rest.pose(info.base).inverse() * rest.pose(info.tip);
      link.body = std::make_shared<const RigidBody>(rigid_body_of(info.rest_inertia, tip));
      link.material.clear();
    }
    links.push_back(std::move(link));
  }
  return links;
}

bool can_be_built(const Robot& robot) {
  try {
    const Model model(robot);
    return true;
  } catch (const ModelError&) {
    return false;
  }
}

/// Those parts of the whole robot that act on what is left: `touches` says on which links one acts. With rigid bodies
/// also those are tried, since some act on deforming ones alone.
template <typename Part, typename Links>
void keep_parts(const std::vector<Part>& all, std::vector<Part> Robot::*member, const Links& touches, const Names& cut,
                bool try_each, Robot& robot) {
  for (const Part& part : all) {
    const std::vector<std::string> links = touches(part);
    if (std::any_of(links.begin(), links.end(), [&](const std::string& link) { return cut.count(link) > 0; })) continue;
    (robot.*member).push_back(part);
    if (try_each && !can_be_built(robot)) (robot.*member).pop_back();
  }
}

Model with_parameters(const Model& whole, const LawModel& what) {
  try {
    return whole.with(what.parameters);
  } catch (Error& error) {
    error.place_in({"model", "parameters"});
    throw;
  }
}

Robot robot_of(const Model& whole, const LawModel& what) {
  const Names cut = cut_links(whole, what.without);
  const Robot& all = whole.robot();
  Robot robot;
  robot.name = all.name, robot.gravity = all.gravity;
  robot.floating_base = all.floating_base, robot.base_pose = all.base_pose;
  robot.links = links_of(whole, what, cut);
  const auto through = [](const auto& transmissions) {
    std::vector<std::string> links;
    for (const auto& transmission : transmissions) {
      for (const std::string& link : transmission->links()) links.push_back(link);
    }
    return links;
  };
  keep_parts(
      all.actuators, &Robot::actuators, [&](const Actuator& a) { return a.transmission->links(); }, cut, what.rigid,
      robot);
  const auto links_of_element = [&](const Element& element) {
    std::vector<std::string> links = through(element.through);
    const LawBesideActuatorsT<double>* beside = element.law->beside_actuators();
    if (beside == nullptr) return links;
    const std::vector<std::string> names = beside->actuators();
    for (const Actuator& actuator : all.actuators) {
      if (std::find(names.begin(), names.end(), actuator.name) == names.end()) continue;
      for (const std::string& link : actuator.transmission->links()) links.push_back(link);
    }
    return links;
  };
  keep_parts(all.elements, &Robot::elements, links_of_element, cut, what.rigid, robot);
  keep_parts(
      all.loads, &Robot::loads, [](const Load& load) { return std::vector<std::string>{load.place.link}; }, cut,
      what.rigid, robot);
  return robot;
}

class LawOfPart final : public OutputLaw {
 public:
  LawOfPart(const Model& whole, std::unique_ptr<const LawRobot> robot, std::unique_ptr<OutputLaw> law)
      : robot_(std::move(robot)), law_(std::move(law)), states_(start_of_auxiliary(robot_->model())) {
    const Model& model = robot_->model();
    q_.resize(model.nq()), v_.resize(model.nv()), u_.resize(model.nu());
    std::vector<bool> has(static_cast<std::size_t>(whole.nv()), false);
    for (const int i : robot_->v()) has[static_cast<std::size_t>(i)] = true;
    for (int i = 0; i < whole.nv(); ++i) {
      if (!has[static_cast<std::size_t>(i)]) missing_.push_back(i);
    }
    none_.setZero(model.nu(), model.nv()), before_ = by_q_of_inputs_ = by_v_of_inputs_ = none_;
  }

  void outputs(const ControlArguments& at, const OutputBounds& bounds, VectorXd& out) override {
    law_->outputs(arguments(at), bounds, out);
  }

  /// Of its own coordinates the law's; the others move only inputs of controllers before, on which it depends linearly.
  void derivatives(const ControlArguments& at, const OutputBounds& bounds, const VectorXd& out,
                   const InputSlopes& before, MatrixXd& by_q, MatrixXd& by_v) override {
    const ControlArguments own = arguments(at);
    const auto take = [&](const MatrixXd& slope, MatrixXd& inputs) {
      for (std::size_t i = 0; i < robot_->u().size(); ++i) {
        for (std::size_t j = 0; j < robot_->v().size(); ++j) {
          inputs(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = slope(robot_->u()[i], robot_->v()[j]);
        }
      }
    };
    take(before.by_q.inputs, by_q_of_inputs_), take(before.by_v.inputs, by_v_of_inputs_);
    const Eigen::Index m = by_q.rows(), n = v_.size();
    own_q_.setZero(m, n), own_v_.setZero(m, n);
    law_->derivatives(own, bounds, out, {by_q_of_inputs_, by_v_of_inputs_}, own_q_, own_v_);
    for (Eigen::Index j = 0; j < n; ++j) {
      by_q.col(robot_->v()[static_cast<std::size_t>(j)]) = own_q_.col(j);
      by_v.col(robot_->v()[static_cast<std::size_t>(j)]) = own_v_.col(j);
    }
    add_missing(own, bounds, out, before.by_q.inputs, by_q);
    add_missing(own, bounds, out, before.by_v.inputs, by_v);
  }

  void describe(ControlColumns& columns) const override { law_->describe(columns); }
  void observe(const ControlArguments& at, VectorOutT<double> reference, VectorOutT<double> error) override {
    law_->observe(arguments(at), reference, error);
  }
  std::optional<double> allocation_residual() const override { return law_->allocation_residual(); }
  Reference* reference() override { return law_->reference(); }

 private:
  ControlArguments arguments(const ControlArguments& at) {
    for (Eigen::Index i = 0; i < q_.size(); ++i) q_[i] = at.q[robot_->q()[static_cast<std::size_t>(i)]];
    for (Eigen::Index i = 0; i < v_.size(); ++i) v_[i] = at.v[robot_->v()[static_cast<std::size_t>(i)]];
    for (Eigen::Index i = 0; i < u_.size(); ++i) u_[i] = at.u[robot_->u()[static_cast<std::size_t>(i)]];
    return {at.time, q_, v_, u_, no_state_, states_};
  }

  /// Through inputs before: what the law says of them is the difference to no change of them, as many columns at once
  /// as it has coordinates.
  void add_missing(const ControlArguments& own, const OutputBounds& bounds, const VectorXd& out, const MatrixXd& before,
                   MatrixXd& result) {
    const Eigen::Index n = v_.size(), m = result.rows();
    const auto moves = [&](int column) { return (before.col(column).array() != 0.0).any(); };
    if (n == 0 || std::none_of(missing_.begin(), missing_.end(), moves)) return;
    own_q_.setZero(m, n), own_v_.setZero(m, n);
    law_->derivatives(own, bounds, out, {none_, none_}, own_q_, own_v_);
    const MatrixXd without = own_q_;
    for (std::size_t first = 0; first < missing_.size(); first += static_cast<std::size_t>(n)) {
      const std::size_t count = std::min(missing_.size() - first, static_cast<std::size_t>(n));
      before_.setZero();
      for (std::size_t j = 0; j < count; ++j) {
        for (std::size_t i = 0; i < robot_->u().size(); ++i) {
          before_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
              before(robot_->u()[i], missing_[first + j]);
        }
      }
      own_q_.setZero(m, n), own_v_.setZero(m, n);
      law_->derivatives(own, bounds, out, {before_, none_}, own_q_, own_v_);
      for (std::size_t j = 0; j < count; ++j) {
        const auto column = static_cast<Eigen::Index>(j);
        result.col(missing_[first + j]) = own_q_.col(column) - without.col(column);
      }
    }
  }

  std::unique_ptr<const LawRobot> robot_;
  std::unique_ptr<OutputLaw> law_;
  VectorXd q_, v_, u_, states_, no_state_;
  std::vector<int> missing_;  // velocity coordinates of the whole robot that the part has not
  MatrixXd none_, before_, by_q_of_inputs_, by_v_of_inputs_, own_q_, own_v_;
};

}  // namespace

LawRobot::LawRobot(const Model& whole, const LawModel& what) {
  Robot robot = robot_of(what.parameters.empty() ? whole : with_parameters(whole, what), what);
  if (robot.links.empty()) {
    throw ArgumentError(Diagnostic({"model", "without"}, "all links", "links of which the robot keeps some"));
  }
  model_ = std::make_unique<const Model>(std::move(robot));
  if (start_of_auxiliary(*model_).size() > state_layout(*model_).works) {
    throw ArgumentError(Diagnostic("model", "a robot whose elements or loads have states of their own", "complete"));
  }
  if (whole.robot().floating_base) {
    for (int i = 0; i < whole.nq() && i < 7; ++i) q_.push_back(i);
    for (int i = 0; i < whole.nv() && i < 6; ++i) v_.push_back(i);
  }
  for (const auto& own : model_->links()) {
    const auto& links = whole.links();
    const auto link =
        std::find_if(links.begin(), links.end(), [&](const auto& other) { return other.name == own.name; });
    for (int i = 0; i < own.nq; ++i)
      q_.push_back(link->q + i);  // of a rigid body those of the joint, which stand first
    for (int i = 0; i < own.nv; ++i) v_.push_back(link->v + i);
  }
  for (const CoordinateInfo& own : model_->input_info()) {
    const auto& inputs = whole.input_info();
    const auto input =
        std::find_if(inputs.begin(), inputs.end(), [&](const CoordinateInfo& other) { return other.name == own.name; });
    u_.push_back(static_cast<int>(input - inputs.begin()));
  }
}

ControlPlaces LawRobot::places_of(const Model& whole, const ControlPlaces& places) const {
  ControlPlaces own = places;
  for (std::size_t i = 0; i < places.inputs.size(); ++i) {
    const auto at = std::find(u_.begin(), u_.end(), places.inputs[i]);
    if (at == u_.end()) {
      const std::string& name = whole.input_info()[static_cast<std::size_t>(places.inputs[i])].name;
      throw ArgumentError(Diagnostic({"inputs", i}, "'" + name + "', which acts on what `model` leaves out",
                                     "inputs of what the law's model has"));
    }
    own.inputs[i] = static_cast<int>(at - u_.begin());
  }
  const auto find = [&](const std::vector<int>& mine, const std::vector<CoordinateInfo>& names, std::vector<int>& all) {
    for (int& place : all) {
      const auto at = std::find(mine.begin(), mine.end(), place);
      if (at == mine.end()) {
        throw ArgumentError(
            Diagnostic("links", "'" + names[static_cast<std::size_t>(place)].name + "', which `model` leaves out",
                       "links whose coordinates the law's model has"));
      }
      place = static_cast<int>(at - mine.begin());
    }
  };
  find(q_, whole.configuration_info(), own.q);
  find(v_, whole.velocity_info(), own.v);
  return own;
}

std::unique_ptr<OutputLaw> law_of_part(const Model& whole, std::unique_ptr<const LawRobot> robot,
                                       std::unique_ptr<OutputLaw> law) {
  return std::make_unique<LawOfPart>(whole, std::move(robot), std::move(law));
}

}  // namespace cuttle
