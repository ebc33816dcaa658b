#include <algorithm>
#include <numeric>

#include "algorithms/derivative_workspace.h"
#include "cuttle/error.h"

namespace cuttle {
namespace {

/// Whether their force depends on q in a way that only ForwardDual differentiates here.
/// @param knows_polygons  as of the workspace.
bool needs_gradient_model(const TransmissionsT<double>& transmissions, const std::vector<char>& knows_polygons,
                          const std::vector<BodyDerivativeMemory>& bodies) {
  const auto sparse = [&](const auto& part) { return bodies[static_cast<std::size_t>(part.body)].sparse != nullptr; };
  const auto knows = [&](const auto& polygon) {
    return knows_polygons[static_cast<std::size_t>(polygon.body)] != 0 || sparse(polygon);
  };
  const auto& tendons = transmissions.tendons;
  return !std::all_of(transmissions.chambers.begin(), transmissions.chambers.end(), sparse) ||
         !transmissions.wrenches.empty() || std::any_of(tendons.begin(), tendons.end(), [&](const auto& tendon) {
           return !tendon.segments.empty() || !std::all_of(tendon.polygons.begin(), tendon.polygons.end(), knows);
         });
}

/// The polygons through each body that knows their second derivatives.
std::vector<MaterialPolygons> gather_polygons(const Model& model, const TransmissionsT<double>& transmissions,
                                              const std::vector<char>& knows_polygons) {
  std::vector<MaterialPolygons> all;
  for (std::size_t body = 0; body < knows_polygons.size(); ++body) {
    if (knows_polygons[body] == 0) continue;
    MaterialPolygons* own = nullptr;
    for (const auto& tendon : transmissions.tendons) {
      for (const auto& polygon : tendon.polygons) {
        if (static_cast<std::size_t>(polygon.body) != body) continue;
        if (own == nullptr) {
          all.emplace_back(model.topology().bodies[body].body->part<VolumeKinematics>(), polygon.q, polygon.v,
                           polygon.nv);
          own = &all.back();
        }
        own->add(tendon, polygon);
      }
    }
    if (own != nullptr) own->prepare();
  }
  return all;
}

/// Where a body has sparse derivatives: with what its chambers and tendons couple.
std::unique_ptr<SparseBodyMemory> sparse_memory(const Model& model, const Edge& edge, const Body& body) {
  auto tangent = body.part<SparseTangent>();
  if (!tangent) return nullptr;
  NodePairs pairs(tangent->node_count());
  tangent->join(pairs);
  for (const TransmissionsT<double>* set : {&model.actuation(), &model.element_transmissions()}) {
    for (const auto& chamber : set->chambers) {
      if (chamber.body == edge.index) tangent->join_surface(*chamber.surface, pairs);
    }
    for (const auto& tendon : set->tendons) {
      for (const auto& polygon : tendon.polygons) {
        if (polygon.body == edge.index) tangent->join_polygon(polygon.points, pairs);
      }
    }
  }
  pairs.finish();
  auto memory = std::make_unique<SparseBodyMemory>(SparseBodyMemory{tangent, std::move(pairs), {}, {}, {}, {}, {}});
  memory->places = tangent->element_places(memory->pairs);
  for (auto* values : {&memory->by_q, &memory->by_v, &memory->by_a}) {
    values->assign(static_cast<std::size_t>(memory->pairs.entries()), 0.0);
  }
  return memory;
}

void prepare_tangent(const Model& model, const Edge& edge, const Body& body, BodyDerivativeMemory& memory) {
  memory.tangent = body.tangent();
  try {
    if (memory.tangent == nullptr) {
      memory.automatic = make_automatic_tangent(body);
      memory.tangent = memory.automatic.get();
    }
    if (!memory.tangent->has_internal_derivatives() && body.damping_depends_on_shape()) {
      memory.damping = body.clone_as(ScalarTag<ForwardDual>{});
      memory.gradients.resize(3 * static_cast<std::size_t>(edge.nv));
    }
  } catch (Error& error) {
    error.place_in("body");
    error.place_in({"links", edge.link}, model.robot().links[edge.link].name);
    throw;
  }
  memory.memory.resize(memory.tangent->tangent_memory_size());
}

/// @param matrices  as of the workspace.
void prepare_body(const Model& model, const Edge& edge, const Body& body, bool matrices, BodyDerivativeMemory& memory) {
  const std::size_t n = static_cast<std::size_t>(edge.nv), ports = static_cast<std::size_t>(edge.child_count);
  if (!matrices) memory.sparse = sparse_memory(model, edge, body);
  const std::size_t square = memory.sparse ? 0 : n * n;
  if (!memory.sparse) prepare_tangent(model, edge, body, memory);
  std::vector<std::size_t> columns(ports, n);  // of ports
  for (std::size_t p = 0; memory.sparse && p < ports; ++p) {
    columns[p] = 3 * memory.sparse->tangent->port_nodes(static_cast<int>(p)).size();
  }
  memory.matrices.resize(3 * square + 24 * n + 18 * std::accumulate(columns.begin(), columns.end(), std::size_t{0}));
  memory.stiffness.resize(2 * square);
  double* at = memory.matrices.data();
  const auto take = [&at](std::size_t count) {
    double* p = at;
    at += count;
    return p;
  };
  BodyDerivativesT<double>& r = memory.result;
  r.force_by_q = take(square), r.force_by_v = take(square), r.mass = take(square);
  r.base_by_q = take(6 * n), r.base_by_v = take(6 * n), r.coupling = take(6 * n);
  r.rate = take(3 * n), r.turn = take(3 * n);
  memory.ports.resize(ports), memory.port_loads.resize(ports);
  for (std::size_t p = 0; p < ports; ++p) {
    memory.ports[p] = {take(6 * columns[p]), take(6 * columns[p]), take(6 * columns[p])};
  }
}

}  // namespace

DerivativeData::Workspace::Workspace(const Model& model, bool matrices)
    : places(matrices ? EdgePlaces::in_matrix(model) : EdgePlaces::alone(model)) {
  if (matrices) dense.resize(model.nv(), 2 * model.nv());
  const TopologyT<double>& t = model.topology();
  const std::size_t nodes = t.nodes.size();
  pose.resize(nodes), velocity.resize(nodes), acceleration.resize(nodes), composite.resize(nodes);
  displacement_along.resize(nodes), rate_along.resize(nodes), second_along.resize(nodes), wrench_along.resize(nodes);
  response.resize(model.nv());
  applied.resize(model.nv()), dv.resize(model.nv()), da.resize(model.nv());
  v.setZero(model.nv()), a.setZero(model.nv());
  bodies.resize(t.bodies.size());
  if (matrices) moved.resize(static_cast<std::size_t>(t.slot_count));
  first_slot.assign(nodes, 0);
  int slots = 0;
  for (const Edge& edge : t.edges) {
    if (edge.kind == EdgeKind::body)
      prepare_body(model, edge, *t.bodies[edge.index].body, matrices, bodies[edge.index]);
    for (int p = 0; p < edge.child_count; ++p) {  // without sparse bodies as in the topology
      first_slot[static_cast<std::size_t>(edge.child_node) + static_cast<std::size_t>(p)] = slots;
      each_slot(edge, p, [&slots](int, int) { ++slots; });
    }
    if (!matrices) continue;
    t.for_each_run(edge.parent_node, [&](const ColumnRun& run) {
      for (int slot = run.slot; slot < run.slot + run.count; ++slot) {
        std::vector<CoordinateRun>& runs = moved[slot];
        if (!runs.empty() && runs.back().v + runs.back().count == edge.v) {
          runs.back().count += edge.nv;
        } else {
          runs.push_back({edge.v, edge.nv});
        }
      }
    });
  }
  response_stride = static_cast<int>(padded(static_cast<std::size_t>(model.nv())));
  response_rows.assign(12 * static_cast<std::size_t>(response_stride), 0.0);
  stride = static_cast<int>(padded(static_cast<std::size_t>(slots)));
  for (auto* rows : {&jacobian, &rate, &second}) rows->assign(6 * static_cast<std::size_t>(stride), 0.0);
  const TransmissionsT<double>* sets[] = {&model.actuation(), &model.element_transmissions()};
  for (const auto& body : t.bodies) {
    knows_polygons.push_back(MaterialPolygons::know(body.body->part<VolumeKinematics>().get()));
  }
  transmission_q.resize(model.nq()), transmission_step.resize(model.nv());
  for (int i = 0; i < 2; ++i) {
    polygons[i] = gather_polygons(model, *sets[i], knows_polygons);
    if (!gradient_model && needs_gradient_model(*sets[i], knows_polygons, bodies)) {
      gradient_model.emplace(model.robot().cast<ForwardDual>());
      gradient_data.emplace(*gradient_model);
    }
  }
  if (!gradient_model) return;
  gradient_q.resize(model.nq()), gradient_step.resize(model.nv());
  for (int i = 0; i < 2; ++i) gradient_efforts[i].resize(sets[i]->count());
}

DerivativeData::DerivativeData(const Model& model)
    : by_q(MatrixXd::Zero(model.nv(), model.nv())),
      by_v(by_q),
      by_a(by_q),
      tangent(VectorXd::Zero(model.nv())),
      coriolis_matrix(by_q),
      stamp_(model.stamp()),
      workspace_(std::make_unique<Workspace>(model, true)) {}
DerivativeData::DerivativeData(DerivativeData&&) noexcept = default;
DerivativeData& DerivativeData::operator=(DerivativeData&&) noexcept = default;
DerivativeData::~DerivativeData() = default;

FrameDerivatives::FrameDerivatives(const Model& model)
    : jacobian(MatrixXd::Zero(6, model.nv())),
      velocity_by_q(jacobian),
      acceleration_by_q(jacobian),
      acceleration_by_v(jacobian) {}

}  // namespace cuttle
