// nu = K_P e - K_D v + g(q_d) + s(q_d, 0): a spring to the reference, and what holds the robot there.
#include "control/clocked_controller.h"
#include "control/drives.h"
#include "control/law_model.h"
#include "control/reference_force.h"

namespace cuttle {
namespace {

LawT<PdPlusSettings> pd_plus() {
  return {
      .type = "pd_plus",
      .about = "nu = K_P e - K_D v + g(q_d) + s(q_d, 0): a spring to the reference, and what holds the robot there.",
      .example =
          "{name: hold, type: pd_plus, links: [shoulder], reference: [0.5], kp: [2], kd: 0.1, rate: 1000, delay: "
          "0.002}",
      .describe =
          [](PdPlusSettings& settings, SettingVisitor& visitor) {
            visitor.inputs(settings.inputs), visitor.links(settings.links);
            describe_feedback(settings, visitor);
            visitor.model(settings.model);
          },
      .bind =
          [](const Model& model, const PdPlusSettings& settings, const ControlPlaces& places) {
            const auto bound = [&settings](const Model& known, const ControlPlaces& own) {
              auto law = std::make_unique<ReferenceForce>(known, settings, own, false);
              try_law(known, *law, own);
              return through_drives(known, own, std::move(law));
            };
            return law_with_model(model, settings.model, places, bound);
          },
      .controls = Controls::configuration};
}

}  // namespace

std::shared_ptr<const Controller> make_pd_plus(PdPlusSettings settings) {
  return clocked_controller(pd_plus(), std::move(settings));
}

LibraryLaw pd_plus_law() { return library_law(pd_plus(), make_pd_plus); }

}  // namespace cuttle
