#include "io/robot_outline.h"

#include <algorithm>
#include <cmath>

#include "cuttle/algorithms/kinematics.h"
#include "cuttle/bodies/continuum_joint.h"
#include "cuttle/bodies/rigid_body.h"
#include "cuttle/bodies/rod_body.h"

namespace cuttle {
namespace {

constexpr int k_rod_pieces = 32;
constexpr double k_rigid_radius = 0.014, k_thin_radius = 0.006;  // of the reach, for what has no size of its own

std::string marker_name(const std::string& link, const std::string& what) { return "drawing:" + link + "@" + what; }

/// Radius of the circle with the area of the section at t = s/L; 0 if the rod does not say.
double section_radius(const RodParameters& rod, double t) {
  const Section& section = rod.section;
  const bool given =
      !section.radius.empty() || !section.radius_x.empty() || !section.width.empty() || !section.area.empty();
  if (!given) return 0.0;
  const double area =
      section.shape == Section::Shape::annulus ? M_PI * std::pow(section.radius.at(t), 2) : section.at(t).area;
  return std::sqrt(std::max(area, 0.0) / M_PI);
}

/// The rod of the same coordinates and shape, with places along it; a drawing needs no mass.
std::shared_ptr<const RodBody> as_rod(const ContinuumJointParameters& joint) {
  RodParameters rod;
  rod.length = joint.length;
  rod.section.radius = Profile(joint.radius);
  rod.material.density = 1.0, rod.material.young_modulus = 1.0;
  rod.sections = 1;
  rod.strain[0].emplace(), rod.strain[1].emplace();
  return std::make_shared<const RodBody>(rod);
}

}  // namespace

RobotOutline::RobotOutline(const Robot& robot) {
  Robot drawn = robot;
  drawn.actuators.clear();
  drawn.loads.clear();
  for (std::size_t i = 0; i < drawn.links.size(); ++i) {
    Link& link = drawn.links[i];
    if (const auto* joint = dynamic_cast<const ContinuumJoint*>(link.body.get()))
      link.body = as_rod(joint->parameters());
    Place parent = link.parent;
    if (parent.link.empty()) parent.link = i > 0 ? drawn.links[i - 1].name : "base";
    drawn.markers.push_back({marker_name(link.name, "attach"), parent});
    parent.pose = Pose();
    drawn.markers.push_back({marker_name(link.name, "parent"), parent});
    const auto* rod = dynamic_cast<const RodBody*>(link.body.get());
    for (int k = 1; rod != nullptr && k < k_rod_pieces; ++k) {
      drawn.markers.push_back(
          {marker_name(link.name, std::to_string(k)),
           {link.name, PortLocation::section(rod->parameters().length * k / k_rod_pieces), Pose()}});
    }
  }
  model_ = std::make_unique<Model>(drawn);
  data_ = std::make_unique<Data>(*model_);

  const auto& kinematics = forward_kinematics<double>(*model_, *data_, model_->neutral());
  robot_base_ = kinematics.pose(model_->base_frame());
  for (const Link& link : model_->robot().links) {
    LinkLine line;
    line.joint = link.joint && link.joint->nv() > 0;
    line.attach = model_->marker_frame(marker_name(link.name, "attach"));
    line.parent = model_->marker_frame(marker_name(link.name, "parent"));
    line.frames.push_back(model_->base_frame(link.name));
    if (const auto* rod = dynamic_cast<const RodBody*>(link.body.get())) {
      line.rod = true;
      for (int k = 1; k < k_rod_pieces; ++k) {
        line.frames.push_back(model_->marker_frame(marker_name(link.name, std::to_string(k))));
      }
      for (int k = 0; k <= k_rod_pieces; ++k) {
        line.radii.push_back(section_radius(rod->parameters(), static_cast<double>(k) / k_rod_pieces));
      }
    }
    if (const auto* rigid = dynamic_cast<const RigidBody*>(link.body.get())) {
      line.com = rigid->parameters().com;
      line.has_mass = rigid->parameters().mass > 0.0;
    }
    line.frames.push_back(model_->tip_frame(link.name));
    line.radii.resize(line.frames.size(), 0.0);
    const auto position = [&](const Frame& frame) { return kinematics.pose(frame).position; };
    reach_ += norm(position(line.attach) - position(line.parent));
    for (std::size_t k = 1; k < line.frames.size(); ++k) {
      reach_ += norm(position(line.frames[k]) - position(line.frames[k - 1]));
    }
    lines_.push_back(std::move(line));
  }
  for (LinkLine& line : lines_) {
    for (double& radius : line.radii) {
      if (!(radius > 0.0)) radius = (line.rod ? k_thin_radius : k_rigid_radius) * reach_;
    }
  }
}

RobotOutline::Shape RobotOutline::at(const VectorXd& q) {
  const auto& kinematics = forward_kinematics<double>(*model_, *data_, q);
  const auto position = [&](const Frame& frame) { return kinematics.pose(frame).position; };
  Shape shape;
  const double least = 1e-6 * reach_;
  for (const LinkLine& line : lines_) {
    // what carries the joint, and how far the joint slid
    const Vector3 from = position(line.parent), attach = position(line.attach), base = position(line.frames.front());
    const double thin = k_rigid_radius * reach_;
    for (const auto& [a, b] : {std::pair(from, attach), std::pair(attach, base)}) {
      if (norm(b - a) > least) shape.strokes.push_back({Stroke::Kind::connection, {a, b}, {thin, thin}});
    }
    Stroke stroke{line.rod ? Stroke::Kind::rod : Stroke::Kind::rigid, {}, line.radii};
    double length = 0.0;
    for (const Frame& frame : line.frames) {
      stroke.points.push_back(position(frame));
      if (stroke.points.size() > 1) length += norm(stroke.points.back() - stroke.points[stroke.points.size() - 2]);
    }
    if (length > least) {
      shape.strokes.push_back(std::move(stroke));
    } else if (line.has_mass) {
      shape.masses.push_back(kinematics.pose(line.frames.front()).act(line.com));
    }
    if (line.joint) shape.joints.push_back(base);
    shape.tip = position(line.frames.back());
  }
  return shape;
}

}  // namespace cuttle
