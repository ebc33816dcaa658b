// Robots as URDF.
#include <fmt/format.h>

#include <cmath>
#include <pugixml.hpp>
#include <set>
#include <sstream>

#include "cuttle/geometry/shapes.h"
#include "io/export/export_tree.h"
#include "io/export/xml_attribute.h"

namespace cuttle {
namespace {

using std::string;

constexpr double k_no_bound = 1e6;  // where the format wants a bound that the robot does not have

/// Roll, pitch and yaw, R = Rz(yaw) Ry(pitch) Rx(roll). What is left after yaw and pitch gives the roll, so that it is
/// exact also where pitch is near a right angle.
Vector3 rpy_of(const Matrix3& R) {
  const double yaw = std::hypot(R(0, 0), R(1, 0)) > 1e-15 ? std::atan2(R(1, 0), R(0, 0)) : 0.0;
  const double c = std::cos(yaw), s = std::sin(yaw);
  return {std::atan2(s * R(0, 2) - c * R(1, 2), c * R(1, 1) - s * R(0, 1)),
          std::atan2(-R(2, 0), c * R(0, 0) + s * R(1, 0)), yaw};
}

void write_origin(pugi::xml_node parent, const Pose& pose) {
  if (pose == Pose()) return;
  pugi::xml_node origin = parent.append_child("origin");
  set_attribute(origin, "xyz", vector_text(pose.position)),
      set_attribute(origin, "rpy", vector_text(rpy_of(pose.rotation)));
}

class UrdfWriter {
 public:
  UrdfWriter(ExportTree& tree, FileTexts& files)
      : tree_(&tree), files_(&files), names_(tree.names), joint_names_(tree.joint_names) {}

  string text() {
    robot_ = document_.append_child("robot");
    set_attribute(robot_, "name", tree_->name);
    if (!tree_->floating) {
      write_link("world", {}, tree_->world_shapes);
      write_frames("world", tree_->world_frames);
    }
    for (std::size_t i = 0; i < tree_->bodies.size(); ++i) write_body(tree_->bodies[i], i);
    std::ostringstream out;
    document_.save(out, "  ", pugi::format_indent | pugi::format_no_declaration);
    return out.str();
  }

 private:
  /// Of a joint that URDF alone has: the wanted name, or with a number behind it.
  string joint_name(const string& wanted) { return ExportTree::free_in(joint_names_, wanted); }

  void write_link(const string& name, const RigidParameters& inertia, const std::vector<Visual>& shapes,
                  const std::vector<ContactShape>& touching = {}) {
    pugi::xml_node link = robot_.append_child("link");
    set_attribute(link, "name", name);
    const SymmetricMatrix3& I = inertia.inertia;
    if (inertia.mass != 0.0 || !(I.matrix() == Matrix3())) {
      pugi::xml_node inertial = link.append_child("inertial");
      write_origin(inertial, {Matrix3::identity(), inertia.com});
      set_attribute(inertial.append_child("mass"), "value", number_list({inertia.mass}));
      pugi::xml_node tensor = inertial.append_child("inertia");
      for (const auto& [key, value] : {std::pair{"ixx", I.xx}, std::pair{"ixy", I.xy}, std::pair{"ixz", I.xz},
                                       std::pair{"iyy", I.yy}, std::pair{"iyz", I.yz}, std::pair{"izz", I.zz}}) {
        set_attribute(tensor, key, number_list({value}));
      }
    }
    for (const Visual& shape : shapes) write_visual(link, name, shape);
    for (const ContactShape& shape : touching) write_touching(link, name, shape);
  }

  pugi::xml_node write_collision(pugi::xml_node link, const Pose& pose, const char* type) {
    pugi::xml_node collision = link.append_child("collision");
    write_origin(collision, pose);
    return collision.append_child("geometry").append_child(type);
  }

  void write_touching(pugi::xml_node link, const string& name, const ContactShape& touching) {
    const SignedDistance* const shape = touching.shape.get();
    const auto round = [&](const Pose& pose, const char* type, double radius, double length) {
      pugi::xml_node node = write_collision(link, pose, type);
      set_attribute(node, "radius", number_list({radius}));
      if (length > 0.0) set_attribute(node, "length", number_list({length}));
    };
    if (const auto* box = dynamic_cast<const Box*>(shape)) {
      set_attribute(write_collision(link, touching.pose, "box"), "size", vector_text(box->size()));
    } else if (const auto* sphere = dynamic_cast<const Sphere*>(shape)) {
      round(touching.pose, "sphere", sphere->radius(), 0.0);
    } else if (const auto* cylinder = dynamic_cast<const Cylinder*>(shape)) {
      round(touching.pose, "cylinder", cylinder->radius(), cylinder->length());
    } else if (const auto* capsule = dynamic_cast<const Capsule*>(shape)) {  // which URDF does not have
      round(touching.pose, "cylinder", capsule->radius(), capsule->length());
      for (const double side : {-0.5, 0.5}) {
        const Pose end{Matrix3::identity(), {0.0, 0.0, side * capsule->length()}};
        round(touching.pose * end, "sphere", capsule->radius(), 0.0);
      }
    } else {
      tree_->note(fmt::format("contact shape of type {}: left out", shape->type_name()), name);
    }
  }

  void write_visual(pugi::xml_node link, const string& name, const Visual& shape) {
    pugi::xml_node visual = link.append_child("visual");
    write_origin(visual, shape.pose);
    pugi::xml_node geometry = visual.append_child("geometry");
    switch (shape.shape) {
      case Visual::Shape::box:
        set_attribute(geometry.append_child("box"), "size", vector_text(shape.size));
        break;
      case Visual::Shape::cylinder: {
        pugi::xml_node cylinder = geometry.append_child("cylinder");
        set_attribute(cylinder, "radius", number_list({shape.radius})),
            set_attribute(cylinder, "length", number_list({shape.length}));
        break;
      }
      case Visual::Shape::sphere:
        set_attribute(geometry.append_child("sphere"), "radius", number_list({shape.radius}));
        break;
      case Visual::Shape::mesh:
        set_attribute(geometry.append_child("mesh"), "filename", mesh_file(*shape.mesh, name, *files_));
        break;
    }
    if (!shape.color) return;
    const Color& c = *shape.color;
    const string rgba = number_list({c.red, c.green, c.blue, c.opacity});
    pugi::xml_node material = visual.append_child("material");
    set_attribute(material, "name", "color " + rgba);
    set_attribute(material.append_child("color"), "rgba", rgba);
  }

  pugi::xml_node write_joint(const string& name, const char* type, const string& parent, const string& child,
                             const Pose& placement) {
    pugi::xml_node joint = robot_.append_child("joint");
    set_attribute(joint, "name", name), set_attribute(joint, "type", type);
    set_attribute(joint.append_child("parent"), "link", parent),
        set_attribute(joint.append_child("child"), "link", child);
    write_origin(joint, placement);
    return joint;
  }

  void write_frames(const string& link, const std::vector<ExportFrame>& frames) {
    for (const ExportFrame& frame : frames) {
      write_link(frame.name, {}, {});
      write_joint(joint_name(frame.name + "_fixed"), "fixed", link, frame.name, frame.pose);
    }
  }

  void write_moving_joint(const ExportJoint& joint, const string& parent, const string& child, const Pose& placement) {
    const bool turns = joint.kind == ExportJoint::Kind::hinge;
    const char* const type = !turns ? "prismatic" : joint.range ? "revolute" : "continuous";
    pugi::xml_node node = write_joint(joint.name, type, parent, child, placement);
    set_attribute(node.append_child("axis"), "xyz", vector_text(joint.axis));
    if (!turns || joint.range) {
      const auto range = joint.range.value_or(std::array{-k_no_bound, k_no_bound});
      pugi::xml_node limit = node.append_child("limit");
      set_attribute(limit, "lower", number_list({range[0]})), set_attribute(limit, "upper", number_list({range[1]}));
      set_attribute(limit, "effort", number_list({k_no_bound})),
          set_attribute(limit, "velocity", number_list({k_no_bound}));
    }
    if (joint.damping != 0.0) set_attribute(node.append_child("dynamics"), "damping", number_list({joint.damping}));
    if (joint.stiffness == 0.0) return;
    pugi::xml_node spring = robot_.append_child("gazebo");
    set_attribute(spring, "reference", joint.name);
    spring.append_child("springStiffness").text().set(number_list({joint.stiffness}).c_str());
    spring.append_child("springReference").text().set(number_list({joint.rest}).c_str());
  }

  void write_body(const ExportBody& body, std::size_t index) {
    const bool is_root = index == 0 && tree_->floating;
    string parent = body.parent < 0 ? "world" : tree_->bodies[static_cast<std::size_t>(body.parent)].name;
    Pose placement = body.parent_body;
    if (is_root) {  // the root of a URDF: who loads it lets it float
      write_link(body.name, body.inertia, body.shapes, body.touching);
      return write_frames(body.name, body.frames);
    }
    if (body.joints.empty()) write_joint(joint_name(body.name + "_fixed"), "fixed", parent, body.name, placement);
    std::vector<ExportJoint> joints;
    for (const ExportJoint& joint : body.joints) {
      if (joint.kind != ExportJoint::Kind::ball) {
        joints.push_back(joint);
        continue;
      }
      for (int i = 0; i < 3; ++i) {
        ExportJoint hinge = joint;
        hinge.kind = ExportJoint::Kind::hinge;
        hinge.axis = {i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0};
        hinge.name = joint_name(joint.name + (i == 0 ? "_x" : i == 1 ? "_y" : "_z"));
        hinge.armature = 0.0;
        joints.push_back(std::move(hinge));
      }
    }
    for (std::size_t k = 0; k < joints.size(); ++k) {
      const bool last = k + 1 == joints.size();
      const string child = last ? body.name : ExportTree::free_in(names_, body.name + "_before_" + joints[k + 1].name);
      if (!last) write_link(child, {}, {});
      if (joints[k].kind == ExportJoint::Kind::free) {
        write_joint(joints[k].name, "floating", parent, child, placement);
      } else {
        write_moving_joint(joints[k], parent, child, placement);
      }
      parent = child, placement = Pose();
    }
    write_link(body.name, body.inertia, body.shapes, body.touching);
    write_frames(body.name, body.frames);
  }

  ExportTree* tree_;
  FileTexts* files_;
  std::set<string> names_, joint_names_;  // that are taken
  pugi::xml_document document_;
  pugi::xml_node robot_;
};

}  // namespace

void note_urdf_losses(const Robot& robot, ExportTree& tree) {
  if (!(robot.gravity == Vector3{0.0, 0.0, -9.81})) {
    tree.note(fmt::format("gravity of [{}]: left out, URDF has none", vector_text(robot.gravity)));
  }
  if (tree.floating) {
    tree.note("floating base: the root link; URDF does not say that it moves, who loads it does");
    for (const ExportFrame& frame : tree.world_frames) tree.note("marker on the world: left out", frame.name);
    if (!tree.world_shapes.empty()) tree.note("shapes of what stands around a floating robot: left out");
    if (!(robot.base_pose == Pose())) tree.note("pose of the floating base: left out");
  }
  bool bounded = false;
  for (const ExportBody& body : tree.bodies) {
    for (const ExportJoint& joint : body.joints) {
      if (joint.kind == ExportJoint::Kind::ball)
        tree.note("ball joint: made three hinges about x, y and z", joint.name);
      if (joint.armature != 0.0) tree.note("armature of a joint: left out", joint.name);
      if (joint.stiffness != 0.0 && joint.kind != ExportJoint::Kind::free) {
        tree.note("spring of a joint: an element <gazebo>, which Gazebo alone reads", joint.name);
      }
      const bool is_free = joint.kind == ExportJoint::Kind::free;
      if (is_free && (joint.stiffness != 0.0 || joint.damping != 0.0)) {
        tree.note("spring and damping of a free joint: left out", joint.name);
      }
      bounded = bounded || joint.range || joint.kind == ExportJoint::Kind::slide;
    }
  }
  if (bounded) tree.note("bounds that URDF wants and the robot does not have (efforts, speeds, ways of slides): 1e6");
  for (const Actuator& actuator : robot.actuators) tree.note("actuator: left out, URDF has none", actuator.name);
  for (const Loop& loop : robot.loops) tree.note("loop: left open, URDF has trees alone", loop.name);
}

string urdf_text(ExportTree& tree, FileTexts& files) { return UrdfWriter(tree, files).text(); }

}  // namespace cuttle
