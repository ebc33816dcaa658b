#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/robot.h"

namespace CUTTLE_API cuttle {

/// Damping proportional to mass, Rayleigh's alpha M v, of one link's body: every element of mass m is held back by
/// alpha m times its velocity in the world, every section's rotary inertia likewise. So it takes the power alpha v^T M
/// v, twice alpha times the body's kinetic energy, which is dissipated. It is not invariant against rigid motions,
/// which it brakes too, as a thin medium at rest would: on a fixed base it is the usual term of modal damping (alpha /
/// (2 omega) of each mode), on a floating one it is drag. It acts at the stations of a rod, with the very inertia of
/// the discrete rod, or on a rigid body.
template <typename S>
class MassDampingLawT final : public ClonedByCast<LoadLawT, MassDampingLawT, S> {
 public:
  /// @param rate  alpha [1/s], >= 0.
  explicit MassDampingLawT(const S& rate) : rate_(rate) {}
  const S& rate() const { return rate_; }

  std::string type_name() const override { return "mass_damping"; }
  bool along_link() const override { return true; }
  std::vector<LoadPointT<S>> points(const PlaceT<S>& place, const LinkT<S>* link) const override;
  std::shared_ptr<const StateLoadT<S>> bind(std::vector<FrameT<S>> frames, const LinkT<S>* link) const override;
  std::vector<LoadDetail> details() const override { return {{"rate", scalar_cast<double>(rate_)}}; }
  template <typename T>
  MassDampingLawT<T> cast() const {
    return MassDampingLawT<T>(scalar_cast<T>(rate_));
  }

 private:
  S rate_;
};
using MassDampingLaw = MassDampingLawT<double>;

/// Damping proportional to the mass of a link's body.
template <typename S>
LoadT<S> make_mass_damping(std::string link, const S& rate) {
  return {PlaceT<S>{std::move(link)}, std::make_shared<const MassDampingLawT<S>>(rate)};
}

}  // namespace cuttle
