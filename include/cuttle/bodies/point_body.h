#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/bodies/point_kinematics.h"
#include "cuttle/bodies/point_lanes.h"
#include "cuttle/bodies/pointwise_body.h"
#include "cuttle/bodies/volume_kinematics.h"
#include "cuttle/error.h"
#include "cuttle/spatial/second_dual.h"

namespace CUTTLE_API cuttle {

// clang-format off
/// Body whose material points move by p = f(x, q), [P] (2), from a user's class K and nothing else.
///
/// The first door: K says where the points go, in ordinary code on a scalar T (no branch on a comparison: `select`).
/// All else follows by differentiation of the sums over the points, so it is exact for the discretized body.
/// @code
/// struct K {
///   static constexpr int coordinate_count = 1;                            // n_B
///   template <typename T> Vector3T<T> position(const Vector3T<T>& x, const T* q) const;  // x: rest position [m]
///   // at most one of these two; none: no elasticity
///   template <typename T> T elastic_energy(const T* q) const;             // [J], 0 in the stress-free state
///   template <typename T> T energy_density(const Matrix3T<T>& F) const;   // [J/m^3] of F = df/dx
///   // at most one of these two; none: no damping. Damping force = gradient in v
///   template <typename T> T dissipation(const T* q, const T* v) const;    // [W]
///   template <typename T> T dissipation_density(const Matrix3T<T>& F, const Matrix3T<T>& F_rate) const;  // [W/m^3]
///   // may be missing
///   std::vector<CoordinateInfo> coordinates() const;                      // default: q0, q1, .. in rad
///   static constexpr const char* type_name = "my_body";                   // as in the file, if it is a kind there
///   template <typename T> K<T> cast() const;  // a K with parameters of its own on a scalar: see below
/// };
/// @endcode
/// The second door: derivatives by hand, for speed. Each of these replaces a pass of differentiation; what is missing
/// still comes from differentiation. T may be a template argument or just `double`: then the body exists for double
/// only. check_body_contract (cuttle/testing/body_contract.h) finds a wrong one.
/// @code
///   void slopes(const Vector3T<T>& x, const T* q, Vector3T<T>* df) const;         // df[j] = df/dq_j
///   Vector3T<T> curvature(const Vector3T<T>& x, const T* q, const T* v) const;    // sum_jk d2f/(dq_j dq_k) v_j v_k
///   Matrix3T<T> deformation_gradient(const Vector3T<T>& x, const T* q) const;     // F = df/dx
///   void elastic_force(const T* q, T* force) const;                               // overwritten, n_B
///   void stiffness_matrix(const T* q, T* stiffness) const;                        // overwritten, n_B x n_B
///   void damping_force(const T* q, const T* v, T* force) const;                   // overwritten, n_B
///   void damping_matrix(const T* q, const T* v, T* damping) const;                // overwritten, n_B x n_B
/// @endcode
/// Parameters of K itself, as a length, get gradients too if K is a template on their scalar and says `cast<T>()`.
///
/// A K with neither `deformation_gradient` nor a templated `position` has no ports at material points, and nobody sees
/// whether it folds (det F <= 0).
/// @tparam W  points that are computed at once, as a pack: what the flags of the source that names the class allow. It
/// is part of the type, so that differently compiled sources of one program have a class each; between them, a body
/// goes as `Body`.
// clang-format on
template <typename S, typename K, int W = k_host_lanes>
class PointBodyT final : public PointwiseBodyT<S> {
  using Base = PointwiseBodyT<S>;
  using Motion = typename Base::Motion;
  using Motions = typename Base::Motions;
  using Request = typename Base::Request;

 public:
  static constexpr int n = K::coordinate_count;
  static_assert(n >= 1, "a body without coordinates is a RigidBody");

  /// @throws ModelError: key, what was found, what was expected.
  explicit PointBodyT(const PointParametersT<S>& parameters, const K& kinematics = {})
      : Base(parameters, coordinates_of(kinematics)), kinematics_(kinematics) {}

  const K& kinematics() const { return kinematics_; }

  std::string type_name() const override {
    if constexpr (requires { K::type_name; }) {
      return K::type_name;
    } else {
      return "point_body";
    }
  }
  std::unique_ptr<BodyT<S>> clone() const override { return std::make_unique<PointBodyT>(*this); }
  std::unique_ptr<BodyT<double>> clone_as(ScalarTag<double> tag) const override { return cast(tag); }
  std::unique_ptr<BodyT<long double>> clone_as(ScalarTag<long double> tag) const override { return cast(tag); }
  std::unique_ptr<BodyT<ForwardDual>> clone_as(ScalarTag<ForwardDual> tag) const override { return cast(tag); }

  S elastic_energy(const S* q) const override { return energy_of<S>(q); }
  /// K's, or the mean if K knows the energy of the whole alone.
  bool has_energy_density() const override { return Has<S>::elastic; }
  void energy_density(const S* q, const Vector3T<S>* x, std::size_t count, S* density) const override {
    if constexpr (Has<S>::energy_density) {
      Vector3T<S> p;
      for (std::size_t i = 0; i < count; ++i) density[i] = kinematics_.energy_density(gradient_of(x[i], q, p));
    } else if constexpr (Has<S>::elastic) {
      std::fill_n(density, count, this->mean_energy_density(q));
    } else {
      Base::energy_density(q, x, count, density);
    }
  }
  void add_elastic_force(const S* q, S* force) const override {
    if constexpr (Has<S>::elastic_force) {
      add(force, [&](S* f) { kinematics_.elastic_force(q, f); });
    } else if constexpr (Has<S>::energy_density) {
      add_density_forces(q, nullptr, true, false, force);
    } else if constexpr (Has<S>::elastic_energy) {
      add_gradient(q, force, [&](const Sloped* x) { return energy_of<S>(x); });
    }
  }
  void stiffness_matrix(const S* q, S* stiffness) const override {
    if constexpr (Has<S>::stiffness_matrix) {
      kinematics_.stiffness_matrix(q, stiffness);
    } else {
      using L = std::conditional_t<Has<S>::energy_density, DensityLanes, S>;
      store_hessian<L>(q, stiffness, [&](const Dual<Dual<L, n>, n>* x) { return energy_of<L>(x); });
    }
  }
  void add_damping_force(const S* q, const S* v, S* force) const override {
    if constexpr (Has<S>::damping_force) {
      add(force, [&](S* f) { kinematics_.damping_force(q, v, f); });
    } else if constexpr (Has<S>::dissipation_density) {
      add_density_forces(q, v, false, true, force);
    } else if constexpr (Has<S>::dissipation) {
      add_gradient(v, force, [&](const Sloped* x) { return kinematics_.dissipation(spread<Sloped>(q).data(), x); });
    }
  }
  void add_internal_force(InternalForces which, const S* q, const S* v, S* force, S* scratch) const override {
    if constexpr (Has<S>::energy_density && !Has<S>::elastic_force && Has<S>::dissipation_density &&
                  !Has<S>::damping_force) {
      if (which == InternalForces::both) return add_density_forces(q, v, true, true, force);
    }
    Base::add_internal_force(which, q, v, force, scratch);
  }
  bool has_dissipation() const override { return Has<S>::dissipation || Has<S>::dissipation_density; }
  S dissipation(const S* q, const S* v) const override {
    if constexpr (Has<S>::dissipation) {
      return kinematics_.dissipation(q, v);
    } else if constexpr (Has<S>::dissipation_density) {
      // F along q + t v: its value, and its derivative in time
      using InTimeOnce = Dual<S, 1>;
      std::array<InTimeOnce, n> path;
      for (int j = 0; j < n; ++j) path[j] = InTimeOnce(q[j]), path[j].derivative[0] = v[j];
      S sum(0.0);
      Vector3T<InTimeOnce> p;
      each_point<S, S>([&](const S& weight, const Vector3T<S>& x, std::size_t) {
        const Matrix3T<InTimeOnce> moving = gradient_of(widen<InTimeOnce>(x), path.data(), p);
        Matrix3T<S> F, F_rate;
        for (int r = 0; r < 3; ++r) {
          for (int c = 0; c < 3; ++c) F(r, c) = moving(r, c).value, F_rate(r, c) = moving(r, c).derivative[0];
        }
        sum += weight * kinematics_.dissipation_density(F, F_rate);
      });
      return sum;
    } else {
      return Base::dissipation(q, v);
    }
  }
  void damping_matrix(const S* q, const S* v, S* damping) const override {
    if constexpr (Has<S>::damping_matrix) {
      kinematics_.damping_matrix(q, v, damping);
    } else if constexpr (Has<S>::dissipation_density) {
      std::fill_n(damping, n * n, S(0.0));
      add_density_damping(q, v, damping);
    } else if constexpr (Has<S>::dissipation) {
      store_hessian<S>(v, damping, [&](const TwiceSloped* rate) {
        return kinematics_.dissipation(spread<TwiceSloped>(q).data(), rate);
      });
    } else {
      std::fill_n(damping, n * n, S(0.0));
    }
  }

 protected:
  void move(const Request& request, const S* x, std::size_t blocks, const PointMotionsT<S>& motions,
            void* scratch) const override {
    if constexpr (k_packed) {
      move_packs(request, x, blocks, motions);
    } else {
      Base::move(request, x, blocks, motions, scratch);
    }
  }
  void move_points(const Request& request, const Vector3T<S>* x, std::size_t count,
                   const Motions& motions) const override {
    const Variables<S> variables(request);
    for (std::size_t i = 0; i < count; ++i) {
      const Motion motion = motions[i];
      if constexpr (Has<S>::slopes) {
        motion.value = kinematics_.position(x[i], request.q);
        kinematics_.slopes(x[i], request.q, motion.slopes);
      } else {
        store_slopes(kinematics_.position(widen<Sloped>(x[i]), variables.q.data()), motion);
      }
      if (request.level < MotionLevel::acceleration) continue;
      if constexpr (Has<S>::curvature) {
        motion.curvature = kinematics_.curvature(x[i], request.q, request.v);
      } else {
        motion.curvature = second(kinematics_.position(widen<InTime>(x[i]), variables.path.data()));
      }
    }
  }
  void move_point_axes(const Request& request, const Vector3T<S>& x, const Motions& motions) const override {
    if constexpr (k_differentiable) {
      const Variables<S> variables(request);
      Vector3T<Sloped> p;
      const Matrix3T<Sloped> F = gradient_of(widen<Sloped>(x), variables.q.data(), p);
      store_slopes(p, motions[0]);
      for (int axis = 0; axis < 3; ++axis) store_slopes(F.column(axis), motions[1 + axis]);
      if (request.level < MotionLevel::acceleration) return;
      Vector3T<InTime> moving;
      const Matrix3T<InTime> bending = gradient_of(widen<InTime>(x), variables.path.data(), moving);
      motions[0].curvature = second(moving);
      for (int axis = 0; axis < 3; ++axis) motions[1 + axis].curvature = second(bending.column(axis));
    }
  }
  S determinant_at(const S* q, const Vector3T<S>& x) const override {
    if constexpr (Has<S>::deformation_gradient) {
      return determinant(Matrix3T<S>(kinematics_.deformation_gradient(x, q)));
    } else if constexpr (k_differentiable) {
      Vector3T<S> p;
      return determinant(gradient_of(x, q, p));
    } else {
      return S(1.0);  // nobody asks
    }
  }
  bool knows_second_slopes() const override { return k_twice_differentiable; }
  void second_slopes(const S* q, const S* v, const S* a, const S* x, std::size_t blocks,
                     const SecondSlopesT<S>& results, const GradientUse& use, void*) const override {
    if constexpr (k_twice_differentiable) {
      for (std::size_t first = 0; first < blocks; first += k_gradient_blocks) {
        const std::size_t count = std::min(k_gradient_blocks, blocks - first);
        fill_second_slopes(q, v, a, x + first * k_vector_block<S>, count, results);
        use(first, count);
      }
    }
  }
  bool knows_internal_derivatives() const override {
    return k_twice_differentiable && (k_energy_twice || !Has<S>::energy_density) && k_damping_twice;
  }
  void fill_internal_derivatives(const S* q, const S* v, void*, S* by_q, S* by_v) const override {
    if constexpr (k_twice_differentiable && (k_energy_twice || !Has<S>::energy_density) && k_damping_twice) {
      add_internal_derivatives(q, v, by_q, by_v);
    }
  }
  bool knows_folding() const override { return Has<S>::deformation_gradient || k_differentiable; }
  bool knows_axes() const override { return k_differentiable; }

 private:
  void move_packs(const Request& request, const S* x, std::size_t blocks, const PointMotionsT<S>& motions) const {
    using L = LanesOf<k_packed>;
    const Variables<L> variables(request);
    for (std::size_t block = 0; block < blocks; ++block) {
      for (int lane = 0; lane < k_point_lanes<S>; lane += Lanes<L, S>::k_width) {
        const Vector3T<L> at = point::load_vector<L>(x + block * k_vector_block<S> + lane);
        const Vector3T<Dual<L, n>> p = kinematics_.position(widen<Dual<L, n>>(at), variables.q.data());
        point::store_vector(motions.value(block) + lane, Vector3T<L>{p.x.value, p.y.value, p.z.value});
        for (int j = 0; j < n; ++j) {
          point::store_vector(motions.slope(block, j) + lane,
                              Vector3T<L>{p.x.derivative[j], p.y.derivative[j], p.z.derivative[j]});
        }
        if (request.level < MotionLevel::acceleration) continue;
        point::store_vector(motions.curvature(block) + lane,
                            second(kinematics_.position(widen<InTimeOf<L>>(at), variables.path.data())));
      }
    }
  }

  using HostPack = Pack<W>;
  template <typename T>
  using Has = PointKinematicsT<K, T>;
  using Sloped = Dual<S, n>;            // value and derivatives in q
  using TwiceSloped = Dual<Sloped, n>;  // and the second ones
  template <typename L>
  using InTimeOf = Dual<Dual<L, 1>, 1>;  // value, first and second derivative along q + t v
  using InTime = InTimeOf<S>;
  /// What is differentiated at a time: packs of points, where K takes them.
  static constexpr bool k_packed = std::is_same_v<S, double> && !Has<S>::slopes && !Has<S>::curvature &&
                                   Has<Dual<HostPack, n>>::position && Has<InTimeOf<HostPack>>::position;
  template <bool k_in_packs>
  using LanesOf = std::conditional_t<k_in_packs, HostPack, S>;
  using DensityLanes =
      LanesOf<k_packed && (Has<Dual<Dual<HostPack, n>, n>>::energy_density || !Has<S>::energy_density) &&
              (Has<Dual<Dual<HostPack, n>, n>>::dissipation_density || !Has<S>::dissipation_density)>;

  // second derivatives, in the packs of `move`
  template <typename L>
  using SlopedInTime = Dual<InTimeOf<L>, n>;  // slopes, and two derivatives of each in time
  template <typename L>
  using SecondOf = SecondDual<L, n>;
  using Wide = LanesOf<k_packed && Has<SlopedInTime<HostPack>>::position && Has<SecondOf<HostPack>>::position>;
  static constexpr bool k_twice_differentiable =
      std::is_same_v<S, double> && Has<SlopedInTime<Wide>>::position && Has<SecondOf<Wide>>::position;
  /// Energy density of F(q), dissipation density of F(q) and its rate.
  template <typename L>
  using RateAlong = Dual<Dual<L, n>, n>;  // by v of what is by q inside
  using WideDensity =
      LanesOf<std::is_same_v<Wide, HostPack> && (Has<SecondOf<HostPack>>::energy_density || !Has<S>::energy_density) &&
              (Has<RateAlong<HostPack>>::dissipation_density || !Has<S>::dissipation_density)>;
  static constexpr bool k_energy_twice = Has<SecondOf<WideDensity>>::energy_density;
  static constexpr bool k_damping_twice = Has<S>::damping_force ? Has<Sloped>::damping_force
                                          : Has<S>::dissipation_density
                                              ? Has<RateAlong<WideDensity>>::dissipation_density
                                          : Has<S>::dissipation ? Has<TwiceSloped>::dissipation
                                                                : true;

  static constexpr bool k_differentiable = Has<Sloped>::position && Has<InTime>::position;
  static_assert(Has<S>::position, "K: expected position(x, q) for this scalar");
  static_assert(Has<S>::slopes || Has<Sloped>::position, "K: expected slopes(x, q, df) or a templated position(x, q)");
  static_assert(Has<S>::curvature || Has<InTime>::position,
                "K: expected curvature(x, q, v) or a templated position(x, q)");
  static_assert(!(Has<S>::elastic_energy && Has<S>::energy_density), "K: elastic_energy or energy_density, not both");
  static_assert(!(Has<S>::dissipation && Has<S>::dissipation_density),
                "K: dissipation or dissipation_density, not both");
  static_assert(Has<S>::elastic || !(Has<S>::elastic_force || Has<S>::stiffness_matrix),
                "K: a hand-written elastic_force or stiffness_matrix needs the energy that it is a derivative of");
  static_assert(!Has<S>::elastic || Has<S>::elastic_force || Has<Sloped>::elastic,
                "K: expected elastic_force(q, force) or a templated energy");
  static_assert(!Has<S>::elastic || Has<S>::stiffness_matrix || Has<TwiceSloped>::elastic,
                "K: expected stiffness_matrix(q, stiffness) or a templated energy");
  static_assert(!Has<S>::damped || Has<S>::damping_force || Has<Sloped>::damped,
                "K: expected damping_force(q, v, force) or a templated dissipation");
  static_assert(!Has<S>::damped || Has<S>::damping_matrix || Has<TwiceSloped>::dissipation ||
                    Has<TwiceSloped>::dissipation_density,
                "K: expected damping_matrix(q, v, damping) or a templated dissipation");
  static_assert(!(Has<S>::energy_density || Has<S>::dissipation_density) || k_differentiable,
                "K: a density needs F = df/dx by differentiation: expected a templated position(x, q)");

  /// The arguments of f that carry derivatives, over L: S or a pack.
  template <typename L>
  struct Variables {
    std::array<Dual<L, n>, n> q;
    std::array<InTimeOf<L>, n> path;
    explicit Variables(const Request& request) {
      using Once = Dual<L, 1>;
      for (int j = 0; j < n; ++j) q[j] = Dual<L, n>::variable(L(request.q[j]), j);
      if (request.level < MotionLevel::acceleration) return;
      for (int j = 0; j < n; ++j) {
        path[j].value = Once(L(request.q[j])), path[j].value.derivative[0] = L(request.v[j]);
        path[j].derivative[0] = Once(L(request.v[j]));
      }
    }
  };

  /// Calls use(offset of the lanes in a row, rest positions there, block) for a few blocks.
  template <typename L, typename Use>
  static void each_wide(const S* x, std::size_t blocks, const Use& use) {
    for (std::size_t block = 0; block < blocks; ++block) {
      for (int lane = 0; lane < k_point_lanes<S>; lane += Lanes<L, S>::k_width) {
        use(lane, point::load_vector<L>(x + block * k_vector_block<S> + lane), block);
      }
    }
  }
  template <typename T, typename Part>
  static auto part_of(const Vector3T<T>& a, const Part& part) {
    return Vector3T<std::decay_t<decltype(part(a.x))>>{part(a.x), part(a.y), part(a.z)};
  }
  template <typename L>
  static void store_rows(S* to, const Vector3T<L>& a, const Vector3T<L>& b, const Vector3T<L>& c) {
    point::store_vector(to, a);
    point::store_vector(to + k_vector_block<S>, b);
    point::store_vector(to + 2 * k_vector_block<S>, c);
  }
  /// Stores parts of a matrix by rows.
  template <typename T, typename Part>
  static void store_part(S* to, const Matrix3T<T>& A, const Part& part) {
    store_rows(to, part_of(A.row0, part), part_of(A.row1, part), part_of(A.row2, part));
  }
  static auto once(int j) {
    return [j](const auto& t) { return t.derivative[j].value.derivative[0]; };
  }
  static auto twice(int j) {
    return [j](const auto& t) { return t.derivative[j].derivative[0].derivative[0]; };
  }

  void fill_second_slopes(const S* q, const S* v, const S* a, const S* x, std::size_t blocks,
                          const SecondSlopesT<S>& results) const;
  template <typename L>
  static std::array<SecondOf<L>, n> twice_variables(const S* q) {
    std::array<SecondOf<L>, n> at;
    for (int j = 0; j < n; ++j) at[j] = SecondOf<L>::variable(L(q[j]), j);
    return at;
  }
  static constexpr int pair_of(int i, int j) { return i <= j ? j * (j + 1) / 2 + i : i * (i + 1) / 2 + j; }

  void add_internal_derivatives(const S* q, const S* v, S* by_q, S* by_v) const;
  /// Adds the derivative in q of a damping force that is no sum over the points.
  void add_damping_slopes(const S* q, const S* v, S* slopes) const;

  template <typename T, typename L>
  static Vector3T<T> widen(const Vector3T<L>& a) {
    return {T(a.x), T(a.y), T(a.z)};
  }
  static void store_slopes(const Vector3T<Sloped>& p, const Motion& motion) {
    motion.value = {p.x.value, p.y.value, p.z.value};
    for (int j = 0; j < n; ++j) motion.slopes[j] = {p.x.derivative[j], p.y.derivative[j], p.z.derivative[j]};
  }
  template <typename L>
  static Vector3T<L> second(const Vector3T<Dual<Dual<L, 1>, 1>>& a) {
    return {a.x.derivative[0].derivative[0], a.y.derivative[0].derivative[0], a.z.derivative[0].derivative[0]};
  }

  /// F = df/dx at x, and p = f(x, q).
  template <typename T>
  Matrix3T<T> gradient_of(const Vector3T<T>& x, const T* q, Vector3T<T>& p) const {
    using D = Dual<T, 3>;
    std::array<D, n> wide;
    for (int j = 0; j < n; ++j) wide[j] = D(q[j]);
    const Vector3T<D> at{D::variable(x.x, 0), D::variable(x.y, 1), D::variable(x.z, 2)};
    const Vector3T<D> moved = kinematics_.position(at, wide.data());
    p = {moved.x.value, moved.y.value, moved.z.value};
    Matrix3T<T> F;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) F(i, j) = moved[i].derivative[j];
    }
    return F;
  }
  template <typename T>
  static T determinant(const Matrix3T<T>& F) {
    return dot(F.row0, cross(F.row1, F.row2));
  }

  /// Calls use(weight, rest position) for all points, in lanes L under the scalar T.
  template <typename L, typename T, typename Use>
  void each_point(const Use& use) const {
    for (std::size_t block = 0; block < this->blocks(); ++block) {
      for (int lane = 0; lane < k_point_lanes<S>; lane += Lanes<L, S>::k_width) {
        use(T(point::load<L>(this->block_volumes(block) + lane)),
            widen<T>(point::load_vector<L>(this->block_points(block) + lane)), block);
      }
    }
  }
  /// @tparam L  lanes under T: the result has one sum in each.
  template <typename L, typename T>
  T energy_of(const T* q) const {
    if constexpr (Has<T>::elastic_energy) {
      return kinematics_.elastic_energy(q);
    } else if constexpr (Has<T>::energy_density) {
      T sum(0.0);
      Vector3T<T> p;
      each_point<L, T>([&](const T& weight, const Vector3T<T>& x, std::size_t block) {
        const Matrix3T<T> F = gradient_of(x, q, p);
        if constexpr (std::is_floating_point_v<S>) {
          if (!all(determinant(F) > T(0.0))) refuse_folding(block, q);
        }
        sum += weight * kinematics_.energy_density(F);
      });
      return sum;
    } else {
      return T(0.0);
    }
  }
  template <typename T>
  void refuse_folding(std::size_t block, const T* q) const {
    std::array<S, n> at;
    for (int j = 0; j < n; ++j) at[j] = scalar_cast<S>(q[j]);
    this->refuse_folded(block, at.data());
  }
  /// Calls use(weight, F with its derivatives in q) for all points.
  template <typename L, typename Use>
  void each_gradient(const S* q, const Use& use) const {
    using T = Dual<L, n>;
    std::array<T, n> at;
    for (int j = 0; j < n; ++j) at[j] = T::variable(L(q[j]), j);
    Vector3T<T> p;
    each_point<L, T>([&](const T& weight, const Vector3T<T>& x, std::size_t block) {
      const Matrix3T<T> F = gradient_of(x, at.data(), p);
      if constexpr (std::is_floating_point_v<S>) {
        if (!all(determinant(F) > T(0.0))) refuse_folding(block, at.data());
      }
      use(weight.value, F);
    });
  }
  /// dF/dt, whose derivatives are those in v.
  template <typename L>
  static Matrix3T<Dual<L, n>> rate_of(const Matrix3T<Dual<L, n>>& F, const S* v) {
    Matrix3T<Dual<L, n>> rate;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        rate(r, c) = F(r, c);
        rate(r, c).value = L(0.0);
        for (int j = 0; j < n; ++j) rate(r, c).value += L(v[j]) * F(r, c).derivative[j];
      }
    }
    return rate;
  }
  template <typename T, typename L>
  static Matrix3T<T> values_of(const Matrix3T<Dual<L, n>>& F) {
    Matrix3T<T> values;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) values(r, c) = T(F(r, c).value);
    }
    return values;
  }
  /// Adds the sums over all lanes.
  template <typename L>
  static void add_lanes(const std::array<L, n>& lanes, S* sum) {
    for (int j = 0; j < n; ++j) sum[j] += Lanes<L, S>::sum(lanes[j]);
  }

  /// Adds the forces of the densities that K has, with one pass over the points.
  void add_density_forces(const S* q, const S* v, bool elastic, bool damping, S* force) const;
  void add_density_damping(const S* q, const S* v, S* damping) const;

  template <typename Write>
  static void add(S* sum, const Write& write) {
    std::array<S, n> term;
    write(term.data());
    for (int j = 0; j < n; ++j) sum[j] += term[j];
  }
  template <typename Potential>
  static void add_gradient(const S* y, S* sum, const Potential& potential) {
    std::array<Sloped, n> x;
    for (int j = 0; j < n; ++j) x[j] = Sloped::variable(y[j], j);
    const Sloped value = potential(x.data());
    for (int j = 0; j < n; ++j) sum[j] += value.derivative[j];
  }
  /// @tparam L  lanes that the potential sums over: S if it has none.
  template <typename L, typename Potential>
  static void store_hessian(const S* y, S* matrix, const Potential& potential) {
    using Once = Dual<L, n>;
    using Twice = Dual<Once, n>;
    std::array<Twice, n> x;
    for (int j = 0; j < n; ++j) x[j] = Twice::variable(Once::variable(L(y[j]), j), j);
    const Twice value = potential(x.data());
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) matrix[i * n + j] = Lanes<L, S>::sum(value.derivative[i].derivative[j]);
    }
  }
  template <typename T>
  static std::array<T, n> spread(const S* q) {
    std::array<T, n> wide;
    for (int j = 0; j < n; ++j) wide[j] = T(q[j]);
    return wide;
  }

  static std::vector<CoordinateInfo> coordinates_of(const K& kinematics) {
    std::vector<CoordinateInfo> info;
    if constexpr (requires { kinematics.coordinates(); }) {
      info = kinematics.coordinates();
      if (info.size() != n) {
        throw ModelError("coordinates", std::to_string(info.size()), std::to_string(n) + " (coordinate_count)");
      }
    } else {
      for (int i = 0; i < n; ++i) info.push_back({"q" + std::to_string(i), "rad"});
    }
    return info;
  }

  /// The kinematics for another scalar: their own cast if they have one.
  template <typename T>
  auto kinematics_as() const {
    if constexpr (requires { kinematics_.template cast<T>(); }) {
      return kinematics_.template cast<T>();
    } else {
      return kinematics_;
    }
  }
  template <typename T>
  std::unique_ptr<BodyT<T>> cast(ScalarTag<T> tag) const {
    using Other = decltype(kinematics_as<T>());
    using To = PointKinematicsT<Other, T>;
    // not a body that has silently lost its elasticity or damping
    constexpr bool whole = To::position && (To::slopes || PointKinematicsT<Other, Dual<T, n>>::position) &&
                           (To::curvature || PointKinematicsT<Other, Dual<Dual<T, 1>, 1>>::position) &&
                           To::elastic == Has<S>::elastic && To::damped == Has<S>::damped;
    if constexpr (whole) {
      auto other = std::make_unique<PointBodyT<T, Other, W>>(this->parameters().template cast<T>(), kinematics_as<T>());
      this->add_ports_to(*other);
      return other;
    } else {
      return Base::clone_as(tag);
    }
  }

  K kinematics_;
};

/// @code
/// const auto body = std::make_shared<PointBody<ToyBody>>(point_cylinder(1.0, 1.0, 1.0, 14, 1, 4));
/// @endcode
template <typename K>
using PointBody = PointBodyT<double, K>;

}  // namespace cuttle

#include "cuttle/bodies/point_body_derivatives.h"
