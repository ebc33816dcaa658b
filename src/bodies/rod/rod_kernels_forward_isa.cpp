// The rod's sweeps with derivatives in eight directions, once for each instruction set: lanes are directions, so steps
// go one by one.
#include "bodies/rod/rod_kernels.h"
#include "bodies/rod/rod_kernels_impl.h"
#include "spatial/forward_lanes.h"

namespace cuttle::CUTTLE_ISA {
namespace {

using F = ForwardDual;
using L = ForwardLanes;

const RodGrid<L>& lanes(const RodGrid<F>& grid) { return *as_lanes<const RodGrid<L>>(&grid); }

void forward(const RodGrid<F>& grid, MotionLevel level, const BodyStateT<F>& state, F* kept, F* scratch,
             PortMotionT<F>* ports) {
  rod::forward<L, L>(lanes(grid), level, *as_lanes<const BodyStateT<L>>(&state), as_lanes<L>(kept),
                     as_lanes<L>(scratch), as_lanes<PortMotionT<L>>(ports));
}

void backward(const RodGrid<F>& grid, const WrenchT<F>* port_wrenches, F* kept, F* scratch, WrenchT<F>& base_wrench,
              F* force) {
  rod::backward<L, L>(lanes(grid), as_lanes<const WrenchT<L>>(port_wrenches), as_lanes<L>(kept), as_lanes<L>(scratch),
                      *as_lanes<WrenchT<L>>(&base_wrench), as_lanes<L>(force));
}

void inertia_blocks(const RodGrid<F>& grid, F* kept, F* scratch, InertiaBlocksT<F>& blocks, F* port_jacobians) {
  rod::inertia_blocks<L, L>(lanes(grid), as_lanes<L>(kept), as_lanes<L>(scratch), *as_lanes<InertiaBlocksT<L>>(&blocks),
                            as_lanes<L>(port_jacobians));
}

}  // namespace

const RodKernels<ForwardDual>& forward_rod_kernels() {
  static constexpr RodKernels<F> k_sweeps{&forward, &backward, &inertia_blocks};
  return k_sweeps;
}

}  // namespace cuttle::CUTTLE_ISA
