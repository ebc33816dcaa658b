// Points of a rod's axis on the facets of a volume: their law at one surface, without a robot.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "cuttle/bodies/point_body_base.h"
#include "cuttle/spatial/exponential.h"
#include "model/contact/contact_law.h"
#include "model/contact/facet.h"
#include "model/contact/plan_facets.h"
#include "model/contact/volume_facets.h"
#include "model/site_checks.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using L = long double;
using test::friction_of;
using test::SiteAt;

constexpr double k_half = 0.015, k_height = 0.025, k_radius = 4e-3, k_length = 3e-3, k_modulus = 1e5;

/// Points around a block, each with a frame of its own, as a rod's may be.
template <typename T>
struct Around {
  std::unique_ptr<ContactLawT<T>> law;
  std::vector<FrameMotionT<T>> frames;
  std::size_t points = 0;  ///< they are the first frames

  const auto& sites() const { return law->sites(); }
  std::vector<FrameMotionT<T>> of_site(int site) const {
    std::vector<FrameMotionT<T>> motion;
    for (const int frame : sites()[static_cast<std::size_t>(site)].frame) {
      motion.push_back(frames[static_cast<std::size_t>(frame)]);
    }
    return motion;
  }
  SiteAt<T> at(int site, std::vector<T> states) const { return {*law, site, of_site(site), std::move(states)}; }
};

PointShape block_shape() {
  PointShape shape;
  shape.kind = PointShape::Kind::box, shape.half_x = shape.half_y = k_half, shape.length = k_height;
  return shape;
}

/// Places within `out` of the surface of the block, many of them beside its edges and corners.
std::vector<Vector3> places_around(unsigned seed, std::size_t count, double out) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<Vector3> places;
  while (places.size() < count) {
    const double reach = places.size() % 3 == 0 ? 1.0 : 0.3;  // around the upper face, or beside one of its corners
    const double corner = reach < 1.0 ? 1.0 : 0.0;
    const Vector3 x{k_half * (corner + reach * uniform(engine)) * 1.2,
                    k_half * (corner + reach * uniform(engine)) * 1.2, k_height + out * uniform(engine)};
    const Vector3 beyond{std::max(0.0, std::abs(x.x) - k_half), std::max(0.0, std::abs(x.y) - k_half),
                         std::max(0.0, x.z - k_height)};
    const double distance = norm(beyond);
    if (distance > 0.05 * out && distance < 0.95 * out) places.push_back(x);
  }
  return places;
}

/// @param rod_is_b  the points are a part of side b.
template <typename T>
Around<T> around(unsigned seed, int kind, double deformed, const std::vector<Vector3>& places, double spacing = 0.012,
                 bool rod_is_b = false) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  const auto vector = [&](double size) {
    const double x = normal(engine), y = normal(engine), z = normal(engine);
    return Vector3T<T>{T(size * x), T(size * y), T(size * z)};
  };
  const VolumeFacets block = volume_facets(shape_surface(block_shape()), spacing);
  Around<T> result;
  const PoseT<T> of_block = exponential(TwistT<T>{vector(1.0), vector(0.1)});
  std::vector<RodPoint<T>> rod;
  std::vector<int> index;
  const auto add = [&](const Vector3T<T>& x, double spin) {
    FrameMotionT<T> motion;
    motion.pose = of_block * PoseT<T>{Matrix3T<T>::identity(), x} * exponential(TwistT<T>{vector(0.5), {}});
    motion.velocity = {vector(spin), vector(0.03)};
    result.frames.push_back(motion);
    return static_cast<int>(result.frames.size()) - 1;
  };
  for (const Vector3& x : places) {
    RodPoint<T>& point = rod.emplace_back();
    point.stop.radius = T(k_radius), point.stop.s = T(0.1), point.weight = T(k_length);
    index.push_back(add(x.cast<T>(), 8.0));
  }
  result.points = places.size();
  std::vector<Vector3> known;
  const auto place = [&](const Vector3& x) {
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (norm(known[i] - x) < 1e-12) return static_cast<int>(result.points + i);
    }
    known.push_back(x);
    return add(x.cast<T>() + vector(deformed), 2.0);
  };
  ContactPlanT<T> plan;
  plan_rod_on_facets(plan, 0, rod, index, block, rod_is_b, T(k_modulus), 1e-3, place);
  plan.pairs = {{{"a", "b"}}};
  ContactT<T> contact;
  contact.name = "press", contact.dissipation = T(0.7), contact.friction = friction_of(kind).template cast<T>();
  result.law = std::make_unique<ContactLawT<T>>(contact, std::vector<FrameT<T>>(result.frames.size()), std::move(plan),
                                                std::vector<ObstacleT<T>>{});
  return result;
}

template <typename T>
std::vector<T> random_states(int count, unsigned seed, double size) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal(0.0, size);
  std::vector<T> x(4, T(0.0));
  for (int i = 0; i < 3 && count > 0; ++i) x[static_cast<std::size_t>(i)] = T(normal(engine));
  if (count == 4) x[3] = T(-0.2 * std::abs(normal(engine)) / size);
  return x;
}

template <typename T>
std::vector<int> touching(const Around<T>& all) {
  std::vector<int> found;
  for (int site = 0; site < static_cast<int>(all.sites().size()); ++site) {
    const T none[4] = {};
    SiteActionT<T> action;
    all.law->evaluate(site, 0.0, all.of_site(site).data(), none, action);
    if (action.stored_energy > T(0.0)) found.push_back(site);
  }
  return found;
}

/// Of how many edges a site's point is beyond, by the force that it gets: whether it leans off the facet's normal.
bool leans(const SiteAt<L>& at) {
  const std::array<Vector3T<L>, 3> corner{at.motion[3].pose.position, at.motion[1].pose.position,
                                          at.motion[2].pose.position};
  const FacetT<L> facet(corner, at.motion[0].pose.position);
  const Vector3T<L> force = at.motion[0].pose.rotation * at.action().wrench[0].force;
  return dot(force, facet.normal) < 0.97L * norm(force);
}

TEST(RodFacetContact, BalancesEnergyAlongAnyMotion) {
  for (const int kind : {0, 1, 2, 3}) {
    int flows = 0, leaning = 0;
    for (unsigned seed = 0; seed < 4; ++seed) {
      const auto all = around<L>(seed, kind, 3e-4, places_around(seed, 16, k_radius), 0.012, seed % 2 == 1);
      const std::vector<int> sites = touching(all);
      ASSERT_GT(sites.size(), 8u) << seed;
      for (const int site : sites) {
        SCOPED_TRACE(testing::Message() << "friction " << kind << " seed " << seed << " site " << site);
        const double size = (kind == 2 ? 0.03 : (seed % 3 == 0 ? 0.01 : 0.15)) * 2e-3;
        const auto at = all.at(site, random_states<L>(all.sites()[0].state_count, 100 + seed, size));
        if (test::expect_balance(at, 1e-7L) > 1e-3L) ++flows;
        if (leans(all.at(site, std::vector<L>(4, L(0))))) ++leaning;
      }
    }
    EXPECT_GT(flows, 10) << kind;
    EXPECT_GT(leaning, 10) << kind;
  }
}

TEST(RodFacetContact, ActsEquallyAndOppositely) {
  for (const int kind : {0, 1, 2, 3}) {
    for (unsigned seed = 0; seed < 4; ++seed) {
      const auto all = around<L>(seed, kind, 3e-4, places_around(seed, 16, k_radius), 0.012, seed % 2 == 1);
      for (const int site : touching(all)) {
        SCOPED_TRACE(testing::Message() << "friction " << kind << " seed " << seed << " site " << site);
        test::expect_no_resultant(all.at(site, random_states<L>(all.sites()[0].state_count, 100 + seed, 3e-4)), 200,
                                  2e3L);
      }
    }
  }
}

TEST(RodFacetContact, KnowsNoMotionOfAll) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    const auto all = around<double>(seed, 1, 3e-4, places_around(seed, 16, k_radius));
    for (const int site : touching(all)) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " site " << site);
      test::expect_no_motion_of_all(all.at(site, random_states<double>(4, 100 + seed, 3e-4)));
    }
  }
}

TEST(RodFacetContact, HasTheSlopesOfItsValues) {
  for (const int kind : {0, 1, 2}) {
    for (unsigned seed = 0; seed < 3; ++seed) {
      const auto all = around<L>(seed, kind, 3e-4, places_around(seed, 10, k_radius), 0.012, seed % 2 == 1);
      const std::vector<int> sites = touching(all);
      for (std::size_t number = seed; number < sites.size(); number += 3) {
        SCOPED_TRACE(testing::Message() << "friction " << kind << " seed " << seed << " site " << sites[number]);
        const double size = seed % 2 == 0 ? 1e-6 : 1e-3;
        test::expect_slopes(all.at(sites[number], random_states<L>(all.sites()[0].state_count, 100 + seed, size)));
      }
    }
  }
}

TEST(RodFacetContact, WithDoubleIsThatOfLongDouble) {
  for (const int kind : {0, 1, 2, 3}) {
    for (unsigned seed = 0; seed < 3; ++seed) {
      const auto places = places_around(seed, 12, k_radius);
      const auto exact = around<L>(seed, kind, 3e-4, places);
      auto all = around<double>(seed, kind, 3e-4, places);
      for (std::size_t k = 0; k < exact.frames.size(); ++k) {
        all.frames[k].pose = exact.frames[k].pose.cast<double>();
        all.frames[k].velocity = exact.frames[k].velocity.cast<double>();
      }
      for (const int site : touching(exact)) {
        SCOPED_TRACE(testing::Message() << "friction " << kind << " seed " << seed << " site " << site);
        const int count = exact.sites()[0].state_count;
        const auto wanted = exact.at(site, random_states<L>(count, 100 + seed, 3e-4));
        if (!(wanted.action().stored_energy > 1e-10L)) continue;  // a last touch knows few digits
        test::expect_close(all.at(site, random_states<double>(count, 100 + seed, 3e-4)), wanted, 1e-7);
      }
    }
  }
}

/// Of all sites of one point, without friction: energy, and the force on it in the world.
struct OfPoint {
  double energy = 0.0;
  Vector3 force;
};
OfPoint of_point(const Around<double>& all, int point) {
  OfPoint sum;
  const double none[4] = {};
  for (int site = 0; site < static_cast<int>(all.sites().size()); ++site) {
    if (all.sites()[static_cast<std::size_t>(site)].frame[0] != point) continue;
    const auto motion = all.of_site(site);
    SiteActionT<double> action;
    all.law->evaluate(site, 0.0, motion.data(), none, action);
    sum.energy += action.stored_energy, sum.force += motion[0].pose.rotation * action.wrench[0].force;
  }
  return sum;
}

// Around an undeformed block the shares of all facets make the one spring over the distance to it, in closed form: over
// faces, beyond edges and beyond corners. Where two of three faces at a corner are as far, they share a point
// otherwise.
TEST(RodFacetContact, AroundABlockIsTheDistanceToIt) {
  const auto places = places_around(5, 1000, k_radius);
  for (const double spacing : {0.012, 0.03}) {
    auto all = around<double>(5, 3, 0.0, places, spacing);
    for (auto& motion : all.frames) motion.velocity = {};
    int beyond_of[4] = {};
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Vector3& x = places[i];
      std::array<double, 3> beyond = {std::max(0.0, std::abs(x.x) - k_half), std::max(0.0, std::abs(x.y) - k_half),
                                      std::max(0.0, x.z - k_height)};
      std::sort(beyond.begin(), beyond.end());
      const auto count = std::count_if(beyond.begin(), beyond.end(), [](double e) { return e > 0.0; });
      const double distance = std::hypot(beyond[0], beyond[1], beyond[2]), depth = k_radius - distance;
      if (distance < 0.7 * k_radius || (count == 3 && beyond[2] - beyond[1] < 0.3 * k_radius)) continue;
      const double range = 1e-3 * k_radius, stiffness = M_PI / 4 * k_modulus * k_length;
      const OfPoint found = of_point(all, static_cast<int>(i));
      EXPECT_NEAR(norm(found.force), stiffness * (depth - range / 2), 1e-9 * stiffness * depth) << i << " " << count;
      const double wanted = stiffness * (depth * depth / 2 - depth * range / 2 + range * range / 6);
      EXPECT_NEAR(found.energy, wanted, 1e-9 * wanted) << i << " " << count;
      ++beyond_of[count];
    }
    EXPECT_GT(beyond_of[1], 50);
    EXPECT_GT(beyond_of[2], 30);
    EXPECT_GT(beyond_of[3], 10);
  }
}

// A point that goes around a deformed block: forces go on without a jump, and are the slope of the energy.
TEST(RodFacetContact, GoesOnWithoutAJump) {
  for (unsigned seed = 0; seed < 3; ++seed) {
    auto all = around<double>(seed, 3, seed == 0 ? 0.0 : 2e-4, {Vector3{0.0, 0.0, k_height + 0.7 * k_radius}});
    for (auto& motion : all.frames) motion.velocity = {};
    const PoseT<double> start = all.frames[0].pose;
    const Vector3 up = [&] {
      const Vector3 force = of_point(all, 0).force;
      return (1.0 / norm(force)) * force;
    }();
    Vector3 side = cross(up, Vector3{0.3, 0.9, -0.4});
    side = (1.0 / norm(side)) * side;
    constexpr double k_step = 1e-6;
    double largest = 0.0, jump = 0.0, error = 0.0, way = 0.0;
    OfPoint before = of_point(all, 0);
    bool left = false;
    for (int i = 0; i < 2000 && !left; ++i) {
      const double step = i % 2 == 0 ? 40 * k_step : k_step;  // large ones to get on, small ones to look
      way += step;
      // along the face, then down over its edge
      const double over = std::max(0.0, way - 0.9 * k_half);
      all.frames[0].pose.position = start.position + way * side - 0.25 * over * up;
      const Vector3 moved = step * (side - (over > 0.0 ? 0.25 : 0.0) * up);
      const OfPoint now = of_point(all, 0);
      largest = std::max(largest, norm(now.force));
      if (i % 2 == 1) {
        jump = std::max(jump, norm(now.force - before.force) / step);
        if (way - step > 0.9 * k_half || way < 0.9 * k_half) {
          error = std::max(error, std::abs(now.energy - before.energy + 0.5 * dot(now.force + before.force, moved)));
        }
      }
      before = now, left = now.energy == 0.0;
    }
    EXPECT_TRUE(left) << seed;
    EXPECT_GT(largest, 0.1) << seed;
    EXPECT_LT(jump * 0.1 * k_radius, largest) << seed;
    EXPECT_LT(error, 1e-4 * largest * k_step) << seed;
  }
}

TEST(RodFacetContact, FindsAllThatTouchAndLittleElse) {
  int asked = 0, all_sites = 0, pressed = 0;
  for (unsigned seed = 0; seed < 6; ++seed) {
    const auto all = around<double>(seed, 3, 3e-4, places_around(seed, 30, 2 * k_radius), 0.009);
    NearSites near;
    all.law->prepare(near);
    all.law->find_near(all.frames.data(), near);
    const std::set<int> found(near.sites.begin(), near.sites.end());
    EXPECT_EQ(found.size(), near.sites.size());
    const double none[4] = {};
    double least = std::numeric_limits<double>::infinity();
    for (int site = 0; site < static_cast<int>(all.sites().size()); ++site) {
      const auto motion = all.of_site(site);
      const bool may = all.law->may_act(site, 0.0, motion.data(), none);
      const double gap = all.law->gap(site, 0.0, motion.data());
      if (may) {
        EXPECT_TRUE(found.count(site) > 0) << seed << " " << site;
      }
      if (gap < 0.0) {
        EXPECT_TRUE(may) << seed << " " << site;
        ++pressed;
      }
      SiteActionT<double> action;
      all.law->evaluate(site, 0.0, motion.data(), none, action);
      EXPECT_EQ(action.stored_energy > 0.0, gap < -1e-9 * 1e-3 * k_radius) << seed << " " << site;
      least = std::min(least, all.law->longest_step(site, 0.0, motion.data()));
      ++all_sites;
    }
    asked += static_cast<int>(found.size());
    const double longest = all.law->longest_step_of_all(0.0, all.frames.data());
    EXPECT_TRUE(longest == least || longest >= 0.02) << seed << ": " << longest << " " << least;
  }
  EXPECT_GT(pressed, 50);
  EXPECT_LT(asked, all_sites / 4);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
