// Shapes of a model in MJCF - geoms, meshes, sites -: what they weigh and how they are drawn.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <utility>

#include "cuttle/error.h"
#include "cuttle/geometry/shapes.h"
#include "cuttle/spatial/logarithm.h"
#include "io/import/mjcf_model.h"
#include "io/import/scene_mesh.h"
#include "io/import/solid.h"
#include "io/robot/part_readers.h"

namespace cuttle {
namespace {

using std::string;

constexpr double k_mjcf_density = 1000.0;  // of a geom that says nothing [kg/m^3]

/// A shape of MJCF after its defaults.
struct MjcfGeom {
  string type, mesh_name;
  std::vector<double> size;
  Pose pose;  ///< in the body's frame
  std::shared_ptr<const TriangleMesh> mesh;
};

/// `fromto` of geoms and sites: ends instead of a pose and a length.
void read_from_to(ElementReader& reader, MjcfGeom& geom) {
  const auto ends = reader.numbers("fromto", 6, 6);
  if (ends.empty()) return;
  const std::size_t place = geom.type == "capsule" || geom.type == "cylinder" ? 1 : 2;
  const Vector3 from{ends[0], ends[1], ends[2]}, to{ends[3], ends[4], ends[5]};
  const double length = norm(to - from);
  if (length == 0.0) return reader.fail("fromto", "two equal points", "two different ones");
  geom.size.resize(place, geom.size.empty() ? 0.0 : geom.size[0]);
  geom.size.push_back(0.5 * length);
  geom.pose = {rotation_from_z(from - to), 0.5 * (from + to)};
}

bool has_sizes(const MjcfGeom& geom) {
  const std::map<string, std::size_t> counts{
      {"sphere", 1}, {"capsule", 2}, {"cylinder", 2}, {"box", 3}, {"ellipsoid", 3}};
  const auto count = counts.find(geom.type);
  if (count == counts.end() || geom.size.size() < count->second) return false;
  return std::all_of(geom.size.begin(), geom.size.begin() + static_cast<std::ptrdiff_t>(count->second),
                     [](double x) { return x > 0.0; });
}

/// A mesh of the assets, read when first asked for; null if there is none of that name.
const MjcfMesh* load_mjcf_mesh(MjcfModel& model, const string& name) {
  const auto found = model.meshes.find(name);
  if (found == model.meshes.end()) return nullptr;
  MjcfMesh& asset = found->second;
  if (asset.tried) return &asset;
  asset.tried = true;
  ElementReader reader(*asset.element, "mesh", name, *model.to, asset.defaults);
  reader.ignore({"name", "class", "inertia", "smoothnormal", "maxhullvert", "content_type", "texcoord", "normal"});
  const Vector3 scale = reader.vector_or("scale", {1.0, 1.0, 1.0}), origin = reader.vector_or("refpos", {});
  const auto quaternion = reader.numbers("refquat", 4, 4);
  const auto file = reader.text("file"), points = reader.text("vertex"), faces = reader.text("face");
  reader.finish();
  TriangleMesh mesh;
  try {
    if (file) {
      const string stripped = model.compiler.strip_path ? std::filesystem::path(*file).filename().string() : *file;
      const auto text = model.to->file(path_in(model.compiler.mesh_folder, stripped), model.file_name, "a mesh");
      if (!text) {
        asset.trouble = fmt::format("whose file '{}' is not there", *file);
        return &asset;
      }
      mesh = read_scene_mesh(*text);
    } else if (points && faces) {
      const auto x = numbers_of(*points), f = numbers_of(*faces);
      if (!x || !f || x->size() % 3 != 0 || f->size() % 3 != 0) throw FileError("which has no triples of numbers");
      for (std::size_t i = 0; i + 2 < x->size(); i += 3) mesh.points.push_back({(*x)[i], (*x)[i + 1], (*x)[i + 2]});
      for (std::size_t i = 0; i + 2 < f->size(); i += 3) {
        std::array<int, 3> corners{};
        for (std::size_t k = 0; k < 3; ++k) {
          const double index = (*f)[i + k];
          if (!(index >= 0.0 && index < static_cast<double>(mesh.points.size()))) {
            throw FileError(fmt::format("which has no vertex {}", index));
          }
          corners[k] = static_cast<int>(index);
        }
        mesh.triangles.push_back(corners);
      }
    } else {
      asset.trouble = "which has neither a file nor faces";
      return &asset;
    }
  } catch (const FileError& error) {
    asset.trouble = error.what();
    return &asset;
  }
  Pose reference{Matrix3::identity(), origin};
  if (!quaternion.empty()) {
    reference.rotation =
        rotation_from_quaternion(Quaternion{quaternion[0], quaternion[1], quaternion[2], quaternion[3]});
  }
  const Pose moved = reference.inverse();
  for (Vector3& p : mesh.points) p = moved.act(Vector3{scale.x * p.x, scale.y * p.y, scale.z * p.z});
  if (scale.x * scale.y * scale.z < 0.0) {
    for (auto& corners : mesh.triangles) std::swap(corners[1], corners[2]);
  }
  asset.mesh = std::make_shared<const TriangleMesh>(std::move(mesh));
  return &asset;
}

/// Of density 1, in the geom's frame; nothing of shapes without mass.
std::optional<MassProperties> mass_of_geom(MjcfModel& model, const MjcfGeom& geom, ElementReader& reader) {
  if (geom.type == "plane" || geom.type == "hfield") return std::nullopt;
  if (geom.type == "mesh") {
    const MjcfMesh* const asset = load_mjcf_mesh(model, geom.mesh_name);
    if (asset == nullptr || !asset->mesh) {
      reader.fail("mesh",
                  fmt::format("'{}', {}", geom.mesh_name, asset ? asset->trouble : "which is no mesh of the assets"),
                  "a mesh in STL, OBJ or MSH, whose volume gives the body its mass");
      return std::nullopt;
    }
    string kind = model.compiler.exact_meshes ? "exact" : "legacy";
    ElementReader mesh(*asset->element, "mesh", geom.mesh_name, *model.to, asset->defaults);
    kind = mesh.text_or("inertia", kind);
    if (kind != "exact" && kind != "legacy") {
      mesh.fail("inertia", "'" + kind + "'", "legacy or exact: others are not supported");
      return std::nullopt;
    }
    const MassProperties solid = solid_mesh(*asset->mesh, kind == "exact" ? MeshVolume::exact : MeshVolume::legacy);
    if (solid.mass > 0.0) return solid;
    reader.fail("mesh", "'" + geom.mesh_name + "', which bounds no volume", "a closed surface");
    return std::nullopt;
  }
  if (!has_sizes(geom)) {
    reader.fail("size", fmt::format("{} numbers for a {}", geom.size.size(), geom.type),
                "a size > 0 of a sphere, capsule, cylinder, box, ellipsoid or mesh");
    return std::nullopt;
  }
  const auto& s = geom.size;
  if (geom.type == "sphere") return solid_ellipsoid({s[0], s[0], s[0]});
  if (geom.type == "ellipsoid") return solid_ellipsoid({s[0], s[1], s[2]});
  if (geom.type == "box") return solid_box({s[0], s[1], s[2]});
  if (geom.type == "cylinder") return solid_cylinder(s[0], s[1]);
  return solid_capsule(s[0], s[1]);
}

/// A geom as its body touches by it; null of what is no shape of Cuttle's.
std::shared_ptr<const SignedDistance> touching_shape(const MjcfGeom& geom) {
  if (!has_sizes(geom)) return nullptr;
  const auto& s = geom.size;
  if (geom.type == "sphere") return std::make_shared<const Sphere>(s[0]);
  if (geom.type == "capsule") return std::make_shared<const Capsule>(s[0], 2.0 * s[1]);
  if (geom.type == "cylinder") return std::make_shared<const Cylinder>(s[0], 2.0 * s[1]);
  if (geom.type == "box") return std::make_shared<const Box>(Vector3{2.0 * s[0], 2.0 * s[1], 2.0 * s[2]});
  return nullptr;
}

void draw_geom(MjcfModel& model, const MjcfGeom& geom, const std::optional<Color>& color, const SourceMark& mark,
               const string& shown, std::vector<Visual>& shapes) {
  Visual visual;
  visual.pose = geom.pose, visual.color = color;
  if (geom.type == "mesh") {
    const MjcfMesh* const asset = load_mjcf_mesh(model, geom.mesh_name);
    if (asset == nullptr || !asset->mesh) {
      model.to->note(mark, "mesh that cannot be had: not drawn",
                     fmt::format("{}: {}", geom.mesh_name, asset ? asset->trouble : "no such mesh"));
      return;
    }
    visual.shape = Visual::Shape::mesh, visual.mesh = asset->mesh;
  } else if (!has_sizes(geom)) {
    model.to->note(mark, fmt::format("{}: not drawn", geom.type), shown);
    return;
  } else if (geom.type == "box") {
    visual.shape = Visual::Shape::box;
    visual.size = {2.0 * geom.size[0], 2.0 * geom.size[1], 2.0 * geom.size[2]};
  } else if (geom.type == "sphere") {
    visual.shape = Visual::Shape::sphere, visual.radius = geom.size[0];
  } else if (geom.type == "ellipsoid") {
    visual.shape = Visual::Shape::box;
    visual.size = {2.0 * geom.size[0], 2.0 * geom.size[1], 2.0 * geom.size[2]};
    model.to->note(mark, "ellipsoid: drawn as the box around it", shown);
  } else {
    visual.shape = Visual::Shape::cylinder, visual.radius = geom.size[0], visual.length = 2.0 * geom.size[1];
    for (const double side : {-1.0, 1.0}) {
      if (geom.type != "capsule") break;
      Visual end;
      end.shape = Visual::Shape::sphere, end.radius = geom.size[0], end.color = color;
      end.pose = geom.pose * Pose{Matrix3::identity(), {0.0, 0.0, side * geom.size[1]}};
      shapes.push_back(std::move(end));
    }
  }
  shapes.push_back(std::move(visual));
}

}  // namespace

void read_mjcf_geom(MjcfModel& model, const MjcfPlaced& placed, const string& body, std::optional<MassProperties>* mass,
                    std::vector<Visual>* shapes, std::vector<ContactShape>* touching) {
  const XmlElement& element = *placed.element;
  const string shown = element.find("name") ? *element.find("name") : "of " + body;
  ElementReader reader = reader_of_placed(model, placed, shown);
  reader.ignore({"name", "class"});
  MjcfGeom geom;
  geom.mesh_name = reader.text_or("mesh", "");
  geom.type = reader.text_or("type", "sphere");
  geom.size = reader.numbers("size", 1, 3);
  geom.pose = read_mjcf_frame(model, reader);
  read_from_to(reader, geom);
  geom.pose = placed.body_frame * geom.pose;
  const auto affinity = [&reader](const char* key) { return reader.number_or(key, 1.0) != 0.0; };
  const bool conforms = affinity("contype"), affine = affinity("conaffinity");
  reader.ignore({"condim", "priority", "friction", "solmix", "solref", "solimp", "margin", "gap"});  // of contact
  const int group = mjcf_group(reader.number_or("group", 0.0));
  std::optional<Color> color = read_mjcf_color(reader);
  const string material = reader.text_or("material", "");
  if (!color && model.materials.count(material) > 0) color = model.materials.at(material);
  const auto own_mass = reader.number("mass"), density = reader.number("density");
  const string shell = reader.text_or("shellinertia", "false");
  reader.ignore({"user"});
  reader.finish();
  const bool is_mesh = geom.type == "mesh";
  if (!geom.mesh_name.empty() && !is_mesh) {
    model.to->note(element.mark,
                   "mesh of a geom that another shape is fitted to: left out, with that shape and its mass", shown);
    if (mass != nullptr && own_mass.value_or(1.0) != 0.0) {
      reader.fail("type", "'" + geom.type + "' fitted to a mesh, whose mass is not known here", "mesh");
    }
    return;
  }
  if (conforms || affine) {
    ContactShape touches{touching != nullptr ? touching_shape(geom) : nullptr, geom.pose};
    if (touches.shape) {
      model.to->note(element.mark, fmt::format("geom that touches: {}", k_shape_touches), shown);
      touching->push_back(std::move(touches));
    } else if (touching != nullptr) {
      model.to->note(element.mark, fmt::format("contact of a geom of type {}: {}", geom.type, k_shape_lost), shown);
    } else {
      model.to->note(element.mark, "contact of a geom of the world: left out; `obstacles` of a robot file are touched",
                     shown);
    }
  }
  const bool counts = mass != nullptr && group >= model.compiler.first_group && group <= model.compiler.last_group;
  if (counts && own_mass.value_or(density.value_or(k_mjcf_density)) != 0.0) {
    if (shell == "true") reader.fail("shellinertia", "true", "false: shells are not supported");
    if (auto properties = mass_of_geom(model, geom, reader)) {
      const double weight = own_mass.value_or(density.value_or(k_mjcf_density) * properties->mass);
      const MassProperties in_body = with_mass(*properties, weight).seen_from(geom.pose);
      if (*mass) {
        **mass += in_body;
      } else {
        *mass = in_body;
      }
    }
  }
  if (group <= 2 && model.to->options().draws) draw_geom(model, geom, color, element.mark, shown, *shapes);
}

void read_mjcf_site(MjcfModel& model, const MjcfPlaced& placed, const string& body, const string& link,
                    const Pose& link_body) {
  const XmlElement& element = *placed.element;
  const string* const name = element.find("name");
  const string shown = name ? *name : "of " + body;
  ElementReader reader = reader_of_placed(model, placed, shown);
  MjcfGeom geom;
  geom.type = reader.text_or("type", "sphere");
  geom.pose = read_mjcf_frame(model, reader);
  read_from_to(reader, geom);
  reader.ignore({"name", "class", "size", "rgba", "group", "material", "user"});
  reader.finish();
  const Pose link_site = link_body * placed.body_frame * geom.pose;
  if (name == nullptr) {
    model.to->note(element.mark, "site without a name: left out", shown);
    return;
  }
  model.sites[*name] = {body, link, link_site};
  model.to->add_marker(element.mark, *name, link, link_site);
}

}  // namespace cuttle
