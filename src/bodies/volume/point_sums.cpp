#include "bodies/volume/point_sums.h"

#include "bodies/volume/point_sums_impl.h"
#include "cuttle/bodies/swept_kinematics.h"
#include "cuttle/error.h"
#include "spatial/choose_kernels.h"
#include "spatial/number_text.h"

CUTTLE_DECLARE_KERNELS(const PointSums<double>& point_sums())

namespace cuttle {

template <>
const PointSums<double>& point_sums<double>() {
  return CUTTLE_CHOSEN_KERNELS(point_sums());
}
template <>
const PointSums<long double>& point_sums<long double>() {
  return point::k_sums<long double, long double>;
}
template <>
const PointSums<ForwardDual>& point_sums<ForwardDual>() {
  return point::k_sums<ForwardDual, ForwardDual>;
}

template <typename S>
void refuse_point(const std::string& fault, const Vector3T<S>& x, const S* q, std::size_t coordinates) {
  throw ConfigurationError(fault + " at rest position " + vector_text(x) + ", q = " + list_text(q, coordinates));
}
template void refuse_point(const std::string&, const Vector3T<double>&, const double*, std::size_t);
template void refuse_point(const std::string&, const Vector3T<long double>&, const long double*, std::size_t);

}  // namespace cuttle
