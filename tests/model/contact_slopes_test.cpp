#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "cuttle/geometry/shapes.h"
#include "cuttle/spatial/exponential.h"
#include "model/contact/contact_law.h"

// With doubles the law has short ways: points without intervals, slopes by few directions, bristles along their elastic
// step. With long double it goes the long way, for all kinds of sites, with Dual numbers. Both must agree.

namespace cuttle::CUTTLE_FILE {
namespace {

using Kind = ContactSiteT<double>::Kind;
enum class Carrier { link, obstacle, both };  ///< who moves: the curve's frame, the surface's, or both links'
enum class Shape { plane, sphere, cylinder, box, bowl };

struct Draw {
  explicit Draw(unsigned seed) : engine(seed) {}
  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(engine); }
  double logarithmic(double a, double b) { return std::exp(uniform(std::log(a), std::log(b))); }
  Vector3 vector(double size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
  std::mt19937 engine;
};

/// Numbers of a case, doubles that both scalars have exactly.
struct Case {
  Kind kind = Kind::point;
  Carrier carrier = Carrier::link;
  Shape shape = Shape::plane;
  int curve_frames = 1;
  bool moves = false, of_b = false;
  ContactFrictionT<double> friction;
  CubicT<double> axis;
  double begin_radius = 0, end_radius = 0, range = 0, stiffness = 0;
  Vector3 forward;
  Pose surface_in_frame;
  FrameMotionT<double> motion[3];
  double states[4] = {};
  double depth = 0;
};

template <typename T>
std::shared_ptr<const SignedDistanceT<T>> shape_of(Shape shape) {
  switch (shape) {
    case Shape::plane:
      return std::make_shared<PlaneT<T>>();
    case Shape::sphere:
    case Shape::bowl:
      return std::make_shared<SphereT<T>>(T(0.25));
    case Shape::cylinder:
      return std::make_shared<CylinderT<T>>(T(0.125), T(0.5));
    case Shape::box:
      return std::make_shared<BoxT<T>>(Vector3T<T>{T(0.25), T(0.5), T(0.375)});
  }
  return nullptr;
}

Obstacle obstacle_of(const Case& c) {
  Obstacle obstacle;
  obstacle.name = "wall", obstacle.shape = shape_of<double>(c.shape), obstacle.inside = c.shape == Shape::bowl;
  obstacle.pose = exponential(Twist{{0.3, -0.2, 0.5}, {0.1, 0.2, -0.1}});
  if (c.moves) {
    obstacle.motion.position = {Signal::sine(0.1, 0.4, 0.2, 0.0), Signal(0.03), Signal::sine(0.05, 1.1, 0.9, 0.0)};
    obstacle.motion.rpy = {Signal::sine(0.3, 0.5, 0.1, 0.0), Signal(0.2), Signal::sine(0.4, 0.3, 2.0, 0.0)};
  }
  return obstacle;
}

constexpr double k_time = 0.37;

template <typename T>
std::unique_ptr<ContactLawT<T>> law_of(const Case& c) {
  ContactT<T> contact;
  contact.name = "contact", contact.friction = c.friction.template cast<T>(), contact.dissipation = T(0.75);
  ContactSiteT<T> site;
  site.kind = static_cast<typename ContactSiteT<T>::Kind>(c.kind);
  site.obstacle = c.carrier == Carrier::both ? -1 : 0, site.of_b = c.of_b;
  site.on_link = c.carrier != Carrier::link;
  site.curve_frames = c.carrier == Carrier::obstacle ? 0 : c.curve_frames;
  const int frames = site.frame_count();
  for (int k = 0; k < frames; ++k) site.frames[k] = k;
  site.surface = shape_of<T>(c.shape);
  site.surface_in_frame = c.surface_in_frame.template cast<T>();
  site.axis = c.axis.template cast<T>();
  site.begin_radius = T(c.begin_radius), site.end_radius = T(c.end_radius);
  site.range = T(c.range), site.stiffness = T(c.stiffness), site.forward = c.forward.template cast<T>();
  site.thickness = 0.01, site.reach = 1.0;
  std::vector<FrameT<T>> placed(static_cast<std::size_t>(frames));
  ContactPlanT<T> plan;
  plan.sites = {site}, plan.pair_of_site = {0}, plan.pairs = {{{"link", "wall"}}};
  ObstacleT<T> obstacle = obstacle_of(c).template cast<T>();
  return std::make_unique<ContactLawT<T>>(contact, placed, plan, std::vector<ObstacleT<T>>{obstacle});
}

template <typename T>
struct Moved {
  FrameMotionT<T> motion[3];
  T states[4];
};
template <typename T>
Moved<T> as(const Case& c) {
  Moved<T> result;
  for (int k = 0; k < 3; ++k) {
    result.motion[k].pose = c.motion[k].pose.template cast<T>();
    result.motion[k].velocity = c.motion[k].velocity.template cast<T>();
  }
  for (int i = 0; i < 4; ++i) result.states[i] = T(c.states[i]);
  return result;
}

Case draw_case(Kind kind, Carrier carrier, Shape shape, int curve_frames, int friction, unsigned seed) {
  Draw draw(seed);
  Case c;
  c.kind = kind, c.carrier = carrier, c.shape = shape, c.curve_frames = curve_frames;
  c.moves = seed % 2 == 1 && carrier != Carrier::both;
  if (friction == 1) c.friction.static_ratio = 1.5;
  if (friction == 2) c.friction.forward = 0.25, c.friction.backward = 0.875, c.friction.sideways = 1.5;
  if (friction == 3) c.friction.forward = c.friction.backward = c.friction.sideways = 0.0;
  if (friction == 4) {
    c.friction.forward = 0.25, c.friction.backward = 0.75, c.friction.sideways = 0.5, c.friction.static_ratio = 1.25;
  }
  const double friction_size = friction == 2 ? 1.0 : 0.5;
  if (friction != 3 && seed % 5 == 0) c.friction.damping_time = 0.0;
  c.begin_radius = c.end_radius = draw.uniform(0.01, 0.03);
  if (kind == Kind::line) c.end_radius *= draw.uniform(0.9, 1.1);
  c.range = kind == Kind::point ? 1e-9 : 1e-4 * c.begin_radius;
  c.stiffness = draw.logarithmic(1e4, 1e7);
  c.forward = kind == Kind::line ? Vector3{} : draw.vector(0.5);
  c.axis.begin = draw.vector(0.05), c.axis.end = c.axis.begin;
  if (kind == Kind::line && curve_frames < 2) {
    const Vector3 way = draw.vector(0.06);
    c.axis.end += way;
    c.axis.begin_tangent = way + draw.vector(0.01), c.axis.end_tangent = way + draw.vector(0.01);
  }
  c.of_b = carrier == Carrier::obstacle || (carrier == Carrier::both && seed % 3 == 0);
  if (carrier != Carrier::link) c.surface_in_frame = exponential(Twist{draw.vector(0.5), draw.vector(0.1)});
  // where the curve is in the axes of the surface: its middle at a depth
  Pose curve = exponential(Twist{draw.vector(1.5), draw.vector(0.1)});
  if (curve_frames == 2) c.axis = {};
  const Pose second = exponential(Twist{draw.vector(0.2), {0.01, -0.01, draw.uniform(0.05, 0.08)}});
  const bool is_pair = curve_frames == 2;
  const auto middle = [&] {
    return is_pair ? 0.5 * (curve.position + (curve * second).position) : curve.act(0.5 * (c.axis.begin + c.axis.end));
  };
  curve.position += draw.vector(0.2) - middle();
  const auto surface = shape_of<double>(shape);
  const double sign = shape == Shape::bowl ? -1.0 : 1.0;
  c.depth = draw.logarithmic(1e-6, kind == Kind::line ? 3e-3 : 1e-3);
  for (int i = 0; i < 20; ++i) {
    const DistanceT<double> d = surface->at(middle());
    curve.position += ((c.begin_radius - c.depth) - sign * d.value) * (sign * d.gradient);
  }
  const Pose obstacle = ObstaclePlaceT<double>(obstacle_of(c)).at(k_time).pose;
  if (carrier == Carrier::obstacle) {  // curve in the obstacle's axes
    c.motion[0].pose = obstacle * curve.inverse() * c.surface_in_frame.inverse();
  } else {
    const Pose world = carrier == Carrier::link ? obstacle : exponential(Twist{draw.vector(1.0), draw.vector(0.3)});
    c.motion[0].pose = world * curve;
    if (is_pair) c.motion[1].pose = world * curve * second;
    if (carrier == Carrier::both) c.motion[curve_frames].pose = world * c.surface_in_frame.inverse();
  }
  const double speed = draw.logarithmic(1e-5, 1.0);
  for (auto& motion : c.motion) motion.velocity = {draw.vector(3.0 * speed), draw.vector(speed)};
  // from within the cone to far beyond it
  const double length = c.depth * friction_size * draw.logarithmic(0.02, 5.0);
  Vector3 xi = draw.vector(1.0);
  if (seed % 4 != 0) {  // tangential but for an error
    const DistanceT<double> d = surface->at(middle());
    xi -= (0.99 * dot(d.gradient, xi)) * d.gradient;
  }
  xi = (length / norm(xi)) * xi;
  for (int i = 0; i < 3; ++i) c.states[i] = xi[i];
  c.states[3] = draw.uniform(-0.4, 0.0);
  return c;
}

/// Calls with (case, text) for all kinds of sites.
template <typename Call>
void for_each_case(int seeds, const Call& call) {
  unsigned seed = 1;
  for (const auto& [kind, frames] :
       {std::pair(Kind::point, 1), std::pair(Kind::area, 1), std::pair(Kind::line, 1), std::pair(Kind::line, 2)}) {
    for (const Carrier carrier : {Carrier::link, Carrier::obstacle, Carrier::both}) {
      if (carrier == Carrier::obstacle && frames == 2) continue;
      for (const Shape shape : {Shape::plane, Shape::sphere, Shape::cylinder, Shape::box, Shape::bowl}) {
        if (shape == Shape::bowl && carrier != Carrier::link) continue;
        for (int friction = 0; friction < 5; ++friction) {
          for (int i = 0; i < seeds; ++i, ++seed) {
            const Case c = draw_case(kind, carrier, shape, frames, friction, seed);
            const std::string text = "kind " + std::to_string(static_cast<int>(kind)) + " frames " +
                                     std::to_string(frames) + " carrier " + std::to_string(static_cast<int>(carrier)) +
                                     " shape " + std::to_string(static_cast<int>(shape)) + " friction " +
                                     std::to_string(friction) + " seed " + std::to_string(seed);
            call(c, text);
          }
        }
      }
    }
  }
}

template <typename A, typename B>
void expect_near(const A& found, const B& expected, double tolerance, const std::string& text) {
  const double size = static_cast<double>(expected.norm());
  const double error = static_cast<double>((found.template cast<long double>() - expected).norm());
  EXPECT_LE(error, tolerance * size) << text << "\n" << found << "\n\n" << expected.template cast<double>();
}

// Depths are known to 1e-16 of 0.3 m, so to 3e-11 of themselves, the least 1e-6 m; their inverse squares, in slopes of
// bristles at touch-down, and sums that cancel there lose two digits more.
constexpr double k_tolerance = 1e-7;

TEST(ContactSlopes, ShortWaysAreTheLongOne) {
  int touches = 0, slips = 0, approaches = 0;
  for_each_case(12, [&](const Case& c, const std::string& text) {
    const auto law = law_of<double>(c);
    const auto reference = law_of<long double>(c);
    const auto at = as<double>(c);
    const auto at_reference = as<long double>(c);
    SiteActionT<double> action;
    SiteActionT<long double> expected;
    law->evaluate(0, k_time, at.motion, at.states, action);
    reference->evaluate(0, k_time, at_reference.motion, at_reference.states, expected);
    const SiteObservation seen = law->observe(0, k_time, at.motion, at.states);
    touches += seen.touch != SiteObservation::Touch::apart;
    slips += seen.touch == SiteObservation::Touch::slips;
    EXPECT_NEAR(law->gap(0, k_time, at.motion), seen.gap, 1e-15) << text;
    const int frames = law->sites()[0].frame_count, n = law->state_count();
    using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1>;
    using VectorL = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
    Vector all(6 * frames), rates(n);
    VectorL all_expected(6 * frames), rates_expected(n);
    for (int r = 0; r < 6 * frames; ++r) {
      all[r] = action.wrench[static_cast<std::size_t>(r / 6)][r % 6];
      all_expected[r] = expected.wrench[static_cast<std::size_t>(r / 6)][r % 6];
    }
    for (int r = 0; r < n; ++r) {
      rates[r] = action.rates[static_cast<std::size_t>(r)];
      rates_expected[r] = expected.rates[static_cast<std::size_t>(r)];
    }
    expect_near(all, all_expected, k_tolerance, text + " wrench");
    expect_near(rates, rates_expected, k_tolerance, text + " rates");
    const auto near = [&](double a, long double b, const char* what) {
      EXPECT_NEAR(a, static_cast<double>(b), k_tolerance * std::abs(static_cast<double>(b)) + 1e-18) << text << what;
    };
    near(action.stored_energy, expected.stored_energy, " energy");
    const double power = static_cast<double>(std::abs(expected.dissipated_power) + std::abs(expected.given_power));
    EXPECT_NEAR(action.dissipated_power, static_cast<double>(expected.dissipated_power), k_tolerance * power) << text;
    EXPECT_NEAR(action.given_power, static_cast<double>(expected.given_power), k_tolerance * power) << text;

    SiteSlopesT<double> slopes;
    SiteSlopesT<long double> exact;
    law->slopes(0, k_time, at.motion, at.states, slopes);
    reference->slopes(0, k_time, at_reference.motion, at_reference.states, exact);
    const int m = 6 * frames;
    expect_near(slopes.by_pose.topLeftCorner(m, m).eval(), exact.by_pose.topLeftCorner(m, m).eval(), k_tolerance,
                text + " by pose");
    expect_near(slopes.by_velocity.topLeftCorner(m, m).eval(), exact.by_velocity.topLeftCorner(m, m).eval(),
                k_tolerance, text + " by velocity");
    expect_near(slopes.by_state.topLeftCorner(m, n).eval(), exact.by_state.topLeftCorner(m, n).eval(), k_tolerance,
                text + " by state");
    expect_near(slopes.rate_by_pose.topLeftCorner(n, m).eval(), exact.rate_by_pose.topLeftCorner(n, m).eval(),
                k_tolerance, text + " rate by pose");
    expect_near(slopes.rate_by_velocity.topLeftCorner(n, m).eval(), exact.rate_by_velocity.topLeftCorner(n, m).eval(),
                k_tolerance, text + " rate by velocity");
    expect_near(slopes.rate_by_state.topLeftCorner(n, n).eval(), exact.rate_by_state.topLeftCorner(n, n).eval(),
                k_tolerance, text + " rate by state");
    const double step = law->longest_step(0, k_time, at.motion),
                 step_expected = reference->longest_step(0, k_time, at_reference.motion);
    if (!std::isfinite(step_expected)) return;
    ++approaches;
    EXPECT_NEAR(step, step_expected, 1e-9 * step_expected) << text;
  });
  EXPECT_GT(touches, 2500);
  EXPECT_GT(slips, 700);
  EXPECT_GT(touches - slips, 500);
  EXPECT_GT(approaches, 500);
}

// Bristles of a step: x = offset + h x'(x), with the rates of the law itself.
TEST(ContactSlopes, BristlesAlongTheElasticStepSolveTheirEquation) {
  int slides = 0, holds = 0;
  for_each_case(6, [&](const Case& c, const std::string& text) {
    const auto law = law_of<double>(c);
    const int n = law->state_count();
    const auto at = as<double>(c);
    for (const double h : {1e-6, 1e-4, 1e-2}) {
      double found[4] = {}, alone[4] = {};
      SiteActionT<double> action, expected;
      law->solve(0, k_time, at.motion, at.states, h, found, action);
      law->solve_states(0, k_time, at.motion, at.states, h, alone);
      law->evaluate(0, k_time, at.motion, found, expected);
      SiteSlopesT<double> slopes;
      law->slopes(0, k_time, at.motion, found, slopes);
      // the residual over the slope of the equation is the error of the states
      Eigen::VectorXd residual(n), size(n);
      for (int i = 0; i < n; ++i) {
        EXPECT_EQ(found[i], alone[i]) << text;
        residual[i] = found[i] - at.states[i] - h * expected.rates[static_cast<std::size_t>(i)];
        EXPECT_EQ(action.rates[static_cast<std::size_t>(i)], expected.rates[static_cast<std::size_t>(i)]) << text;
      }
      if (n == 0) continue;
      const Eigen::MatrixXd equations = Eigen::MatrixXd::Identity(n, n) - h * slopes.rate_by_state.topLeftCorner(n, n);
      const Eigen::VectorXd error = equations.partialPivLu().solve(residual);
      double length = 0.0;
      for (int i = 0; i < 3; ++i) length = std::hypot(length, std::hypot(found[i], at.states[i]));
      EXPECT_LT(error.head(3).norm(), 1e-11 * length) << text << " step " << h << "\n" << residual.transpose();
      (law->observe(0, k_time, at.motion, found).touch == SiteObservation::Touch::slips ? slides : holds) += 1;
    }
  });
  EXPECT_GT(slides, 500);
  EXPECT_GT(holds, 500);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
