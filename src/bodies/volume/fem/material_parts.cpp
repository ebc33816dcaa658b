#include "bodies/volume/fem/material_parts.h"

#include "cuttle/spatial/scalars.h"

namespace cuttle {

template <typename S>
std::optional<MaterialPartsT<S>> material_parts(const TetrahedralMesh& mesh, const VolumeMaterialT<S>& material) {
  if (mesh.edge_nodes.empty() || material.law || !material.resists_volume()) return std::nullopt;
  const S lambda = material.lambda(), mu = material.shear_modulus();
  if (lambda < mu) return std::nullopt;
  MaterialPartsT<S> parts{material, material};
  parts.shape.lame_lambda = mu * part_everywhere(lambda / mu);
  parts.volume.lame_lambda = lambda - *parts.shape.lame_lambda;
  parts.volume.c1 = parts.volume.young_modulus = S(0.0);
  parts.volume.damping_time.reset();
  return parts;
}

namespace {

/// Without a modulus, which may be extreme.
double lame_ratio(const VolumeMaterial& material) {
  if (material.law || material.model != VolumeMaterial::Model::st_venant_kirchhoff) {
    return material.lambda() / material.shear_modulus();
  }
  return 2.0 * material.poisson_ratio / (1.0 - 2.0 * material.poisson_ratio);
}

}  // namespace

LameRatios lame_ratios(const TetrahedralMesh& mesh, const VolumeMaterial& material) {
  const double whole = lame_ratio(material);
  return material_parts(mesh, material) ? parts_of_ratio(whole) : LameRatios{whole, 0.0};
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses
#define CUTTLE_INSTANTIATE(S) \
  template std::optional<MaterialPartsT<S>> material_parts(const TetrahedralMesh&, const VolumeMaterialT<S>&);
// NOLINTEND(bugprone-macro-parentheses)
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
