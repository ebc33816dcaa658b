#pragma once

#include "cuttle/eigen_memory.h"

namespace cuttle::contract {

/// d f / dt at 0 by the sixth-order central difference.
template <typename F>
auto derivative(const F& f, double h) {
  auto slope = (45.0 * (f(h) - f(-h)) - 9.0 * (f(2 * h) - f(-2 * h)) + (f(3 * h) - f(-3 * h))).eval();
  slope /= 60.0 * h;
  return slope;
}
template <typename F>
double scalar_derivative(const F& f, double h) {
  return (45.0 * (f(h) - f(-h)) - 9.0 * (f(2 * h) - f(-2 * h)) + (f(3 * h) - f(-3 * h))) / (60.0 * h);
}

}  // namespace cuttle::contract
