#include "cuttle/bodies/point_body_base.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "bodies/point_sums.h"
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

constexpr std::size_t k_alignment = 64;
/// Where a memory begins to be aligned to 64 bytes; it has that much more.
void* aligned(void* memory) {
  return reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(memory) + k_alignment - 1) / k_alignment *
                                 k_alignment);
}
/// Vector i of a field of motions.
template <typename S>
Vector3T<S> point_vector(const PointMotionsT<S>& motions, S* (PointMotionsT<S>::*field)(std::size_t) const, int i) {
  return lane_vector((motions.*field)(i / k_point_lanes<S>), i % k_point_lanes<S>);
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

/// What is kept from forward on: the motions of the points, what their inertia does, the ports.
template <typename S>
struct PointBodyBaseT<S>::Kept {
  Motions motions;
  WrenchT<S>& wrench;  ///< of the points' inertia at the base, from level acceleration on
  S* force;            ///< and their generalized force, n_B
  S* ports;
  int n;

  static std::size_t sums_size(int n) { return padded(6 + n); }
  static std::size_t size(std::size_t blocks, int n, std::size_t ports) {
    return Motions::size(blocks, n) + sums_size(n) + ports * Port::size(n);
  }
  Port port(std::size_t k) const {
    S* memory = ports + k * Port::size(n);
    return {memory, *reinterpret_cast<PoseT<S>*>(memory + 6 * n)};
  }
};

/// The tables of the points; a lane that is left over repeats the last point, without mass and volume.
template <typename S>
struct PointBodyBaseT<S>::Blocks {
  std::vector<S> x, mass, volume;
  PointTable<S> table;

  Blocks(const PointParametersT<S>& parameters, int n) {
    const QuadratureT<S>& rule = parameters.quadrature;
    const std::size_t count = rule.points.size(), blocks = block_count<S>(count);
    x.resize(blocks * k_vector_block<S>);
    fill_blocks(rule.points.data(), count, x.data());
    volume.assign(blocks * k_point_lanes<S>, S(0.0));
    mass = volume;
    for (std::size_t i = 0; i < count; ++i) {
      volume[i] = rule.weights[i];
      mass[i] = parameters.density * rule.weights[i];
    }
    table = {x.data(), mass.data(), volume.data(), blocks, n};
  }
  Blocks(const Blocks&) = delete;
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
  for (std::size_t i = 0; i < rule.points.size(); ++i) {
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
  blocks_ = std::make_shared<const Blocks>(parameters_, coordinate_count());
  table_ = &blocks_->table;
}

template <typename S>
const S* PointBodyBaseT<S>::block_points(std::size_t block) const {
  return table_->x + block * k_vector_block<S>;
}
template <typename S>
const S* PointBodyBaseT<S>::block_volumes(std::size_t block) const {
  return table_->volume + block * k_point_lanes<S>;
}

template <typename S>
SpatialInertiaT<S> PointBodyBaseT<S>::rest_inertia() const {
  const int n = coordinate_count();
  const std::vector<S> zero(n, S(0.0));
  std::vector<S> memory(Motions::size(table_->blocks, n));
  std::vector<std::max_align_t> scratch(move_scratch_size() / sizeof(std::max_align_t) + 8);
  const Motions motions(memory.data(), n);
  move({MotionLevel::pose, zero.data(), nullptr}, table_->x, table_->blocks, motions, aligned(scratch.data()));
  std::vector<S> mass(n * n), coupling(6 * n);
  InertiaBlocksT<S> blocks{mass.data(), coupling.data(), {}};
  point_sums<S>().add_inertia_blocks(*table_, motions, blocks);
  return blocks.base;
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

/// Scratch of forward, from where it is aligned: the move's own, then the motions of a port's three points.
template <typename S>
WorkspaceSize PointBodyBaseT<S>::workspace_size() const {
  prepare_thread();
  const int n = coordinate_count();
  const std::size_t move_scratch = padded(move_scratch_size() / sizeof(S) + 1);
  return {Kept::size(table_->blocks, n, ports_.size()), k_alignment / sizeof(S) + 1 + move_scratch + Motions::size(block_count<S>(3), n) + 6 * n,
          BodyT<S>::dense_elimination_size(n, port_count())};
}

template <typename S>
auto PointBodyBaseT<S>::kept(const WorkspaceT<S>& workspace) const -> Kept {
  const int n = coordinate_count();
  S* sums = workspace.persistent + Motions::size(table_->blocks, n);
  return {Motions(workspace.persistent, n), *reinterpret_cast<WrenchT<S>*>(sums), sums + 6, sums + Kept::sums_size(n),
          n};
}

template <typename S>
void PointBodyBaseT<S>::refuse(std::size_t i, const S* q, const std::string& found) const {
  throw ConfigurationError("point " + std::to_string(i) + " (at rest " + vector_text(parameters_.quadrature.points[i]) +
                           "): " + found + " at q = " + list_text(q, coordinates_.size()));
}
template <typename S>
void PointBodyBaseT<S>::refuse_folded(std::size_t block, const S* q) const {
  if constexpr (std::is_floating_point_v<S>) {
    if (block == table_->blocks || parameters_.allow_folding) return;
    for (std::size_t i = block * k_point_lanes<S>; i < parameters_.quadrature.points.size(); ++i) {
      const S determinant = determinant_at(q, parameters_.quadrature.points[i]);
      if (determinant > S(0.0)) continue;
      refuse(i, q, "found det(df/dx) = " + number_text(determinant) + ", expected > 0: the body folds onto itself,");
    }
    refuse(block * k_point_lanes<S>, q, "found det(df/dx) that is not > 0 here or at a point next to it,");
  }
}

/// Errors at the boundary are for the scalars that a user meets; a derivative must not throw for all.
template <typename S>
void PointBodyBaseT<S>::check(const S* q, MotionLevel level, const Motions& motions) const {
  if constexpr (std::is_floating_point_v<S>) {
    const std::size_t wrong = point_sums<S>().first_not_finite(*table_, level, motions);
    for (std::size_t i = wrong * k_point_lanes<S>; i < parameters_.quadrature.points.size(); ++i) {
      const std::size_t block = i / k_point_lanes<S>;
      const int lane = static_cast<int>(i % k_point_lanes<S>);
      const Vector3T<S> value = lane_vector(motions.value(block), lane);
      if (!finite(value)) refuse(i, q, "found position " + vector_text(value) + ", expected finite numbers,");
      for (int j = 0; j < coordinate_count(); ++j) {
        const Vector3T<S> slope = lane_vector(motions.slope(block, j), lane);
        if (finite(slope)) continue;
        refuse(i, q,
               "found derivative " + vector_text(slope) + " of the position in " + coordinates_[j].name +
                   ", expected finite numbers,");
      }
      const Vector3T<S> curvature = lane_vector(motions.curvature(block), lane);
      if (level == MotionLevel::acceleration && !finite(curvature)) {
        refuse(
            i, q,
            "found second derivative " + vector_text(curvature) + " of the position along v, expected finite numbers,");
      }
    }
    if (!parameters_.allow_folding && knows_folding()) refuse_folded(first_folded(q), q);
  }
}

template <typename S>
void PointBodyBaseT<S>::forward(MotionLevel level, const BodyStateT<S>& state, const WorkspaceT<S>& workspace,
                                PortMotionT<S>* ports) const {
  const Kept kept_now = kept(workspace);
  const PointSums<S>& sums = point_sums<S>();
  move({level, state.q, state.v}, table_->x, table_->blocks, kept_now.motions, aligned(workspace.scratch));
  check(state.q, level, kept_now.motions);
  sums.complete(*table_, level, state.v, state.a, kept_now.motions);
  if (level == MotionLevel::acceleration) {
    kept_now.wrench = {};
    std::fill_n(kept_now.force, coordinate_count(), S(0.0));
    sums.add_inertial_forces(*table_, state, kept_now.motions, kept_now.wrench, kept_now.force);
  }
  for (std::size_t k = 0; k < ports_.size(); ++k) move_port(level, state, workspace, k, ports[k]);
}

template <typename S>
void PointBodyBaseT<S>::move_port(MotionLevel level, const BodyStateT<S>& state, const WorkspaceT<S>& workspace,
                                  std::size_t k, PortMotionT<S>& motion) const {
  const int n = coordinate_count();
  const bool at_tip = ports_[k].kind == PortLocationT<S>::Kind::tip;
  void* scratch = aligned(workspace.scratch);
  S* memory = static_cast<S*>(scratch) + padded(move_scratch_size() / sizeof(S) + 1);
  // the port's origin and the two points or directions that its axes follow
  const std::size_t count = at_tip ? 3 : 1;
  const Vector3T<S> rest[] = {at_tip ? parameters_.tip_origin : ports_[k].point, parameters_.tip_a, parameters_.tip_b};
  S x[k_vector_block<S> * 3];
  fill_blocks(rest, count, x);
  const Motions motions(memory, n);
  memory += Motions::size(block_count<S>(3), n);
  move({level, state.q, state.v}, x, block_count<S>(count), motions, scratch);
  Direction axes_at[2];
  for (Direction& axis : axes_at) axis.slopes = reinterpret_cast<Vector3T<S>*>(memory), memory += 3 * n;
  if (!at_tip) move_axes({level, state.q, state.v}, ports_[k].point, axes_at, scratch);
  const auto value_of = [&](int i) {
    return at_tip || i == 0 ? point_vector(motions, &Motions::value, i) : axes_at[i - 1].value;
  };
  const auto slope_of = [&](int i, int j) {
    if (!at_tip && i > 0) return axes_at[i - 1].slopes[j];
    return lane_vector(motions.slope(i / k_point_lanes<S>, j), i % k_point_lanes<S>);
  };
  const auto curvature_of = [&](int i) {
    return at_tip || i == 0 ? point_vector(motions, &Motions::curvature, i) : axes_at[i - 1].curvature;
  };
  const auto along = [&](const S* rates, int i) {
    Vector3T<S> sum{S(0.0), S(0.0), S(0.0)};
    for (int j = 0; j < n; ++j) sum += rates[j] * slope_of(i, j);
    return sum;
  };

  // o, a and b: the port's origin and the two directions that its axes follow
  const auto directed = [&](const auto& of) {
    const Vector3T<S> o = of(0), a = of(1), b = of(2);
    return at_tip ? std::array<Vector3T<S>, 3>{o, a - o, b - o} : std::array<Vector3T<S>, 3>{o, a, b};
  };
  const auto [o, a, b] = directed(value_of);
  const Matrix3T<S> R = axes(a, b);
  const PoseT<S> base_port{R, o};
  const Port port = kept(workspace).port(k);
  port.base_port = motion.base_port = base_port;
  TwistT<S> relative;
  for (int j = 0; j < n; ++j) {
    const auto [o_slope, a_slope, b_slope] = directed([&](int i) { return slope_of(i, j); });
    const TwistT<S> column = frame_twist(R, a, b, o_slope, a_slope, b_slope);
    for (int r = 0; r < 6; ++r) port.J[r * n + j] = column[r];
    if (level >= MotionLevel::velocity) relative += state.v[j] * column;
  }
  if (level < MotionLevel::velocity) return;
  const TwistT<S> carried = base_port.act_inverse(state.base_velocity);
  motion.velocity = carried + relative;
  if (level < MotionLevel::acceleration) return;

  const auto rate = directed([&](int i) { return along(state.v, i); });
  const auto second = directed([&](int i) { return curvature_of(i) + along(state.a, i); });
  const auto a_path = in_time(a, rate[1]), b_path = in_time(b, rate[2]);
  const TwistT<Dual<S, 1>> twist = frame_twist(axes(a_path, b_path), a_path, b_path, in_time(rate[0], second[0]),
                                               in_time(rate[1], second[1]), in_time(rate[2], second[2]));
  TwistT<S> change;  // d/dt of the relative twist
  for (int r = 0; r < 6; ++r) change[r] = twist[r].derivative[0];
  motion.acceleration = base_port.act_inverse(state.base_acceleration) + bracket(carried, relative) + change;
}

template <typename S>
void PointBodyBaseT<S>::backward(const BodyStateT<S>&, const WrenchT<S>* port_wrenches, const WorkspaceT<S>& workspace,
                                 WrenchT<S>& base_wrench, S* force) const {
  const int n = coordinate_count();
  const Kept kept_now = kept(workspace);
  base_wrench = kept_now.wrench;
  std::copy_n(kept_now.force, n, force);
  for (std::size_t k = 0; k < ports_.size(); ++k) {
    const Port port = kept_now.port(k);
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
  std::fill_n(blocks.mass, n * n, S(0.0));
  std::fill_n(blocks.coupling, 6 * n, S(0.0));
  blocks.base = {};
  point_sums<S>().add_inertia_blocks(*table_, kept(workspace).motions, blocks);
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k) blocks.mass[j * n + k] = blocks.mass[k * n + j];
  }
}
template <typename S>
const S* PointBodyBaseT<S>::port_jacobian(const WorkspaceT<S>& workspace, int port) const {
  return kept(workspace).port(static_cast<std::size_t>(port)).J;
}

template <typename S>
S PointBodyBaseT<S>::kinetic_energy(const BodyStateT<S>& state, const WorkspaceT<S>& workspace) const {
  return point_sums<S>().kinetic_energy(*table_, state, kept(workspace).motions);
}
template <typename S>
Vector3T<S> PointBodyBaseT<S>::mass_moment(const WorkspaceT<S>& workspace) const {
  return point_sums<S>().mass_moment(*table_, kept(workspace).motions);
}

#define CUTTLE_INSTANTIATE(S) template class PointBodyBaseT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)

}  // namespace cuttle
