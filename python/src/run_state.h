#pragma once

#include <string>
#include <utility>

#include "cuttle/io/result_reader.h"
#include "cuttle/io/robot_writer.h"
#include "cuttle/simulation/recorded_quantities.h"
#include "values.h"

namespace cuttle::python {

/// All of a run as plain values, without functions: what a pickle of it has. Of its scenario there is the text, or why
/// there is none, and what a recorder asks it for.
struct RunState {
  std::string path, robot_yaml;
  FileTexts robot_files;
  ResultSource source;  ///< no text is empty
  Overrides changes;
  double duration = 0.0, output_step = 0.0;
  IntegratorOptions integrator;
  std::vector<RecordedController> controllers;
  std::vector<RecordedMotion> motion;
  std::vector<Sample> samples;
  std::string cuttle_version;
  RunEnvironment environment;
  std::vector<ResultStatistic> statistics;
  ResultSequence sequence;
  Outcome outcome;
};

/// @throws ModelError if the robot has a part without text.
RunState state_of(const ResultFile& result, const Outcome& outcome);
/// The result again. Its controllers and its driven motion only say what they record.
std::pair<ResultFile, Outcome> result_of(RunState state);
/// Whether robot, rows and end are the same. @throws ModelError if a robot has a part without text.
bool same_run(const std::pair<const ResultFile&, const Outcome&>& a,
              const std::pair<const ResultFile&, const Outcome&>& b);

template <>
inline constexpr auto k_members<ResultSource> = std::tuple(&ResultSource::robot_yaml, &ResultSource::scenario_yaml,
                                                           &ResultSource::overrides, &ResultSource::robot_files,
                                                           &ResultSource::scenario_files);
template <>
inline constexpr auto k_members<IntegratorOptions> = std::tuple(&IntegratorOptions::type,
                                                                &IntegratorOptions::relative_tolerance,
                                                                &IntegratorOptions::absolute_tolerance,
                                                                &IntegratorOptions::error, &IntegratorOptions::max_step,
                                                                &IntegratorOptions::step, &IntegratorOptions::rho_inf,
                                                                &IntegratorOptions::alpha);
template <>
inline constexpr auto k_members<ControlColumns> = std::tuple(&ControlColumns::inputs, &ControlColumns::reference,
                                                             &ControlColumns::error, &ControlColumns::state);
template <>
inline constexpr auto k_members<RecordedController> = std::tuple(&RecordedController::name,
                                                                 &RecordedController::columns);
template <>
inline constexpr auto k_members<RecordedMotion> = std::tuple(&RecordedMotion::name, &RecordedMotion::efforts);
/// A sample is all quantities of results.
template <typename Archive>
void archive(Archive& to, Sample& sample) {
  for (const RecordedQuantity& quantity : recorded_quantities()) {
    std::visit([&](auto member) { archive(to, sample.*member); }, quantity.member);
  }
}
template <>
inline constexpr auto k_members<RunEnvironment> = std::tuple(&RunEnvironment::instruction_set,
                                                             &RunEnvironment::compiler, &RunEnvironment::libraries,
                                                             &RunEnvironment::integrator);
template <>
inline constexpr auto k_members<ResultStatistic> = std::tuple(&ResultStatistic::name, &ResultStatistic::value);
template <>
inline constexpr auto k_members<SequenceColumn> = std::tuple(&SequenceColumn::name, &SequenceColumn::unit,
                                                             &SequenceColumn::labels, &SequenceColumn::values);
template <>
inline constexpr auto k_members<SequenceVector> = std::tuple(&SequenceVector::name, &SequenceVector::columns,
                                                             &SequenceVector::units, &SequenceVector::values);
template <>
inline constexpr auto k_members<ResultSequence> = std::tuple(&ResultSequence::kind, &ResultSequence::along,
                                                             &ResultSequence::along_unit, &ResultSequence::branch_end,
                                                             &ResultSequence::branch_parent, &ResultSequence::columns,
                                                             &ResultSequence::vectors);
template <>
inline constexpr auto k_members<IntegratorStatistics> = std::tuple(&IntegratorStatistics::steps,
                                                                   &IntegratorStatistics::evaluations,
                                                                   &IntegratorStatistics::failures,
                                                                   &IntegratorStatistics::jacobians);
template <>
inline constexpr auto k_members<Outcome> = std::tuple(&Outcome::status, &Outcome::message, &Outcome::warnings,
                                                      &Outcome::time, &Outcome::wall_seconds, &Outcome::integrator,
                                                      &Outcome::statistics, &Outcome::peak_kinetic,
                                                      &Outcome::peak_energy, &Outcome::energy_error,
                                                      &Outcome::energy_terms, &Outcome::loop_energy,
                                                      &Outcome::redundant_rows, &Outcome::last);
template <>
inline constexpr auto k_members<RunState> = std::tuple(&RunState::path, &RunState::robot_yaml, &RunState::robot_files,
                                                       &RunState::source, &RunState::changes, &RunState::duration,
                                                       &RunState::output_step, &RunState::integrator,
                                                       &RunState::controllers, &RunState::motion, &RunState::samples,
                                                       &RunState::cuttle_version, &RunState::environment,
                                                       &RunState::statistics, &RunState::sequence, &RunState::outcome);

}  // namespace cuttle::python
