#pragma once

#include <cstddef>
#include <new>
#include <string>

#include "bodies/volume/point_sums_impl.h"
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
  /// Slopes of the first so many coordinates are asked for; others may be left undefined. Only without curvature.
  std::size_t slope_count = static_cast<std::size_t>(-1);
};

/// Hands out pieces of a scratch memory, each aligned to 64 bytes and not initialized; without memory it only measures.
class ScratchPieces {
 public:
  explicit ScratchPieces(void* memory = nullptr) : memory_(static_cast<char*>(memory)) {}
  template <typename T>
  T* take(std::size_t count) {
    const std::size_t begin = size_;
    size_ += (count * sizeof(T) + 63) / 64 * 64;
    return memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + begin);
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
template <typename S, typename P, int N>
requires(!std::is_same_v<S, Dual<P, N>>) struct RestScalar<S, Dual<P, N>> {
  using Type = typename RestScalar<S, P>::Type;
};
template <typename S, typename T>
using RestT = typename RestScalar<S, T>::Type;

/// The kernels of a Sweep. A Sweep is
/// @code
/// template <typename S, typename T>   // T: S, a pack of S, or Duals of one of these, also nested
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

  /// Arguments and results of a sweep at one point, in scratch memory, and what the sweep takes of it.
  template <typename T>
  struct PointMemory {
    std::size_t n;
    ScratchPieces pieces;
    T *q, *v;
    Vector3T<T>* slopes;
    Matrix3T<T>* F_slopes;

    PointMemory(const Parameters& parameters, void* scratch)
        : n(Sweep<S, T>::coordinate_count(parameters)),
          pieces(scratch),
          q(pieces.template take<T>(n)),
          v(pieces.template take<T>(n)),
          slopes(pieces.template take<Vector3T<T>>(n)),
          F_slopes(pieces.template take<Matrix3T<T>>(n)) {}
    static std::size_t size(const Parameters& parameters) {
      PointMemory memory(parameters, nullptr);
      const Sweep<S, T> sweep(parameters, nullptr, nullptr, memory.pieces);
      return memory.pieces.size();
    }
  };

  static std::size_t scratch_size(const Parameters& parameters) {
    const std::size_t plain = PointMemory<P>::size(parameters), along = PointMemory<Along>::size(parameters);
    return plain > along ? plain : along;
  }

  static std::size_t move(const Parameters& parameters, const PointRequestT<S>& request, const S* x, std::size_t blocks,
                          const PointMotionsT<S>& motions, void* scratch) {
    PointMemory<P> memory(parameters, scratch);
    const int n = static_cast<int>(memory.n);
    const bool second = request.level == MotionLevel::acceleration;
    for (int j = 0; j < n; ++j) memory.q[j] = P(request.q[j]);
    for (int j = 0; second && j < n; ++j) memory.v[j] = P(request.v[j]);
    Sweep<S, P> sweep(parameters, memory.q, second ? memory.v : nullptr, memory.pieces);
    Vector3T<P> value, curvature;
    CarriedPoint<P> point{.value = &value};
    if (request.slopes) point.slopes = memory.slopes;
    if (second) point.curvature = &curvature;
    std::size_t faulty = blocks;
    for (std::size_t block = 0; block < blocks; ++block) {
      for (int lane = 0; lane < k_point_lanes<S>; lane += k_width) {
        const auto inside = sweep.carry(point::load_vector<P>(x + block * k_vector_block<S> + lane), point);
        if (faulty == blocks && !all(inside)) faulty = block;
        point::store_vector(motions.value(block) + lane, value);
        for (int j = 0; request.slopes && j < n; ++j) {
          point::store_vector(motions.slope(block, j) + lane, memory.slopes[j]);
        }
        if (second) point::store_vector(motions.curvature(block) + lane, curvature);
      }
    }
    return faulty;
  }

  /// Stops at the first part that has a point where f is not defined.
  template <typename T>
  static std::size_t carry_gradients(const Parameters& parameters, PointMemory<T>& memory, const S* x,
                                     std::size_t blocks, const GradientResultsT<S>& results, const GradientUse& use) {
    constexpr std::size_t k_block = point::k_matrix_block<T, P, S>;
    Sweep<S, T> sweep(parameters, memory.q, nullptr, memory.pieces);
    Vector3T<T> value;
    Matrix3T<T> gradient;
    CarriedPoint<T> point{.value = &value, .F = &gradient, .any_rotation = results.any_rotation};
    if (results.slopes) point.slopes = memory.slopes, point.F_slopes = memory.F_slopes;
    for (std::size_t first = 0; first < blocks; first += k_gradient_blocks) {
      const std::size_t count = blocks - first < k_gradient_blocks ? blocks - first : k_gradient_blocks;
      for (std::size_t block = 0; block < count; ++block) {
        for (int lane = 0; lane < k_point_lanes<S>; lane += k_width) {
          const auto inside = sweep.carry(point::load_vector<P>(x + (first + block) * k_vector_block<S> + lane), point);
          if constexpr (std::is_floating_point_v<S>) {  // derivatives go on with what is not a number
            if (!all(inside)) return first + block;
          }
          point::store_matrix<T, P>(results.F + block * k_block + lane, gradient);
          for (std::size_t j = 0; results.slopes && j < memory.n; ++j) {
            point::store_matrix<T, P>(results.slopes + (block * memory.n + j) * k_block + lane, memory.F_slopes[j]);
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
      PointMemory<P> memory(parameters, scratch);
      for (std::size_t j = 0; j < memory.n; ++j) memory.q[j] = P(q[j]);
      return carry_gradients(parameters, memory, x, blocks, results, use);
    }
    PointMemory<Along> memory(parameters, scratch);
    for (std::size_t j = 0; j < memory.n; ++j) {
      memory.q[j] = Along(P(q[j]));
      memory.q[j].derivative[0] = P(direction[j]);
    }
    return carry_gradients(parameters, memory, x, blocks, results, use);
  }

  // Second derivatives: slopes for Duals. A sweep each for the values, the path in time, and two coordinates at a time,
  // all of which keep what they know of a slice from one part of the points to the next.
  using InTime = Dual<Dual<P, 1>, 1>;
  using AlongTwo = Dual<P, 2>;
  static constexpr bool k_second = std::is_same_v<S, double>;

  template <typename T>
  struct Seeded {
    PointMemory<T> memory;
    Sweep<S, T> sweep;
    Vector3T<T> value;
    Matrix3T<T> F;
    CarriedPoint<T> point;

    /// @param seed  of the coordinate j.
    template <typename Seed>
    Seeded(const Parameters& parameters, void* scratch, const Seed& seed)
        : memory(parameters, scratch), sweep(parameters, seeded(memory, seed), nullptr, memory.pieces) {
      point.value = &value, point.slopes = memory.slopes;
    }
    void ask_gradients(bool with_gradients) {
      point.F = with_gradients ? &F : nullptr;
      point.F_slopes = with_gradients ? memory.F_slopes : nullptr;
    }
    /// Calls use(block, lane offset) for the lanes of a few blocks. @return false where f is not defined.
    template <typename Use>
    bool carry(const S* x, std::size_t first, std::size_t count, const Use& use) {
      for (std::size_t block = 0; block < count; ++block) {
        for (int lane = 0; lane < k_point_lanes<S>; lane += k_width) {
          const auto at = point::load_vector<P>(x + (first + block) * k_vector_block<S> + lane);
          if (!all(sweep.carry(at, point))) return false;
          use(block, lane);
        }
      }
      return true;
    }

   private:
    template <typename Seed>
    static const T* seeded(PointMemory<T>& memory, const Seed& seed) {
      for (std::size_t j = 0; j < memory.n; ++j) memory.q[j] = seed(j);
      return memory.q;
    }
  };
  /// Where sweeps lie in the scratch.
  struct SecondMemory {
    std::size_t pairs;
    ScratchPieces pieces;
    void *values, *paths;
    char* along;
    std::size_t along_size;
    Seeded<InTime>* path_sweep;
    Seeded<AlongTwo>* sweeps;

    SecondMemory(const Parameters& parameters, void* scratch)
        : pairs((static_cast<std::size_t>(Sweep<S, P>::coordinate_count(parameters)) + 1) / 2),
          pieces(scratch),
          values(pieces.template take<char>(PointMemory<P>::size(parameters))),
          paths(pieces.template take<char>(PointMemory<InTime>::size(parameters))) {
      along_size = (PointMemory<AlongTwo>::size(parameters) + 63) / 64 * 64;
      along = pieces.template take<char>(pairs * along_size);
      path_sweep = pieces.template take<Seeded<InTime>>(1);
      sweeps = pieces.template take<Seeded<AlongTwo>>(pairs);
    }
  };
  static std::size_t second_slopes_scratch_size(const Parameters& parameters) {
    if constexpr (k_second) {
      return SecondMemory(parameters, nullptr).pieces.size();
    } else {
      return 0;
    }
  }

  template <typename T, typename Part>
  static CUTTLE_INLINE Vector3T<P> part_of(const Vector3T<T>& a, const Part& part) {
    return {part(a.x), part(a.y), part(a.z)};
  }
  template <typename T, typename Part>
  static CUTTLE_INLINE Matrix3T<P> part_of(const Matrix3T<T>& A, const Part& part) {
    return {part_of(A.row0, part), part_of(A.row1, part), part_of(A.row2, part)};
  }

  static std::size_t second_slopes(const Parameters& parameters, const S* q, const S* v, const S* a, const S* x,
                                   std::size_t blocks, const SecondSlopesT<S>& results, const GradientUse& use,
                                   void* scratch) {
    constexpr std::size_t k_block = point::k_matrix_block<P, P, S>;
    const std::size_t n = Sweep<S, P>::coordinate_count(parameters), all_pairs = SecondSlopesT<S>::pairs(n);
    const SecondMemory memory(parameters, scratch);

    Seeded<P> values(parameters, memory.values, [&](std::size_t j) { return P(q[j]); });
    values.ask_gradients(results.F);
    if (!results.F_slopes) values.point.F_slopes = nullptr;
    values.point.any_rotation = results.any_rotation;
    const auto carry_values = [&](std::size_t first, std::size_t count) {
      return values.carry(x, first, count, [&](std::size_t block, int lane) {
        point::store_matrix<P, P>(results.F + block * k_block + lane, values.F);
        for (std::size_t j = 0; results.F_slopes && j < n; ++j) {
          point::store_matrix<P, P>(results.F_slopes + (block * n + j) * k_block + lane, values.memory.F_slopes[j]);
        }
      });
    };

    const bool with_paths = results.paths || results.F_paths;
    if (with_paths && !results.resume) {
      new (memory.path_sweep) Seeded<InTime>(parameters, memory.paths, [&](std::size_t j) {
        InTime path{Dual<P, 1>(P(q[j]))};
        path.value.derivative[0] = path.derivative[0].value = P(v[j]);
        path.derivative[0].derivative[0] = P(a[j]);
        return path;
      });
    }
    if (with_paths) memory.path_sweep->ask_gradients(results.F_paths);
    const auto carry_paths = [&](std::size_t first, std::size_t count) {
      Seeded<InTime>& paths = *memory.path_sweep;
      const auto once = [](const InTime& t) { return t.value.derivative[0]; };
      const auto twice = [](const InTime& t) { return t.derivative[0].derivative[0]; };
      return paths.carry(x, first, count, [&](std::size_t block, int lane) {
        for (std::size_t j = 0; results.paths && j < n; ++j) {
          S* to = results.paths + (block * n + j) * 2 * k_vector_block<S> + lane;
          point::store_vector(to, part_of(paths.memory.slopes[j], once));
          point::store_vector(to + k_vector_block<S>, part_of(paths.memory.slopes[j], twice));
        }
        for (std::size_t j = 0; results.F_paths && j < n; ++j) {
          S* to = results.F_paths + (block * n + j) * 2 * k_block + lane;
          point::store_matrix<P, P>(to, part_of(paths.memory.F_slopes[j], once));
          point::store_matrix<P, P>(to + k_block, part_of(paths.memory.F_slopes[j], twice));
        }
      });
    };

    const bool with_pairs = results.hessians || results.F_hessians;
    for (std::size_t pair = 0; with_pairs && pair < memory.pairs; ++pair) {
      const std::size_t j = 2 * pair;
      if (!results.resume) {
        new (memory.sweeps + pair)
            Seeded<AlongTwo>(parameters, memory.along + pair * memory.along_size, [&](std::size_t k) {
              auto value = AlongTwo(P(q[k]));
              if (k == j || k == j + 1) value.derivative[k - j] = P(1.0);
              return value;
            });
      }
      Seeded<AlongTwo>& along = memory.sweeps[pair];
      along.ask_gradients(results.F_hessians);
      along.point.any_rotation = results.any_rotation;
      along.point.slope_count = j + 2 < n ? j + 2 : n;
    }
    const auto carry_pair = [&](std::size_t pair, std::size_t first, std::size_t count) {
      Seeded<AlongTwo>& along = memory.sweeps[pair];
      return along.carry(x, first, count, [&](std::size_t block, int lane) {
        for (std::size_t k = 2 * pair; k < along.point.slope_count; ++k) {
          const auto part = [d = k - 2 * pair](const AlongTwo& t) { return t.derivative[d]; };
          const std::size_t begin = block * all_pairs + SecondSlopesT<S>::pairs(k);
          for (std::size_t i = 0; results.hessians && i <= k; ++i) {
            point::store_vector(results.hessians + (begin + i) * k_vector_block<S> + lane,
                                part_of(along.memory.slopes[i], part));
          }
          for (std::size_t i = 0; results.F_hessians && i <= k; ++i) {
            point::store_matrix<P, P>(results.F_hessians + (begin + i) * k_block + lane,
                                      part_of(along.memory.F_slopes[i], part));
          }
        }
      });
    };

    for (std::size_t first = 0; first < blocks; first += k_gradient_blocks) {
      const std::size_t count = blocks - first < k_gradient_blocks ? blocks - first : k_gradient_blocks;
      if (results.F && !carry_values(first, count)) return first;
      if (with_paths && !carry_paths(first, count)) return first;
      for (std::size_t pair = 0; with_pairs && pair < memory.pairs; ++pair) {
        if (!carry_pair(pair, first, count)) return first;
      }
      use(first, count);
    }
    return blocks;
  }

  static std::string fault(const Parameters& parameters, const S* q, const Vector3T<S>& x, void* scratch) {
    if constexpr (std::is_floating_point_v<S>) {
      PointMemory<S> memory(parameters, scratch);
      Sweep<S, S> sweep(parameters, q, nullptr, memory.pieces);
      Vector3T<S> value;
      return sweep.carry(x, {.value = &value}) ? std::string() : sweep.fault();
    } else {
      return {};
    }
  }

  static constexpr KinematicsKernelsT<S, Parameters> table() {
    if constexpr (k_second) {
      return {scratch_size, move, gradients, second_slopes_scratch_size, second_slopes, fault};
    } else {
      return {scratch_size, move, gradients, second_slopes_scratch_size, nullptr, fault};
    }
  }
  static constexpr KinematicsKernelsT<S, Parameters> k_table = table();
};

}  // namespace cuttle

/// In a source that is compiled for each instruction set: the kernels of a Sweep there.
// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses
#define CUTTLE_KINEMATICS_KERNELS_ISA(function, ParametersT, Sweep)                                  \
  namespace cuttle::CUTTLE_ISA {                                                                     \
  const KinematicsKernelsT<double, ParametersT<double>>& function() {                                \
    return KinematicsKernelsOf<Sweep, ParametersT<double>, Pack<CUTTLE_ISA_WIDTH>, double>::k_table; \
  }                                                                                                  \
  }
// NOLINTEND(bugprone-macro-parentheses)
