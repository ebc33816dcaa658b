#include "cuttle/bodies/lvp_kinematics.h"

#include <string>
#include <utility>

#include "bodies/lvp_map.h"
#include "cuttle/error.h"
#include "spatial/number_text.h"

namespace cuttle {

namespace {

template <typename S>
std::size_t count_of(const LvpPrimitiveT<S>& primitive) {
  return primitive.modes.size() + primitive.y_modes.size();
}

/// Memory of this thread that only grows: evaluations have no workspace of their own, and must not allocate.
template <typename T>
struct LvpBuffer {
  std::vector<LvpSlice<T>> slices;  ///< one a primitive
  std::vector<LvpOwn<T>> own;       ///< one a coordinate
  std::vector<TwistT<T>> twists;
  std::vector<Vector3T<T>> slopes;

  static LvpBuffer& of_thread(std::size_t primitives, std::size_t coordinates) {
    thread_local LvpBuffer buffer;
    if (buffer.slices.size() < primitives) buffer.slices.resize(primitives);
    if (buffer.own.size() < coordinates) {
      buffer.own.resize(coordinates), buffer.twists.resize(coordinates), buffer.slopes.resize(coordinates);
    }
    return buffer;
  }
};

/// One evaluation at many points: carries a point, its slopes and what else is asked for from primitive to primitive.
template <typename S, typename T>
class LvpSweep {
 public:
  /// @param v  null: no second derivatives along v.
  LvpSweep(const LvpParametersT<S>& parameters, const T* q, const T* v)
      : parameters_(parameters), q_(q), v_(v), n_(0), sliced_(parameters.primitives.size()) {
    using Type = typename LvpPrimitiveT<S>::Type;
    for (std::size_t k = 0; k < parameters_.primitives.size(); ++k) {
      n_ += count_of(parameters_.primitives[k]);
      // behind a bend, x3 depends on the other two
      if (sliced_ == parameters_.primitives.size() && parameters_.primitives[k].type == Type::bend) sliced_ = k + 1;
    }
    buffer_ = &LvpBuffer<T>::of_thread(parameters_.primitives.size(), n_);
  }
  std::size_t coordinate_count() const { return n_; }
  Vector3T<T>* spare_slopes() const { return buffer_->slopes.data(); }

  /// What to carry for a point; null: not asked for.
  struct Carried {
    Vector3T<T>* value;
    Vector3T<T>* slopes = nullptr;
    Vector3T<T>* curvature = nullptr;  ///< needs slopes
    Matrix3T<T>* F = nullptr;
    Matrix3T<T>* F_slopes = nullptr;  ///< needs slopes and F
  };
  void carry(const Vector3T<S>& x, const Carried& point) {
    const bool same_slice = last_ && identical(last_->z, x.z);
    last_ = &x;
    Vector3T<T>& y = *point.value;
    y = {T(x.x), T(x.y), T(x.z)};
    const Vector3T<T> zero{T(0.0), T(0.0), T(0.0)};
    if (point.curvature) *point.curvature = zero;
    if (point.F) *point.F = Matrix3T<T>::identity();
    std::size_t first_own = 0;
    for (std::size_t k = 0; k < parameters_.primitives.size(); ++k) {
      const LvpPrimitiveT<S>& primitive = parameters_.primitives[k];
      const std::size_t past_own = first_own + count_of(primitive);
      if (!same_slice || k >= sliced_) prepare(k, first_own, y.z, point.slopes != nullptr);
      const LvpSlice<T>& slice = buffer_->slices[k];
      const LvpMap<S, T> map(primitive, parameters_.length, slice, y);
      if constexpr (std::is_floating_point_v<T>) {
        const std::string fault = map.fault();
        if (!fault.empty()) refuse(fault, k, x);
      }
      if (point.slopes) {
        for (std::size_t j = first_own; j < past_own; ++j) point.slopes[j] = zero;
      }
      if (point.F_slopes) {
        for (std::size_t j = 0; j < past_own; ++j) {
          if (j >= first_own) point.F_slopes[j] = {zero, zero, zero};
          const LvpDirection<T> d{point.slopes[j], j < first_own ? nullptr : &buffer_->own[j]};
          Vector3T<T> columns[3];
          for (int c = 0; c < 3; ++c) {
            columns[c] = map.second(d, {point.F->column(c), nullptr});
            if (j < first_own) columns[c] += map.first({point.F_slopes[j].column(c), nullptr});
          }
          point.F_slopes[j] = Matrix3T<T>::from_columns(columns[0], columns[1], columns[2]);
        }
      }
      if (point.F) {
        const Matrix3T<T> F = *point.F;
        *point.F = Matrix3T<T>::from_columns(map.first({F.column(0), nullptr}), map.first({F.column(1), nullptr}),
                                             map.first({F.column(2), nullptr}));
      }
      if (point.curvature) {
        Vector3T<T> rate = zero;
        for (std::size_t j = 0; j < first_own; ++j) rate += v_[j] * point.slopes[j];
        const LvpDirection<T> along_v{rate, &slice.along_v};
        *point.curvature = map.first({*point.curvature, nullptr}) + map.second(along_v, along_v);
      }
      if (point.slopes) {
        for (std::size_t j = 0; j < past_own; ++j) {
          point.slopes[j] = map.first({point.slopes[j], j < first_own ? nullptr : &buffer_->own[j]});
        }
      }
      y = map.value();
      first_own = past_own;
    }
  }

 private:
  /// Makes what primitive k needs at x3.
  void prepare(std::size_t k, std::size_t first_own, const T& x3, bool with_slopes) {
    using Type = typename LvpPrimitiveT<S>::Type;
    const LvpPrimitiveT<S>& primitive = parameters_.primitives[k];
    LvpSlice<T>& slice = buffer_->slices[k];
    const S inverse_length = S(1.0) / parameters_.length;
    const T t = T(inverse_length) * x3;
    const T zero(0.0);
    const TwistT<T> still{{zero, zero, zero}, {zero, zero, zero}};
    slice.along_v.twist = still;
    for (int c = 0; c < 2; ++c) {
      for (int d = 0; d < 4; ++d) slice.profile[c][d] = slice.along_v.profile[c][d] = zero;
    }
    std::size_t j = first_own;
    for (int c = 0; c < 2; ++c) {
      for (const std::vector<S>& mode : c == 0 ? primitive.modes : primitive.y_modes) {
        LvpOwn<T>& own = buffer_->own[j];
        own.twist = still;
        polynomial_jet(mode, t, inverse_length, own.profile[c]);
        for (int d = 0; d < 4; ++d) {
          own.profile[1 - c][d] = zero;
          slice.profile[c][d] += q_[j] * own.profile[c][d];
          if (v_) slice.along_v.profile[c][d] += v_[j] * own.profile[c][d];
        }
        ++j;
      }
    }
    if (primitive.type == Type::twist) sincos(slice.profile[0][0], slice.sine, slice.cosine);
    if (primitive.type != Type::bend) return;
    const Backbone<S, T> backbone(primitive.modes, primitive.y_modes, inverse_length, x3, q_ + first_own,
                                  v_ ? v_ + first_own : nullptr, with_slopes ? buffer_->twists.data() : nullptr);
    slice.pose = backbone.pose;
    slice.bias = backbone.bias;
    if (!with_slopes) return;
    for (j = first_own; j < first_own + count_of(primitive); ++j) {
      buffer_->own[j].twist = buffer_->twists[j - first_own];
      if (v_) slice.along_v.twist += v_[j] * buffer_->own[j].twist;
    }
  }

  [[noreturn]] void refuse(const std::string& fault, std::size_t k, const Vector3T<S>& x) const {
    std::string which = parameters_.primitives.size() > 1 ? "primitives[" + std::to_string(k) + "]: " : "";
    throw ConfigurationError(which + fault + " at rest position " + vector_text(x) + ", q = " + list_text(q_, n_));
  }

  const LvpParametersT<S>& parameters_;
  const T *q_, *v_;
  std::size_t n_, sliced_;  ///< coordinates; primitives whose x3 depends on the rest x3 alone
  LvpBuffer<T>* buffer_;
  const Vector3T<S>* last_ = nullptr;
};

template <typename S, typename T>
void fill_gradients(const LvpParametersT<S>& parameters, const T* q, const Vector3T<S>* x, std::size_t count,
                    Matrix3T<T>* F, Matrix3T<T>* slopes) {
  LvpSweep<S, T> sweep(parameters, q, nullptr);
  Vector3T<T> p;
  for (std::size_t i = 0; i < count; ++i) {
    typename LvpSweep<S, T>::Carried point{.value = &p, .F = &F[i]};
    if (slopes) point.slopes = sweep.spare_slopes(), point.F_slopes = slopes + i * sweep.coordinate_count();
    sweep.carry(x[i], point);
  }
}

}  // namespace

const char* lvp_primitive_name(int type) {
  static constexpr const char* k_names[] = {"stretch", "shear", "twist", "bend", "source"};
  return k_names[type];
}

template <typename S>
template <typename T>
LvpPrimitiveT<T> LvpPrimitiveT<S>::cast() const {
  const auto each = [](const Modes& from) {
    typename LvpPrimitiveT<T>::Modes other(from.size());
    for (std::size_t k = 0; k < from.size(); ++k) {
      for (const S& c : from[k]) other[k].push_back(scalar_cast<T>(c));
    }
    return other;
  };
  return {static_cast<typename LvpPrimitiveT<T>::Type>(type), axis, each(modes), each(y_modes)};
}

template <typename S>
LvpKinematicsT<S>::LvpKinematicsT(const LvpParametersT<S>& parameters) : parameters_(parameters) {
  using std::isfinite;
  using Type = typename LvpPrimitiveT<S>::Type;
  if (!(parameters_.length > S(0.0)) || !isfinite(parameters_.length)) {
    throw ModelError("length: found " + number_text(parameters_.length) + ", expected a number > 0 [m]");
  }
  if (parameters_.primitives.empty()) throw ModelError("primitives: found none, expected one or more");
  for (std::size_t k = 0; k < parameters_.primitives.size(); ++k) {
    const LvpPrimitiveT<S>& primitive = parameters_.primitives[k];
    const std::string where = "primitives[" + std::to_string(k) + "]";
    if (count_of(primitive) == 0) throw ModelError(where + ": found no modes, expected one or more");
    if (primitive.type != Type::bend && !primitive.y_modes.empty()) {
      throw ModelError(where + ".y_modes: found some, which only bend has");
    }
    for (const auto* modes : {&primitive.modes, &primitive.y_modes}) {
      for (const std::vector<S>& mode : *modes) {
        if (mode.empty()) throw ModelError(where + ": found a mode without coefficients, expected one or more");
        for (const S& c : mode) {
          if (!isfinite(c)) throw ModelError(where + ": found a coefficient that is not finite");
        }
      }
    }
  }
}

template <typename S>
std::vector<CoordinateInfo> LvpKinematicsT<S>::coordinates() const {
  using Type = typename LvpPrimitiveT<S>::Type;
  std::vector<CoordinateInfo> info;
  const auto add = [&](const std::string& stem, std::size_t count, const char* unit) {
    // a second primitive of a kind goes on counting
    std::size_t index = 0;
    for (const CoordinateInfo& known : info) index += known.name.rfind(stem + ".", 0) == 0 ? 1 : 0;
    for (std::size_t k = 0; k < count; ++k) info.push_back({stem + "." + std::to_string(index + k), unit});
  };
  for (const LvpPrimitiveT<S>& primitive : parameters_.primitives) {
    const std::string name = lvp_primitive_name(static_cast<int>(primitive.type));
    switch (primitive.type) {
      case Type::shear:
        add(primitive.axis == 0 ? name + "_x" : name + "_y", primitive.modes.size(), "m");
        break;
      case Type::bend:
        add(name + "_x", primitive.modes.size(), "rad");
        add(name + "_y", primitive.y_modes.size(), "rad");
        break;
      default:
        add(name, primitive.modes.size(),
            primitive.type == Type::stretch ? "m" : (primitive.type == Type::twist ? "rad" : "m^2"));
    }
  }
  return info;
}

template <typename S>
void LvpKinematicsT<S>::prepare_thread() const {
  std::size_t n = 0;
  for (const LvpPrimitiveT<S>& primitive : parameters_.primitives) n += count_of(primitive);
  LvpBuffer<S>::of_thread(parameters_.primitives.size(), n);
  LvpBuffer<Directed>::of_thread(parameters_.primitives.size(), n);
}

template <typename S>
void LvpKinematicsT<S>::move(const Request& request, const Vector3T<S>* x, std::size_t count,
                             const Motions& motions) const {
  const bool second = request.level >= MotionLevel::acceleration;
  LvpSweep<S, S> sweep(parameters_, request.q, second ? request.v : nullptr);
  for (std::size_t i = 0; i < count; ++i) {
    const auto motion = motions[i];
    sweep.carry(x[i],
                {.value = &motion.value, .slopes = motion.slopes, .curvature = second ? &motion.curvature : nullptr});
  }
}

template <typename S>
void LvpKinematicsT<S>::gradients(const S* q, const Vector3T<S>* x, std::size_t count, Matrix3T<S>* F,
                                  Matrix3T<S>* slopes) const {
  fill_gradients(parameters_, q, x, count, F, slopes);
}
template <typename S>
void LvpKinematicsT<S>::gradients(const Directed* q, const Vector3T<S>* x, std::size_t count, Matrix3T<Directed>* F,
                                  Matrix3T<Directed>* slopes) const {
  fill_gradients(parameters_, q, x, count, F, slopes);
}

template <typename S>
template <typename T>
LvpParametersT<T> LvpKinematicsT<S>::parameters_as() const {
  LvpParametersT<T> other;
  other.length = scalar_cast<T>(parameters_.length);
  for (const LvpPrimitiveT<S>& primitive : parameters_.primitives) {
    other.primitives.push_back(primitive.template cast<T>());
  }
  return other;
}
template <typename S>
std::shared_ptr<const VolumeKinematicsT<double>> LvpKinematicsT<S>::clone_as(ScalarTag<double>) const {
  return std::make_shared<LvpKinematicsT<double>>(parameters_as<double>());
}
template <typename S>
std::shared_ptr<const VolumeKinematicsT<long double>> LvpKinematicsT<S>::clone_as(ScalarTag<long double>) const {
  return std::make_shared<LvpKinematicsT<long double>>(parameters_as<long double>());
}
template <typename S>
std::shared_ptr<const VolumeKinematicsT<Gradient>> LvpKinematicsT<S>::clone_as(ScalarTag<Gradient>) const {
  return std::make_shared<LvpKinematicsT<Gradient>>(parameters_as<Gradient>());
}

#define CUTTLE_INSTANTIATE(S) template class LvpKinematicsT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
