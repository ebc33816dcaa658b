#pragma once

#include <string>

#include "cuttle/model/effort_law.h"

namespace cuttle::test {

/// f = - (2 y + 0.3 dy/dt).
template <typename S>
class ReturnLaw final : public EffortLaw<ReturnLaw, S, 1> {
 public:
  std::string type_name() const override { return "return"; }
  template <typename T>
  void law(const EffortArgumentsT<T>& at, T* efforts, T*) const {
    efforts[0] = T(-2.0) * at.y[0] - T(0.3) * at.rate[0];
  }
  template <typename T>
  T energy(const EffortArgumentsT<T>& at) const {
    return at.y[0] * at.y[0];
  }
};

}  // namespace cuttle::test
