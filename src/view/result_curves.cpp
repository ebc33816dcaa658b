#include "view/result_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "cuttle/error.h"
#include "cuttle/io/key_table.h"
#include "cuttle/model/model.h"
#include "cuttle/model/spelling.h"
#include "io/name_pattern.h"

namespace cuttle {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// Beginnings and ends that all names share, up to a dot, say nothing in a legend.
void shorten_labels(std::vector<ResultCurve>& curves) {
  if (curves.size() < 2) return;
  const auto share = [&curves](bool front) {
    const std::string& first = curves.front().label;
    const std::size_t dot = front ? first.find('.') : first.rfind('.');
    if (dot == first.npos) return false;
    const std::string part = front ? first.substr(0, dot + 1) : first.substr(dot);
    for (const ResultCurve& curve : curves) {
      const bool has = front ? curve.label.starts_with(part) : curve.label.ends_with(part);
      if (!has || curve.label.size() <= part.size()) return false;
    }
    for (ResultCurve& curve : curves) {
      curve.label = front ? curve.label.substr(dot + 1) : curve.label.substr(0, curve.label.size() - part.size());
    }
    return true;
  };
  while (share(true)) continue;
  while (share(false)) continue;
}

/// "hand.joint.q0" is "hand" where the joint has no other coordinate.
std::string label_of(const std::string& name, const std::vector<ResultBlock::Column>& siblings) {
  for (const char* const end : {".joint.q0", ".joint.v0"}) {
    if (!name.ends_with(end)) continue;
    std::string next = name;
    next.back() = '1';
    const bool only = std::none_of(siblings.begin(), siblings.end(), [&](const auto& c) { return c.header == next; });
    if (only) return name.substr(0, name.size() - std::string_view(end).size());
  }
  return name;
}

bool is_work(const ResultBlock& block) {
  return block.quantity != nullptr && block.quantity->sort == RecordedQuantity::Sort::work;
}

/// `; did you mean 'sensors.cell.fz'?` for cell.fz, and 'sensors.cell' for cell: names are often said without their
/// first part. Empty: no name, or more than one, goes on so.
std::string whole_name_of(const std::string& end, const std::vector<std::string>& names) {
  std::set<std::string> found;
  for (const std::string& name : names) {
    const std::size_t at = ("." + name + ".").find("." + end + ".");
    if (at != std::string::npos && at > 0) found.insert(name.substr(0, at + end.size()));
  }
  return found.size() == 1 ? fmt::format("; did you mean '{}'?", *found.begin()) : "";
}

ResultBlock total_energy() {
  return {"energy/total", true, {{"energy.total", "J", "energy.total"}}, [](const Sample& s, double* row) {
            *row = s.energy();
          }};
}

}  // namespace

CurveFinder::CurveFinder(const Robot& robot, const std::vector<RecordedController>& controllers,
                         const std::vector<RecordedMotion>& motion)
    : robot_name_(robot.name) {
  const Model model(robot);
  blocks_ = result_blocks(model, controllers, motion);
  blocks_.erase(blocks_.begin());  // time
  // after the energies that it is the sum of: works follow
  blocks_.insert(std::find_if(blocks_.begin(), blocks_.end(), is_work), total_energy());

  for (const char* name : {"q", "v", "u"}) add_group(name, name, columns_of(name, ""));
  add_group("y", "y", columns_of("actuation/y", ""));
  std::vector<Column> energies, works;
  for (const Column& column : columns_of("energy/", "energy.")) {
    (is_work(blocks_[column.block]) ? works : energies).push_back(column);
  }
  add_group("energy", "energy", energies);
  add_group("works", "work", works);
  std::vector<Panel> tips, frames;
  for (const auto& link : model.links()) {
    const std::string tip = link.name + ".tip";
    Panel pose{tip, columns_of("frames/" + tip, tip + ".")};
    frames.push_back(pose);
    pose.columns.resize(3);  // the position
    tips.push_back(std::move(pose));
  }
  for (const Marker& marker : model.robot().markers) {
    frames.push_back({marker.name, columns_of("frames/" + marker.name, marker.name + ".")});
  }
  if (!tips.empty()) groups_.push_back({"tip", {tips.back()}});
  groups_.push_back({"tips", tips});
  groups_.push_back({"frames", frames});
  add_group("elements", "elements", columns_of("elements/", "elements."));
  Group contacts{"contacts", {}};
  for (const Contact& contact : model.robot().contacts) {
    Panel panel{contact.name, {}};
    for (const char* const quantity : {"normal", "friction"}) {
      const std::vector<Column> found = columns_of("contacts/" + contact.name + "/" + quantity, "contacts.");
      panel.columns.insert(panel.columns.end(), found.begin(), found.end());
    }
    if (!panel.columns.empty()) contacts.panels.push_back(std::move(panel));
  }
  groups_.push_back(std::move(contacts));
  add_group("motion", "motion", columns_of("motion/", "motion."));
  Group sensors{"sensors", {}};  // a panel each: they have little in common
  for (const NamedSensor& sensor : model.robot().sensors) {
    sensors.panels.push_back({sensor.name, columns_of("sensors/" + sensor.name, "sensors." + sensor.name + ".")});
  }
  groups_.push_back(std::move(sensors));
  std::vector<Column> residuals, multipliers;
  for (const BoundLoop& loop : model.loops()) {
    const auto add = [&](std::vector<Column>& all, const char* what) {
      for (Column& column : columns_of("loops/" + loop.name + "/" + what, "loops.")) {
        column.label = fmt::format("{}.{}", loop.name, blocks_[column.block].columns[column.index].name);
        all.push_back(std::move(column));
      }
    };
    add(residuals, "residual"), add(multipliers, "multipliers");
  }
  add_group("loops", "residual", residuals);
  add_group("multipliers", "multipliers", multipliers);
  for (const auto& [group, what] :
       {std::pair("reference", "reference"), {"error", "error"}, {"output", "output"}, {"control_state", "state"}}) {
    std::vector<Column> columns;
    for (const RecordedController& controller : controllers) {
      const std::string prefix = "controllers." + controller.name + ".";
      for (Column& column : columns_of("controllers/" + controller.name + "/" + what, "")) {
        column.label = controller.name + "." + column.label.substr(prefix.size() + std::string_view(what).size() + 1);
        columns.push_back(std::move(column));
      }
    }
    add_group(group, group, std::move(columns));
  }
  for (const Panel& tip : tips) groups_.push_back({tip.title, {tip}});
  for (const Marker& marker : model.robot().markers) {
    add_group(marker.name, marker.name, columns_of("frames/" + marker.name, marker.name + "."));
  }
}

void CurveFinder::add_group(const std::string& name, const std::string& title, std::vector<Column> columns) {
  Group group{name, {}};
  if (!columns.empty()) group.panels.push_back({title, std::move(columns)});
  groups_.push_back(std::move(group));
}

std::vector<CurveFinder::Column> CurveFinder::columns_of(const std::string& path_prefix,
                                                         const std::string& name_prefix) const {
  std::vector<Column> columns;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const ResultBlock& block = blocks_[b];
    const bool folder = path_prefix.ends_with('/');
    if (folder ? !block.path.starts_with(path_prefix) : block.path != path_prefix) continue;
    for (std::size_t i = 0; i < block.width(); ++i) {
      const std::string& name = block.columns[i].header;
      const std::string label = name.starts_with(name_prefix) ? name.substr(name_prefix.size()) : name;
      columns.push_back({b, i, name, label_of(label, block.columns), block.columns[i].unit});
    }
  }
  return columns;
}

std::vector<CurveFinder::Column> CurveFinder::named(const std::string& pattern) const {
  std::vector<Column> found, longer;
  std::size_t longer_block = blocks_.size();
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const ResultBlock& block = blocks_[b];
    for (std::size_t i = 0; i < block.width(); ++i) {
      const std::string& name = block.columns[i].header;
      const Column column{b, i, name, label_of(name, block.columns), block.columns[i].unit};
      if (matches_pattern(pattern, name)) {
        found.push_back(column);
      } else if ((longer.empty() || longer_block == b) && matches_pattern(pattern + ".*", name)) {
        longer.push_back(column);  // "arm.kappa_x" means the coordinates, not their rates too
        longer_block = b;
      }
    }
  }
  return found.empty() ? longer : found;
}

ResultCurves CurveFinder::curves(const Panel& panel, const std::vector<Sample>& samples) const {
  ResultCurves result{panel.title, {}};
  std::map<std::size_t, std::vector<std::size_t>> by_block;  // a block's row is read once for all of its columns
  for (const Column& column : panel.columns) {
    by_block[column.block].push_back(result.curves.size());
    result.curves.push_back({column.name, column.label, column.unit, {}});
    result.curves.back().values.reserve(samples.size());
  }
  std::vector<double> row;
  for (const auto& [block, curves] : by_block) {
    row.resize(blocks_[block].width());
    for (const Sample& sample : samples) {
      blocks_[block].read(sample, row.data());
      for (const std::size_t i : curves) result.curves[i].values.push_back(row[panel.columns[i].index]);
    }
  }
  return result;
}

/// For a message: what could stand in place of a name.
std::string CurveFinder::expected(const std::string& name) const {
  constexpr std::size_t k_most = 24;  // a robot may have hundreds of columns
  std::vector<std::string> known = names();
  std::string nearest = whole_name_of(name, known);
  if (nearest.empty()) nearest = did_you_mean(name, known);
  if (known.size() > k_most) {
    const std::size_t more = known.size() - k_most;
    known.resize(k_most);
    known.push_back(fmt::format("one of {} more columns (`cuttle plot RESULT --list`)", more));
  }
  return join_or(known) + nearest;
}

std::vector<CurveFinder::Panel> CurveFinder::panels_of(const std::string& name) const {
  const auto group = std::find_if(groups_.begin(), groups_.end(), [&name](const Group& g) { return g.name == name; });
  if (group != groups_.end()) {
    if (!group->panels.empty()) return group->panels;
    throw ArgumentError(
        fmt::format("found '{}', of which '{}' has none, expected {}", name, robot_name_, expected(name)));
  }
  std::vector<Column> columns = named(name);
  if (columns.empty()) {
    throw ArgumentError(
        fmt::format("found '{}', which '{}' does not have, expected {}", name, robot_name_, expected(name)));
  }
  const std::string title = columns.size() == 1 ? columns.front().label : name;
  return {{title, std::move(columns)}};
}

std::vector<ResultCurves> CurveFinder::find(const std::string& item, const std::vector<Sample>& samples) const {
  std::vector<Panel> panels;
  const std::vector<std::string> names = split(item, '+');
  for (const std::string& name : names) {
    for (Panel& panel : panels_of(name)) {
      if (names.size() > 1 && !panels.empty()) {
        Panel& first = panels.front();
        std::move(panel.columns.begin(), panel.columns.end(), std::back_inserter(first.columns));
        first.title.clear();  // the legend has the names
      } else {
        panels.push_back(std::move(panel));
      }
    }
  }
  std::vector<ResultCurves> found;
  for (const Panel& panel : panels) {
    found.push_back(curves(panel, samples));
    if (names.size() == 1) shorten_labels(found.back().curves);  // of several, names tell what is beside what
  }
  return found;
}

std::vector<std::string> CurveFinder::usual() const {
  const auto has = [this](const char* name) {
    return std::any_of(groups_.begin(), groups_.end(),
                       [name](const Group& group) { return group.name == name && !group.panels.empty(); });
  };
  std::vector<std::string> names{"q"};
  if (has("error")) names.emplace_back("error");
  names.emplace_back("tip");
  if (has("contacts")) names.emplace_back("contacts");
  names.emplace_back("energy");
  return names;
}

std::vector<std::string> CurveFinder::names() const {
  std::vector<std::string> all;
  for (const Group& group : groups_) {
    if (!group.panels.empty()) all.push_back(group.name);
  }
  for (const ResultBlock& block : blocks_) {
    for (const auto& column : block.columns) all.push_back(column.header);
  }
  return all;
}

}  // namespace cuttle
