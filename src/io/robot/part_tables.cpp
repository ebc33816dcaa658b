// The parts that several places of the files share: poses, drawings.
#include "io/robot/named_colors.h"
#include "io/robot/robot_tables.h"

namespace cuttle {

using namespace key;

namespace {

/// Keys of a shape, and those that all have.
std::vector<Key> visual_keys(std::vector<Key> keys) {
  keys.push_back(color_key());
  keys.push_back(
      map("pose", k_pose_table).about("Where to draw it, in the frame of the part.").by_default("{}", "identity"));
  return keys;
}
Key visual_radius() { return required(number("radius", k_positive, "m")).about("Radius."); }
const KeyTable k_visual_box{
    .keys = visual_keys({required(numbers("size", 3, "m", k_positive)).about("Edges along x, y and z.")})};
const KeyTable k_visual_cylinder{
    .keys = visual_keys({visual_radius(), required(number("length", k_positive, "m")).about("Length along z.")})};
const KeyTable k_visual_sphere{.keys = visual_keys({visual_radius()})};
const KeyTable k_visual_mesh{
    .keys = visual_keys(
        {required(text("file")).about("Mesh of triangles [m] in STL or OBJ. Its path is relative to this file."),
         profile("scale", 3, k_positive, k_dimensionless)
             .about("Factor on the mesh, or one each for x, y and z.")
             .by_default("1")})};

}  // namespace

Key color_key() {
  std::vector<std::string> names;
  for (const NamedColor& color : named_colors()) names.emplace_back(color.name);
  return other("color", "a color's name or [r, g, b] in [0, 1]",
               {choice("", names), numbers("", 3, k_dimensionless, from_to(0, 1)),
                numbers("", 4, k_dimensionless, from_to(0, 1))})
      .about("Name of a color, or red, green, blue and, if wanted, opacity.")
      .if_missing("the viewer's choice");
}

const KeyTable k_pose_table{
    .name = "pose",
    .keys = {numbers("position", 3, "m")
                 .about("Origin `[x, y, z]` in the frame that the pose is relative to.")
                 .by_default("[0, 0, 0]"),
             numbers("rpy", 3, "rad")
                 .about("Roll, pitch and yaw as in URDF: R = Rz(yaw) Ry(pitch) Rx(roll).")
                 .by_default("[0, 0, 0]"),
             numbers("quaternion", 4, k_dimensionless)
                 .about("Orientation `[w, x, y, z]`, instead of `rpy`. Its norm must be 1 within 1e-6.")
                 .by_default("[1, 0, 0, 0]")},
    .rules = {{KeyRule::Kind::at_most_one, {"rpy", "quaternion"}}},
    .example = "{position: [0, 0, 0.1], rpy: [3.141592653589793, 0, 0]}"};

const KeyVariants k_visual_variants{
    .name = "visual",
    .selector = "shape",
    .fixed = {{"box", &k_visual_box, "A box, centered at `pose`.",
               "{shape: box, size: [0.1, 0.1, 0.02], color: gray, pose: {position: [0, 0, -0.01]}}"},
              {"cylinder", &k_visual_cylinder, "A cylinder along the z axis of `pose`, centered there.",
               "{shape: cylinder, radius: 0.02, length: 0.3, color: [0.2, 0.4, 0.8]}"},
              {"sphere", &k_visual_sphere, "A sphere, centered at `pose`.",
               "{shape: sphere, radius: 0.02, color: [1, 0.5, 0, 0.5]}"},
              {"mesh", &k_visual_mesh, "Triangles from a file.", "{shape: mesh, file: gripper.stl, scale: 0.001}"}}};

}  // namespace cuttle
