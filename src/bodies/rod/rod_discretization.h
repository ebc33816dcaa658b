#pragma once

#include <vector>

#include "bodies/rod/rod_tables.h"
#include "cuttle/bodies/rod_body.h"

namespace cuttle {

/// A rod's parameters turned into the tables of its sweeps: Gauss points, Magnus steps, shape functions, lumped inertia
/// and the matrices of its elasticity. Rods with equal parameters and ports share one: a chain of a thousand equal rods
/// reads the same few kB over and over.
template <typename S>
struct RodBodyT<S>::Discretization final : RodTables<S> {
  Discretization(const RodParametersT<S>& p, const std::vector<S>& ports);
  /// One that is in use, if a rod like this has it; else a new one. From any thread.
  static std::shared_ptr<const Discretization> of(const RodParametersT<S>& p, const std::vector<S>& ports = {});
  using Tables = RodTables<S>;
  using Tables::grid, Tables::stiffness, Tables::damping, Tables::predecessor, Tables::port_step, Tables::step_length,
      Tables::shape1, Tables::shape2, Tables::rest1, Tables::rest2, Tables::mass, Tables::rotary;

  RodParametersT<S> parameters;
  std::vector<S> port_positions;  ///< s of port 1, 2, .. [m]; port 0 is the tip
  std::vector<CoordinateInfo> coordinates;

  std::vector<typename BodyT<S>::Station> stations() const;

 private:
  void build();
  void build_stops();
  void build_tables();
  void build_elasticity();

  struct Stop {
    S t;       ///< s / L
    S weight;  ///< of the quadrature [m]; 0 for breaks and the tip
  };
  std::vector<Stop> stops_;             // of the main steps
  std::vector<S> step_begin_, step_t_;  // start and length in t, all steps
};

/// Largest number of points that the quadrature of a rod may have.
inline constexpr int k_most_quadrature_points = 1000;

/// What a strain component is, for people: "curvature about x".
const char* strain_component_meaning(int component);

/// Checks everything that a file or a user can get wrong. @throws ModelError: key: found, expected.
template <typename S>
void check_rod_parameters(const RodParametersT<S>& parameters);

/// Stiffness of the section at t = s/L against a strain component: EI, GJ, shear, EA [N m^2, N]. Of a rod that has a
/// section and a material, or `stiffness`.
template <typename S>
S section_rigidity(const RodParametersT<S>& parameters, int component, const S& t);

/// Inertia per length of the section at t = s/L.
template <typename S>
SectionInertiaT<S> section_inertia(const RodParametersT<S>& parameters, const S& t);

/// Jt [m^4] of the section at t = s/L: as given, or of the section's shape.
template <typename S>
S torsion_constant(const RodParametersT<S>& parameters, const S& t);

/// Nodes and weights of Gauss-Legendre quadrature on [0, 1].
void gauss_legendre(int count, std::vector<long double>& nodes, std::vector<long double>& weights);

}  // namespace cuttle
