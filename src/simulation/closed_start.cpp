#include "simulation/closed_start.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/error.h"

namespace cuttle {
namespace {

/// Why a state is not one of a motion; empty: it is.
std::string off_motion(const Model& model, const PrescribedMotion& motion, const State& state) {
  constexpr double k_closed = 1e-8;  // beside the tolerance of closing loops
  State driven = state;
  motion.impose(0.0, driven.q, driven.v, nullptr);
  VectorXd off(model.nv());
  difference<double>(model, driven.q, state.q, off);
  for (const int k : motion.coordinates()) {
    if (std::abs(off[k]) <= k_closed && std::abs(driven.v[k] - state.v[k]) <= k_closed * (1.0 + std::abs(state.v[k]))) {
      continue;
    }
    return fmt::format("{} differs by {:g} and its velocity by {:g} from where they close",
                       model.velocity_info()[static_cast<std::size_t>(k)].name, off[k], state.v[k] - driven.v[k]);
  }
  return "";
}

}  // namespace

ConstraintRows close_start(const Model& model, const Scenario& scenario, const PrescribedMotion* motion, State& state,
                           std::shared_ptr<const VelocityClosing>& closing) {
  if (model.loops().empty()) return {};
  Data data(model);
  ConstraintData constraints(model);
  std::vector<char> driven(model.nv(), 0);
  if (motion != nullptr) {
    for (const int k : motion->coordinates()) driven[k] = 1;
  }
  std::vector<char> held_q = driven, held_v = driven;
  for (const auto& [name, given] : scenario.initial) {
    for (int k = 0; k < model.nv(); ++k) {
      if (model.link_of_velocity(k) != name) continue;
      if (!given.q.empty()) held_q[k] = 1;
      if (!given.v.empty()) held_v[k] = 1;
    }
  }
  const State start = state;
  const auto close = [&](const std::vector<char>& q_stays, const std::vector<char>& v_stays) {
    state = start;
    close_loops(model, data, constraints, state.q, q_stays);
    ConstraintRows rows = select_constraint_rows(model, data, constraints, state.q);
    auto found = std::make_shared<const VelocityClosing>(model, data, constraints, rows, state.q, state.v, v_stays);
    closing.reset();
    if (found->change().size() > 0) state.v -= found->change(), closing = std::move(found);
    return rows;
  };
  try {
    ConstraintRows rows = close(held_q, held_v);
    if (motion == nullptr || off_motion(model, *motion, state).empty()) return rows;
    rows = close(driven, driven);
    if (const std::string off = off_motion(model, *motion, state); !off.empty()) {
      throw ArgumentError("motion: found a start at which the loops do not close, expected one at which they do: " +
                          off);
    }
    return rows;
  } catch (const SimulationError& error) {
    throw ArgumentError(std::string("initial: ") + error.what());
  }
}

}  // namespace cuttle
