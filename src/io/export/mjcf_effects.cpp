// What acts on a robot, as MJCF: actuators, tendons, springs, loops.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "cuttle/elements/coupling.h"
#include "cuttle/elements/joint_limit.h"
#include "cuttle/elements/spring.h"
#include "cuttle/model/transmissions/chamber.h"
#include "cuttle/model/transmissions/distance.h"
#include "cuttle/model/transmissions/joint.h"
#include "cuttle/model/transmissions/linear.h"
#include "cuttle/model/transmissions/tendon.h"
#include "cuttle/model/transmissions/wrench.h"
#include "io/export/mjcf_writer.h"

namespace cuttle {
namespace {

using std::string;

class MjcfEffects {
 public:
  MjcfEffects(const Robot& robot, ExportTree& tree, pugi::xml_node root) : robot_(&robot), tree_(&tree) {
    tendons_ = root.append_child("tendon");
    actuators_ = root.append_child("actuator");
    equalities_ = root.append_child("equality");
  }

  void write() {
    for (const Actuator& actuator : robot_->actuators) write_actuator(actuator);
    for (const Element& element : robot_->elements) write_element(element);
    for (const Loop& loop : robot_->loops) write_loop(loop);
    for (pugi::xml_node section : {tendons_, actuators_, equalities_}) {
      if (section.first_child().empty()) section.parent().remove_child(section);
    }
  }

 private:
  // --- sums of joint coordinates
  // --------------------------------------------------------------------------------------

  static void add_terms(JointSum& sum, const JointSum& terms, double factor) {
    for (const auto& added : terms) {
      const auto known =
          std::find_if(sum.begin(), sum.end(), [&](const auto& term) { return term.first == added.first; });
      if (known == sum.end()) {
        sum.emplace_back(added.first, factor * added.second);
      } else {
        known->second += factor * added.second;
      }
    }
  }

  /// The sum of factors times the coordinates of some links; nothing if one of these has no counterpart.
  template <typename Factor>
  std::optional<JointSum> sum_of(const std::vector<string>& links, const Factor& factor) const {
    JointSum sum;
    std::size_t row = 0;
    for (const string& link : links) {
      for (const JointSum& coordinate : tree_->links.at(link).coordinates) {
        const double part = factor(row++);
        if (part == 0.0) continue;
        if (coordinate.empty()) return std::nullopt;
        add_terms(sum, coordinate, part);
      }
    }
    return sum.empty() ? std::nullopt : std::optional(sum);
  }

  string write_fixed_tendon(const string& wanted, const JointSum& sum, pugi::xml_node* written = nullptr) {
    string name = free_tendon(wanted);
    pugi::xml_node tendon = tendons_.append_child("fixed");
    set_attribute(tendon, "name", name);
    for (const auto& [joint, factor] : sum) {
      pugi::xml_node part = tendon.append_child("joint");
      set_attribute(part, "joint", joint), set_attribute(part, "coef", number_list({factor}));
    }
    if (written != nullptr) *written = tendon;
    return name;
  }

  void write_motor_on_sum(const string& name, const JointSum& sum) {
    pugi::xml_node motor = actuators_.append_child("motor");
    set_attribute(motor, "name", name);
    if (sum.size() == 1) {
      set_attribute(motor, "joint", sum[0].first);
      if (sum[0].second != 1.0) set_attribute(motor, "gear", number_list({sum[0].second}));
    } else {
      set_attribute(motor, "tendon", write_fixed_tendon(name, sum));
    }
  }

  // --- tendons through sites
  // ------------------------------------------------------------------------------------------

  string site(const string& wanted, const BodyPose& at) {
    string name = tree_->free_name(wanted);
    tree_->frames(at.body).push_back({name, at.pose});
    return name;
  }

  /// Where a stretch along a chain passes the middles of its pieces and its own ends.
  std::vector<BodyPose> stretch(const Routing& routing, const ExportLink& link) const {
    const auto owner = std::find_if(robot_->links.begin(), robot_->links.end(),
                                    [&](const Link& candidate) { return candidate.name == routing.link; });
    const double L = link.pieces.back().end, from = routing.from.value_or(0.0), to = routing.to.value_or(L);
    const double low = std::min(from, to), high = std::max(from, to);
    std::vector<double> stops{low};
    const auto n = static_cast<double>(link.pieces.size() - 1);
    for (int k = 0; k < static_cast<int>(link.pieces.size()); ++k) {
      const double s = n > 0.0 ? L * k / n : 0.5 * L;  // between two joints
      if (s > low + 1e-9 * L && s < high - 1e-9 * L) stops.push_back(s);
    }
    stops.push_back(high);
    if (from > to) std::reverse(stops.begin(), stops.end());
    std::vector<PortLocation> places;
    places.reserve(stops.size());
    for (const double s : stops) places.push_back(PortLocation::section(s));
    const std::vector<Pose> poses = rest_poses(*owner->body, places);
    std::vector<BodyPose> points;
    for (std::size_t i = 0; i < stops.size(); ++i) {
      const double way = from == to ? 0.0 : (stops[i] - from) / (to - from);
      const Vector3 point = poses[i].act(offset_at(routing, way));
      const auto piece = std::find_if(link.pieces.begin(), link.pieces.end(),
                                      [&](const ExportPiece& candidate) { return stops[i] <= candidate.end; });
      const ExportPiece& carrier = piece == link.pieces.end() ? link.pieces.back() : *piece;
      points.push_back({carrier.body, {Matrix3::identity(), carrier.rod_body.inverse().act(point)}});
    }
    return points;
  }

  static Vector3 offset_at(const Routing& routing, double way) {
    if (routing.helix) {
      const double angle = routing.helix->phase + 2.0 * std::numbers::pi * routing.helix->turns * way;
      return {routing.helix->radius * std::cos(angle), routing.helix->radius * std::sin(angle), 0.0};
    }
    if (routing.offset.empty()) return {};
    const double position = way * static_cast<double>(routing.offset.size() - 1);
    const auto first = std::min(static_cast<std::size_t>(std::max(0.0, position)), routing.offset.size() - 1);
    const std::size_t second = std::min(first + 1, routing.offset.size() - 1);
    const double part = position - static_cast<double>(first);
    return {(1.0 - part) * routing.offset[first][0] + part * routing.offset[second][0],
            (1.0 - part) * routing.offset[first][1] + part * routing.offset[second][1], 0.0};
  }

  std::vector<BodyPose> points_of(const std::vector<Routing>& routing) const {
    std::vector<BodyPose> points;
    for (const Routing& entry : routing) {
      if (entry.link != "base" && entry.points.empty() && !tree_->links.at(entry.link).pieces.empty()) {
        const auto along = stretch(entry, tree_->links.at(entry.link));
        points.insert(points.end(), along.begin(), along.end());
      }
      for (const Vector3& x : entry.points) {
        points.push_back(place_in_tree(*robot_, *tree_, {entry.link, PortLocation::base(), {Matrix3::identity(), x}}));
      }
    }
    return points;
  }

  string write_spatial_tendon(const string& wanted, const std::vector<BodyPose>& points,
                              pugi::xml_node* written = nullptr) {
    string name = free_tendon(wanted);
    pugi::xml_node tendon = tendons_.append_child("spatial");
    set_attribute(tendon, "name", name);
    for (std::size_t i = 0; i < points.size(); ++i) {
      set_attribute(tendon.append_child("site"), "site", site(fmt::format("{}_{}", name, i), points[i]));
    }
    if (written != nullptr) *written = tendon;
    return name;
  }

  void write_cable(const string& name, const std::vector<BodyPose>& points, Slack slack) {
    const string tendon = write_spatial_tendon(name, points);
    pugi::xml_node motor = actuators_.append_child("motor");
    set_attribute(motor, "name", name), set_attribute(motor, "tendon", tendon);
    set_attribute(motor, "gear", "-1");  // a tension pulls
    if (slack == Slack::allow) return;
    set_attribute(motor, "ctrllimited", "true"), set_attribute(motor, "ctrlrange", "0 1e6");
  }

  string free_tendon(const string& wanted) {
    string name = wanted;
    for (int i = 1; tendon_names_.count(name) > 0; ++i) name = fmt::format("{}_{}", wanted, i);
    tendon_names_.insert(name);
    return name;
  }

  // --- what acts
  // ------------------------------------------------------------------------------------------------------

  void write_actuator(const Actuator& actuator) {
    if (!actuator.transmission) return;
    if (actuator.law) {
      tree_->note(fmt::format("law of an actuator ({}): left out, its input is the effort", actuator.law->type_name()),
                  actuator.name);
    }
    if (!write_transmission(actuator)) {
      tree_->note(
          fmt::format("actuator of type {} on what has no counterpart: left out", actuator.transmission->type_name()),
          actuator.name);
    }
  }

  bool write_transmission(const Actuator& actuator) {
    const Transmission* const any = actuator.transmission.get();
    const string& name = actuator.name;
    if (const auto* joint = dynamic_cast<const JointTransmission*>(any)) {
      const auto sum = sum_of(
          {joint->link}, [&](std::size_t row) { return row == static_cast<std::size_t>(joint->index) ? 1.0 : 0.0; });
      if (sum) write_motor_on_sum(name, *sum);
      return sum.has_value();
    }
    if (const auto* linear = dynamic_cast<const LinearTransmission*>(any)) {
      const std::vector<string> inputs = actuator.inputs();
      bool all = true;
      for (std::size_t k = 0; k < inputs.size(); ++k) {
        const auto sum = sum_of(linear->links(), [&](std::size_t row) { return linear->matrix.at(row).at(k); });
        if (sum) write_motor_on_sum(inputs[k], *sum);
        all = all && sum;
      }
      return all;
    }
    if (const auto* tendon = dynamic_cast<const TendonTransmission*>(any)) {
      const std::vector<BodyPose> points = points_of(tendon->routing);
      if (points.size() < 2) return false;
      write_cable(name, points, tendon->slack);
      return true;
    }
    if (const auto* distance = dynamic_cast<const DistanceTransmission*>(any)) {
      write_cable(name, {place_in_tree(*robot_, *tree_, distance->a), place_in_tree(*robot_, *tree_, distance->b)},
                  Slack::allow);
      return true;
    }
    if (const auto* chamber = dynamic_cast<const ChamberTransmission*>(any)) return write_chamber(name, *chamber);
    const auto* wrench = dynamic_cast<const WrenchTransmission*>(any);
    if (wrench == nullptr || wrench->axes != Axes::body) return false;
    const string at = site(name + "_site", place_in_tree(*robot_, *tree_, wrench->place));
    const std::vector<string> inputs = actuator.inputs();
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      std::vector<double> gear(6, 0.0);
      gear[(k + 3) % 6] = 1.0;  // forces first there
      pugi::xml_node motor = actuators_.append_child("motor");
      set_attribute(motor, "name", inputs[k]), set_attribute(motor, "site", at);
      set_attribute(motor, "gear", number_list(gear));
    }
    return true;
  }

  /// Volume of a chamber along a rod: area times the integral of sigma_z + kappa_x y - kappa_y x.
  bool write_chamber(const string& name, const ChamberTransmission& chamber) {
    const ExportLink& link = tree_->links.at(chamber.link);
    if (link.pieces.empty() || !(chamber.area > 0.0)) return false;
    JointSum sum;
    const std::pair<std::size_t, double> parts[] = {
        {5, chamber.area}, {0, chamber.area * chamber.offset[1]}, {1, -chamber.area * chamber.offset[0]}};
    for (const auto& [strain, factor] : parts) {
      if (factor != 0.0) add_terms(sum, link.strain[strain], factor);
    }
    if (sum.empty()) return false;
    write_motor_on_sum(name, sum);
    return true;
  }

  void write_element(const Element& element) {
    if (!element.law || joint_limit_parameters(*element.law) != nullptr) return;  // a range of its joint
    if (const Coupling* const coupling = coupling_parameters(*element.law)) {
      if (write_coupling(element, *coupling)) return;
    }
    if (const Spring* const spring = spring_parameters(*element.law)) {
      const auto* ends = dynamic_cast<const DistanceTransmission*>(element.through.front().get());
      if (ends != nullptr) {
        pugi::xml_node tendon;
        write_spatial_tendon(
            element.name, {place_in_tree(*robot_, *tree_, ends->a), place_in_tree(*robot_, *tree_, ends->b)}, &tendon);
        set_attribute(tendon, "stiffness", number_list({spring->stiffness}));
        set_attribute(tendon, "damping", number_list({spring->damping}));
        if (spring->rest_length) set_attribute(tendon, "springlength", number_list({*spring->rest_length}));
        return;
      }
    }
    tree_->note(fmt::format("element of type {}: left out", element.law->type_name()), element.name);
  }

  bool write_coupling(const Element& element, const Coupling& coupling) {
    const auto* const linear = dynamic_cast<const LinearTransmission*>(element.through.front().get());
    if (linear == nullptr) return false;
    // a length below 0 would mean the one at the start
    const double sign = coupling.rest < 0.0 ? -1.0 : 1.0;
    const auto sum = sum_of(linear->links(), [&](std::size_t row) { return sign * linear->matrix.at(row).at(0); });
    if (!sum) return false;
    pugi::xml_node tendon;
    write_fixed_tendon(element.name, *sum, &tendon);
    set_attribute(tendon, "stiffness", number_list({coupling.stiffness}));
    set_attribute(tendon, "damping", number_list({coupling.damping}));
    set_attribute(tendon, "springlength", number_list({sign * coupling.rest}));
    return true;
  }

  void write_loop(const Loop& loop) {
    const bool is_point = loop.type == LoopType::spherical;
    if (!is_point && loop.type != LoopType::fixed) {
      return tree_->note(fmt::format("loop of type {}: left open", loop_type_name(loop.type)), loop.name);
    }
    if (!loop.drive.empty()) tree_->note("drive of a loop: left out", loop.name);
    pugi::xml_node equality = equalities_.append_child(is_point ? "connect" : "weld");
    set_attribute(equality, "name", loop.name);
    set_attribute(equality, "site1", site(loop.name + "_a", place_in_tree(*robot_, *tree_, loop.a)));
    set_attribute(equality, "site2", site(loop.name + "_b", place_in_tree(*robot_, *tree_, loop.b)));
    tree_->note("loop: an equality of sites (from MuJoCo 3.1 on), which gives way a little there", loop.name);
  }

  const Robot* robot_;
  ExportTree* tree_;
  pugi::xml_node tendons_, actuators_, equalities_;
  std::set<string> tendon_names_;
};

}  // namespace

void write_mjcf_effects(const Robot& robot, ExportTree& tree, pugi::xml_node root) {
  MjcfEffects(robot, tree, root).write();
}

}  // namespace cuttle
