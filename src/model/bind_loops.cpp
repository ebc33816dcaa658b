#include <cmath>

#include "cuttle/error.h"
#include "cuttle/model/spelling.h"
#include "model/axes.h"
#include "model/model_builder.h"
#include "model/pose_at.h"

// Closed loops bound to the frames of a model.

namespace cuttle {
namespace {

/// Unit vector orthogonal to the unit vector `axis`, towards the coordinate axis after its largest component.
template <typename S>
Vector3T<S> second_axis(const Vector3T<S>& axis) {
  using std::abs;
  int largest = 0;
  for (int i = 1; i < 3; ++i) {
    if (any(abs(axis[i]) > abs(axis[largest]))) largest = i;
  }
  Vector3T<S> next{S(0.0), S(0.0), S(0.0)};
  next[(largest + 1) % 3] = S(1.0);
  const Vector3T<S> across = next - dot(next, axis) * axis;
  return (S(1.0) / norm(across)) * across;
}

/// Where frame a of a loop is at time 0.
template <typename S>
PlaceT<S> first_place(const LoopT<S>& loop) {
  PlaceT<S> place = loop.a;
  if (!loop.drive.empty()) place.pose = place.pose * pose_at(loop.drive, 0.0, {}).template cast<S>();
  return place;
}

bool has_axis(LoopType type) { return type != LoopType::fixed && type != LoopType::spherical; }

}  // namespace

const char* loop_type_name(LoopType type) {
  switch (type) {
    case LoopType::fixed:
      return "fixed";
    case LoopType::revolute:
      return "revolute";
    case LoopType::spherical:
      return "spherical";
    case LoopType::prismatic:
      return "prismatic";
    case LoopType::universal:
      return "universal";
  }
  return "";
}

template <typename S>
FrameT<S> ModelBuilderT<S>::loop_frame(const PlaceT<S>& place) const {
  if (place.link != "base" && index_of(place.link) < 0) {
    std::vector<std::string> known{"base"};
    for (const auto& link : robot_.links) known.push_back(link.name);
    throw ModelError("link", "'" + place.link + "'", "'base' or the name of a link" + did_you_mean(place.link, known));
  }
  return resolve(place);
}

template <typename S>
void ModelBuilderT<S>::bind_loops() {
  for_each_part("loops", "loop", robot_.loops, [&](const LoopT<S>& loop) { bind_loop(loop); });
}

template <typename S>
void ModelBuilderT<S>::bind_loop(const LoopT<S>& loop) {
  BoundLoopT<S> bound;
  bound.name = loop.name, bound.type = loop.type;
  bound.a = at_place("a", "", [&] { return loop_frame(first_place(loop)); });
  bound.b = at_place("b", "", [&] { return loop_frame(loop.b); });
  if (bound.a.node == bound.b.node) {
    throw ModelError("b", "'" + loop.b.link + "', which is fixed to a ('" + loop.a.link + "')",
                     "a place that can move against it");
  }
  bound.position_rows = loop.type == LoopType::prismatic ? 0 : 3;
  bound.rotation_rows = loop.type == LoopType::fixed || loop.type == LoopType::prismatic ? 3 : 0;
  bound.axis_rows = loop.type == LoopType::revolute ? 2 : loop.type == LoopType::universal ? 1 : 0;
  bound.slide_rows = loop.type == LoopType::prismatic ? 2 : 0;
  if (has_axis(loop.type)) {
    const Vector3T<S> axis = checked_unit_axis(loop.axis, "axis");
    const Matrix3T<S> along = axes_along(axis);
    bound.normal[0] = along.column(0), bound.normal[1] = along.column(1);
    bound.axis_b = axis;
    if (loop.type == LoopType::universal) bound.normal[0] = axis, bound.axis_b = second_axis(axis);
  }
  bound.row = model_.constraint_count();
  const auto add = [&](const std::string& row, const char* unit, const char* multiplier_unit) {
    model_.constraint_info_.push_back({loop.name + "." + row, unit});
    model_.multiplier_info_.push_back({loop.name + "." + row, multiplier_unit});
  };
  const char* const k_axes[] = {"x", "y", "z"};
  for (int k = 0; k < bound.position_rows; ++k) add(std::string("position.") + k_axes[k], "m", "N");
  for (int k = 0; k < bound.axis_rows; ++k) add("axis." + std::to_string(k), "1", "N m");
  for (int k = 0; k < bound.rotation_rows; ++k) add(std::string("rotation.") + k_axes[k], "rad", "N m");
  for (int k = 0; k < bound.slide_rows; ++k) add("slide." + std::to_string(k), "m", "N");
  model_.loops_.push_back(bound);
}

#define CUTTLE_INSTANTIATE(S)                   \
  template void ModelBuilderT<S>::bind_loops(); \
  template FrameT<S> ModelBuilderT<S>::loop_frame(const PlaceT<S>&) const;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
