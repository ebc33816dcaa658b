#include "cuttle/bodies/radial_kinematics.h"

#include <cmath>
#include <string>

#include "bodies/volume/choose_kernels.h"
#include "bodies/volume/radial/radial_sweep.h"
#include "cuttle/error.h"
#include "spatial/number_text.h"

CUTTLE_CHOOSE_KINEMATICS_KERNELS(radial_kernels, RadialParametersT, RadialSweep)

namespace cuttle {

const char* radial_strain_name(RadialStrain strain) {
  static constexpr const char* k_names[] = {"kappa_x", "kappa_y", "sigma_z"};
  return k_names[static_cast<int>(strain)];
}

template <typename S>
RadialKinematicsT<S>::RadialKinematicsT(const RadialParametersT<S>& parameters)
    : Base(parameters, radial_kernels<S>()) {
  using std::isfinite;
  const auto check_length = [](const char* key, const S& value) {
    if (value > S(0.0) && isfinite(value)) return;
    throw ModelError(key, number_text(value), "a number > 0 [m]");
  };
  check_length("length", parameters.length);
  check_length("radius", parameters.radius);
  for (std::size_t j = 1; j < parameters.strain.size(); ++j) {
    if (parameters.strain[j - 1] < parameters.strain[j]) continue;
    throw ModelError("strain",
                     std::string(radial_strain_name(parameters.strain[j])) + " after " +
                         radial_strain_name(parameters.strain[j - 1]),
                     "each component once, in the order kappa_x, kappa_y, sigma_z");
  }
  for (std::size_t k = 0; k < parameters.bumps.size(); ++k) {
    if (isfinite(parameters.bumps[k])) continue;
    throw ModelError({"bumps", k}, "a number that is not finite", "");
  }
  if (parameters.strain.empty() && parameters.bumps.empty()) {
    throw ModelError("strain, bumps: found none of either, expected one or more");
  }
}

template <typename S>
std::vector<CoordinateInfo> RadialKinematicsT<S>::coordinates() const {
  std::vector<CoordinateInfo> info;
  for (const RadialStrain strain : this->parameters().strain) {
    info.push_back({radial_strain_name(strain) + std::string(".0"), strain == RadialStrain::sigma_z ? "m" : "rad"});
  }
  for (std::size_t k = 0; k < this->parameters().bumps.size(); ++k) info.push_back({"bump." + std::to_string(k), "m"});
  return info;
}

#define CUTTLE_INSTANTIATE(S) template class RadialKinematicsT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
