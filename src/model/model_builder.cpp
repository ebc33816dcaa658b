#include "model/model_builder.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <memory>

#include "bodies/volume/fem/node_interpolation.h"
#include "cuttle/bodies/slender.h"
#include "cuttle/error.h"
#include "cuttle/model/sensor.h"
#include "cuttle/spatial/eigen.h"
#include "model/axes.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

/// Scalars of which the first is aligned to 64 bytes, as in a workspace.
template <typename S>
struct Aligned {
  explicit Aligned(std::size_t count) : memory(count + 64 / std::min<std::size_t>(sizeof(S), 64) + 1) {
    void* at = memory.data();
    std::size_t space = memory.size() * sizeof(S);
    data = static_cast<S*>(std::align(64, count * sizeof(S), at, space));
  }
  std::vector<S> memory;
  S* data;
};

/// Armature on every coordinate stands in for mass.
template <typename S>
bool has_armature(const JointDynamicsT<S>& dynamics) {
  return std::all_of(dynamics.armature.begin(), dynamics.armature.end(), [](const S& a) { return any(a > S(0.0)); });
}

/// Whether two ports that are neither base nor tip are one; no longer so if they move apart with a parameter.
template <typename S>
bool same_place(const PortLocationT<S>& a, const PortLocationT<S>& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == PortLocationT<S>::Kind::section) return identical(a.s, b.s);
  return identical(a.point.x, b.point.x) && identical(a.point.y, b.point.y) && identical(a.point.z, b.point.z);
}

constexpr const char* k_line = "no rotational inertia about a line";

/// What keeps a free-floating inertia (about the world's origin) from being invertible; empty if nothing.
template <typename S>
std::string floating_problem(const SpatialInertiaT<S>& total) {
  if (!any(total.mass > S(0.0))) return "no mass";
  const Vector3T<S> com = (S(1.0) / total.mass) * total.moment;
  const S square = total.mass * dot(com, com);
  const SymmetricMatrix3T<S> about_com = total.rotation - (SymmetricMatrix3T<S>::diagonal(square, square, square) -
                                                           SymmetricMatrix3T<S>::outer(total.mass, com));
  const auto eigenvalues = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(
                               to_eigen(about_com.matrix().template cast<double>()), Eigen::EigenvaluesOnly)
                               .eigenvalues()
                               .eval();
  // the shift to the center of mass cancels: what is below its rounding error is zero
  const double scale = scalar_cast<double>(total.rotation.xx + total.rotation.yy + total.rotation.zz);
  if (!(eigenvalues[2] > 1e-12 * scale)) return "no rotational inertia";
  return eigenvalues[0] > 1e-12 * scale ? "" : k_line;
}

}  // namespace

template <typename S>
void ModelBuilderT<S>::build() {
  index_links();
  check_robot(robot_);
  collect_ports();
  add_base();
  for (int i = 0; i < static_cast<int>(robot_.links.size()); ++i) {
    at_place({"links", i}, robot_.links[i].name, [&] { add_link(i); });
    at_place({"links", i, "body"}, robot_.links[i].name, [&] { add_body(i); });
  }
  finish();
  for_each_part("markers", "marker", robot_.markers,
                [&](const MarkerT<S>& marker) { model_.markers_.push_back(resolve(marker.place)); });
  bind_loads();
  bind_contacts();
  bind_loops();
  bind_actuators();
  bind_sensors();
  check_floating_mass();
  check_contact_areas();
  model_.make_stamp();
}

template <typename S>
void ModelBuilderT<S>::index_links() {
  for (int i = 0; i < static_cast<int>(robot_.links.size()); ++i) {
    const std::string& name = robot_.links[i].name;
    const KeyPath place{"links", i, "name"};
    if (name.empty()) throw ModelError(place, "nothing", "a name");
    if (name == "base") throw ModelError(place, "'base', which is reserved for the robot's base", "");
    if (name.find('/') != std::string::npos) {
      throw ModelError(place, "'" + name + "'", "a name without '/' (it separates groups in results)");
    }
    if (!index_.emplace(name, i).second) throw ModelError(place, "'" + name + "' again", "unique names");
  }
}

template <typename S>
int ModelBuilderT<S>::index_of(const std::string& link) const {
  const auto found = index_.find(link);
  return found == index_.end() ? -1 : found->second;
}

template <typename S>
const LinkT<S>* ModelBuilderT<S>::link_at(const PlaceT<S>& place) const {
  const int link = index_of(place.link);
  return link < 0 ? nullptr : &robot_.links[link];
}

template <typename S>
int ModelBuilderT<S>::parent_of(int link) const {
  const std::string& name = robot_.links[link].parent.link;
  if (name.empty()) return link - 1;
  if (name == "base") return -1;
  const int parent = index_of(name);
  if (parent < 0) throw ModelError("parent", "'" + name + "'", "'base' or the name of a link");
  if (parent >= link) {
    throw ModelError("parent", "'" + name + "'", "a link that stands earlier than '" + robot_.links[link].name + "'");
  }
  return parent;
}

template <typename S>
bool ModelBuilderT<S>::deforms_at_points(int link) const {
  const BodyT<S>* body = robot_.links[link].body.get();
  return body != nullptr && body->coordinate_count() > 0 && body->has_material_points();
}

template <typename S>
void ModelBuilderT<S>::want_ports(int link, const std::vector<PortLocationT<S>>& places) {
  using Kind = typename PortLocationT<S>::Kind;
  if (link < 0) return;
  Built& built = built_[link];
  std::vector<PortLocationT<S>> wanted;
  for (const PortLocationT<S>& at : places) {
    if (at.kind != Kind::section && !(at.kind == Kind::point && deforms_at_points(link))) continue;
    if (!built.own) throw ModelError({}, "{s}", "base or tip: the link has no rod");
    const auto same = [&](const auto& other) { return same_place(other, at); };
    if (std::any_of(wanted.begin(), wanted.end(), same) ||
        std::any_of(built.ports.begin(), built.ports.end(), [&](const Port& port) { return same(port.at); })) {
      continue;
    }
    wanted.push_back(at);
  }
  if (wanted.empty()) return;
  const std::vector<int> indices = built.own->add_ports(wanted);
  for (std::size_t i = 0; i < wanted.size(); ++i) built.ports.push_back({wanted[i], indices[i], {}});
}

template <typename S>
void ModelBuilderT<S>::want_ports(const std::vector<PlaceT<S>>& places) {
  at_place("at", "", [&] {
    for (auto first = places.begin(); first != places.end();) {  // those on one link, one after the other
      std::vector<PortLocationT<S>> on_link;
      auto place = first;
      for (; place != places.end() && place->link == first->link; ++place) on_link.push_back(place->at);
      want_ports(index_of(first->link), on_link);
      first = place;
    }
  });
}

template <typename S>
void ModelBuilderT<S>::collect_ports() {
  built_.resize(robot_.links.size());
  for (std::size_t i = 0; i < robot_.links.size(); ++i) {
    if (robot_.links[i].body) built_[i].own = robot_.links[i].body->clone();
  }
  for_each_part("links", "", robot_.links, [&](const LinkT<S>& link) {
    const int parent = parent_of(static_cast<int>(&link - robot_.links.data()));
    at_place("attach.at", "", [&] { want_ports(parent, {link.parent.at}); });
  });
  for_each_part("markers", "marker", robot_.markers, [&](const MarkerT<S>& marker) { want_ports({marker.place}); });
  for_each_part("loops", "loop", robot_.loops, [&](const LoopT<S>& loop) {
    at_place("a", "", [&] { want_ports({loop.a}); });
    at_place("b", "", [&] { want_ports({loop.b}); });
  });
  for_each_part("loads", "", robot_.loads, [&](const LoadT<S>& load) {
    load_points_.emplace_back();
    if (!load.law) return;  // a law of one scalar
    load_points_.back() = load.law->points(load.place, link_at(load.place));
    std::vector<PlaceT<S>> places;
    places.reserve(load_points_.back().size());
    for (const auto& point : load_points_.back()) places.push_back(point.place);
    want_ports(places);
  });
  for_each_part("actuators", "actuator", robot_.actuators,
                [&](const ActuatorT<S>& actuator) { actuator.transmission->request_ports(*this); });
  for_each_part("elements", "element", robot_.elements, [&](const ElementT<S>& element) {
    for (const auto& transmission : element.through) transmission->request_ports(*this);
  });
  for_each_part("sensors", "sensor", robot_.sensors, [&](const NamedSensor& sensor) {
    for (const Place& place : sensor.sensor->places()) want_ports({place.template cast<S>()});
  });
  plan_contacts();
}

template <typename S>
int ModelBuilderT<S>::add_node(int link, int parent_edge, const PoseT<S>& neutral) {
  NodeT<S> node;
  node.link = link;
  topology_.nodes.push_back(node);
  topology_.parent_edge.push_back(parent_edge);
  topology_.loaded.push_back(0);
  neutral_.push_back(neutral);
  return static_cast<int>(topology_.nodes.size()) - 1;
}

template <typename S>
Edge& ModelBuilderT<S>::add_edge(EdgeKind kind, int kind_index, int parent, int link) {
  topology_.loaded[parent] = 1;
  topology_.edges.push_back({kind, kind_index, parent, -1, 1, link, 0, 0, 0, 0});
  return topology_.edges.back();
}

template <typename S>
void ModelBuilderT<S>::take_coordinates(Edge& edge, int nq, int nv) {
  edge.q = model_.nq_, edge.nq = nq, edge.v = model_.nv_, edge.nv = nv;
  model_.nq_ += nq, model_.nv_ += nv;
}

template <typename S>
void ModelBuilderT<S>::add_base() {
  add_node(-1, -1, PoseT<S>{});
  model_.base_ = {0, robot_.base_pose};
  if (!robot_.floating_base) return;
  auto joint = make_free_joint<S>();
  topology_.joints.push_back({robot_.base_pose, joint, completed(*joint, {})});
  Edge& edge = add_edge(EdgeKind::joint, static_cast<int>(topology_.joints.size()) - 1, 0, -1);
  take_coordinates(edge, joint->nq(), joint->nv());
  edge.child_node = static_cast<int>(topology_.nodes.size());
  add_node(-1, static_cast<int>(topology_.edges.size()) - 1, robot_.base_pose);
  model_.base_ = {edge.child_node, PoseT<S>{}};
  for (const char* name : {"x", "y", "z", "qw", "qx", "qy", "qz"}) {
    model_.configuration_info_.push_back({std::string("base.") + name, name[0] == 'q' ? "1" : "m"});
  }
  for (const char* name : {"wx", "wy", "wz", "vx", "vy", "vz"}) {
    model_.velocity_info_.push_back({std::string("base.") + name, name[0] == 'w' ? "rad/s" : "m/s"});
  }
}

template <typename S>
JointDynamicsT<S> ModelBuilderT<S>::completed(const JointT<S>& joint, const JointDynamicsT<S>& given) const {
  JointDynamicsT<S> result = given;
  const auto fill = [&](std::vector<S>& values, const char* key, std::size_t size, bool sign) {
    if (values.size() == 1 && size > 1) values.assign(size, values[0]);
    if (values.empty()) values.assign(size, S(0.0));
    if (values.size() != size) {
      throw ModelError({"joint", key}, std::to_string(values.size()) + " numbers", std::to_string(size));
    }
    for (const S& value : values) {
      using std::isfinite;
      if (!isfinite(value) || (sign && any(value < S(0.0)))) {
        throw ModelError({"joint", key}, number_text(value), sign ? "a number >= 0" : "a number");
      }
    }
  };
  const std::size_t nv = joint.nv(), nq = joint.nq();
  fill(result.stiffness, "stiffness", nv, true);
  fill(result.damping, "damping", nv, true);
  fill(result.armature, "armature", nv, true);
  if (result.rest.empty()) {
    result.rest.resize(nq);
    joint.neutral(result.rest.data());
  }
  fill(result.rest, "rest", nq, false);
  if (nq != nv) {
    if (any(joint.constraint_violation(result.rest.data()) > S(k_quaternion_tolerance))) {
      throw ModelError("joint.rest", "a quaternion that is not of unit norm", "");
    }
    joint.normalize(result.rest.data());
  }
  return result;
}

template <typename S>
FrameT<S> ModelBuilderT<S>::add_joint(int index, const FrameT<S>& placement) {
  const LinkT<S>& link = robot_.links[index];
  if (!link.joint || link.joint->nv() == 0) return placement;
  const auto screw = link.joint->screw();
  const JointDynamicsT<S> dynamics = completed(*link.joint, link.joint_dynamics);
  std::vector<S> q(link.joint->nq());
  link.joint->neutral(q.data());
  JointMotionT<S> motion;
  link.joint->motion(q.data(), nullptr, motion);
  const PoseT<S> world_child = neutral_[placement.node] * placement.node_frame * motion.placement_child;

  FrameT<S> child{static_cast<int>(topology_.nodes.size()), PoseT<S>{}};
  if (screw) {
    const PoseT<S> turned{axes_along(screw->axis), {}};
    topology_.screws.push_back({placement.node_frame * turned, screw->rotation, screw->translation,
                                dynamics.stiffness[0], dynamics.damping[0], dynamics.armature[0], dynamics.rest[0]});
    Edge& edge = add_edge(EdgeKind::screw, static_cast<int>(topology_.screws.size()) - 1, placement.node, index);
    edge.child_node = child.node;
    take_coordinates(edge, 1, 1);
    child.node_frame = turned.inverse();
    add_node(index, static_cast<int>(topology_.edges.size()) - 1, world_child * turned);
  } else {
    topology_.joints.push_back({placement.node_frame, link.joint, dynamics});
    Edge& edge = add_edge(EdgeKind::joint, static_cast<int>(topology_.joints.size()) - 1, placement.node, index);
    edge.child_node = child.node;
    take_coordinates(edge, link.joint->nq(), link.joint->nv());
    add_node(index, static_cast<int>(topology_.edges.size()) - 1, world_child);
  }
  const auto units = link.joint->units();
  const auto velocity_units = link.joint->velocity_units();
  for (std::size_t k = 0; k < units.size(); ++k) {
    model_.configuration_info_.push_back({link.name + ".joint.q" + std::to_string(k), units[k]});
  }
  for (std::size_t k = 0; k < velocity_units.size(); ++k) {
    model_.velocity_info_.push_back({link.name + ".joint.v" + std::to_string(k), velocity_units[k]});
  }
  return child;
}

template <typename S>
void ModelBuilderT<S>::add_body(int index) {
  const std::string& name = robot_.links[index].name;
  LinkInfoT<S>& info = model_.links_[index];
  info.tip = info.base;
  std::unique_ptr<BodyT<S>> body = std::move(built_[index].own);
  if (!body) return;
  info.rest_inertia = body->rest_inertia();
  const int n = body->coordinate_count();

  // the rest shape places the ports: of a rigid body for good, of others for the neutral configuration
  const WorkspaceSize size = body->workspace_size();
  const std::vector<S> zero(n + 1, S(0.0));
  Aligned<S> kept(size.persistent), scratch(size.scratch);
  std::vector<PortMotionT<S>> ports(body->port_count());
  BodyStateT<S> state;
  state.q = zero.data();
  body->forward(MotionLevel::pose, state, {kept.data, scratch.data, nullptr}, ports.data());

  if (n == 0) {
    NodeT<S>& node = topology_.nodes[info.base.node];
    node.inertia += info.rest_inertia.in_parent(info.base.node_frame);
    node.has_inertia = true;
    topology_.loaded[info.base.node] = 1;
    info.tip = {info.base.node, info.base.node_frame * ports[0].base_port};
    for (Port& port : built_[index].ports) {
      port.frame = {info.base.node, info.base.node_frame * ports[port.number].base_port};
    }
    return;
  }
  Edge& edge = add_edge(EdgeKind::body, static_cast<int>(topology_.bodies.size()), info.base.node, index);
  edge.child_node = static_cast<int>(topology_.nodes.size());
  edge.child_count = body->port_count();
  take_coordinates(edge, n, n);
  const int edge_index = static_cast<int>(topology_.edges.size()) - 1;
  const PoseT<S> world_base = neutral_[info.base.node] * info.base.node_frame;
  for (int k = 0; k < edge.child_count; ++k) add_node(index, edge_index, world_base * ports[k].base_port);
  info.tip = {edge.child_node, PoseT<S>{}};
  for (Port& port : built_[index].ports) port.frame = {edge.child_node + port.number, PoseT<S>{}};
  for (const CoordinateInfo& coordinate : body->coordinates()) {
    const std::string full = name + "." + coordinate.name;
    model_.configuration_info_.push_back({full, coordinate.unit, coordinate.meaning});
    model_.velocity_info_.push_back({full, coordinate.unit + "/s", "rate of " + full});
  }
  info.nq += n, info.nv += n;
  WorkspaceSize& total = topology_.workspace;
  built_[index].body = static_cast<int>(topology_.bodies.size());
  topology_.bodies.push_back({info.base.node_frame, std::move(body), topology_.port_count, total.persistent,
                              total.elimination, topology_.block_count});
  if (!leaves_out_mass(*topology_.bodies.back().body, n)) topology_.block_count += static_cast<std::size_t>(n) * n;
  topology_.block_count += 6 * static_cast<std::size_t>(n);
  topology_.port_count += edge.child_count;
  total.persistent += padded(size.persistent);
  total.elimination += padded(size.elimination);
  total.scratch = std::max(total.scratch, padded(size.scratch));
}

template <typename S>
void ModelBuilderT<S>::add_link(int index) {
  const LinkT<S>& link = robot_.links[index];
  LinkInfoT<S> info;
  info.name = link.name;
  info.parent = parent_of(index);
  info.joint_type = link.joint ? link.joint->type_name() : "fixed";
  info.body_type = link.body ? link.body->type_name() : "";
  info.q = model_.nq_, info.v = model_.nv_;
  PlaceT<S> place = link.parent;
  place.link = info.parent < 0 ? "base" : robot_.links[info.parent].name;
  info.base = add_joint(index, at_place("attach", "", [&] { return resolve(place); }));
  info.nq = info.joint_nq = model_.nq_ - info.q, info.nv = info.joint_nv = model_.nv_ - info.v;
  model_.links_.push_back(info);
}

template <typename S>
FrameT<S> ModelBuilderT<S>::resolve(const PlaceT<S>& place) const {
  using Kind = typename PortLocationT<S>::Kind;
  if (place.link == "base") return {model_.base_.node, model_.base_.node_frame * place.pose};
  const int link = index_of(place.link);
  if (link < 0) throw ModelError("link", "'" + place.link + "'", "'base' or the name of a link");
  const LinkInfoT<S>& info = model_.links_[link];
  if (place.at.kind == Kind::base) return {info.base.node, info.base.node_frame * place.pose};
  if (place.at.kind == Kind::tip) return {info.tip.node, info.tip.node_frame * place.pose};
  if (place.at.kind == Kind::point && !deforms_at_points(link)) {
    const BodyT<S>* body = robot_.links[link].body.get();
    if (body == nullptr || body->coordinate_count() > 0 || body->slender() != nullptr) {
      throw ModelError("at", "a material point of '" + place.link + "'",
                       "base, tip or {s} (points belong to rigid bodies and volumes)");
    }
    return {info.base.node, info.base.node_frame * PoseT<S>{Matrix3T<S>::identity(), place.at.point} * place.pose};
  }
  for (const Port& port : built_[link].ports) {
    if (same_place(port.at, place.at)) return {port.frame.node, port.frame.node_frame * place.pose};
  }
  throw ModelError("at", "link '" + place.link + "' has no such port");
}

template <typename S>
void ModelBuilderT<S>::check_floating_mass() {
  // inertia at the neutral configuration of everything that each node carries, about the world's origin
  std::vector<SpatialInertiaT<S>> carried;
  std::vector<char> moves(topology_.nodes.size(), 0);  // something below the node moves
  for (std::size_t n = 0; n < topology_.nodes.size(); ++n) {
    carried.push_back(topology_.nodes[n].inertia.in_parent(neutral_[n]));
  }
  for (int e = static_cast<int>(topology_.edges.size()) - 1; e >= 0; --e) {
    const Edge& edge = topology_.edges[e];
    if (edge.kind == EdgeKind::body) {
      const PoseT<S> world_base = neutral_[edge.parent_node] * topology_.bodies[edge.index].parent_base;
      carried[edge.parent_node] += model_.links_[edge.link].rest_inertia.in_parent(world_base);
    } else if (edge.nv == 6 && !has_armature(topology_.joints[edge.index].dynamics)) {
      const std::string problem = floating_problem(carried[edge.child_node]);
      const auto at_part = [&](Diagnostic text) {
        return edge.link < 0 ? text.place_in("base")
                             : text.place_in({"links", edge.link}, robot_.links[edge.link].name);
      };
      if (problem == k_line && moves[edge.child_node]) {
        model_.warnings_.push_back(at_part("in the neutral configuration the free-floating part has " + problem));
      } else if (!problem.empty()) {
        throw ModelError(at_part("the free-floating part has " + problem +
                                 ", expected a body with mass and inertia fixed to it or to its children"));
      }
    }
    moves[edge.parent_node] = 1;
    for (int k = 0; k < edge.child_count; ++k) carried[edge.parent_node] += carried[edge.child_node + k];
  }
}

template <typename S>
void ModelBuilderT<S>::finish() {
  std::vector<char> left(topology_.nodes.size(), 0);
  for (const Edge& edge : topology_.edges) left[edge.parent_node] = 1;
  for (std::size_t node = 0; node < left.size(); ++node) {
    if (left[node] == 0) topology_.leaves.push_back(static_cast<int>(node));
  }
  topology_.find_columns();
  for (std::size_t i = 0; i < robot_.links.size(); ++i) {
    if (!robot_.links[i].body) continue;
    for (Diagnostic& warning : robot_.links[i].body->warnings()) {
      model_.warnings_.push_back(warning.place_in({"links", i, "body"}, robot_.links[i].name));
    }
  }
}

#define CUTTLE_INSTANTIATE(S) template class ModelBuilderT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
