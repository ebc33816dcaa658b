#pragma once

#include <cuttle/bodies/point_body.h>

#include <memory>
#include <string>

/// A beam that bends in a plane, of a class of the user's own: two sources of one program make a body of it, one of
/// them compiled for wider vectors.
struct Bender {
  static constexpr int coordinate_count = 2;
  template <typename T>
  cuttle::Vector3T<T> position(const cuttle::Vector3T<T>& x, const T* q) const {
    return {x.x + q[0] * x.z * x.z, x.y + q[1] * x.z, x.z - q[0] * x.x * x.z};
  }
  template <typename T>
  T energy_density(const cuttle::Matrix3T<T>& F) const {
    return 1e4 * (dot(F.row0, F.row0) + dot(F.row1, F.row1) + dot(F.row2, F.row2) - 3.0) * (F.row0.x + F.row2.z);
  }
};

struct BenderFromSource {
  std::shared_ptr<const cuttle::Body> body;
  std::string type;  ///< of the class behind it
  int lanes;         ///< that the flags of the source allow
};

inline std::string type_of(const cuttle::Body& body) { return typeid(body).name(); }

BenderFromSource narrow_bender();
BenderFromSource wide_bender();
