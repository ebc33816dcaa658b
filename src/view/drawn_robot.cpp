#include "view/drawn_robot.h"

#include <fmt/format.h>

#include <algorithm>

#include "cuttle/algorithms/kinematics.h"
#include "model/rod_path.h"

namespace cuttle {
namespace {

std::string link_marker(const std::string& link, const std::string& what) { return "drawing:" + link + "@" + what; }
std::string tendon_marker(std::size_t line, std::size_t entry, int point) {
  return fmt::format("drawing:tendon{}@{},{}", line, entry, point);
}
std::string load_marker(std::size_t load, std::size_t point) { return fmt::format("drawing:load{}@{}", load, point); }

/// Where on the rod a point of a tendon is drawn.
Place tendon_place(const Routing& entry, double length, int point) {
  const double from = entry.from.value_or(0.0), to = entry.to.value_or(length);
  const double fraction = static_cast<double>(point) / DrawnRobot::k_tendon_pieces;
  return {entry.link,
          PortLocation::section(std::clamp(from + fraction * (to - from), 0.0, length)),
          {Matrix3::identity(), path_offset(entry, fraction)}};
}

const SlenderT<double>* slender_of(const Link& link) { return link.body ? link.body->slender() : nullptr; }

const SlenderT<double>* slender_of(const Robot& robot, const std::string& name) {
  for (const Link& link : robot.links) {
    if (link.name == name) return slender_of(link);
  }
  return nullptr;
}

/// Stations of a rod between base and tip, and of a load along it.
double station(double length, int k) { return length * k / DrawnRobot::k_rod_pieces; }
constexpr int k_load_stride = 4;  // an arrow every so many stations

/// A line that something acts along.
struct DrawnLine {
  std::vector<std::variant<Routing, Place>> through;
  std::string name;
  int input;
};
std::vector<DrawnLine> lines_of(const Robot& robot) {
  std::vector<DrawnLine> lines;
  const auto add = [&lines](const Transmission& transmission, const std::string& name, int input) {
    TransmissionPicture picture = transmission.picture();
    if (!picture.line.empty()) lines.push_back({std::move(picture.line), name, input});
  };
  int input = 0;
  for (const Actuator& actuator : robot.actuators) {
    add(*actuator.transmission, actuator.name, input);
    input += static_cast<int>(actuator.inputs().size());
  }
  for (const Element& element : robot.elements) {
    for (const auto& transmission : element.through) add(*transmission, element.name, -1);
  }
  return lines;
}

/// Of a shape with parts that touch, at most [m].
double width(const SignedDistance& shape) {
  double farthest = 0.0;
  for (const auto& part : shape.touch_parts({.rounding = 0.01 * shape.half_thickness(), .flat = true})) {
    farthest = std::max({farthest, norm(part.begin) + part.begin_radius, norm(part.end) + part.end_radius});
  }
  return 2.0 * farthest;
}

}  // namespace

DrawnRobot::DrawnRobot(const Robot& robot) {
  Robot drawn = robot;
  drawn.actuators.clear();
  drawn.elements.clear();
  drawn.loads.clear();
  drawn.loops.clear();
  drawn.obstacles.clear();
  drawn.contacts.clear();
  drawn.sensors.clear();
  drawn.source = nullptr;
  for (Link& link : drawn.links) {
    if (const auto body = link.body ? link.body->drawn_as() : nullptr) link.body = body;
  }
  add_markers(robot, drawn);
  model_ = std::make_unique<Model>(drawn);
  data_ = std::make_unique<Data>(*model_);
  move_to(model_->neutral());
  bind_links();
  bind_tendons(robot);
  bind_loads(robot);
}

void DrawnRobot::add_markers(const Robot& robot, Robot& drawn) const {
  for (std::size_t i = 0; i < drawn.links.size(); ++i) {
    const Link& link = drawn.links[i];
    Place parent = link.parent;
    if (parent.link.empty()) parent.link = i > 0 ? drawn.links[i - 1].name : "base";
    drawn.markers.push_back({link_marker(link.name, "attach"), parent});
    parent.pose = Pose();
    drawn.markers.push_back({link_marker(link.name, "parent"), parent});
    const SlenderT<double>* rod = slender_of(link);
    for (int k = 1; rod != nullptr && k < k_rod_pieces; ++k) {
      const double s = station(rod->length(), k);
      drawn.markers.push_back(
          {link_marker(link.name, std::to_string(k)), {link.name, PortLocation::section(s), Pose()}});
    }
  }
  const std::vector<DrawnLine> lines = lines_of(robot);
  for (std::size_t l = 0; l < lines.size(); ++l) {
    for (std::size_t i = 0; i < lines[l].through.size(); ++i) {
      if (const auto* place = std::get_if<Place>(&lines[l].through[i])) {
        drawn.markers.push_back({tendon_marker(l, i, 0), *place});
        continue;
      }
      const Routing& entry = std::get<Routing>(lines[l].through[i]);
      const SlenderT<double>* rod = slender_of(drawn, entry.link);
      for (int k = 0; rod != nullptr && k <= k_tendon_pieces; ++k) {
        drawn.markers.push_back({tendon_marker(l, i, k), tendon_place(entry, rod->length(), k)});
      }
    }
  }
  for (std::size_t l = 0; l < robot.loads.size(); ++l) {
    const Load& load = robot.loads[l];
    if (load.law->timed() != nullptr && !load.law->along_link()) {
      drawn.markers.push_back({load_marker(l, 0), load.place});
    }
  }
}

void DrawnRobot::bind_links() {
  for (const Link& link : model_->robot().links) {
    const LinkInfoT<double>& info = model_->links()[links_.size()];
    DrawnLink drawn;
    drawn.name = link.name;
    drawn.joint = link.joint && link.joint->nv() > 0;
    drawn.attach = model_->marker_frame(link_marker(link.name, "attach"));
    drawn.parent = model_->marker_frame(link_marker(link.name, "parent"));
    drawn.parent_link = info.parent;
    drawn.base = model_->base_frame(link.name), drawn.tip = model_->tip_frame(link.name);
    drawn.body = link.body.get();
    drawn.q = info.q + info.joint_nq;
    drawn.mass = info.rest_inertia.mass;
    if (drawn.mass > 0.0) drawn.com = (1.0 / drawn.mass) * info.rest_inertia.moment;
    drawn.rod = slender_of(link);
    if (drawn.rod != nullptr) {
      for (int k = 0; k <= k_rod_pieces; ++k) {
        drawn.s.push_back(station(drawn.rod->length(), k));
        drawn.stations.push_back(k == 0              ? drawn.base
                                 : k == k_rod_pieces ? drawn.tip
                                                     : model_->marker_frame(link_marker(link.name, std::to_string(k))));
      }
    }
    if (drawn.body != nullptr && drawn.body->has_material_points()) {
      drawn.carries_points = true;
      drawn.surface = VolumeSurface(drawn.body->surface());
    }
    const auto position = [&](const Frame& frame) { return pose(frame).position; };
    reach_ += norm(position(drawn.attach) - position(drawn.parent));
    if (drawn.rod != nullptr) {
      for (int k = 1; k <= k_rod_pieces; ++k) {
        reach_ += norm(position(drawn.stations[k]) - position(drawn.stations[k - 1]));
      }
    } else {
      reach_ += norm(position(drawn.tip) - position(drawn.base));
    }
    links_.push_back(std::move(drawn));
  }
  for (const Link& link : model_->robot().links) {
    for (const ContactShape& contact : link.contact.shapes) reach_ = std::max(reach_, width(*contact.shape));
  }
}

DrawnRobot::TendonPart DrawnRobot::part_of(const Routing& entry, std::size_t line, std::size_t number) const {
  TendonPart part;
  if (slender_of(model_->robot(), entry.link) != nullptr) {
    for (int k = 0; k <= k_tendon_pieces; ++k) {
      part.frames.push_back(model_->marker_frame(tendon_marker(line, number, k)));
    }
  } else if (entry.link != "base" && links_[model_->link_index(entry.link)].carries_points) {
    part.link = model_->link_index(entry.link), part.points = entry.points;
  } else {
    const Frame base = entry.link == "base" ? model_->base_frame() : model_->base_frame(entry.link);
    for (const Vector3& x : entry.points) {
      part.frames.push_back({base.node, base.node_frame * Pose{Matrix3::identity(), x}});
    }
  }
  return part;
}

void DrawnRobot::bind_tendons(const Robot& robot) {
  const std::vector<DrawnLine> lines = lines_of(robot);
  for (std::size_t l = 0; l < lines.size(); ++l) {
    Tendon tendon{lines[l].name, lines[l].input, {}};
    for (std::size_t i = 0; i < lines[l].through.size(); ++i) {
      if (const auto* entry = std::get_if<Routing>(&lines[l].through[i])) {
        tendon.parts.push_back(part_of(*entry, l, i));
      } else {
        tendon.parts.emplace_back().frames = {model_->marker_frame(tendon_marker(l, i, 0))};
      }
    }
    tendons_.push_back(std::move(tendon));
  }
}

void DrawnRobot::bind_loads(const Robot& robot) {
  for (std::size_t l = 0; l < robot.loads.size(); ++l) {
    const Load& load = robot.loads[l];
    DrawnLoad drawn;
    if (load.law->timed() == nullptr) {
      // nothing to draw
    } else if (!load.law->along_link()) {
      drawn.frames.push_back(model_->marker_frame(load_marker(l, 0)));
    } else {
      const DrawnLink& link = links_[model_->link_index(load.place.link)];
      for (std::size_t k = 0; k < link.stations.size(); k += k_load_stride) drawn.frames.push_back(link.stations[k]);
    }
    loads_.push_back(std::move(drawn));
  }
}

void DrawnRobot::move_to(const VectorXd& q) {
  q_ = q;
  forward_kinematics<double>(*model_, *data_, q_);
}

void DrawnRobot::material_points(const DrawnLink& link, const std::vector<Vector3>& x, Vector3* points) const {
  link.body->material_points(q_.data() + link.q, x.data(), x.size(), {points});
  const Pose base = pose(link.base);
  for (std::size_t i = 0; i < x.size(); ++i) points[i] = base.act(points[i]);
}

void DrawnRobot::append_points(const TendonPart& part, std::vector<Vector3>& path) const {
  for (const Frame& frame : part.frames) path.push_back(pose(frame).position);
  if (part.link < 0) return;
  path.resize(path.size() + part.points.size());
  material_points(links_[part.link], part.points, path.data() + path.size() - part.points.size());
}

}  // namespace cuttle
