#pragma once

#include <span>

#include "cuttle/algorithms/external_wrench.h"

namespace cuttle {

/// The wrenches of the loads that depend on time alone at the frames of the model.
/// @param whole  whole(i) is load i as {wrench, or a meter of it; axes}.
/// @param result  load_wrench_count wrenches.
template <typename S, typename Whole>
void spread_loads(const ModelT<S>& model, const Whole& whole, std::span<ExternalWrenchT<S>> result) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < model.loads().size(); ++i) {
    const BoundLoadT<S>& bound = model.loads()[i];
    if (bound.frames.empty()) continue;
    const auto [wrench, axes] = whole(i);
    for (std::size_t k = 0; k < bound.frames.size(); ++k) {
      result[at++] = {bound.frames[k], bound.weights[k] * wrench, axes};
    }
  }
}

}  // namespace cuttle
