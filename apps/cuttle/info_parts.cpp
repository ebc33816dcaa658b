#include "info_parts.h"

#include <string>
#include <variant>
#include <vector>

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

}  // namespace cuttle
