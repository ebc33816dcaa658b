#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "cuttle/bodies/volume_kinematics.h"
#include "cuttle/model/model.h"

namespace cuttle {

/// Stretches of tendons through material points of one body, polygons all, and how their lengths l change with the
/// body's coordinates: second and third derivatives, exact. They come from the kinematics' packed sweeps over the
/// points of all polygons together, so that what depends on the body alone (a backbone) is made once.
/// @code
/// polygons.read_hessians(q.data());
/// for (std::size_t i = 0; i < polygons.size(); ++i) use(polygons.input(i), polygons.hessian(i));
/// @endcode
class MaterialPolygons {
 public:
  /// Whether kinematics have what is needed here; null: no.
  static bool know(const VolumeKinematics* kinematics) {
    return kinematics != nullptr && (kinematics->is_linear() || kinematics->has_second_slopes());
  }
  /// @param q, v, nv  the body's coordinates in the robot's.
  MaterialPolygons(std::shared_ptr<const VolumeKinematics> kinematics, int q, int v, int nv);
  void add(const BoundTendonT<double>& tendon, const TendonPolygonT<double>& polygon);
  /// After the last one: makes all memory.
  void prepare();

  int v() const { return v_; }
  int coordinate_count() const { return n_; }
  std::size_t size() const { return polygons_.size(); }
  int input(std::size_t i) const { return polygons_[i].input; }  ///< of polygon i's tendon

  /// @param q, v  of the robot, here and below. @throws ConfigurationError as BodyT::material_points.
  void read_hessians(const double* q);
  /// d2l/dq2 of polygon i, n x n; valid until the next call.
  const MatrixXd& hessian(std::size_t i);
  void read_bias(const double* q, const double* v);
  /// d2l/dq2 v v, the part of l'' that velocities make.
  double bias(std::size_t i) const;
  void read_bias_slopes(const double* q, const double* v);
  /// Its derivative by q, n; valid until the next call.
  const VectorXd& bias_slope(std::size_t i);

 private:
  struct Polygon {
    int input;
    double tiny;               ///< an edge that is no longer has no direction [m]
    std::size_t first, count;  ///< its points
  };
  template <typename Use>
  void each_edge(std::size_t polygon, const Use& use) const;
  Vector3 edge_of(const double* table, std::size_t each, std::size_t entry, std::size_t i) const;
  Vector3 value_edge(std::size_t i) const;
  Vector3 slope_edge(std::size_t i, int j) const;
  Vector3 path_edge(std::size_t i, int j, std::size_t order) const;
  void carry(MotionLevel level, const double* q, const double* v);
  void carry_seconds(const double* q, const SecondSlopesT<double>& results, std::size_t each);

  std::shared_ptr<const VolumeKinematics> kinematics_;
  int q_, v_, n_;
  bool linear_;
  std::vector<Polygon> polygons_;
  std::vector<Vector3> points_;  ///< of all, at rest
  std::size_t blocks_ = 0;
  std::vector<double> memory_;
  // in it: points in blocks, their motions, second derivatives of a few blocks and of all
  double *x_ = nullptr, *motions_ = nullptr, *part_ = nullptr, *seconds_ = nullptr;
  void* scratch_ = nullptr;
  VectorXd rates_, zero_, slope_;
  MatrixXd hessian_;
  std::vector<Vector3> slope_edges_;
};

}  // namespace cuttle
