// Robots as MJCF: bodies, joints and shapes.
#include "io/export/mjcf_writer.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <sstream>
#include <utility>

#include "cuttle/geometry/shapes.h"
#include "cuttle/spatial/eigen.h"
#include "cuttle/spatial/logarithm.h"
#include "io/import/solid.h"

namespace cuttle {
namespace {

using std::string;

constexpr double k_least_inertia = 2e-15;  // MuJoCo refuses less than 1e-15 kg or kg m^2 of what moves
constexpr double k_least_volume = 1e-14;   // of a mesh [m^3]; MuJoCo refuses flat ones

class MjcfWriter {
 public:
  MjcfWriter(ExportTree& tree, FileTexts& files) : tree_(&tree), files_(&files) {}

  void write(pugi::xml_node root) {
    asset_ = root.append_child("asset");
    pugi::xml_node world = root.append_child("worldbody");
    for (const Visual& shape : tree_->world_shapes) write_geom(world, "world", shape);
    write_sites(world, tree_->world_frames);
    children_.resize(tree_->bodies.size());
    std::vector<std::size_t> roots;
    for (std::size_t i = 0; i < tree_->bodies.size(); ++i) {
      const int parent = tree_->bodies[i].parent;
      (parent < 0 ? roots : children_[static_cast<std::size_t>(parent)]).push_back(i);
    }
    for (const std::size_t i : roots) write_body(world, i);
    if (asset_.first_child().empty()) root.remove_child(asset_);
  }

 private:
  void write_body(pugi::xml_node parent, std::size_t index) {
    const ExportBody& body = tree_->bodies[index];
    pugi::xml_node node = parent.append_child("body");
    set_attribute(node, "name", body.name);
    write_pose(node, body.parent_body);
    write_inertial(node, body);
    for (const ExportJoint& joint : body.joints) write_joint(node, joint);
    for (const Visual& shape : body.shapes) write_geom(node, body.name, shape);
    for (const ContactShape& shape : body.touching) write_touching(node, body.name, shape);
    write_sites(node, body.frames);
    for (const std::size_t child : children_[index]) write_body(node, child);
  }

  static void write_pose(pugi::xml_node node, const Pose& pose) {
    if (!(pose.position == Vector3())) set_attribute(node, "pos", vector_text(pose.position));
    if (pose.rotation == Matrix3::identity()) return;
    const Quaternion q = quaternion_from_matrix(pose.rotation);
    set_attribute(node, "quat", number_list({q.w, q.x, q.y, q.z}));
  }

  void write_inertial(pugi::xml_node parent, const ExportBody& body) {
    const RigidParameters& rigid = body.inertia;
    const SymmetricMatrix3& I = rigid.inertia;
    const bool moves = !body.joints.empty();
    const bool has_inertia = !(I.matrix() == Matrix3());
    if (!moves && rigid.mass == 0.0 && !has_inertia) return;
    Pose principal{Matrix3::identity(), rigid.com};
    Vector3 moments{I.xx, I.yy, I.zz};
    if (I.xy != 0.0 || I.xz != 0.0 || I.yz != 0.0) {
      const Eigen::Matrix3d tensor = to_eigen(I.matrix());
      const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(tensor);
      const auto axis = [&](int i) {
        const Eigen::Vector3d v = solver.eigenvectors().col(i);
        return Vector3{v[0], v[1], v[2]};
      };
      principal.rotation = Matrix3::from_columns(axis(0), axis(1), cross(axis(0), axis(1)));
      moments = {solver.eigenvalues()[0], solver.eigenvalues()[1], solver.eigenvalues()[2]};
    }
    double sorted[3] = {moments.x, moments.y, moments.z};
    std::sort(sorted, sorted + 3);
    if (sorted[2] > (1.0 + 1e-9) * (sorted[0] + sorted[1])) {
      tree_->note(
          "inertia that no real body has (a principal moment above the sum of the other two): MuJoCo refuses it unless "
          "its compiler is told balanceinertia",
          body.name);
    }
    double mass = rigid.mass;
    if (moves && (mass < k_least_inertia || sorted[0] < k_least_inertia)) {
      tree_->note("part without mass or inertia that moves: 2e-15 kg or kg m^2, as MuJoCo wants some", body.name);
      mass = std::max(mass, k_least_inertia);
      for (int i = 0; i < 3; ++i) moments[i] = std::max(moments[i], k_least_inertia);
    }
    pugi::xml_node node = parent.append_child("inertial");
    set_attribute(node, "pos", vector_text(principal.position));
    if (!(principal.rotation == Matrix3::identity())) {
      const Quaternion q = quaternion_from_matrix(principal.rotation);
      set_attribute(node, "quat", number_list({q.w, q.x, q.y, q.z}));
    }
    set_attribute(node, "mass", number_list({mass}));
    set_attribute(node, "diaginertia", vector_text(moments));
  }

  static void write_joint(pugi::xml_node parent, const ExportJoint& joint) {
    pugi::xml_node node = parent.append_child("joint");
    set_attribute(node, "name", joint.name);
    static constexpr const char* k_types[] = {"hinge", "slide", "ball", "free"};
    set_attribute(node, "type", k_types[static_cast<int>(joint.kind)]);
    if (joint.has_one_coordinate()) set_attribute(node, "axis", vector_text(joint.axis));
    for (const auto& [key, value] :
         {std::pair{"stiffness", joint.stiffness}, std::pair{"damping", joint.damping},
          std::pair{"armature", joint.armature}, std::pair{"springref", joint.stiffness != 0.0 ? joint.rest : 0.0}}) {
      if (value != 0.0) set_attribute(node, key, number_list({value}));
    }
    if (!joint.range) return;
    set_attribute(node, "limited", "true");
    set_attribute(node, "range", number_list({(*joint.range)[0], (*joint.range)[1]}));
  }

  static void write_sites(pugi::xml_node parent, const std::vector<ExportFrame>& frames) {
    for (const ExportFrame& frame : frames) {
      pugi::xml_node site = parent.append_child("site");
      set_attribute(site, "name", frame.name);
      write_pose(site, frame.pose);
    }
  }

  /// A geom that touches those of the world and of other models, not those of this one: as it is here without contacts.
  void write_touching(pugi::xml_node parent, const string& owner, const ContactShape& touching) {
    const char* type = nullptr;
    std::vector<double> size;
    if (const auto* box = dynamic_cast<const Box*>(touching.shape.get())) {
      type = "box", size = {0.5 * box->size().x, 0.5 * box->size().y, 0.5 * box->size().z};
    } else if (const auto* sphere = dynamic_cast<const Sphere*>(touching.shape.get())) {
      type = "sphere", size = {sphere->radius()};
    } else if (const auto* cylinder = dynamic_cast<const Cylinder*>(touching.shape.get())) {
      type = "cylinder", size = {cylinder->radius(), 0.5 * cylinder->length()};
    } else if (const auto* capsule = dynamic_cast<const Capsule*>(touching.shape.get())) {
      type = "capsule", size = {capsule->radius(), 0.5 * capsule->length()};
    } else {
      return tree_->note(fmt::format("contact shape of type {}: left out", touching.shape->type_name()), owner);
    }
    pugi::xml_node geom = parent.append_child("geom");
    set_attribute(geom, "type", type), set_attribute(geom, "size", number_list(size));
    set_attribute(geom, "contype", "1"), set_attribute(geom, "group", "3");
    write_pose(geom, touching.pose);
  }

  void write_geom(pugi::xml_node parent, const string& owner, const Visual& shape) {
    const bool is_mesh = shape.shape == Visual::Shape::mesh;
    if (is_mesh &&
        (shape.mesh->points.size() < 4 || solid_mesh(*shape.mesh, MeshVolume::legacy).mass < k_least_volume)) {
      return tree_->note("mesh without a volume: not drawn, as MuJoCo refuses it", owner);
    }
    pugi::xml_node geom = parent.append_child("geom");
    switch (shape.shape) {
      case Visual::Shape::box:
        set_attribute(geom, "type", "box"), set_attribute(geom, "size", vector_text(0.5 * shape.size));
        break;
      case Visual::Shape::cylinder:
        set_attribute(geom, "type", "cylinder");
        set_attribute(geom, "size", number_list({shape.radius, 0.5 * shape.length}));
        break;
      case Visual::Shape::sphere:
        set_attribute(geom, "type", "sphere"), set_attribute(geom, "size", number_list({shape.radius}));
        break;
      case Visual::Shape::mesh: {
        const string file = mesh_file(*shape.mesh, owner, *files_);
        const string name = file.substr(0, file.size() - 4);
        if (!asset_.find_child_by_attribute("mesh", "name", name.c_str())) {
          pugi::xml_node mesh = asset_.append_child("mesh");
          set_attribute(mesh, "name", name), set_attribute(mesh, "file", file);
        }
        set_attribute(geom, "type", "mesh"), set_attribute(geom, "mesh", name);
        break;
      }
    }
    write_pose(geom, shape.pose);
    if (!shape.color) return;
    const Color& c = *shape.color;
    set_attribute(geom, "rgba", number_list({c.red, c.green, c.blue, c.opacity}));
  }

  ExportTree* tree_;
  FileTexts* files_;
  pugi::xml_node asset_;
  std::vector<std::vector<std::size_t>> children_;
};

}  // namespace

string mjcf_text(const Robot& robot, ExportTree& tree, FileTexts& files) {
  pugi::xml_document document;
  pugi::xml_node root = document.append_child("mujoco");
  set_attribute(root, "model", tree.name);
  pugi::xml_node compiler = root.append_child("compiler");
  set_attribute(compiler, "angle", "radian"), set_attribute(compiler, "inertiafromgeom", "false");
  set_attribute(root.append_child("option"), "gravity", vector_text(tree.gravity));
  pugi::xml_node geom = root.append_child("default").append_child("geom");  // shapes to draw, nothing that touches
  set_attribute(geom, "contype", "0"), set_attribute(geom, "conaffinity", "0"), set_attribute(geom, "group", "2");
  // effects first, for the sites that they want; behind the bodies in the file
  pugi::xml_document effects;
  pugi::xml_node sections = effects.append_child("sections");
  write_mjcf_effects(robot, tree, sections);
  MjcfWriter(tree, files).write(root);
  for (const pugi::xml_node& section : sections.children()) root.append_copy(section);
  std::ostringstream out;
  document.save(out, "  ", pugi::format_indent | pugi::format_no_declaration);
  return out.str();
}

}  // namespace cuttle
