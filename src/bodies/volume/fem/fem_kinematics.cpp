#include "cuttle/bodies/fem_kinematics.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "bodies/volume/fem/tetrahedron_search.h"
#include "cuttle/error.h"
#include "cuttle/spatial/scalars.h"

namespace cuttle {

namespace {

const FemBasis& checked(const std::shared_ptr<const FemBasis>& basis) {
  if (!basis || !basis->mesh || basis->modes.empty()) {
    throw ModelError("modes", "none", "one or more, and their mesh");
  }
  for (std::size_t k = 0; k < basis->modes.size(); ++k) {
    if (basis->modes[k].size() == basis->mesh->nodes.size()) continue;
    throw ModelError({"modes", k}, std::to_string(basis->modes[k].size()) + " displacements",
                     "one for each of the " + std::to_string(basis->mesh->nodes.size()) + " nodes");
  }
  return *basis;
}

}  // namespace

template <typename S>
FemKinematicsT<S>::FemKinematicsT(std::shared_ptr<const FemBasis> basis)
    : basis_(std::move(basis)), search_(std::make_shared<const TetrahedronSearch>(checked(basis_).mesh)) {}

template <typename S>
std::shared_ptr<const void> FemKinematicsT<S>::find_part(const std::type_info& type) const {
  if (type == typeid(FemBasis)) return basis_;
  if (type == typeid(TetrahedronSearch)) return search_;
  return nullptr;
}

template <typename S>
std::vector<CoordinateInfo> FemKinematicsT<S>::coordinates() const {
  std::vector<CoordinateInfo> info;
  for (std::size_t k = 0; k < basis_->modes.size(); ++k) info.push_back({"fem." + std::to_string(k), "m"});
  return info;
}

template <typename S>
void FemKinematicsT<S>::move(const PointRequestT<S>& request, const S* x, std::size_t blocks,
                             const PointMotionsT<S>& motions, void*) const {
  const Vector3T<S> zero{S(0.0), S(0.0), S(0.0)};
  for (std::size_t block = 0; block < blocks; ++block) {
    for (int lane = 0; lane < k_point_lanes<S>; ++lane) {
      const Vector3T<S> at = lane_vector(x + block * k_vector_block<S>, lane);
      std::size_t tetrahedron = 0;
      const ElementPlace<S> place = search_->at(at, tetrahedron);
      const ElementNodes nodes(*basis_->mesh, tetrahedron);
      Vector3T<S> value = at;
      for (std::size_t k = 0; k < basis_->modes.size(); ++k) {
        Vector3T<S> mode = zero;
        for (int i = 0; i < nodes.count(); ++i) {
          mode += place.values[i] * basis_->modes[k][nodes[i]].template cast<S>();
        }
        value += request.q[k] * mode;
        if (request.slopes) set_lane_vector(motions.slope(block, static_cast<int>(k)), lane, mode);
      }
      set_lane_vector(motions.value(block), lane, value);
      if (request.level == MotionLevel::acceleration) set_lane_vector(motions.curvature(block), lane, zero);
    }
  }
}

template <typename S>
void FemKinematicsT<S>::gradients(const S* q, const S* direction, const S* x, std::size_t blocks,
                                  const GradientResultsT<S>& results, const GradientUse& use, void*) const {
  constexpr std::size_t k_lanes = k_point_lanes<S>;
  const std::size_t n = basis_->modes.size(), every = direction ? 2 : 1;  // rows of lanes a number
  for (std::size_t first = 0; first < blocks; first += k_gradient_blocks) {
    const std::size_t count = std::min(k_gradient_blocks, blocks - first);
    for (std::size_t block = 0; block < count; ++block) {
      for (std::size_t lane = 0; lane < k_lanes; ++lane) {
        const Vector3T<S> at = lane_vector(x + (first + block) * k_vector_block<S>, static_cast<int>(lane));
        std::size_t tetrahedron = 0;
        const ElementPlace<S> place = search_->at(at, tetrahedron);
        const ElementNodes nodes(*basis_->mesh, tetrahedron);
        const auto number = [&](S* matrices, std::size_t matrix, int i) {
          return matrices + ((matrix * 9 + i) * every) * k_lanes + lane;
        };
        for (int i = 0; i < 9; ++i) {
          *number(results.F, block, i) = S(i % 4 == 0 ? 1.0 : 0.0);
          if (direction) *(number(results.F, block, i) + k_lanes) = S(0.0);
        }
        for (std::size_t k = 0; k < n; ++k) {
          Matrix3T<S> gradient{};
          for (int i = 0; i < nodes.count(); ++i) {
            gradient += Matrix3T<S>::outer(basis_->modes[k][nodes[i]].template cast<S>(), place.gradients[i]);
          }
          for (int i = 0; i < 9; ++i) {
            const S& entry = gradient(i / 3, i % 3);
            *number(results.F, block, i) += q[k] * entry;
            if (direction) *(number(results.F, block, i) + k_lanes) += direction[k] * entry;
            if (!results.slopes) continue;
            *number(results.slopes, block * n + k, i) = entry;
            if (direction) *(number(results.slopes, block * n + k, i) + k_lanes) = S(0.0);
          }
        }
      }
    }
    use(first, count);
  }
}

template <typename S>
std::shared_ptr<const VolumeKinematicsT<double>> FemKinematicsT<S>::clone_as(ScalarTag<double>) const {
  return std::shared_ptr<const VolumeKinematicsT<double>>(new FemKinematicsT<double>(basis_, search_));
}
template <typename S>
std::shared_ptr<const VolumeKinematicsT<long double>> FemKinematicsT<S>::clone_as(ScalarTag<long double>) const {
  return std::shared_ptr<const VolumeKinematicsT<long double>>(new FemKinematicsT<long double>(basis_, search_));
}
template <typename S>
std::shared_ptr<const VolumeKinematicsT<ForwardDual>> FemKinematicsT<S>::clone_as(ScalarTag<ForwardDual>) const {
  return std::shared_ptr<const VolumeKinematicsT<ForwardDual>>(new FemKinematicsT<ForwardDual>(basis_, search_));
}

#define CUTTLE_INSTANTIATE(S) template class FemKinematicsT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
