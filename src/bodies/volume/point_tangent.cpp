#include <algorithm>
#include <type_traits>

#include "bodies/port_frame.h"
#include "bodies/volume/linear_inertia.h"
#include "bodies/volume/point_body_impl.h"
#include "bodies/volume/point_sums.h"
#include "cuttle/bodies/point_body_base.h"
#include "cuttle/bodies/volume_kinematics.h"
#include "cuttle/spatial/scalars.h"
#include "spatial/aligned.h"

// Derivatives of point bodies. A point's displacement in the inertial frame by q_j is its slope s_j, so that the three
// twists of cuttle/bodies/tangent.h become three vectors: s_j, and its first and second derivative in time along the
// motion. The sums over the points are those of inverse dynamics with these in place of positions and accelerations;
// beside them stands only sum f . d2p/(dq_i dq_j), f the inertial force of a point.

namespace cuttle {

namespace {

template <typename S, typename T>
void store_column(S* rows, int n, int k, const T& t) {
  for (int r = 0; r < 6; ++r) rows[r * n + k] = t[r];
}
template <typename S>
TwistT<S> twist_at(const S* rows, int n, int k) {
  TwistT<S> t;
  for (int r = 0; r < 6; ++r) t[r] = rows[r * n + k];
  return t;
}
template <typename S>
Vector3T<Dual<S, 1>> with_slope(const Vector3T<S>& value, const Vector3T<S>& slope) {
  Vector3T<Dual<S, 1>> both;
  for (int i = 0; i < 3; ++i) both[i].value = value[i], both[i].derivative[0] = slope[i];
  return both;
}
template <typename S>
using InTime = Dual<Dual<S, 1>, 1>;
template <typename S>
Vector3T<InTime<S>> in_time(const Vector3T<S>& value, const Vector3T<S>& first, const Vector3T<S>& second) {
  Vector3T<InTime<S>> path;
  for (int i = 0; i < 3; ++i) {
    path[i].value.value = value[i];
    path[i].value.derivative[0] = path[i].derivative[0].value = first[i];
    path[i].derivative[0].derivative[0] = second[i];
  }
  return path;
}
/// Column `column` of the matrix of a lane in rows of lanes.
template <typename S>
Vector3T<S> lane_column(const S* rows, int lane, int column) {
  constexpr int n = k_point_lanes<S>;
  const S* at = rows + lane + column * n;
  return {at[0], at[3 * n], at[6 * n]};
}

}  // namespace

/// What a port's frame follows - o, a and b - with derivatives: the slopes, their first and second derivatives along
/// the motion, and those by coordinates in pairs; then the three twists of each coordinate, base axes.
template <typename S>
struct PointBodyBaseT<S>::PortSeconds {
  Vector3T<S>* vectors;
  S* twists;
  int n;

  static std::size_t size(std::size_t n) { return padded(3 * (3 + 9 * n + 3 * SecondSlopesT<S>::pairs(n)) + 18 * n); }
  PortSeconds(S* memory, int coordinates)
      : vectors(reinterpret_cast<Vector3T<S>*>(memory)),
        twists(memory + 3 * (3 + 9 * coordinates + 3 * SecondSlopesT<S>::pairs(coordinates))),
        n(coordinates) {}
  Vector3T<S>& value(int i) const { return vectors[i]; }
  Vector3T<S>* slopes(int i) const { return vectors + 3 + i * n; }
  Vector3T<S>* first(int i) const { return vectors + 3 + (3 + i) * n; }
  Vector3T<S>* second(int i) const { return vectors + 3 + (6 + i) * n; }
  Vector3T<S>* hessians(int i) const { return vectors + 3 + 9 * n + i * SecondSlopesT<S>::pairs(n); }
  S* jacobian() const { return twists; }
  S* rate() const { return twists + 6 * n; }
  S* second_twist() const { return twists + 12 * n; }
};

template <typename S>
struct PointBodyBaseT<S>::TangentMemory {
  S *ports, *lanes, *gradients;
  SecondSlopesT<S> results;  ///< paths and hessians of a few blocks of points
  void* scratch;
  std::size_t size;  ///< up to the scratch
};
template <typename S>
auto PointBodyBaseT<S>::tangent_parts(S* memory) const -> TangentMemory {
  const std::size_t n = coordinate_count(), pairs = SecondSlopesT<S>::pairs(n), few = k_gradient_blocks;
  std::size_t used = 0;
  const auto take = [&](std::size_t count) {
    const std::size_t begin = used;
    used += padded(count);
    return memory == nullptr ? nullptr : memory + begin;
  };
  TangentMemory m;
  m.ports = take(ports_.size() * PortSeconds::size(n));
  m.lanes = take(PointTangentRows(n).count * k_point_lanes<S>);
  if (!linear_) {
    m.results.paths = take(few * 2 * n * k_vector_block<S>);
    m.results.hessians = take(few * pairs * k_vector_block<S>);
    // of one block, for ports at material points: F, its slopes along the motion and by pairs
    m.gradients = take(9 * k_point_lanes<S> * (1 + 2 * n + pairs));
  }
  m.scratch = take(0);
  m.size = used;
  return m;
}

template <typename S>
const BodyTangentT<S>* PointBodyBaseT<S>::tangent() const {
  if constexpr (std::is_same_v<S, double>) {
    if (linear_ || knows_second_slopes()) return this;
  }
  return nullptr;
}

template <typename S>
std::size_t PointBodyBaseT<S>::tangent_memory_size() const {
  const std::size_t line = 64 / sizeof(S) + 1;
  const std::size_t internal = knows_internal_derivatives() ? internal_scratch_size() / sizeof(S) + 1 : 0;
  const std::size_t second = linear_ ? 0 : second_scratch_size() / sizeof(S) + 1;
  return line + std::max(tangent_parts(nullptr).size + second, internal);
}

template <typename S>
void PointBodyBaseT<S>::internal_derivatives(const S* q, const S* v, S* memory, S* by_q, S* by_v) const {
  fill_internal_derivatives(q, v, aligned<S>(memory), by_q, by_v);
}

/// Fills what the port's frame follows.
template <typename S>
auto PointBodyBaseT<S>::carry_port_seconds(const BodyStateT<S>& state, std::size_t k, const TangentMemory& memory) const
    -> PortSeconds {
  const int n = coordinate_count();
  const std::size_t pairs = SecondSlopesT<S>::pairs(n);
  const PortSeconds port(memory.ports + k * PortSeconds::size(n), n);
  const Vector3T<S> zero{S(0.0), S(0.0), S(0.0)};
  if (linear_) {
    const PortVectors vectors = carry_linear_port(state.q, k);
    for (int i = 0; i < 3; ++i) {
      port.value(i) = vectors.value[i];
      std::copy_n(vectors.slopes[i], n, port.slopes(i));
      std::fill_n(port.first(i), n, zero), std::fill_n(port.second(i), n, zero);
    }
    return port;
  }
  const bool at_tip = ports_[k].kind == PortLocationT<S>::Kind::tip;
  const Vector3T<S> rest[] = {at_tip ? parameters_.tip_origin : ports_[k].point, parameters_.tip_a, parameters_.tip_b};
  const int count = at_tip ? 3 : 1;
  S x[3 * k_vector_block<S>];
  fill_blocks(rest, count, x);
  SecondSlopesT<S> results = memory.results;
  constexpr int k_lanes = k_point_lanes<S>;
  if (!at_tip) {
    results.F = memory.gradients;
    results.F_paths = results.F + 9 * k_lanes;
    results.F_hessians = results.F_paths + 18 * k_lanes * n;
  }
  const auto vector = [&](const S* all, std::size_t each, std::size_t entry, int i) {
    return lane_vector(all + (i / k_lanes * each + entry) * k_vector_block<S>, i % k_lanes);
  };
  const auto store = [&](std::size_t, std::size_t) {
    for (int i = 0; i < count; ++i) {
      const auto from_origin = [&](const S* all, std::size_t each, std::size_t entry) {
        return i == 0 ? vector(all, each, entry, 0) : vector(all, each, entry, i) - vector(all, each, entry, 0);
      };
      for (int j = 0; j < n; ++j) {
        port.first(i)[j] = from_origin(results.paths, 2 * n, 2 * j);
        port.second(i)[j] = from_origin(results.paths, 2 * n, 2 * j + 1);
      }
      for (std::size_t pair = 0; pair < pairs; ++pair) {
        port.hessians(i)[pair] = from_origin(results.hessians, pairs, pair);
      }
    }
    for (int i = 1; i < 3 && !at_tip; ++i) {
      for (int j = 0; j < n; ++j) {
        port.first(i)[j] = lane_column(results.F_paths + 18 * k_lanes * j, 0, i - 1);
        port.second(i)[j] = lane_column(results.F_paths + (18 * j + 9) * k_lanes, 0, i - 1);
      }
      for (std::size_t pair = 0; pair < pairs; ++pair) {
        port.hessians(i)[pair] = lane_column(results.F_hessians + 9 * k_lanes * pair, 0, i - 1);
      }
    }
  };
  results.resume = k > 0;
  second_slopes(state.q, state.v, state.a, x, block_count<S>(count), results, GradientUse(store), memory.scratch);
  return port;
}

/// The three twists of each coordinate at a port. In port axes they are the twist of the frame that follows the slopes,
/// with its derivatives in time; the axes turn with the port.
template <typename S>
void PointBodyBaseT<S>::turn_port(const BodyStateT<S>& state, std::size_t k, const TangentMemory& memory,
                                  const PortTangentT<S>& port) const {
  const int n = coordinate_count();
  const PortSeconds at(memory.ports + k * PortSeconds::size(n), n);
  Vector3T<InTime<S>> path[3];
  for (int i = 0; i < 3; ++i) {
    Vector3T<S> rate{S(0.0), S(0.0), S(0.0)}, second = rate;
    for (int j = 0; j < n; ++j) {
      rate += state.v[j] * at.slopes(i)[j];
      second += state.a[j] * at.slopes(i)[j] + state.v[j] * at.first(i)[j];
    }
    path[i] = in_time(at.value(i), rate, second);
  }
  const auto axes = port_axes(path[1], path[2]);
  PoseT<S> base_port;
  base_port.position = at.value(0);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) base_port.rotation(r, c) = axes(r, c).value.value;
  }
  const TwistT<S> carried = base_port.act_inverse(state.base_velocity);
  TwistT<S> relative, change;  // of the port in the base, and d/dt of its components
  for (int j = 0; j < n; ++j) {
    const auto slope = [&](int i) { return in_time(at.slopes(i)[j], at.first(i)[j], at.second(i)[j]); };
    const auto twist = frame_twist(axes, path[1], path[2], slope(0), slope(1), slope(2));
    TwistT<S> J, first, second;
    for (int r = 0; r < 6; ++r) {
      J[r] = twist[r].value.value;
      first[r] = twist[r].value.derivative[0];
      second[r] = twist[r].derivative[0].derivative[0];
    }
    relative += state.v[j] * J;
    change += state.a[j] * J + state.v[j] * first;
    store_column(at.jacobian(), n, j, J), store_column(at.rate(), n, j, first);
    store_column(at.second_twist(), n, j, second);
  }
  const TwistT<S> V = carried + relative;
  const TwistT<S> A = base_port.act_inverse(state.base_acceleration) + bracket(carried, relative) + change;
  for (int j = 0; j < n; ++j) {
    const TwistT<S> J = twist_at(at.jacobian(), n, j), first = twist_at(at.rate(), n, j);
    const TwistT<S> rate = first + bracket(V, J);
    const TwistT<S> second = twist_at(at.second_twist(), n, j) + bracket(A, J) + bracket(V, first) + bracket(V, rate);
    store_column(at.jacobian(), n, j, base_port.act(J));
    store_column(at.rate(), n, j, base_port.act(rate));
    store_column(at.second_twist(), n, j, base_port.act(second));
  }
  std::copy_n(at.jacobian(), 6 * n, port.jacobian);
  std::copy_n(at.rate(), 6 * n, port.rate);
  std::copy_n(at.second_twist(), 6 * n, port.second);
}

template <typename S>
void PointBodyBaseT<S>::tangent_outward(const BodyStateT<S>& state, const WorkspaceT<S>& workspace, S* memory,
                                        const PortTangentT<S>* ports) const {
  if constexpr (std::is_same_v<S, double>) {
    const TangentMemory parts = tangent_parts(aligned<S>(memory));
    for (std::size_t k = 0; k < ports_.size(); ++k) {
      const PortSeconds port = carry_port_seconds(state, k, parts);
      if (!linear_) {
        const PortVectors vectors = carry_port({MotionLevel::pose, state.q, nullptr}, k, aligned<S>(workspace.scratch));
        for (int i = 0; i < 3; ++i) {
          port.value(i) = vectors.value[i];
          std::copy_n(vectors.slopes[i], coordinate_count(), port.slopes(i));
        }
      }
      turn_port(state, k, parts, ports[k]);
    }
  }
}

/// What hangs at a port, as it moves with the coordinates.
template <typename S>
void PointBodyBaseT<S>::add_port(std::size_t k, const CompositeT<S>& load, const WorkspaceT<S>& workspace,
                                 const TangentMemory& memory, BodyDerivativesT<S>& r) const {
  const int n = coordinate_count();
  const PortSeconds at(memory.ports + k * PortSeconds::size(n), n);
  r.composite += load;
  for (int j = 0; j < n; ++j) {
    const TwistT<S> J = twist_at(at.jacobian(), n, j), rate = twist_at(at.rate(), n, j);
    const WrenchT<S> by_a = load.inertia * J, momentum = load.inertia * rate;
    const WrenchT<S> by_q =
        load.inertia * twist_at(at.second_twist(), n, j) + load.rate * rate.angular + load.turn * J.angular;
    const WrenchT<S> by_v = momentum + momentum + load.rate * J.angular;
    const Vector3T<S>&w = J.angular, &v = J.linear;
    const WrenchT<S> carried{cross(w, load.wrench.torque) + cross(v, load.wrench.force), cross(w, load.wrench.force)};
    const Vector3T<S> z = load.rate.transpose_times(J), y = load.turn.transpose_times(J);
    for (int i = 0; i < 6; ++i) {
      r.coupling[i * n + j] += by_a[i];
      r.base_by_q[i * n + j] += by_q[i] + carried[i];
      r.base_by_v[i * n + j] += by_v[i];
    }
    for (int i = 0; i < 3; ++i) r.rate[i * n + j] += z[i], r.turn[i * n + j] += y[i];
    for (int i = 0; i < n; ++i) {
      const TwistT<S> row = twist_at(at.jacobian(), n, i);
      r.force_by_q[i * n + j] += dot(by_q, row);
      r.force_by_v[i * n + j] += dot(by_v, row);
      r.mass[i * n + j] += dot(by_a, row);
    }
  }
  // the wrench at the port, constant in port axes, with the port's Jacobian there
  const PoseT<S>& base_port = kept(workspace).port(k).base_port;
  const WrenchT<S> wrench = base_port.act_inverse(load.wrench);
  const Vector3T<S> zero{S(0.0), S(0.0), S(0.0)};
  for (int j = 0; j < n; ++j) {
    const auto a = with_slope(at.value(1), at.slopes(1)[j]), b = with_slope(at.value(2), at.slopes(2)[j]);
    const auto axes = port_axes(a, b);
    for (int i = 0; i < n; ++i) {
      const std::size_t pair = SecondSlopesT<S>::pairs(std::max(i, j)) + std::min(i, j);
      const auto slope = [&](int c) { return with_slope(at.slopes(c)[i], linear_ ? zero : at.hessians(c)[pair]); };
      const auto twist = frame_twist(axes, a, b, slope(0), slope(1), slope(2));
      for (int c = 0; c < 6; ++c) r.force_by_q[i * n + j] += wrench[c] * twist[c].derivative[0];
    }
  }
}

/// The points' own inertia.
template <typename S>
void PointBodyBaseT<S>::sum_points(const BodyStateT<S>& state, const WorkspaceT<S>& workspace,
                                   const TangentMemory& memory, BodyDerivativesT<S>& r) const {
  const int n = coordinate_count();
  const Kept kept_now = kept(workspace);
  InertiaBlocksT<S> blocks{r.mass, r.coupling, {}};
  inertia_blocks(state, workspace, blocks);
  r.composite = {};
  r.composite.inertia = blocks.base;
  r.composite.wrench = kept_now.wrench;
  std::fill_n(r.turn, 3 * n, S(0.0));
  if (linear_) {
    linear_->derivatives(state, kept_now.shape, r);
    return;
  }
  const PointTangentRows rows(n);
  constexpr int k_lanes = k_point_lanes<S>;
  std::fill_n(memory.lanes, rows.count * k_lanes, S(0.0));
  const auto use = [&](std::size_t first, std::size_t count) {
    point_sums<S>().add_derivatives(table_->part(first, count), state, kept_now.motions.from(first),
                                    memory.results.paths, memory.results.hessians, memory.lanes);
  };
  SecondSlopesT<S> results = memory.results;
  results.resume = true;  // after the ports
  second_slopes(state.q, state.v, state.a, table_->x, table_->blocks, results, GradientUse(use), memory.scratch);
  const auto total = [&](std::size_t row) {
    const S* lanes = memory.lanes + row * k_lanes;
    S sum(0.0);
    for (int lane = 0; lane < k_lanes; ++lane) sum += lanes[lane];
    return sum;
  };
  for (int i = 0; i < n * n; ++i) {
    r.force_by_q[i] = total(rows.force_by_q + i);
    r.force_by_v[i] = total(rows.force_by_v + i);
  }
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i <= j; ++i) {
      const S term = total(rows.pairs + SecondSlopesT<S>::pairs(j) + i);
      r.force_by_q[i * n + j] += term;
      if (i != j) r.force_by_q[j * n + i] += term;
    }
  }
  for (int i = 0; i < 6 * n; ++i) {
    r.base_by_q[i] = total(rows.base_by_q + i);
    r.base_by_v[i] = total(rows.base_by_v + i);
  }
  for (int i = 0; i < 3 * n; ++i) r.rate[i] = total(rows.rate + i);
  Vector3T<S> P;
  Matrix3T<S> K;
  for (int i = 0; i < 3; ++i) {
    P[i] = total(rows.momentum + i);
    for (int j = 0; j < 3; ++j) K(i, j) = total(rows.momentum + 3 + 3 * i + j);
  }
  r.composite.rate = momentum_rate(P, K);
}

template <typename S>
void PointBodyBaseT<S>::tangent_inward(const BodyStateT<S>& state, const CompositeT<S>* ports,
                                       const WorkspaceT<S>& workspace, S* memory, BodyDerivativesT<S>& result) const {
  if constexpr (std::is_same_v<S, double>) {
    const TangentMemory parts = tangent_parts(aligned<S>(memory));
    sum_points(state, workspace, parts, result);
    for (std::size_t k = 0; k < ports_.size(); ++k) add_port(k, ports[k], workspace, parts, result);
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses
#define CUTTLE_INSTANTIATE(S)                                                                                       \
  template const BodyTangentT<S>* PointBodyBaseT<S>::tangent() const;                                               \
  template std::size_t PointBodyBaseT<S>::tangent_memory_size() const;                                              \
  template void PointBodyBaseT<S>::internal_derivatives(const S*, const S*, S*, S*, S*) const;                      \
  template void PointBodyBaseT<S>::tangent_outward(const BodyStateT<S>&, const WorkspaceT<S>&, S*,                  \
                                                   const PortTangentT<S>*) const;                                   \
  template void PointBodyBaseT<S>::tangent_inward(const BodyStateT<S>&, const CompositeT<S>*, const WorkspaceT<S>&, \
                                                  S*, BodyDerivativesT<S>&) const;
// NOLINTEND(bugprone-macro-parentheses)
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
