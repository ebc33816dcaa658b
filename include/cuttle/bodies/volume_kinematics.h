#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <typeinfo>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/bodies/point_block.h"

namespace CUTTLE_API cuttle {

/// Blocks whose deformation gradients are held at once.
inline constexpr std::size_t k_gradient_blocks = 4;
template <typename S>
struct GradientResultsT {
  S* F;
  S* slopes;
  /// Whether F may be turned by any rotation R(x, q), and its slopes lack w x F with any w: enough for a material.
  bool any_rotation = false;
};
/// A callable with the blocks [first, first + count) that lives as long as the call that it is given to.
class GradientUse {
 public:
  template <typename Callable>
  explicit GradientUse(const Callable& callable)
      : context_(&callable), call_([](const void* context, std::size_t first, std::size_t count) {
          (*static_cast<const Callable*>(context))(first, count);
        }) {}
  void operator()(std::size_t first, std::size_t count) const { call_(context_, first, count); }

 private:
  const void* context_;
  void (*call_)(const void*, std::size_t, std::size_t);
};

/// Second derivatives of blocks of points, for k_gradient_blocks blocks, in blocks of rows of lanes as
/// GradientResultsT; null: not asked for. Of pairs of coordinates i <= j there is one entry, at [j (j + 1) / 2 + i].
template <typename S>
struct SecondSlopesT {
  S* paths = nullptr;       ///< d/dt and d2/dt2 of df/dq_j along q + t v + t^2 / 2 a, vectors at [2 j] and [2 j + 1]
  S* hessians = nullptr;    ///< d2f / (dq_i dq_j), vectors
  S* F = nullptr;           ///< df/dx, 9 rows; needed for all that follow
  S* F_slopes = nullptr;    ///< dF/dq_j
  S* F_paths = nullptr;     ///< as paths
  S* F_hessians = nullptr;  ///< as hessians
  /// As of GradientResultsT, where R is the same for F and all of its derivatives: these are exactly those of R^T F.
  bool any_rotation = false;
  /// The scratch is as a call with the same q, v and a left it, which asked for paths and hessians too: what that call
  /// made of them, whatever the points, is taken on.
  bool resume = false;

  static constexpr std::size_t pairs(std::size_t n) { return n * (n + 1) / 2; }
};

/// Where the material points of a volume go, p = f(x, q), [P] (2), and every derivative of f that a volume asks for.
/// A VolumeBodyT makes a body of it. Points come in blocks (point_block.h). One class each kind of kinematics: from
/// SweptKinematicsT it gets all of this but its own formulas at one point.
///
/// Const and shared by threads. `scratch`: scratch_size() bytes, aligned to 64, of nobody else.
/// All throw ConfigurationError, for the scalars double and long double, where f is not defined.
template <typename S>
class VolumeKinematicsT {
 public:
  virtual ~VolumeKinematicsT() = default;

  /// Its name; the `type` of its kind in robot files, if it has one.
  virtual std::string type_name() const { return "kinematics"; }
  virtual std::vector<CoordinateInfo> coordinates() const = 0;
  /// Whether det(df/dx) = 1 wherever f is defined.
  virtual bool keeps_volume() const = 0;
  /// Whether f = x + sum_k phi_k(x) q_k: a body then computes its integrals once (VolumeBodyT).
  virtual bool is_linear() const { return false; }
  virtual std::size_t scratch_size() const = 0;
  /// BodyT::part of a body with these kinematics: what they are made of, by its type, or null.
  virtual std::shared_ptr<const void> find_part(const std::type_info& /*type*/) const { return nullptr; }

  /// Fills the motions of the rest positions x [m]. Quickest if points with the same z stand together.
  virtual void move(const PointRequestT<S>& request, const S* x, std::size_t blocks, const PointMotionsT<S>& motions,
                    void* scratch) const = 0;

  /// Deformation gradients F = df/dx and their slopes dF/dq_j, a few blocks at a time, in blocks of rows of lanes
  /// (bodies/volume/point_sums.h): F has 9 rows a block, the slopes 9 n_B; with a direction of q, each row is followed
  /// by that of its derivatives along it.
  /// @param direction  n_B; null: no derivatives.
  /// @param results    memory for k_gradient_blocks blocks. slopes null: not asked for.
  /// @param use        called with what is in the results, part by part in order.
  virtual void gradients(const S* q, const S* direction, const S* x, std::size_t blocks,
                         const GradientResultsT<S>& results, const GradientUse& use, void* scratch) const = 0;

  /// Whether second_slopes can be called. Bodies whose kinematics are linear in q do not ask.
  virtual bool has_second_slopes() const { return false; }
  virtual std::size_t second_slopes_scratch_size() const { return 0; }
  /// Fills second derivatives, a few blocks at a time, as gradients. v and a: only for paths.
  virtual void second_slopes(const S* /*q*/, const S* /*v*/, const S* /*a*/, const S* /*x*/, std::size_t /*blocks*/,
                             const SecondSlopesT<S>& /*results*/, const GradientUse& /*use*/, void* /*scratch*/) const {
  }

  virtual std::shared_ptr<const VolumeKinematicsT<double>> clone_as(ScalarTag<double>) const = 0;
  virtual std::shared_ptr<const VolumeKinematicsT<long double>> clone_as(ScalarTag<long double>) const = 0;
  virtual std::shared_ptr<const VolumeKinematicsT<ForwardDual>> clone_as(ScalarTag<ForwardDual>) const = 0;
};
using VolumeKinematics = VolumeKinematicsT<double>;

}  // namespace cuttle
