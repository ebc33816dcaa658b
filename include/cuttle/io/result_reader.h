#pragma once

#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/io/result_file.h"

namespace CUTTLE_API cuttle {

/// A number that a result states about its run.
struct ResultStatistic {
  std::string name;  ///< steps | evaluations | failures | wall_seconds, ..
  double value = 0.0;
};

/// A result in memory: the robot and scenario as they were, whatever became of their files, and every row.
struct ResultFile {
  std::string path;  ///< as given
  Robot robot;
  std::vector<LinkVisual> visuals;  ///< of the robot
  Scenario scenario;
  std::vector<RecordedController> controllers;  ///< none in results of a Cuttle that did not record them
  std::vector<RecordedMotion> motion;           ///< efforts of what was driven
  std::vector<Sample> samples;  ///< in order of time; tips' rotations as their quaternions in the file say
  RunStatus status = RunStatus::interrupted;
  std::string message;                ///< why the run ended early; empty if it is complete
  std::vector<std::string> warnings;  ///< as in Outcome; empty in results of an earlier Cuttle
  std::string cuttle_version;
  RunEnvironment environment;  ///< empty in results of an earlier Cuttle
  std::vector<ResultStatistic> statistics;
  std::vector<std::string> redundant_rows;  ///< of the loops, as in Outcome
  ResultSource source;                      ///< its texts and files
  Overrides changes;                        ///< of robot and scenario, as in ScenarioFile
  ResultSequence sequence;                  ///< what rows are that are no instants of a simulation
};

/// Reads a result in HDF5, docs/format.md. One of a run that was killed, or goes on, has the whole rows so far. Files
/// that the robot or scenario names come from the result; one that was written before results had them finds them
/// beside itself.
/// HDF5 crashes on some damaged files, or never ends: it reads in a process of its own, which has limits.
/// @throws FileError naming file and dataset or attribute, what was found and what was expected; also for files that
/// are damaged in any way.
ResultFile read_result_file(const std::string& path);

/// The same without what stands in rows.
ResultFile read_result_head(const std::string& path);

}  // namespace cuttle
