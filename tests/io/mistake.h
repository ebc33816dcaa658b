#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "io/io_support.h"

namespace cuttle {

/// A robot file with something wrong in it.
struct Mistake {
  const char* name;
  std::string text;
  std::string error;  ///< whole message
};

inline std::ostream& operator<<(std::ostream& out, const Mistake& mistake) { return out << mistake.name; }

inline std::string name_of(const testing::TestParamInfo<Mistake>& info) { return info.param.name; }

/// Base of a suite over mistakes of one sort.
class MistakeTest : public testing::TestWithParam<Mistake> {
 protected:
  void expect_error() const { EXPECT_EQ(robot_errors(GetParam().text), GetParam().error); }
};

/// A file whose line 3 is the only link.
inline std::string link(const std::string& text) { return "cuttle: 1\nlinks:\n  - " + text + "\n"; }

}  // namespace cuttle
