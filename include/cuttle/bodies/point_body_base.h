#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/bodies/point_block.h"
#include "cuttle/bodies/quadrature.h"

namespace CUTTLE_API cuttle {

/// Shape at rest of a point body, for whoever asks where its surface is: chambers, the contact area at the tip,
/// drawings.
template <typename S>
struct PointShapeT {
  enum class Kind {
    unknown,   ///< the body is what its points are
    cylinder,  ///< about z
    box,       ///< along z, centered in x and y
  };
  Kind kind = Kind::unknown;
  S length{};              ///< L: z from 0 to L [m]
  S half_x{}, half_y{};    ///< half its width along x and y: the radius of a cylinder [m]
  S inner_radius{};        ///< of a cylinder's bore [m]; 0: none
  int nz = 10, nphi = 16;  ///< points that an integral over the bore takes along z and around it

  template <typename T>
  PointShapeT<T> cast() const {
    return {static_cast<typename PointShapeT<T>::Kind>(kind),
            scalar_cast<T>(length),
            scalar_cast<T>(half_x),
            scalar_cast<T>(half_y),
            scalar_cast<T>(inner_radius),
            nz,
            nphi};
  }
};
using PointShape = PointShapeT<double>;
/// Of a cylinder, with its bore, or a box; empty if the shape is not known.
BodySurface shape_surface(const PointShape& shape);

struct PointReduction;

/// Everything about a point body that its kinematics do not say.
template <typename S>
struct PointParametersT {
  QuadratureT<S> quadrature;
  S density{};  ///< [kg/m^3]
  /// Material points o, a, b of the tip frame, [P] (3)-(6), rest positions [m]: n1 along f(a) - f(o),
  /// n3 along n1 x (f(b) - f(o)).
  Vector3T<S> tip_origin{}, tip_a{}, tip_b{};
  /// False: det(df/dx) <= 0 at a point of the quadrature is a ConfigurationError. True: nobody looks.
  bool allow_folding = false;
  PointShapeT<S> shape{};
  std::shared_ptr<const BodySurface> surface{};  ///< by which the body is drawn and held; null: that of `shape`
  /// How `quadrature` was chosen from more points (bodies/point_reduction.h); null: it was not.
  std::shared_ptr<const PointReduction> reduction{};

  template <typename T>
  PointParametersT<T> cast() const {
    return {quadrature.template cast<T>(),
            scalar_cast<T>(density),
            tip_origin.template cast<T>(),
            tip_a.template cast<T>(),
            tip_b.template cast<T>(),
            allow_folding,
            shape.template cast<T>(),
            surface,
            reduction};
  }
};
using PointParameters = PointParametersT<double>;

/// Cylinder about z from 0 to `length`, tip frame from (0, 0, L), (R, 0, L), (0, R, L).
template <typename S>
PointParametersT<S> point_cylinder(const S& length, const S& radius, const S& density, int nz, int nr, int nphi) {
  const S zero(0.0);
  return {cylinder_quadrature(length, radius, zero, nz, nr, nphi),
          density,
          {zero, zero, length},
          {radius, zero, length},
          {zero, radius, length},
          false,
          {PointShapeT<S>::Kind::cylinder, length, radius, radius, zero, nz, nphi},
          nullptr};
}

template <typename S>
struct PointTable;
template <typename S>
class LinearInertiaT;
template <typename S>
struct SecondSlopesT;
class GradientUse;

/// Body whose material points move by p = f(x, q), [P] (2), each with the mass density x weight: every sum over the
/// points and every port. What f and its derivatives are, a derived class says in `move` and `gradients_at`; how it
/// comes by them - volume kinematics by formulas, PointBodyT by differentiation or from the user's hand, FunctionBody
/// by differences - is its own affair. Points are computed in blocks (point_block.h), side by side in vector registers.
///
/// A port at a material point has the axes n1 along F e1, n3 along n1 x F e2, F = df/dx.
/// Cost O(points n_B) for forward and backward, O(points n_B^2) for inertia_blocks, besides the kinematics; O(n_B^2)
/// for each, whatever the number of points, if the body has called `precompute`.
template <typename S>
class PointBodyBaseT : public BodyT<S>, private BodyTangentT<S> {
 public:
  using Request = PointRequestT<S>;
  using Motions = PointMotionsT<S>;
  /// Motion of a direction fixed in the material.
  struct Direction {
    Vector3T<S> value;      ///< F e
    Vector3T<S> curvature;  ///< sum_jk d2(F e)/(dq_j dq_k) v_j v_k; only at level acceleration
    Vector3T<S>* slopes;    ///< d(F e)/dq_j, n_B
  };

  const PointParametersT<S>& parameters() const { return parameters_; }

  int coordinate_count() const final { return static_cast<int>(coordinates_.size()); }
  std::vector<CoordinateInfo> coordinates() const final { return coordinates_; }
  SpatialInertiaT<S> rest_inertia() const final;
  BodySurface surface() const override;
  /// Of a cylinder: inner, its bore, and pockets.
  ChamberSurfaceT<S> chamber(const ChamberPlaceT<S>& which) const override;
  /// The three points of the tip frame and, where these lie on the far end of a known shape, its rim. What lies in a
  /// bore does not count. Empty without material points.
  std::vector<Vector3T<S>> tip_area() const final;
  int add_port(const PortLocationT<S>& location) final;
  int port_count() const final { return static_cast<int>(ports_.size()); }
  WorkspaceSize workspace_size() const final;

  /// @throws ConfigurationError, for the scalars double and long double: a position or a derivative that is not finite,
  /// or det F <= 0, with the point and the coordinates.
  void forward(MotionLevel level, const BodyStateT<S>& state, const WorkspaceT<S>& workspace,
               PortMotionT<S>* ports) const final;
  void backward(const BodyStateT<S>& state, const WrenchT<S>* port_wrenches, const WorkspaceT<S>& workspace,
                WrenchT<S>& base_wrench, S* force) const final;
  /// Computes the ports' points alone; det F is not looked at.
  void place_ports(const S* q, const WorkspaceT<S>& workspace, PortMotionT<S>* ports) const final;
  /// For double, where the body knows second derivatives of f, or `precompute` was called.
  const BodyTangentT<S>* tangent() const final;
  void inertia_blocks(const BodyStateT<S>& state, const WorkspaceT<S>& workspace,
                      InertiaBlocksT<S>& blocks) const final;
  const S* port_jacobian(const WorkspaceT<S>& workspace, int port) const final;
  S kinetic_energy(const BodyStateT<S>& state, const WorkspaceT<S>& workspace) const final;
  Vector3T<S> mass_moment(const WorkspaceT<S>& workspace) const final;

 protected:
  /// @throws ModelError: key, what was found, what was expected.
  PointBodyBaseT(const PointParametersT<S>& parameters, std::vector<CoordinateInfo> coordinates);
  PointBodyBaseT(const PointBodyBaseT&) = default;

  /// Fills the motions of the rest positions x, in blocks. `scratch`: move_scratch_size() bytes, aligned to 64.
  virtual void move(const Request& request, const S* x, std::size_t blocks, const Motions& motions,
                    void* scratch) const = 0;
  virtual std::size_t move_scratch_size() const = 0;
  /// Fills F e1 and F e2 at x. `scratch`: as of move.
  virtual void move_axes(const Request& request, const Vector3T<S>& x, Direction (&axes)[2], void* scratch) const = 0;
  /// First block of the quadrature in which det F > 0 does not hold somewhere; `blocks` if there is none. `scratch`:
  /// as of move.
  virtual std::size_t first_folded(const S* q, void* scratch) const = 0;
  /// det F at the rest position x; for errors, so it may allocate.
  virtual S determinant_at(const S* q, const Vector3T<S>& x) const = 0;
  /// Whether move_axes, and whether first_folded and determinant_at can be called.
  virtual bool knows_axes() const { return true; }
  virtual bool knows_folding() const { return true; }

  /// Whether second_slopes can be called. Its results are as those of VolumeKinematicsT, scratch second_scratch_size()
  /// bytes.
  virtual bool knows_second_slopes() const { return false; }
  virtual std::size_t second_scratch_size() const { return 0; }
  virtual void second_slopes(const S* /*q*/, const S* /*v*/, const S* /*a*/, const S* /*x*/, std::size_t /*blocks*/,
                             const SecondSlopesT<S>& /*results*/, const GradientUse& /*use*/, void* /*scratch*/) const {
  }
  /// As of BodyTangentT; `scratch` has internal_scratch_size() bytes, aligned to 64.
  virtual bool knows_internal_derivatives() const { return false; }
  virtual std::size_t internal_scratch_size() const { return 0; }
  virtual void fill_internal_derivatives(const S* /*q*/, const S* /*v*/, void* /*scratch*/, S* /*by_q*/,
                                         S* /*by_v*/) const {}

  /// For f = x + sum_k phi_k(x) q_k: makes the constants from which all sums over the points and all ports follow, by
  /// `move` at q = 0. For the constructor of a derived class.
  void precompute();

  /// elastic_energy over the volume [J/m^3]: an energy density where nobody knows how the energy is spread.
  S mean_energy_density(const S* q) const;
  /// The quadrature, and how it was chosen.
  std::shared_ptr<const void> find_part(const std::type_info& type) const override;

  /// Ports besides the tip, for another scalar of the same body.
  template <typename T>
  void add_ports_to(PointBodyBaseT<T>& other) const {
    for (std::size_t k = 1; k < ports_.size(); ++k) other.add_port(ports_[k].template cast<T>());
  }
  /// The points of the quadrature in blocks; a lane that is left over repeats the last point, with no volume.
  const PointTable<S>& table() const { return *table_; }
  std::size_t blocks() const { return (parameters_.quadrature.points.size() - 1) / k_point_lanes<S> + 1; }
  const S* block_points(std::size_t block) const;   ///< rest positions, a vector of the block
  const S* block_volumes(std::size_t block) const;  ///< [m^3] of each lane
  /// Throws ConfigurationError about the points of a block of the quadrature, for scalars without lanes or derivatives:
  /// those whose det F is not > 0.
  void refuse_folded(std::size_t block, const S* q) const;

 private:
  struct Port;
  struct PortVectors;
  struct Kept;
  struct Blocks;
  [[noreturn]] void refuse(std::size_t i, const S* q, const std::string& found) const;
  Kept kept(const WorkspaceT<S>& workspace) const;
  void check(const S* q, MotionLevel level, const Kept& kept, void* scratch) const;
  void check_motions(const S* q, MotionLevel level, const Motions& motions) const;
  std::size_t shape_size() const;
  struct TangentMemory;
  struct PortSeconds;
  TangentMemory tangent_parts(S* memory) const;
  PortSeconds carry_port_seconds(const BodyStateT<S>& state, std::size_t k, const TangentMemory& memory) const;
  void turn_port(const BodyStateT<S>& state, std::size_t k, const TangentMemory& memory,
                 const PortTangentT<S>& port) const;
  void add_port(std::size_t k, const CompositeT<S>& load, const WorkspaceT<S>& workspace, const TangentMemory& memory,
                BodyDerivativesT<S>& result) const;
  void sum_points(const BodyStateT<S>& state, const WorkspaceT<S>& workspace, const TangentMemory& memory,
                  BodyDerivativesT<S>& result) const;
  std::size_t tangent_memory_size() const final;
  void tangent_outward(const BodyStateT<S>& state, const WorkspaceT<S>& workspace, S* memory,
                       const PortTangentT<S>* ports) const final;
  void tangent_inward(const BodyStateT<S>& state, const CompositeT<S>* ports, const WorkspaceT<S>& workspace, S* memory,
                      BodyDerivativesT<S>& result) const final;
  bool has_internal_derivatives() const final { return knows_internal_derivatives(); }
  void internal_derivatives(const S* q, const S* v, S* memory, S* by_q, S* by_v) const final;
  std::size_t port_scratch_size() const;
  std::size_t scratch_size() const;
  PortVectors carry_port(const Request& request, std::size_t k, S* scratch) const;
  PortVectors carry_linear_port(const S* q, std::size_t k) const;
  void tabulate_port(std::size_t k);
  void move_port(MotionLevel level, const BodyStateT<S>& state, const WorkspaceT<S>& workspace, std::size_t k,
                 PortMotionT<S>& motion) const;

  PointParametersT<S> parameters_;
  std::vector<CoordinateInfo> coordinates_;
  std::vector<PortLocationT<S>> ports_;
  std::shared_ptr<const Blocks> blocks_;  // shared by copies
  const PointTable<S>* table_;            // in it

  std::shared_ptr<const LinearInertiaT<S>> linear_;     // null: sums over the points
  std::vector<std::vector<Vector3T<S>>> port_vectors_;  // then of each port: o, a and b at q = 0, their slopes
};

}  // namespace cuttle
