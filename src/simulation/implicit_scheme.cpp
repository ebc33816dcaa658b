#include "simulation/implicit_scheme.h"

#include <fmt/format.h>

#include "cuttle/error.h"

namespace cuttle {

ImplicitScheme ImplicitScheme::from(ImplicitType type, const IntegratorOptions& options) {
  ImplicitScheme s;
  if (type == ImplicitType::newmark) {
    s.name = "newmark";
  } else if (type == ImplicitType::midpoint) {
    s.name = "midpoint", s.midpoint = true;
  } else if (type == ImplicitType::hht) {
    const double alpha = options.alpha.value_or(k_usual_alpha);
    if (!(alpha >= -1.0 / 3.0 && alpha <= 0.0)) {
      throw ArgumentError(fmt::format("integrator.alpha: found {:g}, expected a number in [-1/3, 0]", alpha));
    }
    s.name = "hht", s.alpha_f = -alpha;
    s.gamma = 0.5 - alpha, s.beta = 0.25 * (1.0 - alpha) * (1.0 - alpha);
  } else {
    const double rho = options.rho_inf.value_or(k_usual_rho_inf);
    if (!(rho >= 0.0 && rho <= 1.0)) {
      throw ArgumentError(fmt::format("integrator.rho_inf: found {:g}, expected a number in [0, 1]", rho));
    }
    s.name = "generalized_alpha";
    s.alpha_m = (2.0 * rho - 1.0) / (rho + 1.0), s.alpha_f = rho / (rho + 1.0);
    s.gamma = 0.5 + s.alpha_f - s.alpha_m;
    s.beta = 0.25 * (s.gamma + 0.5) * (s.gamma + 0.5);
  }
  return s;
}

void StepMap::set(const ImplicitScheme& s, double h, const VectorXd& w, const VectorXd& w_rate, const VectorXd& A) {
  if (s.midpoint) {
    scale = 0.5, rate = 1.0 / h, second = 2.0 / (h * h);
    rate_offset.setZero(w.size());
    second_offset = (-2.0 / h) * w;
    return;
  }
  const double b = 1.0 / (s.beta * h * h), own = (1.0 - s.alpha_m) / (1.0 - s.alpha_f);
  scale = 1.0, rate = s.gamma * h * b, second = own * b;
  // A_n+1 at x = 0, then what follows from it
  second_offset = (-h * b) * w - (0.5 / s.beta - 1.0) * A;
  rate_offset = w + (h * (1.0 - s.gamma)) * A + (h * s.gamma) * second_offset;
  second_offset = own * second_offset + (s.alpha_m / (1.0 - s.alpha_f)) * A - (s.alpha_f / (1.0 - s.alpha_f)) * w_rate;
}

void StepMap::next_acceleration(const ImplicitScheme& s, double h, const VectorXd& x, const VectorXd& w,
                                const VectorXd& A, VectorXd& result) {
  result = (1.0 / (s.beta * h * h)) * (x - h * w) - (0.5 / s.beta - 1.0) * A;
}

}  // namespace cuttle
