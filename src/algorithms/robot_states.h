#pragma once

#include "cuttle/algorithms/state_layout.h"

namespace cuttle {

/// Copies what a robot has alone from states of one layout into those of another; states of controllers stay.
template <typename From, typename To>
void copy_robot_states(const StateLayout& from, const From& states, const StateLayout& to, To& copy) {
  to.works_of(copy) = from.works_of(states);
  to.integrals_of(copy) = from.integrals_of(states);
  to.elements_of(copy) = from.elements_of(states);
  to.sites_of(copy) = from.sites_of(states);
}

}  // namespace cuttle
