#pragma once

#include <Eigen/Cholesky>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/spatial/eigen.h"
#include "io/import/import_builder.h"
#include "io/import/mjcf_defaults.h"

namespace cuttle {

/// Settings of <compiler>.
struct MjcfCompiler {
  bool degrees = true, autolimits = true, balance_inertia = false;
  bool strip_path = false, exact_meshes = false;
  std::string euler_order = "xyz", mesh_folder, inertia_from_geom = "auto";
  double bound_mass = 0.0, bound_inertia = 0.0, total_mass = -1.0;
  int first_group = 0, last_group = 5;
};

/// An element of a body where its <frame>s put it.
struct MjcfPlaced {
  const XmlElement* element;
  Pose body_frame;
  std::string childclass;
};

struct MjcfJoint {
  enum class Kind { free, ball, slide, hinge } kind = Kind::hinge;
  std::string name;
  SourceMark mark;
  Vector3 anchor;
  Vector3 axis{0.0, 0.0, 1.0};
  double ref = 0.0;
  JointDynamicsT<double> dynamics;
  std::optional<std::array<double, 2>> range;
  std::optional<std::array<double, 2>> spring_damper;  ///< time constant [s] and ratio
};

/// What has a name in a model, by which other elements ask for it.
struct MjcfBodyEntry {
  std::string link;  ///< of the robot; empty: the world
  Pose world;        ///< its frame in the reference configuration
};
struct MjcfJointEntry {
  std::string link;
  MjcfJoint::Kind kind;
  double ref;
};
struct MjcfSiteEntry {
  std::string body;
  std::string link;
  Pose link_site;
};
struct MjcfTendon {
  bool fixed = false;
  std::vector<std::string> links;
  std::vector<double> factors;
  double reference = 0.0;        ///< its length where all coordinates are zero
  std::vector<Routing> routing;  ///< of a spatial one
  SourceMark mark;
};
/// Stiffness and damping of a joint by a time constant [s] and a ratio.
struct MjcfSpringDamper {
  std::string link, shown;
  SourceMark mark;
  double time_constant, ratio;
};
/// Of all that weighs, in the reference configuration.
struct MjcfInertia {
  Eigen::LLT<Eigen::MatrixXd> factor;                      ///< of the mass matrix
  std::map<std::string, std::pair<int, int>> coordinates;  ///< of a link: the first one's index, and how many
};
struct MjcfMesh {
  const XmlElement* element;
  std::vector<const XmlElement*> defaults;
  std::shared_ptr<const TriangleMesh> mesh;
  bool tried = false;
  std::string trouble;  ///< why there is none
};

/// A model in MJCF while it is read: its settings, and what was read so far by its names.
struct MjcfModel {
  MjcfModel(const NamedText& file, std::string name, ImportBuilder& builder)
      : file_name(std::move(name)), root(parse_xml(file, {"mujoco"})), to(&builder) {}

  std::string file_name;
  XmlElement root;
  ImportBuilder* to;
  MjcfCompiler compiler;
  MjcfDefaults defaults;
  int body_count = 0;
  std::map<std::string, MjcfMesh> meshes;
  std::map<std::string, Color> materials;
  std::map<std::string, MjcfBodyEntry> bodies;
  std::map<std::string, MjcfJointEntry> joints;
  std::map<std::string, MjcfSiteEntry> sites;
  std::map<std::string, MjcfTendon> tendons;
  std::vector<Visual> world_geoms;
  std::vector<MjcfSpringDamper> spring_dampers;
  std::optional<MjcfInertia> inertia;  ///< once somebody asked, mjcf_inertia
};

// mjcf_settings.cpp
void read_mjcf_compiler(MjcfModel& model, const XmlElement& element);
void read_mjcf_option(MjcfModel& model, const XmlElement& element);
void read_mjcf_assets(MjcfModel& model, const XmlElement& section);
std::optional<Color> read_mjcf_color(ElementReader& reader);
/// Number of a group of geoms.
int mjcf_group(double value);
/// An angle of the file in rad.
double mjcf_angle(const MjcfModel& model, double value);
/// Rotation of `euler`, in the compiler's units and order.
Matrix3 mjcf_euler_rotation(const MjcfModel& model, const std::vector<double>& euler);
/// `pos` and an orientation in any of its spellings.
Pose read_mjcf_frame(MjcfModel& model, ElementReader& reader);
/// The elements of a body, those in <frame>s too.
void flatten_mjcf_frames(MjcfModel& model, const XmlElement& element, const Pose& frame, const std::string& childclass,
                         std::vector<MjcfPlaced>& all);
ElementReader reader_of_placed(MjcfModel& model, const MjcfPlaced& placed, const std::string& name);

// mjcf_replicate.cpp
/// Puts frames with copies in the place of each <replicate>, and what acts on them as often; before defaults are read.
void expand_replicates(MjcfModel& model);

// mjcf_shapes.cpp
/// @param mass    gets what it weighs; null: nobody wants to know.
/// @param shapes  get what there is to draw of it.
/// @param touching  gets the shape by which it touches; null: of the world, nobody wants it.
void read_mjcf_geom(MjcfModel& model, const MjcfPlaced& placed, const std::string& body,
                    std::optional<MassProperties>* mass, std::vector<Visual>* shapes,
                    std::vector<ContactShape>* touching);
void read_mjcf_site(MjcfModel& model, const MjcfPlaced& placed, const std::string& body, const std::string& link,
                    const Pose& link_body);

// mjcf_joints.cpp
MjcfJoint read_mjcf_joint(MjcfModel& model, const MjcfPlaced& placed, const std::string& body, std::size_t index);
/// A body as links, one for each of its joints. @return the last one, whose tip is the body's frame.
std::string add_joint_links(MjcfModel& model, const SourceMark& mark, const std::string& name,
                            const std::string& parent, const Pose& parent_body, const std::vector<MjcfJoint>& joints,
                            const std::optional<MassProperties>& mass);

/// In the reference configuration, once all links are there.
const MjcfInertia& mjcf_inertia(MjcfModel& model);
/// Stiffness I / (T r)^2 and damping 2 I / T of each joint with `springdamper="T r"`; 1/I is the mean of the inverse
/// mass matrix's diagonal.
void apply_mjcf_spring_dampers(MjcfModel& model);
/// What an actuator has to move, 1 / (J M^-1 J^T) of J = gear factors; 0 where the mass matrix is not definite.
double mjcf_reflected_inertia(MjcfModel& model, const MjcfTendon& through, double gear);

// mjcf_actuators.cpp
void read_mjcf_tendon(MjcfModel& model, const XmlElement& element);
void read_mjcf_actuator(MjcfModel& model, const XmlElement& element);
std::string shown_mjcf_name(const XmlElement& element);
/// A reader of an element of a section beside <worldbody>. @param tag  whose defaults count.
ElementReader reader_in_section(MjcfModel& model, const XmlElement& element, const char* what, const std::string& shown,
                                const std::string& tag);
/// The joint of one coordinate that an attribute names; null, with an error if there is none of that name.
const MjcfJointEntry* single_mjcf_joint(MjcfModel& model, ElementReader& reader, const char* attribute);

// mjcf_equalities.cpp
void read_mjcf_equality(MjcfModel& model, const XmlElement& element);

}  // namespace cuttle
