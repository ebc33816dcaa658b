#include "control/clocked_controller.h"

namespace cuttle {

LibraryLaw computed_torque_law();
LibraryLaw partial_feedback_linearization_law();
LibraryLaw pd_with_cancellation_law();
LibraryLaw pd_plus_law();
LibraryLaw pid_law();
LibraryLaw feed_forward_law();
LibraryLaw adaptive_law();
LibraryLaw operational_space_law();
LibraryLaw lqr_law();
LibraryLaw external_law();

const std::vector<LibraryLaw>& library_laws() {
  static const std::vector<LibraryLaw> k_laws{computed_torque_law(),
                                              partial_feedback_linearization_law(),
                                              pd_with_cancellation_law(),
                                              pd_plus_law(),
                                              pid_law(),
                                              feed_forward_law(),
                                              adaptive_law(),
                                              operational_space_law(),
                                              lqr_law(),
                                              external_law()};
  return k_laws;
}

}  // namespace cuttle
