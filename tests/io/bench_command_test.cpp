// `cuttle bench`: its rods run wherever the program is, and wrong options are refused.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "io/command_line.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using BenchCommand = CommandLine;

// Flying rods at a hundredth of their stiffness are wound up by their loads: whoever takes such steps as they come gets
// energy from nowhere until nothing makes sense.
TEST_F(BenchCommand, RodsHoldLongStepsAtAnyStiffness) {
  for (const char* method : {"midpoint", "newmark"}) {
    const Result result = run(std::string("bench table1 --robust --json --integrator ") + method);
    ASSERT_EQ(result.code, 0) << method << "\n" << result.errors;
    const auto rows = nlohmann::json::parse(result.output);
    ASSERT_EQ(rows.size(), 20u);
    for (const auto& row : rows) {
      const std::string rod = row["rod"];
      EXPECT_EQ(row["status"], "complete") << rod;
      const double duration = rod == "stiff cantilever rod" ? 1.0 : 10.0;  // the paper's figures
      EXPECT_DOUBLE_EQ(row["simulated_seconds"], duration);
      EXPECT_GE(row["steps"], std::lround(duration / 0.1)) << rod;
      EXPECT_GT(row["time_ratio"], 0.0);
      EXPECT_GT(row["peak_kinetic_energy"], 0.0);
    }
    EXPECT_EQ(rows[0]["stiffness_factor"], 0.01);
    EXPECT_EQ(rows[5]["paper"]["[26]"], 1675.0);  // the soft cantilever's row of the paper's table
    EXPECT_EQ(rows[5]["paper"]["[10],[11]"], "fails");
    EXPECT_EQ(rows[5]["paper"]["article"], 9.1);
  }
}

TEST_F(BenchCommand, RefusesWrongOptions) {
  for (const auto& [arguments, message] :
       {std::pair<std::string, std::string>{"bench table1 --step 0", "--step: found 0, expected a number > 0 [s]\n"},
        {"bench table1 --stiffness -1", "--stiffness: found -1, expected a number > 0\n"},
        {"bench table1 --integrator bdf --step 0.1",
         "integrator.step: 'bdf' chooses its steps, give tolerances or 'max_step'\n"}}) {
    const Result result = run(arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_EQ(result.output, "") << arguments;
    EXPECT_EQ(result.errors, message);
  }
  EXPECT_EQ(run("bench").code, 2);
  EXPECT_EQ(run("bench table2").code, 2);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
