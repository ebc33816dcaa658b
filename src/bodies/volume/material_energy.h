#pragma once

#include <vector>

#include "cuttle/bodies/body.h"
#include "cuttle/bodies/volume_material.h"

namespace cuttle {

/// BodyT::energy_density of a body of one material.
template <typename S>
void material_energy_density(const BodyT<S>& body, const VolumeMaterialT<S>& material, const S* q, const Vector3T<S>* x,
                             std::size_t count, S* density) {
  std::vector<Vector3T<S>> position(count);
  std::vector<Matrix3T<S>> F(count);
  body.material_points(q, x, count, {position.data(), nullptr, F.data()});
  for (std::size_t i = 0; i < count; ++i) density[i] = material.energy_density(F[i]);
}

}  // namespace cuttle
