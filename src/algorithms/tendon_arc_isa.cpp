// Sums along tendons with derivatives in eight directions, once for each instruction set.
#include "algorithms/tendon_arc.h"
#include "spatial/forward_lanes.h"

namespace cuttle::CUTTLE_ISA {
namespace {

using F = ForwardDual;
using L = ForwardLanes;

void add_length(const ArcPoints<F>& arc, F& length) {
  sum_arc_length(*as_lanes<const ArcPoints<L>>(&arc), *as_lanes<L>(&length));
}
void add_force(const ArcPoints<F>& arc, const F& tension, F* force) {
  sum_arc_force(*as_lanes<const ArcPoints<L>>(&arc), *as_lanes<const L>(&tension), as_lanes<L>(force));
}

}  // namespace

const ForwardArcs& forward_arcs() {
  static constexpr ForwardArcs k_sums{&add_length, &add_force};
  return k_sums;
}

}  // namespace cuttle::CUTTLE_ISA
