#include "cuttle/elements/drone.h"

#include <cmath>

#include "cuttle/error.h"
#include "model/check_numbers.h"
#include "spatial/number_text.h"

namespace cuttle {

template <typename S>
void DroneLawT<S>::check() const {
  check_pose("axes", PoseT<S>{parameters_.axes, {}});
  const auto check_gains = [](const std::array<S, 6>& gains, const char* key) {
    for (const S& gain : gains) {
      using std::isfinite;
      if (isfinite(gain) && !any(gain < S(0.0))) continue;
      throw ModelError(key, number_text(gain), "numbers >= 0");
    }
  };
  check_gains(parameters_.proportional, "proportional");
  check_gains(parameters_.integral, "integral");
}

template <typename S>
std::vector<Signal> DroneLawT<S>::signals() const {
  std::vector<Signal> all(parameters_.angular_velocity, parameters_.angular_velocity + 3);
  all.insert(all.end(), parameters_.linear_velocity, parameters_.linear_velocity + 3);
  return all;
}

template <typename S>
std::vector<LoadDetail> DroneLawT<S>::details() const {
  const auto numbers = [](const std::array<S, 6>& gains) {
    std::vector<double> result;
    result.reserve(gains.size());
    for (const S& gain : gains) result.push_back(scalar_cast<double>(gain));
    return result;
  };
  return {{"angular_velocity", values_at_start(parameters_.angular_velocity)},
          {"linear_velocity", values_at_start(parameters_.linear_velocity)},
          {"proportional", numbers(parameters_.proportional)},
          {"integral", numbers(parameters_.integral)}};
}

#define CUTTLE_INSTANTIATE(S) template class DroneLawT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
