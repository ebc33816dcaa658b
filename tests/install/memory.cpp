// Vectors that the library makes are freed here, and the other way round: whatever instruction set this file is
// compiled for, it must run. Each kind of object that owns vectors of Eigen crosses over.
#include <cuttle/cuttle.h>
#include <cuttle/simulation/batch.h>
#include <cuttle/simulation/simulator.h>

#include <iostream>
#include <utility>

namespace {

cuttle::Model two_rods() {
  cuttle::RodParameters rod;
  rod.length = 0.3;
  rod.section.radius = 0.02;
  rod.material.density = 1070;
  rod.material.young_modulus = 5e5;
  rod.material.damping_time = 0.1;
  rod.quadrature_points = 4;
  rod.strain = cuttle::strain_shorthand<double>("pcc", rod.length);
  const auto body = std::make_shared<cuttle::RodBody>(rod);
  cuttle::Robot robot;
  robot.name = "two_rods";
  robot.links.push_back({.name = "first", .joint = cuttle::make_revolute_joint<double>({0, 1, 0}), .body = body});
  robot.links.push_back({.name = "second", .body = body});
  robot.actuators = {cuttle::Actuator::joint("motor", "first")};
  return cuttle::Model(robot);
}

/// Uses a vector of the library in expressions of this file's own instructions, grows it here, and frees it.
double consume(Eigen::VectorXd x) {
  const double norm = (2.0 * x + x.reverse()).norm();
  x.resize(x.size() + 13);
  return norm;
}

}  // namespace

int main() {
  const cuttle::Model model = two_rods();
  const int nv = model.nv();
  Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(nv, 0.01, 0.2), v = Eigen::VectorXd::Constant(nv, 0.3);
  double sum = 0.0;
  for (int round = 0; round < 3; ++round) {
    cuttle::Data data(model);
    cuttle::DerivativeData derivatives(model);
    cuttle::FrameDerivatives frame(model);
    cuttle::inverse_dynamics_derivatives(model, data, derivatives, q, v, v);
    cuttle::frame_derivatives(model, derivatives, model.tip_frame("second"), frame);
    sum += consume(cuttle::inverse_dynamics(model, data, q, v, v)) + consume(derivatives.by_q.col(0));
    data.tau.resize(40), data.mass_matrix.resize(40, 40);  // freed there, made here
    cuttle::Data moved = std::move(data);

    cuttle::Scenario scenario;
    scenario.duration = 0.02, scenario.output_step = 0.005;
    scenario.initial["first"].q = {0.3, 0.1, 0.0, 0.0};
    const cuttle::Simulator simulator(model, scenario);
    cuttle::State state = simulator.initial_state();
    sum += consume(std::move(state.q));
    cuttle::MemoryRecorder memory;
    const cuttle::Outcome outcome = simulator.run({&memory});
    std::vector<cuttle::Sample> samples = memory.samples();
    samples.push_back(outcome.last);
    for (cuttle::Sample& sample : samples) sum += consume(std::move(sample.v));

    cuttle::Batch batch(model, 5);
    const cuttle::RowMatrixXd rows = v.transpose().replicate(5, 1);
    cuttle::Rollout end = batch.rollout(rows, rows, {.step = 1e-5, .duration = 1e-3, .output_step = 5e-4});
    end.q.resize(2, 99);
    sum += end.q_samples.norm();

    cuttle::StaticEquilibrium equilibrium = cuttle::static_equilibrium(model, moved = cuttle::Data(model), {}, q);
    sum += consume(std::move(equilibrium.q));
  }
  if (!(sum > 0.0)) return 1;
  std::cout << "memory crossed in both directions\n";
}
