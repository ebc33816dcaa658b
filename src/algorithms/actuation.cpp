#include "cuttle/algorithms/actuation.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "algorithms/sweep.h"
#include "algorithms/tendon_arc.h"
#include "algorithms/transmissions.h"
#include "cuttle/bodies/chamber_surface.h"

namespace cuttle {
namespace {

/// Ends closer than this, relative to the tendon's length, coincide: what is between them has no direction.
constexpr double k_coincident = 1e-12;

/// From one end of a straight stretch to the other, world axes.
template <typename S>
Vector3T<S> between_ends(const TendonSegmentT<S>& segment, const DataT<S>& data) {
  const auto& world_node = data.kinematics.world_node;
  return world_node[segment.second_node].act(segment.second) - world_node[segment.first_node].act(segment.first);
}

/// Calls use(i, edge) with the edges of a polygon, edge i from point i to point i + 1 in the body's base frame; the
/// points' slopes are in data.material_slopes if asked for.
template <typename S, typename Use>
void for_each_edge(const ModelT<S>& model, DataT<S>& data, const TendonPolygonT<S>& polygon, const S* q,
                   bool with_slopes, const Use& use) {
  Vector3T<S>* position = data.material_position.data();
  const BodyEdgeT<S>& body = model.topology().bodies[polygon.body];
  body.body->material_points(
      q + polygon.q, polygon.points.data(), polygon.points.size(),
      {position, with_slopes ? data.material_slopes.data() : nullptr, nullptr, nullptr, data.workspace(body).scratch});
  for (std::size_t i = 0; i + 1 < polygon.points.size(); ++i) use(i, position[i + 1] - position[i]);
}

/// Of a straight stretch whose ends are `apart`. @param direction  how its measure grows with that.
template <typename S>
S stretch(const BoundTendonT<S>& tendon, const Vector3T<S>& apart, Vector3T<S>& direction) {
  if (!tendon.half_square) return length_and_direction(apart, S(k_coincident) * tendon.rest_length, direction);
  direction = apart;
  return S(0.5) * dot(apart, apart);
}

/// @param polygons  whether with its stretches through material points.
template <typename S>
S tendon_length(const ModelT<S>& model, const BoundTendonT<S>& tendon, DataT<S>& data, const S* q, bool polygons) {
  const S tiny = S(k_coincident) * tendon.rest_length;
  Vector3T<S> direction;
  S length = tendon.fixed_length;
  for (const auto& arc : tendon.arcs) add_arc_length(arc, q, length);
  for (std::size_t i = 0; polygons && i < tendon.polygons.size(); ++i) {
    for_each_edge(model, data, tendon.polygons[i], q, false,
                  [&](std::size_t, const Vector3T<S>& edge) { length += length_and_direction(edge, tiny, direction); });
  }
  for (const auto& segment : tendon.segments) length += stretch(tendon, between_ends(segment, data), direction);
  return length;
}

/// Adds what a tension does along one polygon through material points to `force`. @return its length.
template <typename S>
S add_polygon_force(const ModelT<S>& model, const BoundTendonT<S>& tendon, const TendonPolygonT<S>& polygon,
                    const S& tension, DataT<S>& data, const S* q, S* force) {
  const S tiny = S(k_coincident) * tendon.rest_length;
  S length(0.0);
  for_each_edge(model, data, polygon, q, true, [&](std::size_t i, const Vector3T<S>& edge) {
    Vector3T<S> direction;
    length += length_and_direction(edge, tiny, direction);
    const Vector3T<S>* first = data.material_slopes.data() + i * polygon.nv;
    const Vector3T<S>* second = first + polygon.nv;
    for (int k = 0; k < polygon.nv; ++k) force[polygon.v + k] -= tension * dot(direction, second[k] - first[k]);
  });
  return length;
}
/// That of all polygons of a tendon.
template <typename S>
S add_polygon_forces(const ModelT<S>& model, const BoundTendonT<S>& tendon, const S& tension, DataT<S>& data,
                     const S* q, S* force) {
  S length(0.0);
  for (const auto& polygon : tendon.polygons) {
    length += add_polygon_force(model, tendon, polygon, tension, data, q, force);
  }
  return length;
}

/// Volume of a chamber [m^3]; adds what a pressure does, dV/dq^T pressure, to `force` unless it is null.
template <typename S>
S chamber_volume(const ModelT<S>& model, const BoundChamberT<S>& chamber, const S& pressure, DataT<S>& data, const S* q,
                 S* force) {
  if constexpr (k_has_lanes<S>) {
    return S(0.0);  // packs of robots have no volumes
  } else {
    S* slopes = force ? data.chamber_slopes.data() : nullptr;
    const BodyEdgeT<S>& body = model.topology().bodies[chamber.body];
    const S volume = volume_in_surface(*body.body, *chamber.surface, q + chamber.q, slopes,
                                       data.chamber_workspace.data(), data.workspace(body).scratch);
    for (int k = 0; force && k < chamber.nv; ++k) force[chamber.v + k] += pressure * slopes[k];
    return volume;
  }
}

/// The coordinates that a function depends on.
template <typename S>
using FunctionArguments = std::array<S, k_most_function_coordinates>;
template <typename S>
FunctionArguments<S> coordinates_of(const BoundFunctionT<S>& bound, const S* q) {
  FunctionArguments<S> x;
  for (std::size_t i = 0; i < bound.q.size(); ++i) x[i] = q[bound.q[i]];
  return x;
}

/// Adds what an effort on a function of coordinates does to `force`: dy/dq^T effort.
template <typename S>
void add_function_force(const BoundFunctionT<S>& bound, const S& effort, const S* q, S* force) {
  FunctionArguments<S> slopes;
  bound.function->slopes(coordinates_of(bound, q).data(), slopes.data());
  for (std::size_t i = 0; i < bound.v.size(); ++i) force[bound.v[i]] += effort * slopes[i];
}

/// Adds the wrenches of a tension at the ends of the straight stretches to the nodes: it pulls them together.
template <typename S>
void add_segment_wrenches(const BoundTendonT<S>& tendon, const S& tension, DataT<S>& data) {
  const auto pull = [&](int node, const Vector3T<S>& at, const Vector3T<S>& world_force) {
    const Vector3T<S> force = data.kinematics.world_node[node].rotation.transpose_times(world_force);
    data.wrench[node] += WrenchT<S>{cross(at, force), force};
  };
  for (const auto& segment : tendon.segments) {
    Vector3T<S> direction;
    stretch(tendon, between_ends(segment, data), direction);
    pull(segment.first_node, segment.first, tension * direction);
    pull(segment.second_node, segment.second, -(tension * direction));
  }
}

/// Adds a wrench's efforts to its node.
template <typename S>
void add_node_wrench(const BoundWrenchT<S>& bound, const WrenchT<S>& efforts, DataT<S>& data) {
  WrenchT<S> w = efforts;
  if (bound.world_axes) {
    const Matrix3T<S> R = data.kinematics.pose(bound.frame).rotation;
    w = {R.transpose_times(w.torque), R.transpose_times(w.force)};
  }
  data.wrench[bound.frame.node] += bound.frame.node_frame.act(w);
}

/// Which transmissions somebody asks for, by their first index.
struct Wanted {
  const std::vector<char>* which = nullptr;  ///< null: all
  bool operator()(int first, int count = 1) const {
    return which == nullptr ||
           std::any_of(which->begin() + first, which->begin() + first + count, [](char x) { return x != 0; });
  }
};
constexpr int k_wrench_inputs = 6;

/// Whether some act on frames: straight stretches of tendons, and wrenches.
template <typename S>
bool act_on_frames(const TransmissionsT<S>& t, const Wanted& wanted) {
  return std::any_of(t.wrenches.begin(), t.wrenches.end(),
                     [&](const auto& wrench) { return wanted(wrench.input, k_wrench_inputs); }) ||
         std::any_of(t.tendons.begin(), t.tendons.end(),
                     [&](const auto& tendon) { return !tendon.segments.empty() && wanted(tendon.input); });
}

/// Poses of the nodes, and with `Jacobians` those of the ports; nothing if none act on frames.
template <bool Jacobians, typename S>
bool prepare(const ModelT<S>& model, const TransmissionsT<S>& t, DataT<S>& data, const S* q,
             const Wanted& wanted = {}) {
  if (!act_on_frames(t, wanted)) return false;
  sweep::outward<MotionLevel::pose, false, Jacobians, S>(model, data, q, nullptr, nullptr, {});
  sweep::world_poses(model, data);
  return true;
}

template <typename S>
void clear_wrenches(DataT<S>& data) {
  std::fill(data.wrench.begin(), data.wrench.end(), WrenchT<S>::zero());
}

template <typename S>
void check_inputs(const ModelT<S>& model, const char* function, const VectorInT<S>& u) {
  if (u.size() != model.nu()) {
    throw ArgumentError(std::string(function) + ": u: found size " + std::to_string(u.size()) + ", expected " +
                        std::to_string(model.nu()) + " (nu of '" + model.name() + "')");
  }
  if constexpr (!k_has_lanes<S>) require_finite_argument<S>(function, "u", u);
}

}  // namespace

namespace {

/// Adds the columns of straight stretches and of wrenches, after prepare<true>.
template <typename S>
void add_frame_columns(const ModelT<S>& model, const TransmissionsT<S>& t, DataT<S>& data, const Wanted& wanted,
                       MatrixXT<S>& matrix) {
  const auto column_of = [&](int input) { return matrix.data() + static_cast<std::ptrdiff_t>(input) * model.nv(); };
  for (const auto& tendon : t.tendons) {
    if (tendon.segments.empty() || !wanted(tendon.input)) continue;
    clear_wrenches(data);
    add_segment_wrenches(tendon, S(1.0), data);
    sweep::add_projected_wrenches(model, data, column_of(tendon.input));
  }
  for (const auto& wrench : t.wrenches) {
    for (int k = 0; k < k_wrench_inputs; ++k) {
      if (!wanted(wrench.input + k)) continue;
      WrenchT<S> unit;
      unit[k] = S(1.0);
      clear_wrenches(data);
      add_node_wrench(wrench, unit, data);
      sweep::add_projected_wrenches(model, data, column_of(wrench.input + k));
    }
  }
}

/// After prepare<true>. @param y  takes what comes with the columns, unless it is null: volumes of chambers, and
/// lengths of tendons through material points, of which it has the rest.
template <typename S>
void fill_matrix(const ModelT<S>& model, const TransmissionsT<S>& t, DataT<S>& data, const S* q, const Wanted& wanted,
                 MatrixXT<S>& matrix, VectorXT<S>* y) {
  matrix = t.constant;
  const auto column_of = [&](int input) { return matrix.data() + static_cast<std::ptrdiff_t>(input) * model.nv(); };
  for (const auto& tendon : t.tendons) {
    if (!wanted(tendon.input)) continue;
    S* column = column_of(tendon.input);
    for (const auto& arc : tendon.arcs) add_arc_force(arc, S(1.0), q, column);
    const S length = add_polygon_forces(model, tendon, S(1.0), data, q, column);
    if (y != nullptr) (*y)[tendon.input] -= length;
  }
  add_frame_columns(model, t, data, wanted, matrix);
  for (const auto& chamber : t.chambers) {
    if (!wanted(chamber.input)) continue;
    const S volume = chamber_volume(model, chamber, S(1.0), data, q, column_of(chamber.input));
    if (y != nullptr) (*y)[chamber.input] = volume;
  }
  for (const auto& function : t.functions) add_function_force(function, S(1.0), q, column_of(function.input));
}

/// Wrenches of straight stretches and of wrenches at the nodes, after prepare<true>.
template <typename S, typename Effort>
void add_frame_wrenches(const TransmissionsT<S>& t, const Effort& effort, DataT<S>& data) {
  for (const auto& tendon : t.tendons) {
    if (!t.is_driven(tendon.input)) add_segment_wrenches(tendon, effort(tendon.input), data);
  }
  for (const auto& wrench : t.wrenches) {
    WrenchT<S> w;
    for (int k = 0; k < 6; ++k) w[k] = effort(wrench.input + k);
    add_node_wrench(wrench, w, data);
  }
}

/// All but the volumes of chambers, after prepare. @param polygons  whether with tendons through material points.
template <typename S>
void fill_coordinates(const ModelT<S>& model, const TransmissionsT<S>& t, DataT<S>& data, const S* q,
                      const Wanted& wanted, bool polygons, VectorXT<S>& y) {
  y = t.offset;
  for (const Edge& edge : model.topology().edges) {
    if (edge.nq != edge.nv) continue;  // no actuator takes a rotation's coordinates for numbers
    for (int k = 0; k < edge.nv; ++k) {
      for (int u = 0; u < t.count(); ++u) y[u] += t.constant(edge.v + k, u) * q[edge.q + k];
    }
  }
  for (const auto& tendon : t.tendons) {
    if (wanted(tendon.input)) y[tendon.input] = tendon.rest_length - tendon_length(model, tendon, data, q, polygons);
  }
  for (const auto& function : t.functions)
    y[function.input] = function.function->value(coordinates_of(function, q).data());
}

}  // namespace

template <typename S>
void transmission_matrix(const ModelT<S>& model, const TransmissionsT<S>& t, DataT<S>& data, VectorInT<S> q,
                         MatrixXT<S>& matrix) {
  prepare<true>(model, t, data, q.data());
  fill_matrix<S>(model, t, data, q.data(), {}, matrix, nullptr);
}

template <typename S>
void transmission_coordinates(const ModelT<S>& model, const TransmissionsT<S>& t, DataT<S>& data, VectorInT<S> q,
                              VectorXT<S>& y) {
  prepare<false>(model, t, data, q.data());
  fill_coordinates(model, t, data, q.data(), {}, true, y);
  for (const auto& chamber : t.chambers) {
    y[chamber.input] = chamber_volume<S>(model, chamber, S(0.0), data, q.data(), nullptr);
  }
}

template <typename S>
void transmission_motion(const ModelT<S>& model, const TransmissionsT<S>& t, DataT<S>& data, VectorInT<S> q,
                         MatrixXT<S>& matrix, VectorXT<S>& y, const std::vector<char>* wanted) {
  prepare<true>(model, t, data, q.data(), {wanted});
  fill_coordinates(model, t, data, q.data(), {wanted}, false, y);
  fill_matrix(model, t, data, q.data(), {wanted}, matrix, &y);
}

template <typename S>
void transmission_force(const ModelT<S>& model, const TransmissionsT<S>& t, DataT<S>& data, VectorInT<S> q,
                        VectorInT<S> efforts, VectorXT<S>& force) {
  force.setZero();
  const auto effort = [&](int k) -> S { return t.is_driven(k) ? S(0.0) : S(efforts[k]); };
  for (int k = 0; k < t.count(); ++k) {
    for (int i = 0; i < model.nv(); ++i) force[i] += t.constant(i, k) * effort(k);
  }
  if (prepare<true>(model, t, data, q.data())) {
    clear_wrenches(data);
    add_frame_wrenches<S>(t, effort, data);
    sweep::add_projected_wrenches(model, data, force.data());
  }
  for (const auto& tendon : t.tendons) {
    if (t.is_driven(tendon.input)) continue;
    for (const auto& arc : tendon.arcs) add_arc_force(arc, effort(tendon.input), q.data(), force.data());
    add_polygon_forces(model, tendon, effort(tendon.input), data, q.data(), force.data());
  }
  for (const auto& chamber : t.chambers) {
    if constexpr (std::is_floating_point_v<S>) {  // no pressure, no sum over a surface
      if (effort(chamber.input) == S(0.0)) continue;
    }
    chamber_volume(model, chamber, effort(chamber.input), data, q.data(), force.data());
  }
  for (const auto& function : t.functions) add_function_force(function, effort(function.input), q.data(), force.data());
}

template <typename S>
void frame_transmission_force(const ModelT<S>& model, const TransmissionsT<S>& t, DataT<S>& data, VectorInT<S> q,
                              VectorInT<S> efforts, VectorXT<S>& force) {
  force.setZero();
  if (!prepare<true>(model, t, data, q.data())) return;
  clear_wrenches(data);
  add_frame_wrenches<S>(
      t, [&](int k) { return efforts[k]; }, data);
  sweep::add_projected_wrenches(model, data, force.data());
}

template <typename S>
void frame_transmission_matrix(const ModelT<S>& model, const TransmissionsT<S>& t, DataT<S>& data, VectorInT<S> q,
                               MatrixXT<S>& matrix) {
  matrix.setZero(model.nv(), t.count());
  if (prepare<true>(model, t, data, q.data())) add_frame_columns(model, t, data, {}, matrix);
}

template <typename S>
void polygon_force(const ModelT<S>& model, const BoundTendonT<S>& tendon, const TendonPolygonT<S>& polygon,
                   DataT<S>& data, VectorInT<S> q, VectorXT<S>& force) {
  force.segment(polygon.v, polygon.nv).setZero();
  add_polygon_force(model, tendon, polygon, S(1.0), data, q.data(), force.data());
}

template <typename S>
void chamber_force(const ModelT<S>& model, const BoundChamberT<S>& chamber, DataT<S>& data, VectorInT<S> q,
                   VectorXT<S>& force) {
  force.segment(chamber.v, chamber.nv).setZero();
  chamber_volume(model, chamber, S(1.0), data, q.data(), force.data());
}

template <typename S>
const MatrixXT<S>& actuation_matrix(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q) {
  check_call(model, "actuation_matrix", data, q);
  transmission_matrix<S>(model, model.actuation(), data, q, data.actuation_matrix);
  require_finite_matrix<S>("actuation_matrix", "A", data.actuation_matrix);
  return data.actuation_matrix;
}

template <typename S>
const VectorXT<S>& actuation_coordinates(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q) {
  check_call(model, "actuation_coordinates", data, q);
  VectorXT<S>& y = data.actuation_coordinates;
  transmission_coordinates<S>(model, model.actuation(), data, q, y);
  require_finite_result("actuation_coordinates", y.data(), y.size(), [&](Eigen::Index i) {
    return "y[" + std::to_string(i) + "] (" + model.input_info()[i].name + ")";
  });
  return y;
}

template <typename S>
const VectorXT<S>& actuation_force(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> u) {
  check_call(model, "actuation_force", data, q);
  check_inputs(model, "actuation_force", u);
  transmission_force<S>(model, model.actuation(), data, q, u, data.force);
  require_finite_force(model, "actuation_force", "force", data.force);
  return data.force;
}

template <typename S>
MaskT<S> clip_slack(const ModelT<S>& model, VectorOutT<S> u) {
  check_inputs<S>(model, "clip_slack", u);
  MaskT<S> refused = S(1.0) < S(0.0);
  for (const auto& tendon : model.tendons()) {
    S& tension = u[tendon.input];
    const auto slack = tension < S(0.0);
    if (tendon.slack == Slack::clip) tension = select(slack, S(0.0), tension);
    if (tendon.slack == Slack::error) refused = refused | slack;
  }
  return refused;
}

template <typename S>
void apply_slack(const ModelT<S>& model, VectorOutT<S> u) {
  check_inputs<S>(model, "apply_slack", u);
  if (!any(clip_slack<S>(model, u))) return;
  for (const auto& tendon : model.tendons()) {
    if (tendon.slack != Slack::error || !any(u[tendon.input] < S(0.0))) continue;
    throw ArgumentError("actuator '" + model.input_info()[tendon.input].name + "': found a tension of " +
                        number_text(u[tendon.input]) + " N, expected >= 0 (or `slack: clip` or `slack: allow`)");
  }
}

#define CUTTLE_INSTANTIATE(S)                                                                                     \
  template void transmission_matrix<S>(const ModelT<S>&, const TransmissionsT<S>&, DataT<S>&, VectorInT<S>,       \
                                       MatrixXT<S>&);                                                             \
  template void transmission_coordinates<S>(const ModelT<S>&, const TransmissionsT<S>&, DataT<S>&, VectorInT<S>,  \
                                            VectorXT<S>&);                                                        \
  template void transmission_motion<S>(const ModelT<S>&, const TransmissionsT<S>&, DataT<S>&, VectorInT<S>,       \
                                       MatrixXT<S>&, VectorXT<S>&, const std::vector<char>*);                     \
  template void transmission_force<S>(const ModelT<S>&, const TransmissionsT<S>&, DataT<S>&, VectorInT<S>,        \
                                      VectorInT<S>, VectorXT<S>&);                                                \
  template const MatrixXT<S>& actuation_matrix<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>);                     \
  template const VectorXT<S>& actuation_coordinates<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>);                \
  template const VectorXT<S>& actuation_force<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>, VectorInT<S>);        \
  template MaskT<S> clip_slack<S>(const ModelT<S>&, VectorOutT<S>);                                               \
  template void apply_slack<S>(const ModelT<S>&, VectorOutT<S>);                                                  \
  template void frame_transmission_force<S>(const ModelT<S>&, const TransmissionsT<S>&, DataT<S>&, VectorInT<S>,  \
                                            VectorInT<S>, VectorXT<S>&);                                          \
  template void frame_transmission_matrix<S>(const ModelT<S>&, const TransmissionsT<S>&, DataT<S>&, VectorInT<S>, \
                                             MatrixXT<S>&);                                                       \
  template void polygon_force<S>(const ModelT<S>&, const BoundTendonT<S>&, const TendonPolygonT<S>&, DataT<S>&,   \
                                 VectorInT<S>, VectorXT<S>&);                                                     \
  template void chamber_force<S>(const ModelT<S>&, const BoundChamberT<S>&, DataT<S>&, VectorInT<S>, VectorXT<S>&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
