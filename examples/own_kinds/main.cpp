// A program with kinds of its own: simulates the scenario beside it, writes the result, reads that again, and says how
// the tip moves with a number of each kind.
//   own_kinds arm_scenario.yaml result.h5
#include <cuttle/algorithms/parameter_gradient.h>
#include <cuttle/io/result_file.h>
#include <cuttle/io/result_reader.h>
#include <cuttle/io/scenario_file.h>
#include <cuttle/simulation/simulator.h>

#include <cstdio>

#include "own_kinds.h"

namespace {

double tip_height(const cuttle::Model& model, const cuttle::Scenario& scenario) {
  return cuttle::Simulator(model, scenario).run({}).last.tips.back().position.z;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: own_kinds SCENARIO.yaml RESULT.h5\n"), 2;
  try {
    register_own_kinds();
    const cuttle::ScenarioFile file = cuttle::load_scenario_file(argv[1]);
    const cuttle::Model model(file.robot);
    const auto recorder = cuttle::make_hdf5_recorder(argv[2], cuttle::result_source(file));
    const cuttle::Outcome outcome = cuttle::Simulator(model, file.scenario).run({recorder.get()});
    const cuttle::ResultFile result = cuttle::read_result_file(argv[2]);
    std::printf("%s: %zu rows by %s, energy error %.1e J\n", argv[2], result.samples.size(), outcome.integrator.c_str(),
                outcome.energy_error);

    const std::vector<std::string> paths{"links.spindle.joint.pitch", "links.finger.body.stiffness",
                                         "elements.muscle.diameter"};
    const cuttle::Sample& last = result.samples.back();
    for (const std::string& path : paths) {
      const double value = file.robot.source->parameter(path).value, step = 0.01 * value;
      const double change = tip_height(model.with(path, value + step), file.scenario) - last.tips.back().position.z;
      std::printf("%s: 1 %% more lifts the tip by %.3g mm\n", path.c_str(), 1e3 * change);
    }
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.nv());
    const Eigen::MatrixXd gradient = cuttle::inverse_dynamics_gradient(model, paths, last.q, zero, zero);
    std::printf("d(force at %s)/d(%s) = %.6g\n", "finger", paths[1].c_str(), gradient(model.nv() - 1, 1));
    return 0;
  } catch (const cuttle::Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
