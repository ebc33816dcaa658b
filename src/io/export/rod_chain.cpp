// Soft bodies along a line as chains of rigid pieces.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "bodies/rod/rod_discretization.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/bodies/continuum_joint.h"
#include "cuttle/bodies/rod_body.h"
#include "cuttle/model/data.h"
#include "io/export/export_tree.h"

namespace cuttle {
namespace {

constexpr int k_piece_points = 4;     // of the quadrature for the mass of a piece
constexpr int k_profile_values = 65;  // of a stiffness that is tabulated
constexpr int k_free_order = 8;       // of the polynomials of free strains
constexpr int k_free_points = 24;

/// A soft body as a rod with linear springs, and what that does not have.
struct ChainSource {
  RodParameters rod;
  Vector3 bending[2] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};  ///< axes of kappa_x, kappa_y of the chain
  std::array<double, 2> damping{};                          ///< of a continuum joint, of each axis; the rod has none
};

/// Laws for the whole rod as the stiffness that they have at rest.
void make_linear(RodParameters& rod) {
  if (!rod.hyperelastic_bend && !rod.hyperelastic_stretch) return;
  std::array<Profile, 6> stiffness;
  const bool has_others = rod.stiffness || rod.material.young_modulus;
  for (int c = 0; c < 6; ++c) {
    const bool bends = rod.hyperelastic_bend && (c == kappa_x || c == kappa_y);
    const bool stretches = rod.hyperelastic_stretch && c == sigma_z;
    if (bends) {
      stiffness[c] = Profile(rod.hyperelastic_bend->stiffness(0.0) * rod.length);
    } else if (stretches) {
      stiffness[c] = Profile(rod.hyperelastic_stretch->stiffness(0.0) / rod.length);
    } else if (has_others) {
      std::vector<double> values;
      values.reserve(k_profile_values);
      for (int i = 0; i < k_profile_values; ++i) {
        values.push_back(section_rigidity(rod, c, static_cast<double>(i) / (k_profile_values - 1)));
      }
      stiffness[c] = Profile(std::move(values));
    } else {
      stiffness[c] = Profile(0.0);
    }
  }
  rod.stiffness = stiffness;
  rod.hyperelastic_bend.reset(), rod.hyperelastic_stretch.reset();
}

/// The inertia of a continuum joint is that of thin discs along it.
ChainSource source_of(const ContinuumJointParameters& joint) {
  ChainSource source;
  RodParameters& rod = source.rod;
  const double L = joint.length, m = joint.mass / L, r2 = joint.radius * joint.radius;
  rod.length = L;
  rod.section.radius = Profile(joint.radius);
  rod.mass_per_length = Profile(m);
  rod.rotary_inertia = {Profile(0.25 * m * r2), Profile(0.25 * m * r2), Profile(0.5 * m * r2)};
  rod.strain[kappa_x].emplace(), rod.strain[kappa_y].emplace();
  std::array<double, 2> K = joint.stiffness;
  source.damping = joint.damping;
  if (joint.coupling_stiffness != 0.0) {  // hinges about the axes in which bending is not coupled
    Eigen::Matrix2d matrix;
    matrix << joint.stiffness[0], joint.coupling_stiffness, joint.coupling_stiffness, joint.stiffness[1];
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> solver(matrix);
    for (int i = 0; i < 2; ++i) {
      const Eigen::Vector2d axis = solver.eigenvectors().col(i);
      K[static_cast<std::size_t>(i)] = std::max(0.0, solver.eigenvalues()[i]);
      source.bending[i] = {axis[0], axis[1], 0.0};
      source.damping[static_cast<std::size_t>(i)] =
          joint.damping[0] * axis[0] * axis[0] + joint.damping[1] * axis[1] * axis[1];
    }
  }
  rod.stiffness = {Profile(K[0] * L), Profile(K[1] * L), Profile(0.0), Profile(0.0), Profile(0.0), Profile(0.0)};
  return source;
}

std::optional<ChainSource> source_of(const Body& body) {
  if (const auto* rod = dynamic_cast<const RodBody*>(&body)) {
    ChainSource source;
    source.rod = rod->parameters();
    make_linear(source.rod);
    return source;
  }
  if (const auto* joint = dynamic_cast<const ContinuumJoint*>(&body)) return source_of(joint->parameters());
  return std::nullopt;
}

/// Springs and dampers of the joints of one strain: those of a rod whose strain is constant on each segment.
struct SegmentSprings {
  std::vector<double> stiffness, damping;
};
SegmentSprings springs_of(const RodParameters& rod, int component, int segments) {
  RodParameters pieces = rod;
  pieces.quadrature_points = k_piece_points;
  StrainBasis basis;
  for (int k = 1; k < segments; ++k) basis.breaks.push_back(rod.length * k / segments);
  if (segments > 1) basis.kind = StrainBasis::Kind::piecewise;
  for (auto& strain : pieces.strain) strain.reset();
  pieces.strain[static_cast<std::size_t>(component)] = basis;
  const RodBody body(pieces);
  const auto n = static_cast<std::size_t>(segments);
  std::vector<double> zero(n, 0.0), K(n * n), D(n * n);
  body.stiffness_matrix(zero.data(), K.data());
  body.damping_matrix(zero.data(), zero.data(), D.data());
  // a coordinate is the strain times L; the joint moves by the strain times L / n
  const double scale = static_cast<double>(segments) * segments;
  SegmentSprings springs;
  for (std::size_t k = 0; k < n; ++k) {
    springs.stiffness.push_back(scale * K[k * n + k]), springs.damping.push_back(scale * D[k * n + k]);
  }
  return springs;
}

SpatialInertia inertia_per_length(const RodParameters& rod, double s) {
  const double t = s / rod.length;
  const bool needs_section = !rod.mass_per_length || !rod.rotary_inertia;
  const double density = rod.material.density.value_or(0.0);
  const Section::Properties section = needs_section ? rod.section.at(t) : Section::Properties{};
  const double mass = rod.mass_per_length ? rod.mass_per_length->at(t) : density * section.area;
  Vector3 rotary = density * Vector3{section.Ix, section.Iy, section.Jz};
  if (rod.rotary_inertia) {
    const auto& own = *rod.rotary_inertia;
    rotary = {own[0].at(t), own[1].at(t), own[2].at(t)};
  }
  return SpatialInertia::from_com(mass, {}, SymmetricMatrix3::diagonal(rotary.x, rotary.y, rotary.z));
}

SpatialInertia scaled_inertia(double factor, const SpatialInertia& inertia) {
  SymmetricMatrix3 r = inertia.rotation;
  r.xx *= factor, r.yy *= factor, r.zz *= factor, r.xy *= factor, r.xz *= factor, r.yz *= factor;
  return {factor * inertia.mass, factor * inertia.moment, r};
}

/// A straight piece of the rod, between sections at `begin` and `end`.
Visual shape_of_piece(const RodParameters& rod, double t, const Pose& begin, const Pose& middle, const Pose& end) {
  Visual shape;
  shape.pose = {middle.rotation, 0.5 * (begin.position + end.position)};
  const double length = norm(end.position - begin.position);
  const Section& section = rod.section;
  const double thin = 0.02 * rod.length;
  const SectionContour contour =
      section.is_given() ? section_contour(section, t) : SectionContour{.half_x = thin, .half_y = thin};
  switch (contour.outline) {
    case SectionContour::Outline::rectangle:
      shape.shape = Visual::Shape::box;
      shape.size = {2.0 * contour.half_x, 2.0 * contour.half_y, length};
      break;
    case SectionContour::Outline::circle:
    case SectionContour::Outline::ellipse:
      shape.shape = Visual::Shape::cylinder, shape.length = length;
      shape.radius = contour.mean_radius();
      break;
  }
  return shape;
}

}  // namespace

std::vector<Pose> rest_poses(const Body& body, const std::vector<PortLocation>& places) {
  Robot robot;
  robot.gravity = {};
  robot.links.push_back({.name = "body", .body = std::shared_ptr<const Body>(body.clone())});
  for (std::size_t i = 0; i < places.size(); ++i) {
    robot.markers.push_back({fmt::format("m{}", i), {"body", places[i], {}}});
  }
  const Model model(robot);
  Data data(model);
  const auto& kinematics = forward_kinematics<double>(model, data, model.neutral());
  std::vector<Pose> poses;
  poses.reserve(places.size());
  for (const Marker& marker : robot.markers) poses.push_back(kinematics.pose(model.marker_frame(marker.name)));
  return poses;
}

bool append_chain(ExportTree& tree, const std::string& name, const Body& body, const ExportOptions& options,
                  ExportLink& link) {
  const auto source = source_of(body);
  if (!source) return false;
  const RodParameters& rod = source->rod;
  const auto* const joint = dynamic_cast<const ContinuumJoint*>(&body);
  const auto strains = static_cast<int>(
      std::count_if(rod.strain.begin(), rod.strain.end(), [](const auto& basis) { return basis.has_value(); }));
  const int n = strains > 0 ? options.segments : 0;  // a rod without strain is one rigid piece
  std::array<SegmentSprings, 6> springs;
  for (int c = 0; c < 6; ++c) {
    const auto at = static_cast<std::size_t>(c);
    if (!rod.strain[at]) continue;
    springs[at] = springs_of(rod, c, n);
    if (joint != nullptr) springs[at].damping.assign(static_cast<std::size_t>(n), n * source->damping[at]);
  }

  // pieces, and where something must be known of them: its ends, its middle, the points of its mass
  std::vector<long double> nodes, weights;
  gauss_legendre(k_piece_points, nodes, weights);
  std::vector<PortLocation> places;
  // a continuum joint has no sections, but is straight without stress
  const std::shared_ptr<const Body> line = joint != nullptr ? std::make_shared<const RodBody>(rod) : nullptr;
  const double L = rod.length;
  link.pieces.clear();
  for (int k = 0; k <= n; ++k) {
    ExportPiece piece;
    piece.begin = k == 0 ? 0.0 : L * (k - 0.5) / n;
    piece.end = k == n ? L : L * (k + 0.5) / n;
    const auto at = [&](double part) { return piece.begin + part * (piece.end - piece.begin); };
    for (const double part : {0.0, 0.5, 1.0}) places.push_back(PortLocation::section(std::min(L, at(part))));
    for (const long double node : nodes) places.push_back(PortLocation::section(at(static_cast<double>(node))));
    link.pieces.push_back(piece);
  }
  const std::vector<Pose> poses = rest_poses(line ? *line : body, places);
  const std::size_t stride = 3 + nodes.size();
  for (std::size_t k = 0; k < link.pieces.size(); ++k) {
    ExportPiece& piece = link.pieces[k];
    const Pose* const at = &poses[k * stride];
    piece.rod_body = k == 0 ? Pose() : at[0];
    const Pose body_rod = piece.rod_body.inverse();
    if (k == 0) {
      piece.body = link.base.body;
    } else {
      ExportBody added;
      added.name = tree.free_name(fmt::format("{}_{}", name, k));
      added.parent = link.pieces[k - 1].body;
      added.parent_body = link.pieces[k - 1].rod_body.inverse() * piece.rod_body;
      for (int i = 0; i < 6; ++i) {
        // turns do not commute: in turn in one order and in the other, so that what that makes cancels
        const auto c = static_cast<std::size_t>(k % 2 == 1 ? i : 5 - i);
        if (!rod.strain[c]) continue;
        ExportJoint moving;
        moving.kind = c < 3 ? ExportJoint::Kind::hinge : ExportJoint::Kind::slide;
        moving.name =
            tree.free_joint_name(fmt::format("{}_{}_{}", name, k, strain_component_name(static_cast<int>(c))));
        const std::size_t along = c % 3;
        moving.axis = {along == 0 ? 1.0 : 0.0, along == 1 ? 1.0 : 0.0, along == 2 ? 1.0 : 0.0};
        if (c == kappa_x || c == kappa_y) moving.axis = source->bending[c];
        moving.stiffness = springs[c].stiffness[k - 1], moving.damping = springs[c].damping[k - 1];
        link.strain[c].emplace_back(moving.name, 1.0);
        added.joints.push_back(std::move(moving));
      }
      piece.body = static_cast<int>(tree.bodies.size());
      tree.bodies.push_back(std::move(added));
    }
    SpatialInertia mass;
    const double length = piece.end - piece.begin;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const double s = piece.begin + static_cast<double>(nodes[i]) * length;
      mass += scaled_inertia(static_cast<double>(weights[i]) * length, inertia_per_length(rod, s))
                  .in_parent(body_rod * at[3 + i]);
    }
    ExportBody& owner = tree.bodies[static_cast<std::size_t>(piece.body)];
    owner.inertia = rigid_parameters(mass);
    owner.shapes.push_back(
        shape_of_piece(rod, 0.5 * (piece.begin + piece.end) / L, body_rod * at[0], body_rod * at[1], body_rod * at[2]));
  }
  const ExportPiece& last = link.pieces.back();
  link.tip = {last.body, last.rod_body.inverse() * poses[(link.pieces.size() - 1) * stride + 2]};

  // coordinates that are sums of the chain's: of strains that are the same all along
  if (joint != nullptr) {
    for (int i = 0; i < 2; ++i) {
      JointSum sum;
      for (const std::size_t c : {std::size_t{0}, std::size_t{1}}) {
        const double factor = i == 0 ? source->bending[c].x : source->bending[c].y;
        for (const auto& term : link.strain[c]) {
          if (factor != 0.0) sum.emplace_back(term.first, factor);
        }
      }
      link.coordinates.push_back(std::move(sum));
    }
    if (source->rod.stiffness && joint->parameters().coupling_stiffness != 0.0 &&
        joint->parameters().damping[0] != joint->parameters().damping[1]) {
      tree.note("damping that couples the two bending axes of a continuum joint: left out", name);
    }
  } else {
    for (std::size_t c = 0; c < 6; ++c) {
      if (!rod.strain[c]) continue;
      const int modes = rod.strain[c]->mode_count();
      std::vector<double> values(static_cast<std::size_t>(modes));
      rod.strain[c]->evaluate(0.5, L, values.data());
      const bool whole = modes == 1 && rod.strain[c]->is_constant() && values[0] != 0.0;
      JointSum sum;
      for (const auto& term : link.strain[c]) {
        if (whole) sum.emplace_back(term.first, term.second / values[0]);
      }
      link.coordinates.insert(link.coordinates.end(), static_cast<std::size_t>(modes), sum);
    }
  }
  return true;
}

std::shared_ptr<const Body> chain_reference(const Body& body, bool with_free_strains) {
  const auto source = source_of(body);
  if (!source) return nullptr;
  if (!with_free_strains) return {body.clone()};
  const auto* const joint = dynamic_cast<const ContinuumJoint*>(&body);
  if (joint != nullptr && joint->parameters().coupling_stiffness != 0.0) return nullptr;  // a rod has no such spring
  RodParameters rod = source->rod;
  rod.quadrature_points = std::max(rod.quadrature_points, k_free_points);
  for (auto& strain : rod.strain) {
    if (strain) strain = StrainBasis::of_order(StrainBasis::Kind::legendre, k_free_order);
  }
  return std::make_shared<const RodBody>(rod);
}

}  // namespace cuttle
