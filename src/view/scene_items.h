#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/io/visual.h"
#include "cuttle/view/scene.h"
#include "view/drawn_robot.h"
#include "view/energy_density.h"

namespace cuttle {

/// Triangles between points, for whoever draws a surface.
struct DrawnSurface {
  std::vector<Vector3> points;  ///< rest positions, base frame of the link [m]
  std::vector<std::array<int, 3>> triangles;
  std::vector<std::array<int, 2>> edges;  ///< where faces meet at an angle

  explicit DrawnSurface(const VolumeSurface& surface);
  DrawnSurface() = default;
};

/// What a scene holds, item by item as in viewer/src/contract.ts, and what is needed to move it.
struct SceneFrame {
  std::string name;
  int link = -1, at = 0;
  Frame frame;
  bool world = false;            ///< the world itself instead
  int obstacle = -1;             ///< or an obstacle, which may move
  const char* marker = nullptr;  ///< joint | mass
  double radius = 0.0;
};
struct SceneRod {
  int link = 0, at = 0;
  SectionContour::Outline outline = SectionContour::Outline::circle;
  std::vector<double> half_x, half_y, inner;
};
struct SceneSurface {
  int link = 0, at = 0;
  DrawnSurface shape;
};
struct SceneShape {
  enum class Kind { box, cylinder, sphere, capsule, mesh } kind = Kind::capsule;
  int link = 0, frame = 0;
  Pose pose;
  Vector3 size;  ///< box
  double radius = 0.0, length = 0.0;
  std::shared_ptr<const TriangleMesh> mesh;
  std::optional<Color> color;
  bool given = false;
  bool obstacle = false;
  bool contact = false;  ///< by which a link touches, beside what it looks like
};
/// 0xrrggbb.
unsigned color_code(const Color& color);
struct SceneTendon {
  std::string name;
  int points = 0, at = 0, tension = 0, input = 0;
  int output = -1;  ///< of all outputs of elements, that with its tension; -1: its input is
};
struct SceneChamber {
  std::string name;
  int link = 0, pressure = 0, input = 0, at = 0;
  // tube along a rod ..
  double radius = 0.0;
  std::array<double, 2> offset{};
  int tube_points = 0;
  // .. or cavity of a volume
  DrawnSurface chamber;
};
struct SceneArrow {
  std::string name;
  bool torque = false;
  std::string unit;
  int at = 0;
  std::size_t load = 0, point = 0;
  /// Of a contact instead: its numbers in Sample::contacts, where it presses, all of its force, and what of it is
  /// friction; -1: of a load.
  int center = -1, force = -1, friction = -1;
  bool shows_friction = false;
};

/// A site of a contact that is recorded.
struct SceneDot {
  std::string name;
  int at = 0, state = 0;        ///< places of its position and of what it does
  int position = 0, touch = 0;  ///< in Sample::contacts
};

struct SceneItems {
  SceneItems(const Robot& robot, const std::vector<LinkVisual>& visuals);

  Robot robot;
  DrawnRobot drawn;
  std::vector<LinkFields> fields;  ///< one a link
  std::vector<SceneRange> ranges;
  int size = 0;

  std::vector<SceneFrame> frames;
  std::vector<int> tips;  ///< of each link, in `frames`
  std::vector<SceneRod> rods;
  std::vector<SceneSurface> surfaces;
  std::vector<SceneShape> shapes;
  std::vector<SceneTendon> tendons;
  std::vector<SceneChamber> chambers;
  std::vector<SceneArrow> arrows;
  std::vector<SceneDot> dots;
  /// Places of each link's fields, energy density and curvature; -1: none.
  std::vector<std::array<int, 2>> field_places;

  void fill(const Sample& sample, std::span<double> numbers);
  std::string json() const;

 private:
  void add_visuals(const std::vector<LinkVisual>& visuals);
  void add_obstacles(const std::vector<LinkVisual>& visuals);
  /// Shapes by which a link touches. @return whether there are some.
  bool add_contact_shapes(int link);
  /// Whether the file says how a link's body looks; -1: the base.
  bool is_dressed(int link) const { return dressed_[link + 1] != 0; }
  int add_range(SceneRange::Kind kind, int size);
  int add_frame(const std::string& name, int link, const Frame& frame);
  void add_links();
  void add_rod(int link);
  void add_rigid(int link);
  void add_mount(int link);
  /// Of a rod's base or a volume, across [m]; 0 for others.
  double half_width(int link) const;
  void add_tendons();
  void add_chambers();
  void add_arrows();
  void add_contact_arrows();
  void add_contact_dots();
  void put_contact_arrow(const SceneArrow& arrow, const VectorXd& contacts, double* numbers) const;
  void place_fields();
  int input_of(std::size_t actuator) const;
  /// First output of an actuator's law among Sample::element_outputs; -1: none.
  int output_of(const std::string& actuator) const;
  Vector3 arrow_vector(const SceneArrow& arrow, double time) const;

  std::vector<char> dressed_;  // of the base, then of the links
  std::vector<double> last_quaternions_;
};

}  // namespace cuttle
