#include <nanobind/stl/pair.h>

#include "bindings.h"
#include "cuttle/bodies/quadrature.h"
#include "own_parts.h"

namespace cuttle::python {
namespace {

nb::tuple points_and_volumes(const Quadrature& rule) {
  double* numbers = nullptr;
  const auto count = static_cast<Eigen::Index>(rule.points.size());
  Array points = new_array({count, 3}, numbers);
  for (const Vector3& x : rule.points) *numbers++ = x.x, *numbers++ = x.y, *numbers++ = x.z;
  return nb::make_tuple(points, to_numpy(rule.weights));
}

}  // namespace

void bind_own(nb::module_& m) {
  register_own_kinds();
  m.def(
      "own_parts", [](const Model& model) { return own_parts_of(model.robot()); }, "model"_a,
      "Where in a robot there are functions of Python, as links.finger.body.kinematics: no file can say these.");
  m.def(
      "_cylinder_points",
      [](double length, double radius, double inner_radius, int nz, int nr, int nphi) {
        return points_and_volumes(cylinder_quadrature(length, radius, inner_radius, nz, nr, nphi));
      },
      "length"_a, "radius"_a, "inner_radius"_a, "nz"_a, "nr"_a, "nphi"_a, "See cuttle.cylinder_points.");
  m.def(
      "_box_points",
      [](double x, double y, double z, int nz, int nx, int ny) {
        return points_and_volumes(box_quadrature(Vector3{x, y, z}, nz, nx, ny));
      },
      "x"_a, "y"_a, "z"_a, "nz"_a, "nx"_a, "ny"_a, "See cuttle.box_points.");
}

}  // namespace cuttle::python
