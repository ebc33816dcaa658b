#include "cuttle/error.h"
#include "model/model_builder.h"

namespace cuttle {

template <typename S>
void ModelBuilderT<S>::bind_loads() {
  for_each_part("loads", "", robot_.loads, [&](const LoadT<S>& load) {
    bind_load(load, load_points_[static_cast<std::size_t>(&load - robot_.loads.data())]);
  });
}

template <typename S>
void ModelBuilderT<S>::bind_load(const LoadT<S>& load, const std::vector<LoadPointT<S>>& points) {
  BoundLoadT<S> bound;
  bound.wrench = load.law ? load.law->timed() : nullptr;
  std::vector<FrameT<S>> frames;
  frames.reserve(points.size());
  for (const auto& point : points) frames.push_back(resolve(point.place));
  if (bound.wrench != nullptr) {
    bound.frames = std::move(frames);
    for (const auto& point : points) bound.weights.push_back(point.weight);
  } else if (load.law) {
    auto at_frames = load.law->bind(std::move(frames), link_at(load.place));
    if (!at_frames) {
      throw ModelError("law", "neither a wrench in time nor one by the motion of a " + load.law->type_name(), "one");
    }
    model_.state_loads_.push_back(std::move(at_frames));
  }
  model_.loads_.push_back(std::move(bound));
}

#define CUTTLE_INSTANTIATE(S) template void ModelBuilderT<S>::bind_loads();
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
