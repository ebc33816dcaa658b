#include "support/random_body.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace cuttle::test {

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

PlainPose random_pose(Random& random, double distance) {
  PlainPose pose;
  for (double& x : pose.position) x = random.uniform(-distance, distance);
  for (double& x : pose.rpy) x = random.uniform(-std::numbers::pi, std::numbers::pi);
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

PlainContinuumJoint random_continuum_joint(Random& random) {
  PlainContinuumJoint body;
  body.length = random.uniform(0.15, 0.3);
  body.mass = random.uniform(0.4, 1.2);
  body.radius = random.uniform(0.04, 0.09);
  body.stiffness = {random.uniform(4.0, 8.0), random.uniform(5.0, 9.0)};
  body.coupling_stiffness = random.uniform(-2.0, 2.0);
  body.damping = {random.uniform(0.1, 0.6), random.uniform(0.2, 0.5)};
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

PlainRod random_rod(Random& random, const RandomRodOptions& options, const std::string& basis,
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
    rod.polar_torsion = rod.sections % 3 == 0;  // no number more: the other random values stay as they are
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

}  // namespace cuttle::test
