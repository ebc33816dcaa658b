#include "model/contact/contact_law.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cuttle/geometry/shapes.h"
#include "cuttle/spatial/exponential.h"
#include "model/site_checks.h"
#include "support/contact_reference.h"

// The law of contact at single sites: against the prototype, and by what must hold whatever the site is - the energy it
// stores, gives and dissipates balances along any motion, slopes are those of the values, states solve their equation.

namespace cuttle::CUTTLE_FILE {
namespace {

using L = long double;

template <typename T>
struct RandomNumbers {
  explicit RandomNumbers(unsigned seed) : engine(seed) {}
  T uniform(double a, double b) { return T(std::uniform_real_distribution<double>(a, b)(engine)); }
  Vector3T<T> vector(double size) {
    std::normal_distribution<double> normal(0.0, size);
    return {T(normal(engine)), T(normal(engine)), T(normal(engine))};
  }
  TwistT<T> twist(double angular, double linear) { return {vector(angular), vector(linear)}; }
  std::mt19937 engine;
};

template <typename T>
PoseT<T> moved(const PoseT<T>& pose, const TwistT<T>& by) {
  return pose * exponential(by);
}

enum class Scene {
  ball_on_plane,
  ball_on_ball,
  ball_in_bowl,
  corner_on_box,
  area_on_plane,
  line_on_plane,
  line_on_cylinder,
  line_on_box,
  arc_on_plane,
  rod_on_plane,
  rod_on_cylinder,
  rod_in_tube,
  plane_by_ball
};
constexpr Scene k_scenes[] = {Scene::ball_on_plane, Scene::ball_on_ball,  Scene::ball_in_bowl,     Scene::corner_on_box,
                              Scene::area_on_plane, Scene::line_on_plane, Scene::line_on_cylinder, Scene::line_on_box,
                              Scene::arc_on_plane,  Scene::rod_on_plane,  Scene::rod_on_cylinder,  Scene::rod_in_tube,
                              Scene::plane_by_ball};

/// What the surface rides on: an obstacle that rests or moves, or a link of the robot.
enum class Surface { still, moving, of_link };

bool has_inside(Scene scene) { return scene == Scene::ball_in_bowl || scene == Scene::rod_in_tube; }

/// A law with one site, and a motion near which it touches.
template <typename T>
struct Touching {
  std::unique_ptr<ContactLawT<T>> law;
  FrameMotionT<T> motion[k_most_site_frames];
  int frames = 1;
  int states = 0;
};

template <typename T>
Touching<T> touching(Scene scene, const ContactFrictionT<T>& friction, Surface rides, unsigned seed) {
  RandomNumbers<T> random(seed);
  Touching<T> result;
  ContactT<T> contact;
  contact.name = "contact", contact.friction = friction, contact.dissipation = T(0.7);
  ObstacleT<T> obstacle;
  obstacle.name = "wall";
  obstacle.pose = exponential(random.twist(0.6, 0.3));
  if (rides == Surface::moving) {
    obstacle.motion.position = {Signal::sine(0.1, 0.4, 0.2, 0.0), Signal(0.03), Signal::sine(0.05, 1.1, 0.9, 0.0)};
    obstacle.motion.rpy = {Signal::sine(0.3, 0.5, 0.1, 0.0), Signal::sine(0.2, 0.7, 1.1, 0.1),
                           Signal::sine(0.4, 0.3, 2.0, 0.0)};
  }
  using Kind = typename ContactSiteT<T>::Kind;
  ContactSiteT<T> site;
  site.kind = Kind::point, site.begin_radius = site.end_radius = T(0.02);
  site.stiffness = T(2e5), site.range = T(2e-14), site.forward = {T(0.0), T(0.0), T(1.0)};
  site.thickness = 0.02, site.reach = 0.2;
  const auto at = [&](const Vector3T<T>& p) { site.axis.begin = site.axis.end = p; };
  const auto segment = [&](const Vector3T<T>& a, const Vector3T<T>& b) {
    site.kind = Kind::line, site.axis = {a, b, b - a, b - a}, site.stiffness = T(3e4), site.range = T(2e-5);
  };
  PoseT<T> frame = exponential(random.twist(0.2, 0.0)), second;  // in the axes of the surface
  const T deep = random.uniform(1e-4, 4e-4);
  std::shared_ptr<const SignedDistanceT<T>> link_shape;
  switch (scene) {
    case Scene::ball_on_plane:
      obstacle.shape = std::make_shared<PlaneT<T>>(), at({T(0.01), T(-0.02), T(0.015)});
      frame.position = {T(0.1), T(0.2), T(0.02) - deep - (frame.rotation * site.axis.begin).z};
      break;
    case Scene::ball_on_ball:
      obstacle.shape = std::make_shared<SphereT<T>>(T(0.1)), at({});
      frame.position = (T(0.12) - deep) * Vector3T<T>{T(0.36), T(0.48), T(0.8)};
      break;
    case Scene::ball_in_bowl:
      obstacle.shape = std::make_shared<SphereT<T>>(T(0.1)), obstacle.inside = true, at({});
      frame.position = (T(0.08) + deep) * Vector3T<T>{T(0.36), T(0.48), T(0.8)};
      break;
    case Scene::corner_on_box:
      obstacle.shape = std::make_shared<BoxT<T>>(Vector3T<T>{T(0.1), T(0.2), T(0.3)}), at({});
      frame.position = Vector3T<T>{T(0.05), T(0.1), T(0.02)} + (T(0.02) - deep) * Vector3T<T>{T(0.6), T(0.8), T(0.0)};
      break;
    case Scene::area_on_plane:
      site.kind = Kind::area, site.begin_radius = site.end_radius = T(0.0), site.stiffness = T(1e4),
      site.range = T(1e-5);
      obstacle.shape = std::make_shared<PlaneT<T>>(), at({});
      frame.position = {T(0.1), T(0.2), -T(0.1) * deep};
      break;
    case Scene::line_on_plane:
      obstacle.shape = std::make_shared<PlaneT<T>>(), segment({T(0.0), T(0.0), T(-0.1)}, {T(0.0), T(0.0), T(0.1)});
      site.end_radius = T(0.018);
      frame = exponential(TwistT<T>{{T(1.5697), T(0.0), T(0.0)}, {}});
      frame.position = {T(0.1), T(0.2), T(0.0195) - deep};
      break;
    case Scene::line_on_cylinder:
      obstacle.shape = std::make_shared<CylinderT<T>>(T(0.05), T(0.4)),
      segment({T(-0.1), T(0.0), T(0.0)}, {T(0.1), T(0.0), T(0.0)});
      frame = exponential(TwistT<T>{{T(0.0), T(0.9), T(0.0)}, {}});
      frame.position = {T(0.01), T(0.07) - deep, T(0.03)};
      break;
    case Scene::line_on_box:
      obstacle.shape = std::make_shared<BoxT<T>>(Vector3T<T>{T(0.1), T(0.2), T(0.3)}),
      segment({T(-0.1), T(0.0), T(0.0)}, {T(0.1), T(0.0), T(0.0)});
      frame = exponential(TwistT<T>{{T(0.1), T(0.2), T(0.8)}, {}});
      frame.position = Vector3T<T>{T(0.05), T(0.1), T(0.02)} + (T(0.02) - deep) * Vector3T<T>{T(-0.6), T(0.8), T(0.0)};
      frame.position.x = T(0.05) - T(0.0139), frame.position.y = T(0.1) + T(0.0139);
      break;
    case Scene::arc_on_plane: {
      obstacle.shape = std::make_shared<PlaneT<T>>();
      site.kind = Kind::line, site.stiffness = T(3e4), site.range = T(2e-6);
      site.begin_radius = site.end_radius = T(0.002);
      const T r(0.05), m(0.0398);
      site.axis = {{r, T(0.0), T(0.0)},
                   {T(0.70710678) * r, T(0.70710678) * r, T(0.0)},
                   {T(0.0), m, T(0.0)},
                   {-T(0.70710678) * m, T(0.70710678) * m, T(0.0)}};
      frame = exponential(TwistT<T>{{T(0.0), T(0.5), T(0.0)}, {}});
      frame.position = {};
      const Vector3T<T> low = frame.rotation * Vector3T<T>{T(0.92388) * r, T(0.38268) * r, T(0.0)};
      frame = exponential(TwistT<T>{{T(-0.2), T(0.5), T(0.1)}, {}});
      const Vector3T<T> middle = frame.rotation * Vector3T<T>{T(0.92388) * r, T(0.38268) * r, T(0.0)};
      (void)low;
      frame.position = {T(0.0), T(0.0), T(0.002) - deep - middle.z};
      break;
    }
    case Scene::rod_on_plane:
    case Scene::rod_on_cylinder:
    case Scene::rod_in_tube: {
      site.kind = Kind::line, site.stiffness = T(3e4), site.range = T(2e-5), site.curve_frames = 2, site.frames[1] = 1;
      site.forward = {}, site.begin_radius = T(0.02), site.end_radius = T(0.019), site.reach = 0.02;
      if (scene == Scene::rod_on_plane) {
        obstacle.shape = std::make_shared<PlaneT<T>>();
        frame = exponential(TwistT<T>{{T(1.60), T(0.0), T(0.0)}, {}});
        frame.position = {T(0.1), T(0.2), T(0.0195) - deep};
        second = frame * exponential(TwistT<T>{{T(-0.12), T(0.03), T(0.2)}, {T(0.0), T(0.0), T(0.1)}});
      } else {
        obstacle.shape = std::make_shared<CylinderT<T>>(T(0.05), T(0.4));
        obstacle.inside = scene == Scene::rod_in_tube;
        const T away = obstacle.inside ? T(0.0304) + deep : T(0.0695) - deep;
        frame = exponential(TwistT<T>{{T(0.0), T(0.4), T(0.0)}, {}});
        frame.position = {T(-0.01), away, T(0.01)};
        second = frame * exponential(TwistT<T>{{T(0.02), T(0.03), T(0.2)}, {T(0.0), T(0.0), T(0.06)}});
      }
      result.frames = 2;
      break;
    }
    case Scene::plane_by_ball:  // a box of the link, on a ball in the world
      obstacle.shape = std::make_shared<SphereT<T>>(T(0.02)), at({});
      link_shape = std::make_shared<BoxT<T>>(Vector3T<T>{T(0.1), T(0.2), T(0.3)});
      site.of_b = site.on_link = true, site.curve_frames = 0,
      site.surface_in_frame = exponential(random.twist(0.2, 0.01));
      site.begin_radius = site.end_radius = T(0.02);
      frame.position = {};
      break;
  }
  site.obstacle = 0;
  site.surface = site.of_b ? link_shape : obstacle.shape;
  const double time = 0.37;
  const ObstaclePlaceT<T> place(obstacle);
  const PoseT<T> world = place.at(time).pose;
  if (site.of_b) {
    // its face x = 0.05 touches the ball
    const PoseT<T> box_at = exponential(TwistT<T>{{T(0.2), T(0.1), T(-0.3)}, {}});
    PoseT<T> surface = world * box_at;
    const Vector3T<T> foot = surface.rotation * Vector3T<T>{T(0.05) + T(0.02) - deep, T(0.01), T(-0.03)};
    surface.position = world.position - foot;
    result.motion[0].pose = surface * site.surface_in_frame.inverse();
  } else {
    result.motion[0].pose = world * frame;
    result.motion[1].pose = world * second;
  }
  for (int k = 0; k < 3; ++k) result.motion[k].velocity = random.twist(0.5, 0.02);
  if (rides == Surface::of_link) {
    if (site.of_b) {  // the curve on a frame of its own
      site.curve_frames = 1, site.frames[1] = 1;
      result.motion[1] = result.motion[0];
      result.motion[0] = {world, random.twist(0.5, 0.02), {}};
    } else {
      site.on_link = true, site.frames[site.curve_frames] = site.curve_frames;
      site.surface_in_frame = exponential(random.twist(0.4, 0.1));
      result.motion[site.curve_frames].pose = world * site.surface_in_frame.inverse();
    }
    site.obstacle = -1;
    result.frames = site.frame_count();
  }
  ContactPlanT<T> plan;
  plan.sites = {site}, plan.pair_of_site = {0}, plan.pairs = {{{"link", "wall"}}};
  result.law = std::make_unique<ContactLawT<T>>(contact, std::vector<FrameT<T>>(3), std::move(plan),
                                                std::vector<ObstacleT<T>>{obstacle});
  result.states = result.law->state_count();
  return result;
}

constexpr double k_time = 0.37;

ContactFrictionT<L> friction_of(int kind) {
  ContactFrictionT<L> friction;
  friction.damping_time = L(0.5e-3);
  if (kind == 1) friction.static_ratio = L(1.4);
  if (kind == 2) friction.forward = L(0.2), friction.backward = L(0.9), friction.sideways = L(1.5);
  if (kind == 3) friction.forward = friction.backward = friction.sideways = L(0.0);
  return friction;
}

/// States with the bristle at a part of the cone, found by the rates: `used` is the largest where nothing flows.
template <typename T>
std::vector<T> random_states(const Touching<T>& t, RandomNumbers<T>& random, double size) {
  std::vector<T> x(4, T(0.0));
  if (t.states == 0) return x;
  const Vector3T<T> xi = random.vector(size);
  for (int i = 0; i < 3; ++i) x[static_cast<std::size_t>(i)] = xi[i];
  if (t.states == 4) x[3] = random.uniform(-0.4, 0.0);
  return x;
}

/// Along a motion with constant twists: what is stored, from the law alone.
L stored(const Touching<L>& t, const std::vector<L>& x, const L* rates, L h) {
  FrameMotionT<L> motion[] = {t.motion[0], t.motion[1], t.motion[2], t.motion[3]};
  for (int k = 0; k < t.frames; ++k) motion[k].pose = moved(t.motion[k].pose, h * t.motion[k].velocity);
  std::vector<L> states = x;
  for (int i = 0; i < t.states; ++i) states[static_cast<std::size_t>(i)] += h * rates[i];
  SiteActionT<L> action;
  t.law->evaluate(0, k_time, motion, states.data(), action);
  return action.stored_energy;
}

template <typename F>
auto sixth_order(const F& f, L h) {
  return (45 * (f(h) - f(-h)) - 9 * (f(2 * h) - f(-2 * h)) + (f(3 * h) - f(-3 * h))) / (60 * h);
}

TEST(ContactLaw, BalancesEnergyAlongAnyMotion) {
  // obstacles at rest: what is stored changes with the poses and states alone
  for (const Scene scene : k_scenes) {
    for (const int kind : {0, 1, 2, 3}) {
      int touches = 0;
      for (unsigned seed = 0; seed < 24; ++seed) {
        const Surface rides = seed < 12 || has_inside(scene) ? Surface::still : Surface::of_link;
        const auto t = touching<L>(scene, friction_of(kind), rides, seed);
        RandomNumbers<L> random(100 + seed);
        const std::vector<L> x = random_states(t, random, seed % 3 == 0 ? 1e-6 : 2e-5);
        SiteActionT<L> action;
        t.law->evaluate(0, k_time, t.motion, x.data(), action);
        if (!(action.stored_energy > 0)) continue;
        ++touches;
        const L rate = sixth_order([&](L h) { return stored(t, x, action.rates.data(), h); }, L(1e-8));
        L power = 0;
        for (int k = 0; k < t.frames; ++k)
          power += dot(action.wrench[static_cast<std::size_t>(k)], t.motion[k].velocity);
        const L size = std::abs(rate) + std::abs(power) + std::abs(action.dissipated_power);
        EXPECT_LT(std::abs(rate + power + action.dissipated_power - action.given_power), 1e-9L * size)
            << "scene " << static_cast<int>(scene) << " friction " << kind << " seed " << seed << ": stored " << rate
            << " robot " << power << " lost " << action.dissipated_power << " given " << action.given_power;
        EXPECT_GE(action.dissipated_power, -1e-16L * size) << static_cast<int>(scene) << " " << kind;
      }
      EXPECT_GT(touches, 12) << static_cast<int>(scene);
    }
  }
}

TEST(ContactLaw, TakesWhatObstaclesGive) {
  for (const Scene scene : k_scenes) {
    for (unsigned seed = 0; seed < 6; ++seed) {
      const auto t = touching<L>(scene, friction_of(1), Surface::moving, seed);
      RandomNumbers<L> random(100 + seed);
      const std::vector<L> x = random_states(t, random, 1e-5);
      SiteActionT<L> action;
      t.law->evaluate(0, k_time, t.motion, x.data(), action);
      if (!(action.stored_energy > 0)) continue;
      // signals are numbers of double precision: a step for them
      const L h = 2e-6L;
      const auto along = [&](L s) {
        FrameMotionT<L> motion[] = {t.motion[0], t.motion[1], t.motion[2], t.motion[3]};
        for (int k = 0; k < t.frames; ++k) motion[k].pose = moved(t.motion[k].pose, s * t.motion[k].velocity);
        std::vector<L> states = x;
        for (int i = 0; i < t.states; ++i)
          states[static_cast<std::size_t>(i)] += s * action.rates[static_cast<std::size_t>(i)];
        SiteActionT<L> there;
        t.law->evaluate(0, static_cast<double>(k_time + s), motion, states.data(), there);
        return there.stored_energy;
      };
      const L rate = sixth_order(along, h);
      L power = 0;
      for (int k = 0; k < t.frames; ++k) power += dot(action.wrench[static_cast<std::size_t>(k)], t.motion[k].velocity);
      const L size =
          std::abs(rate) + std::abs(power) + std::abs(action.dissipated_power) + std::abs(action.given_power);
      EXPECT_LT(std::abs(rate + power + action.dissipated_power - action.given_power), 1e-5L * size)
          << "scene " << static_cast<int>(scene) << " seed " << seed;
    }
  }
}

TEST(ContactLaw, HasTheSlopesOfItsValues) {
  constexpr int k_wrenches = 6 * k_most_site_frames;
  using Numbers = Eigen::Matrix<L, k_wrenches + 4, 1>;
  for (const Scene scene : k_scenes) {
    for (const int kind : {0, 1, 2}) {
      for (unsigned seed = 0; seed < 7; ++seed) {
        const Surface rides = seed > 3 ? Surface::of_link : (seed == 3 ? Surface::moving : Surface::still);
        if (rides == Surface::of_link && has_inside(scene)) continue;
        const auto t = touching<L>(scene, friction_of(kind), rides, seed);
        RandomNumbers<L> random(100 + seed);
        const std::vector<L> x = random_states(t, random, seed % 2 == 0 ? 1e-6 : 2e-5);
        SiteSlopesT<L> slopes;
        t.law->slopes(0, k_time, t.motion, x.data(), slopes);
        const int per = 6 * t.frames;
        const L whole[] = {slopes.by_pose.norm() + slopes.by_velocity.norm(), slopes.rate_by_pose.norm()};
        const auto column = [&](int variable, L h) {
          FrameMotionT<L> motion[] = {t.motion[0], t.motion[1], t.motion[2], t.motion[3]};
          std::vector<L> states = x;
          if (variable < per) {
            TwistT<L> step{};
            step[variable % 6] = h;
            motion[variable / 6].pose = moved(t.motion[variable / 6].pose, step);
          } else if (variable < 2 * per) {
            motion[(variable - per) / 6].velocity[variable % 6] += h;
          } else {
            states[static_cast<std::size_t>(variable - 2 * per)] += h;
          }
          SiteActionT<L> action;
          t.law->evaluate(0, k_time, motion, states.data(), action);
          Numbers all = Numbers::Zero();
          for (int f = 0; f < t.frames; ++f) {
            for (int i = 0; i < 6; ++i) all[6 * f + i] = action.wrench[static_cast<std::size_t>(f)][i];
          }
          for (int i = 0; i < t.states; ++i) all[k_wrenches + i] = action.rates[static_cast<std::size_t>(i)];
          return all;
        };
        for (int variable = 0; variable < 2 * per + t.states; ++variable) {
          const L h = variable < per ? L(1e-9) : (variable < 2 * per ? L(1e-7) : L(1e-10));
          const auto difference = [&](L step) {
            return Numbers((L(45) * (column(variable, step) - column(variable, -step)) -
                            L(9) * (column(variable, 2 * step) - column(variable, -2 * step)) +
                            (column(variable, 3 * step) - column(variable, -3 * step))) /
                           (L(60) * step));
          };
          const Numbers numeric = difference(h);
          Numbers exact = Numbers::Zero();
          if (variable < per) {
            exact << slopes.by_pose.col(variable), slopes.rate_by_pose.col(variable);
          } else if (variable < 2 * per) {
            exact << slopes.by_velocity.col(variable - per), slopes.rate_by_velocity.col(variable - per);
          } else {
            exact << slopes.by_state.col(variable - 2 * per), slopes.rate_by_state.col(variable - 2 * per);
          }
          for (const auto& [first, count] : {std::pair(0, k_wrenches), std::pair(k_wrenches, 4)}) {
            const L error = (numeric - exact).segment(first, count).norm();
            const L scale = exact.segment(first, count).norm();
            // rounding of long double over the step, or the step's own error
            const L rounding = column(variable, 0).segment(first, count).norm() * L(1e-18) / h;
            EXPECT_LT(error, L(2e-7) * scale + L(30) * rounding + L(1e-10) * whole[first == 0 ? 0 : 1])
                << "scene " << static_cast<int>(scene) << " friction " << kind << " seed " << seed << " variable "
                << variable << (first == 0 ? " wrench" : " rates") << "\n"
                << numeric.transpose() << "\n"
                << exact.transpose();
          }
        }
      }
    }
  }
}

/// The wrenches on all frames, about the origin of the world and in its axes.
WrenchT<L> sum_in_world(const Touching<L>& t, const SiteActionT<L>& action) {
  WrenchT<L> sum;
  for (int k = 0; k < t.frames; ++k) {
    const auto& w = action.wrench[static_cast<std::size_t>(k)];
    const PoseT<L>& pose = t.motion[k].pose;
    const Vector3T<L> force = pose.rotation * w.force;
    sum += WrenchT<L>{pose.rotation * w.torque + cross(pose.position, force), force};
  }
  return sum;
}

TEST(ContactLaw, ActsEquallyAndOppositelyOnTwoLinks) {
  for (const Scene scene : k_scenes) {
    if (has_inside(scene)) continue;
    for (const int kind : {0, 1, 2, 3}) {
      int touches = 0;
      for (unsigned seed = 0; seed < 12; ++seed) {
        const auto t = touching<L>(scene, friction_of(kind), Surface::of_link, seed);
        RandomNumbers<L> random(100 + seed);
        const std::vector<L> x = random_states(t, random, 2e-5);
        SiteActionT<L> action;
        t.law->evaluate(0, k_time, t.motion, x.data(), action);
        if (action.stored_energy > 0) ++touches;
        const WrenchT<L> sum = sum_in_world(t, action);
        const L size = norm(action.wrench[0].force) + norm(action.wrench[1].force);
        EXPECT_LE(norm(sum.force), 20 * std::numeric_limits<L>::epsilon() * size) << static_cast<int>(scene);
        EXPECT_LE(norm(sum.torque), 20 * std::numeric_limits<L>::epsilon() * size) << static_cast<int>(scene);
        EXPECT_EQ(action.given_power, L(0));  // there is no obstacle
      }
      EXPECT_GT(touches, 6) << static_cast<int>(scene);
    }
  }
}

// Sites of one point have a path of their own with double; with long double they go the way of all others.
TEST(ContactLaw, WithDoubleIsThatOfLongDouble) {
  for (const Scene scene : k_scenes) {
    for (const int kind : {0, 1, 2, 3}) {
      for (const Surface rides : {Surface::still, Surface::moving, Surface::of_link}) {
        if (rides == Surface::of_link && has_inside(scene)) continue;
        for (unsigned seed = 0; seed < 4; ++seed) {
          const auto exact = touching<L>(scene, friction_of(kind), rides, seed);
          const auto t = touching<double>(scene, friction_of(kind).cast<double>(), rides, seed);
          RandomNumbers<L> random(100 + seed);
          const std::vector<L> states = random_states(exact, random, 2e-5);
          double x[4];
          for (int i = 0; i < 4; ++i) x[i] = static_cast<double>(states[static_cast<std::size_t>(i)]);
          SiteActionT<L> wanted;
          SiteActionT<double> action;
          exact.law->evaluate(0, k_time, exact.motion, states.data(), wanted);
          t.law->evaluate(0, k_time, t.motion, x, action);
          SiteSlopesT<L> wanted_slopes;
          SiteSlopesT<double> slopes;
          exact.law->slopes(0, k_time, exact.motion, states.data(), wanted_slopes);
          t.law->slopes(0, k_time, t.motion, x, slopes);
          SCOPED_TRACE(testing::Message() << static_cast<int>(scene) << " friction " << kind << " rides "
                                          << static_cast<int>(rides) << " seed " << seed);
          // a depth of 1e-4 m is the difference of lengths of 0.1 m, and slopes of the law grow as its inverse
          constexpr double k_close = 1e-8;
          const test::Closeness wrenches = test::closeness_of_wrenches(action, wanted);
          EXPECT_LE(wrenches.error, k_close * wrenches.size);
          EXPECT_NEAR(action.stored_energy, static_cast<double>(wanted.stored_energy), k_close * action.stored_energy);
          EXPECT_NEAR(action.given_power, static_cast<double>(wanted.given_power), k_close * wrenches.size);
          test::expect_close(slopes, wanted_slopes, 20 * k_close);
        }
      }
    }
  }
}

TEST(ContactLaw, SolvesForItsStates) {
  for (const Scene scene : k_scenes) {
    for (const int kind : {0, 1, 2}) {
      for (unsigned seed = 0; seed < 40; ++seed) {
        ContactFrictionT<double> friction = friction_of(kind).cast<double>();
        const bool of_link = seed % 2 == 1 && !has_inside(scene);
        auto t = touching<double>(scene, friction, of_link ? Surface::of_link : Surface::still, seed);
        RandomNumbers<double> random(100 + seed);
        const double speed = std::pow(10.0, random.uniform(-3, 2));
        for (auto& motion : t.motion) motion.velocity = speed * motion.velocity;
        const std::vector<double> offset = random_states(t, random, seed % 4 == 0 ? 1e-3 : 2e-5);
        const double factor = std::pow(10.0, random.uniform(-6, -1));
        std::vector<double> x(4, 0.0);
        t.law->solve_states(0, k_time, t.motion, offset.data(), factor, x.data());
        SiteActionT<double> action;
        t.law->evaluate(0, k_time, t.motion, x.data(), action);
        double error = 0, size = 0;
        for (int i = 0; i < 3; ++i) {
          const auto k = static_cast<std::size_t>(i);
          error += std::pow(x[k] - offset[k] - factor * action.rates[k], 2);
          size += std::pow(x[k], 2) + std::pow(offset[k], 2) + std::pow(factor * 0.02 * speed, 2);
        }
        EXPECT_LT(std::sqrt(error), 1e-11 * std::sqrt(size)) << static_cast<int>(scene) << " " << kind << " " << seed;
      }
    }
  }
}

TEST(ContactLaw, SolvesWithDerivatives) {
  for (const int kind : {0, 1, 2}) {
    for (unsigned seed = 0; seed < 6; ++seed) {
      const auto friction = friction_of(kind).cast<ForwardDual>();
      auto t = touching<ForwardDual>(Scene::ball_on_ball, friction, Surface::still, seed);
      RandomNumbers<L> random(100 + seed);
      const auto plain = touching<L>(Scene::ball_on_ball, friction_of(kind), Surface::still, seed);
      const std::vector<L> base = random_states(plain, random, 2e-5);
      ForwardDual offset[4], x[4];
      for (int i = 0; i < 4; ++i)
        offset[i] = ForwardDual::variable(static_cast<double>(base[static_cast<std::size_t>(i)]), i);
      t.motion[0].velocity.linear.x = ForwardDual::variable(t.motion[0].velocity.linear.x.value, 4);
      t.law->solve_states(0, k_time, t.motion, offset, 1e-4, x);
      const auto solved = [&](int variable, L h) {
        FrameMotionT<L> motion[1] = {plain.motion[0]};
        std::vector<L> from = base;
        if (variable < 4) from[static_cast<std::size_t>(variable)] += h;
        if (variable == 4) motion[0].velocity.linear.x += h;
        std::vector<L> states(4, 0);
        plain.law->solve_states(0, k_time, motion, from.data(), 1e-4, states.data());
        return states;
      };
      for (int variable = 0; variable < 5; ++variable) {
        if (variable >= plain.states && variable < 4) continue;
        const L h = variable == 4 ? L(1e-7) : L(1e-10);
        const auto up = solved(variable, h), down = solved(variable, -h);
        for (int i = 0; i < plain.states; ++i) {
          const auto k = static_cast<std::size_t>(i);
          const double numeric = static_cast<double>((up[k] - down[k]) / (2 * h));
          EXPECT_NEAR(x[i].derivative[variable], numeric, 1e-6 * (1e-4 + std::abs(numeric)))
              << kind << " " << seed << " " << variable;
        }
      }
    }
  }
}

}  // namespace

TEST(ContactLaw, IsThatOfThePrototype) {
  std::mt19937 engine(5);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit(0, 1);
  for (const int kind : {0, 1, 2}) {
    for (const double surface : {0.0, 0.3, -0.3}) {
      ContactReference reference;
      reference.surface = surface, reference.dissipation = 0.7;
      const ContactFrictionT<double> friction = friction_of(kind).cast<double>();
      reference.forward = friction.forward, reference.backward = friction.backward,
      reference.sideways = friction.sideways;
      reference.static_ratio = friction.static_ratio;
      ContactT<double> contact;
      contact.friction = friction, contact.dissipation = 0.7;
      ObstacleT<double> obstacle;
      if (surface == 0.0) {
        obstacle.shape = std::make_shared<Plane>();
      } else {
        obstacle.shape = std::make_shared<Sphere>(std::abs(surface)), obstacle.inside = surface < 0;
      }
      ContactSiteT<double> site;
      site.begin_radius = site.end_radius = reference.radius, site.stiffness = reference.stiffness;
      site.obstacle = 0, site.range = 1e-12 * reference.radius, site.surface = obstacle.shape, site.forward = {0, 0, 1};
      ContactPlanT<double> plan;
      plan.sites = {site}, plan.pair_of_site = {0}, plan.pairs = {{{"", ""}}};
      const ContactLawT<double> law(contact, std::vector<FrameT<double>>(1), std::move(plan), {obstacle});
      for (int i = 0; i < 2000; ++i) {
        const auto vector = [&](double size) {
          return Eigen::Vector3d(size * normal(engine), size * normal(engine), size * normal(engine));
        };
        ContactReference::State x;
        const double depth = std::pow(10.0, -6 + 3 * unit(engine)), speed = std::pow(10.0, -4 + 4 * unit(engine));
        const Eigen::Vector3d n = surface == 0.0 ? Eigen::Vector3d(0, 0, 1) : Eigen::Vector3d(vector(1).normalized());
        x.position = surface == 0.0 ? Eigen::Vector3d(0.3, -0.2, reference.radius - depth)
                                    : Eigen::Vector3d(n * (surface > 0 ? surface + reference.radius - depth
                                                                       : -surface - reference.radius + depth));
        x.velocity = vector(speed), x.spin = vector(speed / reference.radius);
        x.ratio = 1 + (reference.static_ratio - 1) * unit(engine);
        x.bristle = vector(0.3 * depth * unit(engine));
        if (i % 2 == 0) x.bristle -= n * n.dot(x.bristle);
        // the ball's frame has any axes; its z axis is the one of friction
        const Eigen::Matrix3d R = Eigen::Quaterniond(normal(engine), normal(engine), normal(engine), normal(engine))
                                      .normalized()
                                      .toRotationMatrix();
        const ContactReference::Result expected = reference.at(x, R.col(2));
        FrameMotionT<double> motion;
        for (int r = 0; r < 3; ++r) motion.pose.rotation.row(r) = {R(r, 0), R(r, 1), R(r, 2)};
        const auto plain = [](const Eigen::Vector3d& v) { return Vector3{v[0], v[1], v[2]}; };
        const auto eigen = [](const Vector3& v) { return Eigen::Vector3d(v.x, v.y, v.z); };
        motion.pose.position = plain(x.position);
        motion.velocity = {plain(R.transpose() * x.spin), plain(R.transpose() * x.velocity)};
        double states[4] = {x.bristle[0], x.bristle[1], x.bristle[2], x.ratio - reference.static_ratio};
        SiteActionT<double> action;
        law.evaluate(0, 0.0, &motion, states, action);
        const double size = expected.force.norm();
        EXPECT_LT((R * eigen(action.wrench[0].force) - expected.force).norm(), 1e-9 * size)
            << kind << " " << surface << " " << i;
        EXPECT_LT((R * eigen(action.wrench[0].torque) - expected.torque).norm(), 1e-9 * size * reference.radius);
        const Eigen::Vector3d rate(action.rates[0], action.rates[1], action.rates[2]);
        EXPECT_LT((rate - expected.bristle_rate).norm(), 1e-9 * (expected.bristle_rate.norm() + 10 * speed));
        if (law.state_count() == 4) {
          EXPECT_NEAR(action.rates[3], expected.ratio_rate, 1e-9 * (1 + std::abs(expected.ratio_rate)));
        }
        EXPECT_NEAR(action.stored_energy, expected.energy, 1e-9 * expected.energy);
        EXPECT_NEAR(action.dissipated_power, expected.dissipated, 1e-9 * size * speed * 10);
      }
    }
  }
}

}  // namespace cuttle::CUTTLE_FILE
