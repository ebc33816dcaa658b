#pragma once

#include <array>
#include <optional>
#include <variant>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/bodies/hyperelastic_law.h"
#include "cuttle/bodies/rod_dynamics.h"
#include "cuttle/bodies/rod_section.h"
#include "cuttle/bodies/section_inertia.h"
#include "cuttle/bodies/slender.h"
#include "cuttle/bodies/strain_basis.h"

namespace CUTTLE_API cuttle {

/// Torsion constant that a rod takes from its section.
enum class TorsionConstant {
  saint_venant,  ///< SectionT::torsion_constant: the section warps
  polar,         ///< Jz: the section stays plane, as rods without warping are often written
};

/// Linear visco-elastic material of a rod. At most one of damping_time and viscosity.
template <typename S>
struct RodMaterialT {
  std::optional<S> density{};        ///< [kg/m^3]; may be missing if the rod gives mass and rotary inertia per length
  std::optional<S> young_modulus{};  ///< [Pa]; may be missing if the rod gives its stiffness
  S poisson_ratio = S(0.5);
  std::optional<S> damping_time{};  ///< tau [s]: damping = tau times stiffness
  std::optional<S> viscosity{};     ///< [Pa s]: damping = viscosity diag(3 Ix, 3 Iy, Jt, A, A, 3 A)
  bool operator==(const RodMaterialT&) const = default;

  /// A rod of a neo-Hookean material: E = 6 c1, incompressible.
  static RodMaterialT neo_hookean(const S& density, const S& c1) {
    RodMaterialT material;
    material.density = density;
    material.young_modulus = S(6.0) * c1;
    return material;
  }

  template <typename T>
  RodMaterialT<T> cast() const {
    const auto each = [](const std::optional<S>& v) {
      return v ? std::optional<T>(scalar_cast<T>(*v)) : std::optional<T>();
    };
    return {each(density), each(young_modulus), scalar_cast<T>(poisson_ratio), each(damping_time), each(viscosity)};
  }
};
using RodMaterial = RodMaterialT<double>;

/// Index of a strain component in the order of the file: kappa_x, kappa_y, kappa_z, sigma_x, sigma_y, sigma_z.
enum StrainComponent { kappa_x, kappa_y, kappa_z, sigma_x, sigma_y, sigma_z };
/// Name of a strain component as in files.
const char* strain_component_name(int component);

/// Parameters of a Cosserat rod (docs/format.md, Rod; what is computed: docs/architecture.md, The rod).
template <typename S>
struct RodParametersT {
  S length{};           ///< L [m]
  SectionT<S> section;  ///< not needed if mass_per_length, rotary_inertia and stiffness are given
  RodMaterialT<S> material;
  int quadrature_points = 10;  ///< Gauss-Legendre, along the rod (along each piece if a basis is piecewise)
  std::array<std::optional<StrainBasisT<S>>, 6> strain;  ///< by component; empty: the component keeps its rest value
  std::array<ProfileT<S>, 6> rest_strain;                ///< stress-free strain xi_0; empty: (0,0,0,0,0,1)
  S shear_factor = S(1.0);
  /// Jt of the stiffness G Jt and of the viscous damping: from the section, or values [m^4].
  std::variant<TorsionConstant, ProfileT<S>> torsion_constant = TorsionConstant::saint_venant;
  std::optional<std::array<ProfileT<S>, 6>> stiffness;  ///< [N m^2, N], replaces section and material
  std::optional<std::array<ProfileT<S>, 6>> damping;    ///< [N m^2 s, N s], replaces that of the material
  /// c1, c2, .. by component: at a strain e beyond rest the stiffness is (1 + c1 e + c2 e^2 + ..) times that at rest.
  std::array<std::vector<S>, 6> stiffening;
  std::optional<ProfileT<S>> mass_per_length;                ///< [kg/m]
  std::optional<std::array<ProfileT<S>, 3>> rotary_inertia;  ///< per length, about x, y, z [kg m]
  std::optional<HyperelasticLawT<S>> hyperelastic_stretch;   ///< k_e [J] of the link's elongation q_sz / L
  std::optional<HyperelasticLawT<S>> hyperelastic_bend;      ///< k_b [J/rad^2] of the bending angle [rad]
  bool operator==(const RodParametersT&) const = default;

  template <typename T>
  RodParametersT<T> cast() const;
};
using RodParameters = RodParametersT<double>;

/// Strain of the shorthands of files: "pcc", "planar_cc", "pcs", "pac", "pgc", "kirchhoff".
/// @param pieces  equal parts of the rod, each with a strain of its own ("sections" of the literature); more than one
/// only where the strain of a part is constant: not for pac and pgc.
/// @throws ModelError naming the known ones if there is no such shorthand, or with `pieces` it cannot have.
template <typename S>
CUTTLE_API std::array<std::optional<StrainBasisT<S>>, 6> strain_shorthand(const std::string& name, const S& length,
                                                                          int pieces = 1);

/// Cosserat rod with strain xi(s) = xi_0(s) + (1/L) sum_k phi_k(s/L) q_k, [B] (1), (34); backbone along z.
///
/// Discretized once: the pose steps 0 -> s_1 -> .. -> s_n -> L over the Gauss points by fourth-order Magnus steps, and
/// all integrals use those points. Everything that the class returns is exact for that discrete rod. Cost of forward
/// and backward: O(points (modes + 1)); of inertia_blocks: O(points n_B^2).
/// @code
/// RodParameters p;
/// p.length = 0.3;
/// p.section.radius = 0.02;
/// p.material = {.density = 1070, .young_modulus = 5e5, .damping_time = 0.1};
/// p.strain = strain_shorthand("pcc", p.length);
/// auto body = std::make_shared<RodBody>(p);
/// @endcode
template <typename S>
class RodBodyT final : public RodDynamicsT<S>, public SlenderT<S>, public HasSectionsT<S> {
 public:
  /// @throws ModelError: key, what was found, what was expected.
  explicit RodBodyT(const RodParametersT<S>& parameters);

  const RodParametersT<S>& parameters() const;

  std::vector<CoordinateInfo> coordinates() const override;
  SpatialInertiaT<S> rest_inertia() const override;
  int add_port(const PortLocationT<S>& location) override;
  std::vector<int> add_ports(const std::vector<PortLocationT<S>>& locations) override;
  std::vector<typename BodyT<S>::Station> stations() const override;
  const SlenderT<S>* slender() const override { return this; }
  /// Needs a section, and a stiffness or a law for the whole link. Of the section's stiffness and strain, per area;
  /// where a law for the whole link stands instead, its energy over the rod's volume.
  bool has_energy_density() const override;
  void energy_density(const S* q, const Vector3T<S>* x, std::size_t count, S* density) const override;
  std::unique_ptr<BodyT<S>> clone() const override;
  std::unique_ptr<BodyT<double>> clone_as(ScalarTag<double>) const override;
  std::unique_ptr<BodyT<long double>> clone_as(ScalarTag<long double>) const override;
  std::unique_ptr<BodyT<ForwardDual>> clone_as(ScalarTag<ForwardDual>) const override;

  /// Sum over the stations of the power of the section's viscosity on the rates of its strains, over 2.
  bool has_dissipation() const override { return true; }
  S dissipation(const S* q, const S* v) const override;
  S length() const override { return parameters().length; }
  const SectionT<S>& section() const override { return parameters().section; }
  void strain_map(const S& s, TwistT<S>& rest, TwistT<S>* shape) const override;
  std::vector<S> strain_breaks() const override;
  SectionInertiaT<S> section_inertia(const S& s) const override;
  int quadrature_points() const override { return parameters().quadrature_points; }
  std::unique_ptr<BodyT<S>> with_quadrature_points(int count) const override;

  /// Strain at s (6 values) for coordinates q.
  TwistT<S> strain_at(const S& s, const S* q) const;

 private:
  struct Discretization;  // the tables and how they are made, src/bodies/rod/rod_discretization.h
  explicit RodBodyT(std::shared_ptr<const Discretization> tables);
  const Discretization& discretization() const;
};
using RodBody = RodBodyT<double>;

}  // namespace cuttle
