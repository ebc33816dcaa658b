#include <fmt/format.h>

#include <algorithm>

#include "io/joint_reader.h"
#include "io/part_readers.h"
#include "io/robot_reader.h"
#include "io/robot_tables.h"

// The closed loops of a robot file.

namespace cuttle {
namespace {

LoopType loop_type_of(const std::string& name) {
  for (const LoopType type : {LoopType::revolute, LoopType::spherical, LoopType::prismatic, LoopType::universal}) {
    if (name == loop_type_name(type)) return type;
  }
  return LoopType::fixed;
}

}  // namespace

template <typename S>
std::optional<PlaceT<S>> RobotReaderT<S>::read_loop_frame(const YamlMap& map, const char* name) {
  const auto frame = map.map(name);
  if (!frame) return std::nullopt;
  PlaceT<S> place;
  const auto cursor = frame->at("link");
  const auto link = cursor ? read_link_name(*cursor, true) : std::nullopt;
  place.link = link.value_or("base");
  if (const auto at = frame->at("at"); at && link) read_at(*at, *link, true, place);
  // a point on a rigid body is a pose in its base frame already
  place.pose = place.pose * read_pose<S>(*frame, "pose");
  if (!link) return std::nullopt;
  return place;
}

template <typename S>
void RobotReaderT<S>::read_loop(const YamlMap& map) {
  LoopT<S> loop;
  loop.name = map.text("name").value_or("");
  const auto same = [&](const LoopT<S>& other) { return other.name == loop.name; };
  if (!loop.name.empty() && std::any_of(robot_.loops.begin(), robot_.loops.end(), same)) {
    map.fail("name", fmt::format("'{}' again", loop.name), "a name of its own");
  }
  loop.type = loop_type_of(map.variant());
  if (loop.type != LoopType::fixed && loop.type != LoopType::spherical) {
    loop.axis = read_axis<S>(map);
  }
  const auto a = read_loop_frame(map, "a"), b = read_loop_frame(map, "b");
  if (!a || !b) return;
  loop.a = *a, loop.b = *b;
  robot_.loops.push_back(loop);
}

#define CUTTLE_INSTANTIATE(S)                               \
  template void RobotReaderT<S>::read_loop(const YamlMap&); \
  template std::optional<PlaceT<S>> RobotReaderT<S>::read_loop_frame(const YamlMap&, const char*);
CUTTLE_INSTANTIATE(double)
CUTTLE_INSTANTIATE(Gradient)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
