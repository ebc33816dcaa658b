// Facets of volumes that touch each other: shares of discs, and their law at two surfaces, without a robot.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <string>
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
using test::sixth_order;

std::array<Vector3T<L>, 3> random_triangle(std::mt19937& engine) {
  std::normal_distribution<double> normal;
  std::array<Vector3T<L>, 3> corner;
  for (auto& x : corner) x = {L(normal(engine)), L(normal(engine)), L(normal(engine))};
  return corner;
}

// The density integrated over the inset triangle, by small squares.
// The density integrated over the part within all cuts, by small squares; and its slopes by differences.
TEST(FacetShare, IsThePartOfTheDiscByBruteForce) {
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> uniform(-0.3, 1.3), turn(-0.4, 0.4), part(0.1, 1.0);
  int partial = 0;
  for (int sample = 0; sample < 80; ++sample) {
    const auto corner = random_triangle(engine);
    const FacetT<L> plane(corner, corner[0]);
    const L u = uniform(engine), v = uniform(engine), depth = 0.1L, radius = 0.1L + 0.3L * L(uniform(engine) + 0.3);
    FacetCuts cuts;
    for (int e = 0; e < 3; ++e) cuts.cuts[static_cast<std::size_t>(e)] = {e, 1.0, 0.0, turn(engine), 1.0 + sample % 2};
    for (; cuts.count < 3 + sample % 4; ++cuts.count) {  // lines beside the triangle, through a corner
      cuts.cuts[static_cast<std::size_t>(cuts.count)] = {cuts.count % 3, part(engine), -part(engine), part(engine)};
    }
    const Vector3T<L> point =
        corner[0] + u * (corner[1] - corner[0]) + v * (corner[2] - corner[0]) - depth * plane.normal;
    const FacetT<L> facet(corner, point);
    EXPECT_NEAR(static_cast<double>(facet.depth), 0.1, 1e-12);
    EXPECT_NEAR(static_cast<double>(norm(facet.at_foot(corner) - depth * facet.normal - point)), 0.0, 1e-15);
    const Vector3T<L> x_axis = (1 / norm(corner[1] - corner[0])) * (corner[1] - corner[0]);
    const Vector3T<L> y_axis = cross(facet.normal, x_axis);
    constexpr int k_squares = 600;
    double expected = 0.0;
    for (int i = 0; i < k_squares; ++i) {
      for (int k = 0; k < k_squares; ++k) {
        const L x = radius * (2 * (i + 0.5L) / k_squares - 1), y = radius * (2 * (k + 0.5L) / k_squares - 1);
        const L r2 = (x * x + y * y) / (radius * radius);
        if (r2 > 1) continue;
        const Vector3T<L> at = point + x * x_axis + y * y_axis;
        bool in = true;
        for (std::size_t c = 0; c < static_cast<std::size_t>(cuts.count) && in; ++c) {
          const FacetCut& cut = cuts.cuts[c];
          const auto b = static_cast<std::size_t>(cut.corner);
          const Vector3T<L> way =
              L(cut.first) * (corner[(b + 1) % 3] - corner[b]) + L(cut.second) * (corner[(b + 2) % 3] - corner[b]);
          const Vector3T<L> inward = (1 / norm(way)) * cross(facet.normal, way);
          const L within = dot(inward, point - corner[b]) - L(cut.inset) * depth;
          in = L(cut.narrow) * within + dot(inward, at - point) > 0;
        }
        if (in) expected += static_cast<double>((1 - r2) * 2 / M_PI * 4 / (k_squares * k_squares));
      }
    }
    const auto share = [&](const std::array<Vector3T<L>, 3>& x, const Vector3T<L>& p) {
      return facet_share(FacetT<L>(x, p), x, p, cuts, static_cast<double>(radius));
    };
    const FacetShareT<L> found = share(corner, point);
    EXPECT_NEAR(static_cast<double>(found.share), expected, 4e-3) << sample;
    if (expected > 0.05 && expected < 0.95) ++partial;
    for (std::size_t k = 0; k < 4; ++k) {
      for (int i = 0; i < 3; ++i) {
        const L slope = sixth_order(
            [&](L h) {
              auto x = corner;
              auto p = point;
              (k < 3 ? x[k] : p)[i] += h;
              return share(x, p).share;
            },
            L(1e-5));
        const L exact = k < 3 ? found.by_corners[k][i] : found.by_point[i];
        EXPECT_NEAR(static_cast<double>(slope), static_cast<double>(exact), 1e-7 / static_cast<double>(radius))
            << sample;
      }
    }
  }
  EXPECT_GT(partial, 15);
}

/// A surface as a law sees it, with frames that carry its points: those of a body at rest, moved.
struct Surface {
  VolumeFacets facets;
  std::vector<Vector3> at;  ///< where its points are
};

Surface surface_of(const PointShape& shape, double spacing, unsigned seed, double deformed) {
  Surface surface{volume_facets(shape_surface(shape), spacing), {}};
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal(0.0, deformed);
  for (const Vector3& x : surface.facets.points) {
    const double a = normal(engine), b = normal(engine), c = normal(engine);
    surface.at.push_back(x + Vector3{a, b, c});
  }
  return surface;
}
PointShape box(double x, double y, double length) {
  PointShape shape;
  shape.kind = PointShape::Kind::box, shape.half_x = x, shape.half_y = y, shape.length = length;
  return shape;
}

/// A smaller block that stands turned on a larger one, both deformed.
template <typename T>
struct Blocks {
  std::unique_ptr<ContactLawT<T>> law;
  std::vector<FrameMotionT<T>> frames;
  int frames_of_a = 0;

  const auto& sites() const { return law->sites(); }
  int states() const { return sites()[0].state_count; }
  std::vector<FrameMotionT<T>> of_site(int site) const {
    std::vector<FrameMotionT<T>> motion;
    for (int k = 0; k < 4; ++k)
      motion.push_back(frames[static_cast<std::size_t>(sites()[static_cast<std::size_t>(site)].frame[k])]);
    return motion;
  }
  SiteAt<T> at(int site, std::vector<T> states) const { return {*law, site, of_site(site), std::move(states)}; }
  void shift_a(const Vector3T<T>& by) {
    for (int k = 0; k < frames_of_a; ++k) frames[static_cast<std::size_t>(k)].pose.position += by;
  }
};

template <typename T>
Blocks<T> blocks(unsigned seed, int kind, double deformed = 2e-4) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  const auto vector = [&](double size) {
    const double x = normal(engine), y = normal(engine), z = normal(engine);
    return Vector3T<T>{T(size * x), T(size * y), T(size * z)};
  };
  const Surface a = surface_of(box(0.012, 0.012, 0.02), 0.009, seed, deformed),
                b = surface_of(box(0.02, 0.02, 0.025), 0.012, 100 + seed, deformed);
  Blocks<T> result;
  const PoseT<T> of_b = exponential(TwistT<T>{vector(1.0), vector(0.1)});
  const Vector3T<T> tilt = vector(0.004);
  const PoseT<T> of_a = of_b * exponential(TwistT<T>{{}, {T(3e-3), T(-2e-3), T(0.025 - 4e-4)}}) *
                        exponential(TwistT<T>{{tilt.x, tilt.y, T(0.4)}, {}});
  ContactPlanT<T> plan;
  std::vector<Vector3> known[2];
  std::vector<int> index[2];
  const auto place = [&](bool of_first, const Vector3& rest) {
    const std::size_t side = of_first ? 0 : 1;
    for (std::size_t i = 0; i < known[side].size(); ++i) {
      if (norm(known[side][i] - rest) < 1e-12) return index[side][i];
    }
    const Surface& surface = of_first ? a : b;
    Vector3 at;  // of a point, or of the middle of a facet
    double nearest = 1.0;
    for (std::size_t i = 0; i < surface.at.size(); ++i) {
      const double distance = norm(surface.facets.points[i] - rest);
      if (distance < nearest) nearest = distance, at = surface.at[i];
    }
    for (const auto& facet : surface.facets.facets) {
      if (norm(facet.middle - rest) > 1e-9) continue;
      at = {};
      for (const int k : facet.corners) at += (1.0 / 3.0) * surface.at[static_cast<std::size_t>(k)];
    }
    FrameMotionT<T> motion;
    motion.pose = (of_first ? of_a : of_b) * PoseT<T>{Matrix3T<T>::identity(), at.cast<T>()} *
                  exponential(TwistT<T>{vector(0.3), {}});
    motion.velocity = {vector(2.0), vector(0.03)};
    result.frames.push_back(motion);
    known[side].push_back(rest), index[side].push_back(static_cast<int>(result.frames.size()) - 1);
    return index[side].back();
  };
  // all frames of a first
  for (const auto& facet : a.facets.facets) {
    place(true, facet.middle);
    for (const int k : facet.corners) place(true, a.facets.points[static_cast<std::size_t>(k)]);
  }
  result.frames_of_a = static_cast<int>(result.frames.size());
  const T modulus(1e5);
  plan_facets(plan, 0, a.facets, 1, b.facets, false, false, modulus, 1e-3, place);
  plan_facets(plan, 0, b.facets, 1, a.facets, false, true, modulus, 1e-3,
              [&](bool own, const Vector3& x) { return place(!own, x); });
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
std::vector<int> touching(const Blocks<T>& chosen) {
  std::vector<int> found;
  for (int site = 0; site < static_cast<int>(chosen.sites().size()); ++site) {
    const T none[4] = {};
    SiteActionT<T> action;
    chosen.law->evaluate(site, 0.0, chosen.of_site(site).data(), none, action);
    if (action.stored_energy > T(0.0)) found.push_back(site);
  }
  return found;
}

TEST(FacetContact, BalancesEnergyAlongAnyMotion) {
  for (const int kind : {0, 1, 2, 3}) {
    int flows = 0, shared = 0;
    for (unsigned seed = 0; seed < 6; ++seed) {
      const auto all = blocks<L>(seed, kind);
      const std::vector<int> sites = touching(all);
      ASSERT_GT(sites.size(), 8u) << seed;
      for (const int site : sites) {
        SCOPED_TRACE(testing::Message() << "friction " << kind << " seed " << seed << " site " << site);
        const double size = (kind == 2 ? 0.03 : (seed % 3 == 0 ? 0.01 : 0.15)) * 4e-4;
        const auto at = all.at(site, random_states<L>(all.states(), 100 + seed, size));
        if (test::expect_balance(at, 1e-7L) > 1e-3L) ++flows;
        // shared: the corner's force has a part in the plane without friction
        const std::array<Vector3T<L>, 3> corner{at.motion[3].pose.position, at.motion[1].pose.position,
                                                at.motion[2].pose.position};
        const FacetT<L> facet(corner, at.motion[0].pose.position);
        const auto& middle = facet.within;
        if (std::min({middle[0], middle[1], middle[2]}) < 5e-4L) ++shared;
      }
    }
    EXPECT_GT(flows, 10) << kind;
    EXPECT_GT(shared, 10) << kind;
  }
}

TEST(FacetContact, ActsEquallyAndOppositely) {
  for (const int kind : {0, 1, 2, 3}) {
    for (unsigned seed = 0; seed < 6; ++seed) {
      const auto all = blocks<L>(seed, kind);
      for (const int site : touching(all)) {
        SCOPED_TRACE(testing::Message() << "friction " << kind << " seed " << seed << " site " << site);
        test::expect_no_resultant(all.at(site, random_states<L>(all.states(), 100 + seed, 1e-4)), 200, 2e3L);
      }
    }
  }
}

TEST(FacetContact, KnowsNoMotionOfAll) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    const auto all = blocks<double>(seed, 1);
    for (const int site : touching(all)) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " site " << site);
      test::expect_no_motion_of_all(all.at(site, random_states<double>(4, 100 + seed, 1e-4)));
    }
  }
}

TEST(FacetContact, HasTheSlopesOfItsValues) {
  for (const int kind : {0, 1, 2}) {
    for (unsigned seed = 0; seed < 3; ++seed) {
      const auto all = blocks<L>(seed, kind);
      const std::vector<int> sites = touching(all);
      for (std::size_t number = seed; number < sites.size(); number += 3) {
        SCOPED_TRACE(testing::Message() << "friction " << kind << " seed " << seed << " site " << sites[number]);
        const double size = seed % 2 == 0 ? 1e-6 : 2e-4;
        test::expect_slopes(all.at(sites[number], random_states<L>(all.states(), 100 + seed, size)));
      }
    }
  }
}

TEST(FacetContact, WithDoubleIsThatOfLongDouble) {
  for (const int kind : {0, 1, 2, 3}) {
    for (unsigned seed = 0; seed < 4; ++seed) {
      const auto exact = blocks<L>(seed, kind);
      auto all = blocks<double>(seed, kind);
      for (std::size_t k = 0; k < exact.frames.size(); ++k) {
        all.frames[k].pose = exact.frames[k].pose.cast<double>();
        all.frames[k].velocity = exact.frames[k].velocity.cast<double>();
      }
      for (const int site : touching(exact)) {
        SCOPED_TRACE(testing::Message() << "friction " << kind << " seed " << seed << " site " << site);
        const auto wanted = exact.at(site, random_states<L>(all.states(), 100 + seed, 1e-4));
        if (!(wanted.action().stored_energy > 1e-10L)) continue;  // a last touch knows few digits
        test::expect_close(all.at(site, random_states<double>(all.states(), 100 + seed, 1e-4)), wanted, 1e-7);
      }
    }
  }
}

/// Of all sites without friction: energy, and the force on a.
struct Together {
  double energy = 0.0;
  Vector3 force;
};
Together together(const Blocks<double>& all) {
  Together sum;
  const double none[4] = {};
  NearSites near;
  all.law->prepare(near);
  all.law->find_near(all.frames.data(), near);
  for (const int site : near.sites) {
    const auto motion = all.of_site(site);
    SiteActionT<double> action;
    all.law->evaluate(site, 0.0, motion.data(), none, action);
    sum.energy += action.stored_energy;
    for (std::size_t k = 0; k < 4; ++k) {
      if (all.sites()[static_cast<std::size_t>(site)].frame[k] < all.frames_of_a)
        sum.force += motion[k].pose.rotation * action.wrench[k].force;
    }
  }
  return sum;
}

// A block that slides over the facets of another one, and off its edge: forces go on without a jump, and are the slope
// of the energy.
TEST(FacetContact, GoesOnWithoutAJump) {
  for (unsigned seed = 0; seed < 3; ++seed) {
    auto all = blocks<double>(seed, 3, seed == 0 ? 0.0 : 1e-4);
    for (auto& motion : all.frames) motion.velocity = {};
    const Vector3 normal = [&] {
      const Vector3 force = together(all).force;
      return (1.0 / norm(force)) * force;
    }();
    Vector3 along = cross(normal, Vector3{0.3, 0.9, -0.4});
    along = (1.0 / norm(along)) * along;
    constexpr double k_step = 1e-6;
    double largest = 0.0, jump = 0.0, energy_error = 0.0;
    Together before = together(all);
    bool left = false;
    for (int i = 0; i < 1500 && !left; ++i) {
      const double step = i % 2 == 0 ? 80 * k_step : k_step;  // large ones to get on, small ones to look
      all.shift_a(step * along);
      const Together now = together(all);
      largest = std::max(largest, norm(now.force));
      if (i % 2 == 1) {
        jump = std::max(jump, norm(now.force - before.force) / step);
        const double work = -0.5 * dot(now.force + before.force, along) * step;
        energy_error = std::max(energy_error, std::abs(now.energy - before.energy - work));
      }
      before = now, left = now.energy == 0.0;
    }
    EXPECT_TRUE(left) << seed;
    EXPECT_GT(largest, 0.1) << seed;
    EXPECT_LT(jump * 1e-4, 0.5 * largest) << seed;  // over a quarter of the depth at most half of it
    EXPECT_LT(energy_error, 1e-4 * largest * k_step) << seed;
  }
}

TEST(FacetContact, FindsAllThatTouchAndLittleElse) {
  int asked = 0, all_sites = 0, pressed = 0;
  for (unsigned seed = 0; seed < 12; ++seed) {
    const auto all = blocks<double>(seed, 3);
    NearSites near;
    all.law->prepare(near);
    all.law->find_near(all.frames.data(), near);
    const std::set<int> found(near.sites.begin(), near.sites.end());
    EXPECT_EQ(found.size(), near.sites.size());
    const double none[4] = {};
    double least = std::numeric_limits<double>::infinity();
    for (int site = 0; site < static_cast<int>(all.sites().size()); ++site) {
      const auto motion = all.of_site(site);
      if (all.law->may_act(site, 0.0, motion.data(), none)) {
        EXPECT_TRUE(found.count(site) > 0) << seed << " " << site;
      }
      if (all.law->gap(site, 0.0, motion.data()) < 0.0) {
        EXPECT_TRUE(all.law->may_act(site, 0.0, motion.data(), none)) << seed << " " << site;
        ++pressed;
      }
      least = std::min(least, all.law->longest_step(site, 0.0, motion.data()));
      ++all_sites;
    }
    asked += static_cast<int>(found.size());
    const double longest = all.law->longest_step_of_all(0.0, all.frames.data());
    EXPECT_TRUE(longest == least || longest >= 0.02) << seed << ": " << longest << " " << least;
  }
  EXPECT_GT(pressed, 100);
  EXPECT_LT(asked, all_sites / 8);
}

// Every point within a body has one facet, or a few that share it: their shares sum to 1.
TEST(FacetContact, SharesOfABodySumToOne) {
  PointShape cylinder;
  cylinder.kind = PointShape::Kind::cylinder, cylinder.half_x = cylinder.half_y = 0.02, cylinder.length = 0.05;
  for (const PointShape& shape : {box(0.01, 0.02, 0.05), cylinder}) {
    for (const double spacing : {0.0, 0.008}) {
      const VolumeFacets body = volume_facets(shape_surface(shape), spacing);
      ASSERT_GE(body.facets.size(), 12u);
      if (spacing == 0.0) {
        EXPECT_LE(body.facets.size(), static_cast<std::size_t>(k_most_facets));
      }
      std::mt19937 engine(3);
      std::uniform_real_distribution<double> uniform(0.0, 1.0);
      int near_an_edge = 0;
      for (int sample = 0; sample < 2000; ++sample) {
        // below a facet, by little
        const auto& facet = body.facets[static_cast<std::size_t>(sample) % body.facets.size()];
        double u = uniform(engine), v = uniform(engine);
        if (u + v > 1) u = 1 - u, v = 1 - v;
        std::array<Vector3, 3> corner;
        for (std::size_t k = 0; k < 3; ++k) corner[k] = body.points[static_cast<std::size_t>(facet.corners[k])];
        const FacetT<double> plane(corner, corner[0]);
        constexpr double k_disc = 5e-4, k_depth = 1e-4;
        const Vector3 point =
            corner[0] + u * (corner[1] - corner[0]) + v * (corner[2] - corner[0]) - k_depth * plane.normal;
        double sum = 0.0, beside_edge = 1.0;
        for (const auto& other : body.facets) {
          for (std::size_t k = 0; k < 3; ++k) corner[k] = body.points[static_cast<std::size_t>(other.corners[k])];
          const FacetT<double> at(corner, point);
          if (!(at.depth > 0 && at.depth < k_facet_cut * other.half)) continue;
          sum += facet_share(at, corner, point, other.cuts, k_disc).share;
          if (&other == &facet) beside_edge = std::min({at.within[0], at.within[1], at.within[2]});
        }
        // where sharp edges meet, points within a disc count up to twice
        EXPECT_GT(sum, 0.5) << sample;
        EXPECT_LT(sum, 2.0) << sample;
        if (beside_edge > 2 * k_disc) {
          EXPECT_NEAR(sum, 1.0, 1e-9) << sample;
        }
        if (beside_edge < k_disc) ++near_an_edge;
      }
      EXPECT_GT(near_an_edge, 50);
    }
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
