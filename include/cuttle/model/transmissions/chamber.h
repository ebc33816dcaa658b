#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/transmission.h"

namespace CUTTLE_API cuttle {

/// y is the volume of a chamber [m^3], u its pressure difference to the atmosphere [Pa].
template <typename S>
class ChamberTransmissionT final : public CastTransmission<ChamberTransmissionT, S> {
 public:
  /// All along a rod.
  ChamberTransmissionT(std::string link_name, std::array<S, 2> section_offset, S section_area)
      : link(std::move(link_name)), offset(std::move(section_offset)), area(std::move(section_area)) {}
  /// ChamberPlace in a volume: `inner`, the bore of a hollow cylinder, or what a group of triangles of its mesh bounds.
  /// Openings are closed by flat fans.
  ChamberTransmissionT(std::string link_name, std::string surface_name)
      : link(std::move(link_name)), surface(std::move(surface_name)) {}
  ChamberTransmissionT(std::string link_name, const SectorPocketT<S>& sector)
      : link(std::move(link_name)), pocket(sector) {}

  std::string type_name() const override { return "chamber"; }
  std::vector<std::string> links() const override { return {link}; }
  void check() const override;
  void bind(TransmissionBinderT<S>& to) const override;
  TransmissionPicture picture() const override;
  std::vector<TransmissionDetail> details(const TransmissionsT<S>& bound, int input) const override;
  IdleRule idle_rule(const RobotT<S>& robot) const override;
  double least_input() const override { return -0.5; }
  template <typename T>
  ChamberTransmissionT<T> cast() const {
    ChamberTransmissionT<T> other(link, {scalar_cast<T>(offset[0]), scalar_cast<T>(offset[1])}, scalar_cast<T>(area));
    other.surface = surface;
    if (pocket) other.pocket = pocket->template cast<T>();
    return other;
  }

  std::string link;
  std::array<S, 2> offset{S(0.0), S(0.0)};   ///< of its axis, in the rod's section axes [m]
  S area{0.0};                               ///< of its cross-section [m^2]; along a rod
  std::string surface{};                     ///< of a volume
  std::optional<SectorPocketT<S>> pocket{};  ///< of a volume, instead of `surface`

 private:
  void bind_surface(TransmissionBinderT<S>& to) const;
};
using ChamberTransmission = ChamberTransmissionT<double>;

}  // namespace cuttle
