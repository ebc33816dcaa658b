#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/bodies/rigid_body.h"
#include "cuttle/io/robot_export.h"

namespace cuttle {

/// What formats of other programs have as joints: one coordinate, a ball, or six freedoms.
struct ExportJoint {
  enum class Kind { hinge, slide, ball, free } kind = Kind::hinge;
  std::string name;
  Vector3 axis{0.0, 0.0, 1.0};  ///< unit, in the body's frame at q = 0
  double stiffness = 0.0, damping = 0.0, armature = 0.0, rest = 0.0;
  std::optional<std::array<double, 2>> range;

  bool has_one_coordinate() const { return kind == Kind::hinge || kind == Kind::slide; }
};

/// A frame that has a name.
struct ExportFrame {
  std::string name;
  Pose pose;  ///< in the body's frame, or the world's
};

/// A rigid part that moves by its joints, the first one outermost; all of them are at its frame's origin.
struct ExportBody {
  std::string name;
  int parent = -1;  ///< index of the body; -1: the world
  Pose parent_body;
  std::vector<ExportJoint> joints;
  RigidParameters inertia;  ///< the tip has no meaning
  std::vector<Visual> shapes;
  std::vector<ContactShape> touching;  ///< by these it touches, in its frame
  std::vector<ExportFrame> frames;
};

/// A pose on a body, -1 being the world.
struct BodyPose {
  int body = -1;
  Pose pose;
};

/// A part of a chain along a soft body.
struct ExportPiece {
  double begin = 0.0, end = 0.0;  ///< s [m]
  int body = 0;
  Pose rod_body;  ///< its frame in the soft body's base frame, without stress
};

/// What a coordinate of a link became: the sum of factor times coordinate over some joints of one coordinate. Empty:
/// there is no such sum.
using JointSum = std::vector<std::pair<std::string, double>>;

/// Where a link of the robot is in the tree.
struct ExportLink {
  BodyPose base, tip;
  std::vector<ExportPiece> pieces;    ///< of a chain
  std::vector<JointSum> coordinates;  ///< of its joint, then its body
  std::array<JointSum, 6> strain;     ///< of a chain: integral of each strain minus its rest value, over s
};

/// A robot of rigid parts alone, as all formats of other programs can have it.
struct ExportTree {
  std::string name;
  Vector3 gravity;
  bool floating = false;           ///< the first body is the floating base
  std::vector<ExportBody> bodies;  ///< parents before children
  std::vector<ExportFrame> world_frames;
  std::vector<Visual> world_shapes;
  std::map<std::string, ExportLink> links;
  std::vector<std::string> chains;  ///< links that became some
  std::vector<ExportNote> notes;
  std::set<std::string> names, joint_names;  ///< that are taken

  /// Says that something is lost or changed; the same thing of several names is one note.
  void note(const std::string& what, const std::string& name = "");
  /// The name, or with a number behind it if it is taken.
  std::string free_name(const std::string& wanted) { return free_in(names, wanted); }
  std::string free_joint_name(const std::string& wanted) { return free_in(joint_names, wanted); }
  ExportJoint* joint(const std::string& name);
  std::vector<ExportFrame>& frames(int body) {
    return body < 0 ? world_frames : bodies[static_cast<std::size_t>(body)].frames;
  }

  static std::string free_in(std::set<std::string>& taken, const std::string& wanted);
};

/// @throws ModelError that names what has no counterpart, unless options.allow_loss.
ExportTree export_tree(const Robot& robot, const std::vector<LinkVisual>& visuals, const ExportOptions& options);

/// A place of the robot in its tree.
BodyPose place_in_tree(const Robot& robot, const ExportTree& tree, const Place& place);

/// Poses of places on a body without stress, in its base frame.
std::vector<Pose> rest_poses(const Body& body, const std::vector<PortLocation>& places);

/// Appends the chain of a soft body behind the body that has its base frame. Nothing of the tree changes if the body is
/// none of which chains are made.
/// @param link  gets its pieces, tip and coordinates.
/// @return whether it is one.
bool append_chain(ExportTree& tree, const std::string& name, const Body& body, const ExportOptions& options,
                  ExportLink& link);

/// The robot that consists of one soft body alone, as the file says it or with free strains. Null: no chains are made
/// of it.
std::shared_ptr<const Body> chain_reference(const Body& body, bool with_free_strains);

/// Mass, centre of mass and inertia about that of an inertia about its frame.
RigidParameters rigid_parameters(const SpatialInertia& inertia);

/// Limits of joints as ranges of theirs.
void apply_limits(const Robot& robot, ExportTree& tree);

/// How well the chain of a soft body stands for it.
/// @param gravity  in the axes of the base that holds it [m/s^2].
ExportedChain judge_chain(const std::string& link, const Body& body, const Vector3& gravity,
                          const ExportOptions& options);

// Writers of text, without a head.
/// Notes what URDF does not have of a robot, but for elements.
void note_urdf_losses(const Robot& robot, ExportTree& tree);
std::string urdf_text(ExportTree& tree, FileTexts& files);
/// @param robot  whose actuators, elements and loops become what MJCF has for them.
std::string mjcf_text(const Robot& robot, ExportTree& tree, FileTexts& files);
/// A mesh beside the text. @return its file's name.
std::string mesh_file(const TriangleMesh& mesh, const std::string& name, FileTexts& files);
/// Numbers that read back the same, with a space between.
std::string number_list(const std::vector<double>& numbers);
std::string vector_text(const Vector3& v);

}  // namespace cuttle
