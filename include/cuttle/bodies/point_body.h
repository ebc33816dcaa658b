#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/bodies/body.h"
#include "cuttle/bodies/quadrature.h"
#include "cuttle/error.h"

namespace cuttle {

/// Everything about a point body that its kinematics K do not say.
template <typename S>
struct PointParametersT {
  QuadratureT<S> quadrature;
  S density{};  ///< [kg/m^3]
  /// Material points o, a, b of the tip frame, [P] (3)-(6), rest positions [m]: n1 along f(a) - f(o),
  /// n3 along n1 x (f(b) - f(o)).
  Vector3T<S> tip_origin{}, tip_a{}, tip_b{};

  template <typename T>
  PointParametersT<T> cast() const {
    return {quadrature.template cast<T>(), scalar_cast<T>(density), tip_origin.template cast<T>(),
            tip_a.template cast<T>(), tip_b.template cast<T>()};
  }
};
using PointParameters = PointParametersT<double>;

/// Cylinder about z from 0 to `length`, tip frame from (0, 0, L), (R, 0, L), (0, R, L).
template <typename S>
PointParametersT<S> point_cylinder(const S& length, const S& radius, const S& density, int nz, int nr, int nphi) {
  const S zero(0.0);
  return {cylinder_quadrature(length, radius, zero, nz, nr, nphi), density, {zero, zero, length},
          {radius, zero, length}, {zero, radius, length}};
}

/// Body whose material points move by p = f(x, q), [P] (2): a user's class K and nothing else. K has
/// @code
/// struct K {
///   static constexpr int coordinate_count = 1;                            // n_B
///   template <typename T> Vector3T<T> position(const Vector3T<T>& x, const T* q) const;  // x: rest position [m]
///   // at most one of these two; none: no elasticity
///   template <typename T> T elastic_energy(const T* q) const;             // [J], 0 in the stress-free state
///   template <typename T> T energy_density(const Matrix3T<T>& F) const;   // [J/m^3] of F = df/dx
///   // may be missing
///   template <typename T> T dissipation(const T* q, const T* v) const;    // damping force = its gradient in v [W]
///   std::vector<CoordinateInfo> coordinates() const;                      // default: q0, q1, .. in rad
/// };
/// @endcode
/// with ordinary code on the scalar T (no branch on a comparison: `select`). All else follows by differentiation of the
/// sums over the points, so it is exact for the discretized body. Cost O(points n_B) for forward and backward,
/// O(points n_B^2) for inertia_blocks.
///
/// A port at a material point has the axes n1 along F e1, n3 along n1 x F e2.
template <typename S, typename K>
class PointBodyT final : public BodyT<S> {
 public:
  static constexpr int n = K::coordinate_count;
  static_assert(n >= 1, "a body without coordinates is a RigidBody");

  /// @throws ModelError: key, what was found, what was expected.
  explicit PointBodyT(const PointParametersT<S>& parameters, const K& kinematics = {})
      : parameters_(parameters), kinematics_(kinematics), ports_{PortLocationT<S>::tip()} {
    check();
  }

  const PointParametersT<S>& parameters() const { return parameters_; }
  const K& kinematics() const { return kinematics_; }

  std::string type_name() const override { return "point_body"; }
  int coordinate_count() const override { return n; }
  std::vector<CoordinateInfo> coordinates() const override {
    if constexpr (requires { kinematics_.coordinates(); }) {
      return kinematics_.coordinates();
    } else {
      std::vector<CoordinateInfo> info;
      for (int i = 0; i < n; ++i) info.push_back({"q" + std::to_string(i), "rad"});
      return info;
    }
  }
  SpatialInertiaT<S> rest_inertia() const override {
    const std::array<S, n> zero{};
    SpatialInertiaT<S> sum;
    for (std::size_t i = 0; i < size(); ++i) sum += point_inertia(i, kinematics_.template position<S>(rest(i), zero.data()));
    return sum;
  }

  int add_port(const PortLocationT<S>& location) override {
    using Kind = typename PortLocationT<S>::Kind;
    if (location.kind == Kind::tip) return 0;
    if (location.kind == Kind::base) {
      throw ModelError("at: found base, which is a body's own frame and not one of its ports");
    }
    if (location.kind == Kind::section) {
      throw ModelError("at: found {s: " + std::to_string(scalar_cast<double>(location.s)) +
                       "}, expected base, tip or {point: [x, y, z]}: a point body has no cross-sections");
    }
    ports_.push_back(location);
    return static_cast<int>(ports_.size()) - 1;
  }
  int port_count() const override { return static_cast<int>(ports_.size()); }

  std::unique_ptr<BodyT<S>> clone() const override { return std::make_unique<PointBodyT>(*this); }
  std::unique_ptr<BodyT<double>> clone_as(ScalarTag<double>) const override { return cast<double>(); }
  std::unique_ptr<BodyT<long double>> clone_as(ScalarTag<long double>) const override { return cast<long double>(); }
  std::unique_ptr<BodyT<Gradient>> clone_as(ScalarTag<Gradient>) const override { return cast<Gradient>(); }

  WorkspaceSize workspace_size() const override {
    return {size() * k_point + ports_.size() * k_port, 0, BodyT<S>::dense_elimination_size(n, port_count())};
  }

  void forward(MotionLevel level, const BodyStateT<S>& state, const WorkspaceT<S>& workspace,
               PortMotionT<S>* ports) const override {
    // one pass in the n directions of q, one in the direction of time, twice
    std::array<Sloped, n> q;
    for (int j = 0; j < n; ++j) q[j] = Sloped::variable(state.q[j], j);
    std::array<InTime, n> path{};
    if (level == MotionLevel::acceleration) {
      for (int j = 0; j < n; ++j) path[j] = along_path(state.q[j], state.v[j], state.a[j]);
    }
    for (std::size_t i = 0; i < size(); ++i) {
      const Point point(workspace, i);
      const Vector3T<Sloped> p = kinematics_.template position<Sloped>(widen<Sloped>(rest(i)), q.data());
      point.store(0, {p.x.value, p.y.value, p.z.value});
      for (int j = 0; j < n; ++j) {
        point.store(k_slopes + j, {p.x.derivative[j], p.y.derivative[j], p.z.derivative[j]});
      }
      if (level >= MotionLevel::velocity) {
        Vector3T<S> rate{S(0.0), S(0.0), S(0.0)};
        for (int j = 0; j < n; ++j) rate += state.v[j] * point.load(k_slopes + j);
        point.store(k_rate, rate);
      }
      if (level == MotionLevel::acceleration) {
        const Vector3T<InTime> moving = kinematics_.template position<InTime>(widen<InTime>(rest(i)), path.data());
        point.store(k_second, {second(moving.x), second(moving.y), second(moving.z)});
      }
    }

    for (std::size_t k = 0; k < ports_.size(); ++k) {
      const PoseT<Sloped> g = port_pose<Sloped>(ports_[k], q.data());
      PoseT<S>& base_port = ports[k].base_port;
      base_port = value_of(g);
      S* J = port_memory(workspace, k);
      store_pose(base_port, J + 6 * n);
      TwistT<S> relative;
      for (int j = 0; j < n; ++j) {
        const TwistT<S> column = twist_of(base_port, slope_of(g, j));
        for (int r = 0; r < 6; ++r) J[r * n + j] = column[r];
        if (level >= MotionLevel::velocity) relative += state.v[j] * column;
      }
      if (level < MotionLevel::velocity) continue;
      const TwistT<S> carried = base_port.act_inverse(state.base_velocity);
      ports[k].velocity = carried + relative;
      if (level < MotionLevel::acceleration) continue;
      const PoseT<InTime> moving = port_pose<InTime>(ports_[k], path.data());
      const TwistT<Once> twist = twist_of(value_of(moving), slope_of(moving, 0));
      TwistT<S> change;  // d/dt of the relative twist
      for (int r = 0; r < 6; ++r) change[r] = twist[r].derivative[0];
      ports[k].acceleration =
          base_port.act_inverse(state.base_acceleration) + bracket(carried, relative) + change;
    }
  }

  void backward(const BodyStateT<S>& state, const WrenchT<S>* port_wrenches, const WorkspaceT<S>& workspace,
                WrenchT<S>& base_wrench, S* force) const override {
    base_wrench = {};
    for (int j = 0; j < n; ++j) force[j] = S(0.0);
    const TwistT<S>&V = state.base_velocity, &A = state.base_acceleration;
    for (std::size_t i = 0; i < size(); ++i) {
      const Point point(workspace, i);
      const Vector3T<S> p = point.load(0), rate = point.load(k_rate);
      // classical acceleration of the point: d/dt (v + w x p + pdot) + w x (v + w x p + pdot), base axes
      const Vector3T<S> velocity = V.linear + cross(V.angular, p) + rate;
      const Vector3T<S> acceleration = A.linear + cross(A.angular, p) + cross(V.angular, rate) + point.load(k_second) +
                                       cross(V.angular, velocity);
      const Vector3T<S> f = mass(i) * acceleration;
      base_wrench += WrenchT<S>{cross(p, f), f};
      for (int j = 0; j < n; ++j) force[j] += dot(point.load(k_slopes + j), f);
    }
    for (std::size_t k = 0; k < ports_.size(); ++k) {
      const S* J = port_memory(workspace, k);
      base_wrench += load_pose(J + 6 * n).act(port_wrenches[k]);
      for (int j = 0; j < n; ++j) {
        for (int r = 0; r < 6; ++r) force[j] += J[r * n + j] * port_wrenches[k][r];
      }
    }
  }

  void inertia_blocks(const BodyStateT<S>&, const WorkspaceT<S>& workspace, InertiaBlocksT<S>& blocks) const override {
    for (int i = 0; i < n * n; ++i) blocks.mass[i] = S(0.0);
    for (int i = 0; i < 6 * n; ++i) blocks.coupling[i] = S(0.0);
    blocks.base = {};
    for (std::size_t i = 0; i < size(); ++i) {
      const Point point(workspace, i);
      const Vector3T<S> p = point.load(0);
      blocks.base += point_inertia(i, p);
      for (int j = 0; j < n; ++j) {
        const Vector3T<S> momentum = mass(i) * point.load(k_slopes + j);
        const Vector3T<S> angular = cross(p, momentum);
        for (int r = 0; r < 3; ++r) {
          blocks.coupling[r * n + j] += angular[r];
          blocks.coupling[(r + 3) * n + j] += momentum[r];
        }
        for (int k = 0; k <= j; ++k) blocks.mass[k * n + j] += dot(point.load(k_slopes + k), momentum);
      }
    }
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < j; ++k) blocks.mass[j * n + k] = blocks.mass[k * n + j];
    }
  }
  const S* port_jacobian(const WorkspaceT<S>& workspace, int port) const override {
    return port_memory(workspace, static_cast<std::size_t>(port));
  }

  void add_elastic_force(const S* q, S* force) const override {
    std::array<Sloped, n> x;
    for (int j = 0; j < n; ++j) x[j] = Sloped::variable(q[j], j);
    const Sloped energy = energy_of(x.data());
    for (int j = 0; j < n; ++j) force[j] += energy.derivative[j];
  }
  void stiffness_matrix(const S* q, S* stiffness) const override {
    std::array<TwiceSloped, n> x;
    for (int j = 0; j < n; ++j) x[j] = TwiceSloped::variable(Sloped::variable(q[j], j), j);
    store_second(energy_of(x.data()), stiffness);
  }
  S elastic_energy(const S* q) const override { return energy_of(q); }
  void add_damping_force(const S* q, const S* v, S* force) const override {
    std::array<Sloped, n> x, rate;
    for (int j = 0; j < n; ++j) x[j] = Sloped(q[j]), rate[j] = Sloped::variable(v[j], j);
    const Sloped power = dissipation_of(x.data(), rate.data());
    for (int j = 0; j < n; ++j) force[j] += power.derivative[j];
  }
  void damping_matrix(const S* q, const S* v, S* damping) const override {
    std::array<TwiceSloped, n> x, rate;
    for (int j = 0; j < n; ++j) {
      x[j] = TwiceSloped(Sloped(q[j]));
      rate[j] = TwiceSloped::variable(Sloped::variable(v[j], j), j);
    }
    store_second(dissipation_of(x.data(), rate.data()), damping);
  }

  S kinetic_energy(const BodyStateT<S>& state, const WorkspaceT<S>& workspace) const override {
    S sum(0.0);
    for (std::size_t i = 0; i < size(); ++i) {
      const Point point(workspace, i);
      const Vector3T<S> velocity =
          state.base_velocity.linear + cross(state.base_velocity.angular, point.load(0)) + point.load(k_rate);
      sum += S(0.5) * mass(i) * dot(velocity, velocity);
    }
    return sum;
  }
  Vector3T<S> mass_moment(const WorkspaceT<S>& workspace) const override {
    Vector3T<S> sum{S(0.0), S(0.0), S(0.0)};
    for (std::size_t i = 0; i < size(); ++i) sum += mass(i) * Point(workspace, i).load(0);
    return sum;
  }

 private:
  using Sloped = Dual<S, n>;             // value and derivatives in q
  using TwiceSloped = Dual<Sloped, n>;   // and the second ones
  using Once = Dual<S, 1>;
  using InTime = Dual<Once, 1>;          // value, first and second derivative in time

  // what the workspace keeps of a point, in 3-vectors: p, dp/dq_j, pdot, pddot
  static constexpr int k_slopes = 1, k_rate = 1 + n, k_second = 2 + n;
  static constexpr std::size_t k_point = 3 * (3 + n);
  // and of a port: J (6 x n by rows), pose in the base frame
  static constexpr std::size_t k_port = 6 * n + 12;

  struct Point {
    S* memory;
    Point(const WorkspaceT<S>& workspace, std::size_t i) : memory(workspace.persistent + i * k_point) {}
    Vector3T<S> load(int i) const { return {memory[3 * i], memory[3 * i + 1], memory[3 * i + 2]}; }
    void store(int i, const Vector3T<S>& a) const { memory[3 * i] = a.x, memory[3 * i + 1] = a.y, memory[3 * i + 2] = a.z; }
  };

  std::size_t size() const { return parameters_.quadrature.points.size(); }
  const Vector3T<S>& rest(std::size_t i) const { return parameters_.quadrature.points[i]; }
  S mass(std::size_t i) const { return parameters_.density * parameters_.quadrature.weights[i]; }
  SpatialInertiaT<S> point_inertia(std::size_t i, const Vector3T<S>& p) const {
    return SpatialInertiaT<S>::from_com(mass(i), p, {});
  }
  S* port_memory(const WorkspaceT<S>& workspace, std::size_t k) const {
    return workspace.persistent + size() * k_point + k * k_port;
  }
  static void store_pose(const PoseT<S>& g, S* memory) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) memory[3 * i + j] = g.rotation(i, j);
      memory[9 + i] = g.position[i];
    }
  }
  static PoseT<S> load_pose(const S* memory) {
    PoseT<S> g;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) g.rotation(i, j) = memory[3 * i + j];
      g.position[i] = memory[9 + i];
    }
    return g;
  }

  template <typename T, typename U>
  static Vector3T<T> widen(const Vector3T<U>& a) {
    return {T(a.x), T(a.y), T(a.z)};
  }
  static InTime along_path(const S& q, const S& v, const S& a) {
    InTime path;
    path.value = Once::variable(q, 0), path.value.derivative[0] = v;
    path.derivative[0] = Once(v), path.derivative[0].derivative[0] = a;
    return path;
  }
  static S second(const InTime& a) { return a.derivative[0].derivative[0]; }
  static void store_second(const TwiceSloped& a, S* matrix) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) matrix[i * n + j] = a.derivative[i].derivative[j];
    }
  }

  template <typename T, int N>
  static PoseT<T> value_of(const PoseT<Dual<T, N>>& g) {
    return each(g, [](const Dual<T, N>& a) -> const T& { return a.value; });
  }
  template <typename T, int N>
  static PoseT<T> slope_of(const PoseT<Dual<T, N>>& g, int direction) {
    return each(g, [&](const Dual<T, N>& a) -> const T& { return a.derivative[direction]; });
  }
  template <typename T, int N, typename F>
  static PoseT<T> each(const PoseT<Dual<T, N>>& g, const F& part) {
    PoseT<T> r;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) r.rotation(i, j) = part(g.rotation(i, j));
      r.position[i] = part(g.position[i]);
    }
    return r;
  }
  /// g^-1 dg, body axes.
  template <typename T>
  static TwistT<T> twist_of(const PoseT<T>& g, const PoseT<T>& rate) {
    const Matrix3T<T> W = g.rotation.transpose() * rate.rotation;
    const T half(0.5);
    return {{half * (W.row2.y - W.row1.z), half * (W.row0.z - W.row2.x), half * (W.row1.x - W.row0.y)},
            g.rotation.transpose_times(rate.position)};
  }

  /// Axes n1 along a, n3 along n1 x b, [P] (5).
  template <typename T>
  static Matrix3T<T> axes(const Vector3T<T>& a, const Vector3T<T>& b) {
    const Vector3T<T> n1 = (T(1.0) / norm(a)) * a;
    const Vector3T<T> normal = cross(n1, b);
    const Vector3T<T> n3 = (T(1.0) / norm(normal)) * normal;
    return Matrix3T<T>::from_columns(n1, cross(n3, n1), n3);
  }
  template <typename T>
  PoseT<T> port_pose(const PortLocationT<S>& port, const T* q) const {
    const auto at = [&](const Vector3T<S>& x) { return kinematics_.template position<T>(widen<T>(x), q); };
    if (port.kind == PortLocationT<S>::Kind::tip) {
      const Vector3T<T> o = at(parameters_.tip_origin);
      return {axes(at(parameters_.tip_a) - o, at(parameters_.tip_b) - o), o};
    }
    Vector3T<T> p;
    const Matrix3T<T> F = deformation_gradient(widen<T>(port.point), q, p);
    return {axes(F.column(0), F.column(1)), p};
  }
  /// F = df/dx at x, and p = f(x, q).
  template <typename T>
  Matrix3T<T> deformation_gradient(const Vector3T<T>& x, const T* q, Vector3T<T>& p) const {
    using D = Dual<T, 3>;
    std::array<D, n> wide;
    for (int j = 0; j < n; ++j) wide[j] = D(q[j]);
    const Vector3T<D> moved = kinematics_.template position<D>(
        {D::variable(x.x, 0), D::variable(x.y, 1), D::variable(x.z, 2)}, wide.data());
    p = {moved.x.value, moved.y.value, moved.z.value};
    Matrix3T<T> F;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) F(i, j) = moved[i].derivative[j];
    }
    return F;
  }

  template <typename T>
  T energy_of(const T* q) const {
    constexpr bool whole = requires { kinematics_.template elastic_energy<T>(q); };
    constexpr bool density = requires(const Matrix3T<T>& F) { kinematics_.template energy_density<T>(F); };
    static_assert(!(whole && density), "a point body has elastic_energy or energy_density, not both");
    if constexpr (whole) {
      return kinematics_.template elastic_energy<T>(q);
    } else if constexpr (density) {
      T sum(0.0);
      Vector3T<T> p;
      for (std::size_t i = 0; i < size(); ++i) {
        const Matrix3T<T> F = deformation_gradient(widen<T>(rest(i)), q, p);
        sum += T(parameters_.quadrature.weights[i]) * kinematics_.template energy_density<T>(F);
      }
      return sum;
    } else {
      return T(0.0);
    }
  }
  template <typename T>
  T dissipation_of(const T* q, const T* v) const {
    if constexpr (requires { kinematics_.template dissipation<T>(q, v); }) {
      return kinematics_.template dissipation<T>(q, v);
    } else {
      return T(0.0);
    }
  }

  template <typename T>
  std::unique_ptr<BodyT<T>> cast() const {
    auto other = std::make_unique<PointBodyT<T, K>>(parameters_.template cast<T>(), kinematics_);
    for (std::size_t k = 1; k < ports_.size(); ++k) other->add_port(ports_[k].template cast<T>());
    return other;
  }

  void check() const {
    using std::isfinite;
    const auto number = [](const S& a) { return std::to_string(scalar_cast<double>(a)); };
    const QuadratureT<S>& rule = parameters_.quadrature;
    if (rule.points.empty() || rule.points.size() != rule.weights.size()) {
      throw ModelError("quadrature: found " + std::to_string(rule.points.size()) + " points and " +
                       std::to_string(rule.weights.size()) + " weights, expected as many of both, one or more");
    }
    for (std::size_t i = 0; i < size(); ++i) {
      const Vector3T<S>& x = rule.points[i];
      if (!isfinite(x.x) || !isfinite(x.y) || !isfinite(x.z) || !isfinite(rule.weights[i])) {
        throw ModelError("quadrature[" + std::to_string(i) + "]: found a number that is not finite");
      }
    }
    if (!(parameters_.density > S(0.0)) || !isfinite(parameters_.density)) {
      throw ModelError("density: found " + number(parameters_.density) + ", expected a number > 0 [kg/m^3]");
    }
    const Vector3T<S> normal = cross(parameters_.tip_a - parameters_.tip_origin,
                                     parameters_.tip_b - parameters_.tip_origin);
    if (!(dot(normal, normal) > S(0.0))) {
      throw ModelError("tip: found material points o, a, b on one line, expected a triangle");
    }
  }

  PointParametersT<S> parameters_;
  K kinematics_;
  std::vector<PortLocationT<S>> ports_;
};

/// @code
/// const auto body = std::make_shared<PointBody<ToyBody>>(point_cylinder(1.0, 1.0, 1.0, 14, 1, 4));
/// @endcode
template <typename K>
using PointBody = PointBodyT<double, K>;

}  // namespace cuttle
