// A glTF scene, evaluated as the specification says, shows the robot where it is.
#include "cuttle/view/gltf.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cstring>
#include <nlohmann/json.hpp>

#include "cuttle/view/scene.h"
#include "view/packed_numbers.h"
#include "view/view_robots.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using Json = nlohmann::json;
using Eigen::Affine3d;

/// Reads a .glb and evaluates it at a frame of its animation; written from the specification of glTF 2.0.
class Gltf {
 public:
  explicit Gltf(const std::string& file) {
    const auto number = [&](std::size_t at) {
      std::uint32_t value;
      std::memcpy(&value, file.data() + at, 4);
      return value;
    };
    EXPECT_EQ(file.substr(0, 4), "glTF");
    EXPECT_EQ(number(4), 2u);
    EXPECT_EQ(number(8), file.size());
    const std::uint32_t json_size = number(12);
    EXPECT_EQ(file.substr(16, 4), "JSON");
    root = Json::parse(file.substr(20, json_size));
    EXPECT_EQ(number(20 + json_size) + 28 + json_size, file.size());
    bytes_ = file.substr(28 + json_size);
  }

  std::vector<double> accessor(int index) const {
    const Json& a = root["accessors"][index];
    const Json& view = root["bufferViews"][a["bufferView"].get<int>()];
    const std::string type = a["type"];
    const std::size_t width = type == "SCALAR" ? 1 : type == "VEC3" ? 3 : type == "VEC4" ? 4 : 16;
    const char* data = bytes_.data() + view["byteOffset"].get<std::size_t>();
    std::vector<double> values(width * a["count"].get<std::size_t>());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (a["componentType"] == 5126) values[i] = read<float>(data, i);
      if (a["componentType"] == 5125) values[i] = read<std::uint32_t>(data, i);
      if (a["componentType"] == 5123) values[i] = read<std::uint16_t>(data, i);
    }
    return values;
  }

  /// Sets the nodes to a frame.
  void move_to(std::size_t frame) {
    const std::size_t count = root["nodes"].size();
    local_.clear();
    weights_.assign(count, {});
    for (std::size_t n = 0; n < count; ++n) {
      const Json& node = root["nodes"][n];
      std::vector<double> t = node.value("translation", std::vector<double>{0, 0, 0});
      std::vector<double> r = node.value("rotation", std::vector<double>{0, 0, 0, 1});
      if (node.contains("mesh"))
        weights_[n] = root["meshes"][node["mesh"].get<int>()].value("weights", std::vector<double>{});
      if (root.contains("animations")) {
        const Json& animation = root["animations"][0];
        for (const Json& channel : animation["channels"]) {
          if (channel["target"]["node"] != n) continue;
          const auto all = accessor(animation["samplers"][channel["sampler"].get<int>()]["output"]);
          const std::string path = channel["target"]["path"];
          const std::size_t width = path == "translation" ? 3 : path == "rotation" ? 4 : weights_[n].size();
          const std::vector<double> values(all.begin() + frame * width, all.begin() + (frame + 1) * width);
          (path == "translation" ? t : path == "rotation" ? r : weights_[n]) = values;
        }
      }
      local_.push_back(Eigen::Translation3d(t[0], t[1], t[2]) * Eigen::Quaterniond(r[3], r[0], r[1], r[2]));
    }
    global_.assign(count, Affine3d::Identity());
    for (const int top : root["scenes"][0]["nodes"]) descend(top, Affine3d::Identity());
  }

  /// Vertices of a node's mesh in the world.
  std::vector<Eigen::Vector3d> vertices(std::size_t n) const {
    const Json& node = root["nodes"][n];
    const Json& primitive = root["meshes"][node["mesh"].get<int>()]["primitives"][0];
    std::vector<double> p = accessor(primitive["attributes"]["POSITION"]);
    for (std::size_t k = 0; k < weights_[n].size(); ++k) {
      const auto target = accessor(primitive["targets"][k]["POSITION"]);
      for (std::size_t i = 0; i < p.size(); ++i) p[i] += weights_[n][k] * target[i];
    }
    std::vector<Eigen::Vector3d> result;
    if (!node.contains("skin")) {
      for (std::size_t i = 0; i < p.size(); i += 3)
        result.push_back(global_[n] * Eigen::Vector3d(p[i], p[i + 1], p[i + 2]));
      return result;
    }
    const Json& skin = root["skins"][node["skin"].get<int>()];
    const auto bind = accessor(skin["inverseBindMatrices"]);
    const auto joints = accessor(primitive["attributes"]["JOINTS_0"]),
               weights = accessor(primitive["attributes"]["WEIGHTS_0"]);
    for (std::size_t i = 0; i < p.size() / 3; ++i) {
      Eigen::Vector4d sum = Eigen::Vector4d::Zero();
      for (std::size_t k = 0; k < 4; ++k) {
        const auto joint = static_cast<std::size_t>(joints[4 * i + k]);
        const Eigen::Map<const Eigen::Matrix4d> inverse(bind.data() + 16 * joint);  // column by column
        const Eigen::Vector4d v(p[3 * i], p[3 * i + 1], p[3 * i + 2], 1.0);
        sum += weights[4 * i + k] * (global_[skin["joints"][joint].get<std::size_t>()].matrix() * (inverse * v));
      }
      result.push_back(sum.head<3>());
    }
    return result;
  }

  std::size_t node(const std::string& name, bool with_mesh) const {
    for (std::size_t n = 0; n < root["nodes"].size(); ++n) {
      if (root["nodes"][n]["name"] == name && root["nodes"][n].contains("mesh") == with_mesh) return n;
    }
    ADD_FAILURE() << "no node " << name;
    return 0;
  }
  const Affine3d& global(std::size_t n) const { return global_[n]; }

  Json root;

 private:
  template <typename Number>
  static double read(const char* data, std::size_t i) {
    Number number;
    std::memcpy(&number, data + i * sizeof(Number), sizeof(Number));
    return static_cast<double>(number);
  }
  void descend(int n, const Affine3d& parent) {
    global_[n] = parent * local_[n];
    for (const int child : root["nodes"][n].value("children", std::vector<int>{})) descend(child, global_[n]);
  }

  std::string bytes_;
  std::vector<Affine3d> local_, global_;
  std::vector<std::vector<double>> weights_;
};

/// y up, as glTF has it.
Eigen::Vector3d upright(double x, double y, double z) { return {x, z, -y}; }

class GltfTest : public testing::Test {
 protected:
  void compare(std::size_t frame) {
    gltf_.move_to(frame);
    std::vector<double> numbers(scene_.size());
    scene_.frame(run_.samples[frame], numbers);
    const auto point = [&](int at) { return upright(numbers[at], numbers[at + 1], numbers[at + 2]); };
    const double tolerance = 1e-5;
    for (const Json& item : json_["frames"]) {
      if (item["name"] == "base" || item["name"].get<std::string>().ends_with(" tip")) {
        const auto& node = gltf_.global(gltf_.node(item["name"], false));
        EXPECT_LT((node.translation() - point(item["at"])).norm(), tolerance) << item["name"];
      }
    }
    // each ring of a rod lies about its station, in its section's plane
    const Json& rod = json_["rods"][0];
    const auto rings = gltf_.vertices(gltf_.node("rod", true));
    const std::size_t stations = rod["s"].size();
    const std::size_t around = 25;
    for (std::size_t k = 0; k < stations; ++k) {
      const int at = rod["at"].get<int>() + 7 * static_cast<int>(k);
      const Eigen::Quaterniond turn(numbers[at + 3], numbers[at + 4], numbers[at + 5], numbers[at + 6]);
      const Eigen::Vector3d z = turn * Eigen::Vector3d::UnitZ();
      for (std::size_t j = 0; j < around; ++j) {
        const Eigen::Vector3d arm = rings[k * around + j] - point(at);
        EXPECT_NEAR(arm.norm(), rod["halfX"][k], tolerance);
        EXPECT_NEAR(arm.dot(upright(z.x(), z.y(), z.z())), 0.0, tolerance);
      }
    }
    const char* volumes[] = {"tube", "block"};
    for (std::size_t s = 0; s < 2; ++s) {
      const auto points = gltf_.vertices(gltf_.node(volumes[s], true));
      const Json& surface = json_["surfaces"][s];
      ASSERT_EQ(points.size(), surface["points"].get<std::size_t>());
      for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_LT((points[i] - point(surface["at"].get<int>() + 3 * static_cast<int>(i))).norm(), 1e-4);
      }
    }
    // a tendon's rings lie about its points
    const auto tube = gltf_.vertices(gltf_.node("cable", true));
    const Json& tendon = json_["tendons"][0];
    for (int k = 0; k < tendon["points"]; ++k) {
      Eigen::Vector3d middle = Eigen::Vector3d::Zero();
      for (int j = 0; j < 8; ++j) middle += tube[9 * k + j] / 8;
      EXPECT_LT((middle - point(tendon["at"].get<int>() + 3 * k)).norm(), tolerance);
    }
  }

  ShownRun run_ = test::invented_run();
  Scene scene_{run_.robot};
  Json json_ = Json::parse(scene_.json());
  Gltf gltf_{gltf_binary(run_)};
};

TEST_F(GltfTest, TheFirstFrameIsTheRobot) { compare(0); }
TEST_F(GltfTest, TheMiddleFrameIsTheRobot) { compare(31); }
TEST_F(GltfTest, TheLastFrameIsTheRobot) { compare(59); }

TEST_F(GltfTest, TimesAreThoseOfTheRun) {
  const Json& sampler = gltf_.root["animations"][0]["samplers"][0];
  const auto times = gltf_.accessor(sampler["input"]);
  ASSERT_EQ(times.size(), 60u);
  for (std::size_t f = 0; f < 60; ++f) EXPECT_NEAR(times[f], run_.samples[f].time, 1e-6);
}

TEST_F(GltfTest, TrianglesOfShapesLookOutside) {
  gltf_.move_to(0);
  for (const char* name : {"plate", "tube joint"}) {
    const Json& node = gltf_.root["nodes"][gltf_.node(name, false)];
    const Json& shape = gltf_.root["nodes"][node["children"][0].get<int>()];
    const Json& primitive = gltf_.root["meshes"][shape["mesh"].get<int>()]["primitives"][0];
    const auto p = gltf_.accessor(primitive["attributes"]["POSITION"]),
               n = gltf_.accessor(primitive["attributes"]["NORMAL"]);
    const auto corners = gltf_.accessor(primitive["indices"]);
    const auto at = [](const std::vector<double>& v, double i) {
      return Eigen::Vector3d(v[3 * static_cast<std::size_t>(i)], v[3 * static_cast<std::size_t>(i) + 1],
                             v[3 * static_cast<std::size_t>(i) + 2]);
    };
    double volume = 0.0;
    for (std::size_t t = 0; t < corners.size(); t += 3) {
      const Eigen::Vector3d a = at(p, corners[t]), b = at(p, corners[t + 1]), c = at(p, corners[t + 2]);
      volume += a.dot(b.cross(c)) / 6;
      const Eigen::Vector3d normal = (b - a).cross(c - a);
      if (!(normal.norm() > 1e-12)) continue;
      EXPECT_GT(normal.dot(at(n, corners[t]) + at(n, corners[t + 1]) + at(n, corners[t + 2])), 0.0);
    }
    EXPECT_GT(volume, 0.0) << name;
  }
}

TEST(GltfAtRestTest, HasNoAnimation) {
  const Gltf gltf(gltf_binary(test::invented_run(1)));
  EXPECT_FALSE(gltf.root.contains("animations"));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
