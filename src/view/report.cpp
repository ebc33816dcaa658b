#include "cuttle/view/report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "cuttle/error.h"
#include "cuttle/version.h"
#include "io/results/result_block.h"
#include "view/evenly.h"
#include "view/mode_motion.h"
#include "view/packed_frames.h"
#include "view/packing.h"

namespace cuttle {
namespace {

using Json = nlohmann::ordered_json;

/// Groups of curves in the order of their panels: what the robot did, then what it is made of, then the rest.
struct Group {
  const char* key;
  const char* title;
  std::size_t shown;  ///< most curves when the page opens
  double rounding;    ///< share of the natural scale below which numbers say nothing
};
constexpr double k_rounding = 1e-9;         // of what is integrated: less than any tolerance
constexpr double k_exact_rounding = 1e-13;  // of what is zero but for rounding itself
constexpr std::size_t k_all = 1000, k_none = 0, k_some = 8;
constexpr Group k_groups[] = {{"tips", "Positions of tips", k_all, k_rounding},
                              {"energy", "Energies and works", k_all, k_rounding},
                              {"q_soft", "Configuration q of soft parts", k_some, k_rounding},
                              {"q", "Configuration q of joints", k_some, k_rounding},
                              {"u", "Inputs u", k_some, k_rounding},
                              {"contacts", "Contacts", k_some, k_rounding},
                              {"errors", "Errors of controllers", k_some, k_rounding},
                              {"references", "References of controllers", k_some, k_rounding},
                              {"control_states", "States of controllers", k_some, k_rounding},
                              {"outputs", "Outputs of controllers", k_none, k_rounding},
                              {"sensors", "Sensors", k_some, k_rounding},
                              {"v_soft", "Velocity v of soft parts", k_some, k_rounding},
                              {"v", "Velocity v of joints", k_some, k_rounding},
                              {"y", "Actuation coordinates y", k_some, k_rounding},
                              {"motion", "Efforts of driven motion", k_some, k_rounding},
                              {"elements", "States and outputs of elements", k_some, k_rounding},
                              {"loops", "Constraint drift", k_some, k_exact_rounding},
                              {"multipliers", "Loop forces", k_some, k_rounding},
                              {"orientations", "Orientations of tips", k_none, k_rounding},
                              {"balance", "Energy balance error", k_some, k_exact_rounding}};

/// Whether an index of the configuration (of the velocity) belongs to a body that deforms, not to a joint or the base.
bool of_soft_part(const Model& model, bool velocity, int index) {
  return std::any_of(model.links().begin(), model.links().end(), [&](const auto& link) {
    const int first = velocity ? link.v + link.joint_nv : link.q + link.joint_nq;
    const int end = velocity ? link.v + link.nv : link.q + link.nq;
    return index >= first && index < end;
  });
}

const char* group_of(const Model& model, const std::string& path, std::size_t column) {
  const auto index = static_cast<int>(column);
  if (path == "q") return of_soft_part(model, false, index) ? "q_soft" : "q";
  if (path == "v") return of_soft_part(model, true, index) ? "v_soft" : "v";
  if (path == "u") return "u";
  if (path == "actuation/y") return "y";
  if (path.starts_with("energy/")) return "energy";
  if (path.starts_with("frames/")) return column < 3 ? "tips" : "orientations";
  if (path.starts_with("elements/")) return "elements";
  if (path.starts_with("contacts/")) return "contacts";
  if (path.starts_with("sensors/")) return "sensors";
  if (path.starts_with("motion/")) return "motion";
  if (path.starts_with("controllers/")) {
    if (path.ends_with("/error")) return "errors";
    if (path.ends_with("/reference")) return "references";
    return path.ends_with("/output") ? "outputs" : "control_states";
  }
  return path.ends_with("/residual") ? "loops" : "multipliers";
}

struct Curve {
  std::string name, unit;
  std::vector<double> values;
  bool wanted;  ///< may be shown when the page opens
  double largest = 0.0;
};

/// All curves of a run by their groups.
class Series {
 public:
  /// @param reach  of the robot [m]   @param motion  the samples are instants, not equilibria.
  Series(const Model& model, const std::vector<RecordedController>& controllers,
         const std::vector<RecordedMotion>& driven, const std::vector<Sample>& samples, double reach, bool motion)
      : reach_(reach) {
    const std::string last_tip = model.links().empty() ? "" : "frames/" + model.links().back().name + ".tip";
    for (const ResultBlock& block : result_blocks(model, controllers, driven)) {
      std::vector<std::vector<double>> columns = columns_of(block, samples);
      if (block.path == "time") {
        times_ = std::move(columns[0]);
        continue;
      }
      if (block.quantity->of_motion && !motion) continue;
      const bool vector_of_contact =
          block.path.starts_with("contacts/") && !block.path.ends_with("/normal") && !block.path.ends_with("/friction");
      const bool wanted = (!block.path.starts_with("frames/") || block.path == last_tip) && !vector_of_contact;
      for (std::size_t c = 0; c < block.width(); ++c) {
        const auto& column = block.columns[c];
        add(group_of(model, block.path, c), {column.header, column.unit, std::move(columns[c]), wanted});
      }
    }
    Curve total{"energy.total", "J", {}, true}, error{"energy.balance_error", "J", {}, true};
    for (const Sample& s : samples) {
      total.values.push_back(s.energy());
      error.values.push_back(s.energy() - samples.front().energy() - (s.input + s.load - s.dissipated));
    }
    add("energy", std::move(total));
    if (motion) add("balance", std::move(error));
  }

  Json json() const {
    Json groups = Json::array();
    for (const Group& group : k_groups) {
      const auto found = curves_.find(group.key);
      if (found == curves_.end()) continue;
      Json curves = Json::array();
      std::size_t shown = 0;
      for (const Curve& curve : found->second) {
        const char* const noise = noise_of(group, curve);
        const bool changes = std::string_view(group.key) != "energy" || varies(curve);
        const bool show = curve.wanted && changes && shown < group.shown && (noise == nullptr || is_tip(group));
        shown += show ? 1 : 0;
        Json json{{"name", curve.name},
                  {"unit", curve.unit == "1" ? "" : curve.unit},
                  {"values", packed_doubles(curve.values)},
                  {"shown", show}};
        if (noise != nullptr) json["noise"] = noise;
        curves.push_back(std::move(json));
      }
      groups.push_back({{"key", group.key}, {"title", title_of(group)}, {"curves", std::move(curves)}});
    }
    return {{"times", packed_doubles(times_)}, {"groups", std::move(groups)}};
  }

 private:
  /// The columns of a block, each with a value a sample.
  static std::vector<std::vector<double>> columns_of(const ResultBlock& block, const std::vector<Sample>& samples) {
    std::vector<double> row(block.width());
    std::vector<std::vector<double>> values(block.width());
    for (const Sample& sample : samples) {
      block.read(sample, row.data());
      for (std::size_t c = 0; c < row.size(); ++c) values[c].push_back(row[c]);
    }
    return values;
  }
  static bool varies(const Curve& curve) {
    return std::any_of(curve.values.begin(), curve.values.end(), [&](double x) { return x != curve.values.front(); });
  }
  /// The three coordinates of a place stay together.
  static bool is_tip(const Group& group) { return std::string_view(group.key) == "tips"; }

  void add(const std::string& group, Curve curve) {
    for (const double value : curve.values) {
      if (std::isfinite(value)) curve.largest = std::max(curve.largest, std::abs(value));
    }
    double& largest = largest_[curve.unit];
    largest = std::max(largest, curve.largest);
    curves_[group].push_back(std::move(curve));
  }

  /// Of two kinds of coordinates, which; of one kind nothing needs to be said.
  std::string title_of(const Group& group) const {
    const std::string title = group.title, key = group.key;
    const std::string other = key.ends_with("_soft") ? key.substr(0, 1) : key + "_soft";
    const bool one_kind = (key[0] == 'q' || key[0] == 'v') && curves_.find(other) == curves_.end();
    return one_kind ? title.substr(0, title.find(" of ")) : title;
  }

  /// What numbers of this unit can be compared with: a radian, the robot's reach, or the largest there is.
  double scale_of(const std::string& unit) const {
    const double largest = largest_.at(unit);
    if (unit == "rad" || unit == "rad/s" || unit == "1") return std::max(1.0, largest);
    if (unit == "m" || unit == "m/s") return std::max(reach_, largest);
    return largest;
  }
  /// Why a curve says nothing: "zero", "rounding"; null: it says something.
  const char* noise_of(const Group& group, const Curve& curve) const {
    if (curve.largest == 0.0) return "zero";
    return curve.largest < group.rounding * scale_of(curve.unit) ? "rounding" : nullptr;
  }

  double reach_;
  std::vector<double> times_;
  std::map<std::string, std::vector<Curve>> curves_;
  std::map<std::string, double> largest_;  // of all curves by unit
};

/// The place of a sample among the rows of a path.
std::size_t row_of(const ShownRun& run, const Sample& sample) {
  return static_cast<std::size_t>(&sample - run.samples.data());
}

/// Draws each point of a path along a parameter of the robot as the robot that it is of.
FrameOf frames_of_path(const ShownRun& run) {
  if (!robot_changes(run)) return {};
  const Model model(run.robot);
  const std::vector<double>& values = run.sequence.column("parameter").values;
  return [&run, &values, model](const Sample& sample, std::span<double> numbers) {
    Scene other(model.with(run.sequence.along, values[row_of(run, sample)]).robot(), run.visuals);
    other.frame(sample, numbers);
  };
}

/// What moves most in a mode: "arm.kappa_x.0, arm.kappa_x.1".
std::string moves_most(const SequenceVector& real, const SequenceVector& imaginary, Eigen::Index mode) {
  const VectorXd size = (real.values.row(mode).cwiseAbs2() + imaginary.values.row(mode).cwiseAbs2()).cwiseSqrt();
  std::vector<std::size_t> order(real.columns.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&size](std::size_t a, std::size_t b) {
    return size[static_cast<Eigen::Index>(a)] > size[static_cast<Eigen::Index>(b)];
  });
  std::string text;
  for (std::size_t k = 0; k < std::min<std::size_t>(order.size(), 2); ++k) {
    if (size[static_cast<Eigen::Index>(order[k])] < 0.05) break;
    text += (text.empty() ? "" : ", ") + real.columns[order[k]];
  }
  return text;
}

/// What the page is told of a path, a table or modes; null of a simulation.
Json sequence_json(const ShownRun& run) {
  const ResultSequence& sequence = run.sequence;
  Json json{{"kind", sequence_kind_name(sequence.kind)}};
  const auto integers = [&sequence](const char* name) {
    std::vector<std::int32_t> values;
    for (const double value : sequence.column(name).values) values.push_back(static_cast<std::int32_t>(value));
    return packed_integers(values);
  };
  switch (sequence.kind) {
    case ResultSequence::Kind::path: {
      json["along"] = sequence.along, json["unit"] = sequence.along_unit;
      json["parameter"] = packed_doubles(sequence.column("parameter").values);
      for (const char* const name : {"branch", "kind", "stability"}) {
        json[std::string_view(name) == "kind" ? "point" : name] = integers(name);
      }
      json["branches"] = Json::array();
      for (std::size_t i = 0; i < sequence.branch_end.size(); ++i) {
        const double parent = i < sequence.branch_parent.size() ? sequence.branch_parent[i] : -1.0;
        json["branches"].push_back({{"parent", static_cast<int>(parent)}, {"end", sequence.branch_end[i]}});
      }
      return json;
    }
    case ResultSequence::Kind::table:
      json["stability"] = integers("stability");
      return json;
    case ResultSequence::Kind::modes: {
      json["modes"] = Json::array();
      const SequenceVector &real = sequence.vector("shape_real"), &imaginary = sequence.vector("shape_imaginary");
      for (std::size_t i = 0; (i + 1) * k_mode_frames <= run.samples.size(); ++i) {
        const auto value = [&](const char* name) { return sequence.column(name).values[i]; };
        json["modes"].push_back({{"frequency", value("frequency")},
                                 {"damping", value("damping_ratio")},
                                 {"growth", value("eigenvalue_real")},
                                 {"turns", value("eigenvalue_imaginary") != 0.0},
                                 {"moves", moves_most(real, imaginary, static_cast<Eigen::Index>(i))},
                                 {"begin", run.samples[i * k_mode_frames].time},
                                 {"end", run.samples[(i + 1) * k_mode_frames - 1].time}});
      }
      json["all"] = sequence.column("frequency").values.size();
      return json;
    }
    case ResultSequence::Kind::simulation:
      break;
  }
  return nullptr;
}

Json run_json(const ShownRun& run, std::size_t frames) {
  if (run.samples.empty()) {
    throw ArgumentError("report: found no sample of " + run.label + ", expected at least one");
  }
  Scene scene(run.robot, run.visuals);
  // between two branches of a path, or two modes, nothing may be interpolated: all samples are frames
  const bool modes = run.sequence.kind == ResultSequence::Kind::modes;
  const bool all = modes || run.sequence.kind == ResultSequence::Kind::path;
  const std::vector<const Sample*> drawn = evenly(run.samples, all ? run.samples.size() : frames);
  std::vector<double> times;
  times.reserve(drawn.size());
  for (const Sample* sample : drawn) times.push_back(sample->time);
  Json facts = Json::array();
  for (const auto& [name, value] : run.facts) facts.push_back({{"name", name}, {"value", value}});
  Json json{{"label", run.label},
            {"file", run.file},
            {"robot", run.robot.name},
            {"status", run.status},
            {"message", run.message},
            {"warnings", run.warnings},
            {"facts", facts},
            {"changes", run.changes},
            {"scene", Json::parse(scene.json())},
            {"times", packed_doubles(times)}};
  json["blocks"] = packed_frames(scene, drawn, frames_of_path(run));
  if (run.sequence.kind != ResultSequence::Kind::simulation) json["sequence"] = sequence_json(run);
  json["series"] = run.status == "rest" || modes
                       ? Json{{"times", packed_doubles({})}, {"groups", Json::array()}}
                       : Series(Model(run.robot), run.controllers, run.motion, run.samples, scene.reach(),
                                run.sequence.kind == ResultSequence::Kind::simulation)
                             .json();
  return json;
}

}  // namespace

std::string page_with_data(std::string_view page, const std::string& json) {
  const std::string_view opening = R"(<script type="application/json" id="cuttle-page">)", closing = "</script>";
  const std::size_t begin = page.find(opening);
  const std::size_t end = begin == std::string_view::npos ? begin : page.find(closing, begin);
  if (end == std::string_view::npos) {
    throw ArgumentError("viewer's page: found no element with the id cuttle-page, expected one for the data");
  }
  std::string result(page.substr(0, begin + opening.size()));
  result.reserve(page.size() + json.size() + json.size() / 100);
  const std::string_view head = "<head>";
  if (const std::size_t at = result.find(head); at != result.npos) {  // is_written_by_cuttle looks for it
    result.insert(at + head.size(),
                  std::string("\n    <meta name=\"generator\" content=\"Cuttle ") + k_version + "\" />");
  }
  for (const char letter : json) {  // "</script" and "<!--" would end the element or hide its end
    if (letter == '<') {
      result += "\\u003c";
    } else {
      result += letter;
    }
  }
  return result.append(page.substr(end));
}

std::string report_page(std::string_view page, const std::vector<ShownRun>& runs, const ReportOptions& options) {
  if (runs.empty()) throw ArgumentError("report: found no run, expected at least one");
  std::string title;
  Json list = Json::array();
  for (const ShownRun& run : runs) {
    title += (title.empty() ? "" : " and ") + run.label;
    list.push_back(run_json(run, options.frames));
  }
  const Json data{{"kind", "report"},
                  {"title", options.title.empty() ? title : options.title},
                  {"version", k_version},
                  {"runs", std::move(list)}};
  // names may be in any encoding; JSON has only UTF-8
  return page_with_data(page, data.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace cuttle
