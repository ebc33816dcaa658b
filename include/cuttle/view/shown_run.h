#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/visual.h"
#include "cuttle/model/robot.h"
#include "cuttle/simulation/recorder.h"

namespace CUTTLE_API cuttle {

/// A run, or a robot at rest, as it is shown to people.
struct ShownRun {
  std::string label;  ///< what tells it apart from another one
  std::string file;   ///< that it comes from
  Robot robot;
  std::vector<LinkVisual> visuals;                         ///< of the robot's file
  std::vector<RecordedController> controllers;             ///< what the samples have of controllers
  std::vector<RecordedMotion> motion;                      ///< what they have of efforts of driven coordinates
  std::vector<Sample> samples;                             ///< at least one, ascending in time
  std::string status = "complete";                         ///< complete | interrupted | failed | rest
  std::string message;                                     ///< why it did not complete
  std::vector<std::string> warnings;                       ///< what a user should know about the numbers
  std::vector<std::pair<std::string, std::string>> facts;  ///< names and values for the header of a page
  /// What the samples are, if they are no instants: columns of a path and of a table have a value a sample, and times
  /// of a path are those of a walk along it [s], of a table the rows' numbers; of modes samples are one swing of each.
  ResultSequence sequence;
  std::vector<std::string> changes;  ///< of its files, as `--set` has them: robot.gravity=[0, 0, 0]
};

/// A result file. @throws FileError as read_result_file; also for a result without rows.
ShownRun shown_result(const std::string& path);

/// A robot or scenario file as it is before anything moves: at a scenario's initial state, closed loops assembled.
/// @throws FileError with all errors of the files, ArgumentError for an initial state that the robot cannot have.
ShownRun shown_at_rest(const std::string& path, const std::vector<std::string>& overrides = {});

/// Whether the samples are those of a path along which the robot itself changes, by one of its parameters.
bool robot_changes(const ShownRun& run);

/// Gives runs that would have the same label, as those of one scenario, their files' names instead.
void label_apart(std::vector<ShownRun>& runs);

}  // namespace cuttle
