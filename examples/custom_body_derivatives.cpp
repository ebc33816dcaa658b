// The body of custom_body.cpp with its derivatives written by hand, for speed. cuttle/testing/body_contract.h finds a
// wrong one; what is left out comes from differentiating `position`, if that is a template.
#include <cuttle/bodies/point_body.h>
#include <cuttle/cuttle.h>
#include <cuttle/spatial/stumpff.h>
#include <cuttle/testing/body_contract.h>

#include <numbers>

#include "toy_body_closed_forms.h"

using cuttle::Vector3;

struct ToyBody {
  static constexpr int coordinate_count = 1;
  static cuttle::Stumpff<double, 5> functions(double angle) { return cuttle::stumpff<5>(angle * angle); }

  Vector3 position(const Vector3& x, const double* q) const {
    const double t = q[0] * x.z;
    const auto c = functions(t);
    return {c[0] * x.x - x.z * t * c[2], x.y, t * c[1] * x.x + x.z * c[1]};
  }
  // df/dq, with (t c2)' = c1 - c2 and c1' = t (c3 - c2)
  void slopes(const Vector3& x, const double* q, Vector3* df) const {
    const double t = q[0] * x.z;
    const auto c = functions(t);
    df[0] = {-x.z * (t * c[1] * x.x + x.z * (c[1] - c[2])), 0.0, x.z * (c[0] * x.x + x.z * t * (c[3] - c[2]))};
  }
  // d2f/dq2 v^2
  Vector3 curvature(const Vector3& x, const double* q, const double* v) const {
    const double t = q[0] * x.z, rate = v[0] * x.z;
    const auto c = functions(t);
    return rate * rate *
           Vector3{-c[0] * x.x - x.z * t * (2 * c[3] - c[2] - 2 * c[4]), 0.0,
                   -t * c[1] * x.x + x.z * (c[3] - c[2] + t * t * (3 * c[5] - 3 * c[4] + c[3]))};
  }
  double elastic_energy(const double* q) const { return std::numbers::pi / 8 * q[0] * q[0]; }
  void elastic_force(const double* q, double* force) const { force[0] = std::numbers::pi / 4 * q[0]; }
  void stiffness_matrix(const double*, double* stiffness) const { stiffness[0] = std::numbers::pi / 4; }
};

int main() {
  const auto body = std::make_shared<cuttle::PointBody<ToyBody>>(cuttle::point_cylinder(1.0, 1.0, 1.0, 14, 1, 4));
  const auto report = cuttle::check_body_contract(*body);
  if (!report.ok()) {
    std::cerr << report;
    return 1;
  }
  cuttle::Robot robot;
  robot.gravity = {};  // as in the closed forms
  robot.links.push_back({.name = "toy", .body = body});
  const cuttle::Model model(robot);
  cuttle::Data data(model);
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(1, 0.8), v = 0.5 * q, a = -q;
  const double mass = cuttle::mass_matrix(model, data, q)(0, 0);
  const double force = cuttle::inverse_dynamics(model, data, q, v, a)[0];
  return compare_with_closed_forms(mass, force, q[0], v[0], a[0], 1e-12);
}
