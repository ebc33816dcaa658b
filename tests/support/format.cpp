#include "support/format.h"

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <sstream>

#include "support/paths.h"

namespace cuttle {

std::string yaml_text(const YamlNode& node, const YamlChange& change) {
  std::string text;
  const auto separate = [&text] { text += text.size() > 1 ? ", " : ""; };
  switch (node.kind()) {
    case YamlNode::Kind::null:
      return "~";
    case YamlNode::Kind::scalar:
      return node.quoted() ? '"' + node.scalar() + '"' : node.scalar();
    case YamlNode::Kind::list:
      text = "[";
      for (const YamlNode& item : node.items()) separate(), text += yaml_text(item, change);
      return text + "]";
    case YamlNode::Kind::map:
      break;
  }
  text = "{";
  bool changed = false;
  for (const YamlEntry& entry : node.entries()) {
    const bool here = &node == change.mapping && entry.key == change.key;
    changed = changed || here;
    if (here && !change.value && !change.new_name) continue;
    separate();
    text += (here && change.new_name ? *change.new_name : entry.key) + ": ";
    text += here && change.value ? *change.value : yaml_text(entry.value, change);
  }
  if (&node == change.mapping && !changed && change.value) separate(), text += change.key + ": " + *change.value;
  return text + "}";
}

CommandOutput run_command(const std::string& command) {
  CommandOutput result;
  FILE* pipe = popen(("{ " + command + "\n} 2>&1").c_str(), "r");
  if (pipe == nullptr) return result;
  std::array<char, 4096> buffer{};
  for (std::size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    result.output.append(buffer.data(), n);
  }
  const int status = pclose(pipe);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

void SchemaJudge::add(bool scenario, const std::string& text) {
  const std::string schema = scenario ? "cuttle-scenario" : "cuttle-robot";
  const std::string path = directory_.write(std::to_string(count_++) + ".yaml", text);
  requests_ += test::k_source_dir + "/docs/schema/" + schema + ".schema.json " + path + "\n";
}

std::vector<std::string> SchemaJudge::answers() const {
  const std::string script = test::k_source_dir + "/tests/support/validate_yaml.py";
  const std::string requests = directory_.write("requests.txt", requests_);
  const CommandOutput result = run_command("/usr/bin/python3 " + script + " < " + requests);
  if (result.code != 0) throw Error("validate_yaml.py: is scripts/setup.sh test done?\n" + result.output);
  std::vector<std::string> lines;
  std::istringstream stream(result.output);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  if (static_cast<int>(lines.size()) != count_)
    throw Error("validate_yaml.py: an answer a file, found " + result.output);
  return lines;
}

}  // namespace cuttle
