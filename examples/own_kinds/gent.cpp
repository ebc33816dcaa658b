// A material: Gent's rubber, whose chains cannot be stretched beyond a limit.
#include <cuttle/bodies/elastic_law.h>

#include <optional>

#include "own_kinds.h"

using namespace cuttle::key;

namespace {

/// W = -mu Jm / 2 ln(1 - (I1 - 3) / Jm); with lame_lambda also -mu ln J + lame_lambda / 2 (ln J)^2.
template <typename S>
struct Gent {
  static constexpr const char* type_name = "gent";
  S mu{1.0}, limit{1.0};
  std::optional<S> lame_lambda{};

  template <typename T>
  T energy_density(const cuttle::Matrix3T<T>& F) const {
    using std::log;
    using namespace cuttle::material;
    const T excess = first_invariant_excess(F);
    T energy = T(S(-0.5) * mu * limit) * log(T(1.0) - excess / T(limit));
    if (lame_lambda) {
      const T log_J = log(determinant(F));
      energy += (T(S(0.5) * *lame_lambda) * log_J - T(mu)) * log_J;
    }
    return energy;
  }
  template <typename T>
  Gent<T> cast() const {  // its numbers are parameters: gradients go through them
    Gent<T> other{cuttle::scalar_cast<T>(mu), cuttle::scalar_cast<T>(limit)};
    if (lame_lambda) other.lame_lambda = cuttle::scalar_cast<T>(*lame_lambda);
    return other;
  }
};

const cuttle::KeyTable k_keys{
    .keys = cuttle::material_keys(
        {required(number("shear_modulus", cuttle::k_positive, "Pa")).about("Shear modulus mu at rest."),
         required(number("limit", cuttle::k_positive, cuttle::k_dimensionless))
             .about("Jm, which I1 - 3 never reaches."),
         number("lame_lambda", cuttle::k_not_negative, "Pa")
             .about("Resistance to changes of volume.")
             .if_missing("volume is preserved")})};

/// Density and damping are read for all materials alike.
template <typename S>
std::optional<cuttle::MaterialT<S>> read_gent(const cuttle::KeyReader<S>& keys) {
  cuttle::MaterialT<S> material;
  material.law = cuttle::make_elastic_law<S>(
      Gent<S>{keys.number("shear_modulus"), keys.number("limit"), keys.optional_number("lame_lambda")});
  return material;
}

void write_gent(const cuttle::Material& material, cuttle::MapWriter& map) {
  const auto& gent = dynamic_cast<const cuttle::ElasticLawT<double, Gent<double>>&>(*material.law).law();
  map.number("shear_modulus", gent.mu);
  map.number("limit", gent.limit);
  map.number("lame_lambda", gent.lame_lambda);
}

}  // namespace

cuttle::MaterialKind gent_kind() {
  return {"gent",
          &k_keys,
          "Rubber that stiffens towards a limit, for volumes.",
          "{model: gent, density: 1070, shear_modulus: 1.0e+5, limit: 30}",
          read_gent<double>,
          read_gent<cuttle::ForwardDual>,
          write_gent};
}
