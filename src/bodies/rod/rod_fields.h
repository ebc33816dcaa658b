#pragma once

#include "bodies/rod/rod_kernels.h"
#include "cuttle/spatial/exponential.h"
#include "cuttle/spatial/pack.h"

// How the kernels of a rod read and write what they keep of each stop, for lanes P of scalar S.

// Everything here lies in a namespace of the instruction set that the source is compiled for: the linker must never
// take a copy made for another.
#if !defined(CUTTLE_ISA)
#define CUTTLE_ISA portable
#endif

namespace cuttle::CUTTLE_ISA::rod {

/// Reads and writes structures of arrays: component i of a quantity lies `stride` scalars after component i - 1.
template <typename P, typename S>
struct Field {
  using L = Lanes<P, S>;

  static CUTTLE_INLINE Vector3T<P> vector(const S* p, int stride) {
    return {L::load(p), L::load(p + stride), L::load(p + 2 * stride)};
  }
  static CUTTLE_INLINE TwistT<P> twist(const S* p, int stride) {
    return {vector(p, stride), vector(p + 3 * stride, stride)};
  }
  static CUTTLE_INLINE WrenchT<P> wrench(const S* p, int stride) {
    return {vector(p, stride), vector(p + 3 * stride, stride)};
  }
  static CUTTLE_INLINE Matrix3T<P> matrix(const S* p, int stride) {
    return {vector(p, stride), vector(p + 3 * stride, stride), vector(p + 6 * stride, stride)};
  }
  static CUTTLE_INLINE void store(S* p, int stride, const Vector3T<P>& v) {
    L::store(p, v.x), L::store(p + stride, v.y), L::store(p + 2 * stride, v.z);
  }
  static CUTTLE_INLINE void store(S* p, int stride, const TwistT<P>& t) {
    store(p, stride, t.angular), store(p + 3 * stride, stride, t.linear);
  }
  static CUTTLE_INLINE void store(S* p, int stride, const WrenchT<P>& t) {
    store(p, stride, t.torque), store(p + 3 * stride, stride, t.force);
  }
  static CUTTLE_INLINE void store(S* p, int stride, const Matrix3T<P>& m) {
    store(p, stride, m.row0), store(p + 3 * stride, stride, m.row1), store(p + 6 * stride, stride, m.row2);
  }
};

/// The kept fields of the stops j, j + 1, .. that the lanes of P hold.
template <typename P, typename S>
struct Stops {
  using F = Field<P, S>;
  S* kept;
  const RodGrid<S>& grid;
  S* motion;  ///< the fields from k_motion on, where each component has its row

  CUTTLE_INLINE Stops(S* kept_fields, const RodGrid<S>& its_grid)
      : Stops(kept_fields, its_grid, kept_fields + RodFields::k_motion * its_grid.stride) {}
  /// @param motion_fields  elsewhere, where rows are by component: kept by nobody.
  CUTTLE_INLINE Stops(S* kept_fields, const RodGrid<S>& its_grid, S* motion_fields)
      : kept(kept_fields), grid(its_grid), motion(motion_fields) {}

  CUTTLE_INLINE S* at(int field, int j) const {
    if (RodLayout<S>::k_by_component && field >= RodFields::k_motion) {
      return RodLayout<S>::at(motion, field - RodFields::k_motion, j, grid);
    }
    return RodLayout<S>::at(kept, field, j, grid);
  }
  CUTTLE_INLINE int stride() const { return RodLayout<S>::stride(grid); }
  CUTTLE_INLINE Vector3T<P> vector(int field, int j) const { return F::vector(at(field, j), stride()); }
  CUTTLE_INLINE TwistT<P> twist(int field, int j) const { return F::twist(at(field, j), stride()); }
  CUTTLE_INLINE WrenchT<P> wrench(int field, int j) const { return F::wrench(at(field, j), stride()); }
  CUTTLE_INLINE Matrix3T<P> matrix(int field, int j) const { return F::matrix(at(field, j), stride()); }
  template <typename Quantity>
  CUTTLE_INLINE void store(int field, int j, const Quantity& value) const {
    F::store(at(field, j), stride(), value);
  }
  CUTTLE_INLINE PoseT<P> step(int j) const {
    return {matrix(RodFields::k_step_rotation, j), vector(RodFields::k_step_position, j)};
  }
  /// Pose of the stop in the base frame.
  CUTTLE_INLINE PoseT<P> base_stop(int j) const {
    return {matrix(RodFields::k_base_rotation, j), vector(RodFields::k_base_position, j)};
  }
  /// c_2 .. c_5; right_tangent does not use the others.
  CUTTLE_INLINE Stumpff<P, 5> stumpff(int j) const {
    Stumpff<P, 5> c;
    c.c[0] = c.c[1] = P(0.0);
    for (int i = 0; i < 4; ++i) c.c[2 + i] = Lanes<P, S>::load(at(RodFields::k_stumpff + i, j));
    return c;
  }
};

/// Six values a stop in scratch memory, laid out as the kept fields are.
template <typename P, typename S>
struct StopValues {
  S* values;
  const RodGrid<S>& grid;

  CUTTLE_INLINE S* at(int j) const { return RodLayout<S>::in(values, 6, j); }
  CUTTLE_INLINE TwistT<P> twist(int j) const { return Field<P, S>::twist(at(j), RodLayout<S>::stride(grid)); }
  CUTTLE_INLINE WrenchT<P> wrench(int j) const { return Field<P, S>::wrench(at(j), RodLayout<S>::stride(grid)); }
  template <typename Quantity>
  CUTTLE_INLINE void store(int j, const Quantity& value) const {
    Field<P, S>::store(at(j), RodLayout<S>::stride(grid), value);
  }
};

/// Which lanes of a pack that starts at step j are before `end`.
template <typename P, typename S>
CUTTLE_INLINE auto lanes_before(int j, int end) {
  if constexpr (Lanes<P, S>::k_width == 1) {
    return j < end;
  } else {
    static constexpr double k_numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    return Lanes<P, S>::load(k_numbers) < P(static_cast<double>(end - j));
  }
}

}  // namespace cuttle::CUTTLE_ISA::rod
