#pragma once

#include <memory>
#include <vector>

#include "cuttle/algorithms/elements.h"
#include "cuttle/algorithms/held_rows.h"
#include "cuttle/algorithms/sites.h"
#include "cuttle/simulation/robot_system.h"

namespace cuttle {

/// A robot's energy with derivatives, and the power with which it changes along a motion: what EnergyProjection asks
/// for, in derivatives of its runs.
class ForwardEnergy {
 public:
  using Numbers = VectorXT<ForwardDual>;
  /// @param model  of `plain`, with derivatives. Both outlive this.
  ForwardEnergy(const ModelT<ForwardDual>& model, RobotSystem& plain);

  struct State {
    double time;
    const Numbers &q, &v;
    const Numbers& states;  ///< of elements, then of sites
  };
  struct Energy {
    ForwardDual kinetic, sum;  ///< [J]
    double size;               ///< of what is summed [J]
  };
  Energy energy(const State& at);

  /// Where a step takes the equation of motion.
  struct Middle {
    double time;
    const Numbers &q, &v, &a;
    const Numbers& states;       ///< of elements as they are, then the offsets of those of sites
    const Numbers& rates;        ///< of the states of elements
    const Numbers& multipliers;  ///< of the loops' held rows
    double factor;               ///< states of sites are offset + factor rate
  };
  /// Of inputs and loads, less what is lost: by the equation of motion that with which the energy changes, and what
  /// reactions of loops do. So no forces are asked for.
  ForwardDual power(const Middle& at);

  /// The velocity that EnergyProjection makes of that of a state. @param wanted  energy that there is to be.
  Numbers projected(const State& at, const ForwardDual& wanted);

  /// Whether a state, of those of sites, belongs to one that may act, where it was asked last.
  bool acts(int site_state) const { return sites_->acts(site_state); }

 private:
  /// Calls use(law, arguments, first state) of each element.
  template <typename Use>
  void each_element(const Numbers& q, const Numbers& v, const Numbers& states, const Use& use);
  Numbers projected_free(const State& at, const ForwardDual& missing);

  const ModelT<ForwardDual>& model_;
  RobotSystem& plain_;
  DataT<ForwardDual> data_;
  ElementDataT<ForwardDual> elements_;
  std::unique_ptr<SitesT<ForwardDual>> sites_;  ///< null: the robot has no contacts
  HeldRowsT<ForwardDual> rows_;
  std::vector<ExternalWrenchT<ForwardDual>> acting_;
  Numbers u_;
  bool keeps_momentum_;
};

}  // namespace cuttle
