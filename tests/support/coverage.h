#pragma once

#include <array>
#include <map>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "support/plain_robot.h"

namespace cuttle::test {

/// How often each combination of joint, body, port of the parent and base motion has been seen.
class Coverage {
 public:
  void add(const PlainRobot& robot);
  /// Table, one row a joint and body, one column a port and base motion; then rods by basis and by section shape, and
  /// the bodies that the table leaves out.
  void print(std::ostream& out) const;
  /// Combinations never seen.
  std::vector<std::string> empty_cells() const;
  /// Joint, body and port never seen with that base motion.
  std::vector<std::array<std::string, 3>> empty_cells(const std::string& base_motion) const;

 private:
  using Cell = std::tuple<std::string, std::string, std::string, std::string>;
  std::map<Cell, int> cells_;
  std::map<std::string, int> bases_, shapes_, bodies_;
};

}  // namespace cuttle::test
