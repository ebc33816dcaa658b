// The body of custom_body.cpp from a std::function on doubles: for code that cannot be differentiated. The slowest
// door, right to 1e-7.
#include <cuttle/bodies/function_body.h>
#include <cuttle/cuttle.h>

#include <cmath>
#include <numbers>

#include "toy_body_closed_forms.h"

int main() {
  cuttle::FunctionParameters toy;
  toy.points = cuttle::point_cylinder(1.0, 1.0, 1.0, 14, 1, 4);
  toy.coordinates = {{"bend", "rad"}};
  toy.position = [](const cuttle::Vector3& x, const double* q) -> cuttle::Vector3 {
    const double k = q[0], angle = k * x.z;
    if (k == 0.0) return x;
    const double half = std::sin(angle / 2);
    return {std::cos(angle) * x.x - 2 * half * half / k, x.y, std::sin(angle) * x.x + std::sin(angle) / k};
  };
  toy.elastic_energy = [](const double* q) { return std::numbers::pi / 8 * q[0] * q[0]; };

  cuttle::Robot robot;
  robot.gravity = {};  // as in the closed forms
  robot.links.push_back({.name = "toy", .body = std::make_shared<cuttle::FunctionBody>(toy)});
  const cuttle::Model model(robot);
  cuttle::Data data(model);
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(1, 0.8), v = 0.5 * q, a = -q;
  const double mass = cuttle::mass_matrix(model, data, q)(0, 0);
  const double force = cuttle::inverse_dynamics(model, data, q, v, a)[0];
  return compare_with_closed_forms(mass, force, q[0], v[0], a[0], 1e-7);
}
