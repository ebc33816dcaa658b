#pragma once

#include <cmath>
#include <iostream>
#include <numbers>

/// Prints the toy body's mass and force for q, v, a and compares them with [P]'s closed forms, as docs/errata.md
/// corrects them. @return the exit code: 0 if both agree to `accuracy`.
inline int compare_with_closed_forms(double mass, double force, double q, double v, double a, double accuracy) {
  const double c = std::cos(q), s = std::sin(q), q2 = q * q, q4 = q2 * q2, pi = std::numbers::pi;
  const double exact_mass = pi * (1.0 / 12 + 1 / (3 * q2) + (2 + 2 * c) / q4 - 4 * s / (q4 * q));
  const double bias = pi / 2 * v * v * (-2 / (3 * q2 * q) - 2 * s / q4 - (8 + 12 * c) / (q4 * q) + 20 * s / (q4 * q2));
  const double exact_force = exact_mass * a + bias + pi / 4 * q;  // E = 1
  std::cout.precision(6);
  std::cout << "mass  " << mass << "\nforce " << force << "\n";
  const double error = std::fmax(std::abs(mass - exact_mass), std::abs(force - exact_force));
  if (error <= accuracy) return 0;
  std::cerr << "expected mass " << exact_mass << " and force " << exact_force << ", found an error of " << error
            << "\n";
  return 1;
}
