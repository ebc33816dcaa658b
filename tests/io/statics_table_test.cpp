// `cuttle statics --table` as a user runs it: rows, errors of the table, interruption.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cuttle/io/result_reader.h"
#include "io/command_line.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const char* const k_bar = R"(cuttle: 1
name: bar
links:
- {name: bar, joint: {type: revolute, axis: [0, 1, 0], stiffness: 20}, body: {type: rigid, mass: 2, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01, 0, 0, 0], tip: {position: [0, 0, -1]}}}
actuators: [{name: motor, type: joint, link: bar}]
markers: [{name: middle, link: bar, at: base, offset: [0, 0, -0.5]}]
loads:
- {type: wrench, link: bar, at: tip, force: [0, 0, 0]}
)";

class StaticsTable : public CommandLine {
 protected:
  std::string solve(const std::string& table, const std::string& more = "") {
    directory_.write("table.csv", table);
    const Result result = run("statics " + bar_ + " --table " + directory_.path("table.csv") + " " + more);
    code_ = result.code, errors_ = result.errors;
    return result.output;
  }
  /// Cells by row, the names of the columns first.
  static std::vector<std::vector<std::string>> cells(const std::string& text) {
    std::vector<std::vector<std::string>> rows;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      rows.emplace_back();
      std::istringstream parts(line + ",");
      for (std::string cell; std::getline(parts, cell, ',');) rows.back().push_back(cell);
    }
    return rows;
  }
  static std::size_t index(const std::vector<std::string>& names, const std::string& name) {
    const auto at = std::find(names.begin(), names.end(), name);
    EXPECT_NE(at, names.end()) << name;
    return static_cast<std::size_t>(at - names.begin());
  }
  std::string bar_ = directory_.write("bar.yaml", k_bar), errors_;
  int code_ = -1;
};

TEST_F(StaticsTable, PrintsARowForEachRow) {
  const auto rows = cells(solve("# angles\nmotor, loads[0].force[0]\n2.5,0\n\n-3,1.5\n0,0\n"));
  EXPECT_EQ(code_, 0) << errors_;
  ASSERT_EQ(rows.size(), 4u);
  const auto at = [&](std::size_t row, const std::string& name) {
    return std::stod(rows[row + 1][index(rows[0], name)]);
  };
  const double motors[] = {2.5, -3, 0}, forces[] = {0, 1.5, 0};
  for (std::size_t i = 0; i < 3; ++i) {
    const double q = at(i, "bar.joint.q0");
    EXPECT_NEAR(20 * q + 9.81 * std::sin(q) + forces[i] * std::cos(q), motors[i], 1e-8);
    EXPECT_EQ(at(i, "row"), static_cast<double>(i));
    EXPECT_EQ(at(i, "motor"), motors[i]);
    EXPECT_EQ(at(i, "loads[0].force[0]"), forces[i]);
    EXPECT_NEAR(at(i, "bar.tip.x"), -std::sin(q), 1e-12);
    EXPECT_NEAR(at(i, "middle.z"), -0.5 * std::cos(q), 1e-12);
    EXPECT_EQ(rows[i + 1][index(rows[0], "status")], "found");
    EXPECT_EQ(rows[i + 1][index(rows[0], "stability")], "stable");
  }
}

TEST_F(StaticsTable, WritesWhatTheReaderReads) {
  const std::string file = directory_.path("rows.h5"), text = directory_.path("rows.csv");
  EXPECT_THAT(solve("motor\n1\n2\n", "-o " + file), HasSubstr("2 of 2 equilibria found"));
  const ResultFile result = read_result_file(file);
  EXPECT_EQ(result.sequence.kind, ResultSequence::Kind::table);
  EXPECT_EQ(result.status, RunStatus::complete);
  ASSERT_EQ(result.samples.size(), 2u);
  EXPECT_EQ(result.samples[1].u[0], 2.0);
  EXPECT_EQ(result.sequence.column("status").labels, (std::vector<std::string>{"found", "failed", "not reached"}));
  solve("motor\n1\n2\n", "-o " + text);
  std::ifstream csv(text);
  const auto rows = cells(std::string(std::istreambuf_iterator<char>(csv), {}));
  EXPECT_EQ(std::stod(rows[2][index(rows[0], "bar.joint.q0")]), result.samples[1].q[0]);
}

TEST_F(StaticsTable, KeepsRowsThatFailWithTheirReason) {
  std::string robot = k_bar;
  robot.replace(
      robot.find("{name: motor, type: joint, link: bar}"), 37,
      "{name: cable, type: tendon, routing: [{link: base, points: [[0.3, 0, 0]]}, {link: bar, points: [[0, 0, -1]]}]}");
  bar_ = directory_.write("cable.yaml", robot);
  const auto rows = cells(solve("cable\n1\n-1\n"));
  EXPECT_EQ(code_, 0) << errors_;
  ASSERT_GE(rows.size(), 3u);
  EXPECT_EQ(rows[1][index(rows[0], "status")], "found");
  EXPECT_EQ(rows[2][index(rows[0], "status")], "failed");
  EXPECT_THAT(rows[2][index(rows[0], "message")], HasSubstr("cable"));
  EXPECT_THAT(errors_, HasSubstr("row 1: "));
  const std::string file = directory_.path("rows.h5");
  solve("cable\n1\n-1\n", "-o " + file);
  const ResultFile result = read_result_file(file);
  const SequenceColumn& message = result.sequence.column("message");
  EXPECT_THAT(message.labels[static_cast<std::size_t>(message.values[1])], HasSubstr("cable"));
  EXPECT_TRUE(std::isnan(result.samples[1].q[0]));
  EXPECT_EQ(run("view " + file + " --no-open").code, 0);  // the row that is there
  solve("cable\n-1\n");
  EXPECT_EQ(code_, 1);
}

TEST_F(StaticsTable, NamesWhatIsWrongInTheTable) {
  const auto said = [&](const std::string& table) {
    EXPECT_EQ(solve(table), "");
    EXPECT_EQ(code_, 2);
    return errors_;
  };
  EXPECT_THAT(said("motor,moter\n1,2\n"),
              AllOf(HasSubstr("table.csv:1:7: column 'moter': found no input or parameter of this name"),
                    HasSubstr("an input (motor)"), HasSubstr("did you mean 'motor'?")));
  EXPECT_THAT(said("motor\n1\nx\n"), HasSubstr("table.csv:3:1: motor: found 'x', expected a finite number"));
  EXPECT_THAT(said("motor\n1,2\n"), HasSubstr("table.csv:2:1: row: found 2 cells, expected 1"));
  EXPECT_THAT(said("motor,motor\n1,2\n"), HasSubstr("table.csv:1:7: motor: found two columns of this name"));
  EXPECT_THAT(said("motor,\n1,2\n"), HasSubstr("table.csv:1:7: a column: found no name"));
  EXPECT_THAT(said("motor\n"), HasSubstr("found no rows"));
  EXPECT_EQ(run("statics " + bar_ + " --table " + directory_.path("none.csv")).code, 2);
  EXPECT_EQ(run("statics " + bar_ + " --from-rest").code, 2);
  EXPECT_EQ(run("statics " + bar_ + " -o " + directory_.path("a.csv")).code, 2);
}

TEST_F(StaticsTable, KeepsWhatIsDoneWhenItIsInterrupted) {
  std::string table = "motor\n";
  for (int i = 0; i < 200000; ++i) table += std::to_string(1e-5 * i) + "\n";
  directory_.write("long.csv", table);
  const std::string out = directory_.path("long_rows.csv");
  // in a terminal, where the rows' progress is shown: Ctrl-C comes when the first are done
  const std::string command = test::k_tool + " statics " + bar_ + " --table " + directory_.path("long.csv") +
                              " --from-rest --threads 1 -o " + out;
  int terminal = -1;
  const pid_t tool = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (tool < 0) GTEST_SKIP() << "NOT TESTED: this machine gives no terminals: " << std::strerror(errno);
  if (tool == 0) {
    execl("/bin/sh", "sh", "-c", ("exec " + command).c_str(), nullptr);
    _exit(127);
  }
  std::string shown;
  bool interrupted = false;
  std::array<char, 4096> buffer{};
  for (ssize_t n; (n = read(terminal, buffer.data(), buffer.size())) > 0;) {
    shown.append(buffer.data(), static_cast<std::size_t>(n));
    if (!interrupted && shown.find("rows/s") != std::string::npos) interrupted = write(terminal, "\x03", 1) == 1;
  }
  close(terminal);
  int status = 0;
  ASSERT_EQ(waitpid(tool, &status, 0), tool);
  ASSERT_TRUE(interrupted) << shown;
  EXPECT_EQ(WEXITSTATUS(status), 130) << shown;
  std::ifstream csv(out);
  const auto rows = cells(std::string(std::istreambuf_iterator<char>(csv), {}));
  ASSERT_EQ(rows.size(), 200001u);
  const std::size_t at = index(rows[0], "status");
  std::size_t found = 0, not_reached = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    found += rows[i][at] == "found" ? 1 : 0, not_reached += rows[i][at] == "not reached" ? 1 : 0;
  }
  EXPECT_GT(found, 0u);
  EXPECT_GT(not_reached, 0u);
  EXPECT_EQ(found + not_reached, 200000u);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
