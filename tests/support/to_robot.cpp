#include "support/to_robot.h"

#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace cuttle::test {

namespace {

Vector3 vector(const Triple& a) { return {a[0], a[1], a[2]}; }

Profile profile(const PlainProfile& values) { return Profile(values); }

std::shared_ptr<const Joint> to_joint(const PlainJoint& plain) {
  if (plain.type == "fixed") return nullptr;
  if (plain.type == "revolute") return make_revolute_joint<double>(vector(plain.axis));
  if (plain.type == "prismatic") return make_prismatic_joint<double>(vector(plain.axis));
  if (plain.type == "cylindrical") return make_cylindrical_joint<double>(vector(plain.axis));
  if (plain.type == "universal") return make_universal_joint<double>(vector(plain.axis), vector(plain.axis2));
  if (plain.type == "spherical") return make_spherical_joint<double>();
  if (plain.type == "planar") return make_planar_joint<double>();
  if (plain.type == "free") return make_free_joint<double>();
  throw std::invalid_argument("joint " + plain.type);
}

StrainBasis to_basis(const PlainBasis& plain) {
  using Kind = StrainBasis::Kind;
  static const std::map<std::string, Kind> kinds{
      {"constant", Kind::constant},   {"monomial", Kind::monomial},   {"legendre", Kind::legendre},
      {"chebyshev", Kind::chebyshev}, {"fourier", Kind::fourier},     {"gaussian", Kind::gaussian},
      {"hermite", Kind::hermite},     {"piecewise", Kind::piecewise}, {"function", Kind::function}};
  StrainBasis basis;
  basis.kind = kinds.at(plain.basis);
  basis.order = plain.order;
  basis.centers = plain.centers, basis.widths = plain.widths;
  basis.nodes = plain.nodes;
  basis.breaks = plain.breaks;
  for (const auto& f : plain.functions) basis.functions.push_back([f](const double& t) { return f(t); });
  return basis;
}

Section to_section(const PlainSection& plain) {
  static const std::map<std::string, Section::Shape> shapes{{"circle", Section::Shape::circle},
                                                            {"annulus", Section::Shape::annulus},
                                                            {"ellipse", Section::Shape::ellipse},
                                                            {"rectangle", Section::Shape::rectangle},
                                                            {"general", Section::Shape::general}};
  Section section;
  section.shape = shapes.at(plain.shape);
  const std::map<std::string, Profile*> fields{{"radius", &section.radius},
                                               {"inner_radius", &section.inner_radius},
                                               {"radius_x", &section.radius_x},
                                               {"radius_y", &section.radius_y},
                                               {"width", &section.width},
                                               {"height", &section.height},
                                               {"area", &section.area},
                                               {"Ix", &section.Ix},
                                               {"Iy", &section.Iy},
                                               {"Jz", &section.Jz}};
  for (const auto& [key, values] : plain.lengths) *fields.at(key) = profile(values);
  return section;
}

std::optional<HyperelasticLawT<double>> to_law(const std::optional<PlainLaw>& plain) {
  if (!plain) return std::nullopt;
  HyperelasticLawT<double> law;
  law.polynomial = plain->polynomial;
  if (!plain->tanh.empty()) law.tanh = {{plain->tanh[0], plain->tanh[1], plain->tanh[2]}};
  return law;
}

}  // namespace

Pose to_pose(const PlainPose& plain) {
  const auto turn = [](int axis, double angle) {
    Vector3 w;
    w[axis] = angle;
    return rotation_exponential(w);
  };
  return {turn(2, plain.rpy[2]) * turn(1, plain.rpy[1]) * turn(0, plain.rpy[0]), vector(plain.position)};
}

RigidParameters to_rigid_parameters(const PlainRigid& plain) {
  const auto& I = plain.inertia;
  return {plain.mass, vector(plain.com), {I[0], I[1], I[2], I[3], I[4], I[5]}, to_pose(plain.tip)};
}

RodParameters to_rod_parameters(const PlainRod& plain) {
  RodParameters rod;
  rod.length = plain.length;
  rod.section = to_section(plain.section);
  if (plain.c1) {
    rod.material = RodMaterial::neo_hookean(plain.density.value_or(0.0), *plain.c1);
  } else {
    rod.material.young_modulus = plain.young_modulus;
    rod.material.poisson_ratio = plain.poisson_ratio;
  }
  rod.material.density = plain.density;
  rod.material.damping_time = plain.damping_time;
  rod.material.viscosity = plain.viscosity;
  rod.quadrature_points = plain.sections;
  if (!plain.shorthand.empty()) {
    rod.strain = strain_shorthand<double>(plain.shorthand, plain.length);
  } else {
    for (int c = 0; c < 6; ++c) {
      if (plain.strain[c]) rod.strain[c] = to_basis(*plain.strain[c]);
    }
  }
  for (int c = 0; c < 6; ++c) rod.rest_strain[c] = profile(plain.rest_strain[c]);
  rod.shear_factor = plain.shear_factor;
  if (plain.polar_torsion) rod.torsion_constant = TorsionConstant::polar;
  if (!plain.torsion_constant.empty()) rod.torsion_constant = profile(plain.torsion_constant);
  if (!plain.stiffness.empty()) {
    rod.stiffness.emplace();
    for (int c = 0; c < 6; ++c) (*rod.stiffness)[c] = profile(plain.stiffness[c]);
  }
  if (!plain.mass_per_length.empty()) rod.mass_per_length = profile(plain.mass_per_length);
  if (!plain.rotary_inertia.empty()) {
    rod.rotary_inertia.emplace();
    for (int c = 0; c < 3; ++c) (*rod.rotary_inertia)[c] = profile(plain.rotary_inertia[c]);
  }
  rod.hyperelastic_stretch = to_law(plain.hyperelastic_stretch);
  rod.hyperelastic_bend = to_law(plain.hyperelastic_bend);
  return rod;
}

ContinuumJointParameters to_continuum_joint_parameters(const PlainContinuumJoint& plain) {
  return {plain.length, plain.mass, plain.radius, plain.stiffness, plain.coupling_stiffness, plain.damping};
}

Robot to_robot(const PlainRobot& plain) {
  Robot robot;
  robot.gravity = vector(plain.gravity);
  robot.floating_base = plain.floating;
  robot.base_pose = to_pose(plain.base);
  const auto place = [&](const PlainPlace& from) {
    Place to;
    to.link = from.link < 0 ? "base" : plain.links[from.link].name;
    if (from.at == "base") to.at = PortLocation::base();
    if (from.at == "s") to.at = PortLocation::section(from.s);
    to.pose = to_pose(from.pose);
    return to;
  };
  for (const PlainLink& from : plain.links) {
    Link link;
    link.name = from.name;
    link.parent = place(from.parent);
    link.joint = to_joint(from.joint);
    link.joint_dynamics = {from.joint.stiffness, from.joint.damping, from.joint.armature, from.joint.rest};
    if (from.rigid) link.body = std::make_shared<RigidBody>(to_rigid_parameters(*from.rigid));
    if (from.rod) link.body = std::make_shared<RodBody>(to_rod_parameters(*from.rod));
    if (from.continuum_joint) {
      link.body = std::make_shared<ContinuumJoint>(to_continuum_joint_parameters(*from.continuum_joint));
    }
    robot.links.push_back(link);
  }
  for (const PlainPlace& marker : plain.markers) {
    robot.markers.push_back({"marker_" + std::to_string(robot.markers.size()), place(marker)});
  }
  return robot;
}

}  // namespace cuttle::test
