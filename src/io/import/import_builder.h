#pragma once

#include <array>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "cuttle/bodies/rigid_body.h"
#include "cuttle/io/named_files.h"
#include "cuttle/io/robot_import.h"
#include "io/import/xml_tree.h"

namespace cuttle {

/// The file that is imported and those that it names: on the disk, or as a result keeps them.
class ImportFiles {
 public:
  /// @param directory  that names are relative to.
  explicit ImportFiles(std::string directory) : directory_(std::move(directory)) {}
  /// Those of a result, and no others. @param holder  what holds them, in messages.
  ImportFiles(FileTexts texts, std::string holder)
      : texts_(std::move(texts)), holder_(std::move(holder)), in_memory_(true) {}

  /// A file by its name; nothing if there is none.
  /// @param paths  where to look for it on the disk: the first that exists counts.
  /// @throws FileError if it cannot be read.
  std::optional<NamedText> find(const std::string& name, const std::vector<std::string>& paths,
                                const std::string& what);
  /// All that were found.
  const FileTexts& texts() const { return texts_; }
  const std::string& directory() const { return directory_; }

 private:
  std::string directory_;
  FileTexts texts_;
  std::string holder_;
  bool in_memory_ = false;
};

/// What notes say of shapes by which bodies touch, and of those that are no shape of Cuttle's.
inline constexpr const char* k_shape_touches =
    "made `contact` of its link; `contacts` of a robot file say what touches";
inline constexpr const char* k_shape_lost = "left out; `contact` of a link has shapes that touch";

/// Mass, center of mass and inertia about that, in the axes of one frame.
struct MassProperties {
  double mass = 0.0;         ///< [kg]
  Vector3 com;               ///< [m]
  SymmetricMatrix3 inertia;  ///< [kg m^2]

  /// Joins another body, given in the same frame.
  MassProperties& operator+=(const MassProperties& other);
  /// In the axes of the frame in which `pose` is that of theirs.
  MassProperties seen_from(const Pose& pose) const;
};

/// A link as other programs have it.
struct ImportedLink {
  std::string name;    ///< as in the file
  std::string parent;  ///< name of a link of the robot; empty: what the root hangs on
  Pose parent_joint;   ///< frame of the joint in the parent's tip frame
  std::shared_ptr<const Joint> joint;
  JointDynamicsT<double> dynamics;
  Pose joint_link;  ///< frame that the file means by the link, in that of the joint after its motion: the tip
  std::optional<MassProperties> mass;  ///< in the frame of the link
};

/// What readers of foreign formats share: the robot so far, its names, what is lost, and what is wrong.
class ImportBuilder {
 public:
  ImportBuilder(ImportFiles& files, const ImportOptions& options) : files_(&files), options_(&options) {}

  Robot robot;
  std::vector<LinkVisual> visuals;
  FileErrors errors;

  const ImportOptions& options() const { return *options_; }

  /// Says that something is lost, changed or chosen; the same thing of several names is one note.
  void note(const SourceMark& mark, const std::string& what, const std::string& name = "");
  std::vector<ImportNote> take_notes() { return std::move(notes_); }

  /// Adds a link. @return its name in the robot.
  std::string add_link(const SourceMark& mark, const ImportedLink& link);
  /// A place on a link of the robot in its tip frame; "" is what the root hangs on.
  Place place(const std::string& link, const Pose& pose) const;
  void add_marker(const SourceMark& mark, const std::string& name, const std::string& link, const Pose& pose);
  /// A shape to draw, at a pose in the link's tip frame.
  void add_visual(const std::string& link, Visual visual);
  /// A shape by which a link touches, at a pose in its tip frame.
  void add_contact_shape(const std::string& link, ContactShape shape);
  /// @param name  of an actuator or element as wanted; it becomes unique.
  std::string effect_name(const SourceMark& mark, const std::string& wanted);
  std::string loop_name(const SourceMark& mark, const std::string& wanted);
  /// An element that keeps the one coordinate of a link between limits, of a stiffness that the file does not have; a
  /// limit may be infinite.
  /// @param effort  most of the joint's motor; 0: not known.
  void add_limit(const SourceMark& mark, const std::string& joint, const std::string& link, bool turns, double lower,
                 double upper, double effort);

  /// The text of a file that another one names; nothing if there is none.
  /// @param from  the file that names it, as found.
  std::optional<NamedText> file(const std::string& name, const std::string& from, const std::string& what);
  struct LoadedMesh {
    std::shared_ptr<const TriangleMesh> mesh;  ///< null: it cannot be had
    bool is_missing = false;                   ///< there is no such file
    std::string trouble;                       ///< what is wrong with the file
  };
  /// A mesh file, read once however many parts are of its shape.
  const LoadedMesh& mesh(const std::string& name, const std::string& from, const Vector3& scale);
  /// The triangles of a mesh file; nothing, with a note that it is not drawn, if they cannot be had.
  std::shared_ptr<const TriangleMesh> mesh_to_draw(const SourceMark& mark, const std::string& name,
                                                   const std::string& from, const Vector3& scale);

 private:
  std::string plain_name(const SourceMark& mark, const std::string& wanted, const char* what,
                         std::set<std::string>& taken);

  ImportFiles* files_;
  const ImportOptions* options_;
  std::vector<ImportNote> notes_;
  std::map<std::string, std::size_t> note_index_;
  std::set<std::string> links_{"base"}, effects_, loops_, markers_;
  std::map<std::string, Pose> joint_link_;  // of links whose tip is not their base
  std::map<std::tuple<std::string, std::string, std::array<double, 3>>, LoadedMesh> meshes_;  // by `from`, name, scale
};

/// An element while it is read: what nobody asked for is lost, and said so.
class ElementReader {
 public:
  /// @param defaults  other attributes of it, the last of them first to count.
  ElementReader(const XmlElement& element, std::string path, std::string name, ImportBuilder& to,
                std::vector<const XmlElement*> defaults = {});

  const SourceMark& mark() const { return element_->mark; }
  const XmlElement& element() const { return *element_; }
  const std::string& name() const { return name_; }

  std::optional<std::string> text(const std::string& attribute);
  std::string text_or(const std::string& attribute, const std::string& fallback);
  std::optional<double> number(const std::string& attribute);
  double number_or(const std::string& attribute, double fallback);
  /// A number that may be infinite, as `inf`, `-Infinity` or 1e400.
  double bound_or(const std::string& attribute, double fallback);
  /// Numbers with white space between; none if there is no such attribute, or it is wrong.
  std::vector<double> numbers(const std::string& attribute, std::size_t least, std::size_t most);
  std::optional<Vector3> vector(const std::string& attribute);
  Vector3 vector_or(const std::string& attribute, const Vector3& fallback);
  bool flag(const std::string& attribute, bool fallback);
  bool has(const std::string& attribute) const { return value(attribute) != nullptr; }
  void fail(const std::string& attribute, const std::string& found, const std::string& expected);

  /// These mean nothing for what a robot file says.
  void ignore(std::initializer_list<const char*> attributes);
  /// Notes each attribute that was not asked for.
  void finish();

 private:
  const std::string* value(const std::string& attribute) const;

  const XmlElement* element_;
  std::string path_, name_;
  ImportBuilder* to_;
  std::vector<const XmlElement*> defaults_;
  std::set<std::string> used_;
};

/// Whether these bounds are what other programs write for none: infinite, or 1e16 as in SDF.
bool is_no_limit(double lower, double upper);

/// Numbers of a text, with white space between; nothing if one is none, or not finite.
std::optional<std::vector<double>> numbers_of(const std::string& text);

/// A robot of a file, from wherever `files` has it.
/// @param name  as a key of a robot file names it.
ImportedRobot import_named(const ImportFormat& format, const NamedText& file, const std::string& name,
                           ImportFiles& files, const ImportOptions& options);

/// Rotation that turns z into a direction by the least angle.
Matrix3 rotation_from_z(const Vector3& direction);
Vector3 unit(const Vector3& v);

}  // namespace cuttle
