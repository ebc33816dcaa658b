#include "cuttle/simulation/integrator.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "cuttle/error.h"
#include "model/check_argument.h"
#include "simulation/integrators.h"

namespace cuttle {
namespace {

enum class Steps { fixed, adaptive, either };

struct Method {
  const char* name;
  Steps steps;
  bool is_explicit, holds_loops;
  std::unique_ptr<Integrator> (*make)(System&, const IntegratorOptions&);
};

template <ImplicitType type>
std::unique_ptr<Integrator> make(System& system, const IntegratorOptions& options) {
  return make_implicit(system, type, options);
}

// the one list of methods
constexpr Method k_methods[] = {
    {"bdf", Steps::adaptive, false, false, make_bdf},
    {"erk", Steps::adaptive, true, false, make_erk},
    {"rk4", Steps::fixed, true, false, make_rk4},
    {"tsit5", Steps::fixed, true, false, make_tsit5},
    {"newmark", Steps::either, false, true, make<ImplicitType::newmark>},
    {"hht", Steps::either, false, true, make<ImplicitType::hht>},
    {"generalized_alpha", Steps::either, false, true, make<ImplicitType::generalized_alpha>},
    {"midpoint", Steps::either, false, true, make<ImplicitType::midpoint>},
};

const Method& method_of(const Model& model, const IntegratorOptions& options) {
  const std::string type = integrator_type(model, options);
  std::string known;
  for (const Method& method : k_methods) {
    if (type == method.name) return method;
    known += (known.empty() ? "" : ", ") + std::string(method.name);
  }
  throw ArgumentError(fmt::format("integrator.type: found '{}', expected one of: {}", type, known));
}

/// Methods of differential equations would let closed loops come apart.
void refuse_loops(const Model& model, const char* method) {
  if (model.loops().empty()) return;
  throw ArgumentError(
      fmt::format("integrator.type: '{}' cannot hold the closed loop '{}' of '{}', expected newmark, hht, "
                  "generalized_alpha or midpoint",
                  method, model.loops().front().name, model.name()));
}

void require(bool good, const char* key, double value, const std::string& expected) {
  if (!good) throw ArgumentError(fmt::format("integrator.{}: found {:g}, expected {}", key, value, expected));
}
void require_step(const char* key, double step) {
  require(step >= IntegratorOptions::k_least_step && std::isfinite(step), key, step,
          fmt::format("a number >= {:g} [s]", IntegratorOptions::k_least_step));
}

}  // namespace

Integrator::Integrator(System& system) : system_(system) {}

std::string integrator_type(const Model& model, const IntegratorOptions& options) {
  if (!options.type.empty()) return options.type;
  if (!model.loops().empty()) return "generalized_alpha";
  return model.has_elastic_bodies() ? "bdf" : "erk";
}

std::unique_ptr<Integrator> make_integrator(System& system, const IntegratorOptions& options) {
  const Method& method = method_of(system.model(), options);
  if (!method.holds_loops) refuse_loops(system.model(), method.name);
  if (method.is_explicit) require_few_coordinates(system.model(), method.name);
  const bool with_step = method.steps == Steps::fixed || (method.steps == Steps::either && options.step);
  if (with_step) {
    if (!options.step) {
      throw ArgumentError(fmt::format("integrator.step: missing, '{}' needs a fixed step [s]", method.name));
    }
    require_step("step", *options.step);
    if (options.max_step) {
      throw ArgumentError(fmt::format("integrator.max_step: '{}' takes fixed steps{}, give 'step'", method.name,
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
          fmt::format("integrator.step: '{}' chooses its steps, give tolerances or 'max_step'", method.name));
    }
  }
  const auto only_for = [&](const char* key, bool given, const char* type) {
    if (given && std::string(type) != method.name) {
      throw ArgumentError(fmt::format("integrator.{}: '{}' has none, only '{}'", key, method.name, type));
    }
  };
  only_for("rho_inf", options.rho_inf.has_value(), "generalized_alpha");
  only_for("alpha", options.alpha.has_value(), "hht");
  return method.make(system, options);
}

}  // namespace cuttle
