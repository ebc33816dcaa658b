#pragma once

#include "cuttle/algorithms/state_loads.h"
#include "cuttle/api.h"
#include "cuttle/model/model.h"

namespace CUTTLE_API cuttle {

/// Where the states beside q and v, the auxiliary ones, stand in their vector: a segment a kind, in this order. Whoever
/// reads or writes some of them asks here.
/// @code
/// const VectorXd of_elements = layout.elements_of(state.auxiliary);
/// layout.works_of(rates)[StateLayout::input] = power;
/// @endcode
struct StateLayout {
  /// What stands in works first: integrals of powers since the start [J]. Behind them stands, of `dissipated`, what
  /// each pair that may touch has taken, in the order of the contacts.
  enum Work { dissipated, input, load, k_work_count };

  int works = k_work_count;  ///< with those of pairs; or 0, without accounts of work
  int integrals = 0;         ///< of loads that keep some (drones)
  int controllers = 0;       ///< states of controllers, one after the other
  int elements = 0;          ///< states of elements, one after the other: stiff
  int sites = 0;             ///< states of the sites of contacts, one after the other: stiff

  int size() const { return works + integrals + controllers + elements + sites; }
  /// The last states, which may follow the motion faster than any step.
  int stiff() const { return elements + sites; }
  int first_controller() const { return works + integrals; }

  // Segments of a vector of all states, or of their rates.
  template <typename X>
  auto works_of(X&& x) const {
    return x.segment(0, works);
  }
  /// What each pair of contacts has dissipated.
  template <typename X>
  auto pair_works_of(X&& x) const {
    return x.segment(works > 0 ? k_work_count : 0, works > 0 ? works - k_work_count : 0);
  }
  template <typename X>
  auto integrals_of(X&& x) const {
    return x.segment(works, integrals);
  }
  template <typename X>
  auto controllers_of(X&& x) const {
    return x.segment(first_controller(), controllers);
  }
  template <typename X>
  auto elements_of(X&& x) const {
    return x.segment(first_controller() + controllers, elements);
  }
  template <typename X>
  auto sites_of(X&& x) const {
    return x.segment(size() - sites, sites);
  }
  /// All but the works: what the motion may depend on.
  template <typename X>
  auto feeding_back_of(X&& x) const {
    return x.segment(works, size() - works);
  }

  /// Without controllers, as ControlArguments::robot_state is laid out.
  StateLayout of_robot() const { return {works, integrals, 0, elements, sites}; }
  StateLayout with_controllers(int count) const { return {works, integrals, count, elements, sites}; }
  StateLayout without_works() const { return {0, integrals, controllers, elements, sites}; }
};

/// Of a robot alone: works, what its loads integrate, and what its elements and the sites of its contacts keep.
template <typename S>
StateLayout state_layout(const ModelT<S>& model) {
  int sites = 0, works = StateLayout::k_work_count;
  for (const auto& law : model.site_laws()) {
    sites += law->state_count(), works += static_cast<int>(law->pairs().size());
  }
  return {works, load_integral_count(model), 0, static_cast<int>(model.element_start().size()), sites};
}

/// Such states at the start: no work done, integrals zero, elements as their laws say.
VectorXd start_of_auxiliary(const Model& model);

}  // namespace cuttle
