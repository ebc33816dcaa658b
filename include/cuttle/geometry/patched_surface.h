#pragma once

#include "cuttle/api.h"
#include "cuttle/geometry/signed_distance.h"

namespace CUTTLE_API cuttle {

/// Shapes whose distance is put together from many small patches derive from this as well: along a piece of a rod it is
/// no single smooth function. What presses there is then summed up part by part, so that a sum hardly changes where two
/// parts that touch grow together.
class PatchedSurface {
 public:
  PatchedSurface() = default;
  PatchedSurface(const PatchedSurface&) = default;
  PatchedSurface(PatchedSurface&&) = default;
  PatchedSurface& operator=(const PatchedSurface&) = default;
  PatchedSurface& operator=(PatchedSurface&&) = default;
  virtual ~PatchedSurface() = default;
};

template <typename S>
bool is_patched(const SignedDistanceT<S>& surface) {
  return dynamic_cast<const PatchedSurface*>(&surface) != nullptr;
}

}  // namespace cuttle
