#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/simulator.h"
#include "support/paths.h"

namespace cuttle {

/// The run of a scenario of models/, FOLDER/NAME for FOLDER/NAME_scenario.yaml.
struct PaperRun {
  explicit PaperRun(const std::string& scenario, const std::vector<std::string>& settings = {})
      : file(load_scenario_file(test::k_source_dir + "/models/" + scenario + "_scenario.yaml", settings)),
        model(file.robot) {
    MemoryRecorder recorder;
    outcome = Simulator(model, file.scenario).run({&recorder});
    samples = recorder.samples();
  }
  const Sample& at(double time) const {
    return samples.at(static_cast<std::size_t>(std::lround(time / file.scenario.output_step)));
  }
  ScenarioFile file;
  Model model;
  Outcome outcome;
  std::vector<Sample> samples;
};

}  // namespace cuttle
