#include "support/coverage.h"

#include <gtest/gtest.h>

#include <iostream>

#include "support/standard_robots.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

// The random robots that all tests of algorithms run meet every combination of joint, body, port and base motion.
TEST(RandomRobotTest, StandardRobotsCoverEveryCombination) {
  Coverage coverage;
  for (const NamedRobot& robot : standard_robots()) coverage.add(robot.plain);
  coverage.print(std::cout);
  for (const std::string& cell : coverage.empty_cells()) ADD_FAILURE() << "no robot has " << cell;
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
