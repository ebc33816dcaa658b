#include "support/random_robot.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <memory>
#include <stdexcept>

namespace cuttle::test {

namespace {

constexpr double k_pi = 3.14159265358979323846;

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
  rod.sections = plain.sections;
  if (!plain.shorthand.empty()) {
    rod.strain = strain_shorthand<double>(plain.shorthand, plain.length);
  } else {
    for (int c = 0; c < 6; ++c) {
      if (plain.strain[c]) rod.strain[c] = to_basis(*plain.strain[c]);
    }
  }
  for (int c = 0; c < 6; ++c) rod.rest_strain[c] = profile(plain.rest_strain[c]);
  rod.shear_factor = plain.shear_factor;
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
    robot.links.push_back(link);
  }
  for (const PlainPlace& marker : plain.markers) {
    robot.markers.push_back({"marker_" + std::to_string(robot.markers.size()), place(marker)});
  }
  return robot;
}

const std::vector<std::string>& all_bases() {
  static const std::vector<std::string> names{"constant", "monomial", "legendre",  "chebyshev", "fourier",
                                              "gaussian", "hermite",  "piecewise", "function"};
  return names;
}
const std::vector<std::string>& all_shorthands() {
  static const std::vector<std::string> names{"pcc", "planar_cc", "pcs", "pac", "pgc", "kirchhoff"};
  return names;
}
const std::vector<std::string>& all_shapes() {
  // `none`: mass_per_length, rotary_inertia and stiffness instead of a section
  static const std::vector<std::string> names{"circle", "annulus", "ellipse", "rectangle", "general", "none"};
  return names;
}
const std::vector<std::string>& all_joints() {
  static const std::vector<std::string> names{"fixed",     "revolute",  "prismatic", "cylindrical",
                                              "universal", "spherical", "planar",    "free"};
  return names;
}

PlainPose random_pose(Random& random, double distance) {
  PlainPose pose;
  for (double& x : pose.position) x = random.uniform(-distance, distance);
  for (double& x : pose.rpy) x = random.uniform(-k_pi, k_pi);
  return pose;
}

PlainRigid random_rigid(Random& random) {
  PlainRigid body;
  body.mass = random.uniform(0.2, 2.0);
  for (double& x : body.com) x = random.uniform(-0.1, 0.1);
  // of four points of different masses around the center: a tensor that a real body can have, without symmetry
  for (int k = 0; k < 4; ++k) {
    const double m = body.mass * random.uniform(0.1, 0.4);
    const double x = random.uniform(-0.1, 0.1), y = random.uniform(-0.15, 0.15), z = random.uniform(-0.08, 0.08);
    body.inertia[0] += m * (y * y + z * z);
    body.inertia[1] += m * (x * x + z * z);
    body.inertia[2] += m * (x * x + y * y);
    body.inertia[3] -= m * x * y;
    body.inertia[4] -= m * x * z;
    body.inertia[5] -= m * y * z;
  }
  for (int i = 0; i < 3; ++i) body.inertia[i] += 5e-4 * body.mass * random.uniform(1.0, 1.5);  // far from singular
  body.tip = random_pose(random, 0.15);
  return body;
}

namespace {

/// A number, a pair or a list of three around `size`.
PlainProfile random_profile(Random& random, double size) {
  PlainProfile values(1 + random.index(3));
  for (double& value : values) value = size * random.uniform(0.7, 1.3);
  return values;
}

PlainSection random_section(Random& random, const std::string& shape) {
  PlainSection section;
  section.shape = shape;
  const double size = random.uniform(0.012, 0.03);
  const auto set = [&](const char* key, double value) { section.lengths[key] = random_profile(random, value); };
  if (shape == "circle") {
    set("radius", size);
  } else if (shape == "annulus") {
    set("radius", size);
    set("inner_radius", 0.4 * size);  // 0.52 size at most, below 0.7 size
  } else if (shape == "ellipse") {
    set("radius_x", size);
    set("radius_y", 1.4 * size);
  } else if (shape == "rectangle") {
    set("width", 2 * size);
    set("height", 1.3 * size);
  } else {
    const double area = 3 * size * size;
    set("area", area);
    set("Ix", 0.3 * area * size * size);
    set("Iy", 0.2 * area * size * size);
    set("Jz", 0.45 * area * size * size);
  }
  return section;
}

PlainBasis random_basis(Random& random, const std::string& kind, double length) {
  PlainBasis basis;
  basis.basis = kind;
  if (kind == "monomial" || kind == "legendre" || kind == "chebyshev") basis.order = 1 + random.index(2);
  if (kind == "fourier") basis.order = 1;
  if (kind == "gaussian") {
    for (int k = 1 + random.index(2); k > 0; --k) {
      basis.centers.push_back(length * random.uniform(0.2 * k, 0.3 * k));
      basis.widths.push_back(length * random.uniform(0.2, 0.4));
    }
  }
  if (kind == "hermite") basis.nodes = 2;
  if (kind == "piecewise") {
    basis.breaks.push_back(length * random.uniform(0.2, 0.5));
    if (random.chance(0.3)) basis.breaks.push_back(length * random.uniform(0.6, 0.9));
  }
  if (kind == "function") {
    basis.functions.push_back([](double t) { return std::cos(1.3 * t); });
    basis.functions.push_back([](double t) { return t * t * (0.7 - t); });
  }
  return basis;
}

int coordinates_of(const PlainRod& rod) {
  int count = 0;
  for (const auto& basis : strain_of(rod)) count += basis ? mode_count(*basis) : 0;
  return count;
}

}  // namespace

PlainRod random_rod(Random& random, const RandomRobotOptions& options, const std::string& basis,
                    const std::string& shape) {
  PlainRod rod;
  rod.length = random.uniform(0.2, 0.5);
  rod.sections = 3 + random.index(options.max_sections - 2);

  const std::string form = shape.empty() ? all_shapes()[random.index(static_cast<int>(all_shapes().size()))] : shape;
  const bool has_section = form != "none";
  if (has_section) {
    rod.section = random_section(random, form);
    rod.density = random.uniform(900.0, 1200.0);
    if (random.chance(0.3)) {
      rod.c1 = random.uniform(2e4, 2e5);
    } else {
      rod.young_modulus = random.uniform(1e5, 1e6);
      rod.poisson_ratio = random.uniform(0.3, 0.5);
    }
    rod.shear_factor = random.uniform(0.7, 1.0);
    if (random.chance(0.3)) rod.torsion_constant = random_profile(random, 3e-7);
  }
  if (!has_section || random.chance(0.15)) {
    for (int c = 0; c < 6; ++c) rod.stiffness.push_back(random_profile(random, c < 3 ? 0.05 : 200.0));
  }
  if (!has_section || random.chance(0.15)) rod.mass_per_length = random_profile(random, 1.5);
  if (!has_section || random.chance(0.15)) {
    for (int c = 0; c < 3; ++c) rod.rotary_inertia.push_back(random_profile(random, 3e-4));
  }

  bool constant_strain = false;
  if (basis.empty() && random.chance(0.4)) {
    rod.shorthand = all_shorthands()[random.index(static_cast<int>(all_shorthands().size()))];
    constant_strain = rod.shorthand != "pac" && rod.shorthand != "pgc";
  } else {
    do {
      const int kinds = static_cast<int>(all_bases().size()) - (options.functions ? 0 : 1);
      constant_strain = true;
      for (auto& component : rod.strain) {
        component.reset();
        if (!random.chance(0.5)) continue;
        const std::string kind = basis.empty() ? all_bases()[random.index(kinds)] : basis;
        component = random_basis(random, kind, rod.length);
        constant_strain = constant_strain && kind == "constant";
      }
    } while (coordinates_of(rod) == 0 || coordinates_of(rod) > options.max_modes);
  }
  // a section more than modes of a component, so that the sections see every mode
  for (const auto& component : strain_of(rod)) {
    if (component) rod.sections = std::max(rod.sections, mode_count(*component) + 1);
  }

  for (int c = 0; c < 6; ++c) {
    if (random.chance(0.6)) continue;
    rod.rest_strain[c].resize(1 + random.index(3));
    for (double& x : rod.rest_strain[c])
      x = c < 3 ? random.uniform(-2.0, 2.0) : (c == 5 ? 1.0 : 0.0) + random.uniform(-0.1, 0.1);
  }
  if (constant_strain && random.chance(0.4)) {
    rod.hyperelastic_stretch = PlainLaw{{random.uniform(20.0, 50.0), random.uniform(5.0, 20.0)}, {}};
    rod.hyperelastic_bend =
        PlainLaw{{}, {random.uniform(0.05, 0.2), random.uniform(0.05, 0.2), random.uniform(0.5, 2.0)}};
    if (random.chance(0.3)) std::swap(rod.hyperelastic_stretch->polynomial, rod.hyperelastic_bend->polynomial);
    if (!rod.hyperelastic_bend->polynomial.empty())
      std::swap(rod.hyperelastic_stretch->tanh, rod.hyperelastic_bend->tanh);
  }
  const int damping = random.index(3);
  if (damping == 0) rod.damping_time = random.uniform(0.01, 0.2);
  if (damping == 1 && has_section && !rod.hyperelastic_bend) rod.viscosity = random.uniform(100.0, 1000.0);
  return rod;
}

namespace {

/// True if the body has inertia in every direction, so that its base frame cannot move without kinetic energy.
bool has_full_inertia(const PlainLink& link) {
  if (link.rod) return true;
  return link.rigid && link.rigid->inertia[0] > 0.0;
}

PlainJoint random_joint(Random& random, const std::string& type, bool springs, bool armature) {
  PlainJoint joint;
  joint.type = type;
  for (double& x : joint.axis) x = random.uniform(-2.0, 2.0);
  for (int i = 0; i < 3; ++i) joint.axis2[i] = joint.axis[(i + 1) % 3] + random.uniform(-0.3, 0.3);
  const int nv = joint_nv(type), nq = joint_nq(type);
  const auto values = [&](double low, double high) {
    std::vector<double> list(nv);
    for (double& x : list) x = random.uniform(low, high);
    return list;
  };
  if (springs && random.chance(0.4)) joint.stiffness = values(0.5, 5.0);
  if (springs && random.chance(0.4)) joint.damping = values(0.1, 1.0);
  if (armature || (springs && random.chance(0.3))) joint.armature = values(0.01, 0.1);
  if (!joint.stiffness.empty() && random.chance(0.6)) {
    joint.rest.resize(nq);
    for (double& x : joint.rest) x = random.uniform(-0.5, 0.5);
    if (nq != nv) {
      double square = 0.0;
      for (int i = nq - 4; i < nq; ++i) square += joint.rest[i] * joint.rest[i];
      for (int i = nq - 4; i < nq; ++i) joint.rest[i] /= std::sqrt(square);
    }
  }
  return joint;
}

}  // namespace

PlainRobot random_robot(unsigned seed, const RandomRobotOptions& options) {
  Random random(seed);
  PlainRobot robot;
  robot.gravity = {random.uniform(-4.0, 4.0), random.uniform(-4.0, 4.0), random.uniform(-9.0, -5.0)};
  robot.floating = options.floating;
  robot.base = random_pose(random, 1.0);
  const int count = std::max(options.min_links + random.index(options.max_links - options.min_links + 1),
                             static_cast<int>(options.cells.size()) + 1);
  const auto is_rod = [&](int link) { return link >= 0 && robot.links[link].rod.has_value(); };
  for (int i = 0; i < count; ++i) {
    PlainLink link;
    link.name = "link_" + std::to_string(i);
    std::string joint, body, port;

    const bool needs_inertia = options.floating && i == 0;  // the floating base has none of its own
    const double which = random.uniform(0.0, 1.0);
    if (options.rods && which < 0.45) {
      body = "rod";
    } else if (!options.massless || needs_inertia || which < 0.75) {
      body = "rigid";
    } else {
      body = which < 0.87 ? "point mass" : "none";
    }
    const int joints = static_cast<int>(all_joints().size());
    do {
      joint = all_joints()[random.index(joints)];
    } while (!options.quaternion_joints && (joint == "spherical" || joint == "free"));
    if (needs_inertia) joint = "fixed";

    // often the link before, so that long chains occur; else any
    int parent = options.chain || random.chance(0.5) ? i - 1 : random.index(i + 1) - 1;
    const double at = random.uniform(0.0, 1.0);
    port = parent < 0 ? "robot base" : is_rod(parent) && at > 0.5 ? "s" : at < 0.25 ? "base" : "tip";

    if (!options.cells.empty() && i == 0) body = "rod";  // offers every port
    if (i > 0 && i <= static_cast<int>(options.cells.size())) {
      joint = options.cells[i - 1][0], body = options.cells[i - 1][1], port = options.cells[i - 1][2];
      parent = port == "robot base" ? -1 : random.index(i);
      while (port == "s" && !is_rod(parent)) --parent;  // down to the rod that is link 0
    }

    if (body == "rod") link.rod = random_rod(random, options);
    if (body == "rigid" || body == "point mass") link.rigid = random_rigid(random);
    if (body == "point mass") link.rigid->inertia = {};
    link.joint = random_joint(random, joint, options.springs, !has_full_inertia(link));
    link.parent.link = parent;
    link.parent.at = port == "robot base" ? "tip" : port;
    if (port == "s") {
      const double length = robot.links[parent].rod->length;
      link.parent.s = length * random.uniform(0.05, 0.95);
      if (random.chance(0.15)) link.parent.s = length;
      if (random.chance(0.15)) link.parent.s = 0.0;
    }
    if (random.chance(0.8)) link.parent.pose = random_pose(random);
    robot.links.push_back(link);
  }
  // a part that floats must have mass and inertia
  std::vector<bool> heavy(count);
  for (int i = count - 1; i >= 0; --i) {
    heavy[i] = heavy[i] || has_full_inertia(robot.links[i]);
    const int parent = robot.links[i].parent.link;
    if (heavy[i] && parent >= 0) heavy[parent] = true;
  }
  for (int i = 0; i < count; ++i) {
    if (robot.links[i].joint.type != "free" || heavy[i]) continue;
    PlainLink ballast;
    ballast.name = "ballast_" + std::to_string(i);
    ballast.parent = {i, "tip", 0.0, random_pose(random)};
    ballast.rigid = random_rigid(random);
    robot.links.push_back(ballast);
  }
  for (int i = 0; i < count; ++i) {
    PlainPlace place;
    place.link = i;
    place.at = random.chance(0.5) ? "tip" : "base";
    if (robot.links[i].rod && random.chance(0.7)) {
      place.at = "s";
      place.s = robot.links[i].rod->length * random.uniform(0.0, 1.0);
    }
    place.pose = random_pose(random);
    if (i < 6) robot.markers.push_back(place);
  }
  return robot;
}

RandomState random_state(const Model& model, Random& random, double speed) {
  RandomState state{model.neutral(), VectorXd(model.nv()), VectorXd(model.nv())};
  VectorXd step(model.nv());
  const auto size = [](const CoordinateInfo& info) { return info.unit[0] == 'm' ? 0.1 : 1.0; };
  for (int i = 0; i < model.nv(); ++i) {
    const CoordinateInfo& info = model.velocity_info()[i];
    const bool joint_angle = info.name.find(".joint.") != std::string::npos || info.name.rfind("base.", 0) == 0;
    step[i] = (joint_angle && info.unit[0] == 'r' ? 0.99 * k_pi / std::sqrt(3.0) : size(info)) * random.uniform();
    state.v[i] = speed * size(info) * random.uniform();
    state.a[i] = speed * speed * size(info) * random.uniform();
  }
  const VectorXd neutral = state.q;
  integrate(model, neutral, step, state.q);
  return state;
}

void Coverage::add(const PlainRobot& robot) {
  for (const PlainLink& link : robot.links) {
    const std::string body = link.rod                        ? "rod"
                             : !link.rigid                   ? "none"
                             : link.rigid->inertia[0] == 0.0 ? "point mass"
                                                             : "rigid";
    const std::string port = link.parent.link < 0 ? "robot base" : link.parent.at;
    ++cells_[{link.joint.type, body, port, robot.floating ? "floating" : "fixed"}];
    if (!link.rod) continue;
    if (!link.rod->shorthand.empty()) ++bases_[link.rod->shorthand];
    for (const auto& basis : link.rod->strain) {
      if (basis) ++bases_[basis->basis];
    }
    ++shapes_[link.rod->density ? link.rod->section.shape : "none"];
    if (link.rod->hyperelastic_bend) ++shapes_["(hyperelastic)"];
    if (link.rod->viscosity) ++shapes_["(viscosity)"];
    if (link.rod->damping_time) ++shapes_["(damping_time)"];
    if (link.rod->c1) ++shapes_["(neo_hookean)"];
  }
}

namespace {
const std::vector<std::string> k_bodies{"none", "point mass", "rigid", "rod"};
const std::vector<std::string> k_ports{"robot base", "base", "tip", "s"};
const std::vector<std::string> k_motions{"fixed", "floating"};
}  // namespace

void Coverage::print(std::ostream& out) const {
  out << std::left << std::setw(24) << "joint, body";
  for (const auto& motion : k_motions) {
    for (const auto& port : k_ports) out << std::setw(10) << (motion.substr(0, 2) + ":" + port.substr(0, 6));
  }
  out << '\n';
  for (const auto& joint : all_joints()) {
    for (const auto& body : k_bodies) {
      out << std::setw(24) << (joint + ", " + body);
      for (const auto& motion : k_motions) {
        for (const auto& port : k_ports) {
          const auto found = cells_.find({joint, body, port, motion});
          out << std::setw(10) << (found == cells_.end() ? 0 : found->second);
        }
      }
      out << '\n';
    }
  }
  for (const auto* table : {&bases_, &shapes_}) {
    for (const auto& [name, count] : *table) out << name << ' ' << count << "  ";
    out << '\n';
  }
}

std::vector<std::array<std::string, 3>> Coverage::empty_cells(const std::string& base_motion) const {
  std::vector<std::array<std::string, 3>> empty;
  for (const auto& joint : all_joints()) {
    for (const auto& body : k_bodies) {
      for (const auto& port : k_ports) {
        if (!cells_.contains({joint, body, port, base_motion})) empty.push_back({joint, body, port});
      }
    }
  }
  return empty;
}

std::vector<std::string> Coverage::empty_cells() const {
  std::vector<std::string> empty;
  for (const auto& motion : k_motions) {
    for (const auto& [joint, body, port] : empty_cells(motion)) {
      empty.push_back(joint + " x " + body + " x " + port + " x " + motion);
    }
  }
  for (const auto& shape : all_shapes()) {
    if (!shapes_.contains(shape)) empty.push_back("section " + shape);
  }
  for (const auto* names : {&all_bases(), &all_shorthands()}) {
    for (const auto& name : *names) {
      if (!bases_.contains(name)) empty.push_back("basis " + name);
    }
  }
  return empty;
}

const std::vector<NamedRobot>& standard_robots() {
  static const std::vector<NamedRobot> robots = [] {
    std::vector<NamedRobot> list;
    const auto add = [&](unsigned seed, const RandomRobotOptions& options) {
      std::string name = "seed " + std::to_string(seed) + (options.floating ? ", floating" : ", fixed");
      if (options.functions) name += ", functions";
      list.push_back({name, seed, random_robot(seed, options)});
    };
    for (unsigned seed = 1; seed <= 24; ++seed) {
      RandomRobotOptions options;
      options.floating = seed % 2 == 0;
      options.min_links = 1, options.max_links = seed <= 8 ? 4 : 20;
      add(seed, options);
    }
    for (unsigned seed = 101; seed <= 116; ++seed) {  // large
      RandomRobotOptions options;
      options.floating = seed % 2 == 0;
      options.min_links = 30, options.max_links = 50;
      options.chain = seed <= 104;
      add(seed, options);
    }
    for (unsigned seed = 201; seed <= 204; ++seed) {
      RandomRobotOptions options;
      options.functions = true;
      options.floating = seed % 2 == 0;
      options.min_links = 10;
      add(seed, options);
    }
    for (unsigned seed = 301; seed <= 302; ++seed) {
      Coverage coverage;
      for (const NamedRobot& robot : list) coverage.add(robot.plain);
      RandomRobotOptions options;
      options.floating = seed % 2 == 0;
      options.cells = coverage.empty_cells(options.floating ? "floating" : "fixed");
      options.max_modes = 6;
      add(seed, options);
    }
    return list;
  }();
  return robots;
}

}  // namespace cuttle::test
