#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/bodies/rod_body.h"
#include "cuttle/model/robot.h"
#include "support/random.h"
#include "support/volume_robots.h"

namespace cuttle::test {

/// A stretch along a rod: parallel, over corners or helical; all of it, a part, or a part towards the base.
inline Routing random_path(const std::string& link, double length, Random& random) {
  Routing entry;
  entry.link = link;
  const int range = random.index(3);
  if (range > 0) {
    entry.from = length * random.uniform(0.05, 0.4), entry.to = length * random.uniform(0.5, 0.95);
    if (range == 2) std::swap(entry.from, entry.to);
  }
  const int kind = random.index(3);
  if (kind == 2) {
    entry.helix = Routing::Helix{random.uniform(0.005, 0.02), random.uniform(-3.0, 3.0), random.uniform(-1.5, 1.5)};
    return entry;
  }
  const int corners = kind == 0 ? 1 : 2 + random.index(3);
  for (int i = 0; i < corners; ++i) entry.offset.push_back({random.uniform(-0.02, 0.02), random.uniform(-0.02, 0.02)});
  return entry;
}

/// A tendon through `count` places of a robot, in any order.
inline Actuator random_tendon(const std::string& name, const Robot& robot, int count, Random& random) {
  std::vector<Routing> routing;
  for (int i = 0; i < count; ++i) {
    int index = random.index(static_cast<int>(robot.links.size()) + 1) - 1;
    if (index >= 0) {
      const Body* body = robot.links[index].body.get();
      if (const auto* rod = dynamic_cast<const RodBody*>(body)) {
        routing.push_back(random_path(robot.links[index].name, rod->parameters().length, random));
        continue;
      }
      if (const auto* volume = dynamic_cast<const PointBodyBaseT<double>*>(body)) {
        Routing through;
        through.link = robot.links[index].name;
        through.points = random_material_points(*volume, 1 + random.index(4), random);
        routing.push_back(through);
        continue;
      }
    }
    Routing entry;
    entry.link = index < 0 ? "base" : robot.links[index].name;
    const int points = 1 + random.index(3);
    for (int k = 0; k < points; ++k) {
      entry.points.push_back({random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3)});
    }
    routing.push_back(entry);
  }
  // never of length 0: it ends off the base
  Routing end;
  end.link = "base", end.points = {{0.7, 0.1 * random.uniform(), -0.4}, {0.6, 0.3, 0.2}};
  routing.push_back(end);
  return Actuator::tendon(name, routing, Slack::allow);
}

}  // namespace cuttle::test
