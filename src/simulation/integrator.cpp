#include "cuttle/simulation/integrator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <string>

#include "cuttle/error.h"
#include "model/check_argument.h"
#include "simulation/energy_control.h"
#include "simulation/integrators.h"

namespace cuttle {
namespace {

using Steps = LibraryMethod::Steps;

constexpr double k_rho_inf_of_contacts = 0.6;  // impacts ring, unless a method damps

const LibraryMethod& method_of(const Model& model, const IntegratorOptions& options) {
  if (const LibraryMethod* found = find_method(model, options)) return *found;
  std::vector<std::string> known;
  for (const LibraryMethod& method : library_methods()) known.emplace_back(method.type);
  throw ArgumentError(fmt::format("integrator.type: found '{}', expected one of: {}", integrator_type(model, options),
                                  fmt::join(known, ", ")));
}

/// Methods of differential equations would let closed loops come apart.
void refuse_loops(const Model& model, const std::string& method) {
  if (model.loops().empty()) return;
  std::vector<std::string> known;
  for (const LibraryMethod& other : library_methods()) {
    if (other.holds_loops) known.emplace_back(other.type);
  }
  const std::string last = known.back();
  known.pop_back();
  throw ArgumentError(fmt::format("integrator.type: '{}' cannot hold the closed loop '{}' of '{}', expected {} or {}",
                                  method, model.loops().front().name, model.name(), fmt::join(known, ", "), last));
}

void require(bool good, const char* key, double value, const std::string& expected) {
  if (!good) throw ArgumentError(fmt::format("integrator.{}: found {:g}, expected {}", key, value, expected));
}

/// A method of a program.
std::unique_ptr<Integrator> make_own(System& system, const IntegratorOptions& options) {
  const IntegratorMethod& method = *options.method;
  const std::string name = method.type_name();
  if (!options.type.empty() && options.type != name) {
    throw ArgumentError(
        fmt::format("integrator.type: found '{}' beside a method '{}', expected its name or none", options.type, name));
  }
  const auto refuse = [&name](const char* key, const std::optional<double>& value) {
    if (!value) return;
    throw ArgumentError(
        fmt::format("integrator.{}: found {:g} beside the method '{}', which has options of its own, "
                    "expected none",
                    key, *value, name));
  };
  refuse("step", options.step), refuse("max_step", options.max_step);
  for (const LibraryMethod& other : library_methods()) {
    if (other.option) refuse(other.option->name, options.*(other.option->value));
  }
  if (!method.holds_loops()) refuse_loops(system.model(), name);
  if (method.is_explicit()) require_few_coordinates(system.model(), name.c_str());
  if (const auto step = method.step()) require_step("step", *step);
  auto integrator = method.make(system);
  if (!integrator) {
    throw ArgumentError(fmt::format("integrator.method: found nothing made by '{}', expected an integrator", name));
  }
  return integrator;
}

}  // namespace

const LibraryMethod* find_method(const Model& model, const IntegratorOptions& options) {
  if (options.method) return nullptr;
  const std::string type = integrator_type(model, options);
  for (const LibraryMethod& method : library_methods()) {
    if (type == method.type) return &method;
  }
  return nullptr;
}

const RungeKuttaTableau* find_tableau(const Model& model, const IntegratorOptions& options) {
  if (options.method) return options.method->tableau();
  const LibraryMethod* method = find_method(model, options);
  return method == nullptr ? nullptr : method->tableau;
}

void require_step(const char* key, double step) {
  require(step >= IntegratorOptions::k_least_step && std::isfinite(step), key, step,
          fmt::format("a number >= {:g} [s]", IntegratorOptions::k_least_step));
}

const std::vector<LibraryMethod>& library_methods() {
  static const std::vector<LibraryMethod> k_methods = [] {
    std::vector<LibraryMethod> all{bdf_method(), erk_method()};
    for (const auto& some : {explicit_methods(), implicit_methods()}) all.insert(all.end(), some.begin(), some.end());
    return all;
  }();
  return k_methods;
}

Integrator::Integrator(System& system) : system_(system) {}

void Integrator::tell_energies() {
  if (!on_energies) return;
  if (const auto balance = finite_balance(system_, state_.time, state_.q, state_.v, state_.auxiliary))
    on_energies(*balance);
}

std::vector<IntegratorType> integrator_types() {
  std::vector<IntegratorType> types;
  for (const LibraryMethod& method : library_methods()) {
    types.push_back({method.type, method.steps != Steps::adaptive});
  }
  return types;
}

IntegratorChoice choose_integrator(const Model& model, const IntegratorOptions& options) {
  if (options.method) return {options.method->type_name(), ""};
  if (!options.type.empty()) return {options.type, ""};
  if (!model.loops().empty()) return {"generalized_alpha", "for closed loops"};
  if (!model.site_laws().empty()) return {"generalized_alpha", "for contacts"};
  if (model.has_elastic_bodies()) return {"bdf", "for elastic bodies"};
  return {"erk", "without elastic bodies"};
}

std::string integrator_type(const Model& model, const IntegratorOptions& options) {
  return choose_integrator(model, options).type;
}

std::optional<double> integrator_step(const IntegratorOptions& options) {
  return options.method ? options.method->step() : options.step;
}

IntegratorOptions chosen_options(const Model& model, const IntegratorOptions& options) {
  IntegratorOptions chosen = options;
  if (options.method || !options.type.empty() || model.site_laws().empty()) return chosen;
  chosen.type = integrator_type(model, options);
  if (!chosen.rho_inf) chosen.rho_inf = k_rho_inf_of_contacts;
  return chosen;
}

std::unique_ptr<Integrator> make_integrator(System& system, const IntegratorOptions& given) {
  const IntegratorOptions options = chosen_options(system.model(), given);
  if (options.method) return make_own(system, options);
  const LibraryMethod& method = method_of(system.model(), options);
  if (!method.holds_loops) refuse_loops(system.model(), method.type);
  if (!method.takes_sparse_bodies) require_few_coordinates(system.model(), method.type);
  const bool with_step = method.steps == Steps::fixed || (method.steps == Steps::either && options.step);
  if (with_step) {
    if (!options.step) {
      throw ArgumentError(fmt::format("integrator.step: missing, '{}' needs a fixed step [s]", method.type));
    }
    require_step("step", *options.step);
    if (options.max_step) {
      throw ArgumentError(fmt::format("integrator.max_step: '{}' takes fixed steps{}, give 'step'", method.type,
                                      method.steps == Steps::either ? " with a 'step'" : ""));
    }
  } else {
    const double relative = options.relative_tolerance, absolute = options.absolute_tolerance;
    constexpr double least = IntegratorOptions::k_least_relative_tolerance;
    constexpr double most = IntegratorOptions::k_most_relative_tolerance;
    require(relative >= least && relative <= most, "relative_tolerance", relative,
            fmt::format("a number in [{:g}, {:g}]", least, most));
    require(absolute > 0.0 && std::isfinite(absolute), "absolute_tolerance", absolute, "a number > 0");
    if (options.max_step) require_step("max_step", *options.max_step);
    if (options.step) {
      throw ArgumentError(
          fmt::format("integrator.step: '{}' chooses its steps, give tolerances or 'max_step'", method.type));
    }
  }
  if (options.error != StepError::coordinates && method.steps != LibraryMethod::Steps::either) {
    throw ArgumentError(fmt::format("integrator.error: '{}' has none, only implicit methods", method.type));
  }
  for (const LibraryMethod& other : library_methods()) {
    if (&other == &method || !other.option || !(options.*(other.option->value))) continue;
    throw ArgumentError(
        fmt::format("integrator.{}: '{}' has none, only '{}'", other.option->name, method.type, other.type));
  }
  return method.make(system, options);
}

}  // namespace cuttle
