#include "cuttle/simulation/driven_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cuttle/error.h"
#include "simulation/prescribed_motion.h"

namespace cuttle {
namespace {

struct DrivenAxis {
  const char* name;
  Vector3 axis;
};
constexpr std::array<DrivenAxis, 3> k_positions{{{"x", {1, 0, 0}}, {"y", {0, 1, 0}}, {"z", {0, 0, 1}}}};
/// In the order in which they turn: R = Rz(yaw) Ry(pitch) Rx(roll).
constexpr std::array<DrivenAxis, 3> k_turns{{{"yaw", {0, 0, 1}}, {"pitch", {0, 1, 0}}, {"roll", {1, 0, 0}}}};

void drive_loop(Loop& loop, std::vector<Link>& links, DrivenMotion& motion) {
  Place next = loop.a;  // where the next link hangs
  const auto add = [&](const DrivenAxis& along, std::shared_ptr<const Joint> joint, const Signal& signal) {
    const std::string name = loop.name + "_drive_" + along.name;
    links.push_back({.name = name, .parent = next, .joint = std::move(joint)});
    motion.joints.try_emplace(name, std::vector<Signal>{signal});
    next = {.link = name};
  };
  if (loop.drive.position) {
    for (std::size_t i = 0; i < 3; ++i) {
      add(k_positions[i], make_prismatic_joint<double>(k_positions[i].axis), (*loop.drive.position)[i]);
    }
  }
  if (loop.drive.rpy) {
    for (std::size_t i = 0; i < 3; ++i) {
      add(k_turns[i], make_revolute_joint<double>(k_turns[i].axis), (*loop.drive.rpy)[2 - i]);
    }
  }
  loop.a = next;
  loop.drive = {};
}

}  // namespace

void drive_loops(Robot& robot, DrivenMotion& motion) {
  for (Loop& loop : robot.loops) {
    if (!loop.drive.empty()) drive_loop(loop, robot.links, motion);
  }
}

bool has_loops_to_drive(const Model& model) {
  const auto& loops = model.robot().loops;
  return std::any_of(loops.begin(), loops.end(), [](const Loop& loop) { return !loop.drive.empty(); });
}

void refuse_loops_to_drive(const Model& model) {
  for (const Loop& loop : model.robot().loops) {
    if (loop.drive.empty()) continue;
    throw ArgumentError(
        fmt::format("loops.{}.drive: found a frame that moves in time, expected one that stays: only runs of scenarios "
                    "move it (C++: drive_loops)",
                    loop.name));
  }
}

}  // namespace cuttle
