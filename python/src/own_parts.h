#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "arrays.h"
#include "callables.h"
#include "cuttle/bodies/point_body_base.h"
#include "cuttle/bodies/volume_kinematics.h"
#include "cuttle/model/robot.h"

// Parts of a robot that are functions of Python (cuttle/own.py). Each holds the object of Python that it asks; in the
// text of a robot a name stands for that.

namespace cuttle::python {

/// The object that a name in the text of a robot stands for. With the interpreter's lock.
/// @throws ModelError if nobody has it any more.
nb::object find_own_part(const std::string& name);

/// Where points of a volume go, by cuttle.FunctionKinematics: every call of the library is one of the function, for all
/// points together. Derivatives are exact; they come from arrays with derivatives that the function is given.
/// @tparam S  double, or ForwardDual, whose directions are more such derivatives.
template <typename S>
class PythonKinematicsT final : public VolumeKinematicsT<S> {
 public:
  explicit PythonKinematicsT(const nb::object& part);

  std::string type_name() const override { return "python"; }
  std::vector<CoordinateInfo> coordinates() const override { return coordinates_; }
  bool keeps_volume() const override { return keeps_volume_; }
  std::size_t scratch_size() const override { return 0; }
  void move(const PointRequestT<S>& request, const S* x, std::size_t blocks, const PointMotionsT<S>& motions,
            void* scratch) const override;
  void gradients(const S* q, const S* direction, const S* x, std::size_t blocks, const GradientResultsT<S>& results,
                 const GradientUse& use, void* scratch) const override;
  bool has_second_slopes() const override { return std::is_same_v<S, double>; }
  void second_slopes(const S* q, const S* v, const S* a, const S* x, std::size_t blocks,
                     const SecondSlopesT<S>& results, const GradientUse& use, void* scratch) const override;

  std::shared_ptr<const VolumeKinematicsT<double>> clone_as(ScalarTag<double>) const override;
  std::shared_ptr<const VolumeKinematicsT<long double>> clone_as(ScalarTag<long double>) const override;
  std::shared_ptr<const VolumeKinematicsT<ForwardDual>> clone_as(ScalarTag<ForwardDual>) const override;

 private:
  SharedObject part_;
  std::vector<CoordinateInfo> coordinates_;
  bool keeps_volume_;
};
using PythonKinematics = PythonKinematicsT<double>;

/// A body of points of its own that move by a function, with an energy and a dissipation of its coordinates:
/// cuttle.FunctionBody.
class PythonBody final : public PointBodyBaseT<double> {
 public:
  /// @throws ModelError: key, what was found, what was expected.
  explicit PythonBody(const nb::object& part);

  std::string type_name() const override { return "python"; }
  std::unique_ptr<Body> clone() const override { return std::make_unique<PythonBody>(*this); }

  bool has_material_points() const override { return true; }
  void material_points(const double* q, const Vector3* x, std::size_t count,
                       const MaterialPointsT<double>& points) const override;
  double elastic_energy(const double* q) const override;
  /// The mean: nobody knows how the energy is spread.
  bool has_energy_density() const override { return elastic_; }
  void energy_density(const double* q, const Vector3* x, std::size_t count, double* density) const override;
  void add_elastic_force(const double* q, double* force) const override;
  void stiffness_matrix(const double* q, double* stiffness) const override;
  void add_damping_force(const double* q, const double* v, double* force) const override;
  void damping_matrix(const double* q, const double* v, double* damping) const override;
  bool has_dissipation() const override { return damped_; }
  double dissipation(const double* q, const double* v) const override;

 protected:
  void move(const Request& request, const double* x, std::size_t blocks, const Motions& motions,
            void* scratch) const override;
  std::size_t move_scratch_size() const override { return 0; }
  void move_axes(const Request& request, const Vector3& x, Direction (&axes)[2], void* scratch) const override;
  std::size_t first_folded(const double* q, void* scratch) const override;
  double determinant_at(const double* q, const Vector3& x) const override;
  bool knows_second_slopes() const override { return true; }
  void second_slopes(const double* q, const double* v, const double* a, const double* x, std::size_t blocks,
                     const SecondSlopesT<double>& results, const GradientUse& use, void* scratch) const override;
  bool knows_internal_derivatives() const override { return true; }
  void fill_internal_derivatives(const double* q, const double* v, void* scratch, double* by_q,
                                 double* by_v) const override;
  /// The kinematics, which tendons through its points ask for second derivatives.
  std::shared_ptr<const void> find_part(const std::type_info& type) const override;

 private:
  /// What a method of the object answers to vectors of n_B numbers, as many as `expected`.
  std::vector<double> ask(const char* method, std::initializer_list<const double*> vectors, int order,
                          std::size_t expected) const;

  SharedObject part_;
  std::shared_ptr<const PythonKinematics> kinematics_;
  bool elastic_, damped_;
};

/// Makes kinds of the parts, by which the text of a robot has them: `type: python`, with `object`.
void register_own_kinds();

/// Where in a robot there are functions of Python, as links.finger.body.kinematics.
std::vector<std::string> own_parts_of(const Robot& robot);

}  // namespace cuttle::python
