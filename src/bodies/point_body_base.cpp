#include "cuttle/bodies/point_body_base.h"

#include <array>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

#include "cuttle/error.h"
#include "cuttle/spatial/scalars.h"
#include "spatial/number_text.h"

namespace cuttle {

namespace {

template <typename S>
bool finite(const Vector3T<S>& a) {
  using std::isfinite;
  return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/// Axes n1 along a, n3 along n1 x b, [P] (5).
template <typename T>
Matrix3T<T> axes(const Vector3T<T>& a, const Vector3T<T>& b) {
  const Vector3T<T> n1 = (T(1.0) / norm(a)) * a;
  const Vector3T<T> normal = cross(n1, b);
  const Vector3T<T> n3 = (T(1.0) / norm(normal)) * normal;
  return Matrix3T<T>::from_columns(n1, cross(n3, n1), n3);
}
/// Twist, in body axes, of the frame at o with the axes R of (a, b) when o, a and b have these rates. In those axes
/// a = (a1, 0, 0) and b = (b1, b2, 0) stay so: w x a and w x b make up for what the rates have beside.
template <typename T>
TwistT<T> frame_twist(const Matrix3T<T>& R, const Vector3T<T>& a, const Vector3T<T>& b, const Vector3T<T>& o_rate,
                      const Vector3T<T>& a_rate, const Vector3T<T>& b_rate) {
  const Vector3T<T> da = R.transpose_times(a_rate), db = R.transpose_times(b_rate);
  const Vector3T<T> in_frame = R.transpose_times(b);
  const T inverse = T(1.0) / norm(a);
  const T wy = -inverse * da.z;
  return {{(db.z + wy * in_frame.x) / in_frame.y, wy, inverse * da.y}, R.transpose_times(o_rate)};
}
template <typename S>
Vector3T<Dual<S, 1>> in_time(const Vector3T<S>& value, const Vector3T<S>& rate) {
  Vector3T<Dual<S, 1>> a;
  for (int i = 0; i < 3; ++i) a[i].value = value[i], a[i].derivative[0] = rate[i];
  return a;
}

}  // namespace

/// What is kept of a port: J (6 x n_B by rows) and its pose in the base frame.
template <typename S>
struct PointBodyBaseT<S>::Port {
  S* J;
  PoseT<S>& base_port;
  static std::size_t size(int n) { return 6 * n + 12; }
};

template <typename S>
PointBodyBaseT<S>::PointBodyBaseT(const PointParametersT<S>& parameters, std::vector<CoordinateInfo> coordinates)
    : parameters_(parameters), coordinates_(std::move(coordinates)), ports_{PortLocationT<S>::tip()} {
  using std::isfinite;
  const QuadratureT<S>& rule = parameters_.quadrature;
  if (coordinates_.empty()) {
    throw ModelError("coordinates: found none, expected one or more: a body without coordinates is a RigidBody");
  }
  if (rule.points.empty() || rule.points.size() != rule.weights.size()) {
    throw ModelError("quadrature: found " + std::to_string(rule.points.size()) + " points and " +
                     std::to_string(rule.weights.size()) + " weights, expected as many of both, one or more");
  }
  for (std::size_t i = 0; i < size(); ++i) {
    if (!finite(rule.points[i]) || !isfinite(rule.weights[i])) {
      throw ModelError("quadrature[" + std::to_string(i) + "]: found a number that is not finite");
    }
  }
  if (!(parameters_.density > S(0.0)) || !isfinite(parameters_.density)) {
    throw ModelError("density: found " + number_text(parameters_.density) + ", expected a number > 0 [kg/m^3]");
  }
  const Vector3T<S> normal =
      cross(parameters_.tip_a - parameters_.tip_origin, parameters_.tip_b - parameters_.tip_origin);
  if (!(dot(normal, normal) > S(0.0))) {
    throw ModelError("tip: found material points o, a, b on one line, expected a triangle");
  }
}

template <typename S>
SpatialInertiaT<S> PointBodyBaseT<S>::rest_inertia() const {
  const std::vector<S> zero(coordinates_.size(), S(0.0));
  std::vector<S> memory(Motions::size(size(), coordinate_count()));
  const Motions motions(memory.data(), coordinate_count());
  move({MotionLevel::pose, zero.data(), nullptr}, parameters_.quadrature.points.data(), size(), motions);
  SpatialInertiaT<S> sum;
  for (std::size_t i = 0; i < size(); ++i) sum += point_inertia(i, motions[i].value);
  return sum;
}

template <typename S>
int PointBodyBaseT<S>::add_port(const PortLocationT<S>& location) {
  using Kind = typename PortLocationT<S>::Kind;
  if (location.kind == Kind::tip) return 0;
  if (location.kind == Kind::base) {
    throw ModelError("at: found base, which is a body's own frame and not one of its ports");
  }
  if (location.kind == Kind::section) {
    throw ModelError("at: found {s: " + number_text(location.s) +
                     "}, expected base, tip or {point: [x, y, z]}: a point body has no cross-sections");
  }
  if (!knows_axes()) {
    throw ModelError("at: found {point: " + vector_text(location.point) +
                     "}, expected base or tip: the axes at a point are columns of df/dx, which this body has not");
  }
  ports_.push_back(location);
  return static_cast<int>(ports_.size()) - 1;
}

template <typename S>
WorkspaceSize PointBodyBaseT<S>::workspace_size() const {
  prepare_thread();
  const int n = coordinate_count();
  return {Motions::size(size(), n) + ports_.size() * Port::size(n), Motions::size(3, n) + size(),
          BodyT<S>::dense_elimination_size(n, port_count())};
}

template <typename S>
auto PointBodyBaseT<S>::kept_port(const WorkspaceT<S>& workspace, std::size_t k) const -> Port {
  const int n = coordinate_count();
  S* memory = workspace.persistent + Motions::size(size(), n) + k * Port::size(n);
  return {memory, *reinterpret_cast<PoseT<S>*>(memory + 6 * n)};
}

template <typename S>
void PointBodyBaseT<S>::complete(const BodyStateT<S>& state, MotionLevel level, std::size_t count,
                                 const Motions& motions) const {
  if (level < MotionLevel::velocity) return;
  const int n = coordinate_count();
  for (std::size_t i = 0; i < count; ++i) {
    const Vector3T<S>* slopes = motions[i].slopes;
    Vector3T<S> rate{S(0.0), S(0.0), S(0.0)};
    for (int j = 0; j < n; ++j) rate += state.v[j] * slopes[j];
    motions.rate(i) = rate;
    if (level < MotionLevel::acceleration) continue;
    Vector3T<S>& second = motions.second(i);
    for (int j = 0; j < n; ++j) second += state.a[j] * slopes[j];
  }
}

template <typename S>
void PointBodyBaseT<S>::refuse(std::size_t i, const S* q, const std::string& found) const {
  throw ConfigurationError("point " + std::to_string(i) + " (at rest " + vector_text(parameters_.quadrature.points[i]) +
                           "): " + found + " at q = " + list_text(q, coordinates_.size()));
}
template <typename S>
void PointBodyBaseT<S>::check_determinant(std::size_t i, const S* q, const S& determinant) const {
  if constexpr (std::is_floating_point_v<S>) {
    if (parameters_.allow_folding || determinant > S(0.0)) return;
    refuse(i, q, "found det(df/dx) = " + number_text(determinant) + ", expected > 0: the body folds onto itself,");
  }
}

/// Errors at the boundary are for the scalars that a user meets; a lane or a derivative must not throw for all.
template <typename S>
void PointBodyBaseT<S>::check(const S* q, MotionLevel level, const Motions& motions, S* values) const {
  if constexpr (std::is_floating_point_v<S>) {
    for (std::size_t i = 0; i < size(); ++i) {
      const Motion motion = motions[i];
      if (!finite(motion.value)) {
        refuse(i, q, "found position " + vector_text(motion.value) + ", expected finite numbers,");
      }
      for (int j = 0; j < coordinate_count(); ++j) {
        if (finite(motion.slopes[j])) continue;
        refuse(i, q,
               "found derivative " + vector_text(motion.slopes[j]) + " of the position in " + coordinates_[j].name +
                   ", expected finite numbers,");
      }
      if (level == MotionLevel::acceleration && !finite(motion.curvature)) {
        refuse(i, q,
               "found second derivative " + vector_text(motion.curvature) +
                   " of the position along v, expected finite numbers,");
      }
    }
    if (parameters_.allow_folding || !knows_folding()) return;
    determinants(q, parameters_.quadrature.points.data(), size(), values);
    for (std::size_t i = 0; i < size(); ++i) check_determinant(i, q, values[i]);
  }
}

template <typename S>
void PointBodyBaseT<S>::forward(MotionLevel level, const BodyStateT<S>& state, const WorkspaceT<S>& workspace,
                                PortMotionT<S>* ports) const {
  const Motions motions = points(workspace);
  move({level, state.q, state.v}, parameters_.quadrature.points.data(), size(), motions);
  check(state.q, level, motions, workspace.scratch + Motions::size(3, coordinate_count()));
  complete(state, level, size(), motions);
  for (std::size_t k = 0; k < ports_.size(); ++k) move_port(level, state, workspace, k, ports[k]);
}

template <typename S>
void PointBodyBaseT<S>::move_port(MotionLevel level, const BodyStateT<S>& state, const WorkspaceT<S>& workspace,
                                  std::size_t k, PortMotionT<S>& motion) const {
  const int n = coordinate_count();
  const Motions motions(workspace.scratch, n);
  const bool at_tip = ports_[k].kind == PortLocationT<S>::Kind::tip;
  if (at_tip) {
    const Vector3T<S> rest[] = {parameters_.tip_origin, parameters_.tip_a, parameters_.tip_b};
    move({level, state.q, state.v}, rest, 3, motions);
  } else {
    move_axes({level, state.q, state.v}, ports_[k].point, motions);
  }
  complete(state, level, 3, motions);

  // o, a and b: the port's origin and the two directions that its axes follow
  const auto directed = [&](const auto& of) {
    const Vector3T<S> o = of(0), a = of(1), b = of(2);
    return at_tip ? std::array<Vector3T<S>, 3>{o, a - o, b - o} : std::array<Vector3T<S>, 3>{o, a, b};
  };
  const auto [o, a, b] = directed([&](int i) { return motions[i].value; });
  const Matrix3T<S> R = axes(a, b);
  const PoseT<S> base_port{R, o};
  const Port kept = kept_port(workspace, k);
  kept.base_port = motion.base_port = base_port;
  TwistT<S> relative;
  for (int j = 0; j < n; ++j) {
    const auto [o_slope, a_slope, b_slope] = directed([&](int i) { return motions[i].slopes[j]; });
    const TwistT<S> column = frame_twist(R, a, b, o_slope, a_slope, b_slope);
    for (int r = 0; r < 6; ++r) kept.J[r * n + j] = column[r];
    if (level >= MotionLevel::velocity) relative += state.v[j] * column;
  }
  if (level < MotionLevel::velocity) return;
  const TwistT<S> carried = base_port.act_inverse(state.base_velocity);
  motion.velocity = carried + relative;
  if (level < MotionLevel::acceleration) return;

  const auto rate = directed([&](int i) { return motions.rate(i); });
  const auto second = directed([&](int i) { return motions.second(i); });
  const auto a_path = in_time(a, rate[1]), b_path = in_time(b, rate[2]);
  const TwistT<Dual<S, 1>> twist = frame_twist(axes(a_path, b_path), a_path, b_path, in_time(rate[0], second[0]),
                                               in_time(rate[1], second[1]), in_time(rate[2], second[2]));
  TwistT<S> change;  // d/dt of the relative twist
  for (int r = 0; r < 6; ++r) change[r] = twist[r].derivative[0];
  motion.acceleration = base_port.act_inverse(state.base_acceleration) + bracket(carried, relative) + change;
}

template <typename S>
void PointBodyBaseT<S>::backward(const BodyStateT<S>& state, const WrenchT<S>* port_wrenches,
                                 const WorkspaceT<S>& workspace, WrenchT<S>& base_wrench, S* force) const {
  const int n = coordinate_count();
  const Motions motions = points(workspace);
  base_wrench = {};
  for (int j = 0; j < n; ++j) force[j] = S(0.0);
  const TwistT<S>&V = state.base_velocity, &A = state.base_acceleration;
  for (std::size_t i = 0; i < size(); ++i) {
    const Vector3T<S> p = motions[i].value, rate = motions.rate(i);
    // classical acceleration of the point: d/dt (v + w x p + pdot) + w x (v + w x p + pdot), base axes
    const Vector3T<S> velocity = V.linear + cross(V.angular, p) + rate;
    const Vector3T<S> acceleration =
        A.linear + cross(A.angular, p) + cross(V.angular, rate) + motions.second(i) + cross(V.angular, velocity);
    const Vector3T<S> f = mass(i) * acceleration;
    base_wrench += WrenchT<S>{cross(p, f), f};
    for (int j = 0; j < n; ++j) force[j] += dot(motions[i].slopes[j], f);
  }
  for (std::size_t k = 0; k < ports_.size(); ++k) {
    const Port port = kept_port(workspace, k);
    base_wrench += port.base_port.act(port_wrenches[k]);
    for (int j = 0; j < n; ++j) {
      for (int r = 0; r < 6; ++r) force[j] += port.J[r * n + j] * port_wrenches[k][r];
    }
  }
}

template <typename S>
void PointBodyBaseT<S>::inertia_blocks(const BodyStateT<S>&, const WorkspaceT<S>& workspace,
                                       InertiaBlocksT<S>& blocks) const {
  const int n = coordinate_count();
  const Motions motions = points(workspace);
  for (int i = 0; i < n * n; ++i) blocks.mass[i] = S(0.0);
  for (int i = 0; i < 6 * n; ++i) blocks.coupling[i] = S(0.0);
  blocks.base = {};
  for (std::size_t i = 0; i < size(); ++i) {
    const Vector3T<S> p = motions[i].value;
    const Vector3T<S>* slopes = motions[i].slopes;
    blocks.base += point_inertia(i, p);
    for (int j = 0; j < n; ++j) {
      const Vector3T<S> momentum = mass(i) * slopes[j];
      const Vector3T<S> angular = cross(p, momentum);
      for (int r = 0; r < 3; ++r) {
        blocks.coupling[r * n + j] += angular[r];
        blocks.coupling[(r + 3) * n + j] += momentum[r];
      }
      for (int k = 0; k <= j; ++k) blocks.mass[k * n + j] += dot(slopes[k], momentum);
    }
  }
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k) blocks.mass[j * n + k] = blocks.mass[k * n + j];
  }
}
template <typename S>
const S* PointBodyBaseT<S>::port_jacobian(const WorkspaceT<S>& workspace, int port) const {
  return kept_port(workspace, static_cast<std::size_t>(port)).J;
}

template <typename S>
S PointBodyBaseT<S>::kinetic_energy(const BodyStateT<S>& state, const WorkspaceT<S>& workspace) const {
  const Motions motions = points(workspace);
  S sum(0.0);
  for (std::size_t i = 0; i < size(); ++i) {
    const Vector3T<S> velocity =
        state.base_velocity.linear + cross(state.base_velocity.angular, motions[i].value) + motions.rate(i);
    sum += S(0.5) * mass(i) * dot(velocity, velocity);
  }
  return sum;
}
template <typename S>
Vector3T<S> PointBodyBaseT<S>::mass_moment(const WorkspaceT<S>& workspace) const {
  const Motions motions = points(workspace);
  Vector3T<S> sum{S(0.0), S(0.0), S(0.0)};
  for (std::size_t i = 0; i < size(); ++i) sum += mass(i) * motions[i].value;
  return sum;
}

#define CUTTLE_INSTANTIATE(S) template class PointBodyBaseT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)

}  // namespace cuttle
