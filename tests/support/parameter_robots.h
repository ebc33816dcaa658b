#pragma once

#include <string>
#include <vector>

namespace cuttle::test {

/// A robot file for the tests of parameters.
struct ParameterRobot {
  std::string name, text;
};

/// Every robot in models/ and two that use every key of the format that holds a number.
std::vector<ParameterRobot> parameter_robots();

}  // namespace cuttle::test
