// Writes what docs/ says about the file format, from the tables that the readers use: make docs.
#include <cstdio>
#include <exception>
#include <string>

#include "cuttle/io/yaml_tree.h"
#include "describe_format.h"
#include "io/robot/robot_tables.h"
#include "io/scenario/scenario_tables.h"

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  try {
    std::string text;
    if (what == "markdown" && argc == 3) {
      text = cuttle::format_markdown(cuttle::read_text_file(argv[2], "the template of docs/format.md"));
    } else if (what == "robot-schema" && argc == 2) {
      text = cuttle::format_schema(cuttle::k_robot_table);
    } else if (what == "scenario-schema" && argc == 2) {
      text = cuttle::format_schema(cuttle::k_scenario_table);
    } else {
      std::fprintf(stderr, "expected: markdown TEMPLATE | robot-schema | scenario-schema\n");
      return 2;
    }
    std::fwrite(text.data(), 1, text.size(), stdout);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
