#include "algorithms/worth_of_numbers.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "algorithms/acting_forces.h"
#include "algorithms/derivative_sweep.h"
#include "algorithms/differentiated_groups.h"
#include "algorithms/edge_blocks.h"
#include "algorithms/spread_loads.h"
#include "algorithms/state_load_list.h"
#include "algorithms/worth_of_bodies.h"
#include "algorithms/worth_of_tendons.h"
#include "model/joint_spring.h"

namespace cuttle {
namespace {

/// The gradient by constants of a model, one after the other.
struct ConstantPlaces {
  static constexpr int k_gravity = 0, k_first_node = 3;
  static constexpr int k_of_node = 10;       ///< mass, moment, rotation xx, yy, zz, xy, xz, yz
  static constexpr int k_of_placement = 6;   ///< displacement of an edge's placement, parent axes
  static constexpr int k_of_coordinate = 4;  ///< damping, armature, stiffness and rest of screws

  explicit ConstantPlaces(const Model& model)
      : first_placement(k_first_node + k_of_node * static_cast<int>(model.topology().nodes.size())),
        first_coordinate(first_placement + k_of_placement * static_cast<int>(model.topology().edges.size())),
        count(first_coordinate + k_of_coordinate * model.nv()) {}

  int node(std::size_t i) const { return k_first_node + k_of_node * static_cast<int>(i); }
  int placement(std::size_t edge) const { return first_placement + k_of_placement * static_cast<int>(edge); }
  int coordinate(int v) const { return first_coordinate + k_of_coordinate * v; }

  int first_placement, first_coordinate, count;
};

/// How a number follows a constant.
struct ConstantSlope {
  int constant, number;
  double slope;
};

/// The spring of a joint with several coordinates, as eight numbers change it.
struct ChangedSpring {
  int edge;
  std::shared_ptr<const JointT<ForwardDual>> joint;
  JointDynamicsT<ForwardDual> dynamics;
  int first, count;
};

/// Where the nodes of a model are in one with derivatives: it may have more, as places that are one may be two as soon
/// as a number moves them apart. -1: nothing but tendons asks for them. Empty: they are not the same otherwise.
std::vector<int> places_of_nodes(const Model& model, const ModelT<ForwardDual>& variable) {
  const TopologyT<double>& a = model.topology();
  const TopologyT<ForwardDual>& b = variable.topology();
  std::vector<int> places(a.nodes.size(), -1), back(b.nodes.size(), -1);
  const auto pair = [&](int node, int place) {
    int &there = places[static_cast<std::size_t>(node)], &here = back[static_cast<std::size_t>(place)];
    const bool fits = (there < 0 || there == place) && (here < 0 || here == node);
    there = place, here = node;
    return fits;
  };
  bool fits = a.edges.size() == b.edges.size() && pair(0, 0);
  for (std::size_t e = 0; fits && e < a.edges.size(); ++e) {
    const Edge &x = a.edges[e], &y = b.edges[e];
    fits = x.kind == y.kind && x.index == y.index && pair(x.parent_node, y.parent_node) &&
           pair(x.child_node, y.child_node);
  }
  for (std::size_t i = 0; fits && i < model.links().size(); ++i) {
    fits = pair(model.links()[i].base.node, variable.links()[i].base.node);
  }
  return fits ? places : std::vector<int>();
}

/// A straight stretch of a tendon of which a number moves an end along a rod.
struct MovedSegment {
  struct End {
    int node;          ///< of the model; -1: at a port of a rod
    std::size_t body;  ///< the rod, of those that deform
    std::optional<WorthOfRod::MovedPort> port;
    Vector3 point, slope;  ///< in the axes of the node or port, and how it follows the number
  };
  int tendon, number;
  End ends[2];
};

/// Adds what an inertia is worth to `work`, dot(inertia y, x).
void add_worth_of_inertia(const Twist& x, const Twist& y, double* work) {
  const Vector3 moment = cross(y.linear, x.angular) + cross(x.linear, y.angular);
  const Vector3 &a = x.angular, &b = y.angular;
  work[0] += dot(x.linear, y.linear);
  for (int i = 0; i < 3; ++i) work[1 + i] += moment[i], work[4 + i] += a[i] * b[i];
  work[7] += a.x * b.y + a.y * b.x, work[8] += a.x * b.z + a.z * b.x, work[9] += a.y * b.z + a.z * b.y;
}

/// Of all that hangs at a node, or at the base of an edge.
struct Hanging {
  Wrench by_second;                  ///< the weighed forces of coordinates further out: CoordinateResponse
  Vector3 by_rate, by_turn;          ///< likewise
  Wrench by_displacement, by_twist;  ///< of straight stretches of tendons
};

Hanging& operator+=(Hanging& a, const Hanging& b) {
  a.by_second += b.by_second, a.by_rate += b.by_rate, a.by_turn += b.by_turn;
  a.by_displacement += b.by_displacement, a.by_twist += b.by_twist;
  return a;
}

/// What is worth to twists of one more coordinate, with the virtual twist of what it moves.
HangingWorth with_virtual_twist(const Hanging& h, const CompositeT<double>& c, const Twist& twist) {
  HangingWorth worth{h.by_second + c.inertia * twist, h.by_rate + c.rate.transpose_times(twist), h.by_displacement};
  worth.by_turn.torque += h.by_turn + c.turn.transpose_times(twist);
  return worth;
}

}  // namespace

struct WorthOfNumbers::Parts {
  /// @param its_paths  of the numbers. @param its_directions  along which each is followed, itself among it.
  Parts(const Model& its_model, const std::vector<std::string>& its_paths,
        const std::vector<ParameterDirection>& its_directions)
      : model(its_model),
        paths(its_paths),
        directions(its_directions),
        places(model),
        data(model),
        derivatives(model),
        loads(load_wrench_count(model)),
        tendons(model),
        gradient(VectorXd::Zero(places.count)),
        twists(model.topology().nodes.size()),
        nodes(twists.size()),
        by_displacement(twists.size()),
        by_twist(twists.size()),
        beside(paths.size(), 0),
        changed_body(model.topology().bodies.size()) {
    const auto has_surfaces = [](const TransmissionsT<double>& t) {
      return !t.chambers.empty() || std::any_of(t.tendons.begin(), t.tendons.end(),
                                                [](const auto& tendon) { return !tendon.polygons.empty(); });
    };
    const TransmissionsT<double>&t = model.actuation(), &of_elements = model.element_transmissions();
    has_actuators = !has_surfaces(t) && t.wrenches.empty() && t.functions.empty() && model.loops().empty();
    surfaces = has_surfaces(t) || has_surfaces(of_elements);
    functions = (!has_actuators && !t.functions.empty()) || !of_elements.functions.empty() ||
                std::any_of(model.elements().begin(), model.elements().end(),
                            [](const auto& element) { return element.law->beside_actuators() != nullptr; });
    acts_elsewhere = !has_actuators || !model.elements().empty();
    for (std::size_t e = 0; e < model.topology().edges.size(); ++e) {
      if (model.topology().edges[e].kind != EdgeKind::body) continue;
      bodies.emplace_back(model, static_cast<int>(e)), body_edges.push_back(e);  // in the order of the topology's
    }
  }

  void add(const Instant& at, const VectorXd& weights, double scale, VectorXd& worth);

  // What numbers change, of models with derivatives by some of them.
  /// @return false: nothing was gathered, as the model has other nodes.
  bool gather(const ModelT<ForwardDual>& variable, int first, int count, std::vector<char>& known);
  MovedSegment::End moved_end(const ModelT<ForwardDual>& variable, const std::vector<int>& its_nodes, int node,
                              const Vector3T<ForwardDual>& point, int k, bool& unknown);
  void gather_moved_segments(const ModelT<ForwardDual>& variable, const std::vector<int>& its_nodes, int first,
                             int count, std::vector<char>& known);
  void gather_frames(const ModelT<ForwardDual>& variable, int first, int count, std::vector<char>& known) const;
  void gather_edges(const ModelT<ForwardDual>& variable, int first, int count, std::vector<char>& known);
  void gather_bodies(const ModelT<ForwardDual>& variable, int first, int count, std::vector<char>& known);
  void add_slope(int constant, const ForwardDual& x, int first, int count) {
    for (int k = 0; k < count; ++k) {
      if (x.derivative[k] != 0.0) slopes.push_back({constant, first + k, x.derivative[k]});
    }
  }
  void add_placement(std::size_t edge, const PoseT<ForwardDual>& pose, int first, int count);
  /// A number that moves what hangs somewhere.
  void move(int number) { beside[static_cast<std::size_t>(number)] |= static_cast<char>(acts_elsewhere); }
  void find_those_beside(const ModelT<ForwardDual>& variable, int first, int count);
  void follow_bodies(std::vector<char>& known);
  bool is_of_actuator(int number) const { return paths[static_cast<std::size_t>(number)].starts_with("actuators"); }

  // The gradient at a motion.
  void find_twists(const VectorXd& weights);
  void hang(const VectorXd& weights);
  void find_worth_of_placement(std::size_t e, const Hanging& h);
  void find_worth_of_inertias();
  void find_worth_of_joints(const Instant& at, const VectorXd& weights);
  void add_springs(const Instant& at, const VectorXd& weights, double scale, VectorXd& worth) const;
  void add_bodies(const VectorXd& weights, double scale, VectorXd& worth);
  /// Of the tension, as the number moves the ends.
  double work_of(const MovedSegment& segment, const WorthOfTendons::Along& along);

  DerivativeData::Workspace& workspace() { return derivatives.workspace(); }

  const Model& model;
  const std::vector<std::string> paths;
  const std::vector<ParameterDirection> directions;
  ConstantPlaces places;
  Data data;
  DerivativeData derivatives;
  bool has_actuators;   ///< what inputs without laws do is known here
  bool acts_elsewhere;  ///< something acts that is not, nor contacts and loads
  bool surfaces;        ///< on places within bodies
  bool functions;       ///< through functions and laws that may have numbers of links in them
  std::vector<ConstantSlope> slopes;
  std::vector<ChangedSpring> springs;
  std::vector<MovedSegment> moved_segments;
  std::vector<ExternalWrench> loads;
  WorthOfTendons tendons;
  std::vector<WorthOfBody> bodies;
  std::vector<std::size_t> body_edges;
  VectorXd gradient;          ///< by constants
  std::vector<Twist> twists;  ///< virtual ones of nodes
  std::vector<Hanging> nodes;
  std::vector<Wrench> by_displacement, by_twist;
  VectorXd tensions;                           ///< inputs, zero where a law makes the effort
  std::vector<char> beside;                    ///< of numbers: WorthOfNumbers::acts_beside
  std::vector<std::vector<int>> changed_body;  ///< of each body: numbers that act through it
};

WorthOfNumbers::WorthOfNumbers(const Model& model, const std::vector<std::string>& paths)
    : known_(paths.size(), 0), beside_(paths.size(), 0), along_(paths.size()) {
  const std::vector<Edge>& edges = model.topology().edges;
  if (std::any_of(edges.begin(), edges.end(), [&](const Edge& edge) { return has_sparse_tangent(model, edge); }))
    return;
  std::vector<std::string> all = paths;
  std::vector<ParameterDirection> directions = along_each(paths);
  for (std::size_t k = 0; k < paths.size(); ++k) {
    for (const std::string& end : ends_given_with(model, paths[k])) {
      const auto place = std::find(all.begin(), all.end(), end);
      along_[k].push_back(static_cast<std::size_t>(place - all.begin()));
      if (place == all.end()) all.push_back(end);
      directions[k].push_back(end);
    }
  }
  for (std::size_t k = paths.size(); k < all.size(); ++k) directions.push_back({all[k]});
  parts_ = std::make_unique<Parts>(model, all, directions);
  known_.assign(all.size(), 1);
  differentiate_in_groups(
      model, directions, [&](std::size_t first, std::size_t count, const ModelT<ForwardDual>& variable) {
        if (parts_->gather(variable, static_cast<int>(first), static_cast<int>(count), known_)) return;
        for (std::size_t k = first; k < first + count; ++k) {
          if (!parts_->gather(differentiate_along(model, {directions[k]}), static_cast<int>(k), 1, known_)) {
            known_[k] = 0;
          }
        }
      });
  parts_->follow_bodies(known_);
  for (std::size_t k = 0; k < paths.size(); ++k) {
    for (const std::size_t end : along_[k]) known_[k] = static_cast<char>(known_[k] & known_[end]);
  }
  beside_ = parts_->beside, has_actuators_ = parts_->has_actuators;
}
WorthOfNumbers::~WorthOfNumbers() = default;

void WorthOfNumbers::add(const Instant& at, const VectorXd& weights, double scale, VectorXd& worth) {
  if (!parts_) return;
  VectorXd all = VectorXd::Zero(static_cast<Eigen::Index>(known_.size()));
  parts_->add(at, weights, scale, all);
  for (std::size_t k = 0; k < along_.size(); ++k) {
    if (known_[k] == 0) continue;
    double& found = worth[static_cast<Eigen::Index>(k)];
    found += all[static_cast<Eigen::Index>(k)];
    for (const std::size_t end : along_[k]) found -= all[static_cast<Eigen::Index>(end)];
  }
}

bool WorthOfNumbers::Parts::gather(const ModelT<ForwardDual>& variable, int first, int count,
                                   std::vector<char>& known) {
  const std::vector<int> its_nodes = places_of_nodes(model, variable);
  if (its_nodes.empty()) return false;
  const bool in_time =
      std::any_of(model.loads().begin(), model.loads().end(), [](const auto& load) { return load.wrench != nullptr; });
  for (int k = first; k < first + count; ++k) {
    const auto number = static_cast<std::size_t>(k);
    if (in_time && paths[number].starts_with("loads")) known[number] = 0;
  }
  for (int i = 0; i < 3; ++i) {
    add_slope(ConstantPlaces::k_gravity + i, variable.robot().gravity[i], first, count);
  }
  for (std::size_t i = 0; i < its_nodes.size(); ++i) {
    if (its_nodes[i] < 0) continue;
    const SpatialInertiaT<ForwardDual>& inertia =
        variable.topology().nodes[static_cast<std::size_t>(its_nodes[i])].inertia;
    const SymmetricMatrix3T<ForwardDual>& I = inertia.rotation;
    const ForwardDual* numbers[] = {
        &inertia.mass, &inertia.moment.x, &inertia.moment.y, &inertia.moment.z, &I.xx, &I.yy, &I.zz, &I.xy, &I.xz,
        &I.yz};
    for (int j = 0; j < ConstantPlaces::k_of_node; ++j) add_slope(places.node(i) + j, *numbers[j], first, count);
  }
  gather_frames(variable, first, count, known);
  gather_edges(variable, first, count, known);
  gather_bodies(variable, first, count, known);
  find_those_beside(variable, first, count);
  if (!has_actuators) return true;
  tendons.gather(variable, first, count);
  gather_moved_segments(variable, its_nodes, first, count, known);
  return true;
}

/// Beside those that move places. Loads that depend on the motion, and contacts, may follow any number.
void WorthOfNumbers::Parts::find_those_beside(const ModelT<ForwardDual>& variable, int first, int count) {
  for (int k = 0; k < count; ++k) {
    const auto number = static_cast<std::size_t>(first) + static_cast<std::size_t>(k);
    const auto of = [&](const char* part) { return paths[number].starts_with(part); };
    const bool of_bodies = of("links") || of("materials") || of("gravity");
    const bool follows = !of_bodies || (functions && of("links")) || places_follow(variable, !has_actuators, k);
    beside[number] |=
        static_cast<char>((acts_elsewhere && follows) || !model.state_loads().empty() || !model.site_laws().empty());
  }
}

/// Frames that are none of tendons.
void WorthOfNumbers::Parts::gather_frames(const ModelT<ForwardDual>& variable, int first, int count,
                                          std::vector<char>& known) const {
  const auto refuse = [&](const FrameT<ForwardDual>& frame) {
    for (int k = 0; k < count; ++k) {
      if (any(slope_of(frame.node_frame, k))) known[static_cast<std::size_t>(first) + static_cast<std::size_t>(k)] = 0;
    }
  };
  for (const auto& load : variable.loads()) {
    for (const auto& frame : load.frames) refuse(frame);
    for (const ForwardDual& weight : load.weights) {
      for (int k = 0; k < count; ++k) {
        if (weight.derivative[k] != 0.0) known[static_cast<std::size_t>(first) + static_cast<std::size_t>(k)] = 0;
      }
    }
  }
}

void WorthOfNumbers::Parts::add_placement(std::size_t edge, const PoseT<ForwardDual>& pose, int first, int count) {
  for (int k = 0; k < count; ++k) {
    const Twist displacement = slope_of(pose, k);
    if (!any(displacement)) continue;
    for (int i = 0; i < 6; ++i) slopes.push_back({places.placement(edge) + i, first + k, displacement[i]});
    move(first + k);
  }
}

void WorthOfNumbers::Parts::gather_edges(const ModelT<ForwardDual>& variable, int first, int count,
                                         std::vector<char>& known) {
  const TopologyT<ForwardDual>& t = variable.topology();
  const auto refuse = [&](const auto& follows) {
    for (int k = 0; k < count; ++k) {
      if (follows(k)) known[static_cast<std::size_t>(first) + static_cast<std::size_t>(k)] = 0;
    }
  };
  for (std::size_t e = 0; e < t.edges.size(); ++e) {
    const Edge& edge = t.edges[e];
    const auto at = static_cast<std::size_t>(edge.index);
    if (edge.kind == EdgeKind::body) {
      add_placement(e, t.bodies[at].parent_base, first, count);
    } else if (edge.kind == EdgeKind::screw) {
      const ScrewEdgeT<ForwardDual>& screw = t.screws[at];
      add_placement(e, screw.parent_placement, first, count);
      refuse([&](int k) { return screw.rotation.derivative[k] != 0.0 || screw.translation.derivative[k] != 0.0; });
      const int own = places.coordinate(edge.v);
      add_slope(own, screw.damping, first, count), add_slope(own + 1, screw.armature, first, count);
      add_slope(own + 2, screw.stiffness, first, count), add_slope(own + 3, screw.rest, first, count);
    } else {
      const JointEdgeT<ForwardDual>& joint = t.joints[at];
      add_placement(e, joint.parent_placement, first, count);
      for (int i = 0; i < edge.nv; ++i) {
        const auto k = static_cast<std::size_t>(i);
        add_slope(places.coordinate(edge.v + i), joint.dynamics.damping[k], first, count);
        add_slope(places.coordinate(edge.v + i) + 1, joint.dynamics.armature[k], first, count);
      }
      // its own shape: at a motion without zeros, as it is smooth
      std::vector<ForwardDual> q(static_cast<std::size_t>(edge.nq)), v;
      for (int i = 0; i < edge.nv; ++i) v.emplace_back(0.3 + 0.17 * i);
      joint.joint->neutral(q.data());
      joint.joint->integrate(q.data(), v.data(), q.data());
      JointMotionT<ForwardDual> motion;
      joint.joint->motion(q.data(), v.data(), motion);
      refuse([&](int k) {
        bool follows = any(slope_of(motion.placement_child, k)) || any(slope_of(motion.velocity, k)) ||
                       any(slope_of(motion.bias, k));
        for (int i = 0; i < edge.nv; ++i) {
          follows = follows || any(slope_of(motion.subspace[static_cast<std::size_t>(i)], k));
        }
        return follows;
      });
      const auto follows = [&](const std::vector<ForwardDual>& numbers) {
        return std::any_of(numbers.begin(), numbers.end(), [](const ForwardDual& x) {
          return std::any_of(x.derivative, x.derivative + k_forward_width, [](double d) { return d != 0.0; });
        });
      };
      if (follows(joint.dynamics.stiffness) || follows(joint.dynamics.rest)) {
        springs.push_back({static_cast<int>(e), joint.joint, joint.dynamics, first, count});
      }
    }
  }
}

void WorthOfNumbers::Parts::gather_bodies(const ModelT<ForwardDual>& variable, int first, int count,
                                          std::vector<char>& known) {
  for (std::size_t at = 0; at < bodies.size(); ++at) {
    const Edge& edge = model.topology().edges[body_edges[at]];
    const std::shared_ptr<const BodyT<ForwardDual>>& body = variable.topology().bodies[at].body;
    const WorthOfBody::Reach reach = bodies[at].reach(*body);
    const std::string own = "links." + model.links()[static_cast<std::size_t>(edge.link)].name + ".body.";
    std::vector<int> numbers(static_cast<std::size_t>(count), -1);
    for (int k = 0; k < count; ++k) {
      const int number = first + k;
      if (is_of_actuator(number)) continue;  // it may move ports: gather_moved_segments
      // a body of a program may have numbers that act in some shapes alone
      const bool acts =
          reach.acts[static_cast<std::size_t>(k)] || paths[static_cast<std::size_t>(number)].starts_with(own);
      if (reach.moves[static_cast<std::size_t>(k)]) move(number);
      if (!acts) continue;
      numbers[static_cast<std::size_t>(k)] = number;
      if (surfaces) beside[static_cast<std::size_t>(number)] = 1;
    }
    if (!bodies[at].is_rod()) {  // eight of its own at a time
      std::copy_if(numbers.begin(), numbers.end(), std::back_inserter(changed_body[at]), [](int k) { return k >= 0; });
    } else if (body->port_count() == edge.child_count) {
      bodies[at].follow(body, std::move(numbers));
    } else {
      for (const int k : numbers) {
        if (k >= 0) known[static_cast<std::size_t>(k)] = 0;
      }
    }
  }
}

/// An end, with how derivative k moves it.
/// @param unknown  set where it is not known here.
MovedSegment::End WorthOfNumbers::Parts::moved_end(const ModelT<ForwardDual>& variable,
                                                   const std::vector<int>& its_nodes, int node,
                                                   const Vector3T<ForwardDual>& point, int k, bool& unknown) {
  const TopologyT<ForwardDual>& t = variable.topology();
  MovedSegment::End end{-1, 0, {}, {point.x.value, point.y.value, point.z.value}, slope_of(point, k)};
  const int above = t.parent_edge[static_cast<std::size_t>(node)];
  if (above >= 0 && t.edges[static_cast<std::size_t>(above)].kind == EdgeKind::body) {
    const Edge& edge = t.edges[static_cast<std::size_t>(above)];
    end.body = static_cast<std::size_t>(edge.index);
    const BodyT<ForwardDual>& body = *t.bodies[end.body].body;
    if (bodies[end.body].rod() != nullptr) {
      end.port = WorthOfRod::moved_port(body, node - edge.child_node, k);
      return end;
    }
    unknown = unknown || bodies[end.body].reach(body).moves[static_cast<std::size_t>(k)];
  }
  const auto place = std::find(its_nodes.begin(), its_nodes.end(), node);
  unknown = unknown || place == its_nodes.end();
  end.node = static_cast<int>(place - its_nodes.begin());
  return end;
}

/// Stretches of tendons of which numbers of actuators move ends along bodies, or that such numbers have made.
void WorthOfNumbers::Parts::gather_moved_segments(const ModelT<ForwardDual>& variable,
                                                  const std::vector<int>& its_nodes, int first, int count,
                                                  std::vector<char>& known) {
  for (int k = 0; k < count; ++k) {
    for (std::size_t i = 0; i < variable.tendons().size(); ++i) {
      const auto& segments = variable.tendons()[i].segments;
      const bool same = segments.size() == model.tendons()[i].segments.size();
      if (same && !is_of_actuator(first + k)) continue;
      for (const auto& segment : segments) {
        bool unknown = false;
        MovedSegment moved{static_cast<int>(i),
                           first + k,
                           {moved_end(variable, its_nodes, segment.first_node, segment.first, k, unknown),
                            moved_end(variable, its_nodes, segment.second_node, segment.second, k, unknown)}};
        bool some = false;
        for (MovedSegment::End& end : moved.ends) {
          if (same) end.slope = {};                                      // WorthOfTendons has it
          if (end.port && !is_of_actuator(first + k)) end.port->hold();  // its body has it
          some = some || any(end.slope) || (end.port && end.port->moves);
        }
        if (unknown) known[static_cast<std::size_t>(first) + static_cast<std::size_t>(k)] = 0;
        if (some && !unknown) moved_segments.push_back(std::move(moved));
      }
    }
  }
}

double WorthOfNumbers::Parts::work_of(const MovedSegment& segment, const WorthOfTendons::Along& along) {
  const BoundTendonT<double>& tendon = model.tendons()[static_cast<std::size_t>(segment.tendon)];
  WorthOfTendons::Straight s{along.u[tendon.input], {}, {}};
  Twist displacement[2], change[2];
  for (int i = 0; i < 2; ++i) {
    const MovedSegment::End& end = segment.ends[i];
    Pose pose;
    Twist twist;
    if (end.port) {
      const Edge& edge = model.topology().edges[body_edges[end.body]];
      const WorthOfRod::PortMotion motion =
          bodies[end.body].rod()->motion_of(*end.port, data.body_state[end.body], along.weights.data() + edge.v);
      pose = along.workspace.bodies[end.body].base * motion.base_port;
      twist = pose.act(motion.twist);
      displacement[i] = pose.act(motion.displacement), change[i] = pose.act(motion.twist_change);
    } else {
      pose = along.workspace.pose[static_cast<std::size_t>(end.node)];
      twist = along.twists[static_cast<std::size_t>(end.node)];
    }
    s.ends[i] = pose.act(end.point);
    s.rates[i] = twist.linear + cross(twist.angular, s.ends[i]);
    const Vector3 moved = pose.rotation * end.slope;
    displacement[i].linear += moved, change[i].linear += cross(twist.angular, moved);
  }
  s.find_direction(tendon);
  double sum = 0.0;
  for (int i = 0; i < 2; ++i) {
    const WorthOfTendons::EndWorth worth = WorthOfTendons::worth_of_end(s, i);
    sum += dot(worth.by_displacement, displacement[i]) + dot(worth.by_twist, change[i]);
  }
  return sum;
}

/// Bodies that are no rods with derivatives by the numbers of each, eight at a time, whatever other parts these change.
void WorthOfNumbers::Parts::follow_bodies(std::vector<char>& known) {
  for (std::size_t at = 0; at < bodies.size(); ++at) {
    const Edge& edge = model.topology().edges[body_edges[at]];
    WorthOfBody& body = bodies[at];
    std::vector<int> numbers;
    for (const int k : changed_body[at]) {
      if (known[static_cast<std::size_t>(k)] != 0) numbers.push_back(k);
    }
    std::vector<ParameterDirection> own;
    own.reserve(numbers.size());
    for (const int k : numbers) own.push_back(directions[static_cast<std::size_t>(k)]);
    differentiate_in_groups(model, own, [&](std::size_t first, std::size_t count, const ModelT<ForwardDual>& variable) {
      const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(first);
      const std::vector<int> group(begin, begin + static_cast<std::ptrdiff_t>(count));
      if (variable.topology().bodies[at].body->port_count() == edge.child_count) {
        body.follow(variable.topology().bodies[at].body, group);
      } else {
        for (const int k : group) known[static_cast<std::size_t>(k)] = 0;
      }
    });
  }
}

void WorthOfNumbers::Parts::add(const Instant& at, const VectorXd& weights, double scale, VectorXd& worth) {
  spread_loads<double>(
      model,
      [&](std::size_t i) {
        const TimedWrench& own = *model.loads()[i].wrench;
        Wrench wrench;
        for (int k = 0; k < 3; ++k)
          wrench.torque[k] = own.torque[k].at(at.time), wrench.force[k] = own.force[k].at(at.time);
        return std::pair(wrench, own.axes);
      },
      loads);
  DerivativeData::Workspace& w = workspace();
  derivative::sweep_both_ways(model, data, w, w.in_matrices(derivatives), at.q, at.v, at.a, {nullptr, loads});
  find_twists(weights);
  tensions = at.u;
  for (int i = 0; i < model.nu(); ++i) {
    if (model.actuation().is_driven(i)) tensions[i] = 0.0;
  }
  const WorthOfTendons::Along along{at.q, tensions, weights, twists, w};
  for (auto* all : {&by_displacement, &by_twist}) std::fill(all->begin(), all->end(), Wrench{});
  if (has_actuators) tendons.add_worth_of_nodes(along, by_displacement, by_twist);
  gradient.setZero();
  hang(weights);
  find_worth_of_inertias();
  find_worth_of_joints(at, weights);
  for (const ConstantSlope& s : slopes) worth[s.number] += scale * s.slope * gradient[s.constant];
  add_springs(at, weights, scale, worth);
  if (has_actuators) tendons.subtract(along, scale, worth);
  add_bodies(weights, scale, worth);
  for (const MovedSegment& segment : moved_segments) worth[segment.number] += scale * work_of(segment, along);
}

void WorthOfNumbers::Parts::find_twists(const VectorXd& weights) {
  const TopologyT<double>& t = model.topology();
  const DerivativeData::Workspace& w = workspace();
  twists[0] = {};
  for (std::size_t e = 0; e < t.edges.size(); ++e) {
    const Edge& edge = t.edges[e];
    for (int p = 0; p < edge.child_count; ++p) {
      Twist twist = twists[static_cast<std::size_t>(edge.parent_node)];
      for (int k = 0; k < edge.nv; ++k) {
        twist += weights[edge.v + k] * w.twist(w.jacobian, t.first_slot[e] + p * edge.nv + k);
      }
      twists[static_cast<std::size_t>(edge.child_node) + static_cast<std::size_t>(p)] = twist;
    }
  }
}

/// What hangs at nodes, tips to root, and at the placements of edges.
void WorthOfNumbers::Parts::hang(const VectorXd& weights) {
  const TopologyT<double>& t = model.topology();
  const DerivativeData::Workspace& w = workspace();
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = {{}, {}, {}, by_displacement[i], by_twist[i]};
  for (std::size_t e = t.edges.size(); e-- > 0;) {
    const Edge& edge = t.edges[e];
    Hanging h;
    for (int k = 0; k < edge.nv; ++k) {
      const CoordinateResponse& r = w.response[static_cast<std::size_t>(edge.v) + static_cast<std::size_t>(k)];
      const double weight = weights[edge.v + k];
      h.by_second += weight * r.by_second, h.by_rate += weight * r.by_rate, h.by_turn += weight * r.by_turn;
    }
    for (int p = 0; p < edge.child_count; ++p)
      h += nodes[static_cast<std::size_t>(edge.child_node) + static_cast<std::size_t>(p)];
    find_worth_of_placement(e, h);
    nodes[static_cast<std::size_t>(edge.parent_node)] += h;
  }
  for (int i = 0; i < 3; ++i) gradient[ConstantPlaces::k_gravity + i] = -nodes[0].by_second.force[i];
}

/// As of one more coordinate between the parent and the edge, which does not move.
void WorthOfNumbers::Parts::find_worth_of_placement(std::size_t e, const Hanging& h) {
  const Edge& edge = model.topology().edges[e];
  const DerivativeData::Workspace& w = workspace();
  const auto parent = static_cast<std::size_t>(edge.parent_node);
  CompositeT<double> composite;
  if (edge.kind == EdgeKind::body) {
    const BodyDerivativeMemory& body = w.bodies[static_cast<std::size_t>(edge.index)];
    composite = derivative::in_parent(body.result.composite, body.base);
  } else {
    composite = w.composite[static_cast<std::size_t>(edge.child_node)];
  }
  const HangingWorth worth = with_virtual_twist(h, composite, twists[parent]);
  const Wrench wrench = composite.wrench + h.by_twist;
  for (int i = 0; i < 6; ++i) {
    const Twist z = w.pose[parent].act(derivative::unit_twist(i)), rate = bracket(w.velocity[parent], z);
    const Twist second = bracket(w.acceleration[parent], z) + bracket(w.velocity[parent], rate);
    gradient[places.placement(e) + i] = dot(worth.by_second, second) + dot(worth.by_rate, rate.angular) +
                                        dot(worth.by_turn, z) + dot(wrench, bracket(twists[parent], z));
  }
}

/// (I A + V x* I V) along X is that of I A along X and of I V along [X, V].
void WorthOfNumbers::Parts::find_worth_of_inertias() {
  const DerivativeData::Workspace& w = workspace();
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const Twist X = w.pose[i].act_inverse(twists[i]), V = w.pose[i].act_inverse(w.velocity[i]);
    add_worth_of_inertia(X, w.pose[i].act_inverse(w.acceleration[i]), gradient.data() + places.node(i));
    add_worth_of_inertia(bracket(X, V), V, gradient.data() + places.node(i));
  }
}

void WorthOfNumbers::Parts::find_worth_of_joints(const Instant& at, const VectorXd& weights) {
  for (const Edge& edge : model.topology().edges) {
    if (edge.kind == EdgeKind::body) continue;
    for (int k = 0; k < edge.nv; ++k) {
      double* own = gradient.data() + places.coordinate(edge.v + k);
      own[0] = weights[edge.v + k] * at.v[edge.v + k], own[1] = weights[edge.v + k] * at.a[edge.v + k];
    }
    if (edge.kind != EdgeKind::screw) continue;
    const ScrewEdgeT<double>& screw = model.topology().screws[static_cast<std::size_t>(edge.index)];
    double* own = gradient.data() + places.coordinate(edge.v);
    own[2] = weights[edge.v] * (at.q[edge.q] - screw.rest), own[3] = -weights[edge.v] * screw.stiffness;
  }
}

void WorthOfNumbers::Parts::add_springs(const Instant& at, const VectorXd& weights, double scale,
                                        VectorXd& worth) const {
  for (const ChangedSpring& spring : springs) {
    const Edge& edge = model.topology().edges[static_cast<std::size_t>(spring.edge)];
    std::array<ForwardDual, 7> q;
    std::array<ForwardDual, 6> force;
    for (int i = 0; i < edge.nq; ++i) q[static_cast<std::size_t>(i)] = at.q[edge.q + i];
    joint_spring_force(*spring.joint, spring.dynamics, q.data(), force.data());
    for (int i = 0; i < edge.nv; ++i) {
      for (int k = 0; k < spring.count; ++k) {
        worth[spring.first + k] += scale * weights[edge.v + i] * force[static_cast<std::size_t>(i)].derivative[k];
      }
    }
  }
}

void WorthOfNumbers::Parts::add_bodies(const VectorXd& weights, double scale, VectorXd& worth) {
  const DerivativeData::Workspace& w = workspace();
  for (std::size_t at = 0; at < bodies.size(); ++at) {
    const Edge& edge = model.topology().edges[body_edges[at]];
    std::vector<Wrench> wrenches;
    std::vector<HangingWorth> hanging;
    for (int p = 0; p < edge.child_count; ++p) {
      const auto node = static_cast<std::size_t>(edge.child_node) + static_cast<std::size_t>(p);
      wrenches.push_back(w.pose[node].act_inverse(w.composite[node].wrench + nodes[node].by_twist));
      hanging.push_back(with_virtual_twist(nodes[node], w.composite[node], twists[node]));
    }
    const Twist base = w.bodies[at].base.act_inverse(twists[static_cast<std::size_t>(edge.parent_node)]);
    bodies[at].add(data.body_state[at], weights.data() + edge.v, base, wrenches, hanging, w, scale, worth);
  }
}

}  // namespace cuttle
