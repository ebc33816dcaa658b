#include "cuttle/simulation/integrator.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "cuttle/error.h"
#include "model/check_argument.h"
#include "simulation/integrators.h"

namespace cuttle {
namespace {

struct Method {
  const char* name;
  bool fixed_step, is_explicit;
  std::unique_ptr<Integrator> (*make)(System&, const IntegratorOptions&);
  bool holds_loops = false;
};

// the one list of methods
constexpr Method k_methods[] = {
    {"bdf", false, false, make_bdf},
    {"erk", false, true, make_erk},
    {"rk4", true, true, make_rk4},
    {"tsit5", true, true, make_tsit5},
};

const Method& method_of(const Model& model, const IntegratorOptions& options) {
  const std::string type = integrator_type(model, options);
  std::string known;
  for (const Method& method : k_methods) {
    if (type == method.name) return method;
    known += (known.empty() ? "" : ", ") + std::string(method.name);
  }
  for (const char* later : {"newmark", "hht", "generalized_alpha", "midpoint"}) {
    if (type == later) {
      throw ArgumentError(fmt::format("integrator.type: '{}' is not supported yet; there are: {}", type, known));
    }
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

void require_positive(const char* key, double value) {
  if (!(value > 0.0) || !std::isfinite(value)) {
    throw ArgumentError(fmt::format("integrator.{}: found {:g}, expected a number > 0", key, value));
  }
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
  if (method.fixed_step) {
    if (!options.step) {
      throw ArgumentError(fmt::format("integrator.step: missing, '{}' needs a fixed step [s]", method.name));
    }
    require_positive("step", *options.step);
    if (options.max_step) {
      throw ArgumentError(fmt::format("integrator.max_step: '{}' takes fixed steps, give 'step'", method.name));
    }
  } else {
    require_positive("relative_tolerance", options.relative_tolerance);
    require_positive("absolute_tolerance", options.absolute_tolerance);
    if (options.max_step) require_positive("max_step", *options.max_step);
    if (options.step) {
      throw ArgumentError(
          fmt::format("integrator.step: '{}' chooses its steps, give tolerances or 'max_step'", method.name));
    }
  }
  return method.make(system, options);
}

}  // namespace cuttle
