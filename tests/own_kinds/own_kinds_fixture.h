#pragma once

#include <gmock/gmock.h>

#include <string>

#include "cuttle/io/scenario_file.h"
#include "io/command_line.h"
#include "own_kinds.h"
#include "support/paths.h"

namespace cuttle {

using ::testing::HasSubstr;

inline const std::string k_example = test::k_source_dir + "/examples/own_kinds/";

/// Registers the kinds of examples/own_kinds in this program.
class OwnKinds : public CommandLine {
 protected:
  static void SetUpTestSuite() {
    if (!registered_) register_own_kinds();
    registered_ = true;
  }

 private:
  static inline bool registered_ = false;
};

}  // namespace cuttle
