#include "io/robot/robot_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "cuttle/model/spelling.h"
#include "io/kinds/kind_list.h"
#include "io/robot/part_writers.h"
#include "io/robot/robot_tables.h"

namespace cuttle {
namespace {

std::string type_of(const Body& body) { return body.type_name(); }
std::string type_of(const Joint& joint) { return joint.type_name(); }
std::string type_of(const Element& element) { return element.law ? element.law->type_name() : "nothing"; }
std::string type_of(const Actuator& actuator) {
  return actuator.transmission ? actuator.transmission->type_name() : "nothing";
}
std::string type_of(const Load& load) { return load.law ? load.law->type_name() : "nothing"; }

std::string type_of(const Sensor& sensor) { return sensor.type_name(); }
std::string type_of(const SignedDistance& shape) { return shape.type_name(); }

/// `type` of a part and what its kind writes.
template <typename Kind>
void write_kind(const char* what, const typename Kind::Written& part, MapWriter& map, const char* selector = "type") {
  const std::string type = type_of(part);
  const Kind* kind = kinds<Kind>().find(type);
  if (kind == nullptr || !kind->write) {
    std::vector<std::string> known;
    for (const auto& variant : kinds<Kind>().variants()) {
      if (kinds<Kind>().of(variant.choice).write) known.push_back(variant.choice);
    }
    refuse_to_write(fmt::format("{} of type {}", what, type), join_or(known));
  }
  map.text(selector, type);
  kind->write(part, map);
}

/// The list `key` of a robot, whose parts have a name and a type.
template <typename Kind, typename Part = typename Kind::Written>
void write_parts(const char* key, const char* what, const std::vector<Part>& parts, MapWriter& robot) {
  robot.maps(key, parts, [&](const Part& part, MapWriter& map) {
    std::string name;
    if constexpr (requires { part.name; }) {
      name = part.name;
      map.text("name", name);
    }
    map.context().stem = name.empty() ? key : name;
    write_kind<Kind>(what, part, map);
  });
}

void write_loop(const Loop& loop, MapWriter& map) {
  map.text("name", loop.name);
  map.text("type", loop_type_name(loop.type));
  const bool has_axis = loop.type != LoopType::fixed && loop.type != LoopType::spherical;
  if (has_axis) map.vector("axis", loop.axis, {0.0, 0.0, 1.0});
  map.map("a", [&](MapWriter& frame) { write_place(loop.a, frame); });
  map.map("b", [&](MapWriter& frame) { write_place(loop.b, frame); });
  if (!loop.drive.empty()) map.map("drive", [&](MapWriter& drive) { write_pose_motion(loop.drive, drive); });
}

void write_shape(const std::shared_ptr<const SignedDistance>& shape, MapWriter& map) {
  if (!shape) refuse_to_write("none", "a shape");
  write_kind<DistanceKind>("a shape", *shape, map, "shape");
}

void write_link_shape(const ContactShape& shape, MapWriter& map) {
  write_shape(shape.shape, map);
  map.map("pose", [&](MapWriter& pose) { write_pose(shape.pose, pose); });
}

void write_link_contact(const LinkContactT<double>& contact, MapWriter& map) {
  if (contact.none) return map.text("contact", "none");
  if (contact.shapes.size() == 1) {
    return map.map("contact", [&](MapWriter& shape) { write_link_shape(contact.shapes.front(), shape); });
  }
  map.maps("contact", contact.shapes, write_link_shape);
}

void write_marker(const Marker& marker, MapWriter& map) {
  map.text("name", marker.name);
  map.text("link", marker.place.link);
  write_at(marker.place.at, map);
  map.vector("offset", marker.place.pose.position, {});
  write_rotation(marker.place.pose.rotation, map);
}

void write_sensor(const NamedSensor& sensor, MapWriter& map) {
  map.text("name", sensor.name);
  map.context().stem = sensor.name;
  if (!sensor.sensor) refuse_to_write("none", "a sensor");
  write_kind<SensorKind>("a sensor", *sensor.sensor, map);
}

class RobotTree {
 public:
  RobotTree(const Robot& robot, const std::vector<LinkVisual>& visuals, WriteContext& context)
      : robot_(robot), visuals_(visuals), map_(context) {}

  YamlNode write() {
    map_.integer("cuttle", k_format_version);
    map_.text("name", robot_.name);
    map_.vector("gravity", robot_.gravity, Robot().gravity);
    map_.map("base", [this](MapWriter& base) {
      if (robot_.floating_base) base.text("motion", "floating");
      base.map("pose", [this](MapWriter& pose) { write_pose(robot_.base_pose, pose); });
      write_visuals("base", LinkVisual::Frame::base, base);
    });
    map_.map("materials", [this](MapWriter& materials) {
      for (const auto& [name, material] : robot_.materials) {
        MapWriter map(materials.context());
        at_place(name, "", [&map, &material = material] { write_material(material, map); });
        materials.node(name, map.take());
      }
    });
    std::vector<YamlNode> links;
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      at_place({"links", i}, robot_.links[i].name, [&] { links.push_back(write_link(i)); });
    }
    map_.node("links", list_node(std::move(links)));
    write_parts<ActuatorKind>("actuators", "an actuator", robot_.actuators, map_);
    write_parts<ElementKind>("elements", "an element", robot_.elements, map_);
    write_parts<LoadKind>("loads", "a load", robot_.loads, map_);
    map_.maps("loops", robot_.loops, write_loop);
    map_.maps("obstacles", robot_.obstacles,
              [this](const Obstacle& obstacle, MapWriter& map) { write_obstacle(obstacle, map); });
    map_.maps("contacts", robot_.contacts, write_contact);
    map_.maps("markers", robot_.markers, write_marker);
    map_.maps("sensors", robot_.sensors, write_sensor);
    write_visuals("base", LinkVisual::Frame::world, map_);
    return map_.take();
  }

 private:
  void write_obstacle(const Obstacle& obstacle, MapWriter& map) const {
    map.text("name", obstacle.name);
    map.context().stem = obstacle.name;
    write_shape(obstacle.shape, map);
    map.map("pose", [&](MapWriter& pose) { write_pose(obstacle.pose, pose); });
    if (!obstacle.motion.empty()) {
      map.map("motion", [&](MapWriter& motion) { write_pose_motion(obstacle.motion, motion); });
    }
    map.flag("inside", obstacle.inside);
    for (const LinkVisual& visual : visuals_) {
      const bool its = visual.frame == LinkVisual::Frame::obstacle && visual.link == obstacle.name;
      if (its && visual.visual.color) return write_color(*visual.visual.color, map);
    }
  }

  void write_visuals(const std::string& link, LinkVisual::Frame frame, MapWriter& map) {
    map.context().stem = link;
    std::vector<YamlNode> shapes;
    for (const LinkVisual& visual : visuals_) {
      if (visual.link != link || visual.frame != frame) continue;
      MapWriter shape(map.context());
      write_visual(visual.visual, shape);
      shapes.push_back(shape.take());
    }
    if (!shapes.empty()) map.node("visual", shapes.size() == 1 ? shapes.front() : list_node(shapes));
  }

  YamlNode write_link(std::size_t index) {
    const Link& link = robot_.links[index];
    WriteContext& context = map_.context();
    MapWriter map(context);
    map.text("name", link.name);
    const std::string before = index == 0 ? "base" : robot_.links[index - 1].name;
    if (!link.parent.link.empty()) map.text("parent", link.parent.link, before);
    map.map("attach", [&](MapWriter& attach) {
      if (link.parent.at.kind == PortLocation::Kind::point) {
        throw ModelError("at", "a material point", "base, tip or {s: number [m]}");
      }
      write_at(link.parent.at, attach);
      attach.map("pose", [&](MapWriter& pose) { write_pose(link.parent.pose, pose); });
    });
    map.map("joint", [&](MapWriter& joint) {
      const auto fixed = make_fixed_joint<double>();
      const Joint& part = link.joint ? *link.joint : *fixed;
      MapWriter visuals(context);
      write_visuals(link.name, LinkVisual::Frame::joint, visuals);
      const bool drawn = visuals.has("visual");
      if (part.type_name() == "fixed" && !drawn) return;
      write_kind<JointKind>("a joint", part, joint);
      write_joint_dynamics(part, link.joint_dynamics, joint);
      if (drawn) write_visuals(link.name, LinkVisual::Frame::joint, joint);
    });
    context.stem = link.name, context.material = link.material;
    map.map("body", [&](MapWriter& body) {
      if (link.body) write_kind<BodyKind>("a body", *link.body, body);
      if (!link.material.empty() && !body.has("material")) {
        throw ModelError("material", "'" + link.material + "' of a body that has none", "no name");
      }
    });
    write_link_contact(link.contact, map);
    write_visuals(link.name, LinkVisual::Frame::body, map);
    return map.take();
  }

  const Robot& robot_;
  const std::vector<LinkVisual>& visuals_;
  MapWriter map_;
};

/// The tree with a place in each of its nodes.
void mark_all(YamlNode& node, const SourceMark& mark) {
  node.mark = mark;
  YamlNode::Content& content = node.edit();
  for (YamlNode& item : content.items) mark_all(item, mark);
  for (YamlEntry& entry : content.entries) entry.mark = mark, mark_all(entry.value, mark);
}

}  // namespace

YamlNode robot_tree(const Robot& robot, const std::vector<LinkVisual>& visuals, WriteContext& context) {
  YamlNode tree = RobotTree(robot, visuals, context).write();
  mark_all(tree, {std::make_shared<const std::string>("robot '" + robot.name + "'"), 0, 0});
  return tree;
}

}  // namespace cuttle
