#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/meshes.h"

/// Robots of which two volumes of finite elements touch: blocks, one above the other.
namespace cuttle::test {

/// A file of a mesh, by its path.
inline std::string mesh_file(const std::string& name, const TetrahedralMesh& mesh) {
  const std::string path = (std::filesystem::path(testing::TempDir()) / (name + ".msh")).string();
  std::ofstream(path) << msh_text(mesh, "2.2");
  return path;
}
/// A block of nx x nx x nz bricks, x and y centered, z from 0.
inline std::string block_file(double width, double height, int nx, int nz) {
  return mesh_file(fmt::format("block_{}_{}_{}_{}_{}", width, height, nx, nz, ::getpid()),
                   box_mesh({width, width, height}, nx, nx, nz));
}

struct VolumePair {
  std::string lower, upper;                        ///< meshes, each clamped at its z = 0
  double height = 0.08;                            ///< of the frame of the upper one, which hangs down from there [m]
  std::string lower_joint = "", upper_joint = "";  ///< as `{type: free}`
  std::string contact = "friction: 0";
  std::string gravity = "[0, 0, 0]";
  std::string kinematics = "{type: fem, full: true}";
  std::string sides = "a: upper, b: lower";
  double poisson = 0.0, turn = 0.0;  ///< ratio; of the upper one about z [rad]
  std::string more = "";             ///< behind the contacts
};
inline constexpr double k_volume_modulus = 1e5, k_volume_density = 1000.0;

inline std::string volume_pair(const VolumePair& pair) {
  const auto link = [&](const char* name, const std::string& mesh, const std::string& joint, const std::string& place) {
    return fmt::format(
        "  - {{name: {}, parent: base{}{}, body: {{type: volume, shape: {{type: mesh, file: '{}'}}, material: soft, "
        "kinematics: {}}}}}\n",
        name, place, joint.empty() ? "" : ", joint: " + joint, mesh, pair.kinematics);
  };
  return fmt::format(
             "cuttle: 1\ngravity: {}\nmaterials: {{soft: {{model: st_venant_kirchhoff, density: {}, young_modulus: {}, "
             "poisson_ratio: {}, damping_time: 5.0e-3}}}}\nlinks:\n",
             pair.gravity, k_volume_density, k_volume_modulus, pair.poisson) +
         link("lower", pair.lower, pair.lower_joint, "") +
         link("upper", pair.upper, pair.upper_joint,
              fmt::format(", attach: {{pose: {{position: [0, 0, {}], rpy: [3.141592653589793, 0, {}]}}}}", pair.height,
                          pair.turn)) +
         fmt::format("contacts: [{{name: press, {}, {}}}]\n{}", pair.sides, pair.contact, pair.more);
}

}  // namespace cuttle::test
