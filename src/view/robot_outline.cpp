#include "view/robot_outline.h"

#include <cmath>

namespace cuttle {
namespace {

constexpr double k_rigid_width = 0.014, k_thin_width = 0.006;  // of the reach, for what has no size of its own

}  // namespace

RobotOutline::RobotOutline(const Robot& robot) : robot_(robot) {
  base_ = robot_.pose(robot_.model().base_frame());
  for (const DrawnRobot::DrawnLink& link : robot_.links()) {
    std::vector<double> radii;
    for (const double s : link.s) {
      const Section& section = link.rod->section();
      radii.push_back(section.is_given() ? section_contour(section, s / link.s.back()).mean_radius() : 0.0);
    }
    radii.resize(std::max<std::size_t>(radii.size(), 2), 0.0);
    for (double& radius : radii) {
      if (!(radius > 0.0)) radius = (link.rod != nullptr ? k_thin_width : k_rigid_width) * reach();
    }
    radii_.push_back(std::move(radii));
  }
}

RobotOutline::Shape RobotOutline::at(const VectorXd& q) {
  robot_.move_to(q);
  const auto position = [&](const Frame& frame) { return robot_.pose(frame).position; };
  Shape shape;
  const double least = 1e-6 * reach();
  for (std::size_t i = 0; i < robot_.links().size(); ++i) {
    const DrawnRobot::DrawnLink& link = robot_.links()[i];
    // what carries the joint, and how far the joint slid
    const Vector3 from = position(link.parent), attach = position(link.attach), base = position(link.base);
    const double thin = k_rigid_width * reach();
    for (const auto& [a, b] : {std::pair(from, attach), std::pair(attach, base)}) {
      if (norm(b - a) > least) shape.strokes.push_back({Stroke::Kind::connection, {a, b}, {thin, thin}});
    }
    Stroke stroke{link.rod != nullptr ? Stroke::Kind::rod : Stroke::Kind::rigid, {}, radii_[i]};
    if (link.rod != nullptr) {
      for (const Frame& frame : link.stations) stroke.points.push_back(position(frame));
    } else {
      stroke.points = {base, position(link.tip)};
    }
    double length = 0.0;
    for (std::size_t k = 1; k < stroke.points.size(); ++k) length += norm(stroke.points[k] - stroke.points[k - 1]);
    if (!link.surface.faces.empty()) {
      shape.surfaces.push_back({&link.surface, std::vector<Vector3>(link.surface.points.size())});
      robot_.material_points(link, link.surface.points, shape.surfaces.back().points.data());
    } else if (length > least) {
      shape.strokes.push_back(std::move(stroke));
    } else if (link.has_fixed_mass()) {
      shape.masses.push_back(robot_.pose(link.base).act(link.com));
    }
    if (link.joint) shape.joints.push_back(base);
    shape.tip = position(link.tip);
  }
  for (const DrawnRobot::Tendon& tendon : robot_.tendons()) {
    shape.tendons.emplace_back();
    for (const DrawnRobot::TendonPart& part : tendon.parts) robot_.append_points(part, shape.tendons.back());
  }
  return shape;
}

}  // namespace cuttle
