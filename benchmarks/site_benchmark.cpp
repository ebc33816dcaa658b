// What one site of a contact costs: a ball on a plane or a ball, and a piece of a rod on a plane that it touches all
// along or in a part. `step` solves for its bristle besides, which holds in a short step and slides in a long one. And
// what a mesh of triangles costs that is asked for its distance.
#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include "cuttle/geometry/mesh.h"
#include "cuttle/geometry/shapes.h"
#include "cuttle/spatial/exponential.h"
#include "model/contact/contact_law.h"

namespace cuttle::bench {
namespace {

enum Scene { ball_on_plane, ball_on_ball, piece_on_plane, part_of_piece_on_plane };

struct TouchingSite {
  explicit TouchingSite(Scene scene) : bristle{2e-6, 1e-6, 0.0} {
    using Site = ContactSiteT<double>;
    const bool is_piece = scene == piece_on_plane || scene == part_of_piece_on_plane;
    Contact contact;
    contact.name = "contact", contact.dissipation = 0.7;
    Obstacle obstacle;
    obstacle.name = "wall";
    obstacle.shape = std::make_shared<Plane>();
    if (scene == ball_on_ball) obstacle.shape = std::make_shared<Sphere>(0.3);
    Site site;
    site.kind = is_piece ? Site::Kind::line : Site::Kind::point;
    site.obstacle = 0, site.surface = obstacle.shape;
    site.begin_radius = site.end_radius = 0.005, site.stiffness = 1e6, site.range = is_piece ? 5e-6 : 1e-9;
    site.thickness = 0.005, site.reach = 0.03;
    if (is_piece) site.curve_frames = 2, site.frames[1] = 1;
    ContactPlanT<double> plan;
    plan.sites = {site}, plan.pair_of_site = {0}, plan.pairs = {{{"link", "wall"}}};
    law = std::make_unique<ContactLawT<double>>(contact, std::vector<Frame>(2), plan, std::vector<Obstacle>{obstacle});
    const double height = scene == ball_on_ball ? 0.3 : 0.0;
    motion[0].velocity = {{0.1, 0.2, 0.1}, {0.01, 0.02, -0.001}};
    motion[0].pose.position = {0.0, 0.0, height + 0.00495};
    if (!is_piece) return;
    const double bend = scene == piece_on_plane ? 0.01 : 0.1;
    motion[0].pose = exponential(Twist{{0.0, 1.5707, 0.0}, {}});
    motion[0].pose.position = {0.0, 0.0, scene == piece_on_plane ? 0.00495 : 0.00502};
    motion[1].pose = motion[0].pose * exponential(Twist{{0.0, bend, 0.0}, {0.0, 0.0, 0.02}});
    if (scene == piece_on_plane) motion[1].pose.position.z = 0.00494;
    motion[1].velocity = {{0.1, 0.1, 0.1}, {0.01, 0.01, -0.002}};
  }

  std::unique_ptr<ContactLawT<double>> law;
  FrameMotionT<double> motion[k_most_site_frames];
  double bristle[4];
};

void evaluate(benchmark::State& state, Scene scene) {
  const TouchingSite site(scene);
  SiteActionT<double> action;
  for (auto _ : state) {
    site.law->evaluate(0, 0.0, site.motion, site.bristle, action);
    benchmark::DoNotOptimize(action);
  }
}
void step(benchmark::State& state, Scene scene, double length) {
  const TouchingSite site(scene);
  SiteActionT<double> action;
  double found[4] = {};
  for (auto _ : state) {
    site.law->solve(0, 0.0, site.motion, site.bristle, length, found, action);
    benchmark::DoNotOptimize(action);
  }
}
void slopes(benchmark::State& state, Scene scene) {
  const TouchingSite site(scene);
  SiteSlopesT<double> found;
  for (auto _ : state) {
    site.law->slopes(0, 0.0, site.motion, site.bristle, found);
    benchmark::DoNotOptimize(found);
  }
}

#define CUTTLE_SITE(scene)                              \
  BENCHMARK_CAPTURE(evaluate, scene, scene);            \
  BENCHMARK_CAPTURE(step, scene##_holds, scene, 1e-5);  \
  BENCHMARK_CAPTURE(step, scene##_slides, scene, 1e-2); \
  BENCHMARK_CAPTURE(slopes, scene, scene);
CUTTLE_SITE(ball_on_plane)
CUTTLE_SITE(ball_on_ball)
CUTTLE_SITE(piece_on_plane)
CUTTLE_SITE(part_of_piece_on_plane)
#undef CUTTLE_SITE

/// A round thing with waves, of 4 rings^2 triangles.
Mesh waved_sphere(int rings) {
  const int around = 2 * rings;
  std::vector<Vector3> points;
  std::vector<std::array<int, 3>> triangles;
  for (int i = 0; i <= rings; ++i) {
    const double polar = std::numbers::pi * i / rings, out = std::sin(polar);
    for (int j = 0; j < (i % rings == 0 ? 1 : around); ++j) {
      const double angle = 2.0 * std::numbers::pi * j / around,
                   r = 1.0 + 0.1 * std::sin(5.0 * polar) * std::cos(3.0 * angle);
      points.push_back(r * Vector3{out * std::cos(angle), out * std::sin(angle), std::cos(polar)});
    }
  }
  const auto place = [&](int i, int j) {
    if (i % rings == 0) return i == 0 ? 0 : static_cast<int>(points.size()) - 1;
    return 1 + (i - 1) * around + j % around;
  };
  for (int i = 0; i < rings; ++i) {
    for (int j = 0; j < around; ++j) {
      if (i > 0) triangles.push_back({place(i, j), place(i + 1, j), place(i, j + 1)});
      if (i + 1 < rings) triangles.push_back({place(i, j + 1), place(i + 1, j), place(i + 1, j + 1)});
    }
  }
  return {std::move(points), std::move(triangles)};
}

/// Distances to a mesh of points a hundredth beside it: anywhere, or along a way, as a body that slides over it asks.
void mesh_distance(benchmark::State& state, bool along_a_way) {
  const Mesh mesh = waved_sphere(static_cast<int>(state.range(0)));
  constexpr std::size_t k_points = 10000;
  std::mt19937 engine(1);
  std::normal_distribution<double> normal;
  std::vector<Vector3> points;
  for (std::size_t i = 0; i < k_points; ++i) {
    if (along_a_way && i > 0) {
      points.push_back(points.back() + Vector3{1e-5, 0.0, 0.0});
      continue;
    }
    const auto& corners = mesh.triangles()[engine() % mesh.triangles().size()];
    Vector3 middle;
    for (const int corner : corners) middle += (1.0 / 3.0) * mesh.points()[static_cast<std::size_t>(corner)];
    points.push_back(middle + 0.01 * Vector3{normal(engine), normal(engine), normal(engine)});
  }
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(mesh.distance<double>(points[i]));
    i = i + 1 < k_points ? i + 1 : 0;
  }
  state.counters["triangles"] = static_cast<double>(mesh.triangles().size());
}
BENCHMARK_CAPTURE(mesh_distance, anywhere, false)->Arg(20)->Arg(158)->Arg(500);
BENCHMARK_CAPTURE(mesh_distance, along_a_way, true)->Arg(20)->Arg(158)->Arg(500);

}  // namespace
}  // namespace cuttle::bench
