#include "simulation/implicit_scheme.h"

#include <fmt/format.h>

#include "algorithms/forward_numbers.h"
#include "cuttle/error.h"
#include "simulation/adjoint_run.h"
#include "simulation/forward_integrator.h"

namespace cuttle {

namespace {

using Option = LibraryMethod::Option;

/// The value of a method's own option. @param range  for the message.
double value_of(const Option& option, const IntegratorOptions& options, const char* range) {
  const double value = (options.*option.value).value_or(option.usual);
  if (value >= option.min && value <= option.max) return value;
  throw ArgumentError(fmt::format("integrator.{}: found {:g}, expected a number in {}", option.name, value, range));
}

ImplicitScheme newmark(const IntegratorOptions&) { return {.name = "newmark"}; }

const Option k_alpha{"alpha",    &IntegratorOptions::alpha,
                     -1.0 / 3.0, 0.0,
                     -0.05,      "Damping of high frequencies, from -1/3 (most) to 0 (none)."};
ImplicitScheme hht(const IntegratorOptions& options) {
  const double alpha = value_of(k_alpha, options, "[-1/3, 0]");
  ImplicitScheme s{.name = "hht"};
  s.alpha_f = -alpha;
  s.gamma = 0.5 - alpha, s.beta = 0.25 * (1.0 - alpha) * (1.0 - alpha);
  return s;
}

const Option k_rho_inf{"rho_inf", &IntegratorOptions::rho_inf,
                       0.0,       1.0,
                       0.8,       "What one step leaves of an infinitely fast vibration, from 0 to 1."};
ImplicitScheme generalized_alpha(const IntegratorOptions& options) {
  const double rho = value_of(k_rho_inf, options, "[0, 1]");
  ImplicitScheme s{.name = "generalized_alpha"};
  s.alpha_m = (2.0 * rho - 1.0) / (rho + 1.0), s.alpha_f = rho / (rho + 1.0);
  s.gamma = 0.5 + s.alpha_f - s.alpha_m;
  s.beta = 0.25 * (s.gamma + 0.5) * (s.gamma + 0.5);
  return s;
}

ImplicitScheme midpoint(const IntegratorOptions&) { return {.name = "midpoint", .midpoint = true}; }

ImplicitScheme energy_conserving(const IntegratorOptions&) {
  return {.name = "energy_conserving", .midpoint = true, .conserves_energy = true};
}

LibraryMethod method(const char* type, const char* about, const char* example,
                     ImplicitScheme (*scheme)(const IntegratorOptions&), std::optional<Option> option = {}) {
  return {
      .type = type,
      .about = about,
      .example = example,
      .steps = LibraryMethod::Steps::either,
      .holds_loops = true,
      .takes_sparse_bodies = !scheme({}).conserves_energy,
      .make = [scheme](System& system,
                       const IntegratorOptions& options) { return make_implicit(system, scheme(options), options); },
      .differentiate =
          [scheme](ForwardSystem& system, const IntegratorOptions& options) {
            return make_forward_implicit(system, scheme(options), options);
          },
      .reverse =
          [scheme](RobotSystem& system, const IntegratorOptions& options) {
            return make_adjoint_implicit(system, scheme(options), options);
          },
      .option = option};
}

using SchemeMaker = ImplicitScheme (*)(const IntegratorOptions&);
const std::vector<std::pair<const char*, SchemeMaker>> k_makers{{"newmark", newmark},
                                                                {"hht", hht},
                                                                {"generalized_alpha", generalized_alpha},
                                                                {"midpoint", midpoint},
                                                                {"energy_conserving", energy_conserving}};

}  // namespace

std::optional<ImplicitScheme> find_implicit_scheme(const Model& model, const IntegratorOptions& given) {
  if (given.method) return std::nullopt;
  const IntegratorOptions options = chosen_options(model, given);
  const std::string type = integrator_type(model, options);
  for (const auto& [name, make] : k_makers) {
    if (type == name) return make(options);
  }
  return std::nullopt;
}

std::vector<LibraryMethod> implicit_methods() {
  return {
      method("newmark",
             "Implicit, order 2: the average-acceleration method with the analytic tangent. No damping of its own.",
             "{type: newmark, step: 0.01}", newmark),
      method("hht", "Newmark's method with damping of high frequencies (Hilber, Hughes, Taylor).",
             "{type: hht, step: 0.01, alpha: -0.05}", hht, k_alpha),
      method("generalized_alpha",
             "Implicit, order 2, damps high frequencies and keeps low ones: for closed loops and stiff robots.",
             "{type: generalized_alpha, step: 0.01, rho_inf: 0.8}", generalized_alpha, k_rho_inf),
      method("midpoint", "The implicit midpoint rule, order 2.", "{type: midpoint, step: 0.01}", midpoint),
      method(
          "energy_conserving",
          "The midpoint rule, after each step of which velocities are scaled so that the energy balance is exact; with "
          "a floating base momentum stays: for long fixed steps without damping.",
          "{type: energy_conserving, step: 0.05}", energy_conserving),
  };
}

template <typename S>
void StepMapT<S>::set(const ImplicitScheme& s, double h, const VectorXT<S>& w, const VectorXT<S>& w_rate,
                      const VectorXT<S>& A) {
  if (s.midpoint) {
    scale = 0.5, rate = 1.0 / h, second = 2.0 / (h * h);
    rate_offset.setZero(w.size());
    second_offset.resize(w.size());
    flat(second_offset) = (-2.0 / h) * flat(w);
    return;
  }
  const double b = 1.0 / (s.beta * h * h), own = (1.0 - s.alpha_m) / (1.0 - s.alpha_f);
  scale = 1.0, rate = s.gamma * h * b, second = own * b;
  // A_n+1 at x = 0, then what follows from it
  rate_offset.resize(w.size()), second_offset.resize(w.size());
  auto offset = flat(second_offset);
  offset = (-h * b) * flat(w) - (0.5 / s.beta - 1.0) * flat(A);
  flat(rate_offset) = flat(w) + (h * (1.0 - s.gamma)) * flat(A) + (h * s.gamma) * offset;
  offset = own * offset + (s.alpha_m / (1.0 - s.alpha_f)) * flat(A) - (s.alpha_f / (1.0 - s.alpha_f)) * flat(w_rate);
}

template <typename S>
void StepMapT<S>::next_acceleration(const ImplicitScheme& s, double h, const VectorXT<S>& x, const VectorXT<S>& w,
                                    const VectorXT<S>& A, VectorXT<S>& result) {
  result.resize(x.size());
  flat(result) = (1.0 / (s.beta * h * h)) * (flat(x) - h * flat(w)) - (0.5 / s.beta - 1.0) * flat(A);
}

template struct StepMapT<double>;
template struct StepMapT<ForwardDual>;

}  // namespace cuttle
