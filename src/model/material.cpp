#include "cuttle/model/material.h"

#include "cuttle/bodies/rod_body.h"
#include "cuttle/bodies/volume_material.h"

namespace cuttle {

template <typename S>
RodMaterialT<S> MaterialT<S>::of_rod() const {
  RodMaterialT<S> rod;
  if (law) {
    // a rod knows nothing of it
  } else if (model == Model::neo_hookean) {
    rod = RodMaterialT<S>::neo_hookean(S(0.0), c1);
  } else if (model == Model::linear || model == Model::st_venant_kirchhoff) {
    rod.young_modulus = young_modulus;
    rod.poisson_ratio = poisson_ratio;
  }
  rod.density = density, rod.damping_time = damping_time, rod.viscosity = viscosity;
  return rod;
}

template <typename S>
VolumeMaterialT<S> MaterialT<S>::of_volume() const {
  using Law = typename VolumeMaterialT<S>::Model;
  VolumeMaterialT<S> volume;
  volume.law = law;
  if (law) {
    // nothing else counts
  } else if (model == Model::linear || model == Model::st_venant_kirchhoff) {
    volume.model = Law::st_venant_kirchhoff;
    volume.young_modulus = young_modulus.value_or(S(1.0));
    volume.poisson_ratio = poisson_ratio;
  } else {
    volume.model = model == Model::neo_hookean     ? Law::neo_hookean
                   : model == Model::mooney_rivlin ? Law::mooney_rivlin
                                                   : Law::yeoh;
    volume.c1 = c1, volume.c2 = c2, volume.c3 = c3;
    volume.lame_lambda = lame_lambda;
  }
  volume.damping_time = damping_time;
  return volume;
}

#define CUTTLE_INSTANTIATE(S) template struct MaterialT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
