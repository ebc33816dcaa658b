// nu = K_P e - K_D v + g(q_d) + s(q_d, 0): a spring to the reference, and what holds the robot there.
#include "control/drives.h"
#include "control/law_model.h"
#include "control/reference_force.h"

namespace cuttle {

std::shared_ptr<const Controller> make_pd_plus(ControlSettings settings) {
  return framed_controller("pd_plus", std::move(settings), Controls::configuration,
                           [](const Model& model, const ControlSettings& s, const ControlPlaces& places) {
                             const auto bound = [&s](const Model& known, const ControlPlaces& own) {
                               auto law = std::make_unique<ReferenceForce>(known, s, own, false);
                               try_law(known, *law, own);
                               return through_drives(known, own, std::move(law));
                             };
                             return law_with_model(model, s.model, places, bound);
                           });
}

}  // namespace cuttle
