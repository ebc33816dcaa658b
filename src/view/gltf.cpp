#include "cuttle/view/gltf.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "cuttle/error.h"
#include "cuttle/spatial/logarithm.h"
#include "cuttle/version.h"
#include "view/evenly.h"
#include "view/gltf_file.h"
#include "view/snapshot_basis.h"

namespace cuttle {
namespace {

using Json = GltfFile::Json;

// as the viewer has them
constexpr unsigned k_soft = 0xd97757, k_rigid = 0x8a929c, k_joint = 0x3f4650, k_tendon = 0x7a2e4d, k_chamber = 0x4c8fd6;
constexpr double k_chamber_opacity = 0.45;
constexpr double k_tendon_radius = 0.0025;  // of the reach
constexpr double k_tolerance = 2e-5;        // of the reach, of surfaces that deform
constexpr int k_tube_sides = 8;

class GltfWriter {
 public:
  GltfWriter(SceneItems& items, const std::vector<const Sample*>& samples) : items_(items) {
    frames_ = {samples.size(), static_cast<std::size_t>(items.size), {}};
    std::vector<double> numbers(items.size);
    std::vector<float> times;
    for (const Sample* sample : samples) {
      items.fill(*sample, numbers);
      frames_.values.insert(frames_.values.end(), numbers.begin(), numbers.end());
      times.push_back(static_cast<float>(sample->time - samples.front()->time));
    }
    if (samples.size() > 1) times_ = file_.add_floats(times, 1, GltfFile::Use::none, true);
  }

  std::string write() {
    for (const SceneFrame& frame : items_.frames) frame_nodes_.push_back(pose_node(frame.name, frame.at));
    for (const SceneShape& shape : items_.shapes) {
      if (shape.contact) continue;  // drawn as it looks
      attach(frame_nodes_[shape.frame], shape_mesh(shape), "shape", shape.pose,
             shape.color ? file_.material(fmt::format("color {:06x}", color_code(*shape.color)),
                                          color_code(*shape.color), shape.color->opacity)
                         : file_.material("rigid", k_rigid));
    }
    for (std::size_t i = 0; i < items_.frames.size(); ++i) {
      const SceneFrame& frame = items_.frames[i];
      if (frame.marker == nullptr) continue;
      const bool joint = std::string_view(frame.marker) == "joint";
      attach(frame_nodes_[i], sphere_mesh(frame.radius), frame.marker, Pose(),
             joint ? file_.material("joint", k_joint) : file_.material("rigid", k_rigid));
    }
    for (const SceneRod& rod : items_.rods) add_rod(rod);
    for (const SceneSurface& surface : items_.surfaces) {
      add_surface(link_name(surface.link), surface.shape, surface.at, file_.material("soft", k_soft));
    }
    for (const SceneTendon& tendon : items_.tendons) {
      add_tube(tendon.name, tendon.at, tendon.points, k_tendon_radius * items_.drawn.reach(),
               file_.material("tendon", k_tendon));
    }
    for (const SceneChamber& chamber : items_.chambers) {
      const int material = file_.material("chamber", k_chamber, k_chamber_opacity);
      if (chamber.tube_points > 0) {
        add_tube(chamber.name, chamber.at, chamber.tube_points, chamber.radius, material);
      } else {
        add_surface(chamber.name, chamber.chamber, chamber.at, material);
      }
    }
    const Quaternion turn = quaternion_from_matrix(world_.rotation);
    roots_.push_back(file_.add(
        "nodes", {{"name", items_.robot.name}, {"rotation", {turn.x, turn.y, turn.z, turn.w}}, {"children", top_}}));
    file_.root["asset"] = {{"version", "2.0"}, {"generator", std::string("Cuttle ") + k_version}};
    file_.root["scene"] = 0;
    file_.root["scenes"] = {{{"name", items_.robot.name}, {"nodes", roots_}}};
    if (!channels_.empty()) {
      file_.root["animations"] = {{{"name", "motion"}, {"samplers", samplers_}, {"channels", channels_}}};
    }
    return file_.binary();
  }

 private:
  const std::string& link_name(int link) const { return items_.robot.links[link].name; }

  /// Numbers `at` .. of all frames, `count` each.
  std::vector<float> track(int at, int count) const {
    std::vector<float> values;
    for (std::size_t f = 0; f < frames_.frames; ++f) {
      for (int k = 0; k < count; ++k) values.push_back(frames_.at(f, at + k));
    }
    return values;
  }
  FrameMatrix rows(int at, int count) const {
    return {frames_.frames, static_cast<std::size_t>(count), track(at, count)};
  }

  void animate(int node, const char* path, const std::vector<float>& values, int width) {
    if (frames_.frames < 2) return;
    const std::size_t count = values.size() / frames_.frames;
    const bool constant = std::equal(values.begin() + static_cast<std::ptrdiff_t>(count), values.end(), values.begin());
    if (constant) return;
    samplers_.push_back({{"input", times_}, {"output", file_.add_floats(values, width, GltfFile::Use::none)}});
    channels_.push_back({{"sampler", samplers_.size() - 1}, {"target", {{"node", node}, {"path", path}}}});
  }

  /// Node that follows positions and rotations (x, y, z, w), frame by frame.
  int moving_node(const std::string& name, const std::vector<float>& positions, const std::vector<float>& rotations) {
    const int node = file_.add("nodes", {{"name", name},
                                         {"translation", std::vector<float>(positions.begin(), positions.begin() + 3)},
                                         {"rotation", std::vector<float>(rotations.begin(), rotations.begin() + 4)}});
    animate(node, "translation", positions, 3);
    animate(node, "rotation", rotations, 4);
    return node;
  }
  /// Node that follows seven numbers of the frame vector.
  int pose_node(const std::string& name, int at, bool top = true) {
    std::vector<float> rotations;
    for (std::size_t f = 0; f < frames_.frames; ++f) {
      for (const int k : {4, 5, 6, 3}) rotations.push_back(frames_.at(f, at + k));
    }
    const int node = moving_node(name, track(at, 3), rotations);
    if (top) top_.push_back(node);
    return node;
  }

  void attach(int parent, const ShadedMesh& mesh, const std::string& name, const Pose& pose, int material) {
    const Quaternion q = quaternion_from_matrix(pose.rotation);
    const int index = file_.add("meshes", {{"name", name}, {"primitives", {file_.primitive(mesh, material)}}});
    const int node = file_.add("nodes", {{"name", name},
                                         {"mesh", index},
                                         {"translation", {pose.position.x, pose.position.y, pose.position.z}},
                                         {"rotation", {q.x, q.y, q.z, q.w}}});
    file_.root["nodes"][parent]["children"].push_back(node);
  }

  /// A mesh whose vertices each follow one joint; given in the joints' own axes.
  void add_skin(const std::string& name, ShadedMesh mesh, const std::vector<std::uint16_t>& joint_of,
                const std::vector<int>& joints, int material) {
    // at rest it is what the first frame shows, so that programs which edit it have something to show
    std::vector<Pose> rest;
    std::vector<float> bind;
    for (const int joint : joints) {
      rest.push_back(world_ * first_pose(joint));
      const Pose inverse = rest.back().inverse();
      for (int column = 0; column < 4; ++column) {
        for (int row = 0; row < 4; ++row) {
          const double entry =
              column < 3 ? (row < 3 ? inverse.rotation(row, column) : 0.0) : (row < 3 ? inverse.position[row] : 1.0);
          bind.push_back(static_cast<float>(entry));
        }
      }
    }
    std::vector<std::array<std::uint16_t, 4>> indices;
    std::vector<float> weights;
    for (std::size_t i = 0; i < mesh.points.size(); ++i) {
      const Pose& pose = rest[joint_of[i]];
      mesh.points[i] = pose.act(mesh.points[i]), mesh.normals[i] = pose.rotation * mesh.normals[i];
      indices.push_back({joint_of[i], 0, 0, 0});
      weights.insert(weights.end(), {1.0f, 0.0f, 0.0f, 0.0f});
    }
    Json primitive = file_.primitive(mesh, material);
    primitive["attributes"]["JOINTS_0"] = file_.add_joints(indices);
    primitive["attributes"]["WEIGHTS_0"] = file_.add_floats(weights, 4, GltfFile::Use::vertices);
    const int index = file_.add("meshes", {{"name", name}, {"primitives", {primitive}}});
    const int skeleton = file_.add("nodes", {{"name", name + " backbone"}, {"children", joints}});
    top_.push_back(skeleton);
    const int skin = file_.add("skins", {{"name", name},
                                         {"inverseBindMatrices", file_.add_floats(bind, 16, GltfFile::Use::none)},
                                         {"skeleton", skeleton},
                                         {"joints", joints}});
    // where it hangs has no meaning: the joints say where it is
    roots_.push_back(file_.add("nodes", {{"name", name}, {"mesh", index}, {"skin", skin}}));
  }
  Pose first_pose(int node) const {
    const Json& entry = file_.root["nodes"][node];
    const Json &t = entry["translation"], &r = entry["rotation"];
    return {Quaternion{r[3], r[0], r[1], r[2]}.normalized().matrix(), {t[0], t[1], t[2]}};
  }

  void add_rod(const SceneRod& rod) {
    const std::string& name = link_name(rod.link);
    const int stations = static_cast<int>(rod.half_x.size());
    std::vector<int> joints;
    joints.reserve(static_cast<std::size_t>(stations));
    for (int k = 0; k < stations; ++k)
      joints.push_back(pose_node(name + " " + std::to_string(k), rod.at + 7 * k, false));
    ShadedMesh mesh;
    std::vector<std::uint16_t> joint_of;
    const bool hollow = !rod.inner.empty();
    const auto add_wall = [&](bool inner) {
      std::vector<SectionOutline> outlines;
      outlines.reserve(static_cast<std::size_t>(stations));
      for (int k = 0; k < stations; ++k) outlines.push_back(section_outline(rod, k, inner));
      const int columns = static_cast<int>(outlines[0].points.size());
      mesh.add_grid(stations, columns, [&](int i, int j) {
        const int column = inner ? columns - 1 - j : j;  // looks inwards
        const auto& p = outlines[i].points[column];
        const auto& n = outlines[i].normals[column];
        const double sign = inner ? -1.0 : 1.0;
        joint_of.push_back(static_cast<std::uint16_t>(i));
        return std::pair(Vector3{p[0], p[1], 0.0}, Vector3{sign * n[0], sign * n[1], 0.0});
      });
    };
    const auto add_end = [&](int station, double side) {
      const SectionOutline outer = section_outline(rod, station);
      const SectionOutline bore = hollow ? section_outline(rod, station, true) : outer;
      mesh.add_grid(2, static_cast<int>(outer.points.size()), [&](int i, int j) {
        const bool outside = side > 0 ? i == 0 : i == 1;
        const double scale = outside || hollow ? 1.0 : 0.0;
        const auto& p = outside ? outer.points[j] : bore.points[j];
        joint_of.push_back(static_cast<std::uint16_t>(station));
        return std::pair(Vector3{scale * p[0], scale * p[1], 0.0}, Vector3{0.0, 0.0, side});
      });
    };
    add_wall(false);
    if (hollow) add_wall(true);
    add_end(0, -1.0), add_end(stations - 1, 1.0);
    add_skin(name, mesh, joint_of, joints, file_.material("soft", k_soft));
  }

  /// Points that move any way they like: few morph targets whose weights move.
  void add_surface(const std::string& name, const DrawnSurface& surface, int at, int material) {
    const auto count = static_cast<int>(surface.points.size());
    const FrameMatrix moves = rows(at, 3 * count);
    const auto basis = snapshot_basis(moves, k_tolerance * items_.drawn.reach(), moves.frames);
    if (!basis) throw ArgumentError("gltf: found positions of " + name + " that are not finite numbers");
    ShadedMesh mesh;  // without normals: viewers make them of the deformed triangles
    for (int i = 0; i < count; ++i)
      mesh.points.push_back({basis->mean[3 * i], basis->mean[3 * i + 1], basis->mean[3 * i + 2]});
    for (const auto& corners : surface.triangles) {
      for (const int corner : corners) mesh.indices.push_back(static_cast<std::uint32_t>(corner));
    }
    Json primitive = file_.primitive(mesh, material);
    for (const auto& vector : basis->vectors) {
      const std::vector<float> target(vector.begin(), vector.end());
      primitive["targets"].push_back({{"POSITION", file_.add_floats(target, 3, GltfFile::Use::vertices, true)}});
    }
    Json entry{{"name", name}, {"primitives", {primitive}}};
    const FrameMatrix& weights = basis->coefficients;
    if (weights.channels > 0) {
      entry["weights"] = std::vector<float>(weights.values.begin(),
                                            weights.values.begin() + static_cast<std::ptrdiff_t>(weights.channels));
    }
    const int node = file_.add("nodes", {{"name", name}, {"mesh", file_.add("meshes", std::move(entry))}});
    if (weights.channels > 0) animate(node, "weights", weights.values, 1);
    top_.push_back(node);
  }

  /// A round tube through points, its rings turned with the way from point to point.
  void add_tube(const std::string& name, int at, int points, double radius, int material) {
    std::vector<std::vector<float>> positions(points), rotations(points);
    for (std::size_t f = 0; f < frames_.frames; ++f) {
      const auto point = [&](int k) {
        return Vector3{frames_.at(f, at + 3 * k), frames_.at(f, at + 3 * k + 1), frames_.at(f, at + 3 * k + 2)};
      };
      Quaternion turn{1, 0, 0, 0};
      Vector3 before{0, 0, 1};
      for (int k = 0; k < points; ++k) {
        const Vector3 way = point(std::min(k + 1, points - 1)) - point(std::max(k - 1, 0));
        const double length = norm(way);
        if (length > 0.0) {
          const Vector3 direction = 1.0 / length * way;
          turn = (shortest_turn(before, direction) * turn).normalized();
          before = direction;
        }
        const Vector3 p = point(k);
        for (int i = 0; i < 3; ++i) positions[k].push_back(static_cast<float>(p[i]));
        append_continuously(rotations[k], turn);
      }
    }
    std::vector<int> joints;
    joints.reserve(static_cast<std::size_t>(points));
    for (int k = 0; k < points; ++k) {
      joints.push_back(moving_node(name + " " + std::to_string(k), positions[k], rotations[k]));
    }
    ShadedMesh mesh;
    std::vector<std::uint16_t> joint_of;
    mesh.add_grid(points, k_tube_sides + 1, [&](int i, int j) {
      const double angle = 2 * M_PI * j / k_tube_sides;
      const Vector3 normal{std::cos(angle), std::sin(angle), 0.0};
      joint_of.push_back(static_cast<std::uint16_t>(i));
      return std::pair(radius * normal, normal);
    });
    add_skin(name, mesh, joint_of, joints, material);
  }

  static Quaternion shortest_turn(const Vector3& from, const Vector3& to) {
    const double cosine = dot(from, to);
    if (cosine < -0.999999) {  // about any axis across
      const Vector3 other = std::abs(from.x) < 0.9 ? Vector3{1, 0, 0} : Vector3{0, 1, 0};
      const Vector3 axis = cross(from, other);
      const double length = norm(axis);
      return {0.0, axis.x / length, axis.y / length, axis.z / length};
    }
    const Vector3 axis = cross(from, to);
    return Quaternion{1.0 + cosine, axis.x, axis.y, axis.z}.normalized();
  }
  /// As x, y, z, w, of the sign nearer to the last one.
  static void append_continuously(std::vector<float>& values, const Quaternion& q) {
    double same = 1.0;
    if (const std::size_t n = values.size(); n >= 4) {
      same = values[n - 4] * q.x + values[n - 3] * q.y + values[n - 2] * q.z + values[n - 1] * q.w;
    }
    const double sign = same < 0.0 ? -1.0 : 1.0;
    for (const double value : {q.x, q.y, q.z, q.w}) values.push_back(static_cast<float>(sign * value));
  }

  SceneItems& items_;
  GltfFile file_;
  FrameMatrix frames_;
  int times_ = -1;
  const Pose world_{{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}, {}};  // z up to y up
  std::vector<int> frame_nodes_;
  std::vector<int> top_;    // nodes in axes with z up
  std::vector<int> roots_;  // of the scene
  Json samplers_ = Json::array(), channels_ = Json::array();
};

}  // namespace

std::string gltf_binary(const ShownRun& run, const GltfOptions& options) {
  if (run.samples.empty()) throw ArgumentError("gltf: found no sample of " + run.label + ", expected at least one");
  SceneItems items(run.robot, run.visuals);
  return GltfWriter(items, evenly(run.samples, options.frames)).write();
}

}  // namespace cuttle
