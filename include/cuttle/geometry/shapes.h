#pragma once

#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/geometry/shape.h"

// The shapes of the library. Each is exact: value, gradient and Hessian are those of the distance to the nearest point
// of its surface; where several points are nearest - the center of a sphere - one of them is taken.
// Constructors throw ModelError: key, what was found, what was expected.

namespace CUTTLE_API cuttle {

/// The half-space z < 0.
template <typename S>
class PlaneT final : public ShapeT<PlaneT, S> {
 public:
  PlaneT();
  std::string type_name() const override;
  S half_thickness() const override;
  bool is_flat() const override { return true; }
  template <typename T>
  DistanceT<T> distance(const Vector3T<T>& x) const;
  template <typename T>
  PlaneT<T> cast() const {
    return {};
  }
};
using Plane = PlaneT<double>;

/// About its origin.
template <typename S>
class SphereT final : public ShapeT<SphereT, S> {
 public:
  explicit SphereT(const S& radius);  ///< > 0 [m]
  const S& radius() const { return radius_; }
  std::string type_name() const override;
  S half_thickness() const override;
  double bounding_radius() const override;
  S curvature() const override;
  std::vector<TouchPartT<S>> touch_parts(const TouchDetailT<S>& detail) const override;
  bool is_its_parts() const override { return true; }
  template <typename T>
  DistanceT<T> distance(const Vector3T<T>& x) const;
  template <typename T>
  SphereT<T> cast() const {
    return SphereT<T>(scalar_cast<T>(radius_));
  }

 private:
  S radius_;
};
using Sphere = SphereT<double>;

/// The points within a radius of the segment from -length/2 to length/2 on the z axis.
template <typename S>
class CapsuleT final : public ShapeT<CapsuleT, S> {
 public:
  CapsuleT(const S& radius, const S& length);  ///< > 0 [m]; the length is without the half spheres
  const S& radius() const { return radius_; }
  const S& length() const { return length_; }
  std::string type_name() const override;
  S half_thickness() const override;
  double bounding_radius() const override;
  std::vector<TouchPartT<S>> touch_parts(const TouchDetailT<S>& detail) const override;
  bool is_its_parts() const override { return true; }
  template <typename T>
  DistanceT<T> distance(const Vector3T<T>& x) const;
  template <typename T>
  CapsuleT<T> cast() const {
    return CapsuleT<T>(scalar_cast<T>(radius_), scalar_cast<T>(length_));
  }

 private:
  S radius_, length_;
};
using Capsule = CapsuleT<double>;

/// About the z axis, from -length/2 to length/2. Closed by discs; or open, for what is within it: seen from there it is
/// a bore through a plate as thick as its length, which one enters and leaves at both ends.
template <typename S>
class CylinderT final : public ShapeT<CylinderT, S> {
 public:
  CylinderT(const S& radius, const S& length, bool open = false);  ///< > 0 [m]
  const S& radius() const { return radius_; }
  const S& length() const { return length_; }
  bool is_open() const override { return open_; }
  std::string type_name() const override;
  S half_thickness() const override;
  double bounding_radius() const override;
  std::vector<TouchPartT<S>> touch_parts(const TouchDetailT<S>& detail) const override;
  template <typename T>
  DistanceT<T> distance(const Vector3T<T>& x) const;
  template <typename T>
  CylinderT<T> cast() const {
    return CylinderT<T>(scalar_cast<T>(radius_), scalar_cast<T>(length_), open_);
  }

 private:
  S radius_, length_;
  bool open_;
};
using Cylinder = CylinderT<double>;

/// Closed, about the z axis: its apex is at z = length/2, its base, of radius length tan(angle), at -length/2.
template <typename S>
class ConeT final : public ShapeT<ConeT, S> {
 public:
  ConeT(const S& angle, const S& length);  ///< between axis and side, > 0 and < pi/2 [rad]; length > 0 [m]
  const S& angle() const { return angle_; }
  const S& length() const { return length_; }
  std::string type_name() const override;
  S half_thickness() const override;
  double bounding_radius() const override;
  std::vector<TouchPartT<S>> touch_parts(const TouchDetailT<S>& detail) const override;
  template <typename T>
  DistanceT<T> distance(const Vector3T<T>& x) const;
  template <typename T>
  ConeT<T> cast() const {
    return ConeT<T>(scalar_cast<T>(angle_), scalar_cast<T>(length_));
  }

 private:
  S angle_, length_, sine_, cosine_;
};
using Cone = ConeT<double>;

/// About its origin, edges along the axes.
template <typename S>
class BoxT final : public ShapeT<BoxT, S> {
 public:
  explicit BoxT(const Vector3T<S>& size);  ///< full lengths of the edges, > 0 [m]
  const Vector3T<S>& size() const { return size_; }
  std::string type_name() const override;
  S half_thickness() const override;
  double bounding_radius() const override;
  std::vector<TouchPartT<S>> touch_parts(const TouchDetailT<S>& detail) const override;
  template <typename T>
  DistanceT<T> distance(const Vector3T<T>& x) const;
  template <typename T>
  BoxT<T> cast() const {
    return BoxT<T>(size_.template cast<T>());
  }

 private:
  Vector3T<S> size_;
};
using Box = BoxT<double>;

/// The points below z = h(x, y). Between a regular grid of heights h is bicubic, by the slopes of the neighbors: C1,
/// with continuous normals. Beyond the grid the heights at its border go on. Distances are those to the nearest point
/// of the surface, near it: within the radius of its curvature. Farther away they are vertical ones, shortened by the
/// slope.
template <typename S>
class HeightFieldT final : public ShapeT<HeightFieldT, S> {
 public:
  /// @param heights  columns * rows numbers [m]: of the point (i, j) at [j * columns + i].
  /// @param cell     distances of neighbors along x and y, > 0 [m]. The grid is about the origin.
  HeightFieldT(int columns, int rows, std::vector<S> heights, const S& cell_x, const S& cell_y);
  int columns() const { return columns_; }
  int rows() const { return rows_; }
  const std::vector<S>& heights() const { return heights_; }
  const S& cell_x() const { return cell_x_; }
  const S& cell_y() const { return cell_y_; }
  std::string type_name() const override;
  S half_thickness() const override;
  template <typename T>
  DistanceT<T> distance(const Vector3T<T>& x) const;
  template <typename T>
  HeightFieldT<T> cast() const {
    std::vector<T> heights;
    for (const S& h : heights_) heights.push_back(scalar_cast<T>(h));
    return HeightFieldT<T>(columns_, rows_, std::move(heights), scalar_cast<T>(cell_x_), scalar_cast<T>(cell_y_));
  }

 private:
  int columns_, rows_;
  std::vector<S> heights_;
  S cell_x_, cell_y_;
  double shortening_ = 1.0;  ///< of vertical distances, to what they are at least
};
using HeightField = HeightFieldT<double>;

}  // namespace cuttle
