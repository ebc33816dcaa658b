#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <set>

#include "commands.h"
#include "completion_scripts.h"
#include "cuttle/error.h"
#include "cuttle/io/plugin.h"
#include "cuttle/io/result_reader.h"
#include "cuttle/io/setting_paths.h"
#include "cuttle/view/curve_plot.h"

namespace cuttle {
namespace {

bool starts_with(const std::string& text, const std::string& beginning) { return text.rfind(beginning, 0) == 0; }

/// Where the words before the cursor lead.
struct Position {
  const CLI::App* command;
  const CLI::Option* option = nullptr;      ///< whose value comes next
  std::vector<std::string> arguments = {};  ///< of the command, without options
};

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }
bool may_stand_alone(const CLI::Option& option) { return option.get_items_expected_min() == 0; }

std::vector<const CLI::App*> subcommands_of(const CLI::App& command) {
  std::vector<const CLI::App*> shown;
  for (const CLI::App* subcommand : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (!subcommand->get_group().empty()) shown.push_back(subcommand);
  }
  return shown;
}

Position follow(const CLI::App& app, const std::vector<std::string>& words) {
  Position position{&app};
  for (const std::string& word : words) {
    const bool dashed = word.size() > 1 && word[0] == '-';
    const CLI::Option* waiting = std::exchange(position.option, nullptr);
    if (waiting && !(dashed && may_stand_alone(*waiting))) continue;
    if (dashed) {
      const CLI::Option* option = position.command->get_option_no_throw(word);  // none if the value is in the word
      if (option && takes_value(*option)) position.option = option;
      continue;
    }
    const auto subcommands = subcommands_of(*position.command);
    const auto found = std::find_if(subcommands.begin(), subcommands.end(),
                                    [&word](const CLI::App* subcommand) { return subcommand->get_name() == word; });
    if (found != subcommands.end()) {
      position = Position{*found};
    } else {
      position.arguments.push_back(word);
    }
  }
  return position;
}

/// Collects what could stand at the cursor, a line each: `candidate`, `candidate TAB description`, or `:files
/// EXTENSION..`.
class Candidates {
 public:
  Candidates(Position position, std::string current) : position_(std::move(position)), current_(std::move(current)) {}

  std::vector<std::string> all() {
    const bool dashed = starts_with(current_, "-");
    const std::size_t equals = current_.find('=');
    if (position_.option && !(dashed && may_stand_alone(*position_.option))) {
      add_values(*position_.option, "");
      if (!may_stand_alone(*position_.option)) return lines_;
    }
    if (dashed && equals != current_.npos) {
      const CLI::Option* option = position_.command->get_option_no_throw(current_.substr(0, equals));
      if (option && takes_value(*option)) add_values(*option, current_.substr(0, equals + 1));
    } else if (dashed) {
      add_options();
    } else {
      for (const CLI::App* subcommand : subcommands_of(*position_.command)) {
        add(subcommand->get_name(), subcommand->get_description());
      }
      if (const CLI::Option* argument = next_argument()) add_values(*argument, "");
    }
    return lines_;
  }

 private:
  void add(const std::string& candidate, const std::string& description = "") {
    if (!starts_with(candidate, current_)) return;
    lines_.push_back(description.empty() ? candidate : candidate + "\t" + description);
  }

  void add_options() {
    for (const CLI::Option* option : position_.command->get_options()) {
      if (option->get_group().empty()) continue;
      for (const std::string& name : option->get_lnames()) add("--" + name, option->get_description());
      // a letter is worth proposing only where nothing says it better
      if (!option->get_lnames().empty()) continue;
      for (const std::string& name : option->get_snames()) add("-" + name, option->get_description());
    }
  }

  const CLI::Option* next_argument() const {
    std::size_t left = position_.arguments.size();
    for (const CLI::Option* option : position_.command->get_options()) {
      if (!option->get_positional()) continue;
      const auto most = static_cast<std::size_t>(option->get_items_expected_max());
      if (left < most) return option;
      left -= most;
    }
    return nullptr;
  }

  /// What the option's value can be, by the name of its type: {a,b} of a validator, FILE.h5, RESULT.h5,
  /// RESULT.h5|ROBOT.yaml, ROBOT, SCENARIO, KEY=VALUE, NAMES.
  /// @param prefix  the part of the current word that is not the value.
  void add_values(const CLI::Option& option, const std::string& prefix) {
    const std::string type = option.get_type_name();
    const std::size_t open = type.find('{'), close = type.find('}');
    if (open != type.npos && close != type.npos) {
      for (const std::string& choice : CLI::detail::split(type.substr(open + 1, close - open - 1), ',')) {
        add(prefix + choice);
      }
    } else if (starts_with(type, "FILE.") || starts_with(type, "RESULT.")) {
      std::string extensions;
      for (const std::string& one : CLI::detail::split(type, '|')) {
        const std::string extension = one.substr(one.rfind('.') + 1);
        if (extensions.find(" " + extension) == extensions.npos) extensions += " " + extension;
        if (extension == "yaml") extensions += " yml";
      }
      lines_.push_back(":files" + extensions);
    } else if (type == "NAMES") {
      add_curve_names(prefix);
    } else if (starts_with(type, "ROBOT") || starts_with(type, "SCENARIO")) {
      lines_.push_back(":files yaml yml");
    } else if (type == "KEY=VALUE") {
      add_settings(prefix);
    }
  }

  /// What `cuttle plot --what` can name of the first result.
  void add_curve_names(const std::string& prefix) {
    if (position_.arguments.empty()) return;
    const std::size_t divider = current_.find_last_of(",+=");
    const std::string done = divider == current_.npos ? prefix : current_.substr(0, divider + 1);
    try {
      const ResultFile result = read_result_head(position_.arguments.front());
      for (const std::string& name : curve_names(result.robot, result.controllers)) add(done + name);
    } catch (const Error&) {  // proposes nothing
    }
  }

  void add_settings(const std::string& prefix) {
    std::vector<SettingPath> paths;
    for (const std::string& file : position_.arguments) {
      try {
        paths = setting_paths(file);
        break;
      } catch (const FileError&) {  // proposes nothing
      }
    }
    const std::string typed = current_.substr(prefix.size());
    const std::size_t equals = typed.find('=');
    std::vector<std::string> proposed;
    for (const SettingPath& setting : paths) {
      if (equals != typed.npos) {
        if (setting.path != typed.substr(0, equals)) continue;
        for (const std::string& choice : setting.choices) add(fmt::format("{}{}={}", prefix, setting.path, choice));
      } else if (starts_with(setting.path, typed)) {
        // one level at a time, as with folders
        const std::size_t end = setting.path.find('.', typed.size());
        proposed.push_back(end == setting.path.npos ? setting.path + "=" : setting.path.substr(0, end + 1));
      }
    }
    std::set<std::string> seen;
    for (const std::string& path : proposed) {
      std::string inside = path;
      inside.back() = '.';
      const bool has_inside = path != inside && std::find(proposed.begin(), proposed.end(), inside) != proposed.end();
      if (!has_inside && seen.insert(path).second) add(prefix + path);
    }
  }

  Position position_;
  std::string current_;
  std::vector<std::string> lines_;
};

/// Bash divides words at = and : too, and replaces only the last piece.
std::vector<std::string> joined_words(const std::vector<std::string>& pieces) {
  std::vector<std::string> words;
  bool join = false;
  for (const std::string& piece : pieces) {
    const bool divider = piece == "=" || piece == ":";
    if ((join || divider) && !words.empty()) {
      words.back() += piece;
    } else {
      words.push_back(piece);
    }
    join = divider;
  }
  return words;
}

/// The plugins that the line names: their kinds have keys too. One that cannot be loaded is told when the line is run.
void load_plugins(const std::vector<std::string>& words) {
  const std::string option = "--plugin";
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string file;
    if (words[i] == option && i + 1 < words.size()) {
      file = words[++i];
    } else if (starts_with(words[i], option + "=")) {
      file = words[i].substr(option.size() + 1);
    } else {
      continue;
    }
    try {
      load_plugin(file);
    } catch (const FileError&) {  // proposes nothing
    }
  }
}

}  // namespace

void print_candidates(const CLI::App& app, std::vector<std::string> arguments) {
  if (arguments.empty()) return;
  const bool bash = arguments.front() == "bash";
  arguments.erase(arguments.begin());
  if (bash) arguments = joined_words(arguments);
  if (arguments.empty()) arguments.emplace_back();
  const std::string current = arguments.back();
  arguments.pop_back();
  load_plugins(arguments);
  const std::size_t divider = bash ? current.find_last_of("=:") : current.npos;
  const std::string done = divider == current.npos ? "" : current.substr(0, divider + 1);
  for (const std::string& line : Candidates(follow(app, arguments), current).all()) {
    fmt::print("{}\n", !done.empty() && starts_with(line, done) ? line.substr(done.size()) : line);
  }
}

void add_completion_command(CLI::App& app) {
  auto* command = app.add_subcommand("completion", "Print a script that lets a shell complete the words of `cuttle`");
  const auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "whose language the script is in")
      ->required()
      ->type_name("SHELL")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(
      "`cmake --install` puts the scripts where the shells find them. Without it, put one of these into\n"
      "~/.bashrc, ~/.zshrc (after compinit) or ~/.config/fish/config.fish:\n"
      "  source <(cuttle completion bash)\n"
      "  source <(cuttle completion zsh)\n"
      "  cuttle completion fish | source");
  command->callback([shell] {
    const std::map<std::string, const char*> scripts{
        {"bash", k_bash_completion}, {"zsh", k_zsh_completion}, {"fish", k_fish_completion}};
    std::fputs(scripts.at(*shell), stdout);
  });
}

}  // namespace cuttle
