#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>

#include "bindings.h"
#include "cuttle/error.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/io/robot_import.h"
#include "cuttle/io/robot_text.h"
#include "cuttle/io/robot_writer.h"
#include "cuttle/model/frame_names.h"
#include "cuttle/model/parameters.h"
#include "cuttle/model/spelling.h"
#include "cuttle/spatial/eigen.h"
#include "doc.h"
#include "own_parts.h"
#include "values.h"

namespace cuttle::python {

template <>
inline constexpr auto k_members<SymmetricMatrix3T<double>> =
    std::tuple(&SymmetricMatrix3T<double>::xx, &SymmetricMatrix3T<double>::yy, &SymmetricMatrix3T<double>::zz,
               &SymmetricMatrix3T<double>::xy, &SymmetricMatrix3T<double>::xz, &SymmetricMatrix3T<double>::yz);
template <>
inline constexpr auto k_members<SpatialInertiaT<double>> = std::tuple(&SpatialInertiaT<double>::mass,
                                                                      &SpatialInertiaT<double>::moment,
                                                                      &SpatialInertiaT<double>::rotation);
template <>
inline constexpr auto k_members<LinkInfoT<double>> =
    std::tuple(&LinkInfoT<double>::name, &LinkInfoT<double>::parent, &LinkInfoT<double>::joint_type,
               &LinkInfoT<double>::body_type, &LinkInfoT<double>::q, &LinkInfoT<double>::nq, &LinkInfoT<double>::v,
               &LinkInfoT<double>::nv, &LinkInfoT<double>::joint_nq, &LinkInfoT<double>::joint_nv,
               &LinkInfoT<double>::base, &LinkInfoT<double>::tip, &LinkInfoT<double>::rest_inertia);

std::string_view unpickled_bytes(const nb::tuple& state) {
  const auto version = nb::cast<std::string>(state[0]);
  if (version != CUTTLE_VERSION) {
    throw ArgumentError("pickle", "one of Cuttle " + version, "one of this Cuttle, " CUTTLE_VERSION);
  }
  const auto bytes = nb::borrow<nb::bytes>(state[1]);
  return {bytes.c_str(), bytes.size()};  // the state keeps them
}

bool same_robot(const Model& a, const Model& b) {
  if (&a == &b) return true;
  if (!own_parts_of(a.robot()).empty() || !own_parts_of(b.robot()).empty()) return false;
  const WrittenRobot one = write_robot(a.robot()), other = write_robot(b.robot());
  return one.yaml == other.yaml && one.files == other.files;
}

nb::dict contents(const FileTexts& files) {
  nb::dict all;
  for (const auto& [name, text] : files) all[name.c_str()] = nb::bytes(text.data(), text.size());
  return all;
}
FileTexts files_from(const nb::dict& given) {
  FileTexts files;
  for (const auto& [name, content] : given) {
    std::string& to = files[nb::cast<std::string>(name)];
    if (nb::isinstance<nb::bytes>(content)) {
      const auto bytes = nb::cast<nb::bytes>(content);
      to.assign(bytes.c_str(), bytes.size());
    } else {
      to = nb::cast<std::string>(content);
    }
  }
  return files;
}

namespace {

Array vector3(const Vector3& a) { return to_numpy(VectorXd(to_eigen(a))); }

Frame frame_of(const Model& model, const std::string& name) {
  if (const auto found = find_frame(model, name)) return *found;
  const std::vector<std::string> known = frame_names(model);
  throw ArgumentError("frame", "'" + name + "'" + did_you_mean(name, known), "LINK.base, LINK.tip or a marker");
}

std::vector<std::string> texts(const std::vector<Diagnostic>& diagnostics) {
  std::vector<std::string> all;
  for (const Diagnostic& diagnostic : diagnostics) all.push_back(diagnostic.text());
  return all;
}

using WrittenFiles = nb::typed<nb::dict, nb::str, nb::bytes>;
/// A robot's text and the files that it names, written while other threads go on.
nb::typed<nb::tuple, nb::str, WrittenFiles> written(const Model& model, const RobotFile* drawn) {
  WrittenRobot result;
  {
    const nb::gil_scoped_release unlocked;
    result = write_robot(model.robot(), drawn != nullptr ? drawn->visuals : std::vector<LinkVisual>());
  }
  return nb::make_tuple(nb::str(result.yaml.data(), result.yaml.size()), contents(result.files));
}

/// A robot of another program, as the file that `cuttle import` would write.
RobotFile load_imported_file(const std::string& path, const std::vector<std::string>& package_roots, bool floating,
                             const Overrides& overrides) {
  ImportOptions options;
  options.package_roots = package_roots, options.floating = floating;
  const ImportedRobot imported = import_robot(path, options);
  const WrittenRobot text = write_robot(imported.robot, imported.visuals);
  RobotFile file = load_robot_text(text.yaml, path, text.files, overrides);
  for (const ImportNote& note : imported.notes) file.warnings.push_back(note.text());
  return file;
}

std::vector<ParameterChange> changes_from(const std::map<std::string, double>& given) {
  std::vector<ParameterChange> changes;
  for (const auto& [path, value] : given) changes.push_back({path, value});
  return changes;
}

/// What includes lose, and what is odd.
std::vector<std::string> warnings_of(const RobotFile& file) {
  std::vector<std::string> all = file.notes;
  all.insert(all.end(), file.warnings.begin(), file.warnings.end());
  return all;
}

/// All of a description, its robot as text: it may have other numbers than the file.
/// @throws ModelError for a robot with parts that are functions.
nb::tuple file_state(const RobotFile& file) {
  const WrittenRobot robot = write_robot(file.robot, file.visuals);
  return nb::make_tuple(nb::str(robot.yaml.data(), robot.yaml.size()), contents(robot.files), file.path, file.yaml,
                        contents(file.files), warnings_of(file));
}

void bind_description(nb::module_& m) {
  nb::class_<RobotFile>(m, "RobotFile", doc("RobotFile"))
      .def_ro("path", &RobotFile::path, doc("RobotFile::path"))
      .def_ro("yaml", &RobotFile::yaml, doc("RobotFile::yaml"))
      .def_prop_ro(
          "files", [](const RobotFile& file) -> WrittenFiles { return nb::borrow<WrittenFiles>(contents(file.files)); },
          doc("RobotFile::files", "Contents, bytes, by their names there: meshes, networks, tables."))
      .def_prop_ro("warnings", &warnings_of, doc("RobotFile::warnings", "What an include loses comes first."))
      .def_prop_ro(
          "name", [](const RobotFile& file) { return file.robot.name; }, "of the robot")
      .def("__getstate__", &file_state)
      .def("__setstate__",
           [](RobotFile& file, const nb::tuple& state) {
             RobotFile read = load_robot_text(nb::cast<std::string>(state[0]), "a pickled robot",
                                              files_from(nb::cast<nb::dict>(state[1])));
             read.path = nb::cast<std::string>(state[2]), read.yaml = nb::cast<std::string>(state[3]);
             read.files = files_from(nb::cast<nb::dict>(state[4]));
             read.notes.clear(), read.warnings = nb::cast<std::vector<std::string>>(state[5]);
             new (&file) RobotFile(std::move(read));
           })
      .def(
          "__eq__",
          [](const RobotFile& a, const nb::object& b) {
            return answer_equal(a, b, [](const RobotFile& x, const RobotFile& y) {
              return &x == &y || file_state(x).equal(file_state(y));
            });
          },
          "other"_a.none(), nb::sig("def __eq__(self, other: object) -> bool"))
      .def("__hash__", [](const RobotFile& file) { return nb::hash(nb::str(file.robot.name.c_str())); });
  m.def("load_robot_file", &load_robot_file, "path"_a, "overrides"_a = Overrides(),
        nb::call_guard<nb::gil_scoped_release>(), doc("load_robot_file"));
  m.def(
      "read_robot_text",
      [](const std::string& text, const std::string& name, const std::optional<nb::dict>& files,
         const Overrides& overrides) {
        std::optional<FileTexts> texts;
        if (files) texts = files_from(*files);
        const nb::gil_scoped_release unlocked;
        return load_robot_text(text, name, texts, overrides);
      },
      "text"_a, "name"_a = "robot.yaml", "files"_a = nb::none(), "overrides"_a = Overrides(),
      doc("load_robot_text", "files: bytes or texts by their names; None: on the disk."));
  m.def(
      "imported_endings",
      [] {
        std::vector<std::string> endings;
        for (const ImportFormat& format : import_formats()) {
          endings.insert(endings.end(), format.endings.begin(), format.endings.end());
        }
        return endings;
      },
      "Endings of the names of files that `load_imported_file` reads.");
  m.def("load_imported_file", &load_imported_file, "path"_a, "package_roots"_a = std::vector<std::string>(),
        "floating"_a = false, "overrides"_a = Overrides(), nb::call_guard<nb::gil_scoped_release>(),
        "Reads a robot of another program: URDF, MJCF or SDF (docs/importing.md). What is lost is in its warnings.\n\n"
        "package_roots: folders that hold packages of package://NAME/..   floating: the root of a URDF moves freely.");
  m.def("write_robot", &written, "model"_a, "drawn"_a = nb::none(),
        doc("write_robot",
            "Returns the text, and the contents of the files that it names, bytes by name.\ndrawn: a description whose "
            "shapes (`visual`) are written too."));
  m.def(
      "write_robot_file",
      [](const Model& model, const std::string& path, bool replace, const RobotFile* drawn) {
        const nb::gil_scoped_release unlocked;
        write_robot_file(model.robot(), path, replace, drawn != nullptr ? drawn->visuals : std::vector<LinkVisual>());
      },
      "model"_a, "path"_a, "replace"_a = false, "drawn"_a = nb::none(),
      doc("write_robot_file", "drawn: a description whose shapes (`visual`) are written too."));
}

void bind_model(nb::module_& m) {
  by_members(nb::class_<CoordinateInfo>(m, "CoordinateInfo", doc("CoordinateInfo")))
      .def_ro("name", &CoordinateInfo::name, doc("CoordinateInfo::name"))
      .def_ro("unit", &CoordinateInfo::unit, doc("CoordinateInfo::unit"))
      .def_ro("meaning", &CoordinateInfo::meaning, doc("CoordinateInfo::meaning"))
      .def("__repr__", [](const CoordinateInfo& info) { return "<" + info.name + " [" + info.unit + "]>"; });
  by_members(nb::class_<ParameterInfo>(m, "ParameterInfo", doc("ParameterInfo")))
      .def_ro("path", &ParameterInfo::path, doc("ParameterInfo::path"))
      .def_ro("unit", &ParameterInfo::unit, doc("ParameterInfo::unit"))
      .def_ro("value", &ParameterInfo::value, doc("ParameterInfo::value"))
      .def_ro("given", &ParameterInfo::given, doc("ParameterInfo::given"))
      .def("__repr__", [](const ParameterInfo& info) {
        return "<" + info.path + " = " + std::to_string(info.value) + (info.unit.empty() ? "" : " " + info.unit) + ">";
      });
  by_members(nb::class_<Frame>(m, "Frame", doc("Frame")));
  using LinkInfo = LinkInfoT<double>;
  by_members(nb::class_<LinkInfo>(m, "LinkInfo", doc("LinkInfo")))
      .def_ro("name", &LinkInfo::name, doc("LinkInfo::name"))
      .def_ro("parent", &LinkInfo::parent, doc("LinkInfo::parent"))
      .def_ro("joint_type", &LinkInfo::joint_type, doc("LinkInfo::joint_type"))
      .def_ro("body_type", &LinkInfo::body_type, doc("LinkInfo::body_type"))
      .def_ro("q", &LinkInfo::q, doc("LinkInfo::q"))
      .def_ro("nq", &LinkInfo::nq, doc("LinkInfo::nq"))
      .def_ro("v", &LinkInfo::v, doc("LinkInfo::v"))
      .def_ro("nv", &LinkInfo::nv, doc("LinkInfo::nv"))
      .def_ro("base", &LinkInfo::base, doc("LinkInfo::base"))
      .def_ro("tip", &LinkInfo::tip, doc("LinkInfo::tip"))
      .def_prop_ro(
          "mass", [](const LinkInfo& link) { return link.rest_inertia.mass; }, "of its body [kg]");

  nb::class_<Model>(m, "Model", doc("Model"))
      .def(
          "__init__",
          [](Model* self, const RobotFile& file) {
            const nb::gil_scoped_release unlocked;
            new (self) Model(file.robot);
          },
          "file"_a, doc("Model::Model"))
      .def_prop_ro(
          "name", [](const Model& model) { return model.name(); }, doc("Model::name"))
      .def_prop_ro("nq", &Model::nq, doc("Model::nq"))
      .def_prop_ro("nv", &Model::nv, doc("Model::nv"))
      .def_prop_ro("nu", &Model::nu, doc("Model::nu"))
      .def_prop_ro(
          "links", [](const Model& model) { return model.links(); }, doc("Model::links"))
      .def("link_index", &Model::link_index, "name"_a, doc("Model::link_index"))
      .def_prop_ro(
          "configuration_info", [](const Model& model) { return model.configuration_info(); },
          doc("Model::configuration_info"))
      .def_prop_ro(
          "velocity_info", [](const Model& model) { return model.velocity_info(); }, doc("Model::velocity_info"))
      .def_prop_ro(
          "input_info", [](const Model& model) { return model.input_info(); }, doc("Model::input_info"))
      .def_prop_ro("constraint_count", &Model::constraint_count, doc("Model::constraint_count"))
      .def_prop_ro(
          "floating_base", [](const Model& model) { return model.robot().floating_base; },
          "whether its base moves freely")
      .def_prop_ro("has_elastic_bodies", &Model::has_elastic_bodies, doc("Model::has_elastic_bodies"))
      .def_prop_ro(
          "gravity", [](const Model& model) { return vector3(model.robot().gravity); },
          "world axes [m/s^2], shape (3,)")
      .def_prop_ro(
          "warnings", [](const Model& model) { return texts(model.warnings()); }, doc("Model::warnings"))
      .def(
          "neutral", [](const Model& model) { return to_numpy(model.neutral()); }, doc("Model::neutral"))
      .def(
          "base_frame",
          [](const Model& model, const std::optional<std::string>& link) {
            return link ? model.base_frame(*link) : model.base_frame();
          },
          "link"_a = nb::none(), doc("Model::base_frame", "Without a link, the frame of the robot's base."))
      .def("tip_frame", &Model::tip_frame, "link"_a, doc("Model::tip_frame"))
      .def("marker_frame", &Model::marker_frame, "marker"_a, doc("Model::marker_frame"))
      .def("frame", &frame_of, "name"_a, doc("find_frame"))
      .def(
          "frame_names", [](const Model& model) { return frame_names(model); }, doc("frame_names"))
      .def(
          "parameters", [](const Model& model) { return model.parameters(); }, doc("Model::parameters"))
      .def(
          "parameter", [](const Model& model, const std::string& path) { return model.parameter(path); }, "path"_a,
          doc("Model::parameter"))
      .def(
          "with_",
          [](const Model& model, const std::map<std::string, double>& changes) {
            return model.with(changes_from(changes));
          },
          "changes"_a, nb::call_guard<nb::gil_scoped_release>(),
          doc("Model::with", "changes: values by paths; several at once, for values that are only right together."))
      .def("__getstate__", [](const Model& model) { return written(model, nullptr); })
      .def("__setstate__",
           [](Model& model, const std::pair<std::string, nb::dict>& state) {
             const WrittenRobot robot{state.first, files_from(state.second)};
             const nb::gil_scoped_release unlocked;
             new (&model) Model(read_robot(robot, "a pickled robot"));
           })
      .def(
          "__eq__", [](const Model& a, const nb::object& b) { return answer_equal(a, b, same_robot); },
          "other"_a.none(), nb::sig("def __eq__(self, other: object) -> bool"),
          "Whether both are of the same robot: equal texts. One with functions of Python is equal to itself alone.")
      .def("__hash__",
           [](const Model& model) {
             const bool own = !own_parts_of(model.robot()).empty();
             const std::size_t hash =
                 own ? std::hash<const Model*>()(&model) : std::hash<std::string>()(write_robot(model.robot()).yaml);
             return static_cast<Py_hash_t>(hash >> 1);
           })
      .def("__copy__", [](const ModelPointer& model) { return model; })
      .def(
          "__deepcopy__", [](const ModelPointer& model, const nb::object& /*memo*/) { return model; }, "memo"_a);

  m.def(
      "integrate",
      [](const Model& model, const Numbers& q, const Numbers& dv) {
        VectorXd result(model.nq());
        integrate<double>(model, q.vector("q"), dv.vector("dv"), result);
        return to_numpy(result);
      },
      "model"_a, "q"_a, "dv"_a, doc("integrate"));
  m.def(
      "difference",
      [](const Model& model, const Numbers& q0, const Numbers& q1) {
        VectorXd result(model.nv());
        difference<double>(model, q0.vector("q0"), q1.vector("q1"), result);
        return to_numpy(result);
      },
      "model"_a, "q0"_a, "q1"_a, doc("difference"));
  m.def(
      "configuration_rate",
      [](const Model& model, const Numbers& q, const Numbers& v) {
        VectorXd result(model.nq());
        configuration_rate<double>(model, q.vector("q"), v.vector("v"), result);
        return to_numpy(result);
      },
      "model"_a, "q"_a, "v"_a, doc("configuration_rate"));
  m.def(
      "normalize",
      [](const Model& model, const Numbers& q) {
        VectorXd result = q.vector("q");
        normalize<double>(model, result);
        return to_numpy(result);
      },
      "model"_a, "q"_a, doc("normalize", "Returns the projected configuration; q stays as it is."));
}

void bind_pose(nb::module_& m) {
  by_members(nb::class_<Pose>(m, "Pose", doc("Pose")))
      .def(
          "__init__",
          [](Pose* self, const Numbers& position, const std::optional<Numbers>& rotation) {
            const auto p = position.vector("position");
            if (p.size() != 3) throw ArgumentError("position", position.shape_text(), "3 numbers [m]");
            new (self) Pose();
            self->position = {p[0], p[1], p[2]};
            if (!rotation) return;
            const auto R = rotation->rows("rotation");
            if (R.rows() != 3 || R.cols() != 3)
              throw ArgumentError("rotation", rotation->shape_text(), "a 3 x 3 matrix");
            for (int i = 0; i < 3; ++i) {
              for (int j = 0; j < 3; ++j) self->rotation(i, j) = R(i, j);
            }
          },
          "position"_a, "rotation"_a = nb::none(), "position: [m], shape (3,).   rotation: shape (3, 3); identity.")
      .def_prop_ro(
          "position", [](const Pose& pose) { return vector3(pose.position); }, "shape (3,) [m]")
      .def_prop_ro(
          "rotation", [](const Pose& pose) { return to_numpy(MatrixXd(to_eigen(pose.rotation))); }, "shape (3, 3)")
      .def_prop_ro(
          "matrix", [](const Pose& pose) { return to_numpy(MatrixXd(to_eigen(pose))); }, "homogeneous, shape (4, 4)")
      .def("__repr__", [](const Pose& pose) {
        const auto& p = pose.position;
        return "<Pose at [" + std::to_string(p.x) + ", " + std::to_string(p.y) + ", " + std::to_string(p.z) + "] m>";
      });
}

}  // namespace

void bind_robot(nb::module_& m) {
  bind_description(m);
  bind_pose(m);
  bind_model(m);
}

}  // namespace cuttle::python
