// Reads a scenario and its robot, simulates it, and says where the tip went:
//   simulate_a_file models/examples/pendulum_scenario.yaml
#include <cuttle/cuttle.h>
#include <cuttle/io/scenario_file.h>
#include <cuttle/simulation/recorder.h>
#include <cuttle/simulation/simulator.h>

#include <exception>
#include <iostream>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: simulate_a_file SCENARIO.yaml\n";
    return 2;
  }
  try {
    const cuttle::ScenarioFile file = cuttle::load_scenario_file(argv[1]);
    const cuttle::Model model(file.robot);
    cuttle::MemoryRecorder memory;
    cuttle::Simulator(model, file.scenario).run({&memory});
    for (const cuttle::Sample& sample : memory.samples()) {
      std::cout << sample.time << " s: " << to_eigen(sample.tips.back().position).transpose() << " m\n";
    }
  } catch (const std::exception& error) {  // files, arguments, a run that failed: what, where, what was expected
    std::cerr << error.what() << "\n";
    return 1;
  }
}
