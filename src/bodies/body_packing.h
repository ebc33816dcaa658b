#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cuttle {

/// How bodies of one kind lie side by side in a pack of robots, each a lane (BodyT::packing). What makes the packed
/// body of them is a line in simulation/packed_kinds.h.
class BodyPacking {
 public:
  virtual ~BodyPacking() = default;

  /// Whose line that is: bodies of one kind alone share a batch.
  virtual std::string_view kind() const = 0;
  /// Why this body cannot be in one batch with another of its kind, as "found .."; empty if it can.
  virtual std::string difference(const BodyPacking& other) const = 0;
  /// What must be equal for two bodies to lie in one pack.
  virtual std::vector<std::size_t> arrangement() const = 0;
};

}  // namespace cuttle
