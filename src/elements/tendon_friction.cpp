#include "cuttle/elements/tendon_friction.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <utility>

#include "cuttle/model/transmissions/tendon.h"
#include "elements/check_number.h"
#include "elements/friction_of_tension.h"
#include "elements/tendon_turns.h"
#include "model/law_beside_actuators.h"

namespace cuttle {
namespace {

constexpr double k_rounded_corner = 1e-3;  // [rad]: corners that turn less count for less
constexpr double k_sharpest_corner = 1.0 - 1e-12;

/// |x| of X = x^2 for |x| < 1, with two continuous derivatives at 1.
template <typename T>
T rounded_size(const T& X) {
  return X * (T(15.0) - X * (T(10.0) - T(3.0) * X)) * T(0.125);
}
/// The sign of x, rounded for |x| < 1 in the same way.
template <typename T>
T rounded_sign(const T& x) {
  const T within = select(x < T(1.0), select(x > T(-1.0), x, T(-1.0)), T(1.0)), X = within * within;
  return within * (T(15.0) - X * (T(10.0) - T(3.0) * X)) * T(0.125);
}
/// An angle of which h is the squared sine of the half.
template <typename T>
T rounded_angle(const T& h) {
  using std::asin;
  using std::sqrt;
  const T range(k_rounded_corner);
  const T X = T(4.0) * h * (T(1.0) + h * (T(1.0 / 3.0) + T(8.0 / 45.0) * h)) / (range * range);
  const auto small = X<T(1.0), sharp = h> T(k_sharpest_corner);
  const T sine = sqrt(select(small, T(0.25), select(sharp, T(k_sharpest_corner), h)));
  return select(small, range * rounded_size(select(small, X, T(0.0))), T(2.0) * asin(sine));
}

/// The law beside one tendon.
template <typename S>
class RubbingTendonLaw final : public EffortLawT<S> {
 public:
  /// @param drive  of the tendon; null: its input is its tension.
  RubbingTendonLaw(TendonTurnsT<S> turns, const TendonFrictionT<S>& friction, std::string name,
                   std::shared_ptr<const EffortLawT<S>> drive)
      : turns_(std::move(turns)), friction_(friction), name_(std::move(name)), drive_(std::move(drive)) {
    if (drive_) of_tension_ = std::make_unique<const RubbingTendonLaw>(turns_, friction_, name_, nullptr);
  }
  /// The law of a tendon whose input is its tension.
  const RubbingTendonLaw& of_tension() const { return of_tension_ ? *of_tension_ : *this; }
  std::string type_name() const override { return "tendon_friction"; }
  int transmission_count() const override { return turns_.transmissions; }
  int input_count() const override { return 1; }
  int state_count() const override { return 0; }
  int output_count() const override { return 1; }
  int scratch_count() const override {
    constexpr int k_numbers = sizeof(D) / sizeof(S);  // derivatives() takes most
    const int n = turns_.transmissions, pieces = static_cast<int>(turns_.pieces.size());
    const int own = n + k_numbers * (3 * n + k_in_piece * pieces);
    return drive_ ? std::max(own, drive_->scratch_count()) : own;
  }
  std::vector<CoordinateInfo> inputs() const override { return {{name_, "N"}}; }
  std::vector<ElementOutputInfo> outputs() const override { return {{name_, "N"}}; }

  void evaluate(const EffortArgumentsT<S>& at, S* efforts, S* /*state_rates*/) const override {
    const Pull pull = pull_of(at, false);
    unit_efforts(at.y, at.rate, at.scratch, efforts);
    for (int k = 0; k < turns_.transmissions; ++k) efforts[k] *= pull.tension;
  }
  void derivatives(const EffortArgumentsT<S>& at, S* matrix) const override {
    const int n = turns_.transmissions, columns = 2 * n + 1;
    const Pull pull = pull_of(at, true);
    std::fill(matrix, matrix + static_cast<std::ptrdiff_t>(n) * columns, S(0.0));
    S* scratch = at.scratch;
    const std::span<S> unit = take<S>(scratch, index(n));
    const bool by_rate = unit_efforts(at.y, at.rate, scratch, unit.data()).depends_on_rate;
    const std::span<D> motion = take<D>(scratch, 2 * unit.size()), efforts = take<D>(scratch, unit.size());
    for (int k = 0; k < n; ++k) motion[index(k)] = D(at.y[k]), motion[index(n + k)] = D(at.rate[k]);
    for (int first = 0; first < (by_rate ? 2 * n : n); first += k_width) {
      const int count = std::min(k_width, 2 * n - first);
      for (int k = 0; k < count; ++k) motion[index(first + k)].derivative[k] = S(1.0);
      unit_efforts(motion.data(), motion.data() + n, scratch, efforts.data());
      for (int k = 0; k < count; ++k) {
        motion[index(first + k)].derivative[k] = S(0.0);
        for (int r = 0; r < n; ++r) matrix[r * columns + first + k] = pull.tension * efforts[index(r)].derivative[k];
      }
    }
    for (int r = 0; r < n; ++r) {
      S* row = matrix + static_cast<std::ptrdiff_t>(r) * columns;
      row[2 * n] += unit[index(r)] * pull.by_input;
      if (!drive_) continue;
      row[0] += unit[index(r)] * pull.by_y, row[n] += unit[index(r)] * pull.by_rate;
    }
  }
  void evaluate_outputs(const EffortArgumentsT<S>& at, const S* /*efforts*/, S* outputs) const override {
    const Pull pull = pull_of(at, false);
    S* scratch = at.scratch;
    const std::span<S> unit = take<S>(scratch, index(turns_.transmissions));
    outputs[0] = pull.tension * unit_efforts(at.y, at.rate, scratch, unit.data()).far + pull.pushes;
  }
  S stored_energy(const EffortArgumentsT<S>& /*at*/) const override { return S(0.0); }
  S stored_power(const EffortArgumentsT<S>& /*at*/, const S* /*state_rates*/) const override { return S(0.0); }

 private:
  static constexpr int k_width = 4;     // directions at once
  static constexpr int k_in_piece = 5;  // numbers of a piece in unit_efforts
  using D = Dual<S, k_width>;
  /// Tension where the tendon is pulled, apart from what is below zero, and its derivatives.
  struct Pull {
    S tension, pushes, by_y, by_rate, by_input;
  };
  template <typename T>
  struct Along {
    T far;  ///< tension at the far end, of 1 where it is pulled
    bool depends_on_rate;
  };
  static std::size_t index(int k) { return static_cast<std::size_t>(k); }
  /// The next numbers of a law's scratch as so many T, which are zero.
  template <typename T>
  static std::span<T> take(S*& scratch, std::size_t count) {
    static_assert(sizeof(T) % sizeof(S) == 0 && alignof(T) == alignof(S));
    T* first = reinterpret_cast<T*>(scratch);
    scratch = reinterpret_cast<S*>(first + count);
    std::uninitialized_value_construct_n(first, count);
    return {first, count};
  }

  Pull pull_of(const EffortArgumentsT<S>& at, bool slopes) const {
    Pull pull{at.input[0], S(0.0), S(0.0), S(0.0), S(1.0)};
    if (drive_) {
      const EffortArgumentsT<S> of_drive{at.time, at.rest, at.y, at.rate, at.input, nullptr, at.scratch};
      drive_->evaluate(of_drive, &pull.tension, nullptr);
      if (slopes) {
        S by[3];
        drive_->derivatives(of_drive, by);
        pull.by_y = by[0], pull.by_rate = by[1], pull.by_input = by[2];
      }
    }
    const auto pulls = pull.tension > S(0.0);
    pull.pushes = select(pulls, S(0.0), pull.tension);
    for (S* x : {&pull.tension, &pull.by_y, &pull.by_rate, &pull.by_input}) *x = select(pulls, *x, S(0.0));
    return pull;
  }

  template <typename T>
  static T scaled(const T& x, const S& factor) {
    return x * T(factor);
  }
  /// sum of columns x, with the constant or without.
  template <typename T>
  Vector3T<T> combined(const AffineVector& vector, const T* x, bool with_constant) const {
    const Vector3T<S>* column = turns_.vectors.data() + vector.at;
    Vector3T<T> sum{T(0.0), T(0.0), T(0.0)};
    if (with_constant) sum = {T(column->x), T(column->y), T(column->z)};
    for (int k = 0; k < vector.count; ++k) {
      const T& factor = x[vector.first + k];
      ++column;
      sum += Vector3T<T>{scaled(factor, column->x), scaled(factor, column->y), scaled(factor, column->z)};
    }
    return sum;
  }
  template <typename T>
  static T value_of(const TendonDistanceT<S>& distance, const T* y) {
    return distance.transmission < 0 ? T(distance.constant) : -y[distance.transmission];
  }

  /// How fast a tendon turns along a rod at a point of it [rad/m].
  template <typename T>
  T turning(const typename TendonTurnsT<S>::RodPoint& point, const T* y) const {
    using std::sqrt;
    const Vector3T<T> t = combined(point.tangent, y, true);
    const Vector3T<T> change = combined(point.bend, y, true) + cross(combined(point.curvature, y, true), t);
    const Vector3T<T> across = cross(t, change);
    const T length2 = dot(t, t), square = dot(across, across) / (length2 * length2), range(point.rounding);
    const T X = square / (range * range);
    const auto small = X < T(1.0);
    return select(small, range * rounded_size(select(small, X, T(0.0))), sqrt(select(small, T(1.0), square)));
  }

  template <typename T>
  void add_turns(const T* y, std::span<T> angle) const {
    int known = -1;
    T turning_there(0.0);
    for (const auto& turn : turns_.rod_turns) {  // those of a point follow each other
      if (turn.point != known) turning_there = turning(turns_.points[index(turn.point)], y), known = turn.point;
      angle[index(turn.piece)] += scaled(turning_there, turn.way);
    }
    for (const auto& kink : turns_.kinks) {
      const Vector3T<T> a = combined(kink.before, y, true), b = combined(kink.after, y, true);
      const Vector3T<T> change = T(1.0) / norm(a) * a - T(1.0) / norm(b) * b;
      angle[index(kink.piece)] += rounded_angle(T(0.25) * dot(change, change));
    }
    for (const auto& corner : turns_.corners) {
      const T a = value_of(corner.before, y), b = value_of(corner.after, y), c = value_of(corner.across, y);
      angle[index(corner.piece)] += rounded_angle((a + b - c) * (a + b + c) / (T(4.0) * a * b));
    }
    for (const auto& end : turns_.rod_ends) {
      const T way = value_of(end.straight, y), arm(end.arm);
      const auto along = [&](int axis) {
        const T beside = value_of(end.beside[axis], y);
        return ((beside - arm) * (beside + arm) - way * way) / (T(2.0) * arm);
      };
      const Vector3T<T> w{along(0), along(1), along(2)}, t = T(end.sign) * combined(end.tangent, y, true);
      const Vector3T<T> change = T(1.0) / norm(t) * t - T(1.0) / norm(w) * w;
      angle[index(end.piece)] += rounded_angle(T(0.25) * dot(change, change));
    }
  }

  /// Efforts that friction adds where the tendon is pulled with tension 1.
  template <typename T>
  Along<T> unit_efforts(const T* y, const T* rate, S* scratch, T* efforts) const {
    using std::exp;
    const std::size_t n = turns_.pieces.size();
    // of each piece: its tangent along a rod, a unit vector; its shortening; by how much the tendon turns before it
    const std::span<Vector3T<T>> way = take<Vector3T<T>>(scratch, n);
    const std::span<T> shortening = take<T>(scratch, n), angle = take<T>(scratch, n);
    for (std::size_t i = 0; i < n; ++i) {
      const auto& piece = turns_.pieces[i];
      if (piece.point < 0) {
        shortening[i] = rate[piece.transmission];
        continue;
      }
      const auto& point = turns_.points[index(piece.point)];
      const Vector3T<T> t = combined(point.tangent, y, true);
      way[i] = T(1.0) / norm(t) * t;
      shortening[i] = -scaled(dot(way[i], combined(point.tangent, rate, false)), point.weight);
    }
    add_turns(y, angle);
    // what slides at a turn is what all behind it shortens by
    for (std::size_t i = n; i-- > 1;) shortening[i - 1] += shortening[i];
    std::fill(efforts, efforts + turns_.transmissions, T(0.0));
    const T at_rest(friction_.sliding == Sliding::pulled ? 1.0 : friction_.sliding == Sliding::released ? -1.0 : 0.0);
    const T mu(friction_.coefficient), range(friction_.range);
    Along<T> along{T(1.0), false};
    T lost(0.0);  // minus the logarithm of the tension
    for (std::size_t i = 0; i < n; ++i) {
      const T sliding = shortening[i] / range + at_rest;
      along.depends_on_rate = along.depends_on_rate || (any(sliding < T(1.0)) && any(sliding > T(-1.0)));
      lost += mu * rounded_sign(sliding) * angle[i];
      along.far = exp(-lost);
      const T added = along.far - T(1.0);
      const auto& piece = turns_.pieces[i];
      if (piece.point < 0) {
        efforts[piece.transmission] += added;
        continue;
      }
      const auto& point = turns_.points[index(piece.point)];
      const Vector3T<S>* column = turns_.vectors.data() + point.tangent.at + 1;
      const T weighted = -scaled(added, point.weight);
      for (int k = 0; k < point.tangent.count; ++k, ++column) {
        const Vector3T<T> slope{T(column->x), T(column->y), T(column->z)};
        efforts[point.tangent.first + k] += weighted * dot(way[i], slope);
      }
    }
    return along;
  }

  TendonTurnsT<S> turns_;
  TendonFrictionT<S> friction_;
  std::string name_;
  std::shared_ptr<const EffortLawT<S>> drive_;
  std::unique_ptr<const RubbingTendonLaw> of_tension_;  ///< null: this one
};

/// The element's: it has the parameters, and makes the others.
template <typename S>
class TendonFrictionLaw final : public ClonedByCast<EffortLawT, TendonFrictionLaw, S>, public LawBesideActuatorsT<S> {
 public:
  TendonFrictionLaw(std::vector<std::string> actuators, const TendonFrictionT<S>& friction)
      : actuators_(std::move(actuators)), friction_(friction) {}
  std::string type_name() const override { return "tendon_friction"; }
  int transmission_count() const override { return 0; }
  int input_count() const override { return 0; }
  int state_count() const override { return 0; }
  void evaluate(const EffortArgumentsT<S>& /*at*/, S* /*efforts*/, S* /*state_rates*/) const override {}
  void derivatives(const EffortArgumentsT<S>& /*at*/, S* /*matrix*/) const override {}
  S stored_energy(const EffortArgumentsT<S>& /*at*/) const override { return S(0.0); }
  S stored_power(const EffortArgumentsT<S>& /*at*/, const S* /*state_rates*/) const override { return S(0.0); }
  const LawBesideActuatorsT<S>* beside_actuators() const override { return this; }
  const TendonFrictionT<S>& parameters() const { return friction_; }

  std::vector<std::string> actuators() const override { return actuators_; }
  std::shared_ptr<const EffortLawT<S>> bind(const ActuatorT<S>& actuator, TransmissionBinderT<S>& to) const override {
    const auto* tendon = dynamic_cast<const TendonTransmissionT<S>*>(actuator.transmission.get());
    if (tendon == nullptr) {
      throw ModelError({}, "'" + actuator.name + "', a " + actuator.transmission->type_name(), "a tendon");
    }
    const EffortLawT<S>* drive = actuator.law.get();
    if (drive != nullptr && (drive->state_count() > 0 || drive->input_count() != 1)) {
      throw ModelError({}, "'" + actuator.name + "', whose law (" + drive->type_name() + ") has states or other inputs",
                       "a tendon driven by tension or by length");
    }
    if (identical(friction_.coefficient, S(0.0))) return nullptr;
    int first = 0;
    if (drive != nullptr) actuator.transmission->bind(to), ++first;  // the tension follows from its length
    return std::make_shared<const RubbingTendonLaw<S>>(
        bind_tendon_turns(tendon->routing, friction_.pulled_at == PulledEnd::last, first,
                          scalar_cast<double>(friction_.coefficient), friction_.refinement, to),
        friction_, actuator.name, actuator.law);
  }
  template <typename T>
  TendonFrictionLaw<T> cast() const {
    return TendonFrictionLaw<T>(
        actuators_, {scalar_cast<T>(friction_.coefficient), friction_.sliding, scalar_cast<T>(friction_.range),
                     friction_.pulled_at, friction_.refinement});
  }

 private:
  std::vector<std::string> actuators_;
  TendonFrictionT<S> friction_;
};

}  // namespace

template <typename S>
ElementT<S> make_tendon_friction(std::string name, std::vector<std::string> actuators,
                                 const TendonFrictionT<S>& friction) {
  if (actuators.empty()) throw ModelError("actuators", "none", "at least one");
  check_not_negative("coefficient", friction.coefficient, "1");
  check_positive("range", friction.range, "m/s");
  constexpr int most = TendonFrictionT<S>::k_most_refinement;
  if (friction.refinement < 0 || friction.refinement > most) {
    throw ModelError("refinement", std::to_string(friction.refinement),
                     "an integer in [0, " + std::to_string(most) + "]");
  }
  auto law = std::make_shared<const TendonFrictionLaw<S>>(std::move(actuators), friction);
  return {std::move(name), {}, std::move(law)};
}

template <typename S>
const TendonFrictionT<S>* tendon_friction_parameters(const EffortLawT<S>& law) {
  const auto* found = dynamic_cast<const TendonFrictionLaw<S>*>(&law);
  return found ? &found->parameters() : nullptr;
}

std::vector<std::string> rubbing_tendons(const EffortLawT<double>& law) {
  const auto* found = dynamic_cast<const TendonFrictionLaw<double>*>(&law);
  return found ? found->actuators() : std::vector<std::string>();
}

const EffortLawT<double>* friction_of_tension(const EffortLawT<double>& law) {
  const auto* found = dynamic_cast<const RubbingTendonLaw<double>*>(&law);
  return found ? &found->of_tension() : nullptr;
}

#define CUTTLE_INSTANTIATE(S)                                                                                     \
  template ElementT<S> make_tendon_friction<S>(std::string, std::vector<std::string>, const TendonFrictionT<S>&); \
  template const TendonFrictionT<S>* tendon_friction_parameters(const EffortLawT<S>&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
