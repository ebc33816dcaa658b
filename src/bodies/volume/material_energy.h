#pragma once

#include <optional>
#include <vector>

#include "bodies/volume/fem/material_parts.h"
#include "bodies/volume/fem/tetrahedron_search.h"
#include "cuttle/bodies/body.h"
#include "cuttle/bodies/volume_material.h"

namespace cuttle {

/// BodyT::energy_density of a body of one material. Where the material is in parts, that of one of them is the density
/// at the centre of the tetrahedron, so that the integral is the energy.
/// @param search  in the mesh whose nodes move the body; null: none.
template <typename S>
void material_energy_density(const BodyT<S>& body, const VolumeMaterialT<S>& material, const TetrahedronSearch* search,
                             const S* q, const Vector3T<S>* x, std::size_t count, S* density) {
  const auto parts = search != nullptr ? material_parts(search->mesh(), material) : std::nullopt;
  std::vector<Vector3T<S>> position(count);
  std::vector<Matrix3T<S>> F(count);
  body.material_points(q, x, count, {position.data(), nullptr, F.data()});
  for (std::size_t i = 0; i < count; ++i) density[i] = (parts ? parts->shape : material).energy_density(F[i]);
  if (!parts) return;
  std::vector<Vector3T<S>> centres(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t tetrahedron = 0;
    search->at(x[i], tetrahedron);
    centres[i] = element_centre<S>(search->mesh(), tetrahedron).position;
  }
  body.material_points(q, centres.data(), count, {position.data(), nullptr, F.data()});
  for (std::size_t i = 0; i < count; ++i) density[i] += parts->volume.energy_density(F[i]);
}

}  // namespace cuttle
