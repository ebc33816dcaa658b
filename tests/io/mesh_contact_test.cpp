// Meshes as obstacles and as links, against the box that they are.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "cuttle/geometry/mesh.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/simulation/simulator.h"
#include "io_support.h"

namespace cuttle::CUTTLE_FILE {
namespace {

const char* const k_box = R"(v -1 -1 -0.1
v 1 -1 -0.1
v -1 1 -0.1
v 1 1 -0.1
v -1 -1 0.1
v 1 -1 0.1
v -1 1 0.1
v 1 1 0.1
f 1 3 4 2
f 5 6 8 7
f 1 2 6 5
f 3 7 8 4
f 1 5 7 3
f 2 4 8 6
)";

/// A link with a shape that falls on an obstacle and slides.
std::string robot_text(const std::string& link_shape, const std::string& obstacle, const std::string& more = "") {
  return R"(cuttle: 1
name: faller
base: {motion: floating, pose: {position: [0.1, 0.05, 0.15], rpy: [0.1, 0.2, 0]}}
links:
  - {name: thing, body: {type: rigid, mass: 0.2, inertia: [1.0e-4, 1.2e-4, 0.9e-4, 0, 0, 0]}, contact: {)" +
         link_shape + R"(}}
obstacles:
  - {name: plate, )" +
         obstacle + R"(}
contacts:
  - {name: touch, a: thing, b: plate, friction: 0.4, modulus: 1.0e+5)" +
         more + "}\n";
}

std::vector<Sample> fall(const Robot& robot, double step = 1e-3) {
  const Scenario scenario{.duration = 0.4,
                          .output_step = 0.02,
                          .integrator = {.type = "generalized_alpha", .step = step, .rho_inf = 0.6},
                          .initial = {{"base", {{}, {0, 0, 0, 0.3, 0, 0}}}}};
  const Model model(robot);
  MemoryRecorder memory;
  EXPECT_EQ(Simulator(model, scenario).run({&memory}).status, RunStatus::complete);
  return memory.samples();
}

double largest_distance(const std::vector<Sample>& a, const std::vector<Sample>& b) {
  double most = 0;
  EXPECT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) most = std::max(most, (a[i].q - b[i].q).norm());
  return most;
}

class MeshContact : public ::testing::Test {
 protected:
  MeshContact() { directory_.write("plate.obj", k_box); }
  Robot load(const std::string& text) { return load_robot_file(directory_.write("robot.yaml", text)).robot; }
  TemporaryDirectory directory_;
};

TEST_F(MeshContact, ABallOnAMeshOfABoxIsABallOnTheBox) {
  const auto on_box = fall(load(robot_text("shape: sphere, radius: 0.03", "shape: box, size: [2, 2, 0.2]")));
  const auto on_mesh = fall(load(robot_text("shape: sphere, radius: 0.03", "shape: mesh, file: plate.obj")));
  const auto on_smooth =
      fall(load(robot_text("shape: sphere, radius: 0.03", "shape: smooth_mesh, file: plate.obj, cell: 0.04")));
  EXPECT_LT(largest_distance(on_box, on_mesh), 1e-9);
  EXPECT_LT(largest_distance(on_box, on_smooth), 1e-9);
  EXPECT_GT((on_box.back().q - on_box.front().q).norm(), 0.05);  // it fell and rolled
}

TEST_F(MeshContact, AMeshThatFallsOnAPlaneIsTheBox) {
  const std::string ground = "shape: plane, pose: {position: [0, 0, 0.03]}", rounding = ", rounding: 1.0e-3";
  const auto box = fall(load(robot_text("shape: box, size: [0.08, 0.12, 0.08]", ground, rounding)), 2e-4);
  const auto mesh =
      fall(load(robot_text("shape: mesh, file: plate.obj, scale: [0.04, 0.06, 0.4]", ground, rounding)), 2e-4);
  EXPECT_LT(largest_distance(box, mesh), 1e-9);
}

TEST_F(MeshContact, OpenOnesAreTouchedFromOneSideAndWrittenAsTheyAre) {
  directory_.write("sheet.obj", "v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nf 1 2 3 4\n");
  const std::string ball = "shape: sphere, radius: 0.03";
  const auto on_plane = fall(load(robot_text(ball, "shape: plane")));
  EXPECT_LT(largest_distance(on_plane, fall(load(robot_text(ball, "shape: mesh, file: sheet.obj, sides: one")))), 1e-9);
  // seen from below, inside out
  directory_.write("below.obj", "v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nf 4 3 2 1\n");
  const RobotFile file = load_robot_file(
      directory_.write("robot.yaml", robot_text(ball, "shape: mesh, file: below.obj, sides: one, inside: true")));
  EXPECT_LT(largest_distance(on_plane, fall(file.robot)), 1e-9);
}

TEST_F(MeshContact, MistakesNameTheirKey) {
  directory_.write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n");
  const auto message = [&](const std::string& shape) {
    try {
      load(robot_text("shape: sphere, radius: 0.03", shape));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message("shape: mesh, file: open.obj")
                .find("found a mesh with 3 open edges, expected a closed one, or `sides: one`"),
            std::string::npos)
      << message("shape: mesh, file: open.obj");
  EXPECT_NE(message("shape: mesh, file: none.obj").find("none.obj"), std::string::npos);
  EXPECT_NE(message("shape: smooth_mesh, file: plate.obj, cell: 1.0e-3").find("larger cells"), std::string::npos);
  EXPECT_NE(message("shape: mesh, file: plate.obj, scale: [1, 2]").find("found a list of 2"), std::string::npos);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
