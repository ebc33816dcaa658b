// Friction of a tendon along rods of every basis: against the turns of a polygon of thousands of sides, and against the
// closed form of the capstan equation in equilibrium.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/algorithms/elements.h"
#include "cuttle/algorithms/statics.h"
#include "cuttle/algorithms/tendon_friction_error.h"
#include "cuttle/bodies/rod_body.h"
#include "cuttle/bodies/slender.h"
#include "cuttle/elements/tendon_friction.h"
#include "cuttle/error.h"
#include "cuttle/io/robot_writer.h"
#include "cuttle/model/transmissions/tendon.h"
#include "cuttle/spatial/exponential.h"
#include "support/random.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using Kind = StrainBasis::Kind;
constexpr double k_length = 0.2, k_radius = 0.008, k_young = 2e6, k_offset = 0.006;

struct BasisCase {
  std::string name;
  StrainBasis basis;
};
std::vector<BasisCase> bases() {
  std::vector<BasisCase> all{{"constant", StrainBasis::constant()}};
  for (const auto& [name, kind] : {std::pair{"monomial", Kind::monomial},
                                   {"legendre", Kind::legendre},
                                   {"chebyshev", Kind::chebyshev},
                                   {"fourier", Kind::fourier}}) {
    for (const int order : {1, 2, 3, 5, 6, 8, 12}) {
      if (kind == Kind::monomial && order > 8) continue;  // columns that are nearly parallel
      all.push_back({name + std::to_string(order), StrainBasis::of_order(kind, order)});
    }
  }
  for (const int nodes : {2, 3, 6, 10}) {
    StrainBasis basis;
    basis.kind = Kind::hermite, basis.nodes = nodes;
    all.push_back({"hermite" + std::to_string(nodes), basis});
  }
  for (const double width : {0.1, 0.02, 0.004}) {
    StrainBasis basis;
    basis.kind = Kind::gaussian, basis.centers = {0.033, 0.1, 0.17}, basis.widths.assign(3, width);
    all.push_back({"gaussian" + std::to_string(width), basis});
  }
  StrainBasis pieces;
  pieces.kind = Kind::piecewise, pieces.breaks = {0.03, 0.08, 0.16};
  all.push_back({"piecewise", pieces});
  StrainBasis own;
  own.kind = Kind::function;
  own.functions = {[](const double& t) { return std::exp(-2.0 * t); },
                   [](const double& t) { return std::sin(9.0 * t * t); }};
  all.push_back({"function", own});
  return all;
}

Robot finger(const StrainBasis& basis, const Routing& along, const TendonFriction& friction, bool both_ways = false) {
  RodParameters p;
  p.length = k_length, p.quadrature_points = 80;
  p.section.radius = Profile(k_radius);
  p.material.density = 1100, p.material.young_modulus = k_young, p.material.poisson_ratio = 0.45;
  p.strain = strain_shorthand<double>("planar_cc", p.length);
  p.strain[kappa_y] = basis;
  if (both_ways) p.strain[kappa_x] = basis;
  Robot robot;
  robot.gravity = {0, 0, 0};
  robot.links.push_back({.name = "finger", .body = std::make_shared<RodBody>(p)});
  robot.actuators.push_back(Actuator::tendon("cable", {along}));
  robot.elements.push_back(make_tendon_friction<double>("rub", {"cable"}, friction));
  return robot;
}
Routing straight() {
  Routing along;
  along.link = "finger", along.offset = {{k_offset, 0.0}};
  return along;
}
Routing wound() {
  Routing along;
  along.link = "finger", along.helix = Routing::Helix{k_offset, 0.3, 1.5};
  along.from = 0.19, along.to = 0.02;
  return along;
}

/// The tendon as a polygon: what it pulls at each coordinate where its tension falls at every corner, and at its end.
class Polygon {
 public:
  static constexpr int k_sides = 2000;
  Polygon(const SlenderT<double>& line, const Routing& along, const VectorXd& q)
      : line_(line), along_(along), slopes_(k_sides, q.size()), turned_(k_sides) {
    const std::vector<Vector3> sides = sides_at(q);
    double turned = 0.0;
    for (std::size_t i = 0; i < sides.size(); ++i) {
      if (i > 0) turned += std::atan2(norm(cross(sides[i - 1], sides[i])), dot(sides[i - 1], sides[i]));
      turned_[static_cast<Eigen::Index>(i)] = turned;
    }
    turned_.array() += 0.5 * turned_[1];  // up to the middle of the first side
    const double h = 1e-5;
    for (Eigen::Index k = 0; k < q.size(); ++k) {
      const std::vector<Vector3> low = sides_at(q - h * VectorXd::Unit(q.size(), k));
      const std::vector<Vector3> high = sides_at(q + h * VectorXd::Unit(q.size(), k));
      for (std::size_t i = 0; i < sides.size(); ++i) {
        slopes_(static_cast<Eigen::Index>(i), k) = (norm(high[i]) - norm(low[i])) / (2.0 * h);
      }
    }
  }
  VectorXd tension(double coefficient) const { return (-coefficient * turned_).array().exp(); }
  VectorXd pull(double coefficient) const { return -slopes_.transpose() * tension(coefficient); }
  double last_tension(double coefficient) const {
    const double last = turned_[k_sides - 1];
    return std::exp(-coefficient * (last + 0.5 * (last - turned_[k_sides - 2])));
  }

 private:
  std::vector<Vector3> sides_at(const VectorXd& q) const {
    const Eigen::Index n = q.size();
    const double from = along_.from.value_or(0.0), to = along_.to.value_or(line_.length());
    const double low = std::min(from, to), step = std::abs(to - from) / k_sides;
    std::vector<Twist> shape(static_cast<std::size_t>(n));
    Twist strain;
    Pose frame;
    std::vector<Vector3> places, sides;
    for (int i = 0; i <= k_sides; ++i) {
      places.push_back(frame.rotation * place((low + i * step - from) / (to - from)) + frame.position);
      line_.strain_map(low + (i + 0.5) * step, strain, shape.data());
      for (Eigen::Index k = 0; k < n; ++k) strain += q[k] * shape[static_cast<std::size_t>(k)];
      frame = frame * exponential(step * strain);
    }
    if (to < from) std::reverse(places.begin(), places.end());
    for (int i = 0; i < k_sides; ++i)
      sides.push_back(places[static_cast<std::size_t>(i) + 1] - places[static_cast<std::size_t>(i)]);
    return sides;
  }
  Vector3 place(double x) const {
    if (!along_.helix) return {along_.offset[0][0], along_.offset[0][1], 0.0};
    const double angle = along_.helix->phase + 2.0 * M_PI * along_.helix->turns * x;
    return {along_.helix->radius * std::cos(angle), along_.helix->radius * std::sin(angle), 0.0};
  }
  const SlenderT<double>& line_;
  const Routing& along_;
  MatrixXd slopes_;  // of lengths by coordinates
  VectorXd turned_;  // up to the middle of each side
};

struct Found {
  VectorXd friction;
  double tension;
};
Found found(const Model& model, const VectorXd& q) {
  Data data(model);
  ElementData elements(model);
  const VectorXd u = VectorXd::Ones(1);
  element_motion<double>(model, data, q, VectorXd::Zero(model.nv()), elements);
  element_efforts<double>(model, 0.0, u, elements);
  element_outputs<double>(model, 0.0, u, elements);
  return {elements.matrix * elements.efforts, elements.outputs[0]};
}

/// Coordinates with which the rod's mean |curvature| is so many turns of 1 rad.
VectorXd scaled(const SlenderT<double>& line, const VectorXd& q, double turn) {
  std::vector<Twist> shape(static_cast<std::size_t>(q.size()));
  double sum = 0.0;
  for (int i = 0; i < 2000; ++i) {
    Twist rest, strain = Twist::zero();
    line.strain_map(k_length * (i + 0.5) / 2000, rest, shape.data());
    for (Eigen::Index k = 0; k < q.size(); ++k) strain += q[k] * shape[static_cast<std::size_t>(k)];
    sum += norm(strain.angular) * k_length / 2000;
  }
  return (turn / sum) * q;
}

// Bent one way, and to and fro: there |curvature| has corners, which no rule of fixed points knows.
TEST(TendonFrictionBases, ForceIsThatOfAPolygon) {
  test::Random random(31);
  for (const BasisCase& c : bases()) {
    for (const bool around : {false, true}) {
      const Routing along = around ? wound() : straight();
      for (const double wild : {0.0, 0.03, 1.0}) {
        VectorXd q;
        std::unique_ptr<Polygon> polygon;
        for (const double coefficient : {0.35, 1.2}) {
          const Model model(finger(c.basis, along, {.coefficient = coefficient}, around));
          const SlenderT<double>& line = *model.robot().links[0].body->slender();
          if (!polygon) {
            q = VectorXd::Zero(model.nv());
            for (double& x : q) x = wild * random.uniform();
            if (wild < 1.0) q[0] += 1.0;  // the first mode is constant, or positive
            if (wild < 1.0 && c.basis.kind == Kind::piecewise) q.array() += 1.0;
            for (Eigen::Index k = 2; wild < 1.0 && c.basis.kind == Kind::hermite && k < q.size(); k += 2) q[k] += 1.0;
            q = scaled(line, q, 2.5);
            polygon = std::make_unique<Polygon>(line, along, q);
          }
          const Found result = found(model, q);
          // the sides of the polygon do not end where pieces do
          const double tolerance = wild == 1.0 ? 2.5e-3 : c.basis.kind == Kind::piecewise ? 1e-3 : 2e-4;
          const std::string what =
              c.name + ", " + std::to_string(coefficient) + ", " + std::to_string(wild) + (around ? ", wound" : "");
          EXPECT_LT((result.friction - (polygon->pull(coefficient) - polygon->pull(0.0))).norm(),
                    tolerance * polygon->pull(0.0).norm())
              << what;
          EXPECT_NEAR(result.tension, polygon->last_tension(coefficient), 3.0 * tolerance) << what;
        }
      }
    }
  }
}

// T' = -mu kappa T and E I kappa = d T: T = T0 / (1 + c s) with c = mu d T0 / (E I), tip angle ln(1 + c L) / mu; slid
// back, mu is negative. A basis with enough modes has that curvature.
TEST(TendonFrictionBases, EquilibriumIsTheClosedForm) {
  const double stiffness = k_young * M_PI * std::pow(k_radius, 4) / 4.0;
  std::vector<BasisCase> rich;
  for (const BasisCase& c : bases()) {
    for (const char* name : {"legendre6", "legendre12", "chebyshev8", "monomial8", "hermite6", "hermite10"}) {
      if (c.name == name) rich.push_back(c);
    }
  }
  ASSERT_EQ(rich.size(), 6u);
  for (const BasisCase& c : rich) {
    for (const Sliding sliding : {Sliding::pulled, Sliding::released}) {
      for (const double tension : {2.0, 8.0}) {
        const double mu = 0.35;
        const Model model(finger(c.basis, straight(), {.coefficient = mu, .sliding = sliding}));
        Data data(model);
        StaticLoads loads;
        loads.u = VectorXd::Constant(1, tension);
        const VectorXd q = static_equilibrium(model, data, loads, model.neutral()).q;
        const double signed_mu = sliding == Sliding::pulled ? mu : -mu;
        const double growth = signed_mu * k_offset * tension / stiffness;
        ASSERT_GT(1.0 + growth * k_length, 0.0);
        std::vector<Twist> shape(static_cast<std::size_t>(model.nv()));
        double angle = 0.0;
        for (int i = 0; i < 4000; ++i) {
          Twist rest;
          model.robot().links[0].body->slender()->strain_map(k_length * (i + 0.5) / 4000, rest, shape.data());
          for (int k = 0; k < model.nv(); ++k)
            angle += q[k] * shape[static_cast<std::size_t>(k)].angular.y * k_length / 4000;
        }
        const double expected = std::log1p(growth * k_length) / signed_mu;
        EXPECT_NEAR(angle, expected, 2e-5 * expected) << c.name << ", " << tension << ", " << signed_mu;
        const Found at_one = found(model, q);
        EXPECT_NEAR(at_one.tension, 1.0 / (1.0 + growth * k_length), 2e-4) << c.name << ", " << tension;
      }
    }
  }
}

// What `cuttle info` says is of the size of what a polygon says, and falls where points double.
TEST(TendonFrictionBases, ErrorIsEstimated) {
  for (const BasisCase& c : bases()) {
    Robot robot = finger(c.basis, straight(), {.coefficient = 0.35});
    const auto errors = estimate_tendon_friction_error(robot, robot.elements[0]);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].actuator, "cable");
    EXPECT_LT(errors[0].force, 1e-3) << c.name;
    robot.elements[0] = make_tendon_friction<double>("rub", {"cable"}, {.coefficient = 0.35, .refinement = 2});
    const double finer = estimate_tendon_friction_error(robot, robot.elements[0])[0].force;
    EXPECT_LT(finer, 3e-4) << c.name;
  }
}

TEST(TendonFrictionBases, RefinementHasARange) {
  for (const int refinement : {-1, 9, 31, 64}) {
    EXPECT_THROW(make_tendon_friction<double>("rub", {"cable"}, {.coefficient = 0.35, .refinement = refinement}),
                 ModelError)
        << refinement;
  }
  Robot robot = finger(bases().front().basis, straight(), {.coefficient = 0.35, .refinement = 8});
  EXPECT_LT(estimate_tendon_friction_error(robot, robot.elements[0])[0].force, 3e-4);
  try {
    write_robot(robot);
    ADD_FAILURE() << "written without it";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("refine"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
