#include "view/scene_items.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "cuttle/bodies/chamber_surface.h"
#include "cuttle/simulation/recorded_contacts.h"
#include "cuttle/spatial/logarithm.h"
#include "model/pose_at.h"
#include "view/obstacle_shapes.h"

namespace cuttle {
namespace {

constexpr double k_rigid_radius = 0.012, k_thin_radius = 0.005;  // of the reach, for what has no size of its own
constexpr double k_least_length = 1e-6;                          // of the reach
constexpr double k_solid_density = 1500.0;                       // kg/m^3, gives a point mass a size
constexpr Color k_obstacle_color{0.78, 0.79, 0.8, 1.0}, k_contact_color{0.2, 0.7, 0.4, 0.35};
constexpr double k_inside_opacity = 0.25;

/// Rotation that takes the z axis to a direction.
Matrix3 rotation_to(const Vector3& direction) {
  const Vector3 z = 1.0 / norm(direction) * direction;
  const Vector3 other = std::abs(z.x) < 0.9 ? Vector3{1, 0, 0} : Vector3{0, 1, 0};
  Vector3 x = cross(other, z);
  x = 1.0 / norm(x) * x;
  const Vector3 y = cross(z, x);
  Matrix3 R;
  for (int i = 0; i < 3; ++i) R(i, 0) = x[i], R(i, 1) = y[i], R(i, 2) = z[i];
  return R;
}

/// From a point to another of the same frame.
SceneShape capsule(int link, int frame, const Vector3& from, const Vector3& to, double radius) {
  SceneShape shape;
  shape.kind = SceneShape::Kind::capsule;
  shape.link = link, shape.frame = frame;
  shape.pose = {rotation_to(to - from), 0.5 * (from + to)};
  shape.radius = radius, shape.length = norm(to - from);
  return shape;
}

/// Outline and sizes of a rod's section at its stations; thin if the rod does not say.
void describe_section(const DrawnRobot::DrawnLink& link, double thin, SceneRod& rod) {
  const Section& section = link.rod->section();
  for (const double s : link.s) {
    const SectionContour contour = section.is_given() ? section_contour(section, s / link.rod->length())
                                                      : SectionContour{.half_x = thin, .half_y = thin};
    rod.outline = contour.outline;
    rod.half_x.push_back(contour.half_x), rod.half_y.push_back(contour.half_y);
    if (contour.bore) rod.inner.push_back(*contour.bore);
  }
}

}  // namespace

DrawnSurface::DrawnSurface(const VolumeSurface& surface) : points(surface.points), triangles(surface.triangles()) {
  for (const VolumeSurface::Edge& edge : surface.edges) {
    if (edge.sharp) edges.push_back({edge.a, edge.b});
  }
}

SceneItems::SceneItems(const Robot& robot_in, const std::vector<LinkVisual>& visuals)
    : robot(robot_in), drawn(robot), dressed_(robot.links.size() + 1, 0) {
  add_frame("base", -1, drawn.model().base_frame());
  add_visuals(visuals);
  add_obstacles(visuals);
  add_links();
  add_tendons();
  add_chambers();
  add_arrows();
  add_contact_arrows();
  add_contact_dots();
  place_fields();
}

void SceneItems::add_visuals(const std::vector<LinkVisual>& visuals) {
  using Carrier = LinkVisual::Frame;
  std::map<std::pair<int, Carrier>, int> made;  // frames that have been
  for (const LinkVisual& visual : visuals) {
    if (visual.frame == Carrier::obstacle) continue;
    const int link = visual.link == "base" ? -1 : drawn.model().link_index(visual.link);
    if (visual.frame == Carrier::base || visual.frame == Carrier::body) dressed_[link + 1] = 1;
    const auto [place, is_new] = made.insert({{link, visual.frame}, static_cast<int>(frames.size())});
    if (is_new) {
      switch (visual.frame) {
        case Carrier::world:
          add_frame("world", link, drawn.model().base_frame());
          frames.back().world = true;
          break;
        case Carrier::base:
          add_frame("base shape", link, drawn.model().base_frame());
          break;
        case Carrier::joint:
          add_frame(visual.link + " mount", link, drawn.links()[link].attach);
          break;
        case Carrier::body:
          add_frame(visual.link, link, drawn.links()[link].base);
          break;
        case Carrier::obstacle:
          break;
      }
    }
    SceneShape shape;
    static constexpr SceneShape::Kind k_kinds[] = {SceneShape::Kind::box, SceneShape::Kind::cylinder,
                                                   SceneShape::Kind::sphere, SceneShape::Kind::mesh};
    shape.kind = k_kinds[static_cast<int>(visual.visual.shape)];
    shape.link = link, shape.frame = place->second, shape.pose = visual.visual.pose;
    shape.size = visual.visual.size, shape.radius = visual.visual.radius, shape.length = visual.visual.length;
    shape.mesh = visual.visual.mesh, shape.color = visual.visual.color, shape.given = true;
    shapes.push_back(std::move(shape));
  }
}

void SceneItems::add_obstacles(const std::vector<LinkVisual>& visuals) {
  for (std::size_t i = 0; i < robot.obstacles.size(); ++i) {
    const Obstacle& obstacle = robot.obstacles[i];
    const int frame = add_frame(obstacle.name, -1, drawn.model().base_frame());
    frames.back().obstacle = static_cast<int>(i);
    const Vector3 middle = drawn.pose(drawn.model().base_frame()).position;
    SceneShape shape = drawn_shape(*obstacle.shape, drawn.reach(), obstacle.pose.inverse().act(middle));
    shape.link = -1, shape.frame = frame, shape.given = true, shape.obstacle = true;
    const auto its = std::find_if(visuals.begin(), visuals.end(), [&](const LinkVisual& visual) {
      return visual.frame == LinkVisual::Frame::obstacle && visual.link == obstacle.name;
    });
    shape.color = its != visuals.end() ? its->visual.color : k_obstacle_color;
    if (obstacle.inside && its == visuals.end()) shape.color->opacity = k_inside_opacity;  // the robot is in it
    shapes.push_back(std::move(shape));
  }
}

bool SceneItems::add_contact_shapes(int index) {
  const std::vector<ContactShape>& touching = robot.links[index].contact.shapes;
  if (touching.empty()) return false;
  const int frame = add_frame(robot.links[index].name + " contact", index, drawn.links()[index].base);
  const bool looks_so = !is_dressed(index);
  for (const ContactShape& contact : touching) {
    SceneShape shape = drawn_shape(*contact.shape, drawn.reach(), {});
    shape.link = index, shape.frame = frame, shape.pose = contact.pose * shape.pose;
    shape.contact = !looks_so;
    if (!looks_so) shape.color = k_contact_color;
    shapes.push_back(std::move(shape));
  }
  return looks_so;
}

int SceneItems::add_range(SceneRange::Kind kind, int count) {
  const int at = size;
  ranges.push_back({kind, at, count});
  size += count;
  return at;
}

int SceneItems::add_frame(const std::string& name, int link, const Frame& frame) {
  frames.push_back({name, link, add_range(SceneRange::Kind::poses, 7), frame});
  return static_cast<int>(frames.size()) - 1;
}

void SceneItems::add_links() {
  for (int i = 0; i < static_cast<int>(drawn.links().size()); ++i) {
    const DrawnRobot::DrawnLink& link = drawn.links()[i];
    fields.emplace_back(link, robot.links[i].body.get());
    add_mount(i);
    const bool looks_as_it_touches = add_contact_shapes(i);
    if (link.rod != nullptr) {
      add_rod(i);
    } else if (!link.surface.faces.empty()) {
      DrawnSurface shape(link.surface);
      const int count = static_cast<int>(3 * shape.points.size());
      surfaces.push_back({i, add_range(SceneRange::Kind::points, count), std::move(shape)});
    } else if (!is_dressed(i) && !looks_as_it_touches) {
      add_rigid(i);
    }
    tips.push_back(add_frame(link.name + " tip", i, link.tip));
  }
}

/// What carries a link's joint, and the joint.
void SceneItems::add_mount(int index) {
  const DrawnRobot::DrawnLink& link = drawn.links()[index];
  const double thin = k_rigid_radius * drawn.reach();
  if (link.parent_link < 0 && !robot.floating_base && !is_dressed(-1)) {  // what it stands on or hangs from
    const double thickness = 0.4 * thin;
    SceneShape plate;
    plate.kind = SceneShape::Kind::cylinder;
    plate.link = -1, plate.frame = add_frame(link.name + " place", -1, link.attach);
    plate.pose.position = {0.0, 0.0, -0.5 * thickness};
    plate.radius = std::max(2.5 * thin, 1.6 * half_width(index)), plate.length = thickness;
    shapes.push_back(std::move(plate));
  }
  const Vector3 offset = drawn.pose(link.parent).inverse().act(drawn.pose(link.attach).position);
  if (norm(offset) > k_least_length * drawn.reach() && !is_dressed(link.parent_link)) {
    const int frame = add_frame(link.name + " mount", link.parent_link, link.parent);
    shapes.push_back(capsule(link.parent_link, frame, {}, offset, 0.8 * thin));
  }
  if (!link.joint) return;
  SceneFrame& joint = frames[add_frame(link.name + " joint", index, link.base)];
  joint.marker = "joint";
  // a little thicker than what turns, where that has a size
  const double width = half_width(index);
  joint.radius = width > 0.0 ? std::min(1.15 * width, 2.0 * thin) : 1.25 * thin;
}

double SceneItems::half_width(int index) const {
  const DrawnRobot::DrawnLink& link = drawn.links()[index];
  if (link.rod != nullptr) {
    SceneRod rod;
    describe_section(link, k_thin_radius * drawn.reach(), rod);
    return std::max(rod.half_x[0], rod.half_y[0]);
  }
  double width = 0.0;
  for (const Vector3& x : link.surface.points) width = std::max({width, std::abs(x.x), std::abs(x.y)});
  return width;
}

void SceneItems::add_rod(int index) {
  SceneRod rod;
  rod.link = index;
  describe_section(drawn.links()[index], k_thin_radius * drawn.reach(), rod);
  rod.at = add_range(SceneRange::Kind::poses, static_cast<int>(7 * drawn.links()[index].stations.size()));
  rods.push_back(std::move(rod));
}

void SceneItems::add_rigid(int index) {
  const DrawnRobot::DrawnLink& link = drawn.links()[index];
  const Vector3 tip = drawn.pose(link.base).inverse().act(drawn.pose(link.tip).position);
  const double length = norm(tip), reach = drawn.reach();
  if (length > k_least_length * reach) {
    const int frame = add_frame(link.name, index, link.base);
    shapes.push_back(capsule(index, frame, {}, tip, std::min(k_rigid_radius * reach, 0.25 * length)));
    return;
  }
  if (!link.has_fixed_mass()) return;
  const Pose at_com{Matrix3::identity(), link.com};
  SceneFrame& mass = frames[add_frame(link.name, index, {link.base.node, link.base.node_frame * at_com})];
  mass.marker = "mass";
  const double radius = std::cbrt(3.0 * link.mass / (4.0 * M_PI * k_solid_density));
  mass.radius = std::clamp(radius, 0.008 * reach, 0.04 * reach);
}

int SceneItems::input_of(std::size_t actuator) const {
  std::size_t input = 0;
  for (std::size_t a = 0; a < actuator; ++a) input += robot.actuators[a].inputs().size();
  return static_cast<int>(input);
}

int SceneItems::output_of(const std::string& actuator) const {
  int output = 0;  // laws of actuators come first among all outputs
  for (const Actuator& other : robot.actuators) {
    const int count = other.law ? other.law->output_count() : 0;
    if (other.name == actuator && count > 0) return output;
    output += count;
  }
  return -1;
}

void SceneItems::add_tendons() {
  for (const DrawnRobot::Tendon& tendon : drawn.tendons()) {
    SceneTendon item;
    item.name = tendon.name;
    for (const DrawnRobot::TendonPart& part : tendon.parts) item.points += static_cast<int>(part.size());
    item.at = add_range(SceneRange::Kind::points, 3 * item.points);
    item.tension = add_range(SceneRange::Kind::values, 1);
    item.input = tendon.input;
    item.output = output_of(tendon.name);
    tendons.push_back(std::move(item));
  }
}

void SceneItems::add_chambers() {
  for (std::size_t a = 0; a < robot.actuators.size(); ++a) {
    const auto chamber = robot.actuators[a].transmission->picture().chamber;
    if (!chamber) continue;
    SceneChamber item;
    item.name = robot.actuators[a].name, item.input = input_of(a);
    item.link = drawn.model().link_index(chamber->chamber.link);
    const DrawnRobot::DrawnLink& link = drawn.links()[item.link];
    if (link.rod != nullptr) {
      item.radius = std::sqrt(chamber->area / M_PI), item.offset = chamber->offset;
      item.tube_points = static_cast<int>(link.stations.size());
    } else {
      const ChamberSurface chamber_surface = link.body->chamber(chamber->chamber);
      const bool own = !chamber_surface.drawing.empty();
      item.chamber.points = own ? chamber_surface.drawing.points : chamber_surface.points;
      item.chamber.triangles = own ? chamber_surface.drawing.triangles() : chamber_surface.triangles;
    }
    const int points = item.tube_points + static_cast<int>(item.chamber.points.size());
    item.at = add_range(SceneRange::Kind::points, 3 * points);
    item.pressure = add_range(SceneRange::Kind::values, 1);
    chambers.push_back(std::move(item));
  }
}

void SceneItems::add_arrows() {
  const auto acts = [](const Signal(&three)[3]) {
    return std::any_of(std::begin(three), std::end(three), [](const Signal& s) { return !(s == Signal(0.0)); });
  };
  for (std::size_t l = 0; l < robot.loads.size(); ++l) {
    const Load& load = robot.loads[l];
    const TimedWrench* wrench = load.law->timed();
    if (wrench == nullptr) continue;
    const bool distributed = load.law->along_link();
    for (const bool torque : {false, true}) {
      if (!acts(torque ? wrench->torque : wrench->force)) continue;
      for (std::size_t k = 0; k < drawn.loads()[l].frames.size(); ++k) {
        SceneArrow arrow;
        arrow.name = std::string(torque ? "torque on " : "force on ") + load.place.link;
        arrow.torque = torque, arrow.unit = torque ? (distributed ? "N m/m" : "N m") : (distributed ? "N/m" : "N");
        arrow.load = l, arrow.point = k;
        arrow.at = add_range(SceneRange::Kind::points, 3);
        add_range(SceneRange::Kind::values, 3);
        arrows.push_back(std::move(arrow));
      }
    }
  }
}

void SceneItems::add_contact_arrows() {
  if (robot.contacts.empty()) return;
  int first = 0;
  SceneArrow arrow;
  std::set<std::string> names;
  for (const Contact& contact : robot.contacts) names.insert(contact.name);
  for (const RecordedContact& recorded : recorded_contacts(Model(robot))) {
    const int at = first;
    first += static_cast<int>(recorded.columns.size());
    if (names.count(recorded.contact) == 0) continue;  // a pair of one, or its sites
    if (recorded.quantity == "force") arrow.force = at;
    if (recorded.quantity == "center") arrow.center = at;
    if (recorded.quantity != "friction_force") continue;  // which comes last
    arrow.friction = at, arrow.unit = "N";
    for (const bool friction : {false, true}) {
      arrow.shows_friction = friction;
      arrow.name = (friction ? "friction of " : "normal force of ") + recorded.contact;
      arrow.at = add_range(SceneRange::Kind::points, 3);
      add_range(SceneRange::Kind::values, 3);
      arrows.push_back(arrow);
    }
  }
}

void SceneItems::add_contact_dots() {
  if (robot.contacts.empty()) return;
  int first = 0, position = 0;
  for (const RecordedContact& recorded : recorded_contacts(Model(robot))) {
    const int at = first, count = static_cast<int>(recorded.columns.size());
    first += count;
    if (!recorded.contact.ends_with("/sites")) continue;
    if (recorded.quantity == "position") position = at;
    if (recorded.quantity != "state") continue;  // which comes behind that
    for (int k = 0; k < count; ++k) {
      SceneDot dot{recorded.contact + " " + std::to_string(k), 0, 0, position + 3 * k, at + k};
      dot.at = add_range(SceneRange::Kind::points, 3);
      dot.state = add_range(SceneRange::Kind::values, 1);
      dots.push_back(std::move(dot));
    }
  }
}

/// On the robot, where it presses; nothing of results that do not have it, or while nothing presses.
void SceneItems::put_contact_arrow(const SceneArrow& arrow, const VectorXd& contacts, double* numbers) const {
  std::fill_n(numbers, 6, 0.0);
  if (contacts.size() <= arrow.friction + 2 || !std::isfinite(contacts[arrow.center])) return;
  for (int k = 0; k < 3; ++k) {
    const double friction = contacts[arrow.friction + k];
    numbers[k] = contacts[arrow.center + k];
    numbers[3 + k] = arrow.shows_friction ? friction : contacts[arrow.force + k] - friction;
  }
}

void SceneItems::place_fields() {
  field_places.assign(drawn.links().size(), {-1, -1});
  for (std::size_t i = 0; i < drawn.links().size(); ++i) {
    const DrawnRobot::DrawnLink& link = drawn.links()[i];
    const int count = static_cast<int>(link.rod != nullptr ? link.s.size() : link.surface.points.size());
    if (fields[i].has_energy()) field_places[i][0] = add_range(SceneRange::Kind::values, count);
    if (fields[i].has_curvature()) field_places[i][1] = add_range(SceneRange::Kind::values, count);
  }
}

/// In the world.
Vector3 SceneItems::arrow_vector(const SceneArrow& arrow, double time) const {
  const TimedWrench& load = *robot.loads[arrow.load].law->timed();
  const Signal* signals = arrow.torque ? load.torque : load.force;
  const Vector3 vector{signals[0].at(time), signals[1].at(time), signals[2].at(time)};
  if (load.axes == Axes::world) return vector;
  return drawn.pose(drawn.loads()[arrow.load].frames[arrow.point]).rotation * vector;
}

void SceneItems::fill(const Sample& sample, std::span<double> numbers) {
  drawn.move_to(sample.q);
  const bool first = last_quaternions_.empty();
  std::size_t quaternion = 0;
  const auto put_pose = [&](int at, const Pose& pose) {
    const Quaternion q = quaternion_from_matrix(pose.rotation);
    double values[] = {pose.position.x, pose.position.y, pose.position.z, q.w, q.x, q.y, q.z};
    if (first) last_quaternions_.insert(last_quaternions_.end(), values + 3, values + 7);
    double* last = last_quaternions_.data() + 4 * quaternion++;
    double same = 0.0;
    for (int k = 0; k < 4; ++k) same += last[k] * values[3 + k];
    for (int k = 0; k < 4; ++k) last[k] = values[3 + k] *= same < 0.0 ? -1.0 : 1.0;
    std::copy(std::begin(values), std::end(values), numbers.begin() + at);
  };
  const auto put = [&](int at, const Vector3& p) {
    for (int k = 0; k < 3; ++k) numbers[at + k] = p[k];
  };
  const auto put_points = [&](int at, const std::vector<Vector3>& points) {
    for (std::size_t k = 0; k < points.size(); ++k) put(at + static_cast<int>(3 * k), points[k]);
  };

  for (const SceneFrame& frame : frames) {
    if (frame.obstacle < 0) {
      put_pose(frame.at, frame.world ? Pose() : drawn.pose(frame.frame));
    } else {
      const Obstacle& obstacle = robot.obstacles[static_cast<std::size_t>(frame.obstacle)];
      put_pose(frame.at, obstacle.pose * pose_at(obstacle.motion, sample.time, Pose()));
    }
  }
  for (const SceneRod& rod : rods) {
    const auto& stations = drawn.links()[rod.link].stations;
    for (std::size_t k = 0; k < stations.size(); ++k) {
      put_pose(rod.at + static_cast<int>(7 * k), drawn.pose(stations[k]));
    }
  }
  std::vector<Vector3> points;
  for (const SceneSurface& surface : surfaces) {
    points.resize(surface.shape.points.size());
    drawn.material_points(drawn.links()[surface.link], surface.shape.points, points.data());
    put_points(surface.at, points);
  }
  for (std::size_t i = 0; i < tendons.size(); ++i) {
    points.clear();
    for (const DrawnRobot::TendonPart& part : drawn.tendons()[i].parts) drawn.append_points(part, points);
    put_points(tendons[i].at, points);
    const int input = tendons[i].input;
    const int output = tendons[i].output;
    numbers[tendons[i].tension] = output >= 0 && sample.element_outputs.size() > output ? sample.element_outputs[output]
                                  : output < 0 && input >= 0 && sample.u.size() > input ? sample.u[input]
                                                                                        : 0.0;
  }
  for (const SceneChamber& chamber : chambers) {
    const DrawnRobot::DrawnLink& link = drawn.links()[chamber.link];
    points.clear();
    for (int k = 0; k < chamber.tube_points; ++k) {
      points.push_back(drawn.pose(link.stations[k]).act(Vector3{chamber.offset[0], chamber.offset[1], 0.0}));
    }
    if (!chamber.chamber.points.empty()) {
      points.resize(chamber.chamber.points.size());
      drawn.material_points(link, chamber.chamber.points, points.data());
    }
    put_points(chamber.at, points);
    numbers[chamber.pressure] = sample.u.size() > chamber.input ? sample.u[chamber.input] : 0.0;
  }
  for (const SceneArrow& arrow : arrows) {
    if (arrow.center >= 0) {
      put_contact_arrow(arrow, sample.contacts, numbers.data() + arrow.at);
      continue;
    }
    put(arrow.at, drawn.pose(drawn.loads()[arrow.load].frames[arrow.point]).position);
    put(arrow.at + 3, arrow_vector(arrow, sample.time));
  }
  for (const SceneDot& dot : dots) {
    if (sample.contacts.size() <= dot.touch) continue;  // results of other robots
    const double* position = sample.contacts.data() + dot.position;
    if (std::isfinite(position[0])) std::copy_n(position, 3, numbers.data() + dot.at);
    numbers[dot.state] = sample.contacts[dot.touch];
  }
  for (std::size_t i = 0; i < field_places.size(); ++i) {
    const double* q = sample.q.data() + drawn.links()[i].q;
    if (field_places[i][0] >= 0) fields[i].energy(q, numbers.data() + field_places[i][0]);
    if (field_places[i][1] >= 0) fields[i].curvature(q, numbers.data() + field_places[i][1]);
  }
}

Scene::Scene(const Robot& robot, const std::vector<LinkVisual>& visuals)
    : items_(std::make_unique<SceneItems>(robot, visuals)) {}
Scene::~Scene() = default;
Scene::Scene(Scene&&) noexcept = default;
Scene& Scene::operator=(Scene&&) noexcept = default;
int Scene::size() const { return items_->size; }
double Scene::reach() const { return items_->drawn.reach(); }
void Scene::frame(const Sample& sample, std::span<double> numbers) { items_->fill(sample, numbers); }
const std::vector<SceneRange>& Scene::ranges() const { return items_->ranges; }
std::string Scene::json() const { return items_->json(); }

}  // namespace cuttle
