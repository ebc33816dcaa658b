#pragma once

#include "cuttle/api.h"
#include "cuttle/spatial/vector3.h"

namespace CUTTLE_API cuttle {

/// Inertia of a cross-section per length of a slender body, its center on the line and its principal axes those of the
/// section.
template <typename S>
struct SectionInertiaT {
  S mass{};             ///< [kg/m]
  Vector3T<S> moments;  ///< rotary inertia about x, y, z [kg m]
};

/// A body along a line (SlenderT) whose mass lies in cross-sections, as that of rods. A class beside BodyT: who wants
/// the inertia of sections asks whether a body is one.
template <typename S>
class HasSectionsT {
 public:
  virtual ~HasSectionsT() = default;
  /// At s [m of rest length].
  virtual SectionInertiaT<S> section_inertia(const S& s) const = 0;
};

}  // namespace cuttle
