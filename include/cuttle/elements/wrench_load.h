#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/robot.h"

namespace CUTTLE_API cuttle {

/// A wrench at a place.
template <typename S>
class WrenchLawT final : public ClonedByCast<LoadLawT, WrenchLawT, S> {
 public:
  explicit WrenchLawT(TimedWrench wrench) : wrench_(std::move(wrench)) {}

  std::string type_name() const override { return "wrench"; }
  const TimedWrench* timed() const override { return &wrench_; }
  std::vector<LoadDetail> details() const override;
  template <typename T>
  WrenchLawT<T> cast() const {
    return WrenchLawT<T>(wrench_);
  }

 private:
  TimedWrench wrench_;
};
using WrenchLaw = WrenchLawT<double>;

template <typename S>
LoadT<S> make_wrench_load(PlaceT<S> place, TimedWrench wrench) {
  return {std::move(place), std::make_shared<const WrenchLawT<S>>(std::move(wrench))};
}
inline Load make_wrench_load(Place place, TimedWrench wrench) {
  return make_wrench_load<double>(std::move(place), std::move(wrench));
}

}  // namespace cuttle
