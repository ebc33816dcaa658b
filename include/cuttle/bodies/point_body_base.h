#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/bodies/body.h"
#include "cuttle/bodies/quadrature.h"

namespace cuttle {

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

  template <typename T>
  PointParametersT<T> cast() const {
    return {quadrature.template cast<T>(), scalar_cast<T>(density),  tip_origin.template cast<T>(),
            tip_a.template cast<T>(),      tip_b.template cast<T>(), allow_folding};
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
          {zero, radius, length}};
}

/// Body whose material points move by p = f(x, q), [P] (2), each with the mass density x weight: every sum over the
/// points and every port. What f and its derivatives are, a derived class says in `move` and `move_axes`; how it comes
/// by them - PointBodyT by differentiation or from the user's hand, FunctionBody by differences - is its own affair.
///
/// A port at a material point has the axes n1 along F e1, n3 along n1 x F e2, F = df/dx.
/// Cost O(points n_B) for forward and backward, O(points n_B^2) for inertia_blocks, besides the kinematics.
template <typename S>
class PointBodyBaseT : public BodyT<S> {
 public:
  /// Coordinates for which motions are asked.
  struct Request {
    MotionLevel level;
    const S* q;
    const S* v;  ///< only at level acceleration
  };
  /// Motion of one point, or of a direction fixed in the material: to be filled.
  struct Motion {
    Vector3T<S>& value;      ///< f(x, q)
    Vector3T<S>* slopes;     ///< df/dq_j, n_B
    Vector3T<S>& curvature;  ///< sum_jk d2f/(dq_j dq_k) v_j v_k; only at level acceleration
  };
  /// Motions one behind the other.
  class Motions {
   public:
    Motions(S* memory, int coordinates) : memory_(memory), stride_(coordinates + 3) {}
    Motion operator[](std::size_t i) const {
      Vector3T<S>* at = vectors(i);
      return {at[0], at + 1, at[stride_ - 2]};
    }
    Vector3T<S>& second(std::size_t i) const { return vectors(i)[stride_ - 2]; }  ///< d2f/dt2 once it is complete
    Vector3T<S>& rate(std::size_t i) const { return vectors(i)[stride_ - 1]; }    ///< df/dt
    static std::size_t size(std::size_t count, int coordinates) { return 3 * count * (coordinates + 3); }

   private:
    Vector3T<S>* vectors(std::size_t i) const { return reinterpret_cast<Vector3T<S>*>(memory_) + i * stride_; }
    S* memory_;
    std::size_t stride_;
  };

  const PointParametersT<S>& parameters() const { return parameters_; }

  int coordinate_count() const final { return static_cast<int>(coordinates_.size()); }
  std::vector<CoordinateInfo> coordinates() const final { return coordinates_; }
  SpatialInertiaT<S> rest_inertia() const final;
  int add_port(const PortLocationT<S>& location) final;
  int port_count() const final { return static_cast<int>(ports_.size()); }
  WorkspaceSize workspace_size() const final;

  /// @throws ConfigurationError, for the scalars double and long double: a position or a derivative that is not finite,
  /// or det F <= 0, with the point and the coordinates.
  void forward(MotionLevel level, const BodyStateT<S>& state, const WorkspaceT<S>& workspace,
               PortMotionT<S>* ports) const final;
  void backward(const BodyStateT<S>& state, const WrenchT<S>* port_wrenches, const WorkspaceT<S>& workspace,
                WrenchT<S>& base_wrench, S* force) const final;
  void inertia_blocks(const BodyStateT<S>& state, const WorkspaceT<S>& workspace,
                      InertiaBlocksT<S>& blocks) const final;
  const S* port_jacobian(const WorkspaceT<S>& workspace, int port) const final;
  S kinetic_energy(const BodyStateT<S>& state, const WorkspaceT<S>& workspace) const final;
  Vector3T<S> mass_moment(const WorkspaceT<S>& workspace) const final;

 protected:
  /// @throws ModelError: key, what was found, what was expected.
  PointBodyBaseT(const PointParametersT<S>& parameters, std::vector<CoordinateInfo> coordinates);
  PointBodyBaseT(const PointBodyBaseT&) = default;

  /// Fills motions[i] of the rest positions x[i], i < count.
  virtual void move(const Request& request, const Vector3T<S>* x, std::size_t count, const Motions& motions) const = 0;
  /// Fills motions[0] of f, motions[1] of F e1 and motions[2] of F e2 at x.
  virtual void move_axes(const Request& request, const Vector3T<S>& x, const Motions& motions) const = 0;
  /// det F at the rest positions x[i].
  virtual void determinants(const S* q, const Vector3T<S>* x, std::size_t count, S* values) const = 0;
  /// Called by the thread that makes a Data: memory that this thread will need beside the workspace.
  virtual void prepare_thread() const {}
  /// Whether move_axes and determinants can be called.
  virtual bool knows_axes() const { return true; }
  virtual bool knows_folding() const { return true; }

  /// Ports besides the tip, for another scalar of the same body.
  template <typename T>
  void add_ports_to(PointBodyBaseT<T>& other) const {
    for (std::size_t k = 1; k < ports_.size(); ++k) other.add_port(ports_[k].template cast<T>());
  }
  /// Throws ConfigurationError about point i of the quadrature.
  [[noreturn]] void refuse(std::size_t i, const S* q, const std::string& found) const;
  /// Throws if the determinant at point i of the quadrature is not > 0, for scalars that have no lanes or derivatives.
  void check_determinant(std::size_t i, const S* q, const S& determinant) const;

 private:
  struct Port;
  std::size_t size() const { return parameters_.quadrature.points.size(); }
  S mass(std::size_t i) const { return parameters_.density * parameters_.quadrature.weights[i]; }
  SpatialInertiaT<S> point_inertia(std::size_t i, const Vector3T<S>& p) const {
    return SpatialInertiaT<S>::from_com(mass(i), p, {});
  }
  Motions points(const WorkspaceT<S>& workspace) const { return {workspace.persistent, coordinate_count()}; }
  Port kept_port(const WorkspaceT<S>& workspace, std::size_t k) const;
  void complete(const BodyStateT<S>& state, MotionLevel level, std::size_t count, const Motions& motions) const;
  void check(const S* q, MotionLevel level, const Motions& motions, S* determinants) const;
  void move_port(MotionLevel level, const BodyStateT<S>& state, const WorkspaceT<S>& workspace, std::size_t k,
                 PortMotionT<S>& motion) const;

  PointParametersT<S> parameters_;
  std::vector<CoordinateInfo> coordinates_;
  std::vector<PortLocationT<S>> ports_;
};

}  // namespace cuttle
