#include "bodies/rod/rod_packing.h"

#include <algorithm>

namespace cuttle {

std::string RodPacking::difference(const BodyPacking& other) const {
  const RodTables<double>&x = static_cast<const RodPacking&>(other).tables(), &y = *tables_;
  if (!std::equal(std::begin(x.grid.component_start), std::end(x.grid.component_start), y.grid.component_start)) {
    return "found other strain components";
  }
  const auto same_law = [](const auto& a, const auto& b) {
    return a.has_value() == b.has_value() &&
           (!a || (a->tanh.has_value() == b->tanh.has_value() && a->polynomial.size() == b->polynomial.size()));
  };
  if (!same_law(x.bend, y.bend) || !same_law(x.stretch, y.stretch)) return "found another hyperelastic law";
  for (int c = 0; c < 6; ++c) {
    if (x.stiffening[c].factors.size() != y.stiffening[c].factors.size()) return "found other powers of stiffening";
    if (x.damping[c].size() != y.damping[c].size()) return "found another kind of damping";
  }
  return x.damping_time.has_value() == y.damping_time.has_value() ? "" : "found another kind of damping";
}

std::vector<std::size_t> RodPacking::arrangement() const {
  std::vector<std::size_t> all;
  for (const auto* list : {&tables_->predecessor, &tables_->port_step}) {
    all.push_back(list->size());
    for (const int step : *list) all.push_back(static_cast<std::size_t>(step + 1));
  }
  return all;
}

}  // namespace cuttle
