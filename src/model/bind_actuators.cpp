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
VectorXT<S>& ModelBuilderT<S>::add_input(const std::string& name, const char* unit) {
  model_.input_info_.push_back({name, unit});
  actuation_columns_.push_back(VectorXT<S>::Zero(model_.nv_));
  return actuation_columns_.back();
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
      add_input(actuator.inputs[column], model_.velocity_info_[row].unit == "m/s" ? "N" : "N m")[row] = S(1.0);
      continue;
    }
    VectorXT<S>& values = add_input(actuator.inputs[column], "1");
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
  const auto* rod = dynamic_cast<const RodBodyT<S>*>(robot_.links[&info - model_.links_.data()].body.get());
  if (rod == nullptr) return bind_volume_chamber(actuator, info);
  if (!actuator.surface.empty() || actuator.pocket) {
    throw ModelError("surface", "a surface in '" + name + "', a rod", "offset and area");
  }
  if (!any(actuator.area > S(0.0))) {
    throw ModelError("area", number_text(actuator.area), "a number > 0 [m^2]");
  }
  RoutingT<S> axis;
  axis.offset = {actuator.offset};
  const TendonArcT<S> arc = path_along(*rod, axis);
  VectorXT<S>& values = add_input(actuator.inputs.at(0), "Pa");
  S volume(0.0);
  for (std::size_t j = 0; j < arc.weights.size(); ++j) {
    const S weight = actuator.area * arc.weights[j];
    volume += weight * arc.rest[j].z;
    for (int k = 0; k < arc.nv; ++k) values[info.v + info.joint_nv + k] += weight * arc.shape[j * arc.nv + k].z;
  }
  chamber_volumes_.push_back({static_cast<int>(actuation_columns_.size()) - 1, volume});
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
    const auto* rod = dynamic_cast<const RodBodyT<S>*>(body);
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
    const S& length = rod->parameters().length;
    const PathEnds<S> ends = path_ends(entry);
    if (begun) {
      go_straight(place(entry.link, path_start(entry, length), ends.first));
    }
    TendonArcT<S> arc = path_along(*rod, entry);
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
  add_input(actuator.inputs.at(0), "N");
  tendon.input = static_cast<int>(actuation_columns_.size()) - 1;
  model_.tendons_.push_back(std::move(tendon));
}

template <typename S>
void ModelBuilderT<S>::bind_actuators() {
  using Kind = typename ActuatorT<S>::Kind;
  for_each_part("actuators", "actuator", robot_.actuators, [&](const ActuatorT<S>& actuator) {
    if (actuator.kind == Kind::tendon) {
      bind_tendon(actuator);
    } else if (actuator.kind == Kind::chamber) {
      bind_chamber(actuator);
    } else {
      bind_linear(actuator);
    }
  });
  model_.nu_ = static_cast<int>(actuation_columns_.size());
  model_.actuation_.resize(model_.nv_, model_.nu_);
  for (int u = 0; u < model_.nu_; ++u) model_.actuation_.col(u) = actuation_columns_[u];
  model_.actuation_offset_ = VectorXT<S>::Zero(model_.nu_);
  for (const auto& [input, volume] : chamber_volumes_) model_.actuation_offset_[input] = volume;
}

#define CUTTLE_INSTANTIATE(S)                       \
  template void ModelBuilderT<S>::bind_actuators(); \
  template VectorXT<S>& ModelBuilderT<S>::add_input(const std::string&, const char*);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
