#pragma once

#include <cstddef>
#include <string>

#include "bodies/point_sums_impl.h"
#include "cuttle/bodies/swept_kinematics.h"

namespace cuttle {

/// What to compute at a point, or at the points of a pack; null: not asked for.
template <typename T>
struct CarriedPoint {
  Vector3T<T>* value;                ///< f(x, q)
  Vector3T<T>* slopes = nullptr;     ///< df/dq_j, n_B
  Vector3T<T>* curvature = nullptr;  ///< sum_jk d2f/(dq_j dq_k) v_j v_k; needs slopes
  Matrix3T<T>* F = nullptr;          ///< df/dx
  Matrix3T<T>* F_slopes = nullptr;   ///< dF/dq_j, n_B; needs slopes and F
  /// F may be turned by any rotation R(x, q), and the slopes may lack w x F with any w: enough for energies of F^T F.
  /// Then value and slopes are left undefined.
  bool any_rotation = false;
};

/// Hands out pieces of a scratch memory, each aligned to 64 bytes and not initialized; without memory it only measures.
class ScratchPieces {
 public:
  explicit ScratchPieces(void* memory = nullptr) : memory_(static_cast<char*>(memory)) {}
  template <typename T>
  T* take(std::size_t count) {
    char* at = memory_ + size_;
    size_ += (count * sizeof(T) + 63) / 64 * 64;
    if (memory_ == nullptr) return nullptr;
    return reinterpret_cast<T*>(at);
  }
  std::size_t size() const { return size_; }

 private:
  char* memory_;
  std::size_t size_ = 0;
};

/// The scalar, or pack of scalars, that a rest position has in a Sweep<S, T>: T without its derivatives.
template <typename S, typename T>
struct RestScalar {
  using Type = T;
};
template <typename S, typename P>
requires(!std::is_same_v<S, Dual<P, 1>>) struct RestScalar<S, Dual<P, 1>> {
  using Type = P;
};
template <typename S, typename T>
using RestT = typename RestScalar<S, T>::Type;

/// The kernels of a Sweep. A Sweep is
/// @code
/// template <typename S, typename T>   // T: S, a pack of S, or a Dual<.., 1> of one of these
/// class Sweep {
///   static int coordinate_count(const Parameters&);
///   /// Takes its own memory from `pieces` (always the same sizes; without memory the sweep is not used).
///   /// q, v: n_B, the same in every lane; v null: no curvature will be asked for.
///   Sweep(const Parameters&, const T* q, const T* v, ScratchPieces& pieces);
///   /// Fills what `point` asks for at the rest position x. No branch on a value.
///   /// @return mask of the lanes in which f is defined.
///   MaskT<T> carry(const Vector3T<RestT<S, T>>& x, const CarriedPoint<T>& point);
///   std::string fault() const;         // why the last point was not in the domain (asked with T = S only)
/// };
/// @endcode
template <template <typename, typename> class Sweep, typename Parameters, typename P, typename S>
struct KinematicsKernelsOf {
  using Along = Dual<P, 1>;
  static constexpr int k_width = Lanes<P, S>::k_width;

  /// A sweep with the arguments and results of one point, in scratch memory.
  template <typename T>
  struct Station {
    std::size_t n;
    ScratchPieces pieces;
    T *q, *v;
    Vector3T<T>* slopes;
    Matrix3T<T>* F_slopes;

    Station(const Parameters& parameters, void* scratch)
        : n(Sweep<S, T>::coordinate_count(parameters)),
          pieces(scratch),
          q(pieces.template take<T>(n)),
          v(pieces.template take<T>(n)),
          slopes(pieces.template take<Vector3T<T>>(n)),
          F_slopes(pieces.template take<Matrix3T<T>>(n)) {}
    static std::size_t size(const Parameters& parameters) {
      Station station(parameters, nullptr);
      const Sweep<S, T> sweep(parameters, nullptr, nullptr, station.pieces);
      return station.pieces.size();
    }
  };

  static std::size_t scratch_size(const Parameters& parameters) {
    const std::size_t plain = Station<P>::size(parameters), along = Station<Along>::size(parameters);
    return plain > along ? plain : along;
  }

  static std::size_t move(const Parameters& parameters, const PointRequestT<S>& request, const S* x, std::size_t blocks,
                          const PointMotionsT<S>& motions, void* scratch) {
    Station<P> station(parameters, scratch);
    const int n = static_cast<int>(station.n);
    const bool second = request.level == MotionLevel::acceleration;
    for (int j = 0; j < n; ++j) station.q[j] = P(request.q[j]);
    for (int j = 0; second && j < n; ++j) station.v[j] = P(request.v[j]);
    Sweep<S, P> sweep(parameters, station.q, second ? station.v : nullptr, station.pieces);
    Vector3T<P> value, curvature;
    CarriedPoint<P> point{.value = &value};
    if (request.slopes) point.slopes = station.slopes;
    if (second) point.curvature = &curvature;
    std::size_t faulty = blocks;
    for (std::size_t block = 0; block < blocks; ++block) {
      for (int lane = 0; lane < k_point_lanes<S>; lane += k_width) {
        const auto inside = sweep.carry(point::load_vector<P>(x + block * k_vector_block<S> + lane), point);
        if (faulty == blocks && !all(inside)) faulty = block;
        point::store_vector(motions.value(block) + lane, value);
        for (int j = 0; request.slopes && j < n; ++j) {
          point::store_vector(motions.slope(block, j) + lane, station.slopes[j]);
        }
        if (second) point::store_vector(motions.curvature(block) + lane, curvature);
      }
    }
    return faulty;
  }

  /// Stops at the first part that has a point where f is not defined.
  template <typename T>
  static std::size_t carry_gradients(const Parameters& parameters, Station<T>& station, const S* x, std::size_t blocks,
                                     const GradientResultsT<S>& results, const GradientUse& use) {
    constexpr std::size_t k_block = point::k_matrix_block<T, P, S>;
    Sweep<S, T> sweep(parameters, station.q, nullptr, station.pieces);
    Vector3T<T> value;
    Matrix3T<T> gradient;
    CarriedPoint<T> point{.value = &value, .F = &gradient, .any_rotation = results.any_rotation};
    if (results.slopes) point.slopes = station.slopes, point.F_slopes = station.F_slopes;
    for (std::size_t first = 0; first < blocks; first += k_gradient_blocks) {
      const std::size_t count = blocks - first < k_gradient_blocks ? blocks - first : k_gradient_blocks;
      for (std::size_t block = 0; block < count; ++block) {
        for (int lane = 0; lane < k_point_lanes<S>; lane += k_width) {
          const auto inside = sweep.carry(point::load_vector<P>(x + (first + block) * k_vector_block<S> + lane), point);
          if constexpr (std::is_floating_point_v<S>) {  // derivatives go on with what is not a number
            if (!all(inside)) return first + block;
          }
          point::store_matrix<T, P>(results.F + block * k_block + lane, gradient);
          for (std::size_t j = 0; results.slopes && j < station.n; ++j) {
            point::store_matrix<T, P>(results.slopes + (block * station.n + j) * k_block + lane, station.F_slopes[j]);
          }
        }
      }
      use(first, count);
    }
    return blocks;
  }
  static std::size_t gradients(const Parameters& parameters, const S* q, const S* direction, const S* x,
                               std::size_t blocks, const GradientResultsT<S>& results, const GradientUse& use,
                               void* scratch) {
    if (direction == nullptr) {
      Station<P> station(parameters, scratch);
      for (std::size_t j = 0; j < station.n; ++j) station.q[j] = P(q[j]);
      return carry_gradients(parameters, station, x, blocks, results, use);
    }
    Station<Along> station(parameters, scratch);
    for (std::size_t j = 0; j < station.n; ++j) {
      station.q[j] = Along(P(q[j]));
      station.q[j].derivative[0] = P(direction[j]);
    }
    return carry_gradients(parameters, station, x, blocks, results, use);
  }

  static std::string fault(const Parameters& parameters, const S* q, const Vector3T<S>& x, void* scratch) {
    if constexpr (std::is_floating_point_v<S>) {
      Station<S> station(parameters, scratch);
      Sweep<S, S> sweep(parameters, q, nullptr, station.pieces);
      Vector3T<S> value;
      return sweep.carry(x, {.value = &value}) ? std::string() : sweep.fault();
    } else {
      return {};
    }
  }

  static constexpr KinematicsKernelsT<S, Parameters> k_table = {scratch_size, move, gradients, fault};
};

}  // namespace cuttle

/// In a source that is compiled for each instruction set: the kernels of a Sweep there.
#define CUTTLE_KINEMATICS_KERNELS_ISA(function, ParametersT, Sweep)                                  \
  namespace cuttle::CUTTLE_ISA {                                                                     \
  const KinematicsKernelsT<double, ParametersT<double>>& function() {                                \
    return KinematicsKernelsOf<Sweep, ParametersT<double>, Pack<CUTTLE_ISA_WIDTH>, double>::k_table; \
  }                                                                                                  \
  }
