#pragma once

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cuttle/model/model.h"
#include "simulation/packed_kinds.h"
#include "spatial/gather.h"

// Puts the models of W robots side by side: every number of the packed model is a pack with one robot a lane. Nothing
// is computed anew, so a lane has the very numbers of the robot alone, and what was checked needs no second check.

namespace cuttle {

/// Builds ModelT<Pack<W>> from W models of one topology.
template <typename S>
class ModelGatherT {
 public:
  using G = Gather<S>;
  using Each = typename G::template Each<Model>;

  /// Null if some joint, body or transmission exists one robot at a time only, if there are elements, contacts or loads
  /// that depend on the motion, or if bodies differ in more than numbers.
  static std::unique_ptr<ModelT<S>> make(const Each& from) {
    if (!from[0]->state_loads().empty() || !from[0]->elements().empty()) return nullptr;
    if (!from[0]->actuation().functions.empty() || !from[0]->site_laws().empty()) return nullptr;
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
    r.find_columns();
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
    std::array<JointPacking, G::k_width> joints;
    for (int i = 0; i < G::k_width; ++i) {
      const std::optional<JointPacking> joint = edges[i]->joint->packing();
      if (!joint) return false;
      joints[i] = *joint;
      if (joints[i].kind != joints[0].kind || joints[i].axes.size() != joints[0].axes.size()) return false;
    }
    std::vector<Vector3T<S>> packed;
    for (std::size_t a = 0; a < joints[0].axes.size(); ++a) {
      typename G::template Each<Vector3T<double>> axis;
      for (int i = 0; i < G::k_width; ++i) axis[i] = &joints[i].axes[a];
      packed.push_back(G::template plain<Vector3T>(axis));
    }
    JointEdgeT<S> edge;
    edge.parent_placement = pose(G::each(edges, [](const auto& e) { return &e.parent_placement; }));
    edge.joint = packed_joint<S>(joints[0].kind, packed);
    if (!edge.joint) return false;
    const auto dynamics = [&](std::vector<double> JointDynamicsT<double>::*member) {
      return G::numbers(G::each(edges, [member](const auto& e) { return &(e.dynamics.*member); }));
    };
    edge.dynamics = {dynamics(&JointDynamicsT<double>::stiffness), dynamics(&JointDynamicsT<double>::damping),
                     dynamics(&JointDynamicsT<double>::armature), dynamics(&JointDynamicsT<double>::rest)};
    r.joints.push_back(std::move(edge));
    return true;
  }

  static bool add_body(const Each& from, int k, TopologyT<S>& r) {
    const auto edges = G::each(from, [k](const Model& m) { return &m.topology().bodies[k]; });
    typename G::template Each<BodyPacking> bodies;
    for (int i = 0; i < G::k_width; ++i) {
      bodies[i] = edges[i]->body->packing();
      if (bodies[i] == nullptr || bodies[i]->kind() != bodies[0]->kind()) return false;
    }
    std::unique_ptr<BodyT<S>> body = packed_body<S>(bodies);
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
