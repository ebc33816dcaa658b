#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/bodies/body.h"
#include "cuttle/error.h"
#include "cuttle/spatial/eigen.h"
#include "cuttle/testing/body_contract/differences.h"
#include "cuttle/testing/body_contract/evaluation.h"
#include "cuttle/testing/body_contract/findings.h"
#include "cuttle/testing/body_contract/state.h"
#include "cuttle/testing/body_contract/workspace.h"

namespace cuttle::contract {

template <typename S>
void check_same(Findings& findings, const Evaluation<S>& a, const Evaluation<S>& b, double tolerance,
                const std::string& what) {
  const auto same = [&](const auto& x, const auto& y, double scale, const std::string& name) {
    findings.near(x, y, tolerance, scale, what + ": " + name);
  };
  const double inertia = size_of(a.whole());
  const double scale = inertia * (1.0 + size_of(to_eigen(a.ports[0].velocity)));
  for (std::size_t k = 0; k < a.ports.size(); ++k) {
    const std::string port = " of port " + std::to_string(k);
    same(to_eigen(a.ports[k].base_port), to_eigen(b.ports[k].base_port), 1.0, "pose" + port);
    same(to_eigen(a.ports[k].velocity), to_eigen(b.ports[k].velocity), 1.0 + size_of(to_eigen(a.ports[k].velocity)),
         "velocity" + port);
    same(to_eigen(a.ports[k].acceleration), to_eigen(b.ports[k].acceleration),
         1.0 + size_of(to_eigen(a.ports[k].acceleration)), "acceleration" + port);
    same(a.jacobians[k], b.jacobians[k], 1.0 + size_of(a.jacobians[k]), "Jacobian" + port);
  }
  same(a.whole(), b.whole(), inertia, "inertia");
  same(a.base_wrench, b.base_wrench, 1.0 + scale + size_of(a.base_wrench), "base wrench");
  same(a.force, b.force, 1.0 + scale + size_of(a.force), "force");
  same(Vector<S>::Constant(1, a.kinetic_energy), Vector<S>::Constant(1, b.kinetic_energy), scale, "kinetic energy");
  same(to_eigen(a.moment), to_eigen(b.moment), static_cast<double>(a.base.mass), "mass moment");
}

template <typename S, typename T>
Evaluation<T> rounded(const Evaluation<S>& a) {
  Evaluation<T> b;
  for (const auto& p : a.ports) {
    b.ports.push_back(
        {p.base_port.template cast<T>(), p.velocity.template cast<T>(), p.acceleration.template cast<T>()});
  }
  b.base_wrench = a.base_wrench.template cast<T>();
  b.force = a.force.template cast<T>();
  b.mass = a.mass.template cast<T>();
  b.coupling = a.coupling.template cast<T>();
  b.base = a.base.template cast<T>();
  for (const auto& J : a.jacobians) b.jacobians.push_back(J.template cast<T>());
  b.kinetic_energy = static_cast<T>(a.kinetic_energy);
  b.moment = a.moment.template cast<T>();
  return b;
}

/// Results depend on the state alone: not on earlier calls, on their order, or on which copy is asked.
inline void check_no_memory(Findings& findings, const Body& body, const State<double>& state,
                            const State<double>& other, Numbers& numbers) {
  std::vector<Wrench> wrenches(body.port_count());
  for (Wrench& w : wrenches) w = numbers.wrench();
  const Evaluation<double> expected = evaluate(body, state, wrenches);
  Workspace<double> used(body.workspace_size());
  for (int order = 0; order < 4; ++order) {
    evaluate(body, other, wrenches, used, 3 - order);
    check_same(findings, evaluate(body, state, wrenches, used, order), expected, 0.0, "after another state");
  }
  forward(body, other, MotionLevel::pose, used);
  check_same(findings, evaluate(body, state, wrenches, used, 1), expected, 0.0, "after a call for poses");
  const std::unique_ptr<Body> copy = body.clone();
  findings.expect(copy->port_count() == body.port_count(), "clone: another number of ports");
  findings.expect(copy->type_name() == body.type_name(), "clone: type '" + copy->type_name() + "'");
  check_same(findings, evaluate(*copy, state, wrenches), expected, 0.0, "clone");
  const std::unique_ptr<Body> cast = body.clone_as(ScalarTag<double>{});
  check_same(findings, evaluate(*cast, state, wrenches), expected, 0.0, "clone_as double");

  // blocks after a call for poses only
  Evaluation<double> early;
  forward(body, state, MotionLevel::pose, used);
  inertia(body, state, used, early);
  findings.near(early.whole(), expected.whole(), 0.0, 0.0, "blocks after poses");
}

/// The same body in long double. @return false if it has none, which it must say in words.
inline bool check_same_in_long_double(Findings& findings, const Body& body, const State<double>& state,
                                      Numbers& numbers) {
  std::unique_ptr<BodyT<long double>> wide;
  try {
    wide = body.clone_as(ScalarTag<long double>{});
  } catch (const Error& error) {
    findings.expect(!std::string(error.what()).empty(), "clone_as long double: an error without words");
    return false;
  }
  if (!findings.expect(wide->port_count() == body.port_count(), "clone_as long double: another number of ports") ||
      !findings.expect(wide->coordinate_count() == body.coordinate_count(),
                       "clone_as long double: another number of coordinates")) {
    return true;
  }
  std::vector<Wrench> wrenches(body.port_count());
  std::vector<WrenchT<long double>> wide_wrenches;
  for (Wrench& w : wrenches) w = numbers.wrench(), wide_wrenches.push_back(w.cast<long double>());
  const State<long double> wide_state = state.cast<long double>();
  const double rounding = 1e3 * std::numeric_limits<double>::epsilon();
  check_same(findings, evaluate(body, state, wrenches),
             rounded<long double, double>(evaluate(*wide, wide_state, wide_wrenches)), rounding, "long double");
  const int n = body.coordinate_count();
  Vector<double> force = Vector<double>::Zero(n), drag = force;
  Vector<long double> wide_force = Vector<long double>::Zero(n), wide_drag = wide_force;
  body.add_elastic_force(state.q.data(), force.data());
  body.add_damping_force(state.q.data(), state.v.data(), drag.data());
  wide->add_elastic_force(wide_state.q.data(), wide_force.data());
  wide->add_damping_force(wide_state.q.data(), wide_state.v.data(), wide_drag.data());
  findings.near(force, wide_force.cast<double>(), rounding, size_of(force), "elastic force in long double");
  findings.near(drag, wide_drag.cast<double>(), rounding, size_of(drag), "damping force in long double");
  findings.near(body.elastic_energy(state.q.data()), static_cast<double>(wide->elastic_energy(wide_state.q.data())),
                rounding * body.elastic_energy(state.q.data()), "elastic energy in long double");
  if (body.has_dissipation() && wide->has_dissipation()) {
    const double dissipation = body.dissipation(state.q.data(), state.v.data());
    findings.near(dissipation, static_cast<double>(wide->dissipation(wide_state.q.data(), wide_state.v.data())),
                  rounding * dissipation, "dissipation in long double");
  }
  return true;
}

}  // namespace cuttle::contract
