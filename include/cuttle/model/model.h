#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/coordinate_function.h"
#include "cuttle/model/robot.h"
#include "cuttle/model/site_law.h"
#include "cuttle/model/state_load.h"
#include "cuttle/model/topology.h"
#include "cuttle/model/workspace_sizes.h"
#include "cuttle/spatial/dual_eigen.h"

namespace CUTTLE_API cuttle {

template <typename S>
using VectorXT = Eigen::Matrix<S, Eigen::Dynamic, 1>;
template <typename S>
using MatrixXT = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;
using VectorXd = Eigen::VectorXd;
using MatrixXd = Eigen::MatrixXd;
/// A vector argument: takes a vector, segment or column without a copy. The scalar comes from the model argument.
template <typename S>
using VectorInT = typename std::type_identity<Eigen::Ref<const VectorXT<S>>>::type;
template <typename S>
using VectorOutT = typename std::type_identity<Eigen::Ref<VectorXT<S>>>::type;

/// What a user asks of a link.
template <typename S>
struct LinkInfoT {
  std::string name;        ///< in the description
  int parent = -1;         ///< index of the parent link; -1: base
  std::string joint_type;  ///< as in the file: `revolute`
  std::string body_type;   ///< as in the file: `rod`
  int q = 0;               ///< first of its coordinates in the configuration: joint, then body
  int nq = 0;              ///< how many there
  int v = 0;               ///< first of its coordinates in the velocity
  int nv = 0;              ///< how many there
  int joint_nq = 0, joint_nv = 0;
  FrameT<S> base;                   ///< frame between joint and body
  FrameT<S> tip;                    ///< frame at the far end of the body
  SpatialInertiaT<S> rest_inertia;  ///< of the body, base frame
};

/// A load that depends on time alone, bound to frames: one for a wrench, one a section (with its weight [m]) for a
/// distributed load. None of one that depends on the motion (ModelT::state_loads).
template <typename S>
struct BoundLoadT {
  const TimedWrench* wrench =
      nullptr;  ///< of the law, which the robot holds; null in a pack, whose lanes have their own
  std::vector<FrameT<S>> frames;
  std::vector<S> weights;
};

/// Ways through which scalar efforts act on a robot: each has an actuation coordinate y(q), and an effort f makes the
/// generalized force (dy/dq)^T f. An actuator input is such an effort, and so is what an element's law gives.
template <typename S>
struct TransmissionsT {
  /// Of dy/dq, what does not depend on q, by columns: nv x count; the columns of tendons, of chambers in volumes, of
  /// wrenches and of functions are zero here.
  MatrixXT<S> constant;
  VectorXT<S> offset;  ///< y at q = 0 of those whose y is linear in q
  std::vector<BoundTendonT<S>> tendons;
  std::vector<BoundChamberT<S>> chambers;  ///< in volumes
  std::vector<BoundWrenchT<S>> wrenches;
  std::vector<BoundFunctionT<S>> functions;
  /// Of those of actuators: whether a law makes the effort of the input (ActuatorT::law). Such efforts act with those
  /// of elements, and what stands here is y(q) alone. Empty: none.
  std::vector<char> driven;
  std::vector<std::string> units;  ///< of efforts

  bool is_driven(int k) const { return !driven.empty() && driven[static_cast<std::size_t>(k)] != 0; }
  int count() const { return static_cast<int>(constant.cols()); }
};

/// An element, or an actuator with a law, with its places in the model: its law acts on transmissions [first, first +
/// law->transmission_count()) of ModelT::element_transmissions(), inputs from `input` on, and states from `state` on.
template <typename S>
struct BoundElementT {
  int first = 0, input = 0, state = 0;
  int state_count = 0;
  int output = 0, output_count = 0;  ///< outputs from `output` on
  bool has_inputs = false;
  std::string name;     ///< of the element or actuator
  bool drives = false;  ///< it is an actuator's
  std::shared_ptr<const EffortLawT<S>> law;
};

/// A robot, checked and ready for the algorithms. Const once built: share it between threads, each with its own Data.
/// Coordinates: floating base first, then links in file order, joint before body.
template <typename S>
class ModelT {
 public:
  /// Checks a robot and makes it ready.
  /// @throws ModelError: link, key, what was found, what was expected.
  explicit ModelT(RobotT<S> robot);

  const RobotT<S>& robot() const { return robot_; }
  const std::string& name() const { return robot_.name; }                ///< of the robot
  int nq() const { return nq_; }                                         ///< size of a configuration
  int nv() const { return nv_; }                                         ///< size of a velocity
  int nu() const { return nu_; }                                         ///< number of actuator inputs
  bool has_elastic_bodies() const { return !topology_.bodies.empty(); }  ///< whether a body deforms

  const std::vector<LinkInfoT<S>>& links() const { return links_; }  ///< in file order
  /// Where in `links` the link is.
  /// @throws ArgumentError with the nearest known name if there is no such link.
  int link_index(const std::string& name) const;
  /// Link of a velocity coordinate ("base" for the floating base).
  const std::string& link_of_velocity(int index) const;

  /// Names and units of the nq numbers of a configuration: LINK.joint.q0 ..
  const std::vector<CoordinateInfo>& configuration_info() const { return configuration_info_; }
  /// Names and units of the nv numbers of a velocity.
  const std::vector<CoordinateInfo>& velocity_info() const { return velocity_info_; }
  /// Names and units of the nu actuator inputs.
  const std::vector<CoordinateInfo>& input_info() const { return input_info_; }

  FrameT<S> base_frame() const { return base_; }  ///< of the robot
  /// Frame between the joint and the body of a link.
  /// @throws ArgumentError, here and below, with the nearest known name if there is none of that name.
  FrameT<S> base_frame(const std::string& link) const;
  /// Frame at the far end of the body of a link. @throws ArgumentError if there is no such link.
  FrameT<S> tip_frame(const std::string& link) const;
  /// Frame of a marker. @throws ArgumentError if there is no such marker.
  FrameT<S> marker_frame(const std::string& marker) const;
  const std::vector<BoundLoadT<S>>& loads() const { return loads_; }  ///< one a load of the robot
  /// Loads that depend on the robot's motion: fluids, drones, those of users (algorithms/state_loads.h).
  const std::vector<std::shared_ptr<const StateLoadT<S>>>& state_loads() const { return state_loads_; }

  /// Contacts, one a contact of the robot.
  const std::vector<std::shared_ptr<const SiteLawT<S>>>& site_laws() const { return site_laws_; }

  const std::vector<BoundLoopT<S>>& loops() const { return loops_; }  ///< one a loop of the robot
  /// Number m of the rows of all loops' constraints Phi(q) = 0 (cuttle/algorithms/constraints.h).
  int constraint_count() const { return static_cast<int>(constraint_info_.size()); }
  const std::vector<CoordinateInfo>& constraint_info() const { return constraint_info_; }  ///< m, LOOP.position.x ..
  const std::vector<CoordinateInfo>& multiplier_info() const { return multiplier_info_; }  ///< m, the same [N, N m]

  VectorXT<S> neutral() const;  ///< configuration of zeros, identity for rotations, size nq

  /// Frames of the places that a sensor of the robot asks for, in its order (Sensor::places).
  const std::vector<FrameT<S>>& sensor_frames(std::size_t sensor) const { return sensor_frames_[sensor]; }

  /// Of the actuators' inputs: one transmission an input of the model; those of elements' inputs are zero. Ask
  /// actuation_matrix(model, data, q) for A(q).
  const TransmissionsT<S>& actuation() const { return actuation_; }
  const std::vector<BoundTendonT<S>>& tendons() const { return actuation_.tendons; }  ///< of actuators

  /// Actuators with laws, then elements, and the transmissions that they act through (cuttle/model/effort_law.h).
  const std::vector<BoundElementT<S>>& elements() const { return elements_; }
  const TransmissionsT<S>& element_transmissions() const { return element_transmissions_; }
  /// States of all elements: NAME.STATE, with their values at the start.
  const std::vector<CoordinateInfo>& element_state_info() const { return element_state_info_; }
  const VectorXT<S>& element_start() const { return element_start_; }
  /// What results record of them: NAME.OUTPUT.
  const std::vector<CoordinateInfo>& element_output_info() const { return element_output_info_; }

  /// The real numbers that describe the robot in a robot file - the one that it is from, or that write_robot would make
  /// of it -, each by its path: `gravity[2]`, `links.arm.body.length`.
  /// @throws ModelError, here and below, if the robot has a part without text (parameter_source).
  /// @code
  /// const Model arm(read_robot_file("arm.yaml"));
  /// const Model on_moon = arm.with("gravity[2]", -1.62);
  /// const Model softer = on_moon.with("materials.silicone.young_modulus", 2e5);  // all links of silicone
  /// @endcode
  std::vector<ParameterInfo> parameters() const requires std::is_same_v<S, double>;
  /// One of them, by its path.
  /// @throws ArgumentError with the nearest known path if there is no such parameter.
  ParameterInfo parameter(const std::string& path) const requires std::is_same_v<S, double>;
  /// A copy with another value, read and checked as if it stood in the file; needs no file.
  /// @throws ArgumentError for an unknown path; ModelError for values that the file could not have either.
  ModelT with(const std::string& path, double value) const requires std::is_same_v<S, double>;
  /// With several at once, for values that are only right together.
  ModelT with(const std::vector<ParameterChange>& changes) const requires std::is_same_v<S, double>;

  /// What is unusual about the robot without being wrong, with paths as of errors.
  const std::vector<Diagnostic>& warnings() const { return warnings_; }
  const TopologyT<S>& topology() const { return topology_; }
  /// What working memory made for this model is known by; copies of the model have the same one.
  const std::shared_ptr<const ModelStamp>& stamp() const { return stamp_; }

 private:
  template <typename>
  friend class ModelBuilderT;
  template <typename>
  friend class ModelGatherT;  // puts models side by side: src/simulation/model_gather.h
  ModelT() = default;
  /// Last step of whoever builds a model: its stamp.
  void make_stamp();
  RobotT<S> robot_;
  TopologyT<S> topology_;
  FrameT<S> base_;
  std::vector<LinkInfoT<S>> links_;
  std::vector<FrameT<S>> markers_;
  std::vector<std::vector<FrameT<S>>> sensor_frames_;  ///< one list a sensor
  std::vector<BoundLoadT<S>> loads_;
  std::vector<std::shared_ptr<const StateLoadT<S>>> state_loads_;
  std::vector<std::shared_ptr<const SiteLawT<S>>> site_laws_;
  std::vector<BoundLoopT<S>> loops_;
  std::vector<CoordinateInfo> configuration_info_, velocity_info_, input_info_, constraint_info_, multiplier_info_;
  TransmissionsT<S> actuation_, element_transmissions_;
  std::vector<BoundElementT<S>> elements_;
  std::vector<CoordinateInfo> element_state_info_, element_output_info_;
  VectorXT<S> element_start_;
  std::vector<Diagnostic> warnings_;
  std::shared_ptr<const ModelStamp> stamp_;
  int nq_ = 0, nv_ = 0, nu_ = 0;
};
using Model = ModelT<double>;

/// Configuration (nq) reached from q by a tangent vector, e.g. v dt. Per joint: addition, or on SO(3)/SE(3) the
/// exponential from the right.
/// @param q  configuration, size nq.   @param dv  tangent vector, size nv.
template <typename S>
CUTTLE_API void integrate(const ModelT<S>& model, VectorInT<S> q, VectorInT<S> dv, VectorOutT<S> result);
/// Tangent vector dv (nv) with integrate(q0, dv) = q1.
/// @param q0, q1  configurations, size nq.
template <typename S>
CUTTLE_API void difference(const ModelT<S>& model, VectorInT<S> q0, VectorInT<S> q1, VectorOutT<S> result);
/// Rate dq/dt = N(q) v (nq) of a configuration.
/// @param q  configuration, size nq.   @param v  velocity, size nv.
template <typename S>
CUTTLE_API void configuration_rate(const ModelT<S>& model, VectorInT<S> q, VectorInT<S> v, VectorOutT<S> result);
/// d theta/dt (nv) of the tangent coordinates theta in q = integrate(q0, theta), when the velocity at q is v. Per
/// joint: v itself, or on SO(3)/SE(3) the inverse of the right tangent map of the exponential times v.
template <typename S>
CUTTLE_API void tangent_rate(const ModelT<S>& model, VectorInT<S> theta, VectorInT<S> v, VectorOutT<S> result);
/// Projects the quaternions of a configuration q (nq) onto unit norm.
template <typename S>
CUTTLE_API void normalize(const ModelT<S>& model, VectorOutT<S> q);
/// For a configuration from outside: size, finite, quaternions within 1e-6 of unit norm; these are then normalized.
/// @throws ArgumentError naming `context` and the coordinate.
template <typename S>
CUTTLE_API void check_configuration(const ModelT<S>& model, VectorOutT<S> q, const std::string& context);

}  // namespace cuttle
