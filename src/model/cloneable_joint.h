#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "cuttle/model/joint.h"

namespace cuttle {

/// What all joints of the library do alike: clones, from `cast<T>()`, and packing, from the constant axes.
template <template <typename> class Derived, typename S>
class CloneableJoint : public JointT<S> {
 public:
  virtual std::vector<Vector3T<S>> axes() const { return {}; }  ///< as the factory of the type takes them
  std::optional<JointPacking> packing() const override {
    if constexpr (std::is_same_v<S, double>) {
      return JointPacking{this->type_name(), axes()};
    } else {
      return std::nullopt;
    }
  }
  std::unique_ptr<JointT<double>> clone_as(ScalarTag<double>) const override {
    return static_cast<const Derived<S>&>(*this).template cast<double>();
  }
  std::unique_ptr<JointT<long double>> clone_as(ScalarTag<long double>) const override {
    return static_cast<const Derived<S>&>(*this).template cast<long double>();
  }
  std::unique_ptr<JointT<ForwardDual>> clone_as(ScalarTag<ForwardDual>) const override {
    return static_cast<const Derived<S>&>(*this).template cast<ForwardDual>();
  }
};

}  // namespace cuttle
