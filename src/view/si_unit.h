#pragma once

#include <string>

namespace cuttle {

/// A unit that suits numbers: value in it = factor * value in the SI unit.
struct SuitedUnit {
  double factor = 1.0;
  std::string name;  ///< "mm/s"; "1" for numbers without a unit
};

/// The unit with the SI prefix that keeps numbers up to `largest` readable: about 0.1 to 1000. Angles get no prefix
/// above 1; volumes are in m^3, cm^3 or mm^3; where no prefix suits, a power of ten stands before the unit.
SuitedUnit suited_unit(const std::string& unit, double largest);

}  // namespace cuttle
