#pragma once

#include <type_traits>

#include "bodies/volume/point_sums.h"
#include "bodies/volume/volume_material_impl.h"
#include "cuttle/bodies/point_lanes.h"
#include "cuttle/spatial/dual.h"

namespace cuttle::point {

/// T of consecutive lanes of a block that starts at p: P itself, or a Dual whose derivatives lie a row of lanes behind.
template <typename T, typename P, typename S>
struct RowOf {
  static constexpr std::size_t k_stride = k_point_lanes<S>;
  static CUTTLE_INLINE T load(const S* p) { return Lanes<P, S>::load(p); }
  static CUTTLE_INLINE void store(S* p, const T& value) { Lanes<P, S>::store(p, value); }
};
template <typename P, typename S>
struct RowOf<Dual<P, 1>, P, S> {
  static constexpr std::size_t k_stride = 2 * k_point_lanes<S>;
  static CUTTLE_INLINE Dual<P, 1> load(const S* p) {
    Dual<P, 1> value(Lanes<P, S>::load(p));
    value.derivative[0] = Lanes<P, S>::load(p + k_point_lanes<S>);
    return value;
  }
  static CUTTLE_INLINE void store(S* p, const Dual<P, 1>& value) {
    Lanes<P, S>::store(p, value.value);
    Lanes<P, S>::store(p + k_point_lanes<S>, value.derivative[0]);
  }
};

template <typename T, typename P, typename S>
CUTTLE_INLINE Matrix3T<T> load_matrix(const S* p) {
  using Row = RowOf<T, P, S>;
  const auto row = [p](std::size_t i) {
    const S* at = p + 3 * i * Row::k_stride;
    return Vector3T<T>{Row::load(at), Row::load(at + Row::k_stride), Row::load(at + 2 * Row::k_stride)};
  };
  return {row(0), row(1), row(2)};
}
template <typename T, typename P, typename S>
CUTTLE_INLINE void store_matrix(S* p, const Matrix3T<T>& A) {
  using Row = RowOf<T, P, S>;
  for (int i = 0; i < 3; ++i) {
    const Vector3T<T>& row = i == 0 ? A.row0 : (i == 1 ? A.row1 : A.row2);
    for (int j = 0; j < 3; ++j) Row::store(p + (3 * i + j) * Row::k_stride, row[j]);
  }
}
/// A vector that is the same in every lane.
template <typename P, typename S>
CUTTLE_INLINE Vector3T<P> everywhere(const Vector3T<S>& a) {
  return {P(a.x), P(a.y), P(a.z)};
}
template <typename P, typename S>
CUTTLE_INLINE Vector3T<S> sum_of(const Vector3T<P>& a) {
  return {Lanes<P, S>::sum(a.x), Lanes<P, S>::sum(a.y), Lanes<P, S>::sum(a.z)};
}
template <typename T>
CUTTLE_INLINE T double_dot(const Matrix3T<T>& A, const Matrix3T<T>& B) {
  return dot(A.row0, B.row0) + dot(A.row1, B.row1) + dot(A.row2, B.row2);
}
/// dE of dF, E = (F^T F - 1) / 2.
template <typename T>
CUTTLE_INLINE Matrix3T<T> strain_change(const Matrix3T<T>& F, const Matrix3T<T>& dF) {
  const Matrix3T<T> half = F.transpose() * dF;
  return T(0.5) * (half + half.transpose());
}

/// Calls use(block, offset of the lanes in a row of the block) for all lanes of all blocks.
template <typename P, typename S, typename Use>
CUTTLE_INLINE void each_lanes(const PointTable<S>& table, const Use& use) {
  for (std::size_t block = 0; block < table.blocks; ++block) {
    for (int lane = 0; lane < k_point_lanes<S>; lane += Lanes<P, S>::k_width) use(block, lane);
  }
}
/// The value of a row of lanes of a table, as mass or volume.
template <typename P, typename S>
CUTTLE_INLINE P row(const S* table, std::size_t block, int lane) {
  return load<P>(table + block * k_point_lanes<S> + lane);
}

template <typename P, typename S>
void complete(const PointTable<S>& table, MotionLevel level, const S* v, const S* a, const PointMotionsT<S>& motions) {
  if (level < MotionLevel::velocity) return;
  each_lanes<P>(table, [&](std::size_t block, int lane) {
    Vector3T<P> rate{P(0.0), P(0.0), P(0.0)}, second = rate;
    if (level == MotionLevel::acceleration) second = load_vector<P>(motions.second(block) + lane);
    for (int j = 0; j < table.coordinates; ++j) {
      const Vector3T<P> slope = load_vector<P>(motions.slope(block, j) + lane);
      rate += P(v[j]) * slope;
      if (level == MotionLevel::acceleration) second += P(a[j]) * slope;
    }
    store_vector<P>(motions.rate(block) + lane, rate);
    if (level == MotionLevel::acceleration) store_vector<P>(motions.second(block) + lane, second);
  });
}

template <typename P, typename S>
std::size_t first_not_finite(const PointTable<S>& table, MotionLevel level, const PointMotionsT<S>& motions) {
  const std::size_t count = k_vector_block<S> * (table.coordinates + (level == MotionLevel::acceleration ? 2 : 1));
  for (std::size_t block = 0; block < table.blocks; ++block) {
    const S* numbers = motions.value(block);
    P sum(0.0);  // 0 unless a number is not finite
    for (std::size_t i = 0; i < count; i += Lanes<P, S>::k_width) {
      const P number = load<P>(numbers + i);
      sum += number - number;
    }
    if (!all(sum == P(0.0))) return block;
  }
  return table.blocks;
}

template <typename P, typename S>
void add_inertial_forces(const PointTable<S>& table, const BodyStateT<S>& state, const PointMotionsT<S>& motions,
                         WrenchT<S>& base, S* force) {
  constexpr int k_most = 16;  // coordinates whose sums stay in lanes
  const int n = table.coordinates;
  const Vector3T<P> w = everywhere<P>(state.base_velocity.angular), v0 = everywhere<P>(state.base_velocity.linear);
  const Vector3T<P> dw = everywhere<P>(state.base_acceleration.angular),
                    a0 = everywhere<P>(state.base_acceleration.linear);
  Vector3T<P> torque{P(0.0), P(0.0), P(0.0)}, total = torque;
  P lanes_of_force[k_most];
  for (int j = 0; j < k_most; ++j) lanes_of_force[j] = P(0.0);
  each_lanes<P>(table, [&](std::size_t block, int lane) {
    const Vector3T<P> p = load_vector<P>(motions.value(block) + lane),
                      rate = load_vector<P>(motions.rate(block) + lane);
    // classical acceleration of the point: d/dt (v + w x p + pdot) + w x (v + w x p + pdot), base axes
    const Vector3T<P> velocity = v0 + cross(w, p) + rate;
    const Vector3T<P> acceleration =
        a0 + cross(dw, p) + cross(w, rate) + load_vector<P>(motions.second(block) + lane) + cross(w, velocity);
    const Vector3T<P> f = row<P>(table.mass, block, lane) * acceleration;
    total += f;
    torque += cross(p, f);
    for (int j = 0; j < n; ++j) {
      const P power = dot(load_vector<P>(motions.slope(block, j) + lane), f);
      if (j < k_most) {
        lanes_of_force[j] += power;
      } else {
        force[j] += Lanes<P, S>::sum(power);
      }
    }
  });
  for (int j = 0; j < n && j < k_most; ++j) force[j] += Lanes<P, S>::sum(lanes_of_force[j]);
  base += WrenchT<S>{sum_of<P, S>(torque), sum_of<P, S>(total)};
}

template <typename P, typename S>
void add_inertia_blocks(const PointTable<S>& table, const PointMotionsT<S>& motions, InertiaBlocksT<S>& blocks) {
  const int n = table.coordinates;
  P mass(0.0), xx(0.0), yy(0.0), zz(0.0), xy(0.0), xz(0.0), yz(0.0);
  Vector3T<P> moment{P(0.0), P(0.0), P(0.0)};
  each_lanes<P>(table, [&](std::size_t block, int lane) {
    const Vector3T<P> p = load_vector<P>(motions.value(block) + lane);
    const P m = row<P>(table.mass, block, lane);
    const Vector3T<P> mp = m * p;
    mass += m;
    moment += mp;
    xx += mp.x * p.x, yy += mp.y * p.y, zz += mp.z * p.z;
    xy += mp.x * p.y, xz += mp.x * p.z, yz += mp.y * p.z;
  });
  const auto sum = [](const P& value) { return Lanes<P, S>::sum(value); };
  blocks.base +=
      SpatialInertiaT<S>{sum(mass), sum_of<P, S>(moment),
                         SymmetricMatrix3T<S>{sum(yy + zz), sum(xx + zz), sum(xx + yy), -sum(xy), -sum(xz), -sum(yz)}};
  // a row of M at a time over a few blocks: its sums stay in registers, the blocks in the first cache
  constexpr std::size_t k_few = 8;
  constexpr int k_together = 4;
  for (std::size_t first = 0; first < table.blocks; first += k_few) {
    const std::size_t past = first + k_few < table.blocks ? first + k_few : table.blocks;
    for (int j = 0; j < n; ++j) {
      Vector3T<P> linear{P(0.0), P(0.0), P(0.0)}, angular = linear;
      for (int k0 = j; k0 < n; k0 += k_together) {
        P products[k_together] = {P(0.0), P(0.0), P(0.0), P(0.0)};
        const int count = k0 + k_together < n ? k_together : n - k0;
        for (std::size_t block = first; block < past; ++block) {
          for (int lane = 0; lane < k_point_lanes<S>; lane += Lanes<P, S>::k_width) {
            const Vector3T<P> momentum =
                row<P>(table.mass, block, lane) * load_vector<P>(motions.slope(block, j) + lane);
            if (k0 == j) {
              linear += momentum;
              angular += cross(load_vector<P>(motions.value(block) + lane), momentum);
            }
            for (int k = 0; k < count; ++k) {
              products[k] += dot(load_vector<P>(motions.slope(block, k0 + k) + lane), momentum);
            }
          }
        }
        for (int k = 0; k < count; ++k) blocks.mass[j * n + k0 + k] += sum(products[k]);
      }
      const Vector3T<S> l = sum_of<P, S>(linear), a = sum_of<P, S>(angular);
      for (int r = 0; r < 3; ++r) {
        blocks.coupling[r * n + j] += a[r];
        blocks.coupling[(r + 3) * n + j] += l[r];
      }
    }
  }
}

template <typename P, typename S>
S kinetic_energy(const PointTable<S>& table, const BodyStateT<S>& state, const PointMotionsT<S>& motions) {
  const Vector3T<P> w = everywhere<P>(state.base_velocity.angular), v0 = everywhere<P>(state.base_velocity.linear);
  P sum(0.0);
  each_lanes<P>(table, [&](std::size_t block, int lane) {
    const Vector3T<P> velocity =
        v0 + cross(w, load_vector<P>(motions.value(block) + lane)) + load_vector<P>(motions.rate(block) + lane);
    sum += P(0.5) * row<P>(table.mass, block, lane) * dot(velocity, velocity);
  });
  return Lanes<P, S>::sum(sum);
}

template <typename P, typename S>
Vector3T<S> mass_moment(const PointTable<S>& table, const PointMotionsT<S>& motions) {
  Vector3T<P> sum{P(0.0), P(0.0), P(0.0)};
  each_lanes<P>(table, [&](std::size_t block, int lane) {
    sum += row<P>(table.mass, block, lane) * load_vector<P>(motions.value(block) + lane);
  });
  return sum_of<P, S>(sum);
}

template <typename P, typename S>
CUTTLE_INLINE void add_to_row(S* lanes, std::size_t row, int lane, const P& value) {
  S* at = lanes + row * k_point_lanes<S> + lane;
  Lanes<P, S>::store(at, load<P>(at) + value);
}

template <typename P, typename S>
void add_derivatives(const PointTable<S>& table, const BodyStateT<S>& state, const PointMotionsT<S>& motions,
                     const S* paths, const S* hessians, S* lanes) {
  const std::size_t n = table.coordinates, all_pairs = n * (n + 1) / 2;
  const PointTangentRows rows(n);
  const Vector3T<P> w = everywhere<P>(state.base_velocity.angular), v0 = everywhere<P>(state.base_velocity.linear);
  const Vector3T<P> dw = everywhere<P>(state.base_acceleration.angular),
                    a0 = everywhere<P>(state.base_acceleration.linear);
  each_lanes<P>(table, [&](std::size_t block, int lane) {
    const auto add = [&](std::size_t row, const P& value) { add_to_row(lanes, row, lane, value); };
    const Vector3T<P> p = load_vector<P>(motions.value(block) + lane),
                      rate = load_vector<P>(motions.rate(block) + lane);
    const P m = row<P>(table.mass, block, lane);
    const Vector3T<P> u = v0 + cross(w, p) + rate;
    // as in add_inertial_forces
    const Vector3T<P> f =
        m * (a0 + cross(dw, p) + cross(w, rate) + load_vector<P>(motions.second(block) + lane) + cross(w, u));
    const Vector3T<P> mu = m * u;
    for (int r = 0; r < 3; ++r) {
      add(rows.momentum + r, mu[r]);
      for (int c = 0; c < 3; ++c) add(rows.momentum + 3 + 3 * r + c, mu[r] * p[c]);
    }
    for (std::size_t pair = 0; pair < all_pairs; ++pair) {
      const S* at = hessians + (block * all_pairs + pair) * k_vector_block<S> + lane;
      add(rows.pairs + pair, dot(f, load_vector<P>(at)));
    }
    for (std::size_t j = 0; j < n; ++j) {
      const S* path = paths + (block * n + j) * 2 * k_vector_block<S> + lane;
      const Vector3T<P> s = load_vector<P>(motions.slope(block, static_cast<int>(j)) + lane);
      const Vector3T<P> ds = load_vector<P>(path), turned = cross(w, s);
      // the slope's derivatives in the inertial frame, times the mass
      const Vector3T<P> first = m * (ds + turned);
      const Vector3T<P> second =
          m * (load_vector<P>(path + k_vector_block<S>) + P(2.0) * cross(w, ds) + cross(dw, s) + cross(w, turned));
      const Vector3T<P> torque_q = cross(s, f) + cross(p, second), torque_v = cross(p, first);
      const Vector3T<P> turn = cross(mu, s);
      for (int r = 0; r < 3; ++r) {
        add(rows.base_by_q + r * n + j, torque_q[r]), add(rows.base_by_q + (r + 3) * n + j, second[r]);
        add(rows.base_by_v + r * n + j, P(2.0) * torque_v[r]);
        add(rows.base_by_v + (r + 3) * n + j, P(2.0) * first[r]);
        add(rows.rate + r * n + j, P(2.0) * turn[r]);
      }
      for (std::size_t i = 0; i < n; ++i) {
        const Vector3T<P> other = load_vector<P>(motions.slope(block, static_cast<int>(i)) + lane);
        add(rows.force_by_q + i * n + j, dot(other, second));
        add(rows.force_by_v + i * n + j, P(2.0) * dot(other, first));
      }
    }
  });
}

/// Where the matrix of a block lies, and the slope j of it.
template <typename T, typename P, typename S>
constexpr std::size_t k_matrix_block = 9 * RowOf<T, P, S>::k_stride;
template <typename T, typename P, typename S>
CUTTLE_INLINE Matrix3T<T> gradient(const S* F, std::size_t block, int lane) {
  return load_matrix<T, P>(F + block * k_matrix_block<T, P, S> + lane);
}
template <typename T, typename P, typename S>
CUTTLE_INLINE Matrix3T<T> gradient_slope(const S* slopes, std::size_t block, int lane, int j, int n) {
  return load_matrix<T, P>(slopes + (block * n + j) * k_matrix_block<T, P, S> + lane);
}

template <typename P, typename S>
void fill_linear_gradients(const PointTable<S>& table, const S* q, const S* direction, const S* slopes, S* F) {
  const int n = table.coordinates;
  each_lanes<P>(table, [&](std::size_t block, int lane) {
    Matrix3T<P> value = Matrix3T<P>::identity(), change{};
    for (int k = 0; k < n; ++k) {
      const Matrix3T<P> G = gradient_slope<P, P>(slopes, block, lane, k, n);
      value += P(q[k]) * G;
      if (direction) change += P(direction[k]) * G;
    }
    if (!direction) {
      store_matrix<P, P>(F + block * k_matrix_block<P, P, S> + lane, value);
      return;
    }
    const auto both = [](const Vector3T<P>& a, const Vector3T<P>& b) {
      Vector3T<Dual<P, 1>> row;
      for (int i = 0; i < 3; ++i) row[i].value = a[i], row[i].derivative[0] = b[i];
      return row;
    };
    const Matrix3T<Dual<P, 1>> along{both(value.row0, change.row0), both(value.row1, change.row1),
                                     both(value.row2, change.row2)};
    store_matrix<Dual<P, 1>, P>(F + block * k_matrix_block<Dual<P, 1>, P, S> + lane, along);
  });
}

template <typename P, typename S>
std::size_t first_folded(const PointTable<S>& table, const S* F) {
  for (std::size_t block = 0; block < table.blocks; ++block) {
    for (int lane = 0; lane < k_point_lanes<S>; lane += Lanes<P, S>::k_width) {
      if (!all(material::determinant(gradient<P, P>(F, block, lane)) > P(0.0))) return block;
    }
  }
  return table.blocks;
}

template <typename P, typename S>
S elastic_energy(const PointTable<S>& table, const VolumeMaterialT<S>& material, const S* F) {
  P sum(0.0);
  each_lanes<P>(table, [&](std::size_t block, int lane) {
    sum += row<P>(table.volume, block, lane) * material.template energy_density<P>(gradient<P, P>(F, block, lane));
  });
  return Lanes<P, S>::sum(sum);
}

// Forces are those of stresses P at the points: stress_at(block, lane) gives them, by a material of the library or from
// a table.

template <typename P, typename S, typename Stress>
CUTTLE_INLINE void add_force(const PointTable<S>& table, const GradientBlocks<S>& at, const Stress& stress_at,
                             S* force) {
  each_lanes<P>(table, [&](std::size_t block, int lane) {
    const Matrix3T<P> stress = row<P>(table.volume, block, lane) * stress_at(block, lane);
    for (int j = 0; j < table.coordinates; ++j) {
      force[j] +=
          Lanes<P, S>::sum(double_dot(stress, gradient_slope<P, P>(at.slopes, block, lane, j, table.coordinates)));
    }
  });
}

template <typename P, typename S, typename Stress>
CUTTLE_INLINE void add_force_change(const PointTable<S>& table, const GradientBlocks<S>& at, const Stress& stress_at,
                                    S* change) {
  using T = Dual<P, 1>;
  each_lanes<P>(table, [&](std::size_t block, int lane) {
    const Matrix3T<T> stress = T(row<P>(table.volume, block, lane)) * stress_at(block, lane);
    for (int j = 0; j < table.coordinates; ++j) {
      const T force = double_dot(stress, gradient_slope<T, P>(at.slopes, block, lane, j, table.coordinates));
      change[j] += Lanes<P, S>::sum(force.derivative[0]);
    }
  });
}

template <typename P, typename S, typename Stress>
CUTTLE_INLINE void add_linear_force_change(const PointTable<S>& table, const GradientBlocks<S>& at,
                                           const Stress& stress_at, S* change) {
  using T = Dual<P, 1>;
  const auto derivative = [](const Vector3T<T>& a) {
    return Vector3T<P>{a.x.derivative[0], a.y.derivative[0], a.z.derivative[0]};
  };
  each_lanes<P>(table, [&](std::size_t block, int lane) {
    const Matrix3T<T> stress = stress_at(block, lane);
    const Matrix3T<P> stress_change =
        row<P>(table.volume, block, lane) *
        Matrix3T<P>{derivative(stress.row0), derivative(stress.row1), derivative(stress.row2)};
    for (int j = 0; j < table.coordinates; ++j) {
      change[j] += Lanes<P, S>::sum(
          double_dot(stress_change, gradient_slope<P, P>(at.slopes, block, lane, j, table.coordinates)));
    }
  });
}

/// By a material of the library. @tparam T  P, or with a derivative along a direction.
template <typename T, typename P, typename S>
CUTTLE_INLINE auto stress_of(const VolumeMaterialT<S>& material, const S* F) {
  return [&material, F](std::size_t block, int lane) {
    return material.template stress<T>(gradient<T, P>(F, block, lane));
  };
}
/// From a table.
template <typename T, typename P, typename S>
CUTTLE_INLINE auto stress_in(const S* stress) {
  return [stress](std::size_t block, int lane) { return gradient<T, P>(stress, block, lane); };
}

template <typename P, typename S>
void add_elastic_force(const PointTable<S>& table, const VolumeMaterialT<S>& material, const GradientBlocks<S>& at,
                       S* force) {
  add_force<P>(table, at, stress_of<P, P>(material, at.F), force);
}
template <typename P, typename S>
void add_elastic_force_change(const PointTable<S>& table, const VolumeMaterialT<S>& material,
                              const GradientBlocks<S>& at, S* change) {
  add_force_change<P>(table, at, stress_of<Dual<P, 1>, P>(material, at.F), change);
}
template <typename P, typename S>
void add_linear_elastic_force_change(const PointTable<S>& table, const VolumeMaterialT<S>& material,
                                     const GradientBlocks<S>& at, S* change) {
  add_linear_force_change<P>(table, at, stress_of<Dual<P, 1>, P>(material, at.F), change);
}
template <typename P, typename S>
void add_force_of_stress(const PointTable<S>& table, const S* stress, const GradientBlocks<S>& at, S* force) {
  add_force<P>(table, at, stress_in<P, P>(stress), force);
}
template <typename P, typename S>
void add_force_change_of_stress(const PointTable<S>& table, const S* stress, const GradientBlocks<S>& at, S* change) {
  add_force_change<P>(table, at, stress_in<Dual<P, 1>, P>(stress), change);
}
template <typename P, typename S>
void add_linear_force_change_of_stress(const PointTable<S>& table, const S* stress, const GradientBlocks<S>& at,
                                       S* change) {
  add_linear_force_change<P>(table, at, stress_in<Dual<P, 1>, P>(stress), change);
}

template <typename P, typename S>
void add_damping_force(const PointTable<S>& table, const S& viscosity, const GradientBlocks<S>& at, const S* v,
                       S* force) {
  const int n = table.coordinates;
  each_lanes<P>(table, [&](std::size_t block, int lane) {
    const Matrix3T<P> F = gradient<P, P>(at.F, block, lane);
    Matrix3T<P> F_rate{};
    for (int j = 0; j < n; ++j) F_rate += P(v[j]) * gradient_slope<P, P>(at.slopes, block, lane, j, n);
    const P weight = P(viscosity) * row<P>(table.volume, block, lane);
    const Matrix3T<P> stress = F * (weight * strain_change(F, F_rate));
    for (int j = 0; j < n; ++j) {
      force[j] += Lanes<P, S>::sum(double_dot(stress, gradient_slope<P, P>(at.slopes, block, lane, j, n)));
    }
  });
}

/// The derivative of the stress along dF.
template <typename P, typename S>
CUTTLE_INLINE Matrix3T<P> stress_change(const VolumeMaterialT<S>& material, const Matrix3T<P>& F,
                                        const Matrix3T<P>& dF) {
  using T = Dual<P, 1>;
  const auto along = [](const Vector3T<P>& value, const Vector3T<P>& change) {
    Vector3T<T> row;
    for (int i = 0; i < 3; ++i) row[i].value = value[i], row[i].derivative[0] = change[i];
    return row;
  };
  const auto change_of = [](const Vector3T<T>& row) {
    return Vector3T<P>{row.x.derivative[0], row.y.derivative[0], row.z.derivative[0]};
  };
  const Matrix3T<T> stress =
      material.template stress<T>(Matrix3T<T>{along(F.row0, dF.row0), along(F.row1, dF.row1), along(F.row2, dF.row2)});
  return {change_of(stress.row0), change_of(stress.row1), change_of(stress.row2)};
}

template <typename P, typename S>
void add_internal_derivatives(const PointTable<S>& table, const VolumeMaterialT<S>* material, const S* viscosity,
                              const InternalBlocks<S>& at, const S* v, S* by_q, S* by_v) {
  const std::size_t n = table.coordinates, all_pairs = n * (n + 1) / 2;
  constexpr std::size_t k_block = k_matrix_block<P, P, S>;
  each_lanes<P>(table, [&](std::size_t block, int lane) {
    const auto slope = [&](std::size_t j) {
      return gradient_slope<P, P>(at.slopes, block, lane, static_cast<int>(j), table.coordinates);
    };
    const Matrix3T<P> F = gradient<P, P>(at.F, block, lane);
    const P volume = row<P>(table.volume, block, lane);
    Matrix3T<P> F_rate{}, viscous{}, stress{};
    if (material) stress = volume * material->template stress<P>(F);
    if (viscosity) {
      for (std::size_t j = 0; j < n; ++j) F_rate += P(v[j]) * slope(j);
      viscous = (P(*viscosity) * volume) * strain_change(F, F_rate);
      stress += F * viscous;
    }
    // what d2F/dq2 does to the force, and to dF/dt by each coordinate
    const auto rate_of = [&](std::size_t j) { return at.rates + j * k_block + lane; };
    if (at.hessians) {
      for (std::size_t j = 0; j < n; ++j) store_matrix<P, P>(rate_of(j), Matrix3T<P>{});
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t i = 0; i <= j; ++i) {
          const std::size_t pair = j * (j + 1) / 2 + i;
          const Matrix3T<P> second = load_matrix<P, P>(at.hessians + (block * all_pairs + pair) * k_block + lane);
          const P term = double_dot(stress, second);
          add_to_row(by_q, i * n + j, lane, term);
          if (i != j) add_to_row(by_q, j * n + i, lane, term);
          if (!viscosity) continue;
          store_matrix<P, P>(rate_of(j), load_matrix<P, P>(rate_of(j)) + P(v[i]) * second);
          if (i != j) store_matrix<P, P>(rate_of(i), load_matrix<P, P>(rate_of(i)) + P(v[j]) * second);
        }
      }
    }
    for (std::size_t j = 0; j < n; ++j) {
      const Matrix3T<P> dF = slope(j);
      Matrix3T<P> change{}, damping{};
      if (material) change = volume * stress_change(*material, F, dF);
      if (viscosity) {
        const P weight = P(*viscosity) * volume;
        damping = F * (weight * strain_change(F, dF));
        Matrix3T<P> strain = strain_change(dF, F_rate);
        if (at.hessians) strain += strain_change(F, load_matrix<P, P>(rate_of(j)));
        change += dF * viscous + F * (weight * strain);
      }
      for (std::size_t i = 0; i < n; ++i) {
        const Matrix3T<P> other = slope(i);
        add_to_row(by_q, i * n + j, lane, double_dot(change, other));
        if (viscosity && i <= j) add_to_row(by_v, i * n + j, lane, double_dot(damping, other));
      }
    }
  });
}

template <typename P, typename S>
void add_damping_matrix(const PointTable<S>& table, const S& viscosity, const GradientBlocks<S>& at, S* damping) {
  const int n = table.coordinates;
  each_lanes<P>(table, [&](std::size_t block, int lane) {
    const Matrix3T<P> F = gradient<P, P>(at.F, block, lane);
    const P weight = P(viscosity) * row<P>(table.volume, block, lane);
    for (int k = 0; k < n; ++k) {
      const Matrix3T<P> stress = F * (weight * strain_change(F, gradient_slope<P, P>(at.slopes, block, lane, k, n)));
      for (int j = 0; j <= k; ++j) {
        damping[j * n + k] += Lanes<P, S>::sum(double_dot(stress, gradient_slope<P, P>(at.slopes, block, lane, j, n)));
      }
    }
  });
}

template <typename P, typename S>
inline constexpr PointSums<S> k_sums = {complete<P, S>,
                                        first_not_finite<P, S>,
                                        add_inertial_forces<P, S>,
                                        add_inertia_blocks<P, S>,
                                        kinetic_energy<P, S>,
                                        mass_moment<P, S>,
                                        add_derivatives<P, S>,
                                        fill_linear_gradients<P, S>,
                                        first_folded<P, S>,
                                        elastic_energy<P, S>,
                                        add_elastic_force<P, S>,
                                        add_elastic_force_change<P, S>,
                                        add_linear_elastic_force_change<P, S>,
                                        add_force_of_stress<P, S>,
                                        add_force_change_of_stress<P, S>,
                                        add_linear_force_change_of_stress<P, S>,
                                        add_damping_force<P, S>,
                                        add_internal_derivatives<P, S>,
                                        add_damping_matrix<P, S>};

}  // namespace cuttle::point
