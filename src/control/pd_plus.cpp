// nu = K_P e - K_D v + g(q_d) + s(q_d, 0): a spring to the reference, and what holds the robot there.
#include "control/drives.h"
#include "control/reference_force.h"

namespace cuttle {

std::shared_ptr<const Controller> make_pd_plus(ControlSettings settings) {
  return framed_controller("pd_plus", std::move(settings), Controls::configuration,
                           [](const Model& model, const ControlSettings& s, const ControlPlaces& places) {
                             auto law = std::make_unique<ReferenceForce>(model, s, places, false);
                             try_law(model, *law, places);
                             return through_drives(model, places, std::move(law));
                           });
}

}  // namespace cuttle
