#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>

#include <Eigen/Geometry>
#include <atomic>
#include <filesystem>
#include <optional>
#include <utility>

#include "bindings.h"
#include "callables.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"
#include "cuttle/io/replaced_files.h"
#include "cuttle/io/result_columns.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/result_reader.h"
#include "cuttle/io/robot_writer.h"
#include "cuttle/io/run_texts.h"
#include "cuttle/io/scenario_of_robot.h"
#include "cuttle/model/sensor.h"
#include "cuttle/simulation/recorded_contacts.h"
#include "cuttle/simulation/sensitivities.h"
#include "cuttle/simulation/simulator.h"
#include "cuttle/spatial/eigen.h"
#include "doc.h"
#include "interpreter_end.h"
#include "run_state.h"

namespace cuttle::python {

template <>
inline constexpr auto k_members<Sensitivities> = std::tuple(&Sensitivities::times, &Sensitivities::outputs,
                                                            &Sensitivities::parameters, &Sensitivities::values,
                                                            &Sensitivities::derivatives);

namespace {

Array cube(Eigen::Index first, Eigen::Index second, Eigen::Index third, double*& numbers) {
  return new_array({first, second, third}, numbers);
}

/// Keeps every sample, and how the run ended, also if it failed.
class Memory final : public Recorder {
 public:
  explicit Memory(ResultFile& result, Outcome& outcome) : result_(result), outcome_(outcome) {}
  void begin(const Model& model, const Scenario& scenario) override {
    result_.samples.clear();
    result_.controllers = recorded_controllers(model, scenario.controllers);
    result_.motion = recorded_motion(model, scenario.motion);
  }
  void record(const Sample& sample) override { result_.samples.push_back(sample); }
  void finish(const Outcome& outcome) override { outcome_ = outcome; }

 private:
  ResultFile& result_;
  Outcome& outcome_;
};

/// A run of a scenario: what it is of, and every row.
class Run {
 public:
  Run(ModelPointer model, const ScenarioFile& file, const RobotFile* drawn) : model_(std::move(model)) {
    result_.path = file.path;
    result_.robot = model_->robot();
    result_.visuals = drawn != nullptr ? drawn->visuals : file.visuals;
    result_.scenario = file.scenario;
    result_.source = result_source(file);
    result_.changes = file.changes;
  }
  explicit Run(ResultFile result) : model_(std::make_shared<const Model>(result.robot)), result_(std::move(result)) {
    outcome_.status = result_.status, outcome_.message = result_.message, outcome_.warnings = result_.warnings;
    outcome_.redundant_rows = result_.redundant_rows;
    if (!result_.samples.empty()) outcome_.last = result_.samples.back(), outcome_.time = outcome_.last.time;
    const auto number = [this](const char* name, auto& target) {
      for (const ResultStatistic& statistic : result_.statistics) {
        if (statistic.name == name) target = static_cast<std::remove_reference_t<decltype(target)>>(statistic.value);
      }
    };
    number("steps", outcome_.statistics.steps), number("evaluations", outcome_.statistics.evaluations);
    number("failures", outcome_.statistics.failures), number("jacobians", outcome_.statistics.jacobians);
    number("wall_seconds", outcome_.wall_seconds);
  }

  explicit Run(RunState state) {
    std::tie(result_, outcome_) = result_of(std::move(state));
    model_ = std::make_shared<const Model>(result_.robot);
  }

  /// @throws what the run throws, and what a handler of signals raised; rows up to then stay.
  void go(const nb::object& progress) {
    const Work work;
    std::optional<nb::python_error> raised;
    std::atomic<bool> stop = false;
    RunOptions options;
    options.stop = &stop;
    options.progress = [&](const Progress& at) {
      const nb::gil_scoped_acquire lock;
      if (raised) return;
      try {
        check_signals();
        if (!progress.is_none()) progress(at.time, at.duration);
      } catch (nb::python_error& error) {
        raised.emplace(std::move(error));
        stop = true;
      }
    };
    try {
      const nb::gil_scoped_release unlocked;
      Memory memory(result_, outcome_);
      outcome_ = Simulator(*model_, result_.scenario).run({&memory}, options);
    } catch (const nb::python_error& error) {  // Ctrl-C may find a function of Python at work
      if (error.matches(PyExc_KeyboardInterrupt)) outcome_.status = RunStatus::interrupted, outcome_.message.clear();
      throw;
    }
    if (raised) throw std::move(*raised);
  }

  void save(const std::string& path, bool replace) const {
    std::optional<ReplaceAnyFile> any;
    if (replace) any.emplace(path), forget_read(path);
    ResultSource source = result_.source;
    describe_run(source, model_->robot(), result_.visuals, result_.scenario);
    const bool csv = std::filesystem::path(path).extension() == ".csv";
    const auto file = csv ? make_csv_recorder(path) : make_hdf5_recorder(path, source);
    file->begin(*model_, result_.scenario);
    for (const Sample& sample : result_.samples) file->record(sample);
    file->finish(outcome_);
  }

  const ModelPointer& model() const { return model_; }
  const ResultFile& result() const { return result_; }
  const Outcome& outcome() const { return outcome_; }

  RecordedRun recorded() const { return {*model_, result_.controllers, result_.motion}; }

  /// Numbers of the samples, of one of recorded_quantities(): (n,), or (n, width).
  template <typename Member>
  Array numbers_of(Member Sample::*member) const {
    const std::vector<Sample>& samples = result_.samples;
    const auto count = static_cast<Eigen::Index>(samples.size());
    double* numbers = nullptr;
    if constexpr (std::is_same_v<Member, double>) {
      Array array = new_array({count}, numbers);
      for (const Sample& sample : samples) *numbers++ = sample.*member;
      return array;
    } else {
      const Eigen::Index width = samples.empty() ? 0 : (samples.front().*member).size();
      Array array = new_array({count, width}, numbers);
      for (const Sample& sample : samples) numbers = std::copy_n((sample.*member).data(), width, numbers);
      return array;
    }
  }
  /// Of a dataset that is a part of one row.
  Array numbers_of(const RecordedDataset& dataset) const {
    const RecordedDataset::Numbers& own = dataset.numbers.front();
    const auto count = static_cast<Eigen::Index>(result_.samples.size());
    double* numbers = nullptr;
    Array array = dataset.scalar ? new_array({count}, numbers) : new_array({count, own.count}, numbers);
    for (const Sample& sample : result_.samples) {
      numbers = std::copy_n((sample.*std::get<VectorXd Sample::*>(own.member)).data() + own.first, own.count, numbers);
    }
    return array;
  }
  template <typename Member>
  Array numbers_named(const std::string& name) const {
    for (const RecordedQuantity& quantity : recorded_quantities()) {
      const auto* const member = std::get_if<Member Sample::*>(&quantity.member);
      if (member != nullptr && quantity.name == name) return numbers_of(*member);
    }
    throw nb::key_error(name.c_str());
  }

 private:
  ModelPointer model_;
  ResultFile result_;
  Outcome outcome_;
};

nb::dict columns_of(const Run& run) {
  nb::dict all;
  for (const NumberColumn& column : result_columns(run.result())) all[column.name.c_str()] = to_numpy(column.values);
  return all;
}

nb::dict units_of(const Run& run) {
  nb::dict all;
  for (const NumberColumn& column : result_columns(run.result())) all[column.name.c_str()] = column.unit;
  return all;
}

/// The numbers of one controller from `first` on, and where those of the next begin.
nb::dict controllers_of(const Run& run) {
  nb::dict all;
  Eigen::Index first = 0;
  const auto part = [&](std::size_t count) {
    double* numbers = nullptr;
    const auto width = static_cast<Eigen::Index>(count);
    Array array = new_array({static_cast<Eigen::Index>(run.result().samples.size()), width}, numbers);
    for (const Sample& sample : run.result().samples)
      numbers = std::copy_n(sample.control.data() + first, width, numbers);
    first += width;
    return array;
  };
  for (const RecordedController& controller : run.result().controllers) {
    nb::dict own;
    own["reference"] = part(controller.columns.reference.size());
    own["error"] = part(controller.columns.error.size());
    own["output"] = part(controller.columns.inputs.size());
    own["state"] = part(controller.columns.state.size());
    all[controller.name.c_str()] = own;
  }
  return all;
}

/// Numbers of the samples by dataset: of a quantity and the path below its root.
template <typename Take>
void for_each_dataset(const Run& run, const std::string& root, const Take& take) {
  for (const RecordedQuantity& quantity : recorded_quantities()) {
    if (quantity.root != root) continue;
    for (const RecordedDataset& dataset : quantity.datasets(run.recorded())) {
      take(dataset.path.substr(root.size() + 1), run.numbers_of(dataset));
    }
  }
}

nb::dict sensors_of(const Run& run) {
  nb::dict all;
  for_each_dataset(run, "sensors",
                   [&](const std::string& sensor, const Array& values) { all[sensor.c_str()] = values; });
  return all;
}

/// By contact, or pair of one, the quantities by name: (n,), or (n, columns).
nb::dict contacts_of(const Run& run) {
  nb::dict all;
  for_each_dataset(run, "contacts", [&](const std::string& path, const Array& values) {
    const std::string contact = path.substr(0, path.rfind('/'));
    if (!all.contains(contact.c_str())) all[contact.c_str()] = nb::dict();
    all[contact.c_str()][path.substr(contact.size() + 1).c_str()] = values;
  });
  return all;
}

nb::dict statistics_of(const Run& run) {
  const Outcome& outcome = run.outcome();
  nb::dict all;
  all["steps"] = outcome.statistics.steps, all["evaluations"] = outcome.statistics.evaluations;
  all["failures"] = outcome.statistics.failures, all["jacobians"] = outcome.statistics.jacobians;
  all["wall_seconds"] = outcome.wall_seconds;
  all["peak_kinetic"] = outcome.peak_kinetic, all["peak_energy"] = outcome.peak_energy;
  all["energy_error"] = outcome.energy_error;
  return all;
}

/// Motion of one frame along rows of q and v.
nb::tuple frame_motion(const Model& model, const Frame& frame, const Numbers& q_given, const Numbers& v_given) {
  const auto q = q_given.rows("q");
  const auto v = v_given.rows("v");
  if (q.rows() != v.rows()) {
    throw ArgumentError("v", std::to_string(v.rows()) + " rows", std::to_string(q.rows()) + ", as of q");
  }
  double *p = nullptr, *quaternion = nullptr, *R = nullptr, *linear = nullptr, *angular = nullptr;
  const Eigen::Index n = q.rows();
  Array positions = new_array({n, 3}, p), quaternions = new_array({n, 4}, quaternion), rotations = cube(n, 3, 3, R);
  Array velocities = new_array({n, 3}, linear), rates = new_array({n, 3}, angular);
  {
    const nb::gil_scoped_release unlocked;
    Data data(model);
    Eigen::Vector4d last(1.0, 0.0, 0.0, 0.0);
    VectorXd q_row(q.cols()), v_row(v.cols());
    for (Eigen::Index i = 0; i < n; ++i) {
      q_row = q.row(i).transpose(), v_row = v.row(i).transpose();
      const auto& kinematics = forward_kinematics<double>(model, data, q_row, v_row);
      const Pose pose = kinematics.pose(frame);
      const Twist twist = kinematics.velocity_of(frame);
      const Eigen::Matrix3d rotation = to_eigen(pose.rotation);
      const Eigen::Quaterniond turned(rotation);
      Eigen::Vector4d numbers(turned.w(), turned.x(), turned.y(), turned.z());
      if (numbers.dot(last) < 0.0) numbers = -numbers;  // of the two that mean the same, the one nearer to the last
      last = numbers;
      Eigen::Map<Eigen::Vector3d>(p + 3 * i) = to_eigen(pose.position);
      Eigen::Map<Eigen::Vector4d>(quaternion + 4 * i) = numbers;
      Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(R + 9 * i) = rotation;
      Eigen::Map<Eigen::Vector3d>(linear + 3 * i) = rotation * to_eigen(twist.linear);
      Eigen::Map<Eigen::Vector3d>(angular + 3 * i) = rotation * to_eigen(twist.angular);
    }
  }
  return nb::make_tuple(positions, quaternions, rotations, velocities, rates);
}

/// Texts of a scenario that was read from files: what _read_scenario_texts makes one of.
nb::tuple texts_of(const ScenarioFile& file) {
  return nb::make_tuple(file.path, file.scenario_yaml, contents(file.files), file.robot_path, file.robot_yaml,
                        contents(file.robot_files), file.overrides);
}

/// Notes a call that has changed a scenario, whose text no longer says it: what it was made of is pickled, then its
/// changes. @param before  its texts before the call.
void remember_change(const nb::object& file, const nb::tuple& before, const char* method, const nb::tuple& arguments) {
  if (!nb::hasattr(file, "_made")) file.attr("_made") = before;
  if (!nb::hasattr(file, "_changes")) file.attr("_changes") = nb::list();
  file.attr("_changes").attr("append")(nb::make_tuple(method, arguments));
}

void bind_scenario(nb::module_& m) {
  nb::class_<ScenarioFile>(m, "ScenarioFile", nb::dynamic_attr(), "What is to happen to a robot.")
      .def("__reduce__",
           [](const nb::object& file) { return nb::module_::import_("cuttle.scenario").attr("reduced")(file); })
      .def(
          "__eq__",
          [](const nb::object& a, const nb::object& b) -> nb::object {
            if (!nb::isinstance<ScenarioFile>(b)) return nb::borrow(Py_NotImplemented);
            const nb::object reduced = nb::module_::import_("cuttle.scenario").attr("reduced");
            return nb::module_::import_("cuttle._compared").attr("same")(reduced(a), reduced(b));
          },
          "other"_a.none(), nb::sig("def __eq__(self, other: object) -> bool"),
          "Whether both were made in the same way.")
      .def("__hash__", [](const ScenarioFile& file) { return nb::hash(nb::str(file.path.c_str())); })
      .def_ro("path", &ScenarioFile::path, doc("ScenarioFile::path"))
      .def_ro("warnings", &ScenarioFile::warnings, doc("ScenarioFile::warnings"))
      .def("_texts", &texts_of, "For pickles: what it was read from.")
      .def(
          "_model_of_run",
          [](const ScenarioFile& file, const ModelPointer& model) {
            return std::const_pointer_cast<Model>(model_of_run(file, model));
          },
          "model"_a, doc("model_of_run"))
      .def_prop_ro(
          "duration", [](const ScenarioFile& file) { return file.scenario.duration; },
          doc("Scenario::duration", "How long it simulates."))
      .def_prop_ro(
          "robot_file",
          [](const ScenarioFile& file) {
            return RobotFile{file.robot, file.robot_path, file.robot_yaml, file.visuals, file.robot_files,
                             {},         file.notes};
          },
          "the robot of the scenario")
      .def(
          "set_input",
          [](const nb::object& self, const std::string& name, const nb::object& signal) {
            auto& file = nb::cast<ScenarioFile&>(self);
            auto given = nb::cast<Signal>(signal);  // not by reference: a number has no signal to refer to
            const nb::tuple before = texts_of(file);
            file.scenario.inputs[name] = std::move(given);
            file.scenario_yaml.clear();  // it does not say this: results write another one
            remember_change(self, before, "set_input", nb::make_tuple(name, signal));
          },
          "name"_a, "signal"_a, nb::sig("def set_input(self, name: str, signal: Signal | float) -> None"),
          "Puts a signal on an input.")
      .def(
          "insert_controller",
          [](const nb::object& self, std::size_t index, const std::string& name, const nb::object& function,
             double rate, const std::vector<std::string>& inputs, const std::vector<double>& lower,
             const std::vector<double>& upper, double delay, std::optional<std::pair<double, double>> window) {
            auto& file = nb::cast<ScenarioFile&>(self);
            ControlSettings settings;
            settings.inputs = inputs, settings.rate = rate, settings.delay = delay;
            settings.limits.lower = lower, settings.limits.upper = upper;
            if (window) settings.begin = window->first, settings.end = window->second;
            const nb::tuple before = texts_of(file);
            auto& all = file.scenario.controllers;
            all.insert(all.begin() + static_cast<std::ptrdiff_t>(std::min(index, all.size())),
                       {name, make_function_law(settings, control_from(function))});
            file.scenario_yaml.clear();  // as above
            remember_change(self, before, "insert_controller",
                            nb::make_tuple(index, name, function, rate, inputs, lower, upper, delay, window));
          },
          "index"_a, "name"_a, "function"_a, "rate"_a, "inputs"_a, "lower"_a, "upper"_a, "delay"_a,
          "window"_a = nb::none(), "Puts a controller among those of the scenario: see cuttle.Controller.");
  m.def("load_scenario_file", &load_scenario_file, "path"_a, "overrides"_a = Overrides(),
        nb::call_guard<nb::gil_scoped_release>(), doc("load_scenario_file"));
  m.def(
      "read_scenario_of_robot",
      [](const std::string& text, const std::string& name, const ModelPointer& model) {
        nb::object file = nb::cast([&] {
          const nb::gil_scoped_release unlocked;
          return read_scenario_of_robot(text, name, *model);
        }());
        file.attr("_made") = nb::make_tuple(text, name, std::const_pointer_cast<Model>(model));
        return nb::borrow<nb::typed<nb::object, ScenarioFile>>(file);
      },
      "text"_a, "name"_a, "model"_a, doc("read_scenario_of_robot"));
  m.def(
      "_read_scenario_texts",
      [](const std::string& path, const std::string& yaml, const nb::dict& files, const std::string& robot_path,
         const std::string& robot_yaml, const nb::dict& robot_files, const Overrides& overrides) {
        ScenarioFile file =
            read_scenario_again({robot_yaml, yaml, overrides, files_from(robot_files), files_from(files)}, path);
        file.robot_path = robot_path;
        return file;
      },
      "path"_a, "yaml"_a, "files"_a, "robot_path"_a, "robot_yaml"_a, "robot_files"_a, "overrides"_a,
      "For pickles: a scenario that was read from files.");
}

void bind_run(nb::module_& m) {
  nb::class_<Run>(m, "Run", "A run of a scenario in memory. cuttle.Run is what people use.")
      .def(nb::init<ModelPointer, const ScenarioFile&, const RobotFile*>(), "model"_a, "scenario"_a,
           "drawn"_a.none() = nb::none())
      .def("__getstate__",
           [](const Run& run) { return pickled_bytes(bytes_of(state_of(run.result(), run.outcome()))); })
      .def("__setstate__",
           [](Run& run, const nb::tuple& state) {
             Run read(value_of<RunState>(unpickled_bytes(state)));
             new (&run) Run(std::move(read));
           })
      .def(
          "__eq__",
          [](const Run& a, const nb::object& b) {
            return answer_equal(a, b, [](const Run& x, const Run& y) {
              return &x == &y || same_run({x.result(), x.outcome()}, {y.result(), y.outcome()});
            });
          },
          "other"_a.none(), nb::sig("def __eq__(self, other: object) -> bool"),
          "Whether robot, rows and end are the same.")
      .def("__hash__",
           [](const Run& run) {
             const std::vector<Sample>& samples = run.result().samples;
             const std::string end = samples.empty() ? "" : bytes_of(samples.back().q, true);
             return nb::hash(nb::make_tuple(samples.size(), nb::bytes(end.data(), end.size())));
           })
      .def("go", &Run::go, "progress"_a = nb::none(), "Runs it; rows of what fails stay.")
      .def("save", &Run::save, "path"_a, "replace"_a = false, nb::call_guard<nb::gil_scoped_release>(),
           "Writes the result, PATH.h5 or PATH.csv.")
      .def_prop_ro(
          "name", [](const Run& run) { return run.model()->name(); }, "of the robot")
      .def_prop_ro(
          "model", [](const Run& run) { return std::const_pointer_cast<Model>(run.model()); }, "of the robot")
      .def_prop_ro(
          "robot_file",
          [](const Run& run) {
            const ResultFile& result = run.result();
            return RobotFile{result.robot,
                             result.robot.name,
                             result.source.robot_yaml,
                             result.visuals,
                             result.source.robot_files,
                             {},
                             {}};
          },
          "what it was made of")
      .def_prop_ro(
          "status", [](const Run& run) { return run_status_name(run.outcome().status); },
          "'complete', 'interrupted' or 'failed'")
      .def_prop_ro(
          "message", [](const Run& run) { return run.outcome().message; }, doc("Outcome::message"))
      .def_prop_ro(
          "warnings", [](const Run& run) { return run.outcome().warnings; }, doc("Outcome::warnings"))
      .def_prop_ro(
          "integrator", [](const Run& run) { return run.outcome().integrator; }, doc("Outcome::integrator"))
      .def("statistics", &statistics_of, "Numbers of the integrator, by name.")
      .def("columns", &columns_of, "Every column of the result by its name.")
      .def("units", &units_of, "Their units.")
      .def("controllers", &controllers_of, "Reference, error, output and state of each controller.")
      .def("sensors", &sensors_of, "Readings of each sensor.")
      .def("contacts", &contacts_of, "Forces, gap and slip of each contact, by name.")
      .def(
          "rows", [](const Run& run, const std::string& name) { return run.numbers_named<VectorXd>(name); }, "name"_a,
          "Vectors of the samples: q, v, u, y, element_states, element_outputs, multipliers, ..")
      .def(
          "numbers", [](const Run& run, const std::string& name) { return run.numbers_named<double>(name); }, "name"_a,
          "Numbers of the samples: time, kinetic, gravity, elastic, ..");
  m.def(
      "row_names",
      [] {
        std::vector<std::string> names;
        for (const RecordedQuantity& quantity : recorded_quantities()) {
          if (std::holds_alternative<VectorXd Sample::*>(quantity.member)) names.push_back(quantity.name);
        }
        return names;
      },
      "What `Run.rows` knows.");
  m.def(
      "energy_names",
      [] {
        std::vector<std::string> names;
        for (const RecordedQuantity& quantity : recorded_quantities()) {
          if (quantity.balance != 0.0) names.push_back(quantity.name);
        }
        return names;
      },
      "What `Run.numbers` knows beside the time: energies, then works.");
  m.def(
      "read_run", [](const std::string& path) { return Run(read_result_file(path)); }, "path"_a,
      nb::call_guard<nb::gil_scoped_release>(), doc("read_result_file"));
  m.def("frame_motion", &frame_motion, "model"_a, "frame"_a, "q"_a, "v"_a,
        "Along rows of q (n, nq) and v (n, nv): position (n, 3), quaternion w, x, y, z (n, 4), rotation (n, 3, 3), "
        "velocity\n"
        "(n, 3) and angular velocity (n, 3) of a frame, all in world axes.");
}

void bind_sensitivities(nb::module_& m) {
  by_members(nb::class_<Sensitivities>(m, "Sensitivities", doc("Sensitivities")))
      .def_prop_ro(
          "times", [](const Sensitivities& s) { return to_numpy(s.times); }, doc("Sensitivities::times"))
      .def_ro("outputs", &Sensitivities::outputs, doc("Sensitivities::outputs"))
      .def_ro("parameters", &Sensitivities::parameters, doc("Sensitivities::parameters"))
      .def_prop_ro(
          "values",
          [](const Sensitivities& s) {
            const auto width = static_cast<Eigen::Index>(s.outputs.size());
            double* numbers = nullptr;
            Array array = new_array({static_cast<Eigen::Index>(s.values.size()), width}, numbers);
            for (const VectorXd& row : s.values) numbers = std::copy_n(row.data(), width, numbers);
            return array;
          },
          "shape (times, n)")
      .def_prop_ro(
          "derivatives",
          [](const Sensitivities& s) {
            const auto n = static_cast<Eigen::Index>(s.outputs.size());
            const auto p = static_cast<Eigen::Index>(s.parameters.size());
            double* numbers = nullptr;
            Array array = cube(static_cast<Eigen::Index>(s.derivatives.size()), n, p, numbers);
            for (const MatrixXd& D : s.derivatives) Eigen::Map<RowMatrix>(numbers, n, p) = D, numbers += n * p;
            return array;
          },
          "shape (times, n, p)");
  m.def(
      "sensitivities",
      [](const Model& model, const ScenarioFile& file, const std::vector<std::string>& of,
         const std::vector<std::string>& by, const std::vector<double>& times) {
        const nb::gil_scoped_release unlocked;
        const Work work;
        RunOptions options;
        options.progress = [](const Progress&) { check_signals(); };
        return sensitivities(model, file.scenario, of, by, times, options);
      },
      "model"_a, "scenario"_a, "of"_a, "by"_a, "times"_a, doc("sensitivities"));
}

}  // namespace

void bind_simulation(nb::module_& m) {
  bind_scenario(m);
  bind_run(m);
  bind_sensitivities(m);
}

}  // namespace cuttle::python
