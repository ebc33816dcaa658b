// Compiled once for each instruction set, as rod_kernels_isa.cpp: lanes are steps.
#include "bodies/rod/worth_of_rod_steps.h"
#include "spatial/lanes.h"

namespace cuttle::CUTTLE_ISA {
namespace {

using P = Pack<CUTTLE_ISA_WIDTH>;
using L = Lanes<P, double>;
using D = Dual<P, 1>;

D load(const double* values, const double* slopes) {
  D x(L::load(values));
  x.derivative[0] = L::load(slopes);
  return x;
}

VirtualStrain<D> strain_at(const RodGrid<double>& grid, const double* shape, const double* rest,
                           const double* shape_slope, const double* rest_slope, const BodyStateT<double>& state,
                           const double* weights) {
  VirtualStrain<D> strain;
  for (int c = 0; c < 6; ++c) {
    strain.value[c] = load(rest + c * grid.stride, rest_slope + c * grid.stride);
    for (int k = grid.component_start[c]; k < grid.component_start[c + 1]; ++k) {
      const D phi = load(shape + k * grid.stride, shape_slope + k * grid.stride);
      strain.value[c] += phi * D(P(state.q[k])), strain.rate[c] += phi * D(P(state.v[k]));
      strain.second[c] += phi * D(P(state.a[k])), strain.along[c] += phi * D(P(weights[k]));
    }
  }
  return strain;
}

void step_slopes(const RodGrid<double>& grid, const RodTableSlopes& slopes, const BodyStateT<double>& state,
                 const double* weights, double* rows) {
  for (int j = 0; j < grid.steps; j += L::k_width) {
    const VirtualStrain<D> first =
        strain_at(grid, grid.shape1 + j, grid.rest1 + j, slopes.shape1 + j, slopes.rest1 + j, state, weights);
    const VirtualStrain<D> other =
        strain_at(grid, grid.shape2 + j, grid.rest2 + j, slopes.shape2 + j, slopes.rest2 + j, state, weights);
    const StepMotion<D> step = step_motion(load(grid.length + j, slopes.length + j), first, other);
    const TwistT<D>* twists[] = {&step.omega, &step.velocity, &step.acceleration, &step.twist};
    for (int i = 0; i < 24; ++i) L::store(rows + i * grid.stride + j, (*twists[i / 6])[i % 6].derivative[0]);
  }
}

}  // namespace

const RodWorthKernels& rod_worth_kernels() {
  static constexpr RodWorthKernels k_kernels{&step_slopes};
  return k_kernels;
}

}  // namespace cuttle::CUTTLE_ISA
