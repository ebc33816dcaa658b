#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

#include "io/io_support.h"
#include "support/paths.h"

namespace cuttle {

/// The command-line tool as a user runs it.
class CommandLine : public testing::Test {
 protected:
  /// How a run ended.
  struct Result {
    int code = -1;
    std::string output, errors;
  };
  /// Runs the tool with these arguments, as a shell reads them.
  Result run(const std::string& arguments) {
    const std::string error_file = directory_.path("stderr.txt");
    const std::string command = test::k_tool + " " + arguments + " 2>" + error_file;
    Result result;
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return result;
    std::array<char, 4096> buffer{};
    for (std::size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
      result.output.append(buffer.data(), n);
    const int status = pclose(pipe);
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    std::ifstream errors(error_file);
    result.errors.assign(std::istreambuf_iterator<char>(errors), {});
    return result;
  }
  static std::string model(const std::string& name) { return test::k_source_dir + "/models/" + name; }

  TemporaryDirectory directory_;
};

}  // namespace cuttle
