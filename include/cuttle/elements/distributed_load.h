#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/robot.h"

namespace CUTTLE_API cuttle {

/// Force and torque per meter along a rod, at its stations.
template <typename S>
class DistributedLawT final : public ClonedByCast<LoadLawT, DistributedLawT, S> {
 public:
  explicit DistributedLawT(TimedWrench per_meter) : per_meter_(std::move(per_meter)) {}

  std::string type_name() const override { return "distributed"; }
  bool along_link() const override { return true; }
  std::vector<LoadPointT<S>> points(const PlaceT<S>& place, const LinkT<S>* link) const override;
  const TimedWrench* timed() const override { return &per_meter_; }
  std::vector<LoadDetail> details() const override;
  template <typename T>
  DistributedLawT<T> cast() const {
    return DistributedLawT<T>(per_meter_);
  }

 private:
  TimedWrench per_meter_;
};
using DistributedLaw = DistributedLawT<double>;

/// @param per_meter  force [N/m] and torque [N m/m].
template <typename S>
LoadT<S> make_distributed_load(std::string link, TimedWrench per_meter) {
  return {PlaceT<S>{std::move(link)}, std::make_shared<const DistributedLawT<S>>(std::move(per_meter))};
}
inline Load make_distributed_load(std::string link, TimedWrench per_meter) {
  return make_distributed_load<double>(std::move(link), std::move(per_meter));
}

}  // namespace cuttle
