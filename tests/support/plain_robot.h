#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// A robot as plain numbers, with the keys of robot files (docs/format.md). The random robots are made as this;
/// the library's description and the Lagrange reference are both made from it, so the reference needs nothing of
/// Cuttle.
namespace cuttle::test {

using Triple = std::array<double, 3>;
/// One value, or values at equal spacing from s = 0 to L, linear in between. Empty: not given.
using PlainProfile = std::vector<double>;

struct PlainPose {
  Triple position{};
  Triple rpy{};  ///< R = Rz(yaw) Ry(pitch) Rx(roll)
};

struct PlainJoint {
  std::string type = "fixed";
  Triple axis{0.0, 0.0, 1.0};                              ///< revolute, prismatic, cylindrical; the first of universal
  Triple axis2{0.0, 1.0, 0.0};                             ///< the second of universal
  std::vector<double> stiffness, damping, armature, rest;  ///< empty: zero; rest: neutral
};

struct PlainSection {
  std::string shape = "circle";
  std::map<std::string, PlainProfile> lengths;  ///< radius, inner_radius, radius_x, .., area, Ix, Iy, Jz
};

struct PlainBasis {
  std::string basis = "constant";
  int order = 0;
  std::vector<double> centers, widths;
  int nodes = 2;
  std::vector<double> breaks;
  std::vector<std::function<double(double)>> functions;
};

/// Even polynomial k0 + k1 x^2 + .., or a1 + a2 tanh^2(a3 x).
struct PlainLaw {
  std::vector<double> polynomial;
  std::vector<double> tanh;
};

struct PlainRod {
  double length = 0.0;
  PlainSection section;
  std::optional<double> density, young_modulus, damping_time, viscosity;
  std::optional<double> c1;  ///< neo_hookean instead of young_modulus and poisson_ratio
  double poisson_ratio = 0.5;
  int sections = 10;
  std::string shorthand;  ///< instead of `strain`
  std::array<std::optional<PlainBasis>, 6> strain;
  std::array<PlainProfile, 6> rest_strain;
  double shear_factor = 1.0;
  PlainProfile torsion_constant;  ///< empty: Saint-Venant's, or the polar moment
  bool polar_torsion = false;
  std::vector<PlainProfile> stiffness;  ///< 6 or none
  PlainProfile mass_per_length;
  std::vector<PlainProfile> rotary_inertia;  ///< 3 or none
  std::optional<PlainLaw> hyperelastic_stretch, hyperelastic_bend;
};

struct PlainRigid {
  double mass = 0.0;
  Triple com{};
  std::array<double, 6> inertia{};  ///< Ixx, Iyy, Izz, Ixy, Ixz, Iyz about the com
  PlainPose tip;
};

struct PlainContinuumJoint {
  double length = 0.0, mass = 0.0, radius = 0.0;
  std::array<double, 2> stiffness{};
  double coupling_stiffness = 0.0;
  std::array<double, 2> damping{};
};

struct PlainPlace {
  int link = -1;           ///< -1: the robot's base
  std::string at = "tip";  ///< base | tip | s
  double s = 0.0;
  PlainPose pose;
};

struct PlainLink {
  std::string name;
  PlainPlace parent;
  PlainJoint joint;
  std::optional<PlainRigid> rigid;  ///< at most one of the three; none: massless
  std::optional<PlainRod> rod;
  std::optional<PlainContinuumJoint> continuum_joint;
};

struct PlainRobot {
  Triple gravity{0.0, 0.0, -9.81};
  bool floating = false;
  PlainPose base;
  std::vector<PlainLink> links;
  std::vector<PlainPlace> markers;
};

/// Strain bases of a rod, with its shorthand written out.
std::array<std::optional<PlainBasis>, 6> strain_of(const PlainRod& rod);
/// Number of modes of a basis.
int mode_count(const PlainBasis& basis);
/// Coordinates and velocities of a joint type.
int joint_nq(const std::string& type);
int joint_nv(const std::string& type);

}  // namespace cuttle::test
