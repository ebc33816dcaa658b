// Joints whose sines are taken several at a time: any number of them, of any kind, at any angle, beside the same robot
// in long double, which takes each by itself.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "cuttle/algorithms/derivatives.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/bodies/rigid_body.h"
#include "cuttle/model/model.h"
#include "support/epsilon.h"
#include "support/random.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

/// Revolute joints, every fifth a cylinder's, every seventh a slide, every eleventh a ball; two branches.
Robot many_joints(int count) {
  Robot robot;
  Random random(static_cast<unsigned>(count));
  for (int i = 0; i < count; ++i) {
    const auto axis = [&random] { return Vector3{random.uniform(), random.uniform(), 1.0 + random.uniform()}; };
    RigidParameters p;
    p.mass = random.uniform(0.5, 1.5), p.com = {random.uniform(-0.1, 0.1), 0.05, random.uniform(-0.1, 0.1)};
    p.inertia = SymmetricMatrix3::diagonal(0.02, 0.03, 0.025), p.tip.position = {0.0, 0.1, 0.2};
    Link link{.name = "l" + std::to_string(i), .body = std::make_shared<RigidBody>(p)};
    if (i > 0) link.parent.link = "l" + std::to_string(i == count / 2 ? 0 : i - 1);
    link.joint = i % 11 == 10 ? make_spherical_joint<double>()
                 : i % 7 == 6 ? make_prismatic_joint<double>(axis())
                 : i % 5 == 4 ? make_cylindrical_joint<double>(axis())
                              : make_revolute_joint<double>(axis());
    robot.links.push_back(std::move(link));
  }
  return robot;
}

double largest_of(const VectorXd& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0; }

TEST(ManyJointsTest, AgreeWithLongDoubleWhateverTheirNumberAndAngles) {
  for (const int count : {1, 2, 3, 4, 5, 8, 9, 31, 32, 33, 34, 40, 71}) {
    for (const double largest : {1.0, 40.0, 3e6}) {  // beyond 2^19 a pack asks the standard library
      SCOPED_TRACE(std::to_string(count) + " joints, angles to " + std::to_string(largest));
      const Model model(many_joints(count));
      const ModelT<long double> wide(model.robot().cast<long double>());
      Data data(model);
      DataT<long double> wide_data(wide);
      Random random(7);
      VectorXd q = model.neutral(), v(model.nv()), a(model.nv());
      for (double& x : v) x = random.uniform();
      for (double& x : a) x = random.uniform();
      for (const Edge& edge : model.topology().edges) {
        if (edge.nq > 1) continue;
        const bool is_slide = model.configuration_info()[edge.q].unit == "m";
        q[edge.q] = random.uniform() * (is_slide ? 0.3 : largest);
      }
      const VectorXT<long double> wq = q.cast<long double>(), wv = v.cast<long double>(), wa = a.cast<long double>();
      const VectorXd expected = inverse_dynamics<long double>(wide, wide_data, wq, wv, wa).template cast<double>();
      const MatrixXd M = mass_matrix<double>(model, data, q);
      const double terms = largest_of(M.cwiseAbs() * a.cwiseAbs()) +
                           largest_of(M.cwiseAbs() * v.cwiseAbs()) * v.lpNorm<1>() +
                           largest_of(gravity_force<double>(model, data, q));
      const double tolerance = 100 * k_eps * terms;
      EXPECT_LE(largest_of(inverse_dynamics<double>(model, data, q, v, a) - expected), tolerance);
      const MatrixXd wide_M = mass_matrix<long double>(wide, wide_data, wq).template cast<double>();
      EXPECT_LE((M - wide_M).cwiseAbs().maxCoeff(), 100 * k_eps * M.cwiseAbs().maxCoeff());
      // forward dynamics, by the forces that its accelerations need
      const VectorXd found = forward_dynamics<double>(model, data, q, v, expected);
      EXPECT_LE(largest_of(inverse_dynamics<double>(model, data, q, v, found) - expected), 20 * tolerance);
      const MatrixXd J = frame_jacobian<double>(model, data, q, model.links().back().tip);
      const MatrixXd wide_J =
          frame_jacobian<long double>(wide, wide_data, wq, wide.links().back().tip).template cast<double>();
      EXPECT_LE((J - wide_J).cwiseAbs().maxCoeff(), 100 * k_eps * (1.0 + J.cwiseAbs().maxCoeff()));
      // what an angle gives is the same in every sweep: the derivatives' force is not another one
      DerivativeData derivatives(model);
      inverse_dynamics_derivatives(model, data, derivatives, q, v, a);
      EXPECT_LE((derivatives.by_a - M).cwiseAbs().maxCoeff(), 100 * k_eps * M.cwiseAbs().maxCoeff());
    }
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
