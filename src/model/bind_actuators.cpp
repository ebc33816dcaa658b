#include <cmath>

#include "cuttle/error.h"
#include "model/model_builder.h"
#include "model/rod_path.h"
#include "spatial/number_text.h"

// Actuators bound to the coordinates and nodes of a model.

namespace cuttle {
namespace {

/// Norm that is 0, with no derivative, for what is 0.
template <typename S>
S length_of(const Vector3T<S>& x) {
  return any(dot(x, x) > S(0.0)) ? norm(x) : S(0.0);
}

/// Length of the polygon through material points at q = 0.
template <typename S>
S rest_length(const BodyT<S>& body, const std::vector<Vector3T<S>>& points) {
  const std::vector<S> zero(body.coordinate_count(), S(0.0));
  std::vector<Vector3T<S>> position(points.size());
  body.material_points(zero.data(), points.data(), points.size(), {position.data()});
  S length(0.0);
  for (std::size_t i = 1; i < position.size(); ++i) length += length_of(position[i] - position[i - 1]);
  return length;
}

}  // namespace

template <typename S>
VectorXT<S>& ModelBuilderT<S>::add_transmission(const std::string& name, const char* unit) {
  bound_to_->info.push_back({name, unit});
  bound_to_->columns.push_back(VectorXT<S>::Zero(model_.nv_));
  return bound_to_->columns.back();
}

template <typename S>
const LinkInfoT<S>& ModelBuilderT<S>::link_named(const std::string& what, const std::string& name) const {
  const auto found = index_.find(name);
  if (found == index_.end()) throw ModelError(what + ": found link '" + name + "', expected the name of a link");
  return model_.links_[found->second];
}

template <typename S>
void ModelBuilderT<S>::bind_linear(const ActuatorT<S>& actuator, const std::string& what) {
  const bool is_joint = actuator.kind == ActuatorT<S>::Kind::joint;
  std::vector<int> rows;
  for (const std::string& name : actuator.links) {
    const LinkInfoT<S>& info = link_named(what, name);
    if (info.joint_nq != info.joint_nv) {
      throw ModelError(what + ": link '" + name + "' has a " + info.joint_type +
                       " joint, whose coordinates are no numbers to act on");
    }
    const int begin = info.v, count = is_joint ? info.joint_nv : info.nv;
    for (int k = 0; k < count; ++k) rows.push_back(begin + k);
  }
  if (is_joint && (actuator.joint_index < 0 || actuator.joint_index >= static_cast<int>(rows.size()))) {
    throw ModelError(what + ": index: found " + std::to_string(actuator.joint_index) + ", expected less than " +
                     std::to_string(rows.size()) + " (joint coordinates of the link)");
  }
  if (!is_joint && actuator.matrix.size() != rows.size()) {
    throw ModelError(what + ": matrix: found " + std::to_string(actuator.matrix.size()) + " rows, expected " +
                     std::to_string(rows.size()) + " (coordinates of its links)");
  }
  for (std::size_t column = 0; column < actuator.inputs.size(); ++column) {
    if (is_joint) {
      const int row = rows[actuator.joint_index];
      add_transmission(actuator.inputs[column], model_.velocity_info_[row].unit == "m/s" ? "N" : "N m")[row] = S(1.0);
      continue;
    }
    VectorXT<S>& values = add_transmission(actuator.inputs[column], "1");
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (actuator.matrix[r].size() != actuator.inputs.size()) {
        throw ModelError(what + ": matrix[" + std::to_string(r) + "]: found " +
                         std::to_string(actuator.matrix[r].size()) + " numbers, expected " +
                         std::to_string(actuator.inputs.size()));
      }
      values[rows[r]] += actuator.matrix[r][column];  // a link may be named twice
    }
  }
}

/// Along a rod: y = area times the integral of sigma_z + kappa_x y - kappa_y x along the rod: a tendon's tangent along
/// the rod's axis, so it is affine in q.
template <typename S>
void ModelBuilderT<S>::bind_chamber(const ActuatorT<S>& actuator, const std::string& what) {
  const std::string name = actuator.links.empty() ? "" : actuator.links[0];
  const LinkInfoT<S>& info = link_named(what, name);
  const auto* rod = dynamic_cast<const RodBodyT<S>*>(robot_.links[&info - model_.links_.data()].body.get());
  if (rod == nullptr) return bind_volume_chamber(actuator, info, what);
  if (!actuator.surface.empty() || actuator.pocket) {
    throw ModelError(what + ": surface: found a surface in '" + name + "', a rod, expected offset and area");
  }
  if (!any(actuator.area > S(0.0))) {
    throw ModelError(what + ": area: found " + number_text(actuator.area) + ", expected a number > 0 [m^2]");
  }
  RoutingT<S> axis;
  axis.offset = {actuator.offset};
  const TendonArcT<S> arc = path_along(*rod, axis);
  VectorXT<S>& values = add_transmission(actuator.inputs.at(0), "Pa");
  S volume(0.0);
  for (std::size_t j = 0; j < arc.weights.size(); ++j) {
    const S weight = actuator.area * arc.weights[j];
    volume += weight * arc.rest[j].z;
    for (int k = 0; k < arc.nv; ++k) values[info.v + info.joint_nv + k] += weight * arc.shape[j * arc.nv + k].z;
  }
  bound_to_->volumes.push_back({bound_to_->last(), volume});
}

template <typename S>
void ModelBuilderT<S>::bind_tendon(const ActuatorT<S>& actuator, const std::string& what) {
  using Location = PortLocationT<S>;
  BoundTendonT<S> tendon;
  tendon.slack = actuator.slack;
  tendon.rest_length = S(0.0), tendon.fixed_length = S(0.0);
  FrameT<S> last;  // where the routing is so far: the origin of this frame
  bool begun = false;
  const auto world = [&](const FrameT<S>& at) { return (neutral_[at.node] * at.node_frame).position; };
  const auto go_straight = [&](const FrameT<S>& next) {
    if (begun) {
      const S length = length_of(world(next) - world(last));
      tendon.rest_length += length;
      if (last.node == next.node) {
        tendon.fixed_length += length;
      } else {
        tendon.segments.push_back({last.node, next.node, last.node_frame.position, next.node_frame.position});
      }
    }
    last = next, begun = true;
  };
  const auto place = [&](const std::string& link, const Location& at, const Vector3T<S>& offset,
                         const std::string& where) {
    return resolve({link, at, {Matrix3T<S>::identity(), offset}}, where);
  };
  for (std::size_t i = 0; i < actuator.routing.size(); ++i) {
    const RoutingT<S>& entry = actuator.routing[i];
    const std::string where = what + ": routing[" + std::to_string(i) + "]";
    const LinkInfoT<S>* info = entry.link == "base" ? nullptr : &link_named(where, entry.link);
    const BodyT<S>* body = info ? robot_.links[info - model_.links_.data()].body.get() : nullptr;
    const auto* rod = dynamic_cast<const RodBodyT<S>*>(body);
    if (rod == nullptr) {
      const int link = info ? static_cast<int>(info - model_.links_.data()) : -1;
      const bool deforms = body != nullptr && body->coordinate_count() > 0;
      if (deforms && !body->has_material_points()) {
        throw ModelError(where + ": link: found '" + entry.link + "', a " + info->body_type +
                         " body, expected a rod, a body with material points or a rigid body");
      }
      if (entry.points.empty() || !entry.offset.empty() || entry.helix || entry.from || entry.to) {
        throw ModelError(where + ": found no points of '" + entry.link + "', or more than points, expected points " +
                         "alone (only rods have offset, from and to)");
      }
      if (!deforms) {
        for (const Vector3T<S>& point : entry.points) go_straight(place(entry.link, Location::base(), point, where));
        continue;
      }
      const auto port = [&](const Vector3T<S>& point) {
        return place(entry.link, Location::at_point(point), {}, where);
      };
      if (begun) go_straight(port(entry.points.front()));
      if (entry.points.size() > 1) {
        TendonPolygonT<S> polygon{built_[link].body, info->q + info->joint_nq, info->v + info->joint_nv,
                                  info->nv - info->joint_nv, entry.points};
        tendon.rest_length += rest_length(*body, polygon.points);
        tendon.polygons.push_back(std::move(polygon));
      }
      if (i + 1 < actuator.routing.size()) last = port(entry.points.back());
      begun = true;
      continue;
    }
    if (!entry.points.empty()) {
      throw ModelError(where + ": points: found points of '" + entry.link + "', a rod, expected offset");
    }
    const S& length = rod->parameters().length;
    try {
      check_path(entry, length);
    } catch (const ModelError& error) {
      throw ModelError(where + "." + error.what());
    }
    const PathEnds<S> ends = path_ends(entry);
    const bool is_last = i + 1 == actuator.routing.size();
    if (begun) {
      go_straight(place(entry.link, path_start(entry, length), ends.first, where));
    }
    TendonArcT<S> arc = path_along(*rod, entry);
    arc.q = info->q + info->joint_nq, arc.v = info->v + info->joint_nv;
    for (std::size_t j = 0; j < arc.weights.size(); ++j) tendon.rest_length += arc.weights[j] * norm(arc.rest[j]);
    tendon.arcs.push_back(std::move(arc));
    if (!is_last) {
      last = place(entry.link, path_end(entry, length), ends.last, where);
    }
    begun = true;
  }
  if (!any(tendon.rest_length > S(0.0))) {
    throw ModelError(what + ": routing: found a tendon of length 0, expected one between different places");
  }
  add_transmission(actuator.inputs.at(0), "N");
  tendon.input = bound_to_->last();
  bound_to_->result.tendons.push_back(std::move(tendon));
}

template <typename S>
void ModelBuilderT<S>::bind_distance(const ActuatorT<S>& actuator, const std::string& what) {
  const FrameT<S> a = resolve(actuator.a, what + ": a"), b = resolve(actuator.b, what + ": b");
  if (a.node == b.node) throw ModelError(what + ": b: found a place that moves with a, expected one on another link");
  const auto world = [&](const FrameT<S>& at) { return (neutral_[at.node] * at.node_frame).position; };
  BoundTendonT<S> tendon;
  tendon.slack = Slack::allow;
  tendon.fixed_length = S(0.0);
  tendon.rest_length = length_of(world(b) - world(a));
  if (!any(tendon.rest_length > S(0.0))) {
    throw ModelError(what + ": b: found the place of a, expected one at a distance in the neutral configuration");
  }
  tendon.segments.push_back({a.node, b.node, a.node_frame.position, b.node_frame.position});
  add_transmission(actuator.inputs.at(0), "N");
  tendon.input = bound_to_->last();
  bound_to_->result.tendons.push_back(std::move(tendon));
}

template <typename S>
void ModelBuilderT<S>::bind_wrench(const ActuatorT<S>& actuator, const std::string& what) {
  BoundWrenchT<S> wrench;
  wrench.frame = resolve(actuator.a, what);
  wrench.world_axes = actuator.axes == Axes::world;
  for (std::size_t k = 0; k < 6; ++k) add_transmission(actuator.inputs.at(k), k < 3 ? "N m" : "N");
  wrench.input = bound_to_->last() - 5;
  bound_to_->result.wrenches.push_back(wrench);
}

template <typename S>
void ModelBuilderT<S>::bind_transmission(const ActuatorT<S>& actuator, const std::string& what) {
  using Kind = typename ActuatorT<S>::Kind;
  switch (actuator.kind) {
    case Kind::tendon:
      return bind_tendon(actuator, what);
    case Kind::chamber:
      return bind_chamber(actuator, what);
    case Kind::distance:
      return bind_distance(actuator, what);
    case Kind::wrench:
      return bind_wrench(actuator, what);
    case Kind::linear:
    case Kind::joint:
      return bind_linear(actuator, what);
  }
}

template <typename S>
TransmissionsT<S> ModelBuilderT<S>::Transmissions::finished(int nv) {
  result.constant.setZero(nv, static_cast<Eigen::Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) result.constant.col(static_cast<Eigen::Index>(k)) = columns[k];
  result.offset = VectorXT<S>::Zero(result.constant.cols());
  for (const auto& [column, volume] : volumes) result.offset[column] = volume;
  return std::move(result);
}

template <typename S>
void ModelBuilderT<S>::bind_actuators() {
  Transmissions inputs, of_elements;
  bound_to_ = &inputs;
  for (const ActuatorT<S>& actuator : robot_.actuators) {
    bind_transmission(actuator, "actuator '" + actuator.name + "'");
  }
  model_.input_info_ = inputs.info;
  bound_to_ = &of_elements;
  for (const ElementT<S>& element : robot_.elements) bind_element(element);
  bound_to_ = nullptr;
  model_.nu_ = static_cast<int>(model_.input_info_.size());
  inputs.columns.resize(model_.input_info_.size(), VectorXT<S>::Zero(model_.nv_));  // elements have laws for theirs
  model_.actuation_ = inputs.finished(model_.nv_);
  model_.element_transmissions_ = of_elements.finished(model_.nv_);
}

template <typename S>
void ModelBuilderT<S>::bind_element(const ElementT<S>& element) {
  const std::string what = "element '" + element.name + "'";
  if (!element.law && std::is_same_v<S, double>) throw ModelError(what + ": law: found none, expected one");
  BoundElementT<S> bound;
  bound.first = static_cast<int>(bound_to_->columns.size());
  bound.input = static_cast<int>(model_.input_info_.size());
  bound.state = static_cast<int>(model_.element_state_info_.size());
  bound.law = element.law;
  for (const ActuatorT<S>& transmission : element.through) bind_transmission(transmission, what);
  const int count = static_cast<int>(bound_to_->columns.size()) - bound.first;
  if (!element.law) return;  // a law of one scalar: only the transmissions are asked for in others
  if (count != element.law->transmission_count()) {
    throw ModelError(what + ": through: found " + std::to_string(count) + " transmissions, expected " +
                     std::to_string(element.law->transmission_count()) + " (of a " + element.law->type_name() + ")");
  }
  const auto full = [&](const std::string& name) { return name.empty() ? element.name : element.name + "." + name; };
  bound.state_count = static_cast<int>(element.law->states().size());
  bound.has_inputs = !element.law->inputs().empty();
  for (const CoordinateInfo& input : element.law->inputs()) {
    model_.input_info_.push_back({full(input.name), input.unit});
  }
  std::vector<S> start(model_.element_start_.data(), model_.element_start_.data() + model_.element_start_.size());
  for (const ElementStateInfo& state : element.law->states()) {
    model_.element_state_info_.push_back({full(state.name), state.unit});
    start.push_back(S(state.start));
  }
  model_.element_start_ = Eigen::Map<const VectorXT<S>>(start.data(), static_cast<Eigen::Index>(start.size()));
  model_.elements_.push_back(std::move(bound));
}

#define CUTTLE_INSTANTIATE(S)                       \
  template void ModelBuilderT<S>::bind_actuators(); \
  template VectorXT<S>& ModelBuilderT<S>::add_transmission(const std::string&, const char*);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
