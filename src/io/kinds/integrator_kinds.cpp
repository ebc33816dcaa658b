// The integrators of a scenario file: those of the library, each as it says about itself, and those of users.
#include <fmt/format.h>

#include <deque>

#include "io/kinds/kind_list.h"
#include "io/scenario/scenario_tables.h"
#include "simulation/integrators.h"

namespace cuttle {

using namespace key;

namespace {

using Steps = LibraryMethod::Steps;

constexpr NumberRange k_step_range = at_least(IntegratorOptions::k_least_step);

Key fixed_step() {
  return required(number("step", k_step_range, "s"))
      .about(
          "Step, the same all the time but shortened to meet jumps of inputs and output times; at most 1e12 of them "
          "in the duration.");
}

std::vector<Key> keys_of(const LibraryMethod& method) {
  std::vector<Key> keys;
  if (const auto& option = method.option) {
    keys.push_back(number(option->name, from_to(option->min, option->max), k_dimensionless)
                       .about(option->about)
                       .by_default(fmt::format("{}", option->usual).c_str()));
  }
  if (method.steps == Steps::fixed) {
    keys.push_back(fixed_step());
    return keys;
  }
  if (method.steps == Steps::either) {
    keys.push_back(number("step", k_step_range, "s")
                       .about("Fixed step, shortened to meet jumps of inputs and output times; at most 1e12 of them in "
                              "the duration.")
                       .if_missing("steps by the local error"));
  }
  keys.push_back(
      number("relative_tolerance",
             from_to(IntegratorOptions::k_least_relative_tolerance, IntegratorOptions::k_most_relative_tolerance),
             k_dimensionless)
          .about("Error allowed each step, relative to each coordinate and velocity.")
          .by_default("1.0e-6"));
  keys.push_back(number("absolute_tolerance", k_positive, k_unit_of_use)
                     .about("Error allowed each step besides, in the units of the coordinates.")
                     .by_default("1.0e-8"));
  if (method.steps == Steps::either) {
    keys.push_back(
        choice("error", {"coordinates", "displacement"})
            .about(
                "What of a step is judged where steps are chosen: each coordinate and velocity; or how far the error "
                "moves the robot's mass, root mean square. That stands beside `relative_tolerance` times the robot's "
                "size plus `absolute_tolerance` in m. Fast vibrations of rods without damping then shorten no step.")
            .by_default("coordinates"));
  }
  keys.push_back(number("max_step", k_step_range, "s").about("Longest step.").if_missing("no limit"));
  return keys;
}

IntegratorOptions read_method(const LibraryMethod& method, const YamlMap& map) {
  IntegratorOptions options;
  options.type = method.type;
  if (method.steps != Steps::adaptive) options.step = map.number("step");
  if (method.option) options.*(method.option->value) = map.number(method.option->name);
  if (method.steps != Steps::fixed) {
    options.relative_tolerance = map.number("relative_tolerance").value_or(options.relative_tolerance);
    options.absolute_tolerance = map.number("absolute_tolerance").value_or(options.absolute_tolerance);
    options.max_step = map.number("max_step");
  }
  if (method.steps == Steps::either && map.text("error") == "displacement") options.error = StepError::displacement;
  return options;
}

IntegratorKind kind_of(const LibraryMethod& method) {
  static std::deque<KeyTable> k_tables;
  k_tables.push_back({.keys = keys_of(method)});
  return {method.type, &k_tables.back(), method.about, method.example,
          [&method](const KeyReader<double>& keys) { return std::optional(read_method(method, keys.map())); }};
}

std::vector<IntegratorKind> kinds_of_methods() {
  std::vector<IntegratorKind> all;
  for (const LibraryMethod& method : library_methods()) all.push_back(kind_of(method));
  return all;
}

}  // namespace

template <>
KindList<IntegratorKind>& kinds() {
  static KindList<IntegratorKind> k_kinds("integrator", kinds_of_methods());
  return k_kinds;
}

void register_kind(IntegratorKind kind) { kinds<IntegratorKind>().add(std::move(kind)); }

std::vector<Key> fixed_step_keys(std::vector<Key> own) {
  own.insert(own.begin(), fixed_step());
  return own;
}

const KeyVariants k_integrator_variants{
    .name = "integrator",
    .selector = "type",
    .fallback = "bdf",
    .fallback_text =
        "`generalized_alpha` for a robot with loops or contacts, `bdf` for one with elastic bodies, else `erk`",
    .registered = registered_variants<IntegratorKind>};

}  // namespace cuttle
