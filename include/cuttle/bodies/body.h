#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <typeinfo>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/bodies/body_surface.h"
#include "cuttle/bodies/tangent.h"
#include "cuttle/diagnostic.h"
#include "cuttle/spatial/inertia.h"
#include "cuttle/spatial/scalars.h"

namespace CUTTLE_API cuttle {

/// Where on a body something is attached: a child, a load, a marker.
template <typename S>
struct PortLocationT {
  enum class Kind {
    base,     ///< frame in which the body's kinematics are given; moves with the joint
    tip,      ///< far end
    section,  ///< cross-section at `s` [m of rest length] of a rod
    point,    ///< material point `point` [m, base frame of the rest shape] of a volume
  };
  Kind kind = Kind::tip;
  S s{};
  Vector3T<S> point;

  bool operator==(const PortLocationT&) const = default;
  static PortLocationT base() { return {Kind::base, S(0.0), {}}; }
  static PortLocationT tip() { return {Kind::tip, S(0.0), {}}; }
  static PortLocationT section(const S& s) { return {Kind::section, s, {}}; }
  static PortLocationT at_point(const Vector3T<S>& x) { return {Kind::point, S(0.0), x}; }

  template <typename T>
  PortLocationT<T> cast() const {
    return {static_cast<typename PortLocationT<T>::Kind>(kind), scalar_cast<T>(s), point.template cast<T>()};
  }
};
using PortLocation = PortLocationT<double>;

/// How far a forward sweep goes: each level includes those before it.
enum class MotionLevel { pose, velocity, acceleration };

/// What a body is given: its own coordinates, and the motion of its base frame in base axes.
template <typename S>
struct BodyStateT {
  const S* q = nullptr;         ///< n_B coordinates [rad or m]
  const S* v = nullptr;         ///< their rates, from level velocity on
  const S* a = nullptr;         ///< their accelerations, at level acceleration
  TwistT<S> base_velocity;      ///< V_0
  TwistT<S> base_acceleration;  ///< A_0, with gravity as (0; -R^T g) when the caller wants gravity
  /// Of this evaluation `backward` alone will be asked: the body need keep nothing for the others.
  bool backward_alone = false;
};

/// What a forward sweep makes at a port; velocity and acceleration include the base's motion.
template <typename S>
struct PortMotionT {
  PoseT<S> base_port;      ///< pose in the body's base frame
  TwistT<S> velocity;      ///< V_k, port axes
  TwistT<S> acceleration;  ///< A_k = X_k A_0 + J_k a + b_k, port axes
};

/// Sizes in scalars of the memory that a body needs; the owner aligns each part to 64 bytes.
struct WorkspaceSize {
  std::size_t persistent = 0;   ///< kept from one call to the next (forward to backward), one per body
  std::size_t scratch = 0;      ///< lost between calls, shared by all bodies of a robot
  std::size_t elimination = 0;  ///< kept from eliminate to back_substitute; empty until forward dynamics is asked for
};
/// Each part aligned to 64 bytes.
template <typename S>
struct WorkspaceT {
  S* persistent = nullptr;
  S* scratch = nullptr;
  S* elimination = nullptr;
};

/// Inertia of a body whose base moves with A_0 and whose coordinates accelerate with a:
/// force = mass a + coupling^T A_0 + .., base wrench = coupling a + base A_0 + ..
template <typename S>
struct InertiaBlocksT {
  S* mass = nullptr;        ///< M_BB, n_B x n_B by rows, both halves
  S* coupling = nullptr;    ///< M_0B, 6 x n_B by rows, angular rows first (M_B0 is its transpose)
  SpatialInertiaT<S> base;  ///< M_00, of the shape as it is, about the base frame
};

/// Articulated inertia I and bias p at a frame: the wrench that must act there for acceleration A is I A + p.
template <typename S>
struct ArticulatedLoadT {
  ArticulatedInertiaT<S> inertia;
  WrenchT<S> bias;
};

/// Where material points are in a body's base frame, and how they move; to be filled. Null: not asked for.
template <typename S>
struct MaterialPointsT {
  Vector3T<S>* position;            ///< f(x, q) [m]
  Vector3T<S>* slopes = nullptr;    ///< df/dq_j of point i at [i n_B + j]
  Matrix3T<S>* F = nullptr;         ///< df/dx
  Matrix3T<S>* F_slopes = nullptr;  ///< dF/dq_j of point i at [i n_B + j]; needs F
  /// WorkspaceSize::scratch scalars of nobody else, aligned to 64 bytes. Null: the body takes memory for the call.
  S* scratch = nullptr;
};

/// Forces of the material.
enum class InternalForces { elastic, damping, both };

/// Name and unit of a number of a state, or of an input.
struct CoordinateInfo {
  std::string name;  ///< within the body or joint, as `kappa_x.0`; of a Model as `arm.body.kappa_x.0`
  std::string unit;  ///< rad, m; rad/s, m/s of a velocity; N, N m, Pa of an input
  /// What it is, for people, as `curvature about x, times length`; empty: nothing beyond the name.
  std::string meaning = {};
};

template <typename S>
class SlenderT;  // slender.h
template <typename S>
struct ChamberPlaceT;  // chamber_surface.h
template <typename S>
struct ChamberSurfaceT;
class BodyPacking;  // src/bodies/body_packing.h

/// A body: any module whose shape is a function of finitely many coordinates ([P]'s "kinematics is an input").
///
/// One object describes a body and its ports; it is const once its Model is built and holds no state: everything that
/// an evaluation produces lies in the workspace, so threads share it. Frames: all terms are in the body's base frame,
/// port motions and wrenches in the port's own axes. Calls of one evaluation, in this order:
///   forward(level) -> ports;  then any of inertia_blocks, mass_moment, from level velocity on kinetic_energy,
///   at level acceleration backward and eliminate,
/// until the next forward on the same workspace. Each is exact for the discretized body: velocities and accelerations
/// are the exact time derivatives of the pose that `forward` returns.
template <typename S>
class BodyT {
 public:
  virtual ~BodyT() = default;

  virtual std::string type_name() const = 0;  ///< as in the file: "rod", "rigid"
  virtual int coordinate_count() const = 0;   ///< n_B
  /// What is unusual about the parameters without being wrong; paths begin at the body's own keys.
  virtual std::vector<Diagnostic> warnings() const { return {}; }
  /// False if the inertial force does not follow from the kinetic energy, so that power in is not its change: then the
  /// integrators do not take an energy error for one of theirs. Such a body has a warning too.
  virtual bool balances_power() const { return true; }
  virtual std::vector<CoordinateInfo> coordinates() const = 0;
  /// Inertia at q = 0 in the base frame.
  virtual SpatialInertiaT<S> rest_inertia() const = 0;

  /// Asks for one more port, while the Model is built; port 0 is always the tip. `base` is no port.
  /// @return its index.  @throws ModelError if the body has no such place: what was found and expected, at the path s
  /// or point if one of these is wrong. Who asks puts its own place in front.
  virtual int add_port(const PortLocationT<S>& location) = 0;
  /// Asks for several, as add_port does one after the other. For bodies that make their tables anew for each.
  /// @return their indices.
  virtual std::vector<int> add_ports(const std::vector<PortLocationT<S>>& locations) {
    std::vector<int> indices;
    indices.reserve(locations.size());
    for (const PortLocationT<S>& location : locations) indices.push_back(add_port(location));
    return indices;
  }
  virtual int port_count() const = 0;
  /// Points along a rod at which its integrals are taken: rest length s and weight, both in m. Distributed loads act
  /// there. Empty for bodies that are no line.
  struct Station {
    S s, weight;
  };
  virtual std::vector<Station> stations() const { return {}; }

  virtual std::unique_ptr<BodyT> clone() const = 0;
  /// The same body for another scalar of the library's list. Default: the body's own scalar is a clone, any other
  /// throws. @throws ModelError if the body does not exist for that scalar.
  virtual std::unique_ptr<BodyT<double>> clone_as(ScalarTag<double>) const;
  virtual std::unique_ptr<BodyT<long double>> clone_as(ScalarTag<long double>) const;
  virtual std::unique_ptr<BodyT<ForwardDual>> clone_as(ScalarTag<ForwardDual>) const;

  virtual WorkspaceSize workspace_size() const = 0;

  /// Outward sweep: fills `ports[0 .. port_count)` up to the level.
  /// @throws ConfigurationError where the kinematics are not defined.
  virtual void forward(MotionLevel level, const BodyStateT<S>& state, const WorkspaceT<S>& workspace,
                       PortMotionT<S>* ports) const = 0;

  /// Poses of the ports alone, where nothing else will be asked of the workspace: forward at level pose may do more.
  /// @throws ConfigurationError where the kinematics are not defined at the ports.
  virtual void place_ports(const S* q, const WorkspaceT<S>& workspace, PortMotionT<S>* ports) const {
    forward(MotionLevel::pose, {q, nullptr, nullptr, {}, {}}, workspace, ports);
  }

  /// Inward sweep after forward(acceleration), [P] Alg. 1 within one body. `port_wrenches[k]` is what the body must
  /// give to whatever hangs at port k (port axes).
  /// @param base_wrench  wrench that must act on the body at its base, base axes.
  /// @param force        n_B, generalized force M_BB a + M_B0 A_0 + h_B + sum J_k^T w_k; overwritten. No elasticity.
  virtual void backward(const BodyStateT<S>& state, const WrenchT<S>* port_wrenches, const WorkspaceT<S>& workspace,
                        WrenchT<S>& base_wrench, S* force) const = 0;

  /// Inertia of the current shape, after forward of any level; one sweep, O(points n_B^2).
  /// Also makes the port Jacobians.
  virtual void inertia_blocks(const BodyStateT<S>& state, const WorkspaceT<S>& workspace,
                              InertiaBlocksT<S>& blocks) const = 0;
  /// J_k, 6 x n_B by rows, angular first, port axes; after inertia_blocks, valid until that of another port is asked.
  virtual const S* port_jacobian(const WorkspaceT<S>& workspace, int port) const = 0;

  /// Forward dynamics, inward: the body seen from its base when its coordinates are free, after
  /// forward(acceleration) with a = 0 and A_0 = 0 (so that ports hold their bias accelerations b_k).
  /// @param applied  n_B, generalized force tau_B - s_B on the coordinates.
  /// @param ports    articulated inertia and bias of what hangs at each port; null where nothing does.
  /// @return true (in each lane) if M_BB with its children is positive definite.
  /// Default: from the dense blocks, by a Cholesky factor of M_BB and its children. Uses workspace.elimination.
  virtual MaskT<S> eliminate(const BodyStateT<S>& state, const S* applied, const ArticulatedLoadT<S>* const* ports,
                             const PortMotionT<S>* motions, const WorkspaceT<S>& workspace,
                             ArticulatedLoadT<S>& base) const;
  /// Forward dynamics, outward: a_B for the base acceleration A_0; adds X_k A_0 + J_k a_B to the ports' b_k.
  virtual void back_substitute(const TwistT<S>& base_acceleration, const WorkspaceT<S>& workspace, S* a,
                               PortMotionT<S>* ports) const;

  /// Elastic force d(elastic energy)/dq, added to `force` (n_B).
  virtual void add_elastic_force(const S* q, S* force) const = 0;
  /// Damping force, added to `force`; `v . force` >= 0. Where the body has a dissipation, its gradient in v.
  virtual void add_damping_force(const S* q, const S* v, S* force) const = 0;
  /// Whether `dissipation` can be called: the body knows its damping by a potential too, as rods, volumes and lumped
  /// bodies of the library do.
  virtual bool has_dissipation() const { return false; }
  /// Rayleigh's dissipation function R(q, v) [W], whose gradient in v is the damping force. The contract suite holds
  /// force and matrix against it, so it comes from what the body is made of - viscosity, shape, rates of strain - and
  /// never from these two. May allocate. The power v . force is 2 R where the force is linear in v.
  /// @throws ModelError if the body has none.
  virtual S dissipation(const S* q, const S* v) const;
  /// The same, one or both together, added to `force`: for bodies that share work between them or need memory.
  /// @param v        rates; only for damping.
  /// @param scratch  WorkspaceSize::scratch scalars of nobody else, aligned to 64 bytes.
  virtual void add_internal_force(InternalForces which, const S* q, const S* v, S* force, S* /*scratch*/) const {
    if (which != InternalForces::damping) add_elastic_force(q, force);
    if (which != InternalForces::elastic) add_damping_force(q, v, force);
  }
  /// d(elastic force)/dq and d(damping force)/dv, n_B x n_B by rows; overwritten.
  virtual void stiffness_matrix(const S* q, S* stiffness) const = 0;
  virtual void damping_matrix(const S* q, const S* v, S* damping) const = 0;
  virtual S elastic_energy(const S* q) const = 0;  ///< [J], 0 in the stress-free state
  /// The same with `scratch` as of add_internal_force, for bodies that need memory.
  virtual S stored_energy(const S* q, S* /*scratch*/) const { return elastic_energy(q); }

  /// Derivatives that the body computes itself. Null: whoever wants them differentiates the calls above automatically,
  /// inside the body only.
  virtual const BodyTangentT<S>* tangent() const { return nullptr; }
  /// Whether the damping force at fixed v depends on q.
  virtual bool damping_depends_on_shape() const { return true; }

  /// Whether material_points can be called: the body has a place for every point of its rest shape.
  virtual bool has_material_points() const { return false; }
  /// Fills `points` of the rest positions x[i] [m, base frame], i < count. Allocates nothing where `points` has memory.
  /// @throws ModelError if the body has none; ConfigurationError as forward.
  virtual void material_points(const S* q, const Vector3T<S>* x, std::size_t count,
                               const MaterialPointsT<S>& points) const;

  // What others ask while a robot is put together, drawn or described, never in a sweep. A body answers what it can:
  // the defaults say that it has none of it. Positions are of the rest shape, in the base frame [m].

  /// The body as a line with cross-sections, if it is one: for tendons, chambers, fluids and drawings along it.
  virtual const SlenderT<S>* slender() const { return nullptr; }
  /// The surface by which the body is drawn and held; material_points carries its points. Empty: not known.
  virtual BodySurface surface() const { return {}; }
  /// Whether energy_density can be called.
  virtual bool has_energy_density() const { return false; }
  /// Strain energy per volume of the rest shape [J/m^3] at the rest positions x[i], i < count. Its integral over the
  /// body is elastic_energy. Where nobody knows how the energy is spread, its mean.
  virtual void energy_density(const S* q, const Vector3T<S>* x, std::size_t count, S* density) const;
  /// The surface of a cavity on which a chamber presses; material_points carries it.
  /// @throws ModelError: key, what was found, what was expected, if there is no such cavity.
  virtual ChamberSurfaceT<S> chamber(const ChamberPlaceT<S>& which) const;
  /// Points of the area that a child at the tip takes for rigid, [P] Assumption 2; a Model warns of coordinates that
  /// change the distances between them. Empty: the tip is a rigid frame.
  virtual std::vector<Vector3T<S>> tip_area() const { return {}; }
  /// Whether every part of the body keeps its volume by the kinematics, det(df/dx) = 1.
  virtual bool keeps_volume() const { return false; }
  /// A body with the same coordinates and shape that is drawn in its place. Null: this one.
  virtual std::shared_ptr<const BodyT<double>> drawn_as() const { return nullptr; }
  /// Something that the body is made of, by its type: a TetrahedralMesh, a Quadrature, what came from a file or took
  /// long to compute. So a reader that makes the body again with other numbers finds it, and `cuttle info` describes
  /// it. Null: the body has no such thing.
  template <typename T>
  std::shared_ptr<const T> part() const {
    return std::static_pointer_cast<const T>(find_part(typeid(T)));
  }
  /// How bodies of this kind lie side by side in a pack of robots. Null: they are computed one at a time.
  virtual const BodyPacking* packing() const { return nullptr; }

  /// Kinetic energy [J], after forward(velocity).
  virtual S kinetic_energy(const BodyStateT<S>& state, const WorkspaceT<S>& workspace) const = 0;
  /// Sum of m p in the base frame [kg m], after forward of any level; for the potential of gravity.
  virtual Vector3T<S> mass_moment(const WorkspaceT<S>& workspace) const = 0;

  /// Scalars of `workspace.elimination` that the default eliminate needs for a body with so many ports.
  static std::size_t dense_elimination_size(int coordinates, int ports);

 protected:
  /// For `part`: a part of exactly this type, or null.
  virtual std::shared_ptr<const void> find_part(const std::type_info& /*type*/) const { return nullptr; }
};
using Body = BodyT<double>;

/// Rounds a count of scalars up so that what follows stays aligned for every vector width.
constexpr std::size_t padded(std::size_t count) { return (count + 7) / 8 * 8; }

}  // namespace cuttle
