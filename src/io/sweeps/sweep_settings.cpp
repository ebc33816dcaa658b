#include <fmt/format.h>

#include <charconv>

#include "cuttle/error.h"
#include "cuttle/io/plain_text.h"
#include "io/sweeps/sweep_plan.h"

namespace cuttle {

/// An error as one line.
std::string one_line(const std::string& text) {
  std::string line = printable_lines(text);
  while (line.ends_with('\n')) line.pop_back();
  for (std::size_t at = line.find('\n'); at != line.npos; at = line.find('\n', at)) line.replace(at, 1, "; ");
  return line;
}

const char* what_name(SweepSettings::What what) {
  return what == SweepSettings::What::simulate  ? "simulate"
         : what == SweepSettings::What::statics ? "statics"
                                                : "modes";
}

std::vector<std::string> arguments_of(const SweepSettings& settings) {
  std::vector<std::string> words{settings.file};
  if (settings.what != SweepSettings::What::simulate) words.push_back(fmt::format("--{}", what_name(settings.what)));
  const auto add = [&words](const char* option, const std::string& value) {
    if (!value.empty()) words.emplace_back(option), words.push_back(value);
  };
  for (const std::string& text : settings.set) add("--set", text);
  add("--sample", settings.sample);
  if (settings.runs != 0) add("--runs", std::to_string(settings.runs));
  if (settings.seed != 0) add("--seed", std::to_string(settings.seed));
  add("--table", settings.table), add("--identified", settings.identified);
  for (const std::string& text : settings.keep) add("--keep", text);
  return words;
}

SweepSettings sweep_settings(const std::vector<std::string>& arguments) {
  SweepSettings settings;
  const auto refuse = [](const std::string& found, const char* expected) {
    throw ArgumentError(fmt::format("arguments of the sweep: found {}, expected {}", found, expected));
  };
  if (arguments.empty()) refuse("none", "those of the command that made it");
  settings.file = arguments.front();
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string& option = arguments[i];
    if (option == "--statics" || option == "--modes") {
      settings.what = option == "--modes" ? SweepSettings::What::modes : SweepSettings::What::statics;
      continue;
    }
    if (++i == arguments.size()) refuse("no value of " + printable(option), "one");
    const std::string& value = arguments[i];
    const auto number = [&](auto& into) {
      const auto read = std::from_chars(value.data(), value.data() + value.size(), into);
      if (read.ec != std::errc() || read.ptr != value.data() + value.size()) {
        refuse(fmt::format("{} '{}'", option, printable(value)), "an integer");
      }
    };
    if (option == "--set") {
      settings.set.push_back(value);
    } else if (option == "--keep") {
      settings.keep.push_back(value);
    } else if (option == "--sample") {
      settings.sample = value;
    } else if (option == "--table") {
      settings.table = value;
    } else if (option == "--identified") {
      settings.identified = value;
    } else if (option == "--runs") {
      number(settings.runs);
    } else if (option == "--seed") {
      number(settings.seed);
    } else {
      refuse("'" + printable(option) + "'",
             "--set, --keep, --sample, --table, --identified, --runs, --seed, --statics or --modes");
    }
  }
  return settings;
}

}  // namespace cuttle
