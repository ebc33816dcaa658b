#pragma once

// Second derivatives of PointBodyT, and the forces of its densities. Included by point_body.h.

#include "cuttle/bodies/point_body.h"

namespace CUTTLE_API cuttle {

template <typename S, typename K, int W>
void PointBodyT<S, K, W>::fill_second_slopes(const S* q, const S* v, const S* a, const S* x, std::size_t blocks,
                                             const SecondSlopesT<S>& results) const {
  using L = Wide;
  constexpr std::size_t k_vector = k_vector_block<S>, k_matrix = 3 * k_vector;
  if (results.paths) {
    using T = SlopedInTime<L>;
    std::array<T, n> path;
    for (int j = 0; j < n; ++j) {
      path[j].value.value.value = L(q[j]);
      path[j].value.value.derivative[0] = path[j].value.derivative[0].value = L(v[j]);
      path[j].value.derivative[0].derivative[0] = L(a[j]);
      path[j].derivative[j].value.value = L(1.0);
    }
    each_wide<L>(x, blocks, [&](int lane, const Vector3T<L>& at, std::size_t block) {
      Vector3T<T> p;
      Matrix3T<T> F;
      if (results.F_paths) {
        F = gradient_of(widen<T>(at), path.data(), p);
      } else {
        p = kinematics_.position(widen<T>(at), path.data());
      }
      for (int j = 0; j < n; ++j) {
        const std::size_t entry = 2 * (block * n + j);
        point::store_vector(results.paths + entry * k_vector + lane, part_of(p, once(j)));
        point::store_vector(results.paths + (entry + 1) * k_vector + lane, part_of(p, twice(j)));
        if (!results.F_paths) continue;
        store_part(results.F_paths + entry * k_matrix + lane, F, once(j));
        store_part(results.F_paths + (entry + 1) * k_matrix + lane, F, twice(j));
      }
    });
  }
  if (!results.hessians) return;
  using T = SecondOf<L>;
  const std::array<T, n> at_q = twice_variables<L>(q);
  each_wide<L>(x, blocks, [&](int lane, const Vector3T<L>& at, std::size_t block) {
    Vector3T<T> p;
    Matrix3T<T> F;
    if (results.F_hessians) {
      F = gradient_of(widen<T>(at), at_q.data(), p);
    } else {
      p = kinematics_.position(widen<T>(at), at_q.data());
    }
    for (int pair = 0; pair < T::k_pairs; ++pair) {
      const auto second = [pair](const T& t) { return t.hessian[pair]; };
      const std::size_t entry = block * T::k_pairs + pair;
      point::store_vector(results.hessians + entry * k_vector + lane, part_of(p, second));
      if (results.F_hessians) store_part(results.F_hessians + entry * k_matrix + lane, F, second);
    }
  });
}

template <typename S, typename K, int W>
void PointBodyT<S, K, W>::add_internal_derivatives(const S* q, const S* v, S* by_q, S* by_v) const {
  using L = WideDensity;
  std::fill_n(by_q, n * n, S(0.0)), std::fill_n(by_v, n * n, S(0.0));
  constexpr bool stored = Has<S>::energy_density && !Has<S>::stiffness_matrix;
  constexpr bool lost = Has<S>::dissipation_density && !Has<S>::damping_force;
  if constexpr (Has<S>::elastic && !stored) stiffness_matrix(q, by_q);
  if constexpr (Has<S>::damped && !lost) {
    damping_matrix(q, v, by_v);
    add_damping_slopes(q, v, by_q);
  }
  if constexpr (stored || lost) {
    std::array<L, n * n> sums_q, sums_v;
    sums_q.fill(L(0.0)), sums_v.fill(L(0.0));
    const std::array<SecondOf<L>, n> at_q = twice_variables<L>(q);
    Vector3T<SecondOf<L>> p;
    each_point<L, L>([&](const L& weight, const Vector3T<L>& x, std::size_t) {
      const Matrix3T<SecondOf<L>> F = gradient_of(widen<SecondOf<L>>(x), at_q.data(), p);
      if constexpr (stored) {
        const SecondOf<L> energy = kinematics_.energy_density(F);
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < n; ++j) sums_q[i * n + j] += weight * energy.hessian[pair_of(i, j)];
        }
      }
      if constexpr (lost) {
        using T = RateAlong<L>;
        Matrix3T<T> value, rate;
        for (int r = 0; r < 3; ++r) {
          for (int c = 0; c < 3; ++c) {
            const SecondOf<L>& f = F(r, c);
            Dual<L, n> by_place(f.value), motion(L(0.0));
            T moving(L(0.0));
            for (int i = 0; i < n; ++i) {
              by_place.derivative[i] = f.gradient[i];
              motion.value += L(v[i]) * f.gradient[i];
              moving.derivative[i].value = f.gradient[i];
              for (int j = 0; j < n; ++j) {
                const L& second = f.hessian[pair_of(i, j)];
                moving.derivative[i].derivative[j] = second;
                motion.derivative[j] += L(v[i]) * second;
              }
            }
            moving.value = motion;
            value(r, c) = T(by_place), rate(r, c) = moving;
          }
        }
        const T power = kinematics_.dissipation_density(value, rate);
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < n; ++j) sums_q[i * n + j] += weight * power.derivative[i].derivative[j];
        }
      }
    });
    for (int i = 0; i < n * n; ++i) by_q[i] += Lanes<L, S>::sum(sums_q[i]);
    if constexpr (lost) damping_matrix(q, v, by_v);
  }
}

template <typename S, typename K, int W>
void PointBodyT<S, K, W>::add_damping_slopes(const S* q, const S* v, S* slopes) const {
  if constexpr (Has<S>::damping_force) {
    std::array<Sloped, n> at, rates = spread<Sloped>(v), force;
    for (int j = 0; j < n; ++j) at[j] = Sloped::variable(q[j], j);
    kinematics_.damping_force(at.data(), rates.data(), force.data());
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) slopes[i * n + j] += force[i].derivative[j];
    }
  } else {
    std::array<TwiceSloped, n> at, rates;
    for (int j = 0; j < n; ++j) {
      at[j] = TwiceSloped(Sloped::variable(q[j], j));
      rates[j] = TwiceSloped::variable(Sloped(v[j]), j);
    }
    const TwiceSloped power = kinematics_.dissipation(at.data(), rates.data());
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) slopes[i * n + j] += power.derivative[i].derivative[j];
    }
  }
}

template <typename S, typename K, int W>
void PointBodyT<S, K, W>::add_density_forces(const S* q, const S* v, bool elastic, bool damping, S* force) const {
  using L = DensityLanes;
  using T = Dual<L, n>;
  std::array<L, n> sums;
  sums.fill(L(0.0));
  each_gradient<L>(q, [&](const L& weight, const Matrix3T<T>& F) {
    T power(0.0);
    if constexpr (Has<T>::energy_density) {
      if (elastic) power += kinematics_.energy_density(F);
    }
    if constexpr (Has<T>::dissipation_density) {
      if (damping) power += kinematics_.dissipation_density(values_of<T>(F), rate_of(F, v));
    }
    for (int j = 0; j < n; ++j) sums[j] += weight * power.derivative[j];
  });
  add_lanes(sums, force);
}

template <typename S, typename K, int W>
void PointBodyT<S, K, W>::add_density_damping(const S* q, const S* v, S* damping) const {
  using L = DensityLanes;
  using T = Dual<L, n>;
  using Twice = Dual<T, n>;
  std::array<std::array<L, n>, n> sums;
  for (auto& row : sums) row.fill(L(0.0));
  each_gradient<L>(q, [&](const L& weight, const Matrix3T<T>& F) {
    const Matrix3T<T> rate = rate_of(F, v);
    Matrix3T<Twice> wide;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        wide(r, c) = Twice(rate(r, c));
        for (int j = 0; j < n; ++j) wide(r, c).derivative[j] = T(rate(r, c).derivative[j]);
      }
    }
    const Twice power = kinematics_.dissipation_density(values_of<Twice>(F), wide);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) sums[i][j] += weight * power.derivative[i].derivative[j];
    }
  });
  for (int i = 0; i < n; ++i) add_lanes(sums[i], damping + i * n);
}

}  // namespace cuttle
