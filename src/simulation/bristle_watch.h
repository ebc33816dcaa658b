#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cuttle/algorithms/sites.h"
#include "cuttle/simulation/integrator.h"

namespace cuttle {

/// Whether bristles follow what slides in steps of an explicit method. One on its cone comes back to it at the rate
/// speed / length. Where that is beyond the method's region of stability the bristle hops about its cone, and friction
/// is not that of its coefficient. At touch-down a bristle has no length yet, so what counts is which part of the
/// force that presses does so on such bristles.
class BristleWatch {
 public:
  /// The model must outlive it. @param stable  how far the method is stable along the negative real axis.
  BristleWatch(const Model& model, double stable);

  /// Takes notice of a step of length h that touches, and looks at the state after some of them.
  void look(double h, const State& state);
  /// What there is to warn of; nothing: bristles follow.
  std::optional<std::string> warning() const;

 private:
  /// Of a contact, sums over what was looked at.
  struct Seen {
    double pressed = 0.0;           ///< of normal forces [N]
    double loose = 0.0;             ///< of those on bristles that do not follow [N]
    double way = 0.0, reach = 0.0;  ///< of these, times how far they slide in a step, and how long the bristle is
    double step = 0.0;              ///< longest with which these would follow, times their normal forces
  };

  const Model& model_;
  double stable_;
  Data data_;
  std::optional<Sites> sites_;        ///< none: nothing rubs
  std::vector<double> coefficients_;  ///< largest, of each law; 0: without friction
  std::vector<Seen> seen_;            ///< likewise
  long steps_ = 0;
  double longest_ = 0.0;  ///< step
};

}  // namespace cuttle
