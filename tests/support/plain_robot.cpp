#include "support/plain_robot.h"

#include <stdexcept>

namespace cuttle::test {

std::array<std::optional<PlainBasis>, 6> strain_of(const PlainRod& rod) {
  if (rod.shorthand.empty()) return rod.strain;
  const PlainBasis constant;
  std::array<std::optional<PlainBasis>, 6> strain;
  if (rod.shorthand == "pcc") {
    strain[0] = strain[1] = strain[5] = constant;
  } else if (rod.shorthand == "planar_cc") {
    strain[1] = constant;
  } else if (rod.shorthand == "pcs") {
    for (auto& component : strain) component = constant;
  } else if (rod.shorthand == "pac") {
    PlainBasis linear;
    linear.basis = "monomial", linear.order = 1;
    strain[0] = strain[1] = linear;
  } else if (rod.shorthand == "pgc") {
    PlainBasis bump;
    bump.basis = "gaussian", bump.centers = {rod.length / 2}, bump.widths = {rod.length / 4};
    strain[0] = strain[1] = bump;
    strain[5] = constant;
  } else if (rod.shorthand == "kirchhoff") {
    strain[0] = strain[1] = strain[2] = constant;
  } else {
    throw std::invalid_argument("shorthand " + rod.shorthand);
  }
  return strain;
}

int mode_count(const PlainBasis& basis) {
  if (basis.basis == "constant") return 1;
  if (basis.basis == "monomial" || basis.basis == "legendre" || basis.basis == "chebyshev") return basis.order + 1;
  if (basis.basis == "fourier") return 2 * basis.order + 1;
  if (basis.basis == "gaussian") return static_cast<int>(basis.centers.size()) + 1;
  if (basis.basis == "hermite") return 2 * basis.nodes;
  if (basis.basis == "piecewise") return static_cast<int>(basis.breaks.size()) + 1;
  if (basis.basis == "function") return static_cast<int>(basis.functions.size());
  throw std::invalid_argument("basis " + basis.basis);
}

int joint_nv(const std::string& type) {
  if (type == "fixed") return 0;
  if (type == "revolute" || type == "prismatic") return 1;
  if (type == "cylindrical" || type == "universal") return 2;
  if (type == "spherical" || type == "planar") return 3;
  if (type == "free") return 6;
  throw std::invalid_argument("joint " + type);
}
int joint_nq(const std::string& type) { return joint_nv(type) + (type == "spherical" || type == "free" ? 1 : 0); }

}  // namespace cuttle::test
