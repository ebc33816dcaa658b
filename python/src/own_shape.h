#pragma once

#include <memory>
#include <string>
#include <vector>

#include "callables.h"
#include "cuttle/geometry/signed_distance.h"

namespace cuttle::python {

/// A shape that robots touch, by cuttle.FunctionShape: a call of the function for each point that is asked.
/// @tparam S  double, or ForwardDual.
template <typename S>
class PythonShapeT final : public SignedDistanceT<S> {
 public:
  using Directions = typename SignedDistanceT<S>::Directions;
  /// @throws ModelError if it has no derivatives for this scalar.
  explicit PythonShapeT(const nb::object& part);

  std::string type_name() const override { return "python"; }
  DistanceT<S> at(const Vector3T<S>& x) const override;
  DistanceT<Directions> at(const Vector3T<Directions>& x) const override;
  S half_thickness() const override { return S(half_thickness_); }
  S curvature() const override { return S(curvature_); }
  std::vector<TouchPartT<S>> touch_parts(const TouchDetailT<S>& detail) const override;
  bool is_its_parts() const override { return whole_; }

  std::shared_ptr<const SignedDistanceT<double>> clone_as(ScalarTag<double>) const override;
  std::shared_ptr<const SignedDistanceT<long double>> clone_as(ScalarTag<long double>) const override {
    return nullptr;
  }
  std::shared_ptr<const SignedDistanceT<ForwardDual>> clone_as(ScalarTag<ForwardDual>) const override;

 private:
  SharedObject part_;
  double half_thickness_, curvature_;
  bool whole_;
  std::vector<TouchPartT<S>> parts_;
};

}  // namespace cuttle::python
