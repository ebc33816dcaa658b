#pragma once

#include <cmath>
#include <map>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "cuttle/identification/identification.h"
#include "cuttle/simulation/simulator.h"

/// Recordings that are simulated: their truth is known, and their noise is the same on every machine.
namespace cuttle::test {

class Normal {
 public:
  explicit Normal(unsigned seed) : random_(seed) {}
  double operator()() {  // the same on every machine (Box and Muller)
    const double a = (static_cast<double>(random_()) + 0.5) / 4294967296.0;
    const double b = (static_cast<double>(random_()) + 0.5) / 4294967296.0;
    return std::sqrt(-2.0 * std::log(a)) * std::cos(2.0 * std::numbers::pi * b);
  }

 private:
  std::mt19937 random_;
};

inline Scenario release(double duration, const std::string& integrator, double step) {
  Scenario scenario;
  scenario.duration = duration, scenario.output_step = 0.02;
  scenario.integrator.type = integrator;
  if (step > 0.0) scenario.integrator.step = step;
  return scenario;
}

/// What a run of the simulator shows at its outputs. @param late  of the clock with which it was recorded.
inline MeasuredTable record(const Model& truth, const Scenario& scenario, const std::vector<std::string>& columns,
                            double noise = 0.0, unsigned seed = 1, double late = 0.0) {
  MemoryRecorder memory;
  Simulator(truth, scenario).run({&memory});
  MeasuredTable table{"recording.csv", {{"time", "s", {}}}, {}, 0};
  for (const std::string& column : columns) table.numbers.push_back({column, "", {}});
  Normal normal(seed);
  for (const Sample& sample : memory.samples()) {
    const double time = sample.time + late;
    if (time < 0.0 || time > scenario.duration) continue;
    std::map<std::string, double> values;
    const auto add_place = [&](const std::string& frame, const Pose& pose) {
      for (int i = 0; i < 3; ++i) values[frame + "." + static_cast<char>('x' + i)] = pose.position[i];
    };
    for (std::size_t i = 0; i < truth.links().size(); ++i) add_place(truth.links()[i].name + ".tip", sample.tips[i]);
    for (std::size_t i = 0; i < sample.markers.size(); ++i) {
      add_place(truth.robot().markers[i].name, sample.markers[i]);
    }
    for (int i = 0; i < truth.nq(); ++i) {
      values[truth.configuration_info()[static_cast<std::size_t>(i)].name] = sample.q[i];
    }
    for (std::size_t i = 0; i < truth.element_output_info().size(); ++i) {
      values[truth.element_output_info()[i].name] = sample.element_outputs[static_cast<Eigen::Index>(i)];
    }
    table.numbers[0].values.push_back(time);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      table.numbers[c + 1].values.push_back(values.at(columns[c]) + noise * normal());
    }
    ++table.row_count;
  }
  return table;
}

inline std::vector<FreeParameter> freed(const Model& model, const std::vector<Experiment*>& experiments,
                                        const std::vector<std::string>& texts) {
  std::vector<FreeParameter> parameters;
  for (const std::string& text : texts) {
    parameters.push_back(parse_free_parameter(model, text, set_up_constants(experiments)));
  }
  return parameters;
}

inline Identification identify_one(const Model& model, Experiment& experiment, const std::vector<std::string>& free) {
  return identify(model, freed(model, {&experiment}, free), {&experiment}, {});
}

}  // namespace cuttle::test
