#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "cuttle/algorithms/parameter_gradient.h"

namespace cuttle {

/// Calls `use(first, count, model)` for each eight of the numbers of a robot: the model with derivatives by those from
/// `first` on, `count` of them. @param paths  as Model::with takes them.
template <typename Use>
void differentiate_in_groups(const Model& model, const std::vector<std::string>& paths, const Use& use) {
  for (std::size_t first = 0; first < paths.size(); first += k_forward_width) {
    const std::size_t count = std::min<std::size_t>(k_forward_width, paths.size() - first);
    const auto begin = paths.begin() + static_cast<std::ptrdiff_t>(first);
    use(first, count, differentiate(model, {begin, begin + static_cast<std::ptrdiff_t>(count)}));
  }
}

}  // namespace cuttle
