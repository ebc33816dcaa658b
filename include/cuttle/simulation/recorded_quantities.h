#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/simulation/driven_motion.h"
#include "cuttle/simulation/recorder.h"

namespace CUTTLE_API cuttle {

/// What the quantities of a result hang on. Refers to what it is made of.
struct RecordedRun {
  const Model& model;
  const std::vector<RecordedController>& controllers;
  const std::vector<RecordedMotion>& motion;
};

/// Where the numbers of a quantity are in a sample.
using SampleMember = std::variant<double Sample::*, VectorXd Sample::*, std::vector<Pose> Sample::*>;

/// Numbers that results have under one name at an instant: a dataset in HDF5, columns in CSV.
struct RecordedDataset {
  struct Column {
    std::string name, unit;  ///< in HDF5
    std::string header;      ///< in CSV
  };
  /// Numbers [first, first + count) of a row, or of poses those of one: x, y, z, qw, qx, qy, qz.
  struct Numbers {
    SampleMember member;
    int first = 0, count = 1;
  };
  std::string path;  ///< in HDF5
  std::vector<Column> columns;
  std::vector<Numbers> numbers;  ///< one behind the other, as many as columns
  std::string again = {};        ///< behind a header that a column before has
  bool scalar = false;           ///< [T] in HDF5, else [T, columns]
  /// Of an element: columns from this one on are outputs, which results of before its law declared them do not have.
  std::optional<std::size_t> outputs = {};
};

/// A quantity of results: a member of Sample. Who writes, reads, sizes, shows or pickles rows of results asks the list
/// of all, so a new one is its member, what computes it, and its entry there.
struct RecordedQuantity {
  enum class Sort { time, energy, work, other };
  std::string name;  ///< in Python
  std::string root;  ///< of its datasets' paths
  SampleMember member;
  Sort sort = Sort::other;  ///< energy: stored [J];   work: since the start [J]
  bool of_motion = false;   ///< zero at rest, or not known there: equilibria do not have it
  double balance = 0.0;     ///< of energies and works: what they count in the sum that stays as it is
  /// Null: of a number one that is called like it, of others none, as they stand with those of a quantity before.
  std::vector<RecordedDataset> (*own_datasets)(const RecordedRun& run) = nullptr;

  /// What results have of it.
  std::vector<RecordedDataset> datasets(const RecordedRun& run) const;
  /// Its number in a sample, of one that is a number.
  double& number(Sample& sample) const { return sample.*std::get<double Sample::*>(member); }
  double number(const Sample& sample) const { return sample.*std::get<double Sample::*>(member); }
};
/// In the order of the columns in CSV; `time` is the first.
const std::vector<RecordedQuantity>& recorded_quantities();

/// A sample whose vectors have the sizes that such results have, with one value everywhere but in the time, which is 0.
Sample sized_sample(const RecordedRun& run, double value);

}  // namespace cuttle
