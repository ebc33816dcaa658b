#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "algorithms/derivative_workspace.h"
#include "bodies/rod/worth_of_rod.h"

namespace cuttle {

/// What all that hangs at a node is worth to twists of one more coordinate there (cuttle/bodies/tangent.h):
/// dot(by_second, J'' + ..) + dot(by_rate, angular part of J') + dot(by_turn, J).
struct HangingWorth {
  Wrench by_second;
  Vector3 by_rate;
  Wrench by_turn;
};

/// A body that deforms, as numbers of it change the work that its forces do along a virtual twist. Rods have that in
/// reverse mode; of others eight numbers take the body once with derivatives.
class WorthOfBody {
 public:
  /// @param edge  of the model's topology, of a body. The model outlives this.
  WorthOfBody(const Model& model, int edge);

  /// How a body follows the directions of its derivatives: at all, and in where its ports are.
  struct Reach {
    std::array<bool, k_forward_width> acts{}, moves{};
  };
  /// By the tables of a rod. Others are asked at two motions without zeros: what is zero there, of smooth functions, is
  /// so everywhere.
  Reach reach(const BodyT<ForwardDual>& body);
  bool is_rod() const { return rod_ != nullptr; }
  /// @param numbers  of the directions of its derivatives; -1: not by this body.
  void follow(std::shared_ptr<const BodyT<ForwardDual>> body, std::vector<int> numbers);

  /// If it is a rod: for motions of ports that actuators alone ask for. Then `add` keeps what these need.
  const WorthOfRod* rod() {
    keeps_motion_ = rod_ != nullptr;
    return rod_.get();
  }

  /// After derivative::sweep_both_ways. @param state  of the body there, in its base axes.
  /// @param weights  of its coordinates. @param base_twist  the virtual one of its base, in its axes.
  /// @param port_wrenches  what its ports must give, in the axes of each. @param hanging  what its ports are worth.
  void add(const BodyStateT<double>& state, const double* weights, const Twist& base_twist,
           const std::vector<Wrench>& port_wrenches, const std::vector<HangingWorth>& hanging,
           const DerivativeData::Workspace& at, double scale, VectorXd& worth);

 private:
  struct Group {
    std::shared_ptr<const BodyT<ForwardDual>> body;
    std::vector<int> numbers;  ///< -1: not by this body
  };
  /// Ports, base wrench and force with derivatives.
  void evaluate(const BodyT<ForwardDual>& body, const BodyStateT<double>& state,
                const std::vector<Wrench>& port_wrenches);

  void add_rod(const BodyStateT<double>& state, const double* weights, const Twist& base_twist,
               const std::vector<Wrench>& port_wrenches, const std::vector<HangingWorth>& hanging,
               const DerivativeData::Workspace& at, double scale, VectorXd& worth);

  const Edge& edge_;
  std::unique_ptr<WorthOfRod> rod_;  ///< of numbers that it knows; null: the body is none
  std::vector<Group> groups_;        ///< of the others
  bool keeps_motion_ = false;
  std::vector<ForwardDual> memory_, coordinates_, force_;
  std::vector<PortMotionT<ForwardDual>> ports_;
  std::vector<WrenchT<ForwardDual>> port_wrenches_;
  WrenchT<ForwardDual> base_wrench_;
};

/// Derivative k of what has three numbers, six, or is a rotation and a position: then its displacement, as a twist in
/// the axes and at the origin in which the pose is given.
inline Vector3 slope_of(const Vector3T<ForwardDual>& x, int k) {
  return {x.x.derivative[k], x.y.derivative[k], x.z.derivative[k]};
}
inline Twist slope_of(const TwistT<ForwardDual>& x, int k) { return {slope_of(x.angular, k), slope_of(x.linear, k)}; }
Twist slope_of(const PoseT<ForwardDual>& pose, int k);
/// Whether anything of it is not zero.
inline bool any(const Vector3& x) { return x.x != 0.0 || x.y != 0.0 || x.z != 0.0; }
inline bool any(const Twist& x) { return any(x.angular) || any(x.linear); }

}  // namespace cuttle
