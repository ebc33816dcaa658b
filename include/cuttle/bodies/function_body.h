#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/bodies/pointwise_body.h"

namespace CUTTLE_API cuttle {

/// A point body whose kinematics are a function that nobody can differentiate. All functions must be pure: they are
/// called from every thread that shares the Model, and at neighboring arguments.
struct FunctionParameters {
  PointParameters points;
  std::vector<CoordinateInfo> coordinates;  ///< name and unit (rad or m) of each; their number is n_B, at most 64
  /// f(x, q) [m] of the rest position x [m]; also called up to 3 % of the body's size outside its rest shape, for ports
  /// at material points.
  std::function<Vector3(const Vector3& x, const double* q)> position;
  std::function<double(const double* q)> elastic_energy{};  ///< [J], 0 in the stress-free state; empty: none
  /// [W], damping force = its gradient in v; empty: none.
  std::function<double(const double* q, const double* v)> dissipation{};
  /// Steps of the differences in q, one for each coordinate, and per second in v; empty: 0.01 rad, or 0.01 of the
  /// body's size for a length.
  std::vector<double> steps{};
};

/// The third door to a body of one's own: a `std::function` on doubles, differenced numerically.
///
/// Every derivative is a sixth-order central difference of step h (`steps`; along v: the longest step that keeps all
/// coordinates within theirs; in x: 0.01 of the body's size, the longest distance of a point of the quadrature or of
/// the tip's from the origin). The first derivative is off by h^6 / 140 of the seventh derivative in units of h = 0.01,
/// 7e-15, and by eps / h = 2e-14 of the position from rounding; the second one by h^6 / 560 of the eighth, 2e-15, and
/// by 6 eps / h^2 = 1e-11; the curvature of a port's axes, a third derivative, by 4e-10. So all terms are right to 1e-7
/// as long as derivatives grow less than tenfold each: choose smaller steps for f that varies faster than over 0.1 rad.
///
/// Costs 6 n_B + 7 calls of f a point, 6 more for the check on folding, against one pass for each derivative of
/// PointBody. Double only: for another scalar, clone_as throws a ModelError, which Robot::cast begins with the link.
/// @code
/// FunctionParameters p;
/// p.points = point_cylinder(1.0, 1.0, 1.0, 14, 1, 4);
/// p.coordinates = {{"bend", "rad"}};
/// p.position = [](const Vector3& x, const double* q) -> Vector3 { .. };
/// link.body = std::make_shared<FunctionBody>(p);
/// @endcode
class FunctionBody final : public PointwiseBodyT<double> {
 public:
  /// @throws ModelError: key, what was found, what was expected.
  explicit FunctionBody(const FunctionParameters& parameters);

  std::string type_name() const override { return "function_body"; }
  std::unique_ptr<Body> clone() const override { return std::make_unique<FunctionBody>(*this); }

  double elastic_energy(const double* q) const override;
  /// The mean: nobody knows how the energy is spread. For functions that have one.
  bool has_energy_density() const override { return static_cast<bool>(functions_.elastic_energy); }
  void energy_density(const double* q, const Vector3* x, std::size_t count, double* density) const override;
  void add_elastic_force(const double* q, double* force) const override;
  void stiffness_matrix(const double* q, double* stiffness) const override;
  void add_damping_force(const double* q, const double* v, double* force) const override;
  void damping_matrix(const double* q, const double* v, double* damping) const override;
  bool has_dissipation() const override { return static_cast<bool>(functions_.dissipation); }
  double dissipation(const double* q, const double* v) const override;

 protected:
  void move_points(const Request& request, const Vector3* x, std::size_t count, const Motions& motions) const override;
  void move_point_axes(const Request& request, const Vector3& x, const Motions& motions) const override;
  double determinant_at(const double* q, const Vector3& x) const override;

 private:
  void move_one(const Request& request, const Vector3& x, const Motion& motion) const;

  FunctionParameters functions_;  // its points are the base's
  double size_ = 0.0;             // [m]
};

}  // namespace cuttle
