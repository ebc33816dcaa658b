#include "cuttle/bodies/ritz_kinematics.h"

#include <cmath>
#include <string>
#include <utility>

#include "bodies/volume/choose_kernels.h"
#include "bodies/volume/ritz/ritz_sweep.h"
#include "cuttle/error.h"

CUTTLE_CHOOSE_KINEMATICS_KERNELS(ritz_kernels, RitzParametersT, RitzSweep)

namespace cuttle {

namespace {

constexpr int k_highest_power = 50;

/// Unit of a coordinate that multiplies a mode, so that their product is a length.
template <typename S>
std::string unit_of(const RitzModeT<S>& mode) {
  const auto degree = [](const RitzTermT<S>& term) { return term.powers[0] + term.powers[1] + term.powers[2]; };
  const int first = degree(mode.front());
  for (const RitzTermT<S>& term : mode) {
    if (degree(term) != first) return "1";
  }
  if (first == 0) return "m";
  if (first == 1) return "1";
  return first == 2 ? "1/m" : "1/m^" + std::to_string(first - 1);
}

}  // namespace

template <typename S>
template <typename T>
RitzParametersT<T> RitzParametersT<S>::cast() const {
  RitzParametersT<T> other;
  for (const RitzModeT<S>& mode : modes) {
    other.modes.emplace_back();
    for (const RitzTermT<S>& term : mode) other.modes.back().push_back({term.powers, term.vector.template cast<T>()});
  }
  return other;
}

template <typename S>
RitzKinematicsT<S>::RitzKinematicsT(const RitzParametersT<S>& parameters) : Base(parameters, ritz_kernels<S>()) {
  using std::isfinite;
  const std::vector<RitzModeT<S>>& modes = parameters.modes;
  if (modes.empty()) throw ModelError("modes", "none", "one or more");
  for (std::size_t j = 0; j < modes.size(); ++j) {
    const KeyPath where{"modes", j};
    if (modes[j].empty()) throw ModelError(where, "no term", "one or more");
    for (const RitzTermT<S>& term : modes[j]) {
      for (const int exponent : term.powers) {
        if (exponent >= 0 && exponent <= k_highest_power) continue;
        throw ModelError({where, "powers"}, std::to_string(exponent),
                         "integers from 0 to " + std::to_string(k_highest_power));
      }
      if (!isfinite(term.vector.x) || !isfinite(term.vector.y) || !isfinite(term.vector.z)) {
        throw ModelError({where, "vector"}, "a number that is not finite", "");
      }
    }
  }
}

template <typename S>
std::vector<CoordinateInfo> RitzKinematicsT<S>::coordinates() const {
  std::vector<CoordinateInfo> info;
  const std::vector<RitzModeT<S>>& modes = this->parameters().modes;
  for (std::size_t j = 0; j < modes.size(); ++j) info.push_back({"ritz." + std::to_string(j), unit_of(modes[j])});
  return info;
}

#define CUTTLE_INSTANTIATE(S) template class RitzKinematicsT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE
#define CUTTLE_INSTANTIATE_PAIR(S, T) template RitzParametersT<T> RitzParametersT<S>::cast() const;
CUTTLE_FOR_EACH_SCALAR_PAIR(CUTTLE_INSTANTIATE_PAIR)
#undef CUTTLE_INSTANTIATE_PAIR

}  // namespace cuttle
