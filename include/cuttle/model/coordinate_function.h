#pragma once

#include <memory>
#include <vector>

#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// Coordinates that a function depends on, at most.
inline constexpr int k_most_function_coordinates = 8;

/// y as a function of some coordinates x of the robot. Const.
template <typename S>
class CoordinateFunctionT {
 public:
  virtual ~CoordinateFunctionT() = default;
  virtual S value(const S* x) const = 0;
  virtual void slopes(const S* x, S* dy) const = 0;    ///< dy/dx, overwritten
  virtual void hessian(const S* x, S* ddy) const = 0;  ///< second derivatives, by rows, overwritten
};

/// A function bound to the coordinates of a model.
template <typename S>
struct BoundFunctionT {
  int input = 0;          ///< its entry of u
  std::vector<int> q, v;  ///< its coordinates in the robot's
  std::shared_ptr<const CoordinateFunctionT<S>> function;
};

}  // namespace cuttle
