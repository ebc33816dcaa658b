// What one site of a contact costs: a ball on a plane or a ball, and a piece of a rod on a plane that it touches all
// along or in a part. `step` solves for its bristle besides, which holds in a short step and slides in a long one.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

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

}  // namespace
}  // namespace cuttle::bench
