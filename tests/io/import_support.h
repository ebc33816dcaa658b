#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "cuttle/algorithms/elements.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/io/robot_import.h"
#include "cuttle/io/robot_writer.h"
#include "io/io_support.h"
#include "support/random.h"

namespace cuttle {

/// Robots of texts.
class RobotImport : public testing::Test {
 protected:
  ImportedRobot import(const std::string& name, const std::string& text, const ImportOptions& options = {}) {
    return import_robot(directory_.write(name, text), options);
  }
  /// What the reader says, without the folder.
  std::string said(const std::string& name, const std::string& text) {
    std::string text_said = message<FileError>([&] { import(name, text); });
    const std::string prefix = directory_.path("");
    for (std::size_t at = 0; (at = text_said.find(prefix, at)) != std::string::npos;)
      text_said.erase(at, prefix.size());
    return text_said;
  }
  TemporaryDirectory directory_;
};

inline std::vector<std::string> whats(const ImportedRobot& robot) {
  std::vector<std::string> all;
  for (const ImportNote& note : robot.notes) all.push_back(note.what);
  return all;
}

inline const LinkInfoT<double>& link_of(const Model& model, const std::string& name) {
  for (const LinkInfoT<double>& link : model.links()) {
    if (link.name == name) return link;
  }
  throw Error("no link " + name);
}

/// Generalized force of the elements.
inline VectorXd element_force(const Model& model, Data& data, const VectorXd& q, const VectorXd& v) {
  ElementData elements(model);
  element_motion<double>(model, data, q, v, elements);
  element_efforts<double>(model, 0.0, VectorXd::Zero(model.nu()), elements);
  return elements.matrix * elements.efforts;
}

/// Inverse dynamics, mass matrix and the frames of `links` at random states.
inline void expect_same_robot(const Robot& robot, const Robot& expected, const std::vector<std::string>& links) {
  const Model a(robot), b(expected);
  Data data_a(a), data_b(b);
  ASSERT_EQ(a.nq(), b.nq());
  ASSERT_EQ(a.nv(), b.nv());
  const std::uint64_t seed = 7;
  test::Random random(seed);
  for (int repeat = 0; repeat < 5; ++repeat) {
    VectorXd dq(a.nv()), v(a.nv()), acceleration(a.nv());
    for (int i = 0; i < a.nv(); ++i) {
      dq[i] = random.uniform(-1.5, 1.5), v[i] = random.uniform(-1.0, 1.0), acceleration[i] = random.uniform(-1.0, 1.0);
    }
    VectorXd q = a.neutral();
    integrate<double>(a, a.neutral(), dq, q);
    const VectorXd tau = inverse_dynamics(a, data_a, q, v, acceleration);
    const VectorXd other_tau = inverse_dynamics(b, data_b, q, v, acceleration);
    EXPECT_LT((tau - other_tau).norm(), 1e-12 * (1.0 + other_tau.norm())) << tau.transpose() << "\n"
                                                                          << other_tau.transpose();
    const MatrixXd M = mass_matrix(a, data_a, q), other_M = mass_matrix(b, data_b, q);
    EXPECT_LT((M - other_M).norm(), 1e-12 * (1.0 + other_M.norm()));
    const auto& kinematics = forward_kinematics(a, data_a, q);
    const auto& other_kinematics = forward_kinematics(b, data_b, q);
    for (const std::string& link : links) {
      const Pose pose = kinematics.pose(link_of(a, link).tip), other = other_kinematics.pose(link_of(b, link).tip);
      EXPECT_LT(norm(pose.position - other.position), 1e-13) << link;
      for (int i = 0; i < 3; ++i) EXPECT_LT(norm(pose.rotation.row(i) - other.rotation.row(i)), 1e-13) << link;
    }
  }
}

// inertias with axes of their own, a planar joint across an odd axis, a slide, a branch
inline const char* const k_urdf = R"(<?xml version="1.0"?>
<robot name="odd.arm">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/> <child link="upper"/>
    <origin xyz="0.1 0.2 0.3" rpy="0.3 -0.2 0.5"/>
    <axis xyz="0.6 0.8 0"/>
    <limit lower="-1" upper="1.5" effort="20" velocity="3"/>
    <dynamics damping="0.2" friction="0.1"/>
  </joint>
  <link name="upper">
    <inertial>
      <origin xyz="0.01 0.02 0.15" rpy="0.4 0.1 -0.7"/>
      <mass value="1.5"/>
      <inertia ixx="0.02" ixy="0.001" ixz="-0.002" iyy="0.03" iyz="0.0005" izz="0.015"/>
    </inertial>
    <visual> <origin xyz="0 0 0.1"/> <geometry><cylinder radius="0.02" length="0.3"/></geometry> <material name="grey"/> </visual>
    <collision> <geometry><sphere radius="0.1"/></geometry> </collision>
  </link>
  <joint name="slide" type="prismatic">
    <parent link="upper"/> <child link="hand"/>
    <origin xyz="0 0 0.3" rpy="0 0.7 0"/>
    <axis xyz="0 0 2"/>
    <limit lower="-0.1" upper="0.1" effort="50" velocity="1"/>
  </joint>
  <link name="hand">
    <inertial> <mass value="0.4"/> <inertia ixx="1e-3" ixy="0" ixz="0" iyy="2e-3" iyz="0" izz="1.5e-3"/> </inertial>
  </link>
  <joint name="table" type="planar">
    <parent link="upper"/> <child link="puck"/>
    <origin xyz="0.05 0 0.2" rpy="0 0 1"/>
    <axis xyz="1 2 2"/>
  </joint>
  <link name="puck">
    <inertial> <origin xyz="0.02 0 0"/> <mass value="0.3"/> <inertia ixx="1e-3" ixy="1e-4" ixz="0" iyy="2e-3" iyz="0" izz="1.2e-3"/> </inertial>
  </link>
  <joint name="finger" type="continuous">
    <parent link="hand"/> <child link="finger.tip"/>
    <axis xyz="0 1 0"/>
    <mimic joint="shoulder" multiplier="-0.5" offset="0.2"/>
  </joint>
  <link name="finger.tip">
    <inertial> <origin xyz="0 0 0.05"/> <mass value="0.1"/> <inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-5"/> </inertial>
  </link>
  <transmission name="gear"><joint name="shoulder"/><actuator name="m"><mechanicalReduction>50</mechanicalReduction></actuator></transmission>
</robot>
)";

}  // namespace cuttle
