// Sources that are compiled for different vectors, in one program: each has a class of its own, and their bodies agree.
#include "lanes.h"

#include <cmath>
#include <iostream>

int main() {
  const BenderFromSource narrow = narrow_bender(), wide = wide_bender();
  if ((narrow.lanes != wide.lanes) != (narrow.type != wide.type)) {
    std::cerr << "found the type " << narrow.type << " for " << narrow.lanes << " lanes and " << wide.type << " for "
              << wide.lanes << ": the linker takes the functions of one for both\n";
    return 1;
  }
  const double q[] = {0.4, -0.2};
  double force[2][2] = {}, stiffness[2][4];
  for (const auto& [k, body] : {std::pair{0, narrow.body}, std::pair{1, wide.body}}) {
    body->add_elastic_force(q, force[k]);
    body->stiffness_matrix(q, stiffness[k]);
  }
  for (int i = 0; i < 4; ++i) {
    const double error = std::abs(stiffness[0][i] - stiffness[1][i]) + std::abs(force[0][i / 2] - force[1][i / 2]);
    if (error <= 1e-11 * (std::abs(stiffness[0][0]) + std::abs(force[0][0]))) continue;
    std::cerr << "found results that differ by " << error << "\n";
    return 1;
  }
  std::cout << narrow.lanes << " and " << wide.lanes << " lanes agree\n";
}
