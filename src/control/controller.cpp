#include "cuttle/control/controller.h"

#include <numeric>

#include "cuttle/error.h"

namespace cuttle {

ControlColumns ControlLaw::columns(const Model& model) const {
  ControlColumns columns;
  columns.inputs.resize(static_cast<std::size_t>(model.nu()));
  std::iota(columns.inputs.begin(), columns.inputs.end(), 0);
  for (int i = 0; i < state_count(); ++i) columns.state.push_back({"x" + std::to_string(i), ""});
  return columns;
}

void ControlLaw::record(const ControlArguments& at, VectorOutT<double> /*reference*/, VectorOutT<double> /*error*/,
                        VectorOutT<double> state) {
  state = at.state;
}

std::shared_ptr<const Controller> Controller::with_number(const std::string& key, double /*value*/) const {
  throw ArgumentError(key + ": found no such number of a controller of type " + type_name());
}

std::vector<RecordedController> recorded_controllers(const Model& model,
                                                     const std::vector<NamedController>& controllers) {
  std::vector<RecordedController> recorded;
  recorded.reserve(controllers.size());
  for (const NamedController& given : controllers) {
    recorded.push_back({given.name, given.controller->bind(model)->columns(model)});
  }
  return recorded;
}

}  // namespace cuttle
