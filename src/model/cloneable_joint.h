#pragma once

#include <memory>

#include "cuttle/model/joint.h"

namespace cuttle {

/// A joint of the library: its type and its constant axes say all there is to say about it.
template <typename S>
class LibraryJoint : public JointT<S> {
 public:
  virtual std::vector<Vector3T<S>> axes() const { return {}; }  ///< as the factory of the type takes them
};

/// The clones of a joint, from its `cast<T>()`.
template <template <typename> class Derived, typename S>
class CloneableJoint : public LibraryJoint<S> {
 public:
  std::unique_ptr<JointT<double>> clone_as(ScalarTag<double>) const override {
    return static_cast<const Derived<S>&>(*this).template cast<double>();
  }
  std::unique_ptr<JointT<long double>> clone_as(ScalarTag<long double>) const override {
    return static_cast<const Derived<S>&>(*this).template cast<long double>();
  }
  std::unique_ptr<JointT<Gradient>> clone_as(ScalarTag<Gradient>) const override {
    return static_cast<const Derived<S>&>(*this).template cast<Gradient>();
  }
};

}  // namespace cuttle
