#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "support/lagrange/mass.h"
#include "support/lagrange/pose_matrix.h"
#include "support/lagrange_reference.h"
#include "support/plain_robot.h"

namespace cuttle::test::lagrange {

using Strain = std::array<Real, 6>;

/// What a rod's strain is at one place: xi_0 and the rows of d xi / dq.
struct StrainAt {
  Strain rest{};
  std::vector<std::pair<int, Real>> modes;  // component of coordinate k, phi_k / L
};

/// A rod as steps of its pose along it and sections with mass and elasticity.
struct Rod {
  PlainRod plain;
  std::array<std::optional<PlainBasis>, 6> strain;
  int coordinates = 0;
  int substeps = 0;  // 0: Magnus

  struct Step {
    Real from = 0, to = 0;
    std::vector<StrainAt> places;  // Magnus: two; Runge-Kutta: 2 substeps + 1, at the ends and the middles
  };
  std::vector<Step> steps;
  std::vector<int> section_of_step;  // index of the section that the step leads to, -1: none
  struct Node {
    Real weight = 0;
    StrainAt strain;
    Strain stiffness{}, damping{};
    Mass mass;  // times the weight
  };
  std::vector<Node> sections;

  Rod(const PlainRod& rod, const RodIntegration& integration);

  Step step_between(Real from, Real to) const;
  /// Pose at the end of a step from the pose at its start; q: coordinates of the rod.
  template <typename T>
  Top<T> advance(const Top<T>& g, const Step& step, const T* q) const;

  void add_elastic_force(const Real* q, Real* force) const;
  void add_damping_force(const Real* v, Real* force) const;
  Real elastic_energy(const Real* q) const;

 private:
  StrainAt strain_at(Real s) const;
  void add_step(Real from, Real to, int section);
  void add_section(Real s, Real weight);
  /// Index of the first mode of a component, which for constant strain is its only one.
  int first_mode(int component) const;
  /// Coordinate of the constant mode of a component; only for constant strain.
  Real constant_mode(int component, const Real* q) const;
  void add_to_constant_mode(int component, Real value, Real* force) const;
  /// Linear terms: int d xi/dq^T diagonal (d xi/dq x).
  void add_linear_force(const Real* x, bool elastic, Real* force) const;
};

}  // namespace cuttle::test::lagrange
