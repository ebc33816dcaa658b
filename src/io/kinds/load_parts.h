#pragma once

#include <algorithm>
#include <array>

#include "io/kinds/kind_list.h"
#include "io/robot/part_writers.h"
#include "io/robot/robot_so_far.h"

// What several kinds of loads have.

namespace cuttle {

/// The law of this load as it was read before, if the tree is read again.
template <typename S>
const LoadLaw* law_before(const PartReader<S>& part) {
  const RobotSoFar<S>& robot = part.robot();
  return robot.before ? robot.before->loads[robot.robot.loads.size()].law.get() : nullptr;
}

/// A list of three. @param before  what was read from the file, if the tree is read again.
template <typename S>
void read_signals(const PartReader<S>& part, const char* name, const Signal* before, Signal* components) {
  if (before != nullptr) {
    std::copy(before, before + 3, components);
    return;
  }
  const std::array<Signal, 3> read = part.signals(name);
  std::copy(read.begin(), read.end(), components);
}

/// The law of a load as the class that has this type's name in files.
template <typename Law>
const Law& law_of(const Load& load) {
  const auto* law = dynamic_cast<const Law*>(load.law.get());
  if (law == nullptr) refuse_to_write("another law of type " + load.law->type_name(), "the library's");
  return *law;
}

}  // namespace cuttle
