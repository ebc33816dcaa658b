#include "cuttle/model/transmissions/chamber.h"

#include <memory>

#include "cuttle/bodies/slender.h"
#include "cuttle/error.h"
#include "cuttle/model/transmission_binder.h"
#include "model/check_numbers.h"
#include "model/rod_path.h"

namespace cuttle {

template <typename S>
void ChamberTransmissionT<S>::check() const {
  check_number("area", area);
  for (const S& x : offset) check_number("offset", x);
  if (!pocket) return;
  check_number("surface.pocket.angle", pocket->angle);
  check_number("surface.pocket.width", pocket->width);
  check_number("surface.pocket.radius", pocket->radius);
}

/// Along a rod: y = area times the integral of sigma_z + kappa_x y - kappa_y x along the rod: a tendon's tangent along
/// the rod's axis, so it is affine in q.
template <typename S>
void ChamberTransmissionT<S>::bind(TransmissionBinderT<S>& to) const {
  const LinkBindingT<S> at = to.link(link);
  if (at.body == nullptr || at.body->slender() == nullptr) return bind_surface(to);
  if (!surface.empty() || pocket) {
    throw ModelError("surface", "a surface in '" + link + "', a rod", "offset and area");
  }
  if (!any(area > S(0.0))) throw ModelError("area", number_text(area), "a number > 0 [m^2]");
  RoutingT<S> axis;
  axis.offset = {offset};
  const TendonArcT<S> arc = path_along(*at.body, axis);
  S volume(0.0);
  for (std::size_t j = 0; j < arc.weights.size(); ++j) volume += area * arc.weights[j] * arc.rest[j].z;
  VectorXT<S>& values = to.add_linear("Pa", volume);
  for (std::size_t j = 0; j < arc.weights.size(); ++j) {
    const S weight = area * arc.weights[j];
    for (int k = 0; k < arc.nv; ++k) values[at.v + k] += weight * arc.shape[j * arc.nv + k].z;
  }
}

template <typename S>
void ChamberTransmissionT<S>::bind_surface(TransmissionBinderT<S>& to) const {
  const LinkBindingT<S> at = to.link(link);
  if (at.body == nullptr || !at.body->has_material_points()) {
    throw ModelError("link", "'" + link + "'", "a link whose body is a rod or a volume");
  }
  BoundChamberT<S> chamber;
  ChamberSurfaceT<S> bounds = at.body->chamber({surface, pocket, link});
  bounds.drawing = {};
  chamber.body = at.body_index;
  chamber.q = at.q, chamber.v = at.v, chamber.nv = at.nv;
  // once at rest: a body that cannot follow its surface says so here
  const std::vector<S> zero(chamber.nv, S(0.0));
  std::vector<S> workspace(surface_workspace_size(bounds, chamber.nv));
  chamber.rest_volume = volume_in_surface<S>(*at.body, bounds, zero.data(), nullptr, workspace.data());
  chamber.surface = std::make_shared<const ChamberSurfaceT<S>>(std::move(bounds));
  to.add_chamber(std::move(chamber));
}

template <typename S>
TransmissionPicture ChamberTransmissionT<S>::picture() const {
  TransmissionPicture::Chamber chamber{{surface, std::nullopt, link},
                                       {scalar_cast<double>(offset[0]), scalar_cast<double>(offset[1])},
                                       scalar_cast<double>(area)};
  if (pocket) chamber.chamber.pocket = pocket->template cast<double>();
  return {{}, std::move(chamber)};
}

template <typename S>
std::vector<TransmissionDetail> ChamberTransmissionT<S>::details(const TransmissionsT<S>& bound, int input) const {
  S volume = bound.offset[input];
  for (const auto& chamber : bound.chambers) {
    if (chamber.input == input) volume = chamber.rest_volume;
  }
  return {{"rest_volume", scalar_cast<double>(volume)}};
}

template <typename S>
IdleRule ChamberTransmissionT<S>::idle_rule(const RobotT<S>& robot) const {
  for (const LinkT<S>& other : robot.links) {
    if (other.name != link || !other.body->keeps_volume()) continue;
    return {k_idle_limit_of_kept_volumes,
            "its chamber's volume cannot change, since the kinematics of '" + link + "' preserve every volume"};
  }
  return {k_idle_limit, "no coordinate changes its volume"};
}

template <typename S>
ActuatorT<S> ActuatorT<S>::chamber(std::string name, std::string link, std::array<S, 2> offset, S area) {
  return {std::move(name),
          std::make_shared<const ChamberTransmissionT<S>>(std::move(link), std::move(offset), std::move(area))};
}
template <typename S>
ActuatorT<S> ActuatorT<S>::chamber(std::string name, std::string link, std::string surface) {
  return {std::move(name), std::make_shared<const ChamberTransmissionT<S>>(std::move(link), std::move(surface))};
}
template <typename S>
ActuatorT<S> ActuatorT<S>::chamber(std::string name, std::string link, const SectorPocketT<S>& pocket) {
  return {std::move(name), std::make_shared<const ChamberTransmissionT<S>>(std::move(link), pocket)};
}

#define CUTTLE_INSTANTIATE(S)                                                                 \
  template class ChamberTransmissionT<S>;                                                     \
  template ActuatorT<S> ActuatorT<S>::chamber(std::string, std::string, std::array<S, 2>, S); \
  template ActuatorT<S> ActuatorT<S>::chamber(std::string, std::string, std::string);         \
  template ActuatorT<S> ActuatorT<S>::chamber(std::string, std::string, const SectorPocketT<S>&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
