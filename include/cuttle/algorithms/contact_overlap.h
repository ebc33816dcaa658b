#pragma once

#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/diagnostic.h"
#include "cuttle/error.h"
#include "cuttle/model/data.h"

namespace CUTTLE_API cuttle {

/// A link that is in an obstacle, or in another link, before anything moves.
struct ContactOverlap {
  std::size_t contact = 0;  ///< in Robot::contacts
  std::string a, b;         ///< sides a and b
  double depth = 0.0;       ///< of the deepest site [m]
  double allowed = 0.0;     ///< half of the thinner side: beyond it the two have as good as passed [m]

  bool is_too_deep() const { return !(depth < allowed); }
  /// "contacts[1]: found box and table, touching by 12.3 mm in the initial configuration, expected ..".
  Diagnostic diagnostic() const;
};

/// Such a link is too deep for a run to begin.
class OverlapError final : public ModelError {
 public:
  using ModelError::ModelError;
};

/// Pairs of contacts that overlap in a configuration by more than 1 % of the thinner side, one entry a pair.
/// @param time  at which obstacles are where they are [s].
std::vector<ContactOverlap> contact_overlaps(const Model& model, Data& data, VectorInT<double> q, double time = 0.0);

}  // namespace cuttle
