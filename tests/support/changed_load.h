#pragma once

#include <memory>

#include "cuttle/elements/distributed_load.h"
#include "cuttle/elements/fluid.h"
#include "cuttle/elements/wrench_load.h"

namespace cuttle::test {

inline const Fluid& fluid_of(const Load& load) { return dynamic_cast<const FluidLaw&>(*load.law).parameters(); }

/// Another law for a load: `change` is given the parameters of the old one.
template <typename Change>
void change_fluid(Load& load, const Change& change) {
  Fluid fluid = fluid_of(load);
  change(fluid);
  load.law = std::make_shared<const FluidLaw>(fluid);
}
template <typename Change>
void change_wrench(Load& load, const Change& change) {
  TimedWrench wrench = *load.law->timed();
  change(wrench);
  load.law = load.law->along_link() ? make_distributed_load(load.place.link, wrench).law
                                    : make_wrench_load(load.place, wrench).law;
}

}  // namespace cuttle::test
