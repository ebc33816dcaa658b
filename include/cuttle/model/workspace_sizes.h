#pragma once

#include <cstddef>
#include <string>

#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// Sizes of all the working memory that algorithms need for a model. Memory is made from these numbers alone, so where
/// they are equal, memory made for one model serves another: a copy, or one with other parameters (ModelT::with).
struct WorkspaceSizes {
  int nv = 0, nu = 0;
  int transmissions = 0;             ///< of elements
  int constraints = 0;               ///< rows of the loops
  std::size_t loops = 0;             ///< closed ones
  std::size_t nodes = 0, edges = 0;  ///< of the topology, like the next four
  std::size_t screws = 0, joints = 0, bodies = 0, ports = 0;
  std::size_t persistent = 0, scratch = 0, elimination = 0;  ///< scalars that bodies need (WorkspaceSize)
  std::size_t blocks = 0;                                    ///< scalars of the bodies' inertia blocks
  std::size_t slots = 0;                                     ///< of columns of coordinates, padded
  int body_coordinates = 0, body_ports = 0;                  ///< most of one body
  std::size_t polygon_points = 0, polygon_slopes = 0;        ///< of the longest stretch of a tendon in a volume
  std::size_t chamber_coordinates = 0, chamber_memory = 0;   ///< most for one chamber in a volume

  bool operator==(const WorkspaceSizes&) const = default;
};

/// What working memory knows of the model that it was made for. A model and its copies share one, so that two of them
/// are known to fit by comparing two addresses; whoever keeps the pointer keeps the address from being used again.
struct ModelStamp {
  std::string name;  ///< of the robot, for messages
  WorkspaceSizes sizes;
};

}  // namespace cuttle
