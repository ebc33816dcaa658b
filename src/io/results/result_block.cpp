#include "io/results/result_block.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "algorithms/actuation_info.h"
#include "cuttle/error.h"
#include "cuttle/model/sensor.h"
#include "cuttle/simulation/recorded_contacts.h"
#include "cuttle/spatial/logarithm.h"

namespace cuttle {
namespace {

ResultBlock scalar_block(const std::string& path, const std::string& header, const std::string& unit,
                         double Sample::*member) {
  return {path,
          true,
          {{header, unit, header}},
          [member](const Sample& s, double* row) { *row = s.*member; },
          [member](const double* row, Sample& s) { s.*member = *row; }};
}

/// @param suffix  what makes a header unique where the plain name is taken.
ResultBlock vector_block(const std::string& path, const std::vector<CoordinateInfo>& info, const std::string& suffix,
                         VectorXd Sample::*member, std::set<std::string>& taken) {
  ResultBlock block{path,
                    false,
                    {},
                    [member](const Sample& s, double* row) {
                      const VectorXd& x = s.*member;
                      std::copy(x.data(), x.data() + x.size(), row);
                    },
                    [member](const double* row, Sample& s) {
                      VectorXd& x = s.*member;
                      std::copy(row, row + x.size(), x.data());
                    }};
  for (const CoordinateInfo& coordinate : info) {
    std::string header = coordinate.name;
    if (!taken.insert(header).second) taken.insert(header += suffix);
    block.columns.push_back({coordinate.name, coordinate.unit, header});
  }
  return block;
}

ResultBlock pose_block(const std::string& frame, std::vector<Pose> Sample::*member, std::size_t index,
                       std::set<std::string>& taken) {
  ResultBlock block{"frames/" + frame,
                    false,
                    {},
                    [member, index](const Sample& s, double* row) {
                      const Pose& pose = (s.*member)[index];
                      const Quaternion q = quaternion_from_matrix(pose.rotation);
                      const Vector3& p = pose.position;
                      const double values[] = {p.x, p.y, p.z, q.w, q.x, q.y, q.z};
                      std::copy(std::begin(values), std::end(values), row);
                    },
                    [member, index](const double* row, Sample& s) {
                      const Quaternion q{row[3], row[4], row[5], row[6]};
                      (s.*member)[index] = {q.matrix(), {row[0], row[1], row[2]}};
                    }};
  for (const char* name : {"x", "y", "z", "qw", "qx", "qy", "qz"}) {
    std::string header = frame + "." + name;
    while (!taken.insert(header).second) header += ".frame";
    block.columns.push_back({name, name[0] == 'q' ? "1" : "m", header});
  }
  return block;
}

/// Numbers [first, first + count) of a member.
ResultBlock segment_block(std::string path, VectorXd Sample::*member, int first, int count) {
  return {std::move(path),
          false,
          {},
          [member, first, count](const Sample& s, double* row) {
            const auto numbers = (s.*member).segment(first, count);
            std::copy(numbers.begin(), numbers.end(), row);
          },
          [member, first, count](const double* row, Sample& s) {
            std::copy(row, row + count, (s.*member).segment(first, count).begin());
          }};
}

/// States of an element, then its outputs. One that acts beside several actuators has a law for each, one behind the
/// other.
ResultBlock element_block(const Model& model, std::size_t index, std::set<std::string>& taken) {
  const BoundElementT<double>& element = model.elements()[index];
  const std::string& name = element.name;
  int states = 0, outputs = 0;
  for (std::size_t i = index; i < model.elements().size() && model.elements()[i].name == name; ++i) {
    states += model.elements()[i].state_count, outputs += model.elements()[i].output_count;
  }
  const ResultBlock first = segment_block({}, &Sample::element_states, element.state, states),
                    second = segment_block({}, &Sample::element_outputs, element.output, outputs);
  ResultBlock block{"elements/" + name,
                    false,
                    {},
                    [=](const Sample& s, double* row) { first.read(s, row), second.read(s, row + states); },
                    [=](const double* row, Sample& s) { first.restore(row, s), second.restore(row + states, s); },
                    static_cast<std::size_t>(states)};
  const auto add = [&](const std::vector<CoordinateInfo>& info, int from, int count) {
    for (int i = from; i < from + count; ++i) {
      std::string header = "elements." + info[i].name;
      while (!taken.insert(header).second) header += ".element";
      const bool own = info[i].name.size() > name.size();  // else it is called like the element
      block.columns.push_back({own ? info[i].name.substr(name.size() + 1) : name, info[i].unit, header});
    }
  };
  add(model.element_state_info(), element.state, states);
  add(model.element_output_info(), element.output, outputs);
  return block;
}

/// Some rows of the loops.
/// @param what  residual | multipliers.
ResultBlock loop_block(const BoundLoop& loop, const char* what, const std::vector<CoordinateInfo>& info,
                       VectorXd Sample::*member, std::set<std::string>& taken) {
  ResultBlock block = segment_block("loops/" + loop.name + "/" + what, member, loop.row, loop.row_count());
  for (int i = loop.row; i < loop.row + loop.row_count(); ++i) {
    const std::string name = info[i].name.substr(loop.name.size() + 1);
    std::string header = "loops." + loop.name + "." + what + "." + name;
    while (!taken.insert(header).second) header += ".loop";
    block.columns.push_back({name, info[i].unit, header});
  }
  return block;
}

/// What a controller records, after `first` other numbers of Sample::control.
void add_controller_blocks(const Model& model, const RecordedController& controller, int first,
                           std::set<std::string>& taken, std::vector<ResultBlock>& blocks) {
  std::vector<CoordinateInfo> outputs;
  for (const int i : controller.columns.inputs) outputs.push_back(model.input_info()[static_cast<std::size_t>(i)]);
  const std::pair<const char*, const std::vector<CoordinateInfo>*> parts[] = {
      {"reference", &controller.columns.reference},
      {"error", &controller.columns.error},
      {"output", &outputs},
      {"state", &controller.columns.state}};
  for (const auto& [what, info] : parts) {
    const int count = static_cast<int>(info->size());
    if (count == 0) continue;
    ResultBlock block = segment_block("controllers/" + controller.name + "/" + what, &Sample::control, first, count);
    for (const CoordinateInfo& coordinate : *info) {
      std::string header = "controllers." + controller.name + "." + what + "." + coordinate.name;
      while (!taken.insert(header).second) header += ".controller";
      block.columns.push_back({coordinate.name, coordinate.unit, header});
    }
    blocks.push_back(std::move(block));
    first += count;
  }
}

void add_sensor_blocks(const Model& model, std::set<std::string>& taken, std::vector<ResultBlock>& blocks) {
  int first = 0;
  for (const RecordedSensor& sensor : recorded_sensors(model)) {
    const int count = static_cast<int>(sensor.columns.size());
    ResultBlock block = segment_block("sensors/" + sensor.name, &Sample::sensors, first, count);
    for (const CoordinateInfo& column : sensor.columns) {
      std::string header = "sensors." + sensor.name + "." + column.name;
      while (!taken.insert(header).second) header += ".sensor";
      block.columns.push_back({column.name, column.unit, header});
    }
    if (count > 0) blocks.push_back(std::move(block));
    first += count;
  }
}

void add_contact_blocks(const Model& model, std::set<std::string>& taken, std::vector<ResultBlock>& blocks) {
  int first = 0;
  for (const RecordedContact& recorded : recorded_contacts(model)) {
    const int count = static_cast<int>(recorded.columns.size());
    const std::string path = "contacts/" + recorded.contact + "/" + recorded.quantity;
    ResultBlock block = segment_block(path, &Sample::contacts, first, count);
    block.scalar = recorded.scalar;
    std::string prefix = path;
    std::replace(prefix.begin(), prefix.end(), '/', '.');
    for (const CoordinateInfo& column : recorded.columns) {
      std::string header = recorded.scalar ? prefix : prefix + "." + column.name;
      while (!taken.insert(header).second) header += ".contact";
      block.columns.push_back({column.name, column.unit, header});
    }
    if (count > 0) blocks.push_back(std::move(block));
    first += count;
  }
}

void add_motion_blocks(const std::vector<RecordedMotion>& motion, std::set<std::string>& taken,
                       std::vector<ResultBlock>& blocks) {
  int first = 0;
  for (const RecordedMotion& driven : motion) {
    const int count = static_cast<int>(driven.efforts.size());
    ResultBlock block = segment_block("motion/" + driven.name, &Sample::motion, first, count);
    for (const CoordinateInfo& effort : driven.efforts) {
      std::string header = "motion." + driven.name + "." + effort.name;
      while (!taken.insert(header).second) header += ".effort";
      block.columns.push_back({effort.name, effort.unit, header});
    }
    blocks.push_back(std::move(block));
    first += count;
  }
}

}  // namespace

std::vector<ResultBlock> result_blocks(const Model& model, const std::vector<RecordedController>& controllers,
                                       const std::vector<RecordedMotion>& motion) {
  std::set<std::string> taken;
  std::vector<ResultBlock> blocks;
  blocks.push_back(scalar_block("time", "time", "s", &Sample::time));
  blocks.push_back(vector_block("q", model.configuration_info(), "", &Sample::q, taken));
  blocks.push_back(vector_block("v", model.velocity_info(), ".rate", &Sample::v, taken));
  blocks.push_back(vector_block("u", model.input_info(), ".u", &Sample::u, taken));
  blocks.push_back(vector_block("actuation/y", actuation_info(model), ".y", &Sample::y, taken));
  for (std::size_t i = 0; i < model.links().size(); ++i) {
    blocks.push_back(pose_block(model.links()[i].name + ".tip", &Sample::tips, i, taken));
  }
  for (std::size_t i = 0; i < model.robot().markers.size(); ++i) {
    blocks.push_back(pose_block(model.robot().markers[i].name, &Sample::markers, i, taken));
  }
  const std::pair<const char*, double Sample::*> energies[] = {
      {"kinetic", &Sample::kinetic},       {"gravity", &Sample::gravity}, {"elastic", &Sample::elastic},
      {"dissipated", &Sample::dissipated}, {"input", &Sample::input},     {"load", &Sample::load}};
  for (const auto& [name, member] : energies) {
    blocks.push_back(scalar_block(std::string("energy/") + name, std::string("energy.") + name, "J", member));
    if (member == &Sample::elastic && !model.elements().empty()) {
      blocks.push_back(scalar_block("energy/elements", "energy.elements", "J", &Sample::elements));
    }
    if (member == &Sample::elastic && !model.site_laws().empty()) {
      blocks.push_back(scalar_block("energy/contacts", "energy.contacts", "J", &Sample::contact));
    }
  }
  for (std::size_t i = 0; i < model.elements().size(); ++i) {
    if (i > 0 && model.elements()[i - 1].name == model.elements()[i].name) continue;
    ResultBlock block = element_block(model, i, taken);
    if (block.width() > 0) blocks.push_back(std::move(block));
  }
  for (const BoundLoop& loop : model.loops()) {
    blocks.push_back(loop_block(loop, "residual", model.constraint_info(), &Sample::loop_residual, taken));
    blocks.push_back(loop_block(loop, "multipliers", model.multiplier_info(), &Sample::multipliers, taken));
  }
  add_contact_blocks(model, taken, blocks);
  add_motion_blocks(motion, taken, blocks);
  add_sensor_blocks(model, taken, blocks);
  int first = 0;
  for (const RecordedController& controller : controllers) {
    add_controller_blocks(model, controller, first, taken, blocks);
    first += controller.columns.size();
  }
  return blocks;
}

Sample sized_sample(const Model& model, const std::vector<RecordedController>& controllers,
                    const std::vector<RecordedMotion>& motion) {
  int recorded = 0;
  for (const RecordedController& controller : controllers) recorded += controller.columns.size();
  Sample sample;
  sample.q = VectorXd::Zero(model.nq());
  sample.v = VectorXd::Zero(model.nv());
  sample.u = sample.y = VectorXd::Zero(static_cast<int>(model.input_info().size()));
  sample.element_states = VectorXd::Zero(model.element_start().size());
  sample.element_outputs = VectorXd::Zero(static_cast<int>(model.element_output_info().size()));
  sample.tips.resize(model.links().size());
  sample.markers.resize(model.robot().markers.size());
  sample.loop_residual = VectorXd::Zero(static_cast<int>(model.constraint_info().size()));
  sample.multipliers = VectorXd::Zero(static_cast<int>(model.multiplier_info().size()));
  sample.control = VectorXd::Zero(recorded);
  std::size_t efforts = 0;
  for (const RecordedMotion& driven : motion) efforts += driven.efforts.size();
  sample.motion = VectorXd::Zero(static_cast<int>(efforts));
  int readings = 0, contacts = 0;
  for (const RecordedContact& contact : recorded_contacts(model)) contacts += static_cast<int>(contact.columns.size());
  sample.contacts = VectorXd::Zero(contacts);
  for (const RecordedSensor& sensor : recorded_sensors(model)) readings += static_cast<int>(sensor.columns.size());
  sample.sensors = VectorXd::Zero(readings);
  return sample;
}

void create_folders_for(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw FileError(path + ": cannot make the folder " + folder.string() + ": " + error.message());
}

}  // namespace cuttle
