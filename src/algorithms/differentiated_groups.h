#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "cuttle/algorithms/parameter_gradient.h"

namespace cuttle {

/// A direction of its own for each number. @param paths  as Model::with takes them.
inline std::vector<ParameterDirection> along_each(const std::vector<std::string>& paths) {
  std::vector<ParameterDirection> directions;
  directions.reserve(paths.size());
  for (const std::string& path : paths) directions.push_back({path});
  return directions;
}

/// Calls `use(first, count, model)` for each eight directions of a robot's numbers: the model with derivatives along
/// those from `first` on, `count` of them. @param directions  of paths as Model::with takes them.
template <typename Use>
void differentiate_in_groups(const Model& model, const std::vector<ParameterDirection>& directions, const Use& use) {
  for (std::size_t first = 0; first < directions.size(); first += k_forward_width) {
    const std::size_t count = std::min<std::size_t>(k_forward_width, directions.size() - first);
    const auto begin = directions.begin() + static_cast<std::ptrdiff_t>(first);
    use(first, count, differentiate_along(model, {begin, begin + static_cast<std::ptrdiff_t>(count)}));
  }
}

/// The same of numbers.
template <typename Use>
void differentiate_in_groups(const Model& model, const std::vector<std::string>& paths, const Use& use) {
  differentiate_in_groups(model, along_each(paths), use);
}

}  // namespace cuttle
