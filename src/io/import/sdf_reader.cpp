// The rigid part of robots in SDF.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "cuttle/error.h"
#include "cuttle/io/key_table.h"
#include "cuttle/spatial/logarithm.h"
#include "io/import/import_builder.h"
#include "io/robot/part_readers.h"

namespace cuttle {
namespace {

using std::string;

class SdfReader {
 public:
  SdfReader(const NamedText& file, string name, ImportBuilder& to)
      : file_name_(std::move(name)), root_(parse_xml(file, {"sdf"})), to_(&to) {}

  void read() {
    model_ = root_.child("model");
    const XmlElement* const world = model_ ? nullptr : root_.child("world");
    if (world != nullptr) model_ = world->child("model");
    if (model_ == nullptr) {
      to_->errors.add(root_.mark, "sdf", "no model", "a <model>");
      return;
    }
    for (const XmlElement& part : root_.children) {
      if (&part != model_ && &part != world) {
        to_->note(part.mark, fmt::format("{} beside the model: left out", part.tag), name_of(part));
      }
    }
    if (world != nullptr) {
      for (const XmlElement& part : world->children) {
        if (&part != model_) to_->note(part.mark, fmt::format("{} of a world: left out", part.tag), name_of(part));
      }
    }
    if (!name_of(*model_).empty()) to_->robot.name = name_of(*model_);
    collect();
    if (to_->errors.count() > 0) return;
    resolve_frames();
    if (to_->errors.count() > 0) return;
    add_tree();
  }

 private:
  struct LinkEntry {
    const XmlElement* element;
    string joint;  // that it is the child of
    string added;  // name in the robot
    bool done = false;
  };
  struct JointEntry {
    const XmlElement* element;
    string parent, child;
  };
  /// A frame, given in another one: a link, a joint, a <frame> or the model.
  struct FrameEntry {
    const XmlElement* element;
    string relative_to;
    Pose relative;
    int state = 0;  // 1: being resolved, 2: resolved
    Pose model;     // in the model's frame
  };

  static string name_of(const XmlElement& element) {
    const string* const name = element.find("name");
    return name ? *name : "";
  }

  static string text_of(const XmlElement& element, const char* tag, const string& fallback) {
    const XmlElement* const child = element.child(tag);
    return child ? child->text : fallback;
  }

  using Known = std::initializer_list<const char*>;
  static bool is_in(const string& key, Known known) {
    return std::find(known.begin(), known.end(), key) != known.end();
  }
  /// Notes the attributes that an element has beside these.
  /// @param whose  they are, for notes: "an axis".
  void note_attributes(const XmlElement& element, const char* whose, const string& name, Known known) {
    for (const auto& [attribute, value] : element.attributes) {
      const bool foreign = attribute == "xmlns" || attribute.find(':') != string::npos;  // of other programs
      if (foreign || is_in(attribute, known)) continue;
      to_->note(element.mark, fmt::format("attribute {} of {}: left out", attribute, whose), name);
    }
  }
  /// Notes the children that an element has beside these.
  void note_children(const XmlElement& element, const char* whose, const string& name, Known known) {
    for (const XmlElement& part : element.children) {
      if (!is_in(part.tag, known)) to_->note(part.mark, fmt::format("{} of {}: left out", part.tag, whose), name);
    }
  }

  /// A number that cannot be negative; one that is counts as 0, and is said.
  double positive_of(const XmlElement& element, const char* tag, const char* whose, const string& name) {
    const double value = number_of(element, tag, 0.0);
    if (value < 0.0) to_->note(element.mark, fmt::format("{} of {} below 0: taken as 0", tag, whose), name);
    return std::max(0.0, value);
  }

  double number_of(const XmlElement& element, const char* tag, double fallback) {
    const XmlElement* const child = element.child(tag);
    if (child == nullptr) return fallback;
    const auto values = numbers_of(child->text);
    if (values && values->size() == 1) return values->front();
    if (child->text == "inf" || child->text == "-inf") return fallback;
    to_->errors.add(child->mark, fmt::format("{}.{}", element.tag, tag), "'" + child->text + "'", "a number");
    return fallback;
  }

  /// The pose of an element, in whatever it is given in.
  Pose read_pose(const XmlElement& element) {
    const XmlElement* const pose = element.child("pose");
    if (pose == nullptr) return {};
    note_attributes(*pose, "a pose", name_of(element), {"relative_to", "rotation_format", "degrees"});
    if (pose->text.empty()) return {};
    const auto x = numbers_of(pose->text);
    const string* const format = pose->find("rotation_format");
    const bool quaternion = format != nullptr && *format == "quat_xyzw";
    const string* const degrees = pose->find("degrees");
    const double unit_of =
        degrees != nullptr && (*degrees == "true" || *degrees == "1") ? 3.14159265358979323846 / 180.0 : 1.0;
    if (x && x->size() == 6 && !quaternion) {
      return {rotation_from_rpy(unit_of * (*x)[3], unit_of * (*x)[4], unit_of * (*x)[5]), {(*x)[0], (*x)[1], (*x)[2]}};
    }
    if (x && x->size() == 7 && quaternion) {
      const Quaternion q{(*x)[6], (*x)[3], (*x)[4], (*x)[5]};
      if (q.squared_norm() > 0.0) return {rotation_from_quaternion(q), {(*x)[0], (*x)[1], (*x)[2]}};
    }
    to_->errors.add(pose->mark, fmt::format("{}[{}].pose", element.tag, name_of(element)), "'" + pose->text + "'",
                    quaternion ? "7 numbers: x y z qx qy qz qw" : "6 numbers: x y z roll pitch yaw");
    return {};
  }

  /// What a pose says that it is given in; empty: it does not.
  static string relative_to(const XmlElement& element) {
    const XmlElement* const pose = element.child("pose");
    const string* const given = pose ? pose->find("relative_to") : nullptr;
    return given ? *given : "";
  }

  /// The pose of a part of a link, in the link's frame.
  Pose read_pose_on(const string& link, const XmlElement& element) {
    const string other = relative_to(element);
    const Pose pose = read_pose(element);
    if (other.empty() || other == link) return pose;
    return resolve(link, element.mark).inverse() * resolve(other, element.mark) * pose;
  }

  void add_frame(const XmlElement& element, const string& fallback) {
    const string given = relative_to(element), name = name_of(element);
    FrameEntry frame{&element, given.empty() ? fallback : given, read_pose(element), 0, {}};
    if (name.empty() || !frames_.emplace(name, frame).second) {
      to_->errors.add(element.mark, element.tag + ".name", name.empty() ? "nothing" : "'" + name + "' again",
                      "a name of its own");
    }
  }

  void collect() {
    frames_["__model__"] = {model_, "", {}, 2, {}};
    for (const XmlElement& element : model_->children) {
      const string name = name_of(element);
      if (element.tag == "link") {
        links_.push_back(name);
        link_entries_[name] = {&element, "", "", false};
        add_frame(element, "__model__");
      } else if (element.tag == "frame") {
        const string attached = attached_to(element);
        add_frame(element, attached);
        note_attributes(element, "a frame", name, {"name", "attached_to"});
        note_children(element, "a frame", name, {"pose"});
        to_->note(element.mark, "frame of the model: made a marker", name);
        markers_.push_back(name);
      } else if (element.tag == "joint") {
        JointEntry joint{&element, text_of(element, "parent", ""), text_of(element, "child", "")};
        add_frame(element, joint.child);
        joint_index_.emplace(name, joints_.size());
        joints_.emplace_back(name, std::move(joint));
      } else if (element.tag == "static") {
        if (element.text == "true" || element.text == "1")
          to_->note(element.mark, "static: left out; every root is fixed");
      } else if (element.tag != "pose") {
        to_->note(element.mark, fmt::format("{} of a model: left out", element.tag), name);
      }
    }
    for (const auto& [name, joint] : joints_) {
      for (const auto& [end, key] : {std::pair{&joint.parent, "parent"}, std::pair{&joint.child, "child"}}) {
        if (link_entries_.count(*end) > 0 || (string(key) == "parent" && *end == "world")) continue;
        std::vector<string> known = links_;
        known.emplace_back("world");
        to_->errors.add(joint.element->mark, fmt::format("joint[{}].{}", name, key), "'" + *end + "', which is no link",
                        one_of(*end, known));
      }
      const auto child = link_entries_.find(joint.child);
      if (child == link_entries_.end()) continue;
      if (!child->second.joint.empty()) {
        to_->errors.add(joint.element->mark, fmt::format("joint[{}].child", name),
                        fmt::format("'{}', which is the child of joint '{}' too", joint.child, child->second.joint),
                        "a link with one parent: a tree");
      }
      child->second.joint = name;
    }
    if (links_.empty()) to_->errors.add(model_->mark, "model", "no link", "at least one");
    if (const string* const given = model_->find("canonical_link"); given != nullptr && !given->empty()) {
      if (link_entries_.count(*given) == 0) {
        to_->errors.add(model_->mark, "model.canonical_link", "'" + *given + "', which is no link",
                        one_of(*given, links_));
      }
    }
    note_attributes(*model_, "a model", name_of(*model_), {"name", "canonical_link", "placement_frame"});
    if (!relative_to(*model_).empty()) to_->note(model_->mark, "relative_to of the pose of a model: left out");
  }

  static string attached_to(const XmlElement& frame) {
    const string* const given = frame.find("attached_to");
    return given && !given->empty() ? *given : "__model__";
  }

  /// The pose of a frame in the model's.
  Pose resolve(const string& name, const SourceMark& mark) {
    std::vector<FrameEntry*> chain;  // no recursion: frames may be relative to each other by the thousands
    string at = name;
    SourceMark asks = mark;
    Pose pose;
    while (true) {
      const auto found = frames_.find(at);
      if (found == frames_.end()) {
        std::vector<string> known;
        for (const auto& entry : frames_) known.push_back(entry.first);
        to_->errors.add(asks, "pose.relative_to", "'" + at + "', which is no frame", one_of(at, known));
        break;
      }
      FrameEntry& frame = found->second;
      if (frame.state == 2) {
        pose = frame.model;
        break;
      }
      if (frame.state == 1) {
        to_->errors.add(asks, "pose.relative_to", "'" + at + "', which is relative to itself: a cycle",
                        "a tree of frames");
        break;
      }
      frame.state = 1;
      chain.push_back(&frame);
      at = frame.relative_to, asks = frame.element->mark;
    }
    for (auto frame = chain.rbegin(); frame != chain.rend(); ++frame) {
      pose = pose * (*frame)->relative;
      (*frame)->model = pose, (*frame)->state = 2;
    }
    return pose;
  }

  void resolve_frames() {
    for (auto& [name, frame] : frames_) resolve(name, frame.element->mark);
  }

  void add_tree() {
    Pose world_model = read_pose(*model_);
    if (const string* const placed = model_->find("placement_frame"); placed != nullptr && !placed->empty()) {
      world_model = world_model * resolve(*placed, model_->mark).inverse();  // the pose is that of this frame
    }
    to_->robot.floating_base = to_->options().floating;
    std::size_t left = links_.size();
    while (left > 0) {  // parents first
      const std::size_t before = left;
      for (const string& name : links_) {
        LinkEntry& link = link_entries_.at(name);
        if (link.done) continue;
        const JointEntry* const joint = joint_of(link.joint);
        const bool on_world = joint == nullptr || joint->parent == "world";
        if (!on_world && !link_entries_.at(joint->parent).done) continue;
        add_link(name, link, joint, on_world ? nullptr : &link_entries_.at(joint->parent), world_model);
        link.done = true, --left;
      }
      if (left == before) {
        to_->errors.add(model_->mark, "model", "a cycle of joints that hangs on no root", "a tree");
        return;
      }
    }
    for (const string& name : markers_) add_marker(name);
  }

  const JointEntry* joint_of(const string& name) const {
    const auto found = joint_index_.find(name);
    return found == joint_index_.end() ? nullptr : &joints_[found->second].second;
  }

  /// A <frame> as a marker on the link that it moves with.
  void add_marker(const string& name) {
    const FrameEntry& frame = frames_.at(name);
    string at = attached_to(*frame.element);
    for (std::size_t steps = 0; link_entries_.count(at) == 0; ++steps) {
      if (const JointEntry* const joint = joint_of(at)) {  // a joint's frame is its child's
        at = joint->child;
        continue;
      }
      if (at == "__model__") {
        const string* const canonical = model_->find("canonical_link");
        at = canonical && !canonical->empty() ? *canonical : links_.front();
        continue;
      }
      const auto next = frames_.find(at);
      if (next == frames_.end() || steps > frames_.size()) {
        const char* const what = next == frames_.end() ? "', which is no frame" : "', which is attached to itself";
        to_->errors.add(frame.element->mark, fmt::format("frame[{}].attached_to", name), "'" + at + what,
                        "a link, a joint or a frame");
        return;
      }
      at = attached_to(*next->second.element);
    }
    const LinkEntry& entry = link_entries_.at(at);
    to_->add_marker(frame.element->mark, name, entry.added, frames_.at(at).model.inverse() * frame.model);
  }

  void add_link(const string& name, LinkEntry& entry, const JointEntry* joint, const LinkEntry* parent,
                const Pose& world_model) {
    ImportedLink link;
    link.name = name;
    const Pose model_link = frames_.at(name).model;
    if (joint == nullptr) {
      link.parent_joint = world_model * model_link;
    } else {
      const string joint_name = name_of(*joint->element);
      const Pose model_joint = frames_.at(joint_name).model;
      const Pose joint_link = model_joint.inverse() * model_link;
      const Pose parent_joint =
          parent ? frames_.at(joint->parent).model.inverse() * model_joint : world_model * model_joint;
      read_joint(*joint->element, joint_name, link);
      // its frame and the link's differ: what turns is the joint's, the tip is the link's
      link.parent_joint = parent_joint * link.parent_joint;
      link.joint_link = link.joint_link * joint_link;
      if (parent != nullptr) link.parent = parent->added;
    }
    if (const XmlElement* const inertial = entry.element->child("inertial")) link.mass = read_inertial(*inertial, name);
    entry.added = to_->add_link(entry.element->mark, link);
    note_attributes(*entry.element, "a link", name, {"name"});
    for (const XmlElement& part : entry.element->children) {
      if (part.tag == "visual") {
        read_visual(part, name, entry.added);
      } else if (part.tag == "collision") {
        to_->note(part.mark, "collision of a link: left out, as Cuttle has no contact", name);
      } else if (part.tag != "inertial" && part.tag != "pose") {
        to_->note(part.mark, fmt::format("{} of a link: left out", part.tag), name);
      }
    }
    if (joint != nullptr) add_effects(*joint->element, entry.added);
  }

  void read_joint(const XmlElement& element, const string& name, ImportedLink& link) {
    const string* const type = element.find("type");
    const string kind = type ? *type : "";
    const XmlElement* const axis = element.child("axis");
    Vector3 direction{0.0, 0.0, 1.0};
    std::size_t nv = 1;
    if (axis != nullptr) {
      if (const XmlElement* const xyz = axis->child("xyz")) {
        const auto x = numbers_of(xyz->text);
        if (x && x->size() == 3 && norm(Vector3{(*x)[0], (*x)[1], (*x)[2]}) > 0.0) {
          direction = {(*x)[0], (*x)[1], (*x)[2]};
        } else {
          to_->errors.add(xyz->mark, fmt::format("joint[{}].axis.xyz", name), "'" + xyz->text + "'",
                          "a direction: 3 numbers");
        }
        note_attributes(*xyz, "the xyz of an axis", name, {"expressed_in"});
        if (const string* const frame = xyz->find("expressed_in"); frame != nullptr && !frame->empty()) {
          direction = frames_.at(name).model.rotation.transpose_times(resolve(*frame, xyz->mark).rotation * direction);
        }
      }
    }
    if (kind == "revolute" || kind == "continuous") {
      link.joint = make_revolute_joint<double>(direction);
    } else if (kind == "prismatic") {
      link.joint = make_prismatic_joint<double>(direction);
    } else if (kind == "ball") {
      link.joint = make_spherical_joint<double>(), nv = 3;
    } else if (kind == "fixed") {
      nv = 0;
    } else {
      to_->errors.add(element.mark, fmt::format("joint[{}].type", name), kind.empty() ? "nothing" : "'" + kind + "'",
                      join_or({"revolute", "continuous", "prismatic", "ball", "fixed"}));
      return;
    }
    if (axis == nullptr) return;
    if (nv == 0) {
      to_->note(axis->mark, "axis of a fixed joint: left out", name);
      return;
    }
    if (const XmlElement* const dynamics = axis->child("dynamics")) read_dynamics(*dynamics, name, nv, link.dynamics);
  }

  void read_dynamics(const XmlElement& element, const string& name, std::size_t nv, JointDynamicsT<double>& dynamics) {
    const double damping = positive_of(element, "damping", "a joint", name);
    const double stiffness = positive_of(element, "spring_stiffness", "a joint", name);
    if (damping > 0.0) dynamics.damping.assign(nv, damping);
    if (number_of(element, "friction", 0.0) != 0.0)
      to_->note(element.mark, "friction of a joint: left out (an element joint_friction can stand for it)", name);
    if (stiffness > 0.0 && nv == 1) {
      dynamics.stiffness = {stiffness};
      dynamics.rest = {number_of(element, "spring_reference", 0.0)};
    } else if (stiffness > 0.0) {
      to_->note(element.mark, "spring of a ball joint: left out", name);
    }
    note_attributes(element, "the dynamics of a joint", name, {});
    note_children(element, "the dynamics of a joint", name,
                  {"damping", "friction", "spring_stiffness", "spring_reference"});
  }

  std::optional<MassProperties> read_inertial(const XmlElement& element, const string& name) {
    MassProperties mass;
    note_attributes(element, "an inertial", name, {});
    note_children(element, "an inertial", name, {"pose", "mass", "inertia"});
    mass.mass = number_of(element, "mass", 1.0);
    mass.inertia = SymmetricMatrix3::diagonal(1.0, 1.0, 1.0);  // SDF's defaults
    if (const XmlElement* const tensor = element.child("inertia")) {
      SymmetricMatrix3& I = mass.inertia;
      I = {number_of(*tensor, "ixx", 1.0), number_of(*tensor, "iyy", 1.0), number_of(*tensor, "izz", 1.0),
           number_of(*tensor, "ixy", 0.0), number_of(*tensor, "ixz", 0.0), number_of(*tensor, "iyz", 0.0)};
      note_attributes(*tensor, "an inertia", name, {});
      note_children(*tensor, "an inertia", name, {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"});
    }
    return mass.seen_from(read_pose_on(name, element));
  }

  void read_visual(const XmlElement& element, const string& name, const string& link) {
    Visual visual;
    visual.pose = read_pose_on(name, element);
    note_attributes(element, "a visual", name, {"name"});
    note_children(element, "a visual", name, {"pose", "material", "geometry"});
    if (const XmlElement* const material = element.child("material")) visual.color = read_color(*material, name);
    const XmlElement* const geometry = element.child("geometry");
    if (geometry == nullptr || geometry->children.empty()) {
      to_->note(element.mark, "visual without a geometry: not drawn", name);
      return;
    }
    const XmlElement& shape = geometry->children.front();
    if (shape.tag == "box") {
      const auto x = numbers_of(text_of(shape, "size", ""));
      if (!x || x->size() != 3 || !(std::min({(*x)[0], (*x)[1], (*x)[2]}) > 0.0)) {
        return to_->note(shape.mark, "box without a size: not drawn", name);
      }
      note_children(shape, "a box", name, {"size"});
      visual.shape = Visual::Shape::box, visual.size = {(*x)[0], (*x)[1], (*x)[2]};
    } else if (shape.tag == "cylinder" || shape.tag == "sphere") {
      visual.shape = shape.tag == "sphere" ? Visual::Shape::sphere : Visual::Shape::cylinder;
      visual.radius = number_of(shape, "radius", 1.0), visual.length = number_of(shape, "length", 1.0);
      if (!(visual.radius > 0.0 && visual.length > 0.0)) {
        return to_->note(shape.mark, fmt::format("{} without a size: not drawn", shape.tag), name);
      }
      if (shape.tag == "sphere") {
        note_children(shape, "a sphere", name, {"radius"});
      } else {
        note_children(shape, "a cylinder", name, {"radius", "length"});
      }
    } else if (shape.tag == "mesh") {
      const auto s = numbers_of(text_of(shape, "scale", "1 1 1"));
      if (!s || s->size() != 3) {
        to_->errors.add(shape.mark, "mesh.scale", "'" + text_of(shape, "scale", "") + "'", "3 numbers");
        return;
      }
      note_children(shape, "a mesh", name, {"uri", "scale"});
      visual.shape = Visual::Shape::mesh;
      visual.mesh =
          to_->mesh_to_draw(shape.mark, text_of(shape, "uri", ""), file_name_, Vector3{(*s)[0], (*s)[1], (*s)[2]});
      if (!visual.mesh) return;
    } else {
      return to_->note(shape.mark, fmt::format("{} of a visual: not drawn", shape.tag), name);
    }
    to_->add_visual(link, std::move(visual));
  }

  /// The diffuse color of a material; nothing if it says none.
  std::optional<Color> read_color(const XmlElement& material, const string& name) {
    note_attributes(material, "a material", name, {"name"});
    note_children(material, "a material", name, {"diffuse"});
    const XmlElement* const diffuse = material.child("diffuse");
    if (diffuse == nullptr) return std::nullopt;
    const auto c = numbers_of(diffuse->text);
    if (!c || c->size() < 3 || c->size() > 4) {
      to_->errors.add(diffuse->mark, "material.diffuse", "'" + diffuse->text + "'", "3 or 4 numbers");
      return std::nullopt;
    }
    const auto part = [](double x) { return std::clamp(x, 0.0, 1.0); };
    return Color{part((*c)[0]), part((*c)[1]), part((*c)[2]), c->size() > 3 ? part((*c)[3]) : 1.0};
  }

  void add_effects(const XmlElement& element, const string& link) {
    const string* const type = element.find("type");
    const string name = name_of(element), kind = type ? *type : "";
    const bool turns = kind == "revolute" || kind == "continuous", single = turns || kind == "prismatic";
    const XmlElement* const axis = element.child("axis");
    note_attributes(element, "a joint", name, {"name", "type"});
    note_children(element, "a joint", name, {"parent", "child", "axis", "pose"});
    if (kind == "ball" && axis != nullptr) {
      note_children(*axis, "the axis of a ball joint", name, {"xyz", "dynamics"});
    }
    if (!single) return;
    to_->robot.actuators.push_back(Actuator::joint(to_->effect_name(element.mark, name), link));
    if (axis == nullptr) return;
    note_attributes(*axis, "an axis", name, {});
    note_children(*axis, "an axis", name, {"xyz", "limit", "dynamics"});
    const XmlElement* const limit = axis->child("limit");
    if (limit == nullptr) return;
    note_attributes(*limit, "the limit of a joint", name, {});
    note_children(*limit, "the limit of a joint", name, {"lower", "upper", "effort", "velocity"});
    constexpr double k_unbounded = 1e16;  // what SDF takes for no limit
    const double lower = number_of(*limit, "lower", -k_unbounded), upper = number_of(*limit, "upper", k_unbounded);
    const double effort = number_of(*limit, "effort", 0.0);
    if (effort > 0.0) to_->note(limit->mark, "most effort of a joint: left out, as actuators have no limits", name);
    if (number_of(*limit, "velocity", 0.0) > 0.0) to_->note(limit->mark, "most velocity of a joint: left out", name);
    if (lower <= -1e15 && upper >= 1e15) return;
    if (kind == "continuous") {
      to_->note(limit->mark, "limits of a continuous joint: left out", name);
    } else if (lower < upper) {
      to_->add_limit(limit->mark, name, link, turns, lower, upper, effort);
    } else {
      to_->note(limit->mark, "limits of a joint that leave no room (lower not below upper): left out", name);
    }
  }

  string file_name_;
  XmlElement root_;
  ImportBuilder* to_;
  const XmlElement* model_ = nullptr;
  std::vector<string> links_, markers_;
  std::map<string, LinkEntry> link_entries_;
  std::vector<std::pair<string, JointEntry>> joints_;
  std::map<string, std::size_t> joint_index_;  // by name, in joints_
  std::map<string, FrameEntry> frames_;
};

}  // namespace

void read_sdf(const NamedText& file, const std::string& name, ImportBuilder& to) { SdfReader(file, name, to).read(); }

}  // namespace cuttle
