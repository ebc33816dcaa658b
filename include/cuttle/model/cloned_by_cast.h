#pragma once

#include <memory>

#include "cuttle/api.h"
#include "cuttle/spatial/scalars.h"

namespace CUTTLE_API cuttle {

/// The clone_as of `Kind<S>`, which derives from ClonedByCast<Base, Kind, S> and so from Base<S>, by
///   template <T> Kind<T> cast() const
/// Without a cast it exists for no other scalar: null.
template <template <typename> class Base, template <typename> class Kind, typename S>
class ClonedByCast : public Base<S> {
 public:
  std::shared_ptr<const Base<double>> clone_as(ScalarTag<double>) const final { return cloned<double>(); }
  std::shared_ptr<const Base<long double>> clone_as(ScalarTag<long double>) const final {
    return cloned<long double>();
  }
  std::shared_ptr<const Base<ForwardDual>> clone_as(ScalarTag<ForwardDual>) const final {
    return cloned<ForwardDual>();
  }

 protected:
  const Kind<S>& self() const { return static_cast<const Kind<S>&>(*this); }

 private:
  template <typename T>
  std::shared_ptr<const Base<T>> cloned() const {
    if constexpr (requires(const Kind<S>& kind) { kind.template cast<T>(); }) {
      return std::make_shared<const Kind<T>>(self().template cast<T>());
    } else {
      return nullptr;
    }
  }
};

}  // namespace cuttle
