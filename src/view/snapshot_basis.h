#pragma once

#include <optional>
#include <vector>

#include "view/packing.h"

namespace cuttle {

/// Few vectors whose combinations are many snapshots: snapshot = mean + sum over k of coefficient_k vector_k, to a
/// tolerance in every number.
struct SnapshotBasis {
  std::vector<double> mean;                  ///< channels
  std::vector<std::vector<double>> vectors;  ///< each of greatest entry 1
  FrameMatrix coefficients;                  ///< frames x rank
};

/// Greedy: takes the snapshot that is farthest from what the vectors so far can make, until none is farther than
/// `tolerance`. Nothing if that takes more than `most` vectors.
std::optional<SnapshotBasis> snapshot_basis(const FrameMatrix& snapshots, double tolerance, std::size_t most);

}  // namespace cuttle
