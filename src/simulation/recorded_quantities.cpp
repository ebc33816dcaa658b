#include "cuttle/simulation/recorded_quantities.h"

#include <algorithm>
#include <utility>

#include "algorithms/actuation_info.h"
#include "cuttle/model/sensor.h"
#include "cuttle/simulation/recorded_contacts.h"

namespace cuttle {
namespace {

using Columns = std::vector<RecordedDataset::Column>;
using Datasets = std::vector<RecordedDataset>;
using Sort = RecordedQuantity::Sort;

/// Columns whose headers are their names behind a prefix.
Columns columns_of(const std::vector<CoordinateInfo>& info, const std::string& prefix = "") {
  Columns columns;
  for (const CoordinateInfo& one : info) columns.push_back({one.name, one.unit, prefix + one.name});
  return columns;
}

/// A dataset that is some numbers of one row.
RecordedDataset part_of(VectorXd Sample::*row, int first, std::string path, Columns columns, std::string again) {
  const int count = static_cast<int>(columns.size());
  return {std::move(path), std::move(columns), {{row, first, count}}, std::move(again)};
}

/// One that is a whole row.
RecordedDataset whole(VectorXd Sample::*row, const std::string& path, const std::vector<CoordinateInfo>& info,
                      const std::string& again) {
  return part_of(row, 0, path, columns_of(info), again);
}

/// An energy, of robots that have it.
Datasets number_if(bool there, const std::string& name, double Sample::*member) {
  if (!there) return {};
  return {{"energy/" + name, {{"energy." + name, "J", "energy." + name}}, {{member}}, "", true}};
}

RecordedDataset pose(std::vector<Pose> Sample::*poses, std::size_t index, const std::string& frame) {
  RecordedDataset found{"frames/" + frame, {}, {{poses, static_cast<int>(index), 7}}, ".frame"};
  for (const char* name : {"x", "y", "z", "qw", "qx", "qy", "qz"}) {
    found.columns.push_back({name, name[0] == 'q' ? "1" : "m", frame + "." + name});
  }
  return found;
}

Datasets tips(const RecordedRun& run) {
  Datasets all;
  for (const auto& link : run.model.links()) all.push_back(pose(&Sample::tips, all.size(), link.name + ".tip"));
  return all;
}

Datasets markers(const RecordedRun& run) {
  Datasets all;
  for (const Marker& marker : run.model.robot().markers) all.push_back(pose(&Sample::markers, all.size(), marker.name));
  return all;
}

/// States of each element, then its outputs. One that acts beside several actuators has a law for each, one behind the
/// other.
Datasets elements(const RecordedRun& run) {
  const auto& all = run.model.elements();
  Datasets datasets;
  for (std::size_t first = 0, end = 0; first < all.size(); first = end) {
    const std::string& name = all[first].name;
    int states = 0, outputs = 0;
    for (; end < all.size() && all[end].name == name; ++end) {
      states += all[end].state_count, outputs += all[end].output_count;
    }
    RecordedDataset own{
        "elements/" + name,
        {},
        {{&Sample::element_states, all[first].state, states}, {&Sample::element_outputs, all[first].output, outputs}},
        ".element"};
    own.outputs = static_cast<std::size_t>(states);
    const auto add = [&](const std::vector<CoordinateInfo>& info, int from, int count) {
      for (int i = from; i < from + count; ++i) {
        const bool longer = info[i].name.size() > name.size();  // else it is called like the element
        own.columns.push_back(
            {longer ? info[i].name.substr(name.size() + 1) : name, info[i].unit, "elements." + info[i].name});
      }
    };
    add(run.model.element_state_info(), all[first].state, states);
    add(run.model.element_output_info(), all[first].output, outputs);
    if (!own.columns.empty()) datasets.push_back(std::move(own));
  }
  return datasets;
}

/// Of each loop how far its rows are open, and their multipliers.
Datasets loops(const RecordedRun& run) {
  Datasets all;
  for (const BoundLoop& loop : run.model.loops()) {
    const auto add = [&](const std::string& what, const std::vector<CoordinateInfo>& info, VectorXd Sample::*row) {
      std::vector<CoordinateInfo> own(info.begin() + loop.row, info.begin() + loop.row + loop.row_count());
      for (CoordinateInfo& one : own) one.name = one.name.substr(loop.name.size() + 1);
      all.push_back(part_of(row, loop.row, "loops/" + loop.name + "/" + what,
                            columns_of(own, "loops." + loop.name + "." + what + "."), ".loop"));
    };
    add("residual", run.model.constraint_info(), &Sample::loop_residual);
    add("multipliers", run.model.multiplier_info(), &Sample::multipliers);
  }
  return all;
}

/// Datasets that are the parts of a row, one behind the other.
class Parts {
 public:
  explicit Parts(VectorXd Sample::*row) : row_(row) {}
  void add(const std::string& path, const std::vector<CoordinateInfo>& info, const std::string& prefix,
           const std::string& again) {
    if (info.empty()) return;
    all.push_back(part_of(row_, next_, path, columns_of(info, prefix), again));
    next_ += static_cast<int>(info.size());
  }
  Datasets all;

 private:
  VectorXd Sample::*row_;
  int next_ = 0;
};

Datasets contacts(const RecordedRun& run) {
  Parts parts(&Sample::contacts);
  for (const RecordedContact& recorded : recorded_contacts(run.model)) {
    const std::string path = "contacts/" + recorded.contact + "/" + recorded.quantity;
    std::string header = path;
    std::replace(header.begin(), header.end(), '/', '.');
    parts.add(path, recorded.columns, header + ".", ".contact");
    if (recorded.scalar) parts.all.back().scalar = true, parts.all.back().columns.front().header = header;
  }
  return parts.all;
}

Datasets motion(const RecordedRun& run) {
  Parts parts(&Sample::motion);
  for (const RecordedMotion& driven : run.motion) {
    parts.add("motion/" + driven.name, driven.efforts, "motion." + driven.name + ".", ".effort");
  }
  return parts.all;
}

Datasets sensors(const RecordedRun& run) {
  Parts parts(&Sample::sensors);
  for (const RecordedSensor& sensor : recorded_sensors(run.model)) {
    parts.add("sensors/" + sensor.name, sensor.columns, "sensors." + sensor.name + ".", ".sensor");
  }
  return parts.all;
}

Datasets controllers(const RecordedRun& run) {
  Parts parts(&Sample::control);
  for (const RecordedController& controller : run.controllers) {
    const ControlColumns& columns = controller.columns;
    std::vector<CoordinateInfo> output;
    for (const int i : columns.inputs) output.push_back(run.model.input_info()[static_cast<std::size_t>(i)]);
    const auto add = [&](const std::string& what, const std::vector<CoordinateInfo>& info) {
      parts.add("controllers/" + controller.name + "/" + what, info,
                "controllers." + controller.name + "." + what + ".", ".controller");
    };
    add("reference", columns.reference), add("error", columns.error), add("output", output),
        add("state", columns.state);
  }
  return parts.all;
}

}  // namespace

const std::vector<RecordedQuantity>& recorded_quantities() {
  using Run = RecordedRun;
  static const std::vector<RecordedQuantity> k_quantities{
      {"time", "time", &Sample::time, Sort::time, true},
      {"q", "q", &Sample::q, Sort::other, false, 0.0,
       [](const Run& run) { return Datasets{whole(&Sample::q, "q", run.model.configuration_info(), "")}; }},
      {"v", "v", &Sample::v, Sort::other, true, 0.0,
       [](const Run& run) { return Datasets{whole(&Sample::v, "v", run.model.velocity_info(), ".rate")}; }},
      {"u", "u", &Sample::u, Sort::other, false, 0.0,
       [](const Run& run) { return Datasets{whole(&Sample::u, "u", run.model.input_info(), ".u")}; }},
      {"y", "actuation", &Sample::y, Sort::other, false, 0.0,
       [](const Run& run) { return Datasets{whole(&Sample::y, "actuation/y", actuation_info(run.model), ".y")}; }},
      {"tips", "frames", &Sample::tips, Sort::other, false, 0.0, tips},
      {"markers", "frames", &Sample::markers, Sort::other, false, 0.0, markers},
      {"kinetic", "energy", &Sample::kinetic, Sort::energy, true, 1.0},
      {"gravity", "energy", &Sample::gravity, Sort::energy, false, 1.0},
      {"elastic", "energy", &Sample::elastic, Sort::energy, false, 1.0},
      {"elements", "energy", &Sample::elements, Sort::energy, false, 1.0,
       [](const Run& run) { return number_if(!run.model.elements().empty(), "elements", &Sample::elements); }},
      {"contacts", "energy", &Sample::contact, Sort::energy, false, 1.0,
       [](const Run& run) { return number_if(!run.model.site_laws().empty(), "contacts", &Sample::contact); }},
      {"dissipated", "energy", &Sample::dissipated, Sort::work, true, 1.0},
      {"input", "energy", &Sample::input, Sort::work, true, -1.0},
      {"load", "energy", &Sample::load, Sort::work, true, -1.0},
      {"element_states", "elements", &Sample::element_states, Sort::other, false, 0.0, elements},
      {"element_outputs", "elements", &Sample::element_outputs},
      {"loop_residual", "loops", &Sample::loop_residual, Sort::other, false, 0.0, loops},
      {"multipliers", "loops", &Sample::multipliers},
      {"contact_numbers", "contacts", &Sample::contacts, Sort::other, false, 0.0, contacts},
      {"motion", "motion", &Sample::motion, Sort::other, false, 0.0, motion},
      {"sensor_numbers", "sensors", &Sample::sensors, Sort::other, false, 0.0, sensors},
      {"control", "controllers", &Sample::control, Sort::other, false, 0.0, controllers}};
  return k_quantities;
}

Datasets RecordedQuantity::datasets(const RecordedRun& run) const {
  if (own_datasets != nullptr) return own_datasets(run);
  const auto* const number = std::get_if<double Sample::*>(&member);
  if (number == nullptr) return {};
  if (sort == Sort::time) return {{name, {{name, "s", name}}, {{*number}}, "", true}};
  return number_if(true, name, *number);
}

Sample sized_sample(const RecordedRun& run, double value) {
  const Vector3 place{value, value, value};
  Sample sample;
  for (const RecordedQuantity& quantity : recorded_quantities()) {
    if (quantity.sort == Sort::energy) quantity.number(sample) = value;
    for (const RecordedDataset& dataset : quantity.datasets(run)) {
      for (const RecordedDataset::Numbers& numbers : dataset.numbers) {
        if (const auto* const row = std::get_if<VectorXd Sample::*>(&numbers.member)) {
          VectorXd& own = sample.*(*row);
          own.setConstant(std::max<Eigen::Index>(own.size(), numbers.first + numbers.count), value);
        } else if (const auto* const poses = std::get_if<std::vector<Pose> Sample::*>(&numbers.member)) {
          (sample.*(*poses)).push_back({{place, place, place}, place});
        }
      }
    }
  }
  return sample;
}

}  // namespace cuttle
