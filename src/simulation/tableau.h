#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace cuttle {

inline constexpr int k_max_stages = 6;

/// An explicit Runge-Kutta method.
struct Tableau {
  int stages;
  std::array<double, k_max_stages> c;
  std::array<std::array<double, k_max_stages>, k_max_stages> a;
  std::array<double, k_max_stages> b;
};

// clang-format off
/// The classical method of order 4.
inline constexpr Tableau k_rk4{4,
    {0.0, 0.5, 0.5, 1.0},
    {{{}, {0.5}, {0.0, 0.5}, {0.0, 0.0, 1.0}}},
    {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}};

/// The fifth-order solution of Tsitouras, "Runge-Kutta pairs of order 5(4) satisfying only the first column simplifying
/// assumption", Computers & Mathematics with Applications 62 (2011) 770-775; with fixed steps the seventh stage, which
/// only the error estimate uses, is left out.
inline constexpr Tableau k_tsit5{6,
    {0.0, 0.161, 0.327, 0.9, 0.9800255409045097, 1.0},
    {{{},
      {0.161},
      {-0.008480655492356989, 0.335480655492357},
      {2.8971530571054935, -6.359448489975075, 4.3622954328695815},
      {5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525},
      {5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401, -0.028269050394068383}}},
    {0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081, 2.324710524099774}};
// clang-format on

/// Number of equal steps, not longer than `longest`, over a time; a millionth of a step is rounding, not a reason for
/// another one.
inline double step_count(double duration, double longest) {
  return std::max(1.0, std::ceil(duration / longest - 1e-6));
}

}  // namespace cuttle
