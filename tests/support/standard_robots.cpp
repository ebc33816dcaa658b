#include "support/standard_robots.h"

#include "support/coverage.h"
#include "support/random_robot.h"

namespace cuttle::test {

const std::vector<NamedRobot>& standard_robots() {
  static const std::vector<NamedRobot> robots = [] {
    std::vector<NamedRobot> list;
    const auto add = [&](unsigned seed, const RandomRobotOptions& options) {
      std::string name = "seed " + std::to_string(seed) + (options.floating ? ", floating" : ", fixed");
      if (options.functions) name += ", functions";
      if (options.continuum_joints) name += ", continuum joints";
      list.push_back({name, seed, random_robot(seed, options)});
    };
    for (unsigned seed = 1; seed <= 24; ++seed) {
      RandomRobotOptions options;
      options.floating = seed % 2 == 0;
      options.min_links = 1, options.max_links = seed <= 8 ? 4 : 20;
      add(seed, options);
    }
    for (unsigned seed = 101; seed <= 116; ++seed) {  // large
      RandomRobotOptions options;
      options.floating = seed % 2 == 0;
      options.min_links = 30, options.max_links = 50;
      options.chain = seed <= 104;
      add(seed, options);
    }
    for (unsigned seed = 201; seed <= 204; ++seed) {
      RandomRobotOptions options;
      options.functions = true;
      options.floating = seed % 2 == 0;
      options.min_links = 10;
      add(seed, options);
    }
    for (unsigned seed = 251; seed <= 256; ++seed) {
      RandomRobotOptions options;
      options.continuum_joints = true;
      options.floating = seed % 2 == 0;
      options.min_links = seed <= 252 ? 1 : 5, options.max_links = seed <= 252 ? 3 : 12;
      add(seed, options);
    }
    for (unsigned seed = 301; seed <= 302; ++seed) {
      Coverage coverage;
      for (const NamedRobot& robot : list) coverage.add(robot.plain);
      RandomRobotOptions options;
      options.floating = seed % 2 == 0;
      options.cells = coverage.empty_cells(options.floating ? "floating" : "fixed");
      options.max_modes = 6;
      add(seed, options);
    }
    return list;
  }();
  return robots;
}

}  // namespace cuttle::test
