#pragma once

#include <string>
#include <vector>

#include "support/plain_robot.h"

namespace cuttle::test {

/// The robots that the tests of algorithms run: trees of 1 - 50 links, half of them floating; the last ones hold the
/// combinations that chance left out.
struct NamedRobot {
  std::string name;  ///< repeats the case: "seed 12, floating"
  unsigned seed;
  PlainRobot plain;
};
const std::vector<NamedRobot>& standard_robots();

}  // namespace cuttle::test
