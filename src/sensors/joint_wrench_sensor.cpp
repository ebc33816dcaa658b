// The wrench through a joint, by virtual work: where the joint sits, a second model of the robot has six coordinates
// more, a free joint that stays closed. The force on these that the motion asks for is the wrench - whatever the link
// is made of, whatever acts, and for a joint that is fixed too.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "cuttle/algorithms/constraints.h"
#include "cuttle/algorithms/equation_of_motion.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"
#include "cuttle/model/joint.h"
#include "cuttle/sensors/sensors.h"

namespace cuttle {
namespace {

constexpr int k_torque = 0, k_force = 3, k_components = 6;  // in the velocity of a free joint

int index_of(const Robot& robot, const std::string& name) {
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    if (robot.links[i].name == name) return static_cast<int>(i);
  }
  throw ModelError("link", "link '" + name + "'", "the name of a link");
}

/// Where a tendon has points in one place on both sides of the cut, whatever the configuration is: which way it pulls
/// across the joint is not defined there.
void refuse_points_in_one_place(const Model& cut, const LinkInfoT<double>& its, const std::string& link) {
  constexpr double k_one_place = 1e-12;  // [m]
  VectorXd moved = cut.neutral();
  integrate<double>(cut, cut.neutral(), VectorXd::Constant(cut.nv(), 0.1), moved);
  VectorXd apart = moved;  // at the cut
  moved.segment(its.q, its.nq) = cut.neutral().segment(its.q, its.nq);
  Data data(cut);
  for (const BoundTendonT<double>& tendon : cut.actuation().tendons) {
    for (const auto& part : tendon.segments) {
      const auto is_nothing = [&](const VectorXd& q) {
        const auto& kinematics = forward_kinematics<double>(cut, data, q);
        const auto end = [&](int node, const Vector3& at) {
          return kinematics.pose({node, {Matrix3::identity(), at}}).position;
        };
        return norm(end(part.first_node, part.first) - end(part.second_node, part.second)) <= k_one_place;
      };
      if (!is_nothing(cut.neutral()) || !is_nothing(moved) || is_nothing(apart)) continue;
      const std::string& name = cut.input_info()[static_cast<std::size_t>(tendon.input)].name;
      throw ModelError(
          "link", fmt::format("the joint of '{}', on both sides of which the tendon '{}' has one place", link, name),
          "a stretch between them, as if it left the first link 1 mm before: without one it is not "
          "defined which way the tendon pulls across the joint");
    }
  }
}

/// @param index  of the link; the cut is a link of its own before it.
Robot with_cut(Robot robot, int index) {
  const auto at = static_cast<std::size_t>(index);
  Link cut;
  cut.name = robot.links[at].name + " cut";
  cut.parent = std::move(robot.links[at].parent);
  if (cut.parent.link.empty()) cut.parent.link = index == 0 ? "base" : robot.links[at - 1].name;
  cut.joint = make_free_joint<double>();
  // a model refuses what floats without inertia, as a point mass may here; the cut never moves, so this one does
  // nothing
  cut.joint_dynamics.armature.assign(k_components, 1.0);
  robot.links[at].parent = {cut.name, PortLocation::tip(), {}};
  // children that name no parent mean the link before, which is that still
  robot.links.insert(robot.links.begin() + index, std::move(cut));
  robot.sensors.clear(), robot.source = nullptr;
  return robot;
}

class BoundJointWrench final : public BoundSensor {
 public:
  BoundJointWrench(const Model& model, int index)
      : model_(with_cut(model.robot(), index)), data_(model_), equation_(model_, state_layout(model_)) {
    const LinkInfoT<double>& cut = model_.links()[static_cast<std::size_t>(index)];
    refuse_points_in_one_place(model_, cut, model.robot().links[static_cast<std::size_t>(index)].name);
    first_q_ = cut.q, first_v_ = cut.v;
    q_ = model_.neutral(), v_ = VectorXd::Zero(model_.nv()), a_ = v_, r_ = v_;
    auxiliary_rate_.setZero(equation_.layout().size());
    if (!model_.loops().empty()) constraints_.emplace(model_);
  }

  void read(const SensorArguments& at, double* values) override {
    if (constraints_ && !at.multipliers.allFinite()) {
      std::fill_n(values, k_components, std::numeric_limits<double>::quiet_NaN());
      return;
    }
    spread(at.q, first_q_, q_), spread(at.v, first_v_, v_), spread(at.a, first_v_, a_);
    equation_.residual({at.time, q_, v_, at.u, at.auxiliary}, a_, r_, auxiliary_rate_);
    if (constraints_) {  // M a + .. = .. - G^T lambda
      r_ += constraint_force<double>(model_, data_, *constraints_, q_, at.multipliers);
    }
    for (int k = 0; k < 3; ++k) values[k] = r_[first_v_ + k_torque + k], values[3 + k] = r_[first_v_ + k_force + k];
  }

 private:
  /// Numbers of the robot around those of the cut, which stay.
  static void spread(const VectorXd& from, int first, VectorXd& to) {
    const Eigen::Index rest = from.size() - first;
    to.head(first) = from.head(first);
    to.tail(rest) = from.tail(rest);
  }

  Model model_;
  Data data_;
  EquationOfMotion equation_;
  std::optional<ConstraintData> constraints_;
  int first_q_ = 0, first_v_ = 0;
  VectorXd q_, v_, a_, r_, auxiliary_rate_;
};

class JointWrenchSensor final : public OfLink {
 public:
  using OfLink::OfLink;
  std::string type_name() const override { return "joint_wrench"; }
  bool needs_acceleration() const override { return true; }
  std::vector<CoordinateInfo> columns(const Model& model) const override {
    index_of(model.robot(), link());
    return {{"tx", "N m"}, {"ty", "N m"}, {"tz", "N m"}, {"fx", "N"}, {"fy", "N"}, {"fz", "N"}};
  }
  std::unique_ptr<BoundSensor> bind(const Model& model, const std::vector<Frame>& /*frames*/) const override {
    return std::make_unique<BoundJointWrench>(model, index_of(model.robot(), link()));
  }
};

}  // namespace

std::shared_ptr<const Sensor> make_joint_wrench_sensor(std::string link) {
  return std::make_shared<const JointWrenchSensor>(std::move(link));
}

}  // namespace cuttle
