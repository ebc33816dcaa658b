#include <cmath>

#include "cuttle/bodies/slender.h"
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
const LinkInfoT<S>& ModelBuilderT<S>::link_named(const std::string& name) const {
  const int link = index_of(name);
  if (link < 0) throw ModelError({}, "link '" + name + "'", "the name of a link");
  return model_.links_[link];
}

template <typename S>
void ModelBuilderT<S>::bind_linear(const ActuatorT<S>& actuator) {
  const bool is_joint = actuator.kind == ActuatorT<S>::Kind::joint;
  std::vector<int> rows;
  for (const std::string& name : actuator.links) {
    const LinkInfoT<S>& info = link_named(name);
    if (info.joint_nq != info.joint_nv) {
      throw ModelError("link '" + name + "' has a " + info.joint_type +
                       " joint, whose coordinates are no numbers to act on");
    }
    const int begin = info.v, count = is_joint ? info.joint_nv : info.nv;
    for (int k = 0; k < count; ++k) rows.push_back(begin + k);
  }
  if (is_joint && (actuator.joint_index < 0 || actuator.joint_index >= static_cast<int>(rows.size()))) {
    throw ModelError("index", std::to_string(actuator.joint_index),
                     "less than " + std::to_string(rows.size()) + " (joint coordinates of the link)");
  }
  if (!is_joint && actuator.matrix.size() != rows.size()) {
    throw ModelError("matrix", std::to_string(actuator.matrix.size()) + " rows",
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
        throw ModelError({"matrix", r}, std::to_string(actuator.matrix[r].size()) + " numbers",
                         std::to_string(actuator.inputs.size()));
      }
      values[rows[r]] += actuator.matrix[r][column];  // a link may be named twice
    }
  }
}

/// Along a rod: y = area times the integral of sigma_z + kappa_x y - kappa_y x along the rod: a tendon's tangent along
/// the rod's axis, so it is affine in q.
template <typename S>
void ModelBuilderT<S>::bind_chamber(const ActuatorT<S>& actuator) {
  const std::string name = actuator.links.empty() ? "" : actuator.links[0];
  const LinkInfoT<S>& info = link_named(name);
  const BodyT<S>* body = robot_.links[&info - model_.links_.data()].body.get();
  if (body == nullptr || body->slender() == nullptr) return bind_volume_chamber(actuator, info);
  if (!actuator.surface.empty() || actuator.pocket) {
    throw ModelError("surface", "a surface in '" + name + "', a rod", "offset and area");
  }
  if (!any(actuator.area > S(0.0))) {
    throw ModelError("area", number_text(actuator.area), "a number > 0 [m^2]");
  }
  RoutingT<S> axis;
  axis.offset = {actuator.offset};
  const TendonArcT<S> arc = path_along(*body, axis);
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
void ModelBuilderT<S>::bind_tendon(const ActuatorT<S>& actuator) {
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
  const auto place = [&](const std::string& link, const Location& at, const Vector3T<S>& offset) {
    return resolve({link, at, {Matrix3T<S>::identity(), offset}});
  };
  const auto route = [&](const RoutingT<S>& entry) {
    const bool is_last = &entry == &actuator.routing.back();
    const LinkInfoT<S>* info = entry.link == "base" ? nullptr : &link_named(entry.link);
    const BodyT<S>* body = info ? robot_.links[info - model_.links_.data()].body.get() : nullptr;
    const SlenderT<S>* rod = body != nullptr ? body->slender() : nullptr;
    if (rod == nullptr) {
      const int link = info ? static_cast<int>(info - model_.links_.data()) : -1;
      const bool deforms = body != nullptr && body->coordinate_count() > 0;
      if (deforms && !body->has_material_points()) {
        throw ModelError("link", "'" + entry.link + "', a " + info->body_type + " body",
                         "a rod, a body with material points or a rigid body");
      }
      if (entry.points.empty() || !entry.offset.empty() || entry.helix || entry.from || entry.to) {
        throw ModelError({}, "no points of '" + entry.link + "', or more than points",
                         "points alone (only rods have offset, from and to)");
      }
      if (!deforms) {
        for (const Vector3T<S>& point : entry.points) go_straight(place(entry.link, Location::base(), point));
        return;
      }
      const auto port = [&](const Vector3T<S>& point) { return place(entry.link, Location::at_point(point), {}); };
      if (begun) go_straight(port(entry.points.front()));
      if (entry.points.size() > 1) {
        TendonPolygonT<S> polygon{built_[link].body, info->q + info->joint_nq, info->v + info->joint_nv,
                                  info->nv - info->joint_nv, entry.points};
        tendon.rest_length += rest_length(*body, polygon.points);
        tendon.polygons.push_back(std::move(polygon));
      }
      if (!is_last) last = port(entry.points.back());
      begun = true;
      return;
    }
    if (!entry.points.empty()) {
      throw ModelError("points", "points of '" + entry.link + "', a rod", "offset");
    }
    const S length = rod->length();
    const PathEnds<S> ends = path_ends(entry);
    if (begun) {
      go_straight(place(entry.link, path_start(entry, length), ends.first));
    }
    TendonArcT<S> arc = path_along(*body, entry);
    arc.q = info->q + info->joint_nq, arc.v = info->v + info->joint_nv;
    for (std::size_t j = 0; j < arc.weights.size(); ++j) tendon.rest_length += arc.weights[j] * norm(arc.rest[j]);
    tendon.arcs.push_back(std::move(arc));
    if (!is_last) {
      last = place(entry.link, path_end(entry, length), ends.last);
    }
    begun = true;
  };
  for (std::size_t i = 0; i < actuator.routing.size(); ++i) {
    at_place({"routing", i}, "", [&] { route(actuator.routing[i]); });
  }
  if (!any(tendon.rest_length > S(0.0))) {
    throw ModelError("routing", "a tendon of length 0", "one between different places");
  }
  add_transmission(actuator.inputs.at(0), "N");
  tendon.input = bound_to_->last();
  bound_to_->result.tendons.push_back(std::move(tendon));
}

template <typename S>
void ModelBuilderT<S>::bind_distance(const ActuatorT<S>& actuator) {
  const FrameT<S> a = at_place("a", "", [&] { return resolve(actuator.a); });
  const FrameT<S> b = at_place("b", "", [&] { return resolve(actuator.b); });
  if (a.node == b.node) throw ModelError("b", "a place that moves with a", "one on another link");
  const auto world = [&](const FrameT<S>& at) { return (neutral_[at.node] * at.node_frame).position; };
  BoundTendonT<S> tendon;
  tendon.slack = Slack::allow;
  tendon.fixed_length = S(0.0);
  tendon.rest_length = length_of(world(b) - world(a));
  if (!any(tendon.rest_length > S(0.0))) {
    throw ModelError("b", "the place of a", "one at a distance in the neutral configuration");
  }
  tendon.segments.push_back({a.node, b.node, a.node_frame.position, b.node_frame.position});
  add_transmission(actuator.inputs.at(0), "N");
  tendon.input = bound_to_->last();
  bound_to_->result.tendons.push_back(std::move(tendon));
}

template <typename S>
void ModelBuilderT<S>::bind_wrench(const ActuatorT<S>& actuator) {
  BoundWrenchT<S> wrench;
  wrench.frame = resolve(actuator.a);
  wrench.world_axes = actuator.axes == Axes::world;
  for (std::size_t k = 0; k < 6; ++k) add_transmission(actuator.inputs.at(k), k < 3 ? "N m" : "N");
  wrench.input = bound_to_->last() - 5;
  bound_to_->result.wrenches.push_back(wrench);
}

template <typename S>
void ModelBuilderT<S>::bind_transmission(const ActuatorT<S>& actuator) {
  using Kind = typename ActuatorT<S>::Kind;
  switch (actuator.kind) {
    case Kind::tendon:
      return bind_tendon(actuator);
    case Kind::chamber:
      return bind_chamber(actuator);
    case Kind::distance:
      return bind_distance(actuator);
    case Kind::wrench:
      return bind_wrench(actuator);
    case Kind::linear:
    case Kind::joint:
      return bind_linear(actuator);
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
  for_each_part("actuators", "actuator", robot_.actuators,
                [&](const ActuatorT<S>& actuator) { bind_transmission(actuator); });
  model_.input_info_ = inputs.info;
  bound_to_ = &of_elements;
  for_each_part("elements", "element", robot_.elements, [&](const ElementT<S>& element) { bind_element(element); });
  bound_to_ = nullptr;
  model_.nu_ = static_cast<int>(model_.input_info_.size());
  inputs.columns.resize(model_.input_info_.size(), VectorXT<S>::Zero(model_.nv_));  // elements have laws for theirs
  model_.actuation_ = inputs.finished(model_.nv_);
  model_.element_transmissions_ = of_elements.finished(model_.nv_);
}

template <typename S>
void ModelBuilderT<S>::bind_element(const ElementT<S>& element) {
  if (!element.law && std::is_same_v<S, double>) throw ModelError("law", "none", "one");
  BoundElementT<S> bound;
  bound.first = static_cast<int>(bound_to_->columns.size());
  bound.input = static_cast<int>(model_.input_info_.size());
  bound.state = static_cast<int>(model_.element_state_info_.size());
  bound.law = element.law;
  for (const ActuatorT<S>& transmission : element.through) bind_transmission(transmission);
  const int count = static_cast<int>(bound_to_->columns.size()) - bound.first;
  if (!element.law) return;  // a law of one scalar: only the transmissions are asked for in others
  if (count != element.law->transmission_count()) {
    throw ModelError("through", std::to_string(count) + " transmissions",
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
