// A body of your own: the toy body of [P], a cylinder that bends with constant curvature, from where its points go.
#include <cuttle/bodies/point_body.h>
#include <cuttle/cuttle.h>
#include <cuttle/spatial/stumpff.h>

#include <numbers>

#include "toy_body_closed_forms.h"

struct ToyBody {
  static constexpr int coordinate_count = 1;
  template <typename T>  // where the point x of the straight body is when it bends by q [rad]
  cuttle::Vector3T<T> position(const cuttle::Vector3T<T>& x, const T* q) const {
    const T angle = q[0] * x.z;
    const auto c = cuttle::stumpff<3>(T(angle * angle));  // cos t, sin t / t, (1 - cos t) / t^2, ..: exact at t = 0
    return {c[0] * x.x - x.z * angle * c[2], x.y, angle * c[1] * x.x + x.z * c[1]};
  }
  template <typename T>
  T elastic_energy(const T* q) const {
    return std::numbers::pi / 8 * q[0] * q[0];
  }
};

int main() {
  cuttle::Robot robot;
  robot.gravity = {};  // as in the closed forms
  robot.links.push_back(
      {.name = "toy",
       .body = std::make_shared<cuttle::PointBody<ToyBody>>(cuttle::point_cylinder(1.0, 1.0, 1.0, 14, 1, 4))});
  const cuttle::Model model(robot);
  cuttle::Data data(model);
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(1, 0.8), v = 0.5 * q, a = -q;
  const double mass = cuttle::mass_matrix(model, data, q)(0, 0);
  const double force = cuttle::inverse_dynamics(model, data, q, v, a)[0];
  return compare_with_closed_forms(mass, force, q[0], v[0], a[0], 1e-12);
}
