#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/bodies/strain_basis.h"
#include "cuttle/model/robot.h"

namespace CUTTLE_API cuttle {

/// Parameters of a fluid at rest around a slender link: Lighthill's large-amplitude elongated-body theory with
/// quadratic drag (src/elements/fluid.cpp has the law). The link's outline is a row of ellipses with half axes along
/// x and y of its sections: a rod's own, or along z of a rigid body from its base frame.
template <typename S>
struct FluidT {
  S density{};                     ///< rho_f [kg/m^3]
  ProfileT<S> radius_x, radius_y;  ///< half axes of the outline [m]; both empty: those of the rod's section
  S length{};                      ///< of a rigid body's outline [m]; not for rods
  int points = 10;                 ///< of Gauss-Legendre quadrature along a rigid body; a rod has its own
  S normal_drag{};                 ///< C of 1/2 rho_f C (2 radius) |v_perp| v_perp a length
  S tangential_drag{};             ///< C of 1/2 rho_f C (perimeter) |v_z| v_z a length
  bool wake = false;               ///< the far end sheds the water's momentum

  bool operator==(const FluidT&) const = default;
  template <typename T>
  FluidT<T> cast() const {
    return {scalar_cast<T>(density),
            radius_x.template cast<T>(),
            radius_y.template cast<T>(),
            scalar_cast<T>(length),
            points,
            scalar_cast<T>(normal_drag),
            scalar_cast<T>(tangential_drag),
            wake};
  }
};
using Fluid = FluidT<double>;

/// The law of a fluid; it acts at the stations of a rod, or at Gauss-Legendre points along a rigid body.
template <typename S>
class FluidLawT final : public ClonedByCast<LoadLawT, FluidLawT, S> {
 public:
  explicit FluidLawT(FluidT<S> parameters) : parameters_(std::move(parameters)) {}
  const FluidT<S>& parameters() const { return parameters_; }

  std::string type_name() const override { return "fluid"; }
  bool along_link() const override { return true; }
  std::vector<LoadPointT<S>> points(const PlaceT<S>& place, const LinkT<S>* link) const override;
  std::shared_ptr<const StateLoadT<S>> bind(std::vector<FrameT<S>> frames, const LinkT<S>* link) const override;
  std::vector<LoadDetail> details() const override;
  template <typename T>
  FluidLawT<T> cast() const {
    return FluidLawT<T>(parameters_.template cast<T>());
  }

 private:
  FluidT<S> parameters_;
};
using FluidLaw = FluidLawT<double>;

/// A fluid around a link.
template <typename S>
LoadT<S> make_fluid_load(std::string link, FluidT<S> fluid) {
  return {PlaceT<S>{std::move(link)}, std::make_shared<const FluidLawT<S>>(std::move(fluid))};
}
inline Load make_fluid_load(std::string link, Fluid fluid) {
  return make_fluid_load<double>(std::move(link), std::move(fluid));
}

}  // namespace cuttle
