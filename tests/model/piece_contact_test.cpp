// Pieces of rods that touch pieces of another rod: their law at two chains, without a robot.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "cuttle/spatial/exponential.h"
#include "model/contact/contact_law.h"
#include "model/contact/cubic_roots.h"
#include "model/site_checks.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using L = long double;
using test::friction_of;
using test::SiteAt;

/// Two chains of pieces, a and b, that a law lets touch.
template <typename T>
struct Chains {
  std::unique_ptr<ContactLawT<T>> law;
  std::vector<FrameMotionT<T>> frames;  ///< those of a, then those of b
  int pieces_a = 0, pieces_b = 0;
  T stiffness{};  ///< of one unit of each piece's parameter
  std::vector<T> radius_a, radius_b;

  const auto& sites() const { return law->sites(); }
  int states() const { return sites()[0].state_count; }
  std::vector<FrameMotionT<T>> of_site(int site) const {
    std::vector<FrameMotionT<T>> motion;
    for (int k = 0; k < 4; ++k) motion.push_back(frames[static_cast<std::size_t>(sites()[site].frame[k])]);
    return motion;
  }
  SiteAt<T> at(int site, std::vector<T> states) const { return {*law, site, of_site(site), std::move(states)}; }
  CubicT<T> piece(int first_frame) const {
    const PoseT<T>&p = frames[static_cast<std::size_t>(first_frame)].pose,
          &q = frames[static_cast<std::size_t>(first_frame) + 1].pose;
    const T chord = norm(q.position - p.position);
    return {p.position, q.position, chord * p.rotation.column(2), chord * q.rotation.column(2)};
  }
  CubicT<T> piece_a(int i) const { return piece(i); }
  CubicT<T> piece_b(int k) const { return piece(pieces_a + 1 + k); }
};

/// Nearest points of both chains, by samples: their distance less the radii, and the way from b to a.
template <typename T>
struct NearestPoints {
  T gap = T(1e9);
  Vector3T<T> way;
};
template <typename T>
NearestPoints<T> nearest_points(const Chains<T>& chains, int samples) {
  NearestPoints<T> found;
  for (int i = 0; i < chains.pieces_a; ++i) {
    for (int n = 0; n <= samples; ++n) {
      const T t = T(n) / T(samples);
      const Vector3T<T> x = chains.piece_a(i).at(t);
      const T r_a = chains.radius_a[i] + t * (chains.radius_a[i + 1] - chains.radius_a[i]);
      for (int k = 0; k < chains.pieces_b; ++k) {
        const CubicT<T> b = chains.piece_b(k);
        for (int m = 0; m <= samples; ++m) {
          const T u = T(m) / T(samples);
          const Vector3T<T> way = x - b.at(u);
          const T gap = norm(way) - r_a - chains.radius_b[k] - u * (chains.radius_b[k + 1] - chains.radius_b[k]);
          if (gap < found.gap) found = {gap, way};
        }
      }
    }
  }
  return found;
}

/// Moves a chain along the way of the nearest points, until it is so deep in the other one.
template <typename T>
void press(Chains<T>& chains, const T& deep) {
  const NearestPoints<T> found = nearest_points(chains, 12);
  const T by = -(found.gap + deep) / norm(found.way);
  for (int k = 0; k <= chains.pieces_a; ++k) chains.frames[k].pose.position += by * found.way;
}

/// Bent, twisted, tapered chains whose nearest points press on each other, by numbers of double precision.
template <typename T>
Chains<T> random_chains(unsigned seed, int kind, bool parallel = false, double taper = 0.1) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  const auto vector = [&](double size) {
    const double x = normal(engine), y = normal(engine), z = normal(engine);
    return Vector3T<T>{T(size * x), T(size * y), T(size * z)};
  };
  Chains<T> chains;
  chains.pieces_a = 3, chains.pieces_b = 5;
  const T radius(0.01), chord(0.03);
  const auto chain = [&](PoseT<T> pose, int pieces, std::vector<T>& radii) {
    const double slope = taper * normal(engine);
    for (int i = 0; i <= pieces; ++i) {
      radii.push_back(radius * T(1.0 + slope * i / pieces));
      FrameMotionT<T> motion;
      motion.pose = pose, motion.velocity = {vector(2.0), vector(0.05)};
      chains.frames.push_back(motion);
      const Vector3T<T> bend = vector(parallel ? 0.03 : 0.25);
      pose = pose * exponential(TwistT<T>{{bend.x, bend.y, bend.z}, {T(0.0), T(0.0), chord}});
    }
  };
  const PoseT<T> base = exponential(TwistT<T>{vector(1.0), vector(0.3)});
  const auto placed = [&](int pieces, const Vector3T<T>& turn) {
    const PoseT<T> turned = base * exponential(TwistT<T>{turn, {}});
    return turned * PoseT<T>{Matrix3T<T>::identity(), {T(0.0), T(0.0), T(-0.5 * pieces) * chord}};
  };
  chain(placed(chains.pieces_a, vector(parallel ? 0.02 : 1.0)), chains.pieces_a, chains.radius_a);
  chain(placed(chains.pieces_b, vector(parallel ? 0.02 : 1.0)), chains.pieces_b, chains.radius_b);

  ContactT<T> contact;
  contact.name = "cross", contact.dissipation = T(0.7), contact.friction = friction_of(kind).template cast<T>();
  ContactPlanT<T> plan;
  PieceSites rods;
  for (int i = 0; i <= chains.pieces_a; ++i) rods.a.push_back(i);
  for (int k = 0; k <= chains.pieces_b; ++k) rods.b.push_back(chains.pieces_a + 1 + k);
  const auto thicker = [](const std::vector<T>& r, int i) { return static_cast<double>(std::max(r[i], r[i + 1])); };
  for (int i = 0; i < chains.pieces_a; ++i) rods.radius_a.push_back(thicker(chains.radius_a, i));
  for (int k = 0; k < chains.pieces_b; ++k) rods.radius_b.push_back(thicker(chains.radius_b, k));
  chains.stiffness = T(3e4);
  for (int i = 0; i < chains.pieces_a; ++i) {
    rods.first_b.push_back(0), rods.first_site.push_back(static_cast<int>(plan.sites.size()));
    for (int k = 0; k < chains.pieces_b; ++k) {
      ContactSiteT<T> site;
      site.kind = ContactSiteT<T>::Kind::pieces, site.curve_frames = 3, site.on_link = true;
      const int frames[] = {rods.a[i], rods.a[i + 1], rods.b[k + 1], rods.b[k]};
      std::copy(frames, frames + 4, site.frames);
      site.begin_radius = chains.radius_a[i], site.end_radius = chains.radius_a[i + 1];
      site.other_begin_radius = chains.radius_b[k], site.other_end_radius = chains.radius_b[k + 1];
      site.other_begins = k == 0, site.other_ends = k + 1 == chains.pieces_b;
      site.stiffness = chains.stiffness, site.range = T(1e-5), site.weight = chord, site.thickness = 0.01;
      plan.sites.push_back(site), plan.pair_of_site.push_back(0);
    }
  }
  plan.pieces = {rods}, plan.pairs = {{{"a", "b"}}};
  chains.law = std::make_unique<ContactLawT<T>>(contact, std::vector<FrameT<T>>(chains.frames.size()), std::move(plan),
                                                std::vector<ObstacleT<T>>{});
  for (int i = 0; i < 6; ++i) press(chains, T(parallel ? 2e-4 : 1e-3));
  return chains;
}

/// Moves a chain onto the border between two pieces of the other one: the point nearest to a station `share` of half
/// the border's width beyond its plane.
template <typename T>
void move_onto_border(Chains<T>& chains, double share) {
  for (int round = 0; round < 12; ++round) {
    press(chains, T(1e-3));
    Vector3T<T> nearest;
    PoseT<T> station;
    T least(1e9);
    for (int k = 1; k < chains.pieces_b; ++k) {
      const PoseT<T>& pose = chains.frames[static_cast<std::size_t>(chains.pieces_a + 1 + k)].pose;
      for (int i = 0; i < 40 * chains.pieces_a; ++i) {
        const Vector3T<T> x = chains.piece_a(i / 40).at(T(i % 40) / T(40));
        if (norm(x - pose.position) < least) least = norm(x - pose.position), nearest = x, station = pose;
      }
    }
    const Vector3T<T> axis = station.rotation.column(2);
    const T by = T(share * 2e-5) - dot(nearest - station.position, axis);
    for (int k = 0; k <= chains.pieces_a; ++k) chains.frames[k].pose.position += by * axis;
  }
}

template <typename T>
std::vector<T> random_states(const Chains<T>& chains, unsigned seed, double size) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal(0.0, size);
  std::vector<T> x(4, T(0.0));
  for (int i = 0; i < 3 && chains.states() > 0; ++i) x[i] = T(normal(engine));
  if (chains.states() == 4) x[3] = T(-0.4 * std::abs(normal(engine)) / (std::abs(normal(engine)) + size));
  return x;
}

TEST(PieceContact, RootsOfCubicsAreThoseOfTheirFactors) {
  std::mt19937 engine(5);
  std::uniform_real_distribution<double> uniform(-0.5, 1.5);
  for (int i = 0; i < 2000; ++i) {
    const int degree = 1 + i % 3;
    std::vector<double> wanted(static_cast<std::size_t>(degree));
    for (double& root : wanted) root = uniform(engine);
    const double factor = i % 2 == 0 ? 1.0 : -3.0;
    const auto value = [&](double t) {
      double product = factor;
      for (const double root : wanted) product *= t - root;
      return product;
    };
    const auto slope = [&](double t) {
      double sum = 0.0;
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        double product = factor;
        for (std::size_t m = 0; m < wanted.size(); ++m) product *= m == k ? 1.0 : t - wanted[m];
        sum += product;
      }
      return sum;
    };
    double roots[3];
    const int found = cubic_roots(value(0.0), value(1.0), slope(0.0), slope(1.0), roots);
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::remove_if(wanted.begin(), wanted.end(), [](double t) { return !(t > 0 && t < 1); }),
                 wanted.end());
    ASSERT_EQ(static_cast<std::size_t>(found), wanted.size()) << i;
    for (int k = 0; k < found; ++k) EXPECT_NEAR(roots[k], wanted[static_cast<std::size_t>(k)], 1e-7) << i;
  }
}

TEST(PieceContact, BalancesEnergyAlongAnyMotion) {
  for (const bool parallel : {false, true}) {
    for (const int kind : {0, 1, 2, 3}) {
      int touches = 0, flows = 0;
      for (unsigned seed = 0; seed < 24; ++seed) {
        const auto chains = random_chains<L>(seed, kind, parallel);
        for (int site = 0; site < static_cast<int>(chains.sites().size()); ++site) {
          SCOPED_TRACE(testing::Message() << "friction " << kind << " seed " << seed << " site " << site);
          // of the depth, by energy over force: beyond its longest a bristle's book is as good as the quadrature
          auto still = chains.at(site, std::vector<L>(4, L(0)));
          for (auto& m : still.motion) m.velocity = {};
          const SiteActionT<L> unloaded = still.action();
          if (!(unloaded.stored_energy > 0)) continue;
          const Vector3T<L> force = still.motion[0].pose.rotation * unloaded.wrench[0].force +
                                    still.motion[1].pose.rotation * unloaded.wrench[1].force;
          const auto depth = static_cast<double>(2 * unloaded.stored_energy / norm(force));
          const double size = (kind == 2 ? 0.03 : (seed % 3 == 0 ? 0.01 : 0.15)) * depth;
          ++touches;
          if (test::expect_balance(chains.at(site, random_states(chains, 100 + seed, size)), 1e-8L) > 1e-3L) ++flows;
        }
      }
      EXPECT_GT(touches, 20) << kind;
      EXPECT_GT(flows, 10) << kind;
    }
  }
}

TEST(PieceContact, ActsEquallyAndOppositely) {
  for (const int kind : {0, 1, 2, 3}) {
    for (unsigned seed = 0; seed < 24; ++seed) {
      const auto chains = random_chains<L>(seed, kind, seed % 2 == 1);
      for (int site = 0; site < static_cast<int>(chains.sites().size()); ++site) {
        SCOPED_TRACE(testing::Message() << "friction " << kind << " seed " << seed << " site " << site);
        test::expect_no_resultant(chains.at(site, random_states(chains, 100 + seed, 3e-4)), 20, 1e3L);
      }
    }
  }
}

// Bristles turn with the touched piece.
TEST(PieceContact, KnowsNoMotionOfAll) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    const auto chains = random_chains<double>(seed, 1);
    for (int site = 0; site < static_cast<int>(chains.sites().size()); ++site) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " site " << site);
      test::expect_no_motion_of_all(chains.at(site, random_states(chains, 100 + seed, 1e-4)));
    }
  }
}

TEST(PieceContact, HasTheSlopesOfItsValues) {
  for (const int kind : {0, 1, 2}) {
    for (unsigned seed = 0; seed < 6; ++seed) {
      const auto chains = random_chains<L>(seed, kind, seed % 3 == 2);
      for (int site = 0; site < static_cast<int>(chains.sites().size()); ++site) {
        SCOPED_TRACE(testing::Message() << "friction " << kind << " seed " << seed << " site " << site);
        const auto at = chains.at(site, random_states(chains, 100 + seed, seed % 2 == 0 ? 1e-6 : 2e-4));
        if (at.action().stored_energy > 0) test::expect_slopes(at);
      }
    }
  }
}

// Where two pieces share what presses.
TEST(PieceContact, IsTheSameLawOnBorders) {
  for (const int kind : {0, 1}) {
    int shared = 0;
    for (unsigned seed = 0; seed < 8; ++seed) {
      auto chains = random_chains<L>(seed, kind);
      move_onto_border(chains, -0.8 + 0.2 * seed);
      for (int site = 0; site < static_cast<int>(chains.sites().size()); ++site) {
        SCOPED_TRACE(testing::Message() << "friction " << kind << " seed " << seed << " site " << site);
        const auto at = chains.at(site, random_states(chains, 100 + seed, 1e-6));
        if (!(at.action().stored_energy > 0)) continue;
        ++shared;
        test::expect_no_resultant(at, 20, 1e3L);
        test::expect_balance(at, 1e-8L);
        test::expect_slopes(at);
      }
    }
    EXPECT_GE(shared, 16) << kind;
  }
}

TEST(PieceContact, WithDoubleIsThatOfLongDouble) {
  for (const int kind : {0, 1, 2, 3}) {
    for (unsigned seed = 0; seed < 12; ++seed) {
      const auto exact = random_chains<L>(seed, kind, seed % 3 == 2);
      auto chains = random_chains<double>(seed, kind, seed % 3 == 2);
      for (std::size_t k = 0; k < exact.frames.size(); ++k) {
        chains.frames[k].pose = exact.frames[k].pose.cast<double>();
        chains.frames[k].velocity = exact.frames[k].velocity.cast<double>();
      }
      for (int site = 0; site < static_cast<int>(chains.sites().size()); ++site) {
        SCOPED_TRACE(testing::Message() << "friction " << kind << " seed " << seed << " site " << site);
        const auto wanted = exact.at(site, random_states(exact, 100 + seed, 1e-4));
        if (!(wanted.action().stored_energy > 1e-9L)) continue;  // a last touch of a part knows few digits
        test::expect_close(chains.at(site, random_states(chains, 100 + seed, 1e-4)), wanted, 1e-7);
      }
    }
  }
}

/// Of all sites without friction: energy, and the force on a in the axes of the world.
struct Together {
  double energy = 0.0;
  Vector3 force;
};
Together together(const Chains<double>& chains) {
  Together sum;
  const double none[4] = {};
  for (int site = 0; site < static_cast<int>(chains.sites().size()); ++site) {
    const auto motion = chains.of_site(site);
    SiteActionT<double> action;
    chains.law->evaluate(site, 0.0, motion.data(), none, action);
    sum.energy += action.stored_energy;
    for (std::size_t k = 0; k < 2; ++k) sum.force += motion[k].pose.rotation * action.wrench[k].force;
  }
  return sum;
}

// What all sites store is the integral along a over the whole of b, the nearest point by search.
TEST(PieceContact, StoresTheIntegralOfDepthsByBruteForce) {
  for (unsigned seed = 0; seed < 16; ++seed) {
    const bool parallel = seed % 2 == 1;
    const auto chains =
        random_chains<double>(seed, 3, parallel, 0.0);  // without taper the deepest point is the nearest
    constexpr int k_samples = 4000, k_coarse = 40;
    double expected = 0.0;
    for (int i = 0; i < chains.pieces_a; ++i) {
      const CubicT<double> a = chains.piece_a(i);
      for (int n = 0; n < k_samples; ++n) {
        const double t = (n + 0.5) / k_samples;
        const Vector3 x = a.at(t);
        double nearest = 1e9;
        for (int k = 0; k < chains.pieces_b; ++k) {
          const CubicT<double> b = chains.piece_b(k);
          const auto distance = [&](double u) { return norm(x - b.at(u)); };
          int best = 0;
          for (int m = 0; m <= k_coarse; ++m) {
            if (distance(double(m) / k_coarse) < distance(double(best) / k_coarse)) best = m;
          }
          double low = std::max(0, best - 1) / double(k_coarse), high = std::min(k_coarse, best + 1) / double(k_coarse);
          for (int step = 0; step < 60; ++step) {
            const double p = low + (high - low) / 3, q = high - (high - low) / 3;
            (distance(p) < distance(q) ? high : low) = distance(p) < distance(q) ? q : p;
          }
          nearest = std::min(nearest, distance(0.5 * (low + high)));
        }
        const double depth = chains.radius_a[i] + chains.radius_b[0] - nearest;
        expected += chains.stiffness * linear_penalty(depth, 1e-5).energy / k_samples;
      }
    }
    ASSERT_GT(expected, 0.0) << seed;
    EXPECT_NEAR(together(chains).energy, expected, 2e-4 * expected) << seed;
  }
}

// A rod that slides over the joints of pieces, and off the end of the other one: forces go on without a jump.
TEST(PieceContact, GoesOnWithoutAJump) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    auto chains = random_chains<double>(seed, 3, seed % 2 == 1);
    for (auto& motion : chains.frames) motion.velocity = {};
    const Vector3 along = chains.frames[static_cast<std::size_t>(chains.pieces_a) + 3].pose.rotation.column(2);
    constexpr double k_step = 1e-6;
    double largest = 0.0, jump = 0.0, energy_error = 0.0;
    Together before = together(chains);
    for (int i = 0; i < 60000; i += 1) {
      const double step = i % 20 == 0 ? 20 * k_step : k_step;  // large ones to get on, small ones to look
      for (int k = 0; k <= chains.pieces_a; ++k)
        chains.frames[static_cast<std::size_t>(k)].pose.position += step * along;
      const Together now = together(chains);
      largest = std::max(largest, norm(now.force));
      jump = std::max(jump, norm(now.force - before.force) / step);
      const double work = -0.5 * dot(now.force + before.force, along) * step;
      energy_error = std::max(energy_error, std::abs(now.energy - before.energy - work));
      before = now;
      if (i > 1500 && now.energy == 0.0) break;
      if (i > 4000) break;
    }
    EXPECT_GT(largest, 0.1) << seed;
    EXPECT_LT(jump * 1e-4, 3 * largest) << seed;  // over a tenth of the depth at most some of it
    EXPECT_LT(energy_error, 1e-5 * largest * 20 * k_step + 1e-16) << seed;
  }
}

TEST(PieceContact, FindsAllThatTouchAndLittleElse) {
  int asked = 0, all = 0, touching = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const auto chains = random_chains<double>(seed, 3, seed % 4 == 3);
    NearSites near;
    chains.law->prepare(near);
    chains.law->find_near(chains.frames.data(), near);
    EXPECT_TRUE(std::is_sorted(near.sites.begin(), near.sites.end()));
    const double none[4] = {};
    for (int site = 0; site < static_cast<int>(chains.sites().size()); ++site) {
      const bool found = std::binary_search(near.sites.begin(), near.sites.end(), site);
      const auto motion = chains.of_site(site);
      EXPECT_EQ(chains.law->may_act(site, 0.0, motion.data(), none), found) << seed << " " << site;
      if (chains.law->gap(site, 0.0, motion.data()) < 0.0) {
        EXPECT_TRUE(found) << seed << " " << site;
        ++touching;
      }
      asked += found ? 1 : 0, ++all;
    }
    double least = std::numeric_limits<double>::infinity();
    for (int site = 0; site < static_cast<int>(chains.sites().size()); ++site) {
      least = std::min(least, chains.law->longest_step(site, 0.0, chains.of_site(site).data()));
    }
    // it may be shorter where nothing comes near within it
    const double found = chains.law->longest_step_of_all(0.0, chains.frames.data());
    EXPECT_LE(found, least) << seed;
    EXPECT_TRUE(found == least || found >= 0.02) << seed << ": " << found << " " << least;
  }
  EXPECT_GT(touching, 60);
  EXPECT_LT(asked, all / 2);
}

TEST(PieceContact, LooksForNoPieceThatThereIsNotWhereNothingMakesSense) {
  auto chains = random_chains<double>(0, 3, false);  // three pieces: a tree has room for four
  for (auto& frame : chains.frames) frame.pose.position.x = std::numeric_limits<double>::quiet_NaN();
  NearSites near;
  chains.law->prepare(near);
  chains.law->find_near(chains.frames.data(), near);
  ASSERT_FALSE(near.sites.empty());
  EXPECT_LT(near.sites.back(), static_cast<int>(chains.sites().size()));
  EXPECT_EQ(std::adjacent_find(near.sites.begin(), near.sites.end()), near.sites.end());
  chains.law->longest_step_of_all(0.0, chains.frames.data());
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
