#include "io/import/sdf_inertia.h"

#include <fmt/format.h>

#include <algorithm>

#include "cuttle/io/key_table.h"
#include "io/import/solid.h"

namespace cuttle {
namespace {

using std::string;

constexpr double k_sdf_density = 1000.0;  // of a collision that says nothing, as its link [kg/m^3]

/// Solids of the collisions of a link, with auto="true".
class CollisionSolids {
 public:
  CollisionSolids(const XmlElement& link, const string& file_name, SdfElements& read)
      : name_(SdfElements::name_of(link)), file_name_(file_name), read_(&read) {}

  /// What a collision's geometry weighs with density 1, in the collision's frame.
  std::optional<MassProperties> solid(const XmlElement& collision) {
    const XmlElement* const geometry = collision.child("geometry");
    if (geometry == nullptr || geometry->children.empty()) return refuse(collision, "no geometry");
    const XmlElement& shape = geometry->children.front();
    if (shape.tag == "box") {
      const auto size = sizes(shape, "size");
      return size ? std::optional(solid_box(0.5 * *size)) : std::nullopt;
    }
    if (shape.tag == "ellipsoid") {
      const auto radii = sizes(shape, "radii");
      return radii ? std::optional(solid_ellipsoid(*radii)) : std::nullopt;
    }
    if (shape.tag == "mesh") return solid_of_mesh(shape);
    const bool sphere = shape.tag == "sphere";
    if (!sphere && shape.tag != "cylinder" && shape.tag != "capsule" && shape.tag != "cone") {
      return refuse(shape, "'" + shape.tag + "', which encloses no volume that is computed here");
    }
    const auto radius = size_of(shape, "radius");
    const auto length = sphere ? radius : size_of(shape, "length");
    if (!radius || !length) return std::nullopt;
    if (sphere) return solid_ellipsoid({*radius, *radius, *radius});
    if (shape.tag == "cone") return solid_cone(*radius, *length);
    return shape.tag == "cylinder" ? solid_cylinder(*radius, 0.5 * *length) : solid_capsule(*radius, 0.5 * *length);
  }

  std::nullopt_t refuse(const XmlElement& element, const string& found) {
    read_->to().errors.add(element.mark, fmt::format("link[{}].inertial auto=\"true\": {}", name_, element.tag), found,
                           "collisions of " + join_or({"box", "capsule", "cone", "cylinder", "ellipsoid", "sphere"}) +
                               ", or meshes with a closed surface; or an <inertial> without auto");
    return std::nullopt;
  }

 private:
  /// As many sizes as an element has, all of them above 0.
  std::optional<std::vector<double>> read_sizes(const XmlElement& shape, const char* tag, std::size_t count) {
    const XmlElement* const child = shape.child(tag);
    auto x = child ? numbers_of(child->text) : std::nullopt;
    if (x && x->size() == count && *std::min_element(x->begin(), x->end()) > 0.0) return x;
    read_->to().errors.add(child ? child->mark : shape.mark, fmt::format("link[{}].{}.{}", name_, shape.tag, tag),
                           child ? "'" + child->text + "'" : "nothing",
                           count == 1 ? "a number > 0 [m]" : fmt::format("{} numbers > 0 [m]", count));
    return std::nullopt;
  }
  std::optional<double> size_of(const XmlElement& shape, const char* tag) {
    const auto x = read_sizes(shape, tag, 1);
    return x ? std::optional(x->front()) : std::nullopt;
  }
  std::optional<Vector3> sizes(const XmlElement& shape, const char* tag) {
    const auto x = read_sizes(shape, tag, 3);
    return x ? std::optional(Vector3{(*x)[0], (*x)[1], (*x)[2]}) : std::nullopt;
  }

  std::optional<MassProperties> solid_of_mesh(const XmlElement& shape) {
    if (shape.child("submesh") != nullptr) return refuse(shape, "a part of a mesh (submesh)");
    const auto scale = numbers_of(SdfElements::text_of(shape, "scale", "1 1 1"));
    if (!scale || scale->size() != 3) return refuse(shape, "a scale that is not 3 numbers");
    const string uri = SdfElements::text_of(shape, "uri", "");
    const auto& loaded = read_->to().mesh(uri, file_name_, {(*scale)[0], (*scale)[1], (*scale)[2]});
    if (loaded.is_missing) return refuse(shape, "'" + uri + "', which is not there");
    if (loaded.mesh == nullptr) return refuse(shape, "'" + uri + "', which cannot be read (" + loaded.trouble + ")");
    if (!is_closed(*loaded.mesh)) return refuse(shape, "'" + uri + "', whose surface has a hole or a seam");
    const MassProperties solid = solid_mesh(*loaded.mesh, MeshVolume::exact);
    if (!(solid.mass > 0.0)) return refuse(shape, "'" + uri + "', whose faces do not look outward");
    return solid;
  }

  string name_, file_name_;
  SdfElements* read_;
};

std::optional<MassProperties> auto_inertial(const XmlElement& inertial, const XmlElement& link, const string& file_name,
                                            SdfElements& read, SdfFrames& frames) {
  const string name = SdfElements::name_of(link);
  for (const char* const tag : {"pose", "inertia"}) {
    if (const XmlElement* const given = inertial.child(tag)) {
      read.to().note(given->mark, fmt::format("{} of an inertial with auto: left out, as it is computed", tag), name);
    }
  }
  read.note_children(inertial, "an inertial", name, {"pose", "mass", "inertia", "density"});
  CollisionSolids solids(link, file_name, read);
  const double link_density = read.number(inertial, "density", k_sdf_density);
  const std::size_t errors_before = read.to().errors.count();
  MassProperties sum;
  for (const XmlElement& collision : link.children) {
    if (collision.tag != "collision") continue;
    const double density = read.number(collision, "density", link_density);
    if (!(density >= 0.0)) {
      const XmlElement& holder = collision.child("density") ? collision : inertial;
      read.to().errors.add(holder.child("density")->mark, fmt::format("link[{}].{}.density", name, holder.tag),
                           fmt::format("{}", density), "a number >= 0 [kg/m^3]");
      continue;
    }
    const auto solid = solids.solid(collision);
    if (!solid) continue;
    sum += with_mass(*solid, density * solid->mass).seen_from(frames.pose_on(name, collision));
  }
  if (read.to().errors.count() > errors_before) return std::nullopt;
  if (!(sum.mass > 0.0)) return solids.refuse(inertial, link.child("collision") ? "no mass" : "no collision");
  const XmlElement* const mass = inertial.child("mass");
  if (mass == nullptr) return sum;
  // SDF leaves open what counts; its library since 15.2 does this
  read.to().note(mass->mark, "mass of an inertial with auto: kept, and the inertia of the collisions scaled to it",
                 name);
  return with_mass(sum, read.number(inertial, "mass", sum.mass));
}

}  // namespace

std::optional<MassProperties> read_sdf_inertial(const XmlElement& inertial, const XmlElement& link,
                                                const string& file_name, SdfElements& read, SdfFrames& frames) {
  const string name = SdfElements::name_of(link);
  read.note_attributes(inertial, "an inertial", name, {"auto"});
  const string* const computed = inertial.find("auto");
  if (computed != nullptr && read.flag(*computed, inertial.mark, fmt::format("link[{}].inertial.auto", name))) {
    return auto_inertial(inertial, link, file_name, read, frames);
  }
  MassProperties mass;
  read.note_children(inertial, "an inertial", name, {"pose", "mass", "inertia"});
  mass.mass = read.number(inertial, "mass", 1.0);
  mass.inertia = SymmetricMatrix3::diagonal(1.0, 1.0, 1.0);  // SDF's defaults
  if (const XmlElement* const tensor = inertial.child("inertia")) {
    SymmetricMatrix3& I = mass.inertia;
    I = {read.number(*tensor, "ixx", 1.0), read.number(*tensor, "iyy", 1.0), read.number(*tensor, "izz", 1.0),
         read.number(*tensor, "ixy", 0.0), read.number(*tensor, "ixz", 0.0), read.number(*tensor, "iyz", 0.0)};
    read.note_attributes(*tensor, "an inertia", name, {});
    read.note_children(*tensor, "an inertia", name, {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"});
  }
  return mass.seen_from(frames.pose_on(name, inertial));
}

}  // namespace cuttle
