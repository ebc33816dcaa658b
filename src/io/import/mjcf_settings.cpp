// What holds for a whole model in MJCF: compiler, option, asset; and how its frames are written.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "io/import/mjcf_model.h"
#include "io/robot/part_readers.h"

namespace cuttle {
namespace {

using std::string;

Matrix3 rotation_about_axis(const Vector3& axis, double angle) {
  const Vector3 n = std::sin(0.5 * angle) * unit(axis);
  return rotation_from_quaternion(Quaternion{std::cos(0.5 * angle), n.x, n.y, n.z});
}

std::optional<Matrix3> read_mjcf_orientation(MjcfModel& model, ElementReader& reader) {
  const auto quaternion = reader.numbers("quat", 4, 4);
  const auto axis_angle = reader.numbers("axisangle", 4, 4), euler = reader.numbers("euler", 3, 3);
  const auto axes = reader.numbers("xyaxes", 6, 6), z_axis = reader.numbers("zaxis", 3, 3);
  const auto not_zero = [&reader](const char* key, const Vector3& v) {
    if (norm(v) > 0.0) return true;
    reader.fail(key, "a zero vector", "a direction");
    return false;
  };
  if (!euler.empty()) return mjcf_euler_rotation(model, euler);
  if (!axis_angle.empty()) {
    const Vector3 axis{axis_angle[0], axis_angle[1], axis_angle[2]};
    if (!not_zero("axisangle", axis)) return std::nullopt;
    return rotation_about_axis(axis, mjcf_angle(model, axis_angle[3]));
  }
  if (!axes.empty()) {
    const Vector3 x{axes[0], axes[1], axes[2]}, y{axes[3], axes[4], axes[5]};
    if (!not_zero("xyaxes", x)) return std::nullopt;
    const Vector3 ex = unit(x), across = y - dot(ex, y) * ex;
    if (!not_zero("xyaxes", across)) return std::nullopt;
    const Vector3 ey = unit(across);
    return Matrix3::from_columns(ex, ey, cross(ex, ey));
  }
  if (!z_axis.empty()) {
    const Vector3 z{z_axis[0], z_axis[1], z_axis[2]};
    if (!not_zero("zaxis", z)) return std::nullopt;
    return rotation_from_z(z);
  }
  if (!quaternion.empty()) {
    const Quaternion q{quaternion[0], quaternion[1], quaternion[2], quaternion[3]};
    if (q.squared_norm() > 0.0) return rotation_from_quaternion(q);
    reader.fail("quat", "a zero quaternion", "a rotation");
  }
  return std::nullopt;
}

}  // namespace

void read_mjcf_compiler(MjcfModel& model, const XmlElement& element) {
  ElementReader reader(element, "compiler", "", *model.to);
  const string angle = reader.text_or("angle", model.compiler.degrees ? "degree" : "radian");
  if (angle != "degree" && angle != "radian") reader.fail("angle", "'" + angle + "'", "degree or radian");
  model.compiler.degrees = angle == "degree";
  model.compiler.autolimits = reader.flag("autolimits", model.compiler.autolimits);
  model.compiler.balance_inertia = reader.flag("balanceinertia", model.compiler.balance_inertia);
  if (reader.flag("discardvisual", false)) {
    model.to->note(element.mark, "discardvisual: left out, what is only there to be seen is drawn");
  }
  model.compiler.euler_order = reader.text_or("eulerseq", model.compiler.euler_order);
  if (model.compiler.euler_order.size() != 3 ||
      model.compiler.euler_order.find_first_not_of("xyzXYZ") != string::npos) {
    reader.fail("eulerseq", "'" + model.compiler.euler_order + "'", "three of the letters x, y, z, X, Y, Z");
    model.compiler.euler_order = "xyz";
  }
  model.compiler.mesh_folder = reader.text_or("meshdir", reader.text_or("assetdir", model.compiler.mesh_folder));
  model.compiler.inertia_from_geom = reader.text_or("inertiafromgeom", model.compiler.inertia_from_geom);
  model.compiler.bound_mass = reader.number_or("boundmass", model.compiler.bound_mass);
  model.compiler.bound_inertia = reader.number_or("boundinertia", model.compiler.bound_inertia);
  model.compiler.total_mass = reader.number_or("settotalmass", model.compiler.total_mass);
  if (const auto groups = reader.numbers("inertiagrouprange", 2, 2); !groups.empty()) {
    model.compiler.first_group = mjcf_group(groups[0]), model.compiler.last_group = mjcf_group(groups[1]);
  }
  if (reader.text_or("coordinate", "local") != "local") reader.fail("coordinate", "'global'", "local");
  if (reader.flag("strippath", false)) model.compiler.strip_path = true;
  if (reader.flag("fusestatic", false))
    model.to->note(element.mark, "fusestatic: all bodies stay, fixed to their parents");
  reader.ignore({"usethread", "convexhull", "texturedir", "fitaabb", "assetdir", "saveinertial"});
  if (reader.flag("exactmeshinertia", false)) model.compiler.exact_meshes = true;
  reader.finish();
}

void read_mjcf_option(MjcfModel& model, const XmlElement& element) {
  ElementReader reader(element, "option", "", *model.to);
  model.to->robot.gravity = reader.vector_or("gravity", model.to->robot.gravity);
  reader.finish();
  for (const XmlElement& flags : element.children) {
    ElementReader flag(flags, "option." + flags.tag, "", *model.to);
    if (flag.text_or("gravity", "enable") == "disable") model.to->robot.gravity = {};
    flag.finish();
  }
}

std::optional<Color> read_mjcf_color(ElementReader& reader) {
  const auto c = reader.numbers("rgba", 4, 4);
  if (c.empty()) return std::nullopt;
  const auto part = [](double x) { return std::clamp(x, 0.0, 1.0); };
  return Color{part(c[0]), part(c[1]), part(c[2]), part(c[3])};
}

void read_mjcf_assets(MjcfModel& model, const XmlElement& section) {
  for (const XmlElement& element : section.children) {
    const string* const name = element.find("name");
    if (element.tag == "mesh") {
      const string* const file = element.find("file");
      const string key = name ? *name : file ? std::filesystem::path(*file).stem().string() : "";
      const string* const own = element.find("class");
      model.meshes[key] = {&element, model.defaults.of(element, own ? *own : "", "mesh", *model.to), nullptr, false,
                           ""};
    } else if (element.tag == "material") {
      const auto others =
          model.defaults.of(element, element.find("class") ? *element.find("class") : "", "material", *model.to);
      ElementReader reader(element, "material", name ? *name : "", *model.to, others);
      if (name != nullptr) {
        if (const auto color = read_mjcf_color(reader)) model.materials[*name] = *color;
      }
      if (reader.has("texture")) model.to->note(element.mark, "texture of a material: left out", name ? *name : "");
    } else {
      model.to->note(element.mark, fmt::format("{} of the assets: left out", element.tag), name ? *name : "");
    }
  }
}

int mjcf_group(double value) { return static_cast<int>(std::clamp(value, -1e6, 1e6)); }

double mjcf_angle(const MjcfModel& model, double value) {
  return model.compiler.degrees ? value * std::numbers::pi / 180.0 : value;
}

Matrix3 mjcf_euler_rotation(const MjcfModel& model, const std::vector<double>& euler) {
  Matrix3 rotation = Matrix3::identity();
  for (std::size_t i = 0; i < 3; ++i) {
    const char letter = model.compiler.euler_order[i];
    const bool extrinsic = letter >= 'X' && letter <= 'Z';
    const int axis = extrinsic ? letter - 'X' : letter - 'x';
    const Matrix3 turn = rotation_about_axis({axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0},
                                             mjcf_angle(model, euler[i]));
    rotation = extrinsic ? turn * rotation : rotation * turn;
  }
  return rotation;
}

Pose read_mjcf_frame(MjcfModel& model, ElementReader& reader) {
  const Vector3 position = reader.vector_or("pos", {});
  return {read_mjcf_orientation(model, reader).value_or(Matrix3::identity()), position};
}

void flatten_mjcf_frames(MjcfModel& model, const XmlElement& element, const Pose& frame, const string& childclass,
                         std::vector<MjcfPlaced>& all) {
  for (const XmlElement& child : element.children) {
    if (child.tag != "frame") {
      all.push_back({&child, frame, childclass});
      continue;
    }
    ElementReader reader(child, "frame", child.find("name") ? *child.find("name") : "", *model.to);
    reader.ignore({"name"});
    const Pose inner = frame * read_mjcf_frame(model, reader);
    const string own = reader.text_or("childclass", childclass);
    reader.finish();
    flatten_mjcf_frames(model, child, inner, own, all);
  }
}

ElementReader reader_of_placed(MjcfModel& model, const MjcfPlaced& placed, const string& name) {
  const XmlElement& element = *placed.element;
  const string* const own = element.find("class");
  return {element, element.tag, name, *model.to,
          model.defaults.of(element, own ? *own : placed.childclass, element.tag, *model.to)};
}

}  // namespace cuttle
