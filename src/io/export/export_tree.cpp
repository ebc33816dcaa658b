#include "io/export/export_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cuttle/bodies/body_surface.h"
#include "cuttle/error.h"
#include "cuttle/io/key_table.h"

namespace cuttle {
namespace {

double entry_or_zero(const std::vector<double>& values, std::size_t i) { return values.empty() ? 0.0 : values[i]; }

/// One number for several coordinates that a format has but one for.
double shared_entry(ExportTree& tree, const std::vector<double>& values, const char* what, const std::string& name) {
  if (values.empty()) return 0.0;
  double sum = 0.0;
  for (const double value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  if (std::any_of(values.begin(), values.end(), [&](double value) { return value != values.front(); })) {
    tree.note(fmt::format("{} of a joint that differs from coordinate to coordinate: its mean", what), name);
  }
  return values.front() == mean ? values.front() : mean;
}

/// The joint of a link as joints of its body.
class JointExporter {
 public:
  JointExporter(ExportTree& tree, const Link& link, const std::string& name, ExportBody& body, ExportLink& where)
      : tree_(&tree), link_(&link), name_(name), body_(&body), where_(&where) {}

  /// @param root  whether the body hangs on the world.
  void add(bool root, bool allow_loss) {
    if (!link_->joint || link_->joint->nv() == 0) return;
    const Joint& joint = *link_->joint;
    const std::string type = joint.type_name();
    const auto packing = joint.packing();
    const std::vector<Vector3> axes = packing && packing->kind == type ? packing->axes : std::vector<Vector3>();
    const Vector3 x{1.0, 0.0, 0.0}, y{0.0, 1.0, 0.0}, z{0.0, 0.0, 1.0};
    using Kind = ExportJoint::Kind;
    if (type == "revolute" && axes.size() == 1) {
      single(Kind::hinge, axes[0], name_);
    } else if (type == "prismatic" && axes.size() == 1) {
      single(Kind::slide, axes[0], name_);
    } else if (type == "cylindrical" && axes.size() == 1) {
      single(Kind::hinge, axes[0], name_ + "_angle"), single(Kind::slide, axes[0], name_ + "_slide");
    } else if (type == "universal" && axes.size() == 2) {
      single(Kind::hinge, axes[0], name_ + "_1"), single(Kind::hinge, axes[1], name_ + "_2");
    } else if (type == "planar" && packing) {
      single(Kind::slide, x, name_ + "_x"), single(Kind::slide, y, name_ + "_y"),
          single(Kind::hinge, z, name_ + "_angle");
    } else if (type == "spherical" && packing) {
      quaternion(Kind::ball, 0, 3, name_);
    } else if (type == "free" && packing) {
      add_free(root);
    } else if (allow_loss) {
      tree_->note(fmt::format("joint of type {}: fixed", type), name_);
      where_->coordinates.resize(static_cast<std::size_t>(joint.nv()));
    } else {
      throw ModelError("joint", "a joint of type " + type + ", which the format does not have",
                       "a joint of the library, or to be allowed to fix it (--allow-loss)");
    }
  }

 private:
  void single(ExportJoint::Kind kind, const Vector3& axis, const std::string& name) {
    const std::size_t i = where_->coordinates.size();
    const JointDynamicsT<double>& dynamics = link_->joint_dynamics;
    ExportJoint added;
    added.kind = kind, added.axis = axis, added.name = tree_->free_joint_name(name);
    added.stiffness = entry_or_zero(dynamics.stiffness, i), added.damping = entry_or_zero(dynamics.damping, i);
    added.armature = entry_or_zero(dynamics.armature, i), added.rest = entry_or_zero(dynamics.rest, i);
    where_->coordinates.push_back({{added.name, 1.0}});
    body_->joints.push_back(std::move(added));
  }

  /// @param first, count  of the entries of the joint's dynamics that it has.
  void quaternion(ExportJoint::Kind kind, std::size_t first, std::size_t count, const std::string& name) {
    const JointDynamicsT<double>& dynamics = link_->joint_dynamics;
    const auto part = [&](const std::vector<double>& values) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
      return values.empty() ? values : std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count));
    };
    ExportJoint added;
    added.kind = kind, added.name = tree_->free_joint_name(name);
    added.stiffness = shared_entry(*tree_, part(dynamics.stiffness), "stiffness", name_);
    added.damping = shared_entry(*tree_, part(dynamics.damping), "damping", name_);
    added.armature = shared_entry(*tree_, part(dynamics.armature), "armature", name_);
    if (!dynamics.rest.empty() && added.stiffness != 0.0) {
      tree_->note("rest of the spring of a joint with a quaternion: left out, it rests at q = identity", name_);
    }
    body_->joints.push_back(std::move(added));
    where_->coordinates.resize(where_->coordinates.size() + count);
  }

  void add_free(bool root) {
    if (root) return quaternion(ExportJoint::Kind::free, 0, 6, name_);
    tree_->note("free joint between two links: made three slides and a ball", name_);
    if (!link_->joint_dynamics.stiffness.empty()) tree_->note("spring of a free joint: left out", name_);
    for (const auto& [letter, axis] : {std::pair{"x", Vector3{1.0, 0.0, 0.0}}, std::pair{"y", Vector3{0.0, 1.0, 0.0}},
                                       std::pair{"z", Vector3{0.0, 0.0, 1.0}}}) {
      ExportJoint slide;
      slide.kind = ExportJoint::Kind::slide, slide.axis = axis,
      slide.name = tree_->free_joint_name(name_ + "_" + letter);
      body_->joints.push_back(std::move(slide));
    }
    ExportJoint ball;
    ball.kind = ExportJoint::Kind::ball, ball.name = tree_->free_joint_name(name_);
    body_->joints.push_back(std::move(ball));
    where_->coordinates.resize(6);
    if (!link_->joint_dynamics.damping.empty() || !link_->joint_dynamics.armature.empty()) {
      tree_->note("damping and armature of a free joint between two links: left out", name_);
    }
  }

  ExportTree* tree_;
  const Link* link_;
  std::string name_;
  ExportBody* body_;
  ExportLink* where_;
};

/// A body of which no chain is made, without its deformation.
void add_rigid_stand_in(ExportTree& tree, const std::string& name, const Body& body, bool allow_loss,
                        ExportLink& where) {
  if (!allow_loss) {
    throw ModelError("body", "a body of type " + body.type_name() + ", which the format does not have",
                     "rigid, rod or continuum_joint, or to be allowed to put a rigid body of its rest shape in its "
                     "place (--allow-loss)");
  }
  tree.note(fmt::format("body of type {}: rigid, in its rest shape", body.type_name()), name);
  ExportBody& owner = tree.bodies[static_cast<std::size_t>(where.base.body)];
  owner.inertia = rigid_parameters(body.rest_inertia());
  where.tip = {where.base.body, rest_poses(body, {PortLocation::tip()})[0]};
  where.coordinates.resize(where.coordinates.size() + static_cast<std::size_t>(body.coordinate_count()));
  const BodySurface surface = body.surface();
  if (surface.empty()) return;
  Visual drawn;
  drawn.shape = Visual::Shape::mesh;
  drawn.mesh = std::make_shared<const TriangleMesh>(TriangleMesh{surface.points, surface.triangles()});
  owner.shapes.push_back(std::move(drawn));
}

std::string parent_name(const Robot& robot, std::size_t i) {
  const std::string& given = robot.links[i].parent.link;
  if (!given.empty()) return given;
  return i == 0 ? "base" : robot.links[i - 1].name;
}

void add_link(const Robot& robot, std::size_t i, const ExportOptions& options, ExportTree& tree) {
  const Link& link = robot.links[i];
  Place parent = link.parent;
  parent.link = parent_name(robot, i);
  const BodyPose at = place_in_tree(robot, tree, parent);
  ExportBody body;
  body.name = tree.free_name(link.name);
  if (body.name != link.name) tree.note("name of a link that is taken: changed", link.name + " -> " + body.name);
  body.parent = at.body, body.parent_body = at.pose;
  ExportLink where;
  where.base = where.tip = {static_cast<int>(tree.bodies.size()), {}};
  JointExporter(tree, link, body.name, body, where).add(at.body < 0, options.allow_loss);
  const std::string name = body.name;
  const auto* const rigid = dynamic_cast<const RigidBody*>(link.body.get());
  if (rigid != nullptr) body.inertia = rigid->parameters(), where.tip.pose = rigid->parameters().tip;
  body.touching = link.contact.shapes;
  tree.bodies.push_back(std::move(body));
  if (link.body && rigid == nullptr && !append_chain(tree, name, *link.body, options, where)) {
    add_rigid_stand_in(tree, name, *link.body, options.allow_loss, where);
  }
  if (where.pieces.size() > 1) tree.chains.push_back(link.name);
  if (where.tip.body != where.base.body || !(where.tip.pose == Pose())) {
    tree.frames(where.tip.body).push_back({tree.free_name(name + "_tip"), where.tip.pose});
  }
  tree.links[link.name] = std::move(where);
}

void add_shapes(const Robot& robot, const std::vector<LinkVisual>& visuals, ExportTree& tree) {
  for (const LinkVisual& drawn : visuals) {
    if (drawn.frame == LinkVisual::Frame::obstacle) continue;
    BodyPose at;
    if (drawn.frame == LinkVisual::Frame::base || (drawn.link == "base" && drawn.frame != LinkVisual::Frame::world)) {
      at = place_in_tree(robot, tree, {"base", PortLocation::tip(), {}});
    } else if (drawn.frame != LinkVisual::Frame::world) {
      const auto link = std::find_if(robot.links.begin(), robot.links.end(),
                                     [&](const Link& candidate) { return candidate.name == drawn.link; });
      if (link == robot.links.end()) continue;
      Place parent = link->parent;
      parent.link = parent_name(robot, static_cast<std::size_t>(link - robot.links.begin()));
      at =
          drawn.frame == LinkVisual::Frame::joint ? place_in_tree(robot, tree, parent) : tree.links.at(drawn.link).base;
    }
    Visual shape = drawn.visual;
    shape.pose = at.pose * shape.pose;
    (at.body < 0 ? tree.world_shapes : tree.bodies[static_cast<std::size_t>(at.body)].shapes)
        .push_back(std::move(shape));
  }
}

}  // namespace

void ExportTree::note(const std::string& what, const std::string& concerned) {
  auto found = std::find_if(notes.begin(), notes.end(), [&](const ExportNote& note) { return note.what == what; });
  if (found == notes.end()) found = notes.insert(notes.end(), {what, {}});
  if (!concerned.empty()) found->names.push_back(concerned);
}

std::string ExportTree::free_in(std::set<std::string>& taken, const std::string& wanted) {
  std::string free = wanted;
  for (int i = 1; taken.count(free) > 0; ++i) free = fmt::format("{}_{}", wanted, i);
  taken.insert(free);
  return free;
}

ExportJoint* ExportTree::joint(const std::string& wanted) {
  for (ExportBody& body : bodies) {
    for (ExportJoint& candidate : body.joints) {
      if (candidate.name == wanted) return &candidate;
    }
  }
  return nullptr;
}

RigidParameters rigid_parameters(const SpatialInertia& inertia) {
  RigidParameters rigid;
  rigid.mass = inertia.mass, rigid.inertia = inertia.rotation;
  if (inertia.mass == 0.0) return rigid;
  rigid.com = (1.0 / inertia.mass) * inertia.moment;
  const double c2 = inertia.mass * dot(rigid.com, rigid.com);
  rigid.inertia -= SymmetricMatrix3::diagonal(c2, c2, c2);
  rigid.inertia += SymmetricMatrix3::outer(inertia.mass, rigid.com);
  return rigid;
}

BodyPose place_in_tree(const Robot& robot, const ExportTree& tree, const Place& place) {
  if (place.link == "base") {
    return tree.floating ? BodyPose{0, place.pose} : BodyPose{-1, robot.base_pose * place.pose};
  }
  const ExportLink& link = tree.links.at(place.link);
  const auto on = [&](const BodyPose& frame) { return BodyPose{frame.body, frame.pose * place.pose}; };
  if (place.at.kind == PortLocation::Kind::base) return on(link.base);
  if (place.at.kind == PortLocation::Kind::tip) return on(link.tip);
  const auto owner = std::find_if(robot.links.begin(), robot.links.end(),
                                  [&](const Link& candidate) { return candidate.name == place.link; });
  const Pose rod_place = owner->body ? rest_poses(*owner->body, {place.at})[0] : Pose();
  for (const ExportPiece& piece : link.pieces) {
    if (place.at.s > piece.end && &piece != &link.pieces.back()) continue;
    return {piece.body, piece.rod_body.inverse() * rod_place * place.pose};
  }
  return {link.base.body, link.base.pose * rod_place * place.pose};
}

ExportTree export_tree(const Robot& robot, const std::vector<LinkVisual>& visuals, const ExportOptions& options) {
  ExportTree tree;
  tree.name = robot.name, tree.gravity = robot.gravity, tree.floating = robot.floating_base;
  tree.names.insert("world");
  if (robot.floating_base) {
    ExportBody base;
    base.name = tree.free_name("base");
    base.parent_body = robot.base_pose;
    ExportJoint free;
    free.kind = ExportJoint::Kind::free, free.name = tree.free_joint_name("base");
    base.joints.push_back(std::move(free));
    tree.bodies.push_back(std::move(base));
  }
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    at_place({"links", i}, robot.links[i].name, [&] { add_link(robot, i, options, tree); });
  }
  for (const Marker& marker : robot.markers) {
    const BodyPose at = place_in_tree(robot, tree, marker.place);
    tree.frames(at.body).push_back({tree.free_name(marker.name), at.pose});
  }
  add_shapes(robot, visuals, tree);
  for (const NamedSensor& sensor : robot.sensors) tree.note("sensor: left out", sensor.name);
  for (const Load& load : robot.loads) tree.note("load: left out", load.place.link);
  return tree;
}

}  // namespace cuttle
