#include <fmt/format.h>

#include <algorithm>

#include "io/robot/part_readers.h"
#include "io/robot/robot_reader.h"
#include "io/robot/robot_tables.h"

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
void RobotReaderT<S>::read_loop(const YamlMap& map) {
  const PartReader<S> part(map, so_far_);
  LoopT<S> loop;
  loop.name = map.text("name").value_or("");
  const auto same = [&](const LoopT<S>& other) { return other.name == loop.name; };
  if (!loop.name.empty() && std::any_of(so_far_.robot.loops.begin(), so_far_.robot.loops.end(), same)) {
    map.fail("name", fmt::format("'{}' again", loop.name), "a name of its own");
  }
  loop.type = loop_type_of(map.variant());
  if (loop.type != LoopType::fixed && loop.type != LoopType::spherical) {
    loop.axis = part.axis("axis");
  }
  loop.a = part.frame("a"), loop.b = part.frame("b");
  if (const auto drive = map.map("drive")) loop.drive = read_pose_motion(KeyReader<S>(*drive, so_far_.files));
  so_far_.robot.loops.push_back(loop);
}

template void RobotReaderT<double>::read_loop(const YamlMap&);
template void RobotReaderT<ForwardDual>::read_loop(const YamlMap&);

}  // namespace cuttle
