#include <algorithm>
#include <type_traits>

#include "cuttle/error.h"
#include "cuttle/model/sensor.h"
#include "model/law_beside_actuators.h"
#include "model/model_builder.h"
#include "model/transmissions/link_coordinates.h"

// Actuators and elements bound to the coordinates and nodes of a model.

namespace cuttle {

template <typename S>
const BodyT<S>* ModelBuilderT<S>::body(const std::string& link) const {
  const int index = index_of(link);
  return index < 0 ? nullptr : robot_.links[index].body.get();
}

template <typename S>
LinkBindingT<S> ModelBuilderT<S>::link(const std::string& name) const {
  const int link = index_of(name);
  if (link < 0) throw ModelError({}, "link '" + name + "'", "the name of a link");
  const LinkInfoT<S>& info = model_.links_[link];
  return {&info,
          robot_.links[link].body.get(),
          built_[link].body,
          info.q + info.joint_nq,
          info.v + info.joint_nv,
          info.nv - info.joint_nv};
}

template <typename S>
Vector3T<S> ModelBuilderT<S>::rest_position(const FrameT<S>& frame) const {
  return (neutral_[frame.node] * frame.node_frame).position;
}

template <typename S>
void ModelBuilderT<S>::add_transmission(const std::string& unit) {
  bound_to_->result.units.push_back(unit);
  bound_to_->offsets.push_back(S(0.0));
  bound_to_->columns.push_back(VectorXT<S>::Zero(model_.nv_));
}

template <typename S>
VectorXT<S>& ModelBuilderT<S>::add_linear(const std::string& unit, const S& y_at_zero) {
  add_transmission(unit);
  bound_to_->offsets.back() = y_at_zero;
  return bound_to_->columns.back();
}

template <typename S>
void ModelBuilderT<S>::add_tendon(BoundTendonT<S> tendon) {
  add_transmission("N");
  tendon.input = bound_to_->last();
  bound_to_->result.tendons.push_back(std::move(tendon));
}

template <typename S>
void ModelBuilderT<S>::add_chamber(BoundChamberT<S> chamber) {
  add_transmission("Pa");
  chamber.input = bound_to_->last();
  bound_to_->result.chambers.push_back(std::move(chamber));
}

template <typename S>
void ModelBuilderT<S>::add_wrench(BoundWrenchT<S> wrench) {
  for (int k = 0; k < 6; ++k) add_transmission(k < 3 ? "N m" : "N");
  wrench.input = bound_to_->last() - 5;
  bound_to_->result.wrenches.push_back(std::move(wrench));
}

template <typename S>
void ModelBuilderT<S>::add_function(const std::string& unit, const std::vector<LinkCoordinate>& coordinates,
                                    std::shared_ptr<const CoordinateFunctionT<S>> function) {
  BoundFunctionT<S> bound;
  if (coordinates.empty() || coordinates.size() > k_most_function_coordinates) {
    throw ModelError({}, "a function of " + std::to_string(coordinates.size()) + " coordinates",
                     "1 to " + std::to_string(k_most_function_coordinates));
  }
  for (const LinkCoordinate& coordinate : coordinates) {
    const LinkInfoT<S>& info = *link(coordinate.link).info;
    require_vector_space(info);
    if (coordinate.index < 0 || coordinate.index >= info.nv) {
      throw ModelError("index", std::to_string(coordinate.index),
                       "less than " + std::to_string(info.nv) + " (coordinates of '" + info.name + "')");
    }
    bound.q.push_back(info.q + coordinate.index), bound.v.push_back(info.v + coordinate.index);
  }
  add_transmission(unit);
  bound.input = bound_to_->last();
  bound.function = std::move(function);
  bound_to_->result.functions.push_back(std::move(bound));
}

template <typename S>
void ModelBuilderT<S>::bind_transmission(const TransmissionT<S>& transmission) {
  const std::size_t before = bound_to_->columns.size(), expected = transmission.inputs().size();
  transmission.bind(*this);
  const std::size_t found = bound_to_->columns.size() - before;
  if (found == expected) return;
  throw ModelError({}, std::to_string(found) + " efforts of a " + transmission.type_name(),
                   std::to_string(expected) + ", as it names");
}

template <typename S>
TransmissionsT<S> ModelBuilderT<S>::Transmissions::finished(int nv) {
  result.constant.setZero(nv, static_cast<Eigen::Index>(columns.size()));
  result.offset = VectorXT<S>::Zero(result.constant.cols());
  for (std::size_t k = 0; k < columns.size(); ++k) {
    result.constant.col(static_cast<Eigen::Index>(k)) = columns[k];
    result.offset[static_cast<Eigen::Index>(k)] = offsets[k];
  }
  return std::move(result);
}

template <typename S>
void ModelBuilderT<S>::bind_actuators() {
  Transmissions inputs, of_elements;
  for_each_part("actuators", "actuator", robot_.actuators,
                [&](const ActuatorT<S>& actuator) { bind_actuator(actuator, inputs, of_elements); });
  bound_to_ = &of_elements;
  for_each_part("elements", "element", robot_.elements, [&](const ElementT<S>& element) { bind_element(element); });
  // last, so that one that has nothing to do moves no other element: models of other scalars may have it
  for_each_part("elements", "element", robot_.elements,
                [&](const ElementT<S>& element) { bind_beside_actuators(element); });
  model_.nu_ = static_cast<int>(model_.input_info_.size());
  bound_to_ = &inputs;
  for (int k = inputs.last() + 1; k < model_.nu_; ++k) add_transmission("");  // elements have laws for theirs
  bound_to_ = nullptr;
  if (!inputs.result.driven.empty()) inputs.result.driven.resize(static_cast<std::size_t>(model_.nu_), 0);
  model_.actuation_ = inputs.finished(model_.nv_);
  model_.element_transmissions_ = of_elements.finished(model_.nv_);
}

template <typename S>
void ModelBuilderT<S>::bind_actuator(const ActuatorT<S>& actuator, Transmissions& inputs, Transmissions& of_elements) {
  bound_to_ = &inputs;
  bind_transmission(*actuator.transmission);
  const std::vector<std::string> names = actuator.inputs();
  const std::size_t first = model_.input_info_.size();
  for (std::size_t k = 0; k < names.size(); ++k) {
    model_.input_info_.push_back({names[k], inputs.result.units[first + k]});
  }
  if (!actuator.law) return;
  const std::vector<CoordinateInfo> own = actuator.law->inputs();
  if (own.size() != names.size()) {
    throw ModelError({"law", "inputs"}, std::to_string(own.size()) + " names",
                     std::to_string(names.size()) + ", one an effort of a " + actuator.transmission->type_name());
  }
  for (std::size_t k = 0; k < names.size(); ++k) model_.input_info_[first + k].unit = own[k].unit;
  inputs.result.driven.resize(first + names.size(), 0);
  std::fill(inputs.result.driven.begin() + static_cast<std::ptrdiff_t>(first), inputs.result.driven.end(), 1);
  // once more: its y(q) stays with the inputs, and what its law makes of them acts as an element does
  bound_to_ = &of_elements;
  const std::vector through{actuator.transmission};
  bind_law({actuator.name, through, actuator.law}, static_cast<int>(first), true);
}

template <typename S>
void ModelBuilderT<S>::bind_element(const ElementT<S>& element) {
  if (!element.law && std::is_same_v<S, double>) throw ModelError("law", "none", "one");
  if (element.law && element.law->beside_actuators() != nullptr) return;
  bind_law({element.name, element.through, element.law}, static_cast<int>(model_.input_info_.size()), false);
}

template <typename S>
void ModelBuilderT<S>::bind_beside_actuators(const ElementT<S>& element) {
  const LawBesideActuatorsT<S>* beside = element.law ? element.law->beside_actuators() : nullptr;
  if (beside == nullptr) return;
  const std::vector<std::string> names = beside->actuators();
  for (std::size_t i = 0; i < names.size(); ++i) {
    at_place({"actuators", i}, "", [&] {
      int input = 0;
      const ActuatorT<S>* actuator = nullptr;
      for (const ActuatorT<S>& candidate : robot_.actuators) {
        if (candidate.name == names[i]) actuator = &candidate;
        if (actuator != nullptr) break;
        input += static_cast<int>(candidate.inputs().size());
      }
      if (actuator == nullptr) throw ModelError({}, "actuator '" + names[i] + "'", "the name of an actuator");
      if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
          names.begin() + static_cast<std::ptrdiff_t>(i)) {
        throw ModelError({}, "'" + names[i] + "' again", "each actuator once");
      }
      const int first = static_cast<int>(bound_to_->columns.size());
      const auto law = beside->bind(*actuator, *this);
      if (!law) return;
      finish_law({element.name, element.through, law}, first, input, false);
      model_.elements_.back().has_inputs = false;  // its input is the actuator's, whose power that one counts
    });
  }
}

template <typename S>
void ModelBuilderT<S>::bind_law(const LawUser& element, int input, bool drives) {
  const int first = static_cast<int>(bound_to_->columns.size());
  for (const auto& transmission : element.through) bind_transmission(*transmission);
  if (!element.law) return;  // a law of one scalar: only the transmissions are asked for in others
  finish_law(element, first, input, !drives);
  model_.elements_.back().drives = drives;
}

template <typename S>
void ModelBuilderT<S>::finish_law(const LawUser& element, int first, int input, bool own_inputs) {
  BoundElementT<S> bound;
  bound.first = first;
  bound.input = input;
  bound.state = static_cast<int>(model_.element_state_info_.size());
  bound.law = element.law;
  bound.name = element.name;
  const int count = static_cast<int>(bound_to_->columns.size()) - bound.first;
  if (count != element.law->transmission_count()) {
    throw ModelError("through", std::to_string(count) + " transmissions",
                     std::to_string(element.law->transmission_count()) + " (of a " + element.law->type_name() + ")");
  }
  // the law reads and writes as many as it counts: a list of other length would let it leave its memory
  const auto require_count = [](const char* list, std::size_t found, int expected) {
    if (static_cast<int>(found) == expected) return;
    throw ModelError({"law", list}, std::to_string(found) + " names", std::to_string(expected) + ", as the law counts");
  };
  require_count("inputs", element.law->inputs().size(), element.law->input_count());
  require_count("states", element.law->states().size(), element.law->state_count());
  require_count("outputs", element.law->outputs().size(), element.law->output_count());
  const auto full = [&](const std::string& name) { return name.empty() ? element.name : element.name + "." + name; };
  bound.state_count = element.law->state_count();
  bound.has_inputs = element.law->input_count() > 0;
  if (own_inputs) {  // those of an actuator have the names that its transmission gives them
    for (const CoordinateInfo& own : element.law->inputs()) {
      model_.input_info_.push_back({full(own.name), own.unit});
    }
  }
  std::vector<S> start(model_.element_start_.data(), model_.element_start_.data() + model_.element_start_.size());
  for (const ElementStateInfo& state : element.law->states()) {
    model_.element_state_info_.push_back({full(state.name), state.unit});
    start.push_back(S(state.start));
  }
  bound.output = static_cast<int>(model_.element_output_info_.size());
  bound.output_count = element.law->output_count();
  for (const ElementOutputInfo& output : element.law->outputs()) {
    const bool of_effort = output.unit.empty() && count > 0;
    model_.element_output_info_.push_back(
        {full(output.name), of_effort ? bound_to_->result.units[static_cast<std::size_t>(bound.first)] : output.unit});
  }
  model_.element_start_ = Eigen::Map<const VectorXT<S>>(start.data(), static_cast<Eigen::Index>(start.size()));
  model_.elements_.push_back(std::move(bound));
}

template <typename S>
void ModelBuilderT<S>::bind_sensors() {
  for_each_part("sensors", "sensor", robot_.sensors, [&](const NamedSensor& sensor) {
    std::vector<FrameT<S>>& frames = model_.sensor_frames_.emplace_back();
    for (const Place& place : sensor.sensor->places()) frames.push_back(resolve(place.template cast<S>()));
    if constexpr (std::is_same_v<S, double>) sensor.sensor->columns(model_);  // whether it fits the robot
  });
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses
#define CUTTLE_INSTANTIATE(S)                                                                          \
  template void ModelBuilderT<S>::bind_actuators();                                                    \
  template void ModelBuilderT<S>::bind_sensors();                                                      \
  template const BodyT<S>* ModelBuilderT<S>::body(const std::string&) const;                           \
  template LinkBindingT<S> ModelBuilderT<S>::link(const std::string&) const;                           \
  template Vector3T<S> ModelBuilderT<S>::rest_position(const FrameT<S>&) const;                        \
  template VectorXT<S>& ModelBuilderT<S>::add_linear(const std::string&, const S&);                    \
  template void ModelBuilderT<S>::add_tendon(BoundTendonT<S>);                                         \
  template void ModelBuilderT<S>::add_chamber(BoundChamberT<S>);                                       \
  template void ModelBuilderT<S>::add_wrench(BoundWrenchT<S>);                                         \
  template void ModelBuilderT<S>::add_function(const std::string&, const std::vector<LinkCoordinate>&, \
                                               std::shared_ptr<const CoordinateFunctionT<S>>);
// NOLINTEND(bugprone-macro-parentheses)
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
