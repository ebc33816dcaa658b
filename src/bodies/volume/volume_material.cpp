#include "cuttle/bodies/volume_material.h"

#include <cmath>
#include <string>

#include "bodies/volume/volume_material_impl.h"
#include "cuttle/error.h"
#include "cuttle/spatial/scalars.h"
#include "spatial/number_text.h"

namespace cuttle {

namespace {

template <typename S>
void require(const char* key, const S& value, bool good, const char* expected) {
  using std::isfinite;
  if (good && isfinite(value)) return;
  throw ModelError(key, number_text(value), expected);
}

}  // namespace

template <typename S>
void VolumeMaterialT<S>::check() const {
  const S zero(0.0);
  if (law) {
    // what it is made of has been checked
  } else if (model == Model::st_venant_kirchhoff) {
    require("young_modulus", young_modulus, young_modulus > zero, "a number > 0 [Pa]");
    require("poisson_ratio", poisson_ratio, poisson_ratio > S(-1.0) && poisson_ratio < S(0.5), "a number in (-1, 0.5)");
  } else {
    require("c1", c1, c1 > zero, "a number > 0 [Pa]");
    require("c2", c2, model != Model::mooney_rivlin || c2 >= zero, "a number >= 0 [Pa]");
    require("c3", c3, true, "a finite number [Pa]");
  }
  if (lame_lambda && !law) require("lame_lambda", *lame_lambda, *lame_lambda >= zero, "a number >= 0 [Pa]");
  if (damping_time) require("damping_time", *damping_time, *damping_time >= zero, "a number >= 0 [s]");
}

template <typename S>
S VolumeMaterialT<S>::shear_modulus() const {
  if (law) return law->shear_modulus();
  switch (model) {
    case Model::mooney_rivlin:
      return S(2.0) * (c1 + c2);
    case Model::st_venant_kirchhoff:
      return young_modulus / (S(2.0) * (S(1.0) + poisson_ratio));
    case Model::neo_hookean:
    case Model::yeoh:
      break;
  }
  return S(2.0) * c1;
}

template <typename S>
S VolumeMaterialT<S>::lambda() const {
  if (law) return law->lambda();
  if (lame_lambda || model != Model::st_venant_kirchhoff) return lame_lambda.value_or(S(0.0));
  return S(2.0) * shear_modulus() * poisson_ratio / (S(1.0) - S(2.0) * poisson_ratio);
}

template <typename S>
template <typename T>
VolumeMaterialT<T> VolumeMaterialT<S>::cast() const {
  const auto each = [](const std::optional<S>& v) {
    return v ? std::optional<T>(scalar_cast<T>(*v)) : std::optional<T>();
  };
  return {static_cast<typename VolumeMaterialT<T>::Model>(model),
          scalar_cast<T>(c1),
          scalar_cast<T>(c2),
          scalar_cast<T>(c3),
          each(lame_lambda),
          scalar_cast<T>(young_modulus),
          scalar_cast<T>(poisson_ratio),
          each(damping_time),
          cast_law<T>(law)};
}

#define CUTTLE_INSTANTIATE(S)                                              \
  template struct VolumeMaterialT<S>;                                      \
  template S VolumeMaterialT<S>::energy_density(const Matrix3T<S>&) const; \
  template Matrix3T<S> VolumeMaterialT<S>::stress(const Matrix3T<S>&) const;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE
#define CUTTLE_INSTANTIATE_PAIR(S, T) template VolumeMaterialT<T> VolumeMaterialT<S>::cast() const;
CUTTLE_FOR_EACH_SCALAR_PAIR(CUTTLE_INSTANTIATE_PAIR)
#undef CUTTLE_INSTANTIATE_PAIR

}  // namespace cuttle
