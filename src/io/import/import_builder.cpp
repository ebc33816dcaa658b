#include "io/import/import_builder.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>

#include "cuttle/elements/joint_limit.h"
#include "cuttle/error.h"
#include "cuttle/spatial/eigen.h"
#include "io/import/file_uri.h"
#include "io/import/scene_mesh.h"

namespace cuttle {
namespace {

constexpr std::size_t k_most_note_names = 6;  // on a line
constexpr double k_unbounded = 1e16;          // what SDF takes for no limit

bool may_be_in_name(char letter) {
  const auto code = static_cast<unsigned char>(letter);
  return letter != '.' && letter != '/' && letter != '[' && letter != ']' && code >= 0x20 && code != 0x7f;
}

/// An inertia without its negative principal moments; nothing if it has none that a rigid body would refuse.
std::optional<SymmetricMatrix3> without_negative_moments(const SymmetricMatrix3& inertia) {
  const Eigen::Matrix3d tensor = to_eigen(inertia.matrix());
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(tensor);
  const Eigen::Vector3d& moments = solver.eigenvalues();
  if (!(moments[0] < -1e-9 * std::abs(moments[2]))) return std::nullopt;  // as RigidBody; not of what is not finite
  const Eigen::Matrix3d mended =
      solver.eigenvectors() * moments.cwiseMax(0.0).asDiagonal() * solver.eigenvectors().transpose();
  return SymmetricMatrix3{mended(0, 0), mended(1, 1), mended(2, 2), mended(0, 1), mended(0, 2), mended(1, 2)};
}

}  // namespace

std::string ImportNote::text() const {
  if (names.empty()) return fmt::format("{}: {}", place, what);
  std::string listed;
  for (std::size_t i = 0; i < std::min(names.size(), k_most_note_names); ++i) {
    listed += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > k_most_note_names) listed += ", ..";
  if (names.size() == 1) return fmt::format("{}: {} ({})", place, what, listed);
  return fmt::format("{}: {} ({}: {})", place, what, names.size(), listed);
}

std::optional<NamedText> ImportFiles::find(const std::string& name, const std::vector<std::string>& paths,
                                           const std::string& what) {
  const auto known = texts_.find(name);
  if (known != texts_.end()) return NamedText{in_memory_ ? holder_ + ": " + name : name, known->second};
  if (in_memory_) return std::nullopt;
  for (const std::string& candidate : paths) {
    const std::string path = path_in(directory_, candidate);
    // what is no file is there too: the reader says what it is
    std::error_code status;
    if (!std::filesystem::exists(path, status) || std::filesystem::is_directory(path, status)) continue;
    std::string text = read_text_file(path, what);
    texts_[name] = text;
    return NamedText{path, std::move(text)};
  }
  return std::nullopt;
}

MassProperties& MassProperties::operator+=(const MassProperties& other) {
  const double sum = mass + other.mass;
  if (sum == 0.0) {
    inertia += other.inertia;
    return *this;
  }
  const Vector3 center = (1.0 / sum) * (mass * com + other.mass * other.com);
  const auto moved = [&](const MassProperties& part) {
    const Vector3 d = part.com - center;
    SymmetricMatrix3 about = part.inertia;
    const double d2 = dot(d, d);
    about += SymmetricMatrix3::diagonal(part.mass * d2, part.mass * d2, part.mass * d2);
    about -= SymmetricMatrix3::outer(part.mass, d);
    return about;
  };
  inertia = moved(*this) + moved(other);
  mass = sum, com = center;
  return *this;
}

MassProperties MassProperties::seen_from(const Pose& pose) const {
  return {mass, pose.act(com), inertia.rotated(pose.rotation)};
}

void ImportBuilder::note(const SourceMark& mark, const std::string& what, const std::string& name) {
  const auto [entry, is_new] = note_index_.emplace(what, notes_.size());
  if (is_new) {
    const std::string source = mark.source ? *mark.source : "";
    notes_.push_back({mark.line > 0 ? fmt::format("{}:{}", source, mark.line) : source, what, {}});
  }
  std::vector<std::string>& names = notes_[entry->second].names;
  if (!name.empty()) names.push_back(name);
}

std::string ImportBuilder::plain_name(const SourceMark& mark, const std::string& wanted, const char* what,
                                      std::set<std::string>& taken) {
  std::string plain;
  for (const char letter : wanted) {
    plain += may_be_in_name(letter) ? letter : '_';
  }
  if (plain.empty()) plain = what;
  plain = options_->prefix + plain;
  std::string free = plain;
  for (int i = 1; taken.count(free) > 0; ++i) free = fmt::format("{}_{}", plain, i);
  taken.insert(free);
  if (!wanted.empty() && free != options_->prefix + wanted) {
    note(mark, fmt::format("name of a {}: changed, as it is taken or has . / [ or ]", what),
         fmt::format("{} -> {}", wanted, free));
  }
  return free;
}

std::string ImportBuilder::effect_name(const SourceMark& mark, const std::string& wanted) {
  return plain_name(mark, wanted, "actuator", effects_);
}
std::string ImportBuilder::loop_name(const SourceMark& mark, const std::string& wanted) {
  return plain_name(mark, wanted, "loop", loops_);
}

std::string ImportBuilder::add_link(const SourceMark& mark, const ImportedLink& link) {
  Link added;
  added.name = plain_name(mark, link.name, "link", links_);
  added.parent = place(link.parent, link.parent_joint);
  added.joint = link.joint;
  added.joint_dynamics = link.dynamics;
  const bool moved = !(link.joint_link == Pose::identity());
  if (moved) joint_link_[added.name] = link.joint_link;
  if (link.mass || moved) {
    const MassProperties mass = link.mass.value_or(MassProperties()).seen_from(link.joint_link);
    RigidParameters rigid;
    rigid.mass = mass.mass, rigid.com = mass.com, rigid.inertia = mass.inertia, rigid.tip = link.joint_link;
    if (const auto mended = without_negative_moments(mass.inertia)) {
      rigid.inertia = *mended;
      note(mark, "inertia with a principal moment below 0, which no body has: that moment is taken as 0", link.name);
    }
    try {
      const auto body = std::make_shared<const RigidBody>(rigid);
      added.body = body;
      if (body->warning()) {
        note(mark, "inertia that no real body has (a principal moment above the sum of the other two): kept",
             link.name);
      }
    } catch (const ModelError& error) {
      errors.add(mark, "inertial[" + link.name + "]." + error.path().text(), error.found(), error.expected());
    }
  }
  std::string name = added.name;
  robot.links.push_back(std::move(added));
  return name;
}

Place ImportBuilder::place(const std::string& link, const Pose& pose) const {
  if (!link.empty()) return {link, PortLocation::tip(), pose};
  Place place = options_->mount;
  place.pose = place.pose * pose;
  return place;
}

void ImportBuilder::add_marker(const SourceMark& mark, const std::string& name, const std::string& link,
                               const Pose& pose) {
  robot.markers.push_back({plain_name(mark, name, "marker", markers_), place(link, pose)});
}

void ImportBuilder::add_visual(const std::string& link, Visual visual) {
  if (!options_->draws) return;
  if (!link.empty()) {
    if (const auto found = joint_link_.find(link); found != joint_link_.end())
      visual.pose = found->second * visual.pose;
    visuals.push_back({link, LinkVisual::Frame::body, std::move(visual)});
    return;
  }
  if (options_->mount.link != "base") return;  // that of the link's own file; nothing else stands still there
  visual.pose = options_->mount.pose * visual.pose;
  visuals.push_back({"base", LinkVisual::Frame::base, std::move(visual)});
}

void ImportBuilder::add_contact_shape(const std::string& link, ContactShape shape) {
  if (const auto found = joint_link_.find(link); found != joint_link_.end()) shape.pose = found->second * shape.pose;
  const auto owner = std::find_if(robot.links.rbegin(), robot.links.rend(),
                                  [&link](const Link& candidate) { return candidate.name == link; });
  if (owner != robot.links.rend()) owner->contact.shapes.push_back(std::move(shape));
}

void ImportBuilder::add_limit(const SourceMark& mark, const std::string& joint, const std::string& link, bool turns,
                              double lower, double upper, double effort) {
  const double range = turns ? 0.01 : 0.001;
  double stiffness = turns ? 100.0 : 1e5;
  if (effort > 0.0) stiffness = std::clamp(effort / range, 1.0, 1e6);
  // half a hundredth of a second of damping time: a stop that neither rings nor sticks
  const JointLimit limit{std::max(lower, -k_unbounded), std::min(upper, k_unbounded), stiffness, 0.005 * stiffness,
                         range};
  robot.elements.push_back(make_joint_limit<double>(effect_name(mark, joint + "_limit"), link, 0, limit));
  note(
      mark,
      "limit of a joint: made an element of a stiffness that is chosen here (the most effort, if the file has it, over "
      "0.01 rad or 0.001 m), damping 0.005 s of it",
      joint);
}

std::optional<NamedText> ImportBuilder::file(const std::string& name, const std::string& from,
                                             const std::string& what) {
  const std::string folder = directory_of(from);
  const FileUri uri = parse_file_uri(name);
  std::vector<std::string> candidates;
  if (uri.package.empty()) {
    for (const std::string& spelling : uri.spellings()) candidates.push_back(path_in(folder, spelling));
    return files_->find(candidates.front(), candidates, what);
  }
  std::vector<std::string> roots = options_->package_roots;
  for (std::string& root : ros_package_folders()) roots.push_back(std::move(root));
  // and around the file itself, which mostly lies in its package
  std::error_code error;
  std::filesystem::path around = path_in(files_->directory(), folder);
  around = around.empty() ? std::filesystem::current_path(error) : std::filesystem::absolute(around, error);
  for (around = around.lexically_normal(); around.has_relative_path(); around = around.parent_path()) {
    roots.push_back(around.string());
  }
  for (const std::string& root : roots) {
    for (const std::string& spelling : uri.spellings()) {
      candidates.push_back(path_in(root, path_in(uri.package, spelling)));
      if (std::filesystem::path(root).lexically_normal().filename() == uri.package) {
        candidates.push_back(path_in(root, spelling));
      }
    }
  }
  return files_->find(name, candidates, what);
}

const ImportBuilder::LoadedMesh& ImportBuilder::mesh(const std::string& name, const std::string& from,
                                                     const Vector3& scale) {
  const auto [entry, is_new] = meshes_.try_emplace({from, name, {scale.x, scale.y, scale.z}});
  LoadedMesh& loaded = entry->second;
  if (!is_new) return loaded;
  try {
    const auto text = file(name, from, "a mesh");
    if (!text) {
      loaded.is_missing = true;
      return loaded;
    }
    TriangleMesh mesh = read_scene_mesh(*text);
    for (Vector3& p : mesh.points) p = {scale.x * p.x, scale.y * p.y, scale.z * p.z};
    if (scale.x * scale.y * scale.z < 0.0) {
      for (auto& corners : mesh.triangles) std::swap(corners[1], corners[2]);
    }
    loaded.mesh = std::make_shared<const TriangleMesh>(std::move(mesh));
  } catch (const FileError& error) {
    loaded.trouble = error.what();
  }
  return loaded;
}

std::shared_ptr<const TriangleMesh> ImportBuilder::mesh_to_draw(const SourceMark& mark, const std::string& name,
                                                                const std::string& from, const Vector3& scale) {
  if (!options_->draws) return nullptr;
  const LoadedMesh& loaded = mesh(name, from, scale);
  if (loaded.is_missing) note(mark, "mesh that is not there (--package-root, for package://): not drawn", name);
  if (!loaded.trouble.empty()) {
    note(mark, "mesh that cannot be read: not drawn", fmt::format("{}: {}", name, loaded.trouble));
  }
  return loaded.mesh;
}

bool is_no_limit(double lower, double upper) { return lower <= -0.1 * k_unbounded && upper >= 0.1 * k_unbounded; }

std::optional<std::vector<double>> numbers_of(const std::string& text) {
  std::vector<double> values;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ','; };
  while (true) {
    while (at != end && is_space(*at)) ++at;
    if (at == end) return values;
    if (*at == '+') ++at;
    double value = 0.0;
    const auto [after, error] = std::from_chars(at, end, value);
    if (error != std::errc() || !std::isfinite(value) || (after != end && !is_space(*after))) return std::nullopt;
    values.push_back(value);
    at = after;
  }
}

ElementReader::ElementReader(const XmlElement& element, std::string path, std::string name, ImportBuilder& to,
                             std::vector<const XmlElement*> defaults)
    : element_(&element), path_(std::move(path)), name_(std::move(name)), to_(&to), defaults_(std::move(defaults)) {}

const std::string* ElementReader::value(const std::string& attribute) const {
  if (const std::string* own = element_->find(attribute)) return own;
  for (auto other = defaults_.rbegin(); other != defaults_.rend(); ++other) {
    if (const std::string* found = (*other)->find(attribute)) return found;
  }
  return nullptr;
}

std::optional<std::string> ElementReader::text(const std::string& attribute) {
  used_.insert(attribute);
  const std::string* const found = value(attribute);
  return found ? std::optional(*found) : std::nullopt;
}
std::string ElementReader::text_or(const std::string& attribute, const std::string& fallback) {
  return text(attribute).value_or(fallback);
}

void ElementReader::fail(const std::string& attribute, const std::string& found, const std::string& expected) {
  const std::string whose = name_.empty() ? path_ : path_ + "[" + name_ + "]";
  to_->errors.add(mark(), attribute.empty() ? whose : whose + "." + attribute, found, expected);
}

std::vector<double> ElementReader::numbers(const std::string& attribute, std::size_t least, std::size_t most) {
  const auto found = text(attribute);
  if (!found) return {};
  const auto values = numbers_of(*found);
  if (values && values->size() >= least && values->size() <= most) return *values;
  fail(attribute, "'" + *found + "'",
       least == most ? (least == 1 ? "a number" : fmt::format("{} numbers", least))
                     : fmt::format("{} to {} numbers", least, most));
  return {};
}

std::optional<double> ElementReader::number(const std::string& attribute) {
  const auto values = numbers(attribute, 1, 1);
  return values.empty() ? std::nullopt : std::optional(values[0]);
}
double ElementReader::number_or(const std::string& attribute, double fallback) {
  return number(attribute).value_or(fallback);
}

double ElementReader::bound_or(const std::string& attribute, double fallback) {
  const auto found = text(attribute);
  if (!found) return fallback;
  const std::string digits = found->starts_with('+') ? found->substr(1) : *found;
  double value = 0.0;
  const auto [after, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (after != digits.data() + digits.size()) return number_or(attribute, fallback);  // with space, or wrong
  if (error == std::errc::result_out_of_range && digits.find("e-") == digits.npos) {
    return std::copysign(std::numeric_limits<double>::infinity(), digits.starts_with('-') ? -1.0 : 1.0);
  }
  return std::isinf(value) ? value : number_or(attribute, fallback);
}

std::optional<Vector3> ElementReader::vector(const std::string& attribute) {
  const auto values = numbers(attribute, 3, 3);
  return values.empty() ? std::nullopt : std::optional(Vector3{values[0], values[1], values[2]});
}
Vector3 ElementReader::vector_or(const std::string& attribute, const Vector3& fallback) {
  return vector(attribute).value_or(fallback);
}

bool ElementReader::flag(const std::string& attribute, bool fallback) {
  const auto found = text(attribute);
  if (!found) return fallback;
  if (*found == "true" || *found == "1") return true;
  if (*found != "false" && *found != "0") fail(attribute, "'" + *found + "'", "true or false");
  return false;
}

void ElementReader::ignore(std::initializer_list<const char*> attributes) {
  for (const char* const attribute : attributes) used_.insert(attribute);
}

void ElementReader::finish() {
  const auto look = [this](const XmlElement& element) {
    for (const auto& [attribute, text] : element.attributes) {
      if (!used_.insert(attribute).second) continue;
      to_->note(element.mark, fmt::format("{} of {}: left out", attribute, path_), name_);
    }
  };
  look(*element_);
  for (const XmlElement* other : defaults_) look(*other);
}

ImportedRobot import_named(const ImportFormat& format, const NamedText& file, const std::string& name,
                           ImportFiles& files, const ImportOptions& options) {
  ImportBuilder to(files, options);
  format.read(file, name, to);
  to.errors.throw_if_any();
  for (char& letter : to.robot.name) {
    if (!may_be_in_name(letter)) letter = '_';
  }
  if (to.robot.name.empty()) to.robot.name = Robot().name;
  if (to.robot.links.empty()) throw FileError(file.path + ": found no link that is a robot's, expected at least one");
  return {std::move(to.robot), std::move(to.visuals), to.take_notes()};
}

Vector3 unit(const Vector3& v) { return (1.0 / norm(v)) * v; }

Matrix3 rotation_from_z(const Vector3& direction) {
  const Vector3 z = unit(direction), axis{-z.y, z.x, 0.0};  // e_z x z
  const double s2 = dot(axis, axis), c = z.z;
  if (s2 < 1e-300) return c > 0.0 ? Matrix3::identity() : Matrix3{{1.0, 0.0, 0.0}, {0.0, -1.0, 0.0}, {0.0, 0.0, -1.0}};
  // 1 + S + (1 - c) / s^2 S^2
  const Matrix3 S = Matrix3::skew(axis);
  const double k = c > 0.0 ? 1.0 / (1.0 + c) : (1.0 - c) / s2;
  return Matrix3::identity() + S + k * (S * S);
}

}  // namespace cuttle
