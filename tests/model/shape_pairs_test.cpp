// Random pairs of random shapes, each kind against each: whether contact sees that they touch, beside samples of their
// surfaces alone. A point of one surface is pushed along it to where it is deepest in the other shape, ever more
// finely. Distances to single shapes have a test of their own (tests/geometry/random_poses_test.cpp).
//
// CUTTLE_RANDOM_PAIRS=1000000 asks for as many instead of 5,000 (about three quarters of an hour).

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cuttle/bodies/rigid_body.h"
#include "cuttle/geometry/mesh.h"
#include "cuttle/geometry/shapes.h"
#include "cuttle/model/model.h"
#include "cuttle/spatial/exponential.h"

namespace cuttle::CUTTLE_FILE {
namespace {

class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}
  double even(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  double scale(double low, double high) { return low * std::pow(high / low, even(0.0, 1.0)); }
  double normal() { return std::normal_distribution<double>()(engine_); }
  Vector3 vector() { return {normal(), normal(), normal()}; }
  Vector3 direction() {
    const Vector3 v = vector();
    return (1.0 / norm(v)) * v;
  }
  int below(int count) { return std::uniform_int_distribution<int>(0, count - 1)(engine_); }
  Matrix3 rotation() { return exponential(Twist{even(0.0, 3.14) * direction(), {}}).rotation; }

 private:
  std::mt19937 engine_;
};

enum Kind { sphere, capsule, cylinder, cone, box, mesh, smooth_mesh, plane, height_field, k_kinds };
const char* const k_names[] = {"sphere", "capsule",     "cylinder", "cone",        "box",
                               "mesh",   "smooth_mesh", "plane",    "height_field"};

/// A mesh of an octahedron whose faces are split and whose points lie on an ellipsoid: convex.
TriangleMesh ellipsoid(Draw& draw, int splits) {
  TriangleMesh result;
  result.points = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  for (const int top : {4, 5}) {
    const int ring[] = {0, 2, 1, 3};
    for (int k = 0; k < 4; ++k) {
      const int a = ring[k], b = ring[(k + 1) % 4];
      result.triangles.push_back(top == 4 ? std::array<int, 3>{a, b, top} : std::array<int, 3>{b, a, top});
    }
  }
  for (int split = 0; split < splits; ++split) {
    std::vector<std::array<int, 3>> parts;
    std::map<std::pair<int, int>, int> middles;
    const auto middle = [&](int a, int b) {
      const auto [found, is_new] =
          middles.try_emplace({std::min(a, b), std::max(a, b)}, static_cast<int>(result.points.size()));
      if (is_new) {
        const Vector3 x = result.points[static_cast<std::size_t>(a)] + result.points[static_cast<std::size_t>(b)];
        result.points.push_back((1.0 / norm(x)) * x);
      }
      return found->second;
    };
    for (const auto& [a, b, c] : result.triangles) {
      const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      parts.insert(parts.end(), {{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}});
    }
    result.triangles = parts;
  }
  const Vector3 axes{draw.scale(0.03, 0.1), draw.scale(0.03, 0.1), draw.scale(0.03, 0.1)};
  for (Vector3& x : result.points) x = {axes.x * x.x, axes.y * x.y, axes.z * x.z};
  return result;
}

struct RandomShape {
  Kind kind;
  std::shared_ptr<const SignedDistance> shape;
  double size;                   ///< radius of a sphere about its origin that holds what is sampled
  double thin;                   ///< half of the thinner side
  std::vector<Vector3> samples;  ///< of the surface
};

Vector3 on_surface(const SignedDistance& shape, Vector3 x) {
  for (int i = 0; i < 3; ++i) {
    const DistanceT<double> d = shape.at(x);
    x -= d.value * d.gradient;
  }
  return x;
}

void sample(Draw& draw, int count, RandomShape& shape) {
  for (int k = 0; k < count; ++k) {
    shape.samples.push_back(on_surface(*shape.shape, 1.3 * shape.size * draw.even(0.3, 1.0) * draw.direction()));
  }
}

RandomShape random_shape(Draw& draw, Kind kind) {
  const double r = draw.scale(0.02, 0.1), length = draw.scale(0.03, 0.3);
  RandomShape result{kind, nullptr, 0.0, 0.0, {}};
  switch (kind) {
    case sphere:
      result.shape = std::make_shared<Sphere>(r);
      break;
    case capsule:
      result.shape = std::make_shared<Capsule>(r, length);
      break;
    case cylinder:
      result.shape = std::make_shared<Cylinder>(r, length);
      break;
    case cone:
      result.shape = std::make_shared<Cone>(draw.even(0.3, 1.0), r);
      break;
    case box:
      result.shape = std::make_shared<Box>(Vector3{r, length, draw.scale(0.03, 0.3)});
      break;
    case mesh: {
      const TriangleMesh given = ellipsoid(draw, draw.below(3));
      result.shape = std::make_shared<Mesh>(given.points, given.triangles);
      break;
    }
    case smooth_mesh: {
      const TriangleMesh given = ellipsoid(draw, 2);
      result.shape = std::make_shared<SmoothMesh>(Mesh(given.points, given.triangles), 0.01);
      break;
    }
    case plane:
      result.shape = std::make_shared<Plane>();
      break;
    default: {  // long waves: what touches it by its ends or rims is not to straddle a bump
      std::vector<double> heights;
      for (int k = 0; k < 64; ++k) heights.push_back(0.05 * draw.even(-1.0, 1.0));
      result.shape = std::make_shared<HeightField>(8, 8, heights, 0.4, 0.4);
    }
  }
  const bool is_ground = kind == plane || kind == height_field;
  result.size = is_ground ? 0.5 : result.shape->bounding_radius();
  result.thin = is_ground ? std::numeric_limits<double>::infinity() : result.shape->half_thickness();
  if (is_ground) return result;
  sample(draw, 400, result);
  return result;
}

/// Of the surface of `a` the depth of the deepest point in `b`, negative: all is outside. @param rounds  of searches.
double deepest(Draw& draw, const RandomShape& a, const RandomShape& b, const Pose& b_a, int rounds) {
  const auto depth = [&](const Vector3& x) { return -b.shape->at(b_a.act(x)).value; };
  std::array<std::pair<double, Vector3>, 3> best;
  best.fill({-std::numeric_limits<double>::infinity(), {}});
  for (const Vector3& x : a.samples) {
    const double d = depth(x);
    if (d <= best.back().first) continue;
    best.back() = {d, x};
    std::sort(best.begin(), best.end(), [](const auto& p, const auto& q) { return p.first > q.first; });
  }
  if (a.samples.empty()) return best[0].first;
  for (auto& [most, at] : best) {
    double reach = 0.3 * a.size;
    for (int k = 0; k < rounds; ++k) {
      const Vector3 x = on_surface(*a.shape, at + reach * draw.vector());
      const double d = depth(x);
      if (d > most) {
        most = d, at = x;
      } else {
        reach *= 0.87;
      }
    }
  }
  return std::max({best[0].first, best[1].first, best[2].first});
}

Link link_of(const char* name, const RandomShape& shape) {
  Link link;
  link.name = name, link.parent.link = "base", link.joint = make_free_joint<double>();
  RigidParameters p;
  p.mass = 1.0, p.inertia = SymmetricMatrix3::diagonal(1.0, 1.0, 1.0);
  link.body = std::make_shared<RigidBody>(p);
  link.contact.shapes.push_back({shape.shape, {}});
  return link;
}

struct Seen {
  double depth = -std::numeric_limits<double>::infinity();
  bool pushes = false;
};

/// What the contact of a robot of both sees.
class Pair {
 public:
  Pair(const RandomShape& a, const RandomShape& b) {
    Robot robot;
    robot.links.push_back(link_of("a", a));
    Contact contact;
    contact.name = "meet", contact.a = {"a"}, contact.b = {"b"}, contact.modulus = 1e6;
    if (b.kind == plane || b.kind == height_field) {
      robot.obstacles.push_back({"b", b.shape, {}, {}, false});
    } else {
      robot.links.push_back(link_of("b", b));
    }
    robot.contacts.push_back(contact);
    model_ = std::make_unique<Model>(robot);
  }
  /// @param b  at the origin, if it is an obstacle.
  Seen see(const Pose& a, const Pose& b, Draw& draw, const std::string& text) const {
    const SiteLaw& law = *model_->site_laws()[0];
    std::vector<FrameMotionT<double>> all(law.frames().size());
    for (std::size_t k = 0; k < all.size(); ++k) {
      const Frame& frame = law.frames()[k];
      const int link = model_->topology().nodes[static_cast<std::size_t>(frame.node)].link;
      all[k].pose = (link == 0 ? a : b) * frame.node_frame;
      all[k].velocity = {0.1 * draw.vector(), 0.1 * draw.vector()};
    }
    Seen seen;
    for (std::size_t i = 0; i < law.sites().size(); ++i) {
      const SiteLaw::Site& site = law.sites()[i];
      FrameMotionT<double> motion[k_most_site_frames];
      for (int k = 0; k < site.frame_count; ++k) {
        motion[k] = all[static_cast<std::size_t>(site.frame[static_cast<std::size_t>(k)])];
      }
      const int index = static_cast<int>(i);
      const double none[4] = {};
      seen.depth = std::max(seen.depth, -law.gap(index, 0.0, motion));
      SiteActionT<double> action;
      law.evaluate(index, 0.0, motion, none, action);
      Vector3 force, torque;  // on both
      double size = 0.0;
      for (int k = 0; k < site.frame_count; ++k) {
        const WrenchT<double>& w = action.wrench[static_cast<std::size_t>(k)];
        const Vector3 f = motion[k].pose.rotation * w.force;
        force += f, torque += motion[k].pose.rotation * w.torque + cross(motion[k].pose.position, f);
        size = std::max({size, norm(w.force), norm(w.torque)});
      }
      EXPECT_TRUE(std::isfinite(size)) << text;
      EXPECT_GE(action.stored_energy, 0.0) << text;
      if (!(size > 0.0)) continue;
      seen.pushes = true;
      EXPECT_TRUE(law.may_act(index, 0.0, motion, none)) << text;
      if (site.frame_count < 2) continue;
      EXPECT_LT(norm(force), 1e-9 * size) << text;
      EXPECT_LT(norm(torque), 1e-9 * size) << text;
    }
    return seen;
  }

 private:
  std::unique_ptr<Model> model_;
};

/// How deep, of the thinner half, two shapes may be in each other before a site of theirs must push. Roundings are a
/// hundredth. Sides of cylinders and cones are spheres and rings. Meshes touch by their corners; where none is near, an
/// edge of a coarse one may lie across another edge, or between these rings.
double allowed(Kind a, Kind b) {
  const auto has = [&](Kind kind) { return a == kind || b == kind; };
  const auto is_mesh = [](Kind kind) { return kind == mesh || kind == smooth_mesh; };
  const bool is_round = has(cylinder) || has(cone);
  if ((is_mesh(a) && is_mesh(b)) || (has(mesh) && is_round)) return 0.5;
  return is_round || has(smooth_mesh) ? 0.06 : 0.03;
}

// CUTTLE_RANDOM_PAIRS=N looks at N pairs, some 2.5 ms each; CUTTLE_RANDOM_ROUND=K begins with round K, so that many may
// be looked at in parts.
TEST(ShapePairs, AreSeenWhereTheyTouch) {
  const char *wish = std::getenv("CUTTLE_RANDOM_PAIRS"), *first = std::getenv("CUTTLE_RANDOM_ROUND");
  const long wanted = wish != nullptr ? std::atol(wish) : 5000;
  struct Worst {
    long touching = 0, apart = 0;
    double missed = 0.0, early = 0.0;
    std::string missed_at, early_at;
  };
  std::map<std::pair<Kind, Kind>, Worst> worst;
  long done = 0;
  unsigned round = first != nullptr ? static_cast<unsigned>(std::atol(first)) : 1;
  for (; done < wanted; ++round) {
    Draw draw(round);
    for (int i = 0; i < plane; ++i) {
      for (int k = 0; k < k_kinds; ++k) {
        const RandomShape a = random_shape(draw, static_cast<Kind>(i)), b = random_shape(draw, static_cast<Kind>(k));
        const bool is_ground = k >= plane;
        const Pair pair(a, b);
        const double thin = std::min(a.thin, b.thin);
        const int turns = wish != nullptr ? 30 : 8;
        for (int turn = 0; turn < turns; ++turn, ++done) {
          // from afar, until they are a little apart or in each other
          const Pose world_b{is_ground ? Matrix3::identity() : draw.rotation(), {}};
          const Vector3 way = is_ground ? Vector3{0.0, 0.0, 1.0} : draw.direction();
          Pose world_a{draw.rotation(), (a.size + b.size + 0.1) * way};
          if (is_ground) world_a.position += Vector3{draw.even(-0.3, 0.3), draw.even(-0.3, 0.3), 0.0};
          if (!is_ground) world_a.position += 0.3 * std::min(a.size, b.size) * draw.vector();
          const double target = thin * draw.even(-0.1, 0.25);
          double depth = 0.0;
          for (int step = 0; step < 8; ++step) {
            const Pose b_a = world_b.inverse() * world_a;
            const int rounds = step < 6 ? 0 : 80;
            depth = std::max(deepest(draw, a, b, b_a, rounds), deepest(draw, b, a, b_a.inverse(), rounds));
            if (step < 7) world_a.position += (depth - target) * way;
          }
          const std::string text = std::string(k_names[i]) + " and " + k_names[k] + ", round " + std::to_string(round) +
                                   ", turn " + std::to_string(turn);
          const Seen seen = pair.see(world_a, world_b, draw, text);
          if (seen.pushes && depth < 0.0) {  // samples that ended on an edge beside the corner that touches
            const Pose b_a = world_b.inverse() * world_a;
            RandomShape many_a = a, many_b = b;
            if (depth < -1e-3 * thin && a.samples.size() > 0) sample(draw, 20000, many_a);
            if (depth < -1e-3 * thin && b.samples.size() > 0) sample(draw, 20000, many_b);
            depth = std::max(
                {depth, deepest(draw, many_a, many_b, b_a, 2000), deepest(draw, many_b, many_a, b_a.inverse(), 2000)});
          }
          Worst& w = worst[{a.kind, b.kind}];
          (depth > 0.0 ? w.touching : w.apart) += 1;
          if (!seen.pushes && depth / thin > w.missed) w.missed = depth / thin, w.missed_at = text;
          if (seen.pushes && -depth / thin > w.early) w.early = -depth / thin, w.early_at = text;
        }
      }
    }
  }
  if (wish != nullptr) std::printf("%ld pairs, up to round %u\n", done, round - 1);
  for (const auto& [kinds, w] : worst) {
    const auto& [a, b] = kinds;
    const std::string text = std::string(k_names[a]) + " and " + k_names[b] + ": " + std::to_string(w.touching) +
                             " touch, " + std::to_string(w.apart) + " apart, missed " + std::to_string(w.missed) +
                             ", early " + std::to_string(w.early);
    if (wish != nullptr) std::printf("%s\n", text.c_str());
    EXPECT_LT(w.missed, allowed(a, b)) << text << "; " << w.missed_at;
    // parts of a smooth mesh are the corners of the mesh that it rounds off
    EXPECT_LT(w.early, a == smooth_mesh || b == smooth_mesh ? 0.15 : 2e-3) << text << "; " << w.early_at;
    EXPECT_GT(w.touching, 0) << text;
    EXPECT_GT(w.apart, 0) << text;
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
