// A soft arm of two constant-curvature rods on a motor: inverse dynamics, forward dynamics, and where its tip is.
#include <cuttle/cuttle.h>

#include <iostream>

int main() {
  cuttle::RodParameters rod;
  rod.length = 0.3;  // m
  rod.section.radius = 0.02;
  rod.material.density = 1070;
  rod.material.young_modulus = 5e5;
  rod.material.damping_time = 0.1;
  rod.strain = cuttle::strain_shorthand<double>("pcc", rod.length);
  const auto body = std::make_shared<cuttle::RodBody>(rod);

  cuttle::Robot robot;
  robot.name = "two_segment_arm";
  robot.links.push_back({.name = "segment1", .joint = cuttle::make_revolute_joint<double>({0, 0, 1}), .body = body});
  robot.links.push_back({.name = "segment2", .body = body});

  const cuttle::Model model(robot);  // checked once; share it between threads
  cuttle::Data data(model);          // all memory that the algorithms need; one a thread

  Eigen::VectorXd q(model.nq()), v(model.nv()), a(model.nv());
  q << 0.3, 0.5, -0.4, 0.01, 0.8, 0.2, -0.01;  // joint, then (kappa_x, kappa_y, sigma_z) of each rod
  v.setConstant(0.1);
  a.setZero();

  const Eigen::VectorXd tau = cuttle::inverse_dynamics(model, data, q, v, a);
  std::cout << "generalized force  " << tau.transpose() << "\n";
  std::cout << "acceleration again " << cuttle::forward_dynamics(model, data, q, v, tau).transpose() << "\n";

  const auto& kinematics = cuttle::forward_kinematics(model, data, q);
  std::cout << "tip position       " << to_eigen(kinematics.pose(model.tip_frame("segment2")).position).transpose()
            << " m\n";
}
