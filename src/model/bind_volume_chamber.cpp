#include <algorithm>
#include <memory>

#include "cuttle/bodies/pocket_surface.h"
#include "cuttle/bodies/volume_body.h"
#include "cuttle/error.h"
#include "model/model_builder.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

/// The bore of a hollow cylinder.
template <typename S>
PocketSurfaceT<S> inner_surface(const PointShapeT<S>& shape, const std::string& link) {
  if (shape.kind != PointShapeT<S>::Kind::cylinder || !any(shape.inner_radius > S(0.0))) {
    throw ModelError("surface: found inner of '" + link +
                     "', which has no bore, expected a cylinder with an inner_radius > 0");
  }
  return cylinder_bore_surface(shape.length, shape.inner_radius, shape.nz, shape.nphi);
}

template <typename S>
PocketSurfaceT<S> pocket_in(const PointShapeT<S>& shape, const SectorPocketT<S>& pocket, const std::string& link) {
  if (shape.kind != PointShapeT<S>::Kind::cylinder) {
    throw ModelError("surface: found a pocket in '" + link + "', expected a link whose volume is a cylinder");
  }
  if (!any(pocket.radius > S(0.0)) || any(pocket.radius > shape.half_x)) {
    throw ModelError("surface.pocket.radius: found " + number_text(pocket.radius) +
                     ", expected 0 < radius <= " + number_text(shape.half_x) + " (radius of the cylinder) [m]");
  }
  constexpr int k_radial_points = 6;
  try {
    return sector_surface<S>({shape.length, pocket.radius, pocket.angle, pocket.width}, shape.nz, k_radial_points,
                             shape.nphi);
  } catch (const ModelError& error) {
    throw ModelError(std::string("surface.pocket.") + error.what());
  }
}

}  // namespace

template <typename S>
void ModelBuilderT<S>::bind_volume_chamber(const ActuatorT<S>& actuator, const LinkInfoT<S>& info,
                                           const std::string& what) {
  const int link = static_cast<int>(&info - model_.links_.data());
  const auto* body = dynamic_cast<const PointBodyBaseT<S>*>(robot_.links[link].body.get());
  if (body == nullptr || !body->has_material_points()) {
    throw ModelError(what + ": link: found '" + info.name + "', expected a link whose body is a rod or a volume");
  }
  const auto surface_of = [&]() -> PocketSurfaceT<S> {
    const PointShapeT<S>& shape = body->parameters().shape;
    if (actuator.pocket) return pocket_in(shape, *actuator.pocket, info.name);
    if (actuator.surface == "inner") return inner_surface(shape, info.name);
    const auto* volume = dynamic_cast<const VolumeBodyT<S>*>(body);
    if (volume != nullptr && volume->mesh() && !actuator.surface.empty()) {
      return mesh_group_surface(*volume->mesh(), actuator.surface).template cast<S>();
    }
    throw ModelError("surface: found " + (actuator.surface.empty() ? "nothing" : "'" + actuator.surface + "'") +
                     ", expected inner, a group of the body's mesh or a pocket");
  };
  try {
    BoundChamberT<S> chamber;
    chamber.surface = std::make_shared<const PocketSurfaceT<S>>(surface_of());
    chamber.body = built_[link].body;
    chamber.q = info.q + info.joint_nq, chamber.v = info.v + info.joint_nv, chamber.nv = info.nv - info.joint_nv;
    // once at rest: a body that cannot follow its surface says so here
    const std::vector<S> zero(chamber.nv, S(0.0));
    std::vector<S> workspace(pocket_workspace_size(*chamber.surface, chamber.nv));
    pocket_volume<S>(*body, *chamber.surface, zero.data(), nullptr, workspace.data());
    add_transmission(actuator.inputs.at(0), "Pa");
    chamber.input = bound_to_->last();
    bound_to_->result.chambers.push_back(std::move(chamber));
  } catch (const ModelError& error) {
    throw ModelError(what + ": " + error.what());
  }
}

#define CUTTLE_INSTANTIATE(S) \
  template void ModelBuilderT<S>::bind_volume_chamber(const ActuatorT<S>&, const LinkInfoT<S>&, const std::string&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
