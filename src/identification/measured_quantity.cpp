#include "cuttle/identification/measured_quantity.h"

#include "cuttle/error.h"
#include "cuttle/model/spelling.h"
#include "identification/quantities/quantity_kinds.h"

namespace cuttle {

NamedQuantity named_quantity(const Model& model, const std::string& name) {
  constexpr QuantityPointer (*k_kinds[])(const Model&, const ResultBlock&, std::size_t) = {
      coordinate_quantity, frame_quantity, actuation_quantity, element_quantity};
  if (const QuantityPointer mode = mode_quantity(name)) {
    return {name, name.back() == 'y' ? "Hz" : "", mode};  // frequency | damping_ratio
  }
  std::vector<std::string> known = {"modes[0].frequency", "modes[0].damping_ratio"};
  for (const ResultBlock& block : result_blocks(model, {})) {
    for (std::size_t c = 0; c < block.columns.size(); ++c) {
      for (const auto kind : k_kinds) {
        const QuantityPointer quantity = kind(model, block, c);
        if (!quantity) continue;
        known.push_back(block.columns[c].header);
        if (known.back() == name) return {name, block.columns[c].unit, quantity};
      }
    }
  }
  throw ArgumentError("found '" + name + "', which '" + model.name() +
                      "' neither takes as an input nor shows at rest, expected one of its " +
                      std::to_string(known.size()) + " measurable quantities" + did_you_mean(name, known));
}

}  // namespace cuttle
