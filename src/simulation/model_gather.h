#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "bodies/rod_tables.h"
#include "cuttle/bodies/rod_body.h"
#include "cuttle/model/model.h"
#include "cuttle/spatial/pack.h"
#include "model/cloneable_joint.h"

// Puts the models of W robots side by side: every number of the packed model is a pack with one robot a lane. Nothing
// is computed anew, so a lane has the very numbers of the robot alone, and what was checked needs no second check.

namespace cuttle {

/// The width of a pack and its numbers, gathered.
template <typename S>
struct Gather;
template <int W>
struct Gather<Pack<W>> {
  using S = Pack<W>;
  static constexpr int k_width = W;
  template <typename T>
  using Each = std::array<const T*, W>;  ///< the same part of every robot

  static S number(const Each<double>& from) {
    S r;
    for (int i = 0; i < W; ++i) r.lanes[i] = *from[i];
    return r;
  }
  /// A plain structure of scalars, as PoseT.
  template <template <typename> class Of>
  static Of<S> plain(const Each<Of<double>>& from) {
    constexpr std::size_t count = sizeof(Of<double>) / sizeof(double);
    static_assert(std::is_trivially_copyable_v<Of<double>> && sizeof(Of<S>) == count * sizeof(S));
    Of<S> r;
    for (std::size_t k = 0; k < count; ++k) {
      S value;
      for (int i = 0; i < W; ++i) {
        double x;
        std::memcpy(&x, reinterpret_cast<const char*>(from[i]) + k * sizeof(double), sizeof x);
        value.lanes[i] = x;
      }
      std::memcpy(reinterpret_cast<char*>(&r) + k * sizeof(S), &value, sizeof value);
    }
    return r;
  }
  static std::vector<S> numbers(const Each<std::vector<double>>& from) {
    std::vector<S> r(from[0]->size());
    for (std::size_t k = 0; k < r.size(); ++k) {
      for (int i = 0; i < W; ++i) r[k].lanes[i] = (*from[i])[k];
    }
    return r;
  }
  /// The member, or whatever `of` makes a pointer to, of every robot's part.
  template <typename T, typename Of>
  static auto each(const Each<T>& from, const Of& of) {
    Each<std::remove_cvref_t<decltype(*of(*from[0]))>> r;
    for (int i = 0; i < W; ++i) r[i] = of(*from[i]);
    return r;
  }
};

/// Several robots' rods side by side.
template <typename S>
class RodLanesT final : public RodDynamicsT<S> {
 public:
  using G = Gather<S>;
  using Each = typename G::template Each<RodTables<double>>;

  /// Null if the rods differ in more than numbers.
  static std::unique_ptr<BodyT<S>> make(const Each& from) {
    const RodGrid<double>& first = from[0]->grid;
    for (const RodTables<double>* rod : from) {
      const RodGrid<double>& g = rod->grid;
      if (g.steps != first.steps || g.main_steps != first.main_steps || rod->predecessor != from[0]->predecessor ||
          rod->port_step != from[0]->port_step || !same_coordinates(g, first) || !same_laws(*rod, *from[0])) {
        return nullptr;
      }
    }
    return std::unique_ptr<BodyT<S>>(new RodLanesT(tables(from)));
  }

  std::vector<CoordinateInfo> coordinates() const override { return {}; }
  SpatialInertiaT<S> rest_inertia() const override { return {}; }
  int add_port(const PortLocationT<S>&) override { return -1; }
  std::unique_ptr<BodyT<S>> clone() const override { return nullptr; }

 private:
  explicit RodLanesT(std::unique_ptr<RodTables<S>> tables) : RodDynamicsT<S>(std::move(tables)) {}

  static bool same_coordinates(const RodGrid<double>& a, const RodGrid<double>& b) {
    return std::equal(std::begin(a.component_start), std::end(a.component_start), std::begin(b.component_start));
  }
  static bool same_laws(const RodTables<double>& a, const RodTables<double>& b) {
    const auto same = [](const std::optional<HyperelasticLawT<double>>& x,
                         const std::optional<HyperelasticLawT<double>>& y) {
      if (x.has_value() != y.has_value()) return false;
      return !x || (x->polynomial.size() == y->polynomial.size() && x->tanh.has_value() == y->tanh.has_value());
    };
    return same(a.bend, b.bend) && same(a.stretch, b.stretch) &&
           a.damping_time.has_value() == b.damping_time.has_value();
  }

  static std::unique_ptr<RodTables<S>> tables(const Each& from) {
    auto r = std::make_unique<RodTables<S>>();
    const RodTables<double>& first = *from[0];
    const RodGrid<double>& g = first.grid;
    r->grid.coordinates = g.coordinates;
    r->grid.columns = g.coordinates, r->grid.stride = g.steps;  // lanes are robots here: nothing needs padding
    r->grid.steps = g.steps, r->grid.main_steps = g.main_steps, r->grid.ports = g.ports;
    using Variation = typename RodGrid<S>::Variation;  // what holds for all of them
    r->grid.variation = Variation::none;
    for (const auto* rod : from) r->grid.variation = std::max(r->grid.variation, Variation(int(rod->grid.variation)));
    std::copy(std::begin(g.component_start), std::end(g.component_start), r->grid.component_start);
    r->predecessor = first.predecessor, r->port_step = first.port_step;
    r->length = G::number(G::each(from, [](const auto& rod) { return &rod.length; }));
    const auto table = [&](std::vector<double> RodTables<double>::*member, int rows) {
      std::vector<S> packed(static_cast<std::size_t>(rows) * g.steps);
      for (int row = 0; row < rows; ++row) {
        for (int j = 0; j < g.steps; ++j) {
          for (int i = 0; i < G::k_width; ++i) {
            packed[row * g.steps + j].lanes[i] = (from[i]->*member)[row * from[i]->grid.stride + j];
          }
        }
      }
      return packed;
    };
    r->step_length = table(&RodTables<double>::step_length, 1);
    r->shape1 = table(&RodTables<double>::shape1, g.coordinates);
    r->shape2 = table(&RodTables<double>::shape2, g.coordinates);
    r->rest1 = table(&RodTables<double>::rest1, 6), r->rest2 = table(&RodTables<double>::rest2, 6);
    r->mass = table(&RodTables<double>::mass, 1), r->rotary = table(&RodTables<double>::rotary, 3);
    for (int c = 0; c < 6; ++c) {
      r->stiffness[c] = G::numbers(G::each(from, [c](const auto& rod) { return &rod.stiffness[c]; }));
      r->damping[c] = G::numbers(G::each(from, [c](const auto& rod) { return &rod.damping[c]; }));
    }
    if (first.damping_time) {
      r->damping_time = G::number(G::each(from, [](const auto& rod) { return &*rod.damping_time; }));
    }
    r->bend = law(from, &RodTables<double>::bend), r->stretch = law(from, &RodTables<double>::stretch);
    r->point_grid();
    return r;
  }

  static std::optional<HyperelasticLawT<S>> law(const Each& from,
                                                std::optional<HyperelasticLawT<double>> RodTables<double>::*member) {
    if (!(from[0]->*member)) return std::nullopt;
    HyperelasticLawT<S> r;
    r.polynomial = G::numbers(G::each(from, [member](const auto& rod) { return &(rod.*member)->polynomial; }));
    if ((from[0]->*member)->tanh) {
      r.tanh.emplace();
      for (int k = 0; k < 3; ++k) {
        (*r.tanh)[k] = G::number(G::each(from, [member, k](const auto& rod) { return &(*(rod.*member)->tanh)[k]; }));
      }
    }
    return r;
  }
};

/// Builds ModelT<Pack<W>> from W models of one topology.
template <typename S>
class ModelGatherT {
 public:
  using G = Gather<S>;
  using Each = typename G::template Each<Model>;

  /// Null if some joint or body is not the library's own (it then exists one robot at a time only), if it has elements
  /// or loads that depend on the motion, or if the rods differ in more than numbers.
  static std::unique_ptr<ModelT<S>> make(const Each& from) {
    if (!from[0]->state_loads().empty() || !from[0]->elements().empty()) return nullptr;
    std::unique_ptr<ModelT<S>> model(new ModelT<S>);
    const TopologyT<double>& t = from[0]->topology();
    TopologyT<S>& r = model->topology_;
    model->nq_ = from[0]->nq(), model->nv_ = from[0]->nv(), model->nu_ = from[0]->nu();
    model->robot_.name = from[0]->name();
    model->robot_.gravity =
        G::template plain<Vector3T>(G::each(from, [](const Model& m) { return &m.robot().gravity; }));
    r.edges = t.edges, r.parent_edge = t.parent_edge, r.loaded = t.loaded;
    r.port_count = t.port_count, r.block_count = t.block_count;
    for (std::size_t n = 0; n < t.nodes.size(); ++n) {
      r.nodes.push_back({G::template plain<SpatialInertiaT>(
                             G::each(from, [n](const Model& m) { return &m.topology().nodes[n].inertia; })),
                         t.nodes[n].has_inertia, t.nodes[n].link});
    }
    for (std::size_t k = 0; k < t.screws.size(); ++k) {
      r.screws.push_back(
          G::template plain<ScrewEdgeT>(G::each(from, [k](const Model& m) { return &m.topology().screws[k]; })));
    }
    for (std::size_t k = 0; k < t.joints.size(); ++k) {
      if (!add_joint(from, static_cast<int>(k), r)) return nullptr;
    }
    for (std::size_t k = 0; k < t.bodies.size(); ++k) {
      if (!add_body(from, static_cast<int>(k), r)) return nullptr;
    }
    add_links(from, *model);
    add_loads(from, *model);
    add_wrenches(from, *model);
    if (!add_tendons(from, *model)) return nullptr;
    const auto matrix = [](const Model& m) { return &m.actuation().constant; };
    gather(G::each(from, matrix), model->nv_, model->nu_, model->actuation_.constant);
    const auto offset = [](const Model& m) { return &m.actuation().offset; };
    gather(G::each(from, offset), model->nu_, 1, model->actuation_.offset);
    model->element_transmissions_.constant.resize(model->nv_, 0);
    model->make_stamp();
    return model;
  }

 private:
  static PoseT<S> pose(const typename G::template Each<PoseT<double>>& from) { return G::template plain<PoseT>(from); }

  static bool add_joint(const Each& from, int k, TopologyT<S>& r) {
    const auto edges = G::each(from, [k](const Model& m) { return &m.topology().joints[k]; });
    typename G::template Each<LibraryJoint<double>> joints;
    for (int i = 0; i < G::k_width; ++i) {
      joints[i] = dynamic_cast<const LibraryJoint<double>*>(edges[i]->joint.get());
      if (joints[i] == nullptr || joints[i]->type_name() != joints[0]->type_name()) return false;
    }
    std::array<std::vector<Vector3T<double>>, G::k_width> axes;
    for (int i = 0; i < G::k_width; ++i) axes[i] = joints[i]->axes();
    std::vector<Vector3T<S>> packed;
    for (std::size_t a = 0; a < axes[0].size(); ++a) {
      typename G::template Each<Vector3T<double>> axis;
      for (int i = 0; i < G::k_width; ++i) axis[i] = &axes[i][a];
      packed.push_back(G::template plain<Vector3T>(axis));
    }
    JointEdgeT<S> edge;
    edge.parent_placement = pose(G::each(edges, [](const auto& e) { return &e.parent_placement; }));
    edge.joint = joint(joints[0]->type_name(), packed);
    if (!edge.joint) return false;
    const auto dynamics = [&](std::vector<double> JointDynamicsT<double>::*member) {
      return G::numbers(G::each(edges, [member](const auto& e) { return &(e.dynamics.*member); }));
    };
    edge.dynamics = {dynamics(&JointDynamicsT<double>::stiffness), dynamics(&JointDynamicsT<double>::damping),
                     dynamics(&JointDynamicsT<double>::armature), dynamics(&JointDynamicsT<double>::rest)};
    r.joints.push_back(std::move(edge));
    return true;
  }

  static std::shared_ptr<const JointT<S>> joint(const std::string& type, const std::vector<Vector3T<S>>& axes) {
    if (type == "revolute") return make_revolute_joint<S>(axes[0]);
    if (type == "prismatic") return make_prismatic_joint<S>(axes[0]);
    if (type == "cylindrical") return make_cylindrical_joint<S>(axes[0]);
    if (type == "universal") return make_universal_joint<S>(axes[0], axes[1]);
    if (type == "spherical") return make_spherical_joint<S>();
    if (type == "planar") return make_planar_joint<S>();
    if (type == "free") return make_free_joint<S>();
    return nullptr;
  }

  static bool add_body(const Each& from, int k, TopologyT<S>& r) {
    const auto edges = G::each(from, [k](const Model& m) { return &m.topology().bodies[k]; });
    typename RodLanesT<S>::Each rods;
    for (int i = 0; i < G::k_width; ++i) {
      const auto* rod = dynamic_cast<const RodDynamicsT<double>*>(edges[i]->body.get());
      if (rod == nullptr) return false;
      rods[i] = &rod->tables();
    }
    std::unique_ptr<BodyT<S>> body = RodLanesT<S>::make(rods);
    if (!body) return false;
    const WorkspaceSize size = body->workspace_size();
    WorkspaceSize& total = r.workspace;
    r.bodies.push_back({pose(G::each(edges, [](const auto& e) { return &e.parent_base; })), std::move(body),
                        edges[0]->first_port, total.persistent, total.elimination, edges[0]->blocks});
    total.persistent += padded(size.persistent);
    total.elimination += padded(size.elimination);
    total.scratch = std::max(total.scratch, padded(size.scratch));
    return true;
  }

  static void add_links(const Each& from, ModelT<S>& model) {
    for (std::size_t k = 0; k < from[0]->links().size(); ++k) {
      const LinkInfoT<double>& first = from[0]->links()[k];
      LinkInfoT<S> info;
      info.name = first.name, info.parent = first.parent;
      info.joint_type = first.joint_type, info.body_type = first.body_type;
      info.q = first.q, info.nq = first.nq, info.v = first.v, info.nv = first.nv;
      info.joint_nq = first.joint_nq, info.joint_nv = first.joint_nv;
      info.rest_inertia =
          G::template plain<SpatialInertiaT>(G::each(from, [k](const Model& m) { return &m.links()[k].rest_inertia; }));
      model.links_.push_back(std::move(info));
    }
  }

  template <typename From, typename To>
  static void gather(const From& from, int rows, int columns, To& to) {
    to.resize(rows, columns);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        for (int lane = 0; lane < G::k_width; ++lane) to(i, j).lanes[lane] = (*from[lane])(i, j);
      }
    }
  }

  /// False if the tendons run over other nodes, or over rods by other numbers of points.
  static bool add_tendons(const Each& from, ModelT<S>& model) {
    for (std::size_t k = 0; k < from[0]->tendons().size(); ++k) {
      const auto tendons = G::each(from, [k](const Model& m) { return &m.tendons()[k]; });
      const BoundTendonT<double>& first = *tendons[0];
      for (const auto* tendon : tendons) {
        if (!alike(*tendon, first)) return false;
      }
      BoundTendonT<S> bound;
      bound.input = first.input, bound.slack = first.slack;
      bound.fixed_length = G::number(G::each(tendons, [](const auto& t) { return &t.fixed_length; }));
      bound.rest_length = G::number(G::each(tendons, [](const auto& t) { return &t.rest_length; }));
      for (std::size_t i = 0; i < first.arcs.size(); ++i) {
        const auto arcs = G::each(tendons, [i](const auto& t) { return &t.arcs[i]; });
        const auto vectors = [&](std::vector<Vector3T<double>> TendonArcT<double>::*member) {
          std::vector<Vector3T<S>> all;
          for (std::size_t j = 0; j < (arcs[0]->*member).size(); ++j) {
            all.push_back(
                G::template plain<Vector3T>(G::each(arcs, [member, j](const auto& arc) { return &(arc.*member)[j]; })));
          }
          return all;
        };
        TendonArcT<S> arc;
        arc.q = arcs[0]->q, arc.v = arcs[0]->v, arc.nv = arcs[0]->nv;
        arc.weights = G::numbers(G::each(arcs, [](const auto& a) { return &a.weights; }));
        arc.rest = vectors(&TendonArcT<double>::rest), arc.shape = vectors(&TendonArcT<double>::shape);
        bound.arcs.push_back(std::move(arc));
      }
      for (std::size_t i = 0; i < first.segments.size(); ++i) {
        const auto segments = G::each(tendons, [i](const auto& t) { return &t.segments[i]; });
        bound.segments.push_back(
            {segments[0]->first_node, segments[0]->second_node,
             G::template plain<Vector3T>(G::each(segments, [](const auto& s) { return &s.first; })),
             G::template plain<Vector3T>(G::each(segments, [](const auto& s) { return &s.second; }))});
      }
      model.actuation_.tendons.push_back(std::move(bound));
    }
    return true;
  }
  static bool alike(const BoundTendonT<double>& a, const BoundTendonT<double>& b) {
    return std::equal(
               a.arcs.begin(), a.arcs.end(), b.arcs.begin(), b.arcs.end(),
               [](const auto& x, const auto& y) { return x.v == y.v && x.weights.size() == y.weights.size(); }) &&
           std::equal(a.segments.begin(), a.segments.end(), b.segments.begin(), b.segments.end(),
                      [](const auto& x, const auto& y) {
                        return x.first_node == y.first_node && x.second_node == y.second_node;
                      });
  }

  static void add_wrenches(const Each& from, ModelT<S>& model) {
    for (std::size_t k = 0; k < from[0]->actuation().wrenches.size(); ++k) {
      const auto wrenches = G::each(from, [k](const Model& m) { return &m.actuation().wrenches[k]; });
      BoundWrenchT<S> bound;
      bound.input = wrenches[0]->input, bound.world_axes = wrenches[0]->world_axes;
      bound.frame = {wrenches[0]->frame.node,
                     pose(G::each(wrenches, [](const auto& wrench) { return &wrench.frame.node_frame; }))};
      model.actuation_.wrenches.push_back(bound);
    }
  }

  static void add_loads(const Each& from, ModelT<S>& model) {
    for (std::size_t k = 0; k < from[0]->loads().size(); ++k) {
      const auto loads = G::each(from, [k](const Model& m) { return &m.loads()[k]; });
      BoundLoadT<S> bound;
      bound.weights = G::numbers(G::each(loads, [](const auto& load) { return &load.weights; }));
      for (std::size_t f = 0; f < loads[0]->frames.size(); ++f) {
        bound.frames.push_back({loads[0]->frames[f].node,
                                pose(G::each(loads, [f](const auto& load) { return &load.frames[f].node_frame; }))});
      }
      model.loads_.push_back(std::move(bound));
    }
  }
};

}  // namespace cuttle
