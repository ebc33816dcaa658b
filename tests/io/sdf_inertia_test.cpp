// Inertials of SDF that are computed from collisions, against sums over small cubes of space.
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "cuttle/bodies/rigid_body.h"
#include "cuttle/spatial/eigen.h"
#include "io/import_support.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using testing::ElementsAre;
using testing::HasSubstr;

/// Mass, first and second moments of what fills space with a density.
struct Moments {
  double mass = 0.0;
  Vector3d first = Vector3d::Zero();
  Matrix3d second = Matrix3d::Zero();

  Vector3d com() const { return first / mass; }
  /// About the center of mass.
  Matrix3d inertia() const {
    const Matrix3d central = second - mass * com() * com().transpose();
    return central.trace() * Matrix3d::Identity() - central;
  }
};

/// Sums over n^3 cubes of a box around the origin.
Moments moments_of(const std::function<double(const Vector3d&)>& density, double half, int n) {
  Moments sum;
  const double h = 2.0 * half / n;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        const Vector3d x = h * Vector3d(i + 0.5, j + 0.5, k + 0.5) - Vector3d::Constant(half);
        const double m = density(x) * h * h * h;
        if (m == 0.0) continue;
        sum.mass += m, sum.first += m * x, sum.second += m * x * x.transpose();
      }
    }
  }
  return sum;
}

class SdfAutoInertia : public RobotImport {
 protected:
  static std::string model(const std::string& inside) {
    return "<sdf version=\"1.11\"><model name=\"m\"><link name=\"a\">\n" + inside + "</link></model></sdf>";
  }
  static std::string collision(const std::string& geometry, const std::string& more = "") {
    return "<collision name=\"c\">" + more + "<geometry>" + geometry + "</geometry></collision>";
  }
  RigidParameters body_of(const std::string& inside) {
    imported_ = import("m.sdf", model(inside));
    return dynamic_cast<const RigidBody&>(*imported_.robot.links.at(0).body).parameters();
  }
  std::string said_of(const std::string& inside) { return said("m.sdf", model(inside)); }

  ImportedRobot imported_;
};

TEST_F(SdfAutoInertia, SolidsAreAsHeavyAsTheirSpace) {
  struct Case {
    std::string geometry;
    std::function<bool(const Vector3d&)> inside;
  };
  const auto across = [](const Vector3d& x) { return std::hypot(x.x(), x.y()); };
  const std::vector<Case> cases{
      {"<box><size>0.6 0.8 1.4</size></box>",
       [](const Vector3d& x) { return std::abs(x.x()) < 0.3 && std::abs(x.y()) < 0.4 && std::abs(x.z()) < 0.7; }},
      {"<sphere><radius>0.9</radius></sphere>", [](const Vector3d& x) { return x.norm() < 0.9; }},
      {"<ellipsoid><radii>0.5 0.7 0.9</radii></ellipsoid>",
       [](const Vector3d& x) { return x.cwiseQuotient(Vector3d(0.5, 0.7, 0.9)).norm() < 1.0; }},
      {"<cylinder><radius>0.5</radius><length>1.6</length></cylinder>",
       [&](const Vector3d& x) { return across(x) < 0.5 && std::abs(x.z()) < 0.8; }},
      {"<capsule><radius>0.4</radius><length>0.9</length></capsule>",
       [&](const Vector3d& x) { return std::hypot(across(x), std::max(0.0, std::abs(x.z()) - 0.45)) < 0.4; }},
      // its base is below, its tip above
      {"<cone><radius>0.8</radius><length>1.6</length></cone>",
       [&](const Vector3d& x) { return std::abs(x.z()) < 0.8 && across(x) < 0.5 * (0.8 - x.z()); }}};
  for (const Case& one : cases) {
    const RigidParameters body = body_of("<inertial auto=\"true\"/>" + collision(one.geometry));
    const Moments sum = moments_of([&](const Vector3d& x) { return one.inside(x) ? 1000.0 : 0.0; }, 1.0, 100);
    const double rough = 1e-2;  // of the steps that the cubes make of a surface
    EXPECT_NEAR(body.mass, sum.mass, rough * sum.mass) << one.geometry;
    EXPECT_LT((to_eigen(body.com) - sum.com()).norm(), rough) << one.geometry;
    EXPECT_LT((to_eigen(body.inertia.matrix()) - sum.inertia()).norm(), 2.0 * rough * sum.inertia().norm())
        << one.geometry;
  }
}

TEST_F(SdfAutoInertia, CollisionsAddUpWhereTheyAre) {
  // own density, that of the link, where the poses put them; overlaps count twice
  const RigidParameters body =
      body_of("<inertial auto=\"1\"><density>500</density></inertial>" +
              collision("<box><size>0.4 0.6 0.8</size></box>",
                        "<pose>0.2 -0.3 0.1 0.3 -0.4 0.5</pose><density>2000</density>") +
              collision("<sphere><radius>0.4</radius></sphere>", "<pose>-0.3 0.2 0.1 0 0 0</pose>"));
  const Matrix3d R = (Eigen::AngleAxisd(0.5, Vector3d::UnitZ()) * Eigen::AngleAxisd(-0.4, Vector3d::UnitY()) *
                      Eigen::AngleAxisd(0.3, Vector3d::UnitX()))
                         .toRotationMatrix();
  const Moments sum = moments_of(
      [&](const Vector3d& x) {
        const Vector3d in_box = R.transpose() * (x - Vector3d(0.2, -0.3, 0.1));
        const bool boxed = (in_box.cwiseAbs().array() < Vector3d(0.2, 0.3, 0.4).array()).all();
        return (boxed ? 2000.0 : 0.0) + ((x - Vector3d(-0.3, 0.2, 0.1)).norm() < 0.4 ? 500.0 : 0.0);
      },
      1.0, 160);
  EXPECT_NEAR(body.mass, 2000 * 0.192 + 500 * 4.0 / 3.0 * M_PI * 0.064, 1e-12 * body.mass);
  EXPECT_NEAR(body.mass, sum.mass, 3e-3 * sum.mass);
  EXPECT_LT((to_eigen(body.com) - sum.com()).norm(), 3e-3);
  EXPECT_LT((to_eigen(body.inertia.matrix()) - sum.inertia()).norm(), 6e-3 * sum.inertia().norm());
}

TEST_F(SdfAutoInertia, MassThatIsGivenIsKept) {
  const std::string box = collision("<box><size>1 2 3</size></box>", "<density>7</density>");
  const RigidParameters body = body_of(
      "<inertial auto=\"true\"><pose>1 1 1 0 0 0</pose><mass>12</mass><inertia><ixx>1</ixx></inertia></inertial>" +
      box);
  EXPECT_NEAR(body.mass, 12.0, 1e-14);
  EXPECT_NEAR(norm(body.com), 0.0, 1e-15);
  EXPECT_LT((to_eigen(body.inertia.matrix()) - Matrix3d(Vector3d(13, 10, 5).asDiagonal())).norm(), 1e-13);
  EXPECT_THAT(
      whats(imported_),
      ElementsAre("pose of an inertial with auto: left out, as it is computed",
                  "inertia of an inertial with auto: left out, as it is computed",
                  "mass of an inertial with auto: kept, and the inertia of the collisions scaled to it",
                  "collision of a link: made `contact` of its link; `contacts` of a robot file say what touches"));
  const RigidParameters written = body_of("<inertial auto=\"false\"><mass>12</mass></inertial>" + box);
  EXPECT_EQ(written.mass, 12.0);
  EXPECT_EQ(written.inertia.xx, 1.0) << "SDF's default";
}

// each point of the box once a face, as many programs write them: 2 x 3 x 4, a corner at the origin
std::string box_mesh(int triangles, bool outward = true) {
  std::string text;
  int points = 0;
  const auto face = [&](const Vector3d& from, const Vector3d& u, const Vector3d& v) {
    for (const Vector3d& p : {from, Vector3d(from + u), Vector3d(from + u + v), Vector3d(from + v)}) {
      text += "v " + std::to_string(p.x()) + " " + std::to_string(p.y()) + " " + std::to_string(p.z()) + "\n";
    }
    for (const auto& [b, c] : {std::pair{2, 3}, std::pair{3, 4}}) {
      if (triangles-- <= 0) continue;
      text += "f " + std::to_string(points + 1) + " " + std::to_string(points + (outward ? b : c)) + " " +
              std::to_string(points + (outward ? c : b)) + "\n";
    }
    points += 4;
  };
  const Vector3d x(2, 0, 0), y(0, 3, 0), z(0, 0, 4), o(0, 0, 0);
  face(o, y, x), face(z, x, y), face(o, z, y), face(x, y, z), face(o, x, z), face(y, z, x);
  return text;
}

TEST_F(SdfAutoInertia, ClosedMeshesAreSolids) {
  directory_.write("box.obj", box_mesh(12));
  const RigidParameters body =
      body_of("<inertial auto=\"true\"/>" + collision("<mesh><uri>box.obj</uri><scale>0.5 -1 1</scale></mesh>"));
  EXPECT_NEAR(body.mass, 12000.0, 1e-9);
  EXPECT_NEAR(norm(body.com - Vector3{0.5, -1.5, 2.0}), 0.0, 1e-14);
  EXPECT_LT((to_eigen(body.inertia.matrix()) - Matrix3d(Vector3d(25000, 17000, 10000).asDiagonal())).norm(), 1e-7);
  ImportOptions bare;
  bare.draws = false;
  const ImportedRobot undrawn =
      import("m.sdf", model("<inertial auto=\"true\"/>" + collision("<mesh><uri>box.obj</uri></mesh>")), bare);
  EXPECT_NEAR(dynamic_cast<const RigidBody&>(*undrawn.robot.links.at(0).body).parameters().mass, 24000.0, 1e-9);
}

TEST_F(SdfAutoInertia, WhatCannotBeComputedIsAnError) {
  directory_.write("open.obj", box_mesh(11));
  directory_.write("inward.obj", box_mesh(12, false));
  const std::string computed = "<inertial auto=\"true\"/>\n";
  const auto of = [&](const std::string& geometry) { return said_of(computed + collision(geometry)); };
  const std::string expected =
      ", expected collisions of box, capsule, cone, cylinder, ellipsoid or sphere, or meshes with a closed surface; or "
      "an <inertial> without auto";
  const std::string place = "link[a].inertial auto=\"true\": ";
  EXPECT_EQ(said_of(computed), "m.sdf:2:2: " + place + "inertial: found no collision" + expected);
  EXPECT_EQ(of("<plane><size>1 1</size></plane>"),
            "m.sdf:3:32: " + place + "plane: found 'plane', which encloses no volume that is computed here" + expected);
  const auto mesh = [&](const std::string& name) { return of("<mesh><uri>" + name + "</uri></mesh>"); };
  EXPECT_THAT(mesh("open.obj"), HasSubstr("mesh: found 'open.obj', whose surface has a hole or a seam" + expected));
  EXPECT_THAT(mesh("inward.obj"), HasSubstr("mesh: found 'inward.obj', whose faces do not look outward"));
  EXPECT_THAT(mesh("none.obj"), HasSubstr("mesh: found 'none.obj', which is not there"));
  EXPECT_THAT(of("<mesh><uri>open.obj</uri><submesh><name>x</name></submesh></mesh>"),
              HasSubstr("mesh: found a part of a mesh (submesh)"));
  EXPECT_EQ(of("<sphere/>"), "m.sdf:3:32: link[a].sphere.radius: found nothing, expected a number > 0 [m]");
  EXPECT_EQ(of("<box><size>1 0 1</size></box>"),
            "m.sdf:3:37: link[a].box.size: found '1 0 1', expected 3 numbers > 0 [m]");
  const std::string box = "<box><size>1 1 1</size></box>";
  EXPECT_EQ(said_of(computed + collision(box, "<density>-1</density>")),
            "m.sdf:3:22: link[a].collision.density: found -1, expected a number >= 0 [kg/m^3]");
  EXPECT_THAT(said_of(computed + collision(box, "<density>0</density>")), HasSubstr("inertial: found no mass"));
  EXPECT_THAT(said_of("<inertial auto=\"perhaps\"/>" + collision(box)),
              HasSubstr("link[a].inertial.auto: found 'perhaps', expected true or false"));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
