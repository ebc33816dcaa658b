#include "cuttle/error.h"
#include "model/contact/contact_law.h"
#include "model/contact/contact_plan.h"
#include "model/model_builder.h"

namespace cuttle {

template <typename S>
void ModelBuilderT<S>::plan_contacts() {
  check_obstacles(robot_);
  for (const ContactT<S>& contact : robot_.contacts) {
    const auto index = static_cast<std::size_t>(&contact - robot_.contacts.data());
    at_place({"contacts", index}, "contact '" + contact.name + "'", [&] {
      contact_plans_.push_back(plan_contact(robot_, contact));
      want_ports(contact_plans_.back().places);
    });
  }
}

template <typename S>
void ModelBuilderT<S>::bind_contacts() {
  for (std::size_t i = 0; i < robot_.contacts.size(); ++i) {
    ContactPlanT<S>& plan = contact_plans_[i];
    std::vector<FrameT<S>> frames;
    for (const PlaceT<S>& place : plan.places) frames.push_back(resolve(place));
    model_.site_laws_.push_back(std::make_shared<const ContactLawT<S>>(robot_.contacts[i], std::move(frames),
                                                                       std::move(plan), robot_.obstacles));
  }
}

#define CUTTLE_INSTANTIATE(S)                      \
  template void ModelBuilderT<S>::plan_contacts(); \
  template void ModelBuilderT<S>::bind_contacts();
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
