#include "cuttle/bodies/lvp_kinematics.h"

#include <string>
#include <utility>

#include "bodies/volume/choose_kernels.h"
#include "bodies/volume/lvp/lvp_sweep.h"
#include "cuttle/error.h"
#include "spatial/number_text.h"

CUTTLE_CHOOSE_KINEMATICS_KERNELS(lvp_kernels, LvpParametersT, LvpSweep)

namespace cuttle {

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
LvpKinematicsT<S>::LvpKinematicsT(const LvpParametersT<S>& parameters) : Base(parameters, lvp_kernels<S>()) {
  using std::isfinite;
  using Type = typename LvpPrimitiveT<S>::Type;
  if (!(parameters.length > S(0.0)) || !isfinite(parameters.length)) {
    throw ModelError("length", number_text(parameters.length), "a number > 0 [m]");
  }
  if (parameters.primitives.empty()) throw ModelError("primitives", "none", "one or more");
  for (std::size_t k = 0; k < parameters.primitives.size(); ++k) {
    const LvpPrimitiveT<S>& primitive = parameters.primitives[k];
    const KeyPath where{"primitives", k};
    if (primitive.coordinate_count() == 0) throw ModelError(where, "no modes", "one or more");
    if (primitive.type != Type::bend && !primitive.y_modes.empty()) {
      throw ModelError({where, "y_modes"}, "some, which only bend has", "");
    }
    for (const auto* modes : {&primitive.modes, &primitive.y_modes}) {
      for (const std::vector<S>& mode : *modes) {
        if (mode.empty()) throw ModelError(where, "a mode without coefficients", "one or more");
        for (const S& c : mode) {
          if (!isfinite(c)) throw ModelError(where, "a coefficient that is not finite", "");
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
  for (const LvpPrimitiveT<S>& primitive : this->parameters().primitives) {
    const std::string name = lvp_primitive_name(static_cast<int>(primitive.type));
    switch (primitive.type) {
      case Type::shear:
        add(primitive.axis == 0 ? name + "_x" : name + "_y", primitive.modes.size(), "m");
        break;
      case Type::bend:
        add(name + "_x", primitive.modes.size(), "rad");
        add(name + "_y", primitive.y_modes.size(), "rad");
        break;
      case Type::stretch:
        add(name, primitive.modes.size(), "m");
        break;
      case Type::twist:
        add(name, primitive.modes.size(), "rad");
        break;
      case Type::source:
        add(name, primitive.modes.size(), "m^2");
        break;
    }
  }
  return info;
}

template <typename S>
template <typename T>
LvpParametersT<T> LvpParametersT<S>::cast() const {
  LvpParametersT<T> other;
  other.length = scalar_cast<T>(length);
  for (const LvpPrimitiveT<S>& primitive : primitives) other.primitives.push_back(primitive.template cast<T>());
  return other;
}

#define CUTTLE_INSTANTIATE(S) template class LvpKinematicsT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE
#define CUTTLE_INSTANTIATE_PAIR(S, T) template LvpParametersT<T> LvpParametersT<S>::cast() const;
CUTTLE_FOR_EACH_SCALAR_PAIR(CUTTLE_INSTANTIATE_PAIR)
#undef CUTTLE_INSTANTIATE_PAIR

}  // namespace cuttle
