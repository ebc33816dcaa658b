#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cuttle/algorithms/kinematics.h"
#include "cuttle/elements/joint_limit.h"
#include "cuttle/error.h"
#include "cuttle/io/named_files.h"
#include "cuttle/io/plain_text.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/whole_file.h"
#include "cuttle/model/data.h"
#include "cuttle/model/transmissions/joint.h"
#include "io/export/export_tree.h"

namespace cuttle {
namespace {

constexpr int k_most_segments = 200;
constexpr std::size_t k_most_names = 6;  // on a line

/// A comment of XML, which may have no two hyphens.
std::string xml_comment(const std::vector<std::string>& lines) {
  std::string text = "<!--\n";
  for (const std::string& line : lines) {
    std::string plain = printable(line);
    for (std::size_t at = 0; (at = plain.find("--", at)) != std::string::npos; ++at) plain[at] = '~';
    text += "  " + plain + "\n";
  }
  return text + "-->\n";
}

}  // namespace

std::string ExportNote::text() const {
  if (names.empty()) return what;
  std::string listed;
  for (std::size_t i = 0; i < std::min(names.size(), k_most_names); ++i) listed += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > k_most_names) listed += ", ..";
  return names.size() == 1 ? fmt::format("{} ({})", what, listed)
                           : fmt::format("{} ({}: {})", what, names.size(), listed);
}

void apply_limits(const Robot& robot, ExportTree& tree) {
  for (const Element& element : robot.elements) {
    const JointLimit* const limit = element.law ? joint_limit_parameters(*element.law) : nullptr;
    if (limit == nullptr) continue;
    const auto* const on = dynamic_cast<const JointTransmission*>(element.through.front().get());
    const auto& coordinates = tree.links.at(on->link).coordinates;
    const JointSum sum = static_cast<std::size_t>(on->index) < coordinates.size()
                             ? coordinates[static_cast<std::size_t>(on->index)]
                             : JointSum();
    ExportJoint* const joint = sum.size() == 1 ? tree.joint(sum[0].first) : nullptr;
    if (joint == nullptr) {
      tree.note("limit of a coordinate that has no counterpart: left out", element.name);
      continue;
    }
    std::array<double, 2> range{limit->lower, limit->upper};
    if (joint->range) range = {std::max(range[0], (*joint->range)[0]), std::min(range[1], (*joint->range)[1])};
    joint->range = range;
    tree.note("limit of a joint: its range; how stiff it is, the other program says", element.name);
  }
}

ExportedRobot export_robot(const Robot& robot, ExportFormat format, const std::vector<LinkVisual>& visuals,
                           const ExportOptions& options) {
  if (options.segments < 1 || options.segments > k_most_segments) {
    throw ArgumentError("segments", fmt::format("{}", options.segments),
                        fmt::format("a whole number from 1 to {}", k_most_segments));
  }
  const Model model(robot);  // which looks at all of it
  ExportTree tree = export_tree(robot, visuals, options);
  apply_limits(robot, tree);
  ExportedRobot exported;
  std::string body;
  if (format == ExportFormat::urdf) {
    note_urdf_losses(robot, tree);
    for (const Element& element : robot.elements) {
      if (element.law && joint_limit_parameters(*element.law) == nullptr) {
        tree.note(fmt::format("element of type {}: left out, URDF has none", element.law->type_name()), element.name);
      }
    }
    body = urdf_text(tree, exported.files);
  } else {
    body = mjcf_text(robot, tree, exported.files);
  }
  for (const Contact& contact : robot.contacts) tree.note("contact: left out", contact.name);
  for (const Obstacle& obstacle : robot.obstacles) tree.note("obstacle: left out", obstacle.name);
  Data data(model);
  const auto& kinematics = forward_kinematics<double>(model, data, model.neutral());
  for (const Link& link : robot.links) {
    if (std::find(tree.chains.begin(), tree.chains.end(), link.name) == tree.chains.end()) continue;
    const Pose base = kinematics.pose(model.base_frame(link.name));
    const Vector3 gravity = base.rotation.transpose_times(robot.gravity);
    exported.chains.push_back(judge_chain(link.name, *link.body, gravity, options));
  }
  std::vector<std::string> lines{fmt::format("The robot '{}', written by Cuttle.", robot.name)};
  for (const ExportedChain& chain : exported.chains) lines.push_back(chain.text());
  if (!tree.notes.empty()) lines.emplace_back("Lost or changed on the way:");
  for (const ExportNote& note : tree.notes) lines.push_back("  " + note.text());
  exported.text = "<?xml version=\"1.0\"?>\n" + xml_comment(lines) + body;
  exported.notes = std::move(tree.notes);
  return exported;
}

void write_exported_robot(const ExportedRobot& exported, const std::string& path) {
  const auto beside = [&path](const std::string& name) { return path_in(directory_of(path), name); };
  std::vector<std::string> changed;  // a mesh that stands there already may well be one that was read
  for (const auto& [name, text] : exported.files) {
    if (has_content(beside(name), text)) continue;
    check_writable(beside(name));
    changed.push_back(name);
  }
  check_writable(path);
  for (const std::string& name : changed) write_whole_file(beside(name), exported.files.at(name));
  write_whole_file(path, exported.text);
}

}  // namespace cuttle
