#include "simulation/robot_lanes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "bodies/body_packing.h"
#include "simulation/schedule.h"

namespace cuttle {

std::string difference_of(const Model& a, const Model& b) {
  const TopologyT<double>&s = a.topology(), &t = b.topology();
  if (!b.loops().empty()) return "found the closed loop '" + b.loops().front().name + "'";
  if (a.links().size() != b.links().size()) {
    return "found " + std::to_string(b.links().size()) + " links, expected " + std::to_string(a.links().size());
  }
  for (std::size_t k = 0; k < a.links().size(); ++k) {
    const LinkInfoT<double>&x = a.links()[k], &y = b.links()[k];
    const std::string link = "link '" + y.name + "': ";
    if (x.parent != y.parent) return link + "found another parent";
    if (x.joint_type != y.joint_type) {
      return link + "found a " + y.joint_type + " joint, expected a " + x.joint_type + " joint";
    }
    if (x.body_type != y.body_type) return link + "found body '" + y.body_type + "', expected '" + x.body_type + "'";
    if (x.nv != y.nv) {
      return link + "found " + std::to_string(y.nv) + " coordinates, expected " + std::to_string(x.nv);
    }
  }
  const auto same_edge = [](const Edge& x, const Edge& y) {
    return x.kind == y.kind && x.index == y.index && x.parent_node == y.parent_node && x.child_node == y.child_node &&
           x.child_count == y.child_count && x.q == y.q && x.v == y.v && x.nq == y.nq && x.nv == y.nv;
  };
  const auto same_node = [](const NodeT<double>& x, const NodeT<double>& y) { return x.has_inertia == y.has_inertia; };
  if (s.nodes.size() != t.nodes.size() || s.loaded != t.loaded ||
      !std::equal(s.edges.begin(), s.edges.end(), t.edges.begin(), t.edges.end(), same_edge) ||
      !std::equal(s.nodes.begin(), s.nodes.end(), t.nodes.begin(), same_node)) {
    return "found another arrangement of joints, bodies and their ports";
  }
  for (int k = 0; k < std::max(a.nu(), b.nu()); ++k) {
    if (k >= a.nu() || k >= b.nu() || a.input_info()[k].name != b.input_info()[k].name) return "found other actuators";
  }
  const auto same_tendon = [](const BoundTendonT<double>& x, const BoundTendonT<double>& y) {
    return x.input == y.input && x.slack == y.slack;
  };
  if (!std::equal(a.tendons().begin(), a.tendons().end(), b.tendons().begin(), b.tendons().end(), same_tendon)) {
    return "found other tendons";
  }
  const auto same_wrench = [](const BoundWrenchT<double>& x, const BoundWrenchT<double>& y) {
    return x.input == y.input && x.world_axes == y.world_axes && x.frame.node == y.frame.node;
  };
  if (!std::equal(a.actuation().wrenches.begin(), a.actuation().wrenches.end(), b.actuation().wrenches.begin(),
                  b.actuation().wrenches.end(), same_wrench)) {
    return "found other wrenches of actuators";
  }
  const auto same_load = [](const BoundLoadT<double>& x, const BoundLoadT<double>& y) {
    return std::equal(x.frames.begin(), x.frames.end(), y.frames.begin(), y.frames.end(),
                      [](const Frame& f, const Frame& g) { return f.node == g.node; });
  };
  for (std::size_t k = 0; k < s.bodies.size(); ++k) {
    const BodyPacking *x = s.bodies[k].body->packing(), *y = t.bodies[k].body->packing();
    if (x == nullptr || y == nullptr || x->kind() != y->kind()) continue;
    const std::string difference = y->difference(*x);
    if (difference.empty()) continue;
    const auto edge = std::find_if(t.edges.begin(), t.edges.end(), [k](const Edge& e) {
      return e.kind == EdgeKind::body && e.index == static_cast<int>(k);
    });
    return "link '" + b.links()[edge->link].name + "': " + difference;
  }
  bool same_loads = std::equal(a.loads().begin(), a.loads().end(), b.loads().begin(), b.loads().end(), same_load);
  for (std::size_t k = 0; same_loads && k < a.loads().size(); ++k) {
    const TimedWrench *x = a.loads()[k].wrench, *y = b.loads()[k].wrench;
    const auto type_of = [k](const Model& m) { return m.robot().loads[k].law->type_name(); };
    same_loads = (x == nullptr) == (y == nullptr) && (x == nullptr || x->axes == y->axes) && type_of(a) == type_of(b);
  }
  return same_loads ? "" : "found other loads";
}

Arrangement arrangement_of(const Model& model) {
  Arrangement result;
  auto& all = result.structure;
  for (const auto& edge : model.topology().bodies) {
    const WorkspaceSize size = edge.body->workspace_size();
    all.insert(all.end(), {size.persistent, size.scratch, size.elimination});
    if (const BodyPacking* packing = edge.body->packing()) {
      const std::vector<std::size_t> own = packing->arrangement();
      all.insert(all.end(), own.begin(), own.end());
    }
  }
  const StateLayout layout = state_layout(model);
  for (const int count : {layout.works, layout.integrals, layout.elements, layout.sites}) {
    all.push_back(static_cast<std::size_t>(count));
  }
  const auto add = [&result](const std::vector<double>& own) {
    result.load_jumps.insert(result.load_jumps.end(), own.begin(), own.end());
  };
  for (const Load& load : model.robot().loads) add(load.law->discontinuities());
  for (const auto& element : model.elements()) add(element.law->discontinuities());
  std::sort(result.load_jumps.begin(), result.load_jumps.end());
  return result;
}

void add_targets(const Jumps& jumps, const std::vector<double>& held, const OutputTimes& outputs, bool samples,
                 RolloutPlan& plan) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> times;
  for (const auto& [time, clock] : jumps) {
    if (time > 0.0 && (times.empty() || time > times.back())) times.push_back(time);
  }
  const std::vector<Stop> stops = stops_of(times, outputs);
  auto stop = stops.begin();
  RolloutPlan::Target target;
  const auto enter = [&](double from, double begin) {  // signals are those between two jumps
    target.signal_begin = begin;
    target.signal_end =
        stop == stops.end()
            ? std::numeric_limits<double>::max()
            : std::max(begin, std::nextafter(jumps.lower_bound({stop->first, -infinity})->second, begin));
    target.held = static_cast<int>(std::upper_bound(held.begin(), held.end(), from) - held.begin());
  };
  const auto add = [&](double time, std::int64_t sample) {
    target.time = time, target.sample = samples ? static_cast<int>(sample) : -1;
    plan.targets.push_back(target);
  };
  enter(0.0, plan.start);
  add(0.0, 0);
  for (std::int64_t k = 1; k < outputs.size(); ++k) {
    while (stop != stops.end() && stop->time <= outputs[k]) {
      add(stop->time, -1);
      const double from = stop->last, begin = std::prev(jumps.upper_bound({from, infinity}))->second;
      ++stop;
      enter(from, begin);
    }
    add(outputs[k], k);
  }
}

}  // namespace cuttle
