#include "info_parts.h"

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "cuttle/algorithms/contact_resultant.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/sites.h"
#include "cuttle/algorithms/tendon_friction_error.h"
#include "cuttle/model/sensor.h"

namespace cuttle {

Json coordinates_json(const std::vector<CoordinateInfo>& coordinates) {
  Json list = Json::array();
  for (const CoordinateInfo& coordinate : coordinates) {
    Json json = {{"name", coordinate.name}, {"unit", coordinate.unit}};
    if (!coordinate.meaning.empty()) json["meaning"] = coordinate.meaning;
    list.push_back(std::move(json));
  }
  return list;
}

Json inputs_json(const Model& model) {
  Json list = Json::array();
  for (const Actuator& actuator : model.robot().actuators) {
    for (const std::string& input : actuator.inputs()) {
      const int index = static_cast<int>(list.size());
      Json json = {{"name", input},
                   {"unit", model.input_info()[index].unit},
                   {"type", actuator.transmission->type_name()},
                   {"links", actuator.transmission->links()}};
      if (actuator.law) json["drive"] = actuator.law->type_name();
      for (const TransmissionDetail& detail : actuator.transmission->details(model.actuation(), index)) {
        std::visit([&](const auto& value) { json[detail.key] = value; }, detail.value);
      }
      list.push_back(std::move(json));
    }
  }
  return list;
}

/// Inputs of elements follow those of actuators in `u`; these have a type of their own there.
void add_elements(const Model& model, Json& info) {
  info["elements"] = Json::array();
  const std::size_t before = model.elements().size() - model.robot().elements.size();  // laws of actuators
  for (std::size_t i = 0; i < model.robot().elements.size(); ++i) {
    const Element& element = model.robot().elements[i];
    Json links = Json::array(), inputs = Json::array(), states = Json::array(), outputs = Json::array();
    for (const auto& transmission : element.through) {
      for (const std::string& link : transmission->links()) links.push_back(link);
    }
    const BoundElementT<double>& bound = model.elements()[before + i];
    for (std::size_t k = 0; k < element.law->inputs().size(); ++k) {
      const CoordinateInfo& input = model.input_info()[static_cast<std::size_t>(bound.input) + k];
      inputs.push_back(input.name);
      info["u"].push_back(
          {{"name", input.name}, {"unit", input.unit}, {"type", element.law->type_name()}, {"links", links}});
    }
    for (int k = 0; k < bound.state_count; ++k) {
      const CoordinateInfo& state = model.element_state_info()[bound.state + k];
      states.push_back({{"name", state.name}, {"unit", state.unit}});
    }
    for (int k = 0; k < bound.output_count; ++k) {
      const CoordinateInfo& output = model.element_output_info()[bound.output + k];
      outputs.push_back({{"name", output.name}, {"unit", output.unit}});
    }
    info["elements"].push_back({{"name", element.name},
                                {"type", element.law->type_name()},
                                {"links", links},
                                {"inputs", inputs},
                                {"states", states},
                                {"outputs", outputs}});
    for (const TendonFrictionError& tendon : estimate_tendon_friction_error(model.robot(), element)) {
      info["elements"].back()["error"][tendon.actuator] = tendon.force;
    }
  }
}

Json sensors_json(const Model& model) {
  Json list = Json::array();
  const std::vector<RecordedSensor> recorded = recorded_sensors(model);
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    const Sensor& sensor = *model.robot().sensors[i].sensor;
    list.push_back({{"name", recorded[i].name},
                    {"type", sensor.type_name()},
                    {"at_samples", sensor.needs_acceleration()},
                    {"columns", coordinates_json(recorded[i].columns)}});
  }
  return list;
}

namespace {

/// Whether a description leaves the friction of a contact out.
bool has_default_friction(const Robot& robot, const Contact& contact) {
  if (!robot.source) return false;
  const std::vector<ParameterInfo> parameters = robot.source->parameters();
  const std::string path = "contacts." + contact.name + ".friction";
  return std::any_of(parameters.begin(), parameters.end(),
                     [&](const ParameterInfo& parameter) { return parameter.path == path && !parameter.given; });
}

}  // namespace

Json contacts_json(const Model& model, const VectorXd& q) {
  Sites sites(model);
  Data data(model);
  const VectorXd still = VectorXd::Zero(model.nv());
  if (!model.site_laws().empty()) {
    sites.take(forward_kinematics<double>(model, data, q, still), 0.0, VectorXd::Zero(sites.state_count()));
  }
  Json list = Json::array();
  for (const Contact& contact : model.robot().contacts) {
    const ContactFriction& friction = contact.friction;
    Json pairs = Json::array();
    for (const auto& law : model.site_laws()) {
      if (law->name() != contact.name) continue;
      for (std::size_t pair = 0; pair < law->pairs().size(); ++pair) {
        ContactResultant whole;
        int count = 0;
        for (const SitePlace& place : sites.places()) {
          const bool its = &sites.law(place) == law.get() &&
                           law->sites()[static_cast<std::size_t>(place.site)].pair == static_cast<int>(pair);
          if (its) whole.add(sites.observe(place)), ++count;
        }
        pairs.push_back(
            {{"a", law->pairs()[pair][0]}, {"b", law->pairs()[pair][1]}, {"sites", count}, {"gap", whole.gap}});
      }
    }
    list.push_back({{"name", contact.name},
                    {"friction",
                     {{"forward", friction.forward},
                      {"backward", friction.backward},
                      {"sideways", friction.sideways},
                      {"static_ratio", friction.static_ratio},
                      {"by_default", has_default_friction(model.robot(), contact)}}},
                    {"modulus", contact.modulus ? Json(*contact.modulus) : Json(nullptr)},
                    {"dissipation", contact.dissipation},
                    {"pairs", pairs}});
  }
  return list;
}

std::vector<std::string> default_frictions(const Robot& robot) {
  std::vector<std::string> sentences;
  for (const Contact& contact : robot.contacts) {
    if (!has_default_friction(robot, contact)) continue;
    sentences.push_back("contact '" + contact.name + "': friction is not given and has its default, 0.5");
  }
  return sentences;
}

}  // namespace cuttle
