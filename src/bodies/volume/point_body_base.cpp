#include "cuttle/bodies/point_body_base.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include "bodies/port_frame.h"
#include "bodies/volume/linear_inertia.h"
#include "bodies/volume/point_body_impl.h"
#include "bodies/volume/point_sums.h"
#include "cuttle/bodies/chamber_surface.h"
#include "cuttle/bodies/point_reduction.h"
#include "cuttle/error.h"
#include "cuttle/spatial/scalars.h"
#include "spatial/aligned.h"
#include "spatial/number_text.h"

namespace cuttle {

namespace {

template <typename S>
bool finite(const Vector3T<S>& a) {
  using std::isfinite;
  return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/// Vector i of a field of motions.
template <typename S>
Vector3T<S> point_vector(const PointMotionsT<S>& motions, S* (PointMotionsT<S>::*field)(std::size_t) const, int i) {
  return lane_vector((motions.*field)(i / k_point_lanes<S>), i % k_point_lanes<S>);
}

}  // namespace

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
    throw ModelError("coordinates", "none", "one or more: a body without coordinates is a RigidBody");
  }
  if (rule.points.empty() || rule.points.size() != rule.weights.size()) {
    throw ModelError(
        "quadrature",
        std::to_string(rule.points.size()) + " points and " + std::to_string(rule.weights.size()) + " weights",
        "as many of both, one or more");
  }
  for (std::size_t i = 0; i < rule.points.size(); ++i) {
    if (!finite(rule.points[i]) || !isfinite(rule.weights[i])) {
      throw ModelError({"quadrature", i}, "a number that is not finite", "");
    }
  }
  if (!(parameters_.density > S(0.0)) || !isfinite(parameters_.density)) {
    throw ModelError("density", number_text(parameters_.density), "a number > 0 [kg/m^3]");
  }
  const Vector3T<S> normal =
      cross(parameters_.tip_a - parameters_.tip_origin, parameters_.tip_b - parameters_.tip_origin);
  if (!(dot(normal, normal) > S(0.0))) {
    throw ModelError("tip", "material points o, a, b on one line", "a triangle");
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
  std::vector<S> mass(n * n), coupling(6 * n);
  InertiaBlocksT<S> blocks{mass.data(), coupling.data(), {}};
  if (linear_) {
    std::vector<S> shape(linear_->shape_size());
    linear_->reshape(zero.data(), shape.data());
    linear_->add_inertia_blocks(shape.data(), blocks);
    return blocks.base;
  }
  std::vector<S> memory(Motions::size(table_->blocks, n));
  std::vector<std::max_align_t> scratch(move_scratch_size() / sizeof(std::max_align_t) + 8);
  const Motions motions(memory.data(), n);
  move({MotionLevel::pose, zero.data(), nullptr}, table_->x, table_->blocks, motions, aligned(scratch.data()));
  point_sums<S>().add_inertia_blocks(*table_, motions, blocks);
  return blocks.base;
}

template <typename S>
int PointBodyBaseT<S>::add_port(const PortLocationT<S>& location) {
  using Kind = typename PortLocationT<S>::Kind;
  if (location.kind == Kind::tip) return 0;
  if (location.kind == Kind::base) {
    throw ModelError({}, "base, which is a body's own frame and not one of its ports", "");
  }
  if (location.kind == Kind::section) {
    throw ModelError({}, "{s: " + number_text(location.s) + "}",
                     "base, tip or {point: [x, y, z]}: a point body has no cross-sections");
  }
  if (!knows_axes()) {
    throw ModelError({}, "{point: " + vector_text(location.point) + "}",
                     "base or tip: the axes at a point are columns of df/dx, which this body does not have");
  }
  ports_.push_back(location);
  if (linear_) {
    try {
      tabulate_port(ports_.size() - 1);
    } catch (...) {
      ports_.pop_back();
      throw;
    }
  }
  return static_cast<int>(ports_.size()) - 1;
}

template <typename S>
void PointBodyBaseT<S>::precompute() {
  constexpr std::size_t k_together = 64;  // blocks
  const int n = coordinate_count();
  const std::vector<S> zero(n, S(0.0));
  std::vector<S> memory(Motions::size(k_together, n));
  std::vector<std::max_align_t> scratch(move_scratch_size() / sizeof(std::max_align_t) + 8);
  const Motions motions(memory.data(), n);
  const auto inertia = std::make_shared<LinearInertiaT<S>>(n);
  for (std::size_t first = 0; first < table_->blocks; first += k_together) {
    const PointTable<S> part = table_->part(first, std::min(k_together, table_->blocks - first));
    move({MotionLevel::pose, zero.data(), nullptr}, part.x, part.blocks, motions, aligned(scratch.data()));
    inertia->add(part, motions);
  }
  inertia->finish(parameters_.density);
  linear_ = inertia;
  for (std::size_t k = 0; k < ports_.size(); ++k) tabulate_port(k);
}

template <typename S>
void PointBodyBaseT<S>::tabulate_port(std::size_t k) {
  const int n = coordinate_count();
  const std::vector<S> zero(n, S(0.0));
  std::vector<std::max_align_t> scratch(port_scratch_size() * sizeof(S) / sizeof(std::max_align_t) + 8);
  const PortVectors at_rest = carry_port({MotionLevel::pose, zero.data(), nullptr}, k, aligned<S>(scratch.data()));
  std::vector<Vector3T<S>> vectors;
  for (int i = 0; i < 3; ++i) {
    vectors.push_back(at_rest.value[i]);
    vectors.insert(vectors.end(), at_rest.slopes[i], at_rest.slopes[i] + n);
  }
  port_vectors_.push_back(std::move(vectors));
}

template <typename S>
std::size_t PointBodyBaseT<S>::shape_size() const {
  return linear_ ? linear_->shape_size() : Motions::size(table_->blocks, coordinate_count());
}
/// The move's own, then the motions of a port's three points, then the slopes of what its frame follows.
template <typename S>
std::size_t PointBodyBaseT<S>::port_scratch_size() const {
  const int n = coordinate_count();
  return padded(move_scratch_size() / sizeof(S) + 1) + Motions::size(block_count<S>(3), n) + 9 * n;
}

/// Of all calls that a workspace is handed to.
template <typename S>
std::size_t PointBodyBaseT<S>::scratch_size() const {
  return k_cache_line / sizeof(S) + 1 + (linear_ ? move_scratch_size() / sizeof(S) + 1 : port_scratch_size());
}

template <typename S>
WorkspaceSize PointBodyBaseT<S>::workspace_size() const {
  const int n = coordinate_count();
  return {shape_size() + Kept::sums_size(n) + ports_.size() * Port::size(n), scratch_size(),
          BodyT<S>::dense_elimination_size(n, port_count())};
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
void PointBodyBaseT<S>::check(const S* q, MotionLevel level, const Kept& kept_now, void* scratch) const {
  if constexpr (std::is_floating_point_v<S>) {
    if (linear_) {
      if (!linear_->is_finite(kept_now.shape)) {
        throw ConfigurationError({}, "moments of the moved points that are not finite",
                                 "finite numbers, at q = " + list_text(q, coordinates_.size()));
      }
    } else {
      check_motions(q, level, kept_now.motions);
    }
    if (!parameters_.allow_folding && knows_folding()) refuse_folded(first_folded(q, scratch), q);
  }
}
template <typename S>
void PointBodyBaseT<S>::check_motions(const S* q, MotionLevel level, const Motions& motions) const {
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
}

template <typename S>
void PointBodyBaseT<S>::forward(MotionLevel level, const BodyStateT<S>& state, const WorkspaceT<S>& workspace,
                                PortMotionT<S>* ports) const {
  const Kept kept_now = kept(workspace);
  const PointSums<S>& sums = point_sums<S>();
  if (linear_) {
    linear_->reshape(state.q, kept_now.shape);
  } else {
    move({level, state.q, state.v}, table_->x, table_->blocks, kept_now.motions, aligned(workspace.scratch));
  }
  check(state.q, level, kept_now, aligned(workspace.scratch));
  if (!linear_) sums.complete(*table_, level, state.v, state.a, kept_now.motions);
  if (level == MotionLevel::acceleration) {
    kept_now.wrench = {};
    std::fill_n(kept_now.force, coordinate_count(), S(0.0));
    if (linear_) {
      linear_->add_inertial_forces(state, kept_now.shape, kept_now.wrench, kept_now.force);
    } else {
      sums.add_inertial_forces(*table_, state, kept_now.motions, kept_now.wrench, kept_now.force);
    }
  }
  for (std::size_t k = 0; k < ports_.size(); ++k) move_port(level, state, workspace, k, ports[k]);
}

template <typename S>
void PointBodyBaseT<S>::place_ports(const S* q, const WorkspaceT<S>& workspace, PortMotionT<S>* ports) const {
  const Request request{MotionLevel::pose, q, nullptr, false};
  for (std::size_t k = 0; k < ports_.size(); ++k) {
    const PortVectors at = linear_ ? carry_linear_port(q, k) : carry_port(request, k, aligned<S>(workspace.scratch));
    ports[k].base_port = {port_axes(at.value[1], at.value[2]), at.value[0]};
  }
}

/// `scratch`: port_scratch_size() scalars.
template <typename S>
auto PointBodyBaseT<S>::carry_port(const Request& request, std::size_t k, S* scratch) const -> PortVectors {
  const int n = coordinate_count();
  const bool at_tip = ports_[k].kind == PortLocationT<S>::Kind::tip;
  const bool second = request.level == MotionLevel::acceleration;
  S* memory = scratch + padded(move_scratch_size() / sizeof(S) + 1);
  const std::size_t count = at_tip ? 3 : 1;
  const Vector3T<S> rest[] = {at_tip ? parameters_.tip_origin : ports_[k].point, parameters_.tip_a, parameters_.tip_b};
  S x[k_vector_block<S> * 3];
  fill_blocks(rest, count, x);
  const Motions motions(memory, n);
  memory += Motions::size(block_count<S>(3), n);
  move(request, x, block_count<S>(count), motions, scratch);
  PortVectors vectors;
  Direction axes_at[2];
  for (int i = 0; i < 3; ++i) {
    auto* slopes = reinterpret_cast<Vector3T<S>*>(memory + 3 * n * i);
    vectors.slopes[i] = slopes;
    if (i > 0) axes_at[i - 1].slopes = slopes;
    if (i > 0 && !at_tip) continue;
    vectors.value[i] = point_vector(motions, &Motions::value, i);
    if (second) vectors.curvature[i] = point_vector(motions, &Motions::curvature, i);
    for (int j = 0; request.slopes && j < n; ++j) {
      slopes[j] = lane_vector(motions.slope(i / k_point_lanes<S>, j), i % k_point_lanes<S>);
      if (i > 0) slopes[j] -= vectors.slopes[0][j];  // from o to a or b
    }
    if (i == 0) continue;
    vectors.value[i] -= vectors.value[0];
    vectors.curvature[i] -= vectors.curvature[0];
  }
  if (at_tip) return vectors;
  move_axes(request, ports_[k].point, axes_at, scratch);
  for (int i = 1; i < 3; ++i) {
    vectors.value[i] = axes_at[i - 1].value;
    vectors.curvature[i] = axes_at[i - 1].curvature;
  }
  return vectors;
}
template <typename S>
auto PointBodyBaseT<S>::carry_linear_port(const S* q, std::size_t k) const -> PortVectors {
  const int n = coordinate_count();
  PortVectors vectors;
  for (int i = 0; i < 3; ++i) {
    const Vector3T<S>* at_rest = port_vectors_[k].data() + i * (n + 1);
    vectors.slopes[i] = at_rest + 1;
    vectors.value[i] = *at_rest;
    for (int j = 0; j < n; ++j) vectors.value[i] += q[j] * vectors.slopes[i][j];
    vectors.curvature[i] = {S(0.0), S(0.0), S(0.0)};
  }
  return vectors;
}

template <typename S>
void PointBodyBaseT<S>::move_port(MotionLevel level, const BodyStateT<S>& state, const WorkspaceT<S>& workspace,
                                  std::size_t k, PortMotionT<S>& motion) const {
  const int n = coordinate_count();
  const PortVectors vectors =
      linear_ ? carry_linear_port(state.q, k) : carry_port({level, state.q, state.v}, k, aligned<S>(workspace.scratch));
  const auto along = [&](const S* rates, int i) {
    Vector3T<S> sum{S(0.0), S(0.0), S(0.0)};
    for (int j = 0; j < n; ++j) sum += rates[j] * vectors.slopes[i][j];
    return sum;
  };
  PortPath<S> path;
  for (int i = 0; i < 3; ++i) {
    path.value[i] = vectors.value[i];
    if (level >= MotionLevel::velocity) path.rate[i] = along(state.v, i);
    if (level == MotionLevel::acceleration) path.second[i] = vectors.curvature[i] + along(state.a, i);
  }
  fill_port_motion(level, path, state, motion);
  const Port port = kept(workspace).port(k);
  port.base_port = motion.base_port;
  const Matrix3T<S>& R = motion.base_port.rotation;
  for (int j = 0; j < n; ++j) {
    const TwistT<S> column =
        frame_twist(R, path.value[1], path.value[2], vectors.slopes[0][j], vectors.slopes[1][j], vectors.slopes[2][j]);
    for (int r = 0; r < 6; ++r) port.J[r * n + j] = column[r];
  }
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
  if (linear_) {
    linear_->add_inertia_blocks(kept(workspace).shape, blocks);
    return;
  }
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
  if (linear_) return linear_->kinetic_energy(state, kept(workspace).shape);
  return point_sums<S>().kinetic_energy(*table_, state, kept(workspace).motions);
}
template <typename S>
Vector3T<S> PointBodyBaseT<S>::mass_moment(const WorkspaceT<S>& workspace) const {
  if (linear_) return linear_->mass_moment(kept(workspace).shape);
  return point_sums<S>().mass_moment(*table_, kept(workspace).motions);
}

namespace {

/// The bore of a hollow cylinder.
template <typename S>
ChamberSurfaceT<S> bore_of(const PointShapeT<S>& shape, const std::string& link) {
  if (shape.kind != PointShapeT<S>::Kind::cylinder || !any(shape.inner_radius > S(0.0))) {
    throw ModelError("surface", "inner of '" + link + "', which has no bore", "a cylinder with an inner_radius > 0");
  }
  return cylinder_bore_surface(shape.length, shape.inner_radius, shape.nz, shape.nphi);
}

template <typename S>
ChamberSurfaceT<S> pocket_in(const PointShapeT<S>& shape, const SectorPocketT<S>& pocket, const std::string& link) {
  if (shape.kind != PointShapeT<S>::Kind::cylinder) {
    throw ModelError("surface", "a pocket in '" + link + "'", "a link whose volume is a cylinder");
  }
  if (!any(pocket.radius > S(0.0)) || any(pocket.radius > shape.half_x)) {
    throw ModelError("surface.pocket.radius", number_text(pocket.radius),
                     "0 < radius <= " + number_text(shape.half_x) + " (radius of the cylinder) [m]");
  }
  constexpr int k_radial_points = 6;
  return at_place("surface.pocket", "", [&] {
    return sector_surface<S>({shape.length, pocket.radius, pocket.angle, pocket.width}, shape.nz, k_radial_points,
                             shape.nphi);
  });
}

}  // namespace

template <typename S>
BodySurface PointBodyBaseT<S>::surface() const {
  return parameters_.surface ? *parameters_.surface : shape_surface(parameters_.shape.template cast<double>());
}

template <typename S>
ChamberSurfaceT<S> PointBodyBaseT<S>::chamber(const ChamberPlaceT<S>& which) const {
  if (which.pocket) return pocket_in(parameters_.shape, *which.pocket, which.link);
  if (which.surface == "inner") return bore_of(parameters_.shape, which.link);
  throw ModelError("surface", which.surface.empty() ? "nothing" : "'" + which.surface + "'",
                   "inner, a group of the body's mesh or a pocket");
}

template <typename S>
std::vector<Vector3T<S>> PointBodyBaseT<S>::tip_area() const {
  if (!this->has_material_points()) return {};
  const PointShapeT<S>& shape = parameters_.shape;
  const double length = scalar_cast<double>(shape.length), inner = scalar_cast<double>(shape.inner_radius);
  std::vector<Vector3T<S>> points;
  bool at_end = shape.kind != PointShapeT<S>::Kind::unknown;
  for (const Vector3T<S>& x : {parameters_.tip_origin, parameters_.tip_a, parameters_.tip_b}) {
    const Vector3 at = x.template cast<double>();
    at_end = at_end && std::abs(at.z - length) < 1e-9 * length;
    if (!(inner > 0.0) || std::hypot(at.x, at.y) >= inner) points.push_back(x);
  }
  if (!at_end) return points;
  constexpr int k_rim_points = 8;
  for (int k = 0; k < k_rim_points; ++k) {
    const double angle = 2 * M_PI * k / k_rim_points, c = std::cos(angle), s = std::sin(angle);
    // of a box: corners and middles of its edges
    const double to_rim = shape.kind == PointShapeT<S>::Kind::box ? 1.0 / std::max(std::abs(c), std::abs(s)) : 1.0;
    points.push_back({S(to_rim * c) * shape.half_x, S(to_rim * s) * shape.half_y, shape.length});
    if (inner > 0.0) points.push_back({S(c) * shape.inner_radius, S(s) * shape.inner_radius, shape.length});
  }
  return points;
}

template <typename S>
S PointBodyBaseT<S>::mean_energy_density(const S* q) const {
  S volume(0.0);
  for (const S& weight : parameters_.quadrature.weights) volume += weight;
  return this->elastic_energy(q) / volume;
}

template <typename S>
std::shared_ptr<const void> PointBodyBaseT<S>::find_part(const std::type_info& type) const {
  if (type == typeid(PointReduction)) return parameters_.reduction;
  if (type != typeid(QuadratureT<S>)) return nullptr;
  return std::make_shared<const QuadratureT<S>>(parameters_.quadrature);
}

#define CUTTLE_INSTANTIATE(S) template class PointBodyBaseT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
