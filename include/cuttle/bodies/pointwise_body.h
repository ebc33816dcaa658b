#pragma once

#include "cuttle/api.h"
#include "cuttle/bodies/point_body_base.h"

namespace CUTTLE_API cuttle {

/// Point body whose derived class computes one point after the other, with vectors where one expects them.
template <typename S>
class PointwiseBodyT : public PointBodyBaseT<S> {
  using Base = PointBodyBaseT<S>;

 public:
  using typename Base::Request;
  /// Motion of one point, or of a direction fixed in the material: to be filled.
  struct Motion {
    Vector3T<S>& value;      ///< f(x, q)
    Vector3T<S>* slopes;     ///< df/dq_j, n_B
    Vector3T<S>& curvature;  ///< sum_jk d2f/(dq_j dq_k) v_j v_k; only at level acceleration
  };
  /// Motions one behind the other.
  class Motions {
   public:
    Motions(Vector3T<S>* memory, int coordinates) : memory_(memory), stride_(coordinates + 2) {}
    Motion operator[](std::size_t i) const {
      Vector3T<S>* at = memory_ + i * stride_;
      return {at[0], at + 1, at[stride_ - 1]};
    }
    static std::size_t size(std::size_t count, int coordinates) { return count * (coordinates + 2); }

   private:
    Vector3T<S>* memory_;
    std::size_t stride_;
  };

  bool has_material_points() const final { return true; }
  /// @throws ModelError if F is asked for and the body has no axes at points.
  void material_points(const S* q, const Vector3T<S>* x, std::size_t count,
                       const MaterialPointsT<S>& points) const final;

 protected:
  using Base::Base;

  static constexpr std::size_t k_axes_motions = 4;  ///< that move_point_axes fills

  /// Fills motions[i] of the rest positions x[i], i < count.
  virtual void move_points(const Request& request, const Vector3T<S>* x, std::size_t count,
                           const Motions& motions) const = 0;
  /// Fills motions[0] of f, motions[1] of F e1, motions[2] of F e2 and motions[3] of F e3 at x.
  virtual void move_point_axes(const Request& request, const Vector3T<S>& x, const Motions& motions) const = 0;

  std::size_t move_scratch_size() const final {
    // the points of a block; a point and its axes
    return Motions::size(k_point_lanes<S> + k_axes_motions, this->coordinate_count()) * sizeof(Vector3T<S>);
  }
  void move(const Request& request, const S* x, std::size_t blocks, const typename Base::Motions& motions,
            void* scratch) const override;
  void move_axes(const Request& request, const Vector3T<S>& x, typename Base::Direction (&axes)[2],
                 void* scratch) const final;
  std::size_t first_folded(const S* q, void* scratch) const final;
};

}  // namespace cuttle
