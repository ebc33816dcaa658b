#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/recorded_contacts.h"
#include "cuttle/simulation/simulator.h"

namespace cuttle::test {

/// A number of a contact in a sample, as results have it.
inline double contact_number(const Model& model, const Sample& sample, const std::string& contact,
                             const std::string& quantity, int column = 0) {
  Eigen::Index first = 0;
  for (const RecordedContact& recorded : recorded_contacts(model)) {
    if (recorded.contact == contact && recorded.quantity == quantity) return sample.contacts[first + column];
    first += static_cast<Eigen::Index>(recorded.columns.size());
  }
  ADD_FAILURE() << "no " << quantity << " of " << contact;
  return NAN;
}

/// A run of a robot that touches, from texts of files.
struct ContactRun {
  Model model;
  std::vector<Sample> samples;
  double at(const Sample& sample, const std::string& contact, const std::string& quantity, int column = 0) const {
    return contact_number(model, sample, contact, quantity, column);
  }
  double last(const std::string& contact, const std::string& quantity, int column = 0) const {
    return at(samples.back(), contact, quantity, column);
  }
};
/// @param scenario  what stands under `simulation`.
inline ContactRun run_contacts(const std::string& robot, const std::string& scenario) {
  const ScenarioFile file = read_scenario_text("cuttle: 1\nrobot: r.yaml\nsimulation:\n" + scenario, "s.yaml", robot);
  ContactRun ran{Model(file.robot), {}};
  MemoryRecorder memory;
  const Outcome outcome = Simulator(ran.model, file.scenario).run({&memory});
  EXPECT_EQ(outcome.status, RunStatus::complete) << outcome.message;
  ran.samples = memory.samples();
  return ran;
}

}  // namespace cuttle::test
