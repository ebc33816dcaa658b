#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>

#include "bindings.h"
#include "cuttle/error.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/io/robot_text.h"
#include "cuttle/io/robot_writer.h"
#include "cuttle/model/frame_names.h"
#include "cuttle/model/parameters.h"
#include "cuttle/model/spelling.h"
#include "cuttle/spatial/eigen.h"

namespace cuttle::python {
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

std::vector<ParameterChange> changes_from(const std::map<std::string, double>& given) {
  std::vector<ParameterChange> changes;
  for (const auto& [path, value] : given) changes.push_back({path, value});
  return changes;
}

void bind_description(nb::module_& m) {
  nb::class_<RobotFile>(m, "RobotFile", "A robot as described in a file or text: what a Model is made of.")
      .def_ro("path", &RobotFile::path, "as given")
      .def_ro("yaml", &RobotFile::yaml, "its text; overrides stand at its end as comments")
      .def_ro("files", &RobotFile::files, "texts of the files that it names: meshes, networks, tables")
      .def_ro("warnings", &RobotFile::warnings, "FILE:LINE:COLUMN: key: what is odd")
      .def_prop_ro("name", [](const RobotFile& file) { return file.robot.name; });
  m.def("load_robot_file", &load_robot_file, "path"_a, "overrides"_a = Overrides(),
        "Reads and checks a robot file (docs/format.md).\n\n"
        "overrides: texts PATH=VALUE, as `--set` of the command takes them, as 'robot.gravity[2]=-1.62'.\n"
        "Raises FileError with all errors found, a line each: FILE:LINE:COLUMN: key: found X, expected Y.");
  m.def(
      "read_robot_text",
      [](const std::string& text, const std::string& name, const std::optional<FileTexts>& files,
         const Overrides& overrides) { return load_robot_text(text, name, files, overrides); },
      "text"_a, "name"_a = "robot.yaml", "files"_a = nb::none(), "overrides"_a = Overrides(),
      "The same of a text. Other files that it names are those of `files`, by their names there, or, without it, on "
      "the\n"
      "disk in the folder of `name`, which stands for the file in messages.");
  m.def(
      "write_robot",
      [](const Model& model, const RobotFile* drawn) {
        const WrittenRobot written =
            write_robot(model.robot(), drawn != nullptr ? drawn->visuals : std::vector<LinkVisual>());
        return std::pair(written.yaml, written.files);
      },
      "model"_a, "drawn"_a = nb::none(),
      "The robot as the text of a robot file, and the texts of the files that it names. It reads back equal.\n\n"
      "drawn: whose shapes (`visual`) are written too.\n"
      "Raises ModelError for a robot with a part without text, as a function.");
  m.def(
      "write_robot_file",
      [](const Model& model, const std::string& path, bool replace, const RobotFile* drawn) {
        write_robot_file(model.robot(), path, replace, drawn != nullptr ? drawn->visuals : std::vector<LinkVisual>());
      },
      "model"_a, "path"_a, "replace"_a = false, "drawn"_a = nb::none(),
      "The same into files: the robot at `path`, what it names beside it.\n"
      "Raises FileError if there is such a file, unless `replace`.");
}

void bind_model(nb::module_& m) {
  nb::class_<CoordinateInfo>(m, "CoordinateInfo", "Name and unit of a number of a state.")
      .def_ro("name", &CoordinateInfo::name)
      .def_ro("unit", &CoordinateInfo::unit)
      .def("__repr__", [](const CoordinateInfo& info) { return "<" + info.name + " [" + info.unit + "]>"; });
  nb::class_<ParameterInfo>(m, "ParameterInfo", "A number of a robot's description.")
      .def_ro("path", &ParameterInfo::path, "as links.arm.body.length")
      .def_ro("unit", &ParameterInfo::unit, "empty: none")
      .def_ro("value", &ParameterInfo::value)
      .def_ro("given", &ParameterInfo::given, "False: the description leaves it out, and this is the default")
      .def("__repr__", [](const ParameterInfo& info) {
        return "<" + info.path + " = " + std::to_string(info.value) + (info.unit.empty() ? "" : " " + info.unit) + ">";
      });
  nb::class_<Frame>(m, "Frame", "A frame of a robot: of a model, for its algorithms.");
  using LinkInfo = LinkInfoT<double>;
  nb::class_<LinkInfo>(m, "LinkInfo", "What there is to know of a link.")
      .def_ro("name", &LinkInfo::name)
      .def_ro("parent", &LinkInfo::parent, "index of the parent link; -1: base")
      .def_ro("joint_type", &LinkInfo::joint_type)
      .def_ro("body_type", &LinkInfo::body_type)
      .def_ro("q", &LinkInfo::q, "first of its coordinates in the configuration: joint, then body")
      .def_ro("nq", &LinkInfo::nq)
      .def_ro("v", &LinkInfo::v, "and in the velocity")
      .def_ro("nv", &LinkInfo::nv)
      .def_ro("base", &LinkInfo::base)
      .def_ro("tip", &LinkInfo::tip)
      .def_prop_ro(
          "mass", [](const LinkInfo& link) { return link.rest_inertia.mass; }, "of its body [kg]");

  nb::class_<Model>(
      m, "Model",
      "A robot, checked and ready for the algorithms. Const: share it between threads, each with its own Data.\n"
      "Coordinates: floating base first, then links in file order, joint before body.")
      .def(
          "__init__", [](Model* self, const RobotFile& file) { new (self) Model(file.robot); }, "file"_a,
          "Raises ModelError: link, key, what was found, what was expected.")
      .def_prop_ro("name", [](const Model& model) { return model.name(); })
      .def_prop_ro("nq", &Model::nq, "size of a configuration")
      .def_prop_ro("nv", &Model::nv, "size of a velocity")
      .def_prop_ro("nu", &Model::nu, "number of actuator inputs")
      .def_prop_ro("links", [](const Model& model) { return model.links(); })
      .def("link_index", &Model::link_index, "name"_a)
      .def_prop_ro(
          "configuration_info", [](const Model& model) { return model.configuration_info(); }, "nq names and units")
      .def_prop_ro(
          "velocity_info", [](const Model& model) { return model.velocity_info(); }, "nv")
      .def_prop_ro(
          "input_info", [](const Model& model) { return model.input_info(); }, "nu")
      .def_prop_ro("constraint_count", &Model::constraint_count, "rows of all closed loops")
      .def_prop_ro("floating_base", [](const Model& model) { return model.robot().floating_base; })
      .def_prop_ro("has_elastic_bodies", &Model::has_elastic_bodies)
      .def_prop_ro(
          "gravity", [](const Model& model) { return vector3(model.robot().gravity); },
          "world axes [m/s^2], shape (3,)")
      .def_prop_ro("warnings", [](const Model& model) { return texts(model.warnings()); })
      .def(
          "neutral", [](const Model& model) { return to_numpy(model.neutral()); },
          "Configuration of zeros, identity for rotations, shape (nq,).")
      .def(
          "base_frame",
          [](const Model& model, const std::optional<std::string>& link) {
            return link ? model.base_frame(*link) : model.base_frame();
          },
          "link"_a = nb::none(), "Of a link; without one, of the robot.")
      .def("tip_frame", &Model::tip_frame, "link"_a)
      .def("marker_frame", &Model::marker_frame, "marker"_a)
      .def("frame", &frame_of, "name"_a, "By name: LINK.base, LINK.tip or a marker.")
      .def("frame_names", [](const Model& model) { return frame_names(model); })
      .def(
          "parameters", [](const Model& model) { return model.parameters(); },
          "The real numbers that describe the robot, in the order of the file.")
      .def(
          "parameter", [](const Model& model, const std::string& path) { return model.parameter(path); }, "path"_a)
      .def(
          "with_",
          [](const Model& model, const std::map<std::string, double>& changes) {
            return model.with(changes_from(changes));
          },
          "changes"_a, nb::call_guard<nb::gil_scoped_release>(),
          "A copy with other values, by path, read and checked as if they stood in the file.\n"
          "Raises ArgumentError for an unknown path, ModelError for values that the file could not have either.")
      .def("__getstate__",
           [](const Model& model) {
             const WrittenRobot written = write_robot(model.robot());
             return std::pair(written.yaml, written.files);
           })
      .def("__setstate__",
           [](Model& model, const std::pair<std::string, FileTexts>& state) {
             new (&model) Model(read_robot({state.first, state.second}, "a pickled robot"));
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
      "model"_a, "q"_a, "dv"_a,
      "Configuration (nq,) reached from q (nq,) by the tangent vector dv (nv,), as v dt: addition, or the exponential "
      "on\n"
      "rotations.");
  m.def(
      "difference",
      [](const Model& model, const Numbers& q0, const Numbers& q1) {
        VectorXd result(model.nv());
        difference<double>(model, q0.vector("q0"), q1.vector("q1"), result);
        return to_numpy(result);
      },
      "model"_a, "q0"_a, "q1"_a, "dv (nv,) with integrate(q0, dv) = q1.");
  m.def(
      "configuration_rate",
      [](const Model& model, const Numbers& q, const Numbers& v) {
        VectorXd result(model.nq());
        configuration_rate<double>(model, q.vector("q"), v.vector("v"), result);
        return to_numpy(result);
      },
      "model"_a, "q"_a, "v"_a, "dq/dt (nq,) of a velocity v (nv,).");
  m.def(
      "normalize",
      [](const Model& model, const Numbers& q) {
        VectorXd result = q.vector("q");
        normalize<double>(model, result);
        return to_numpy(result);
      },
      "model"_a, "q"_a, "q with quaternions of unit norm.");
}

void bind_pose(nb::module_& m) {
  nb::class_<Pose>(m, "Pose", "Pose of a frame in the world: p_world = rotation p_frame + position.")
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
          "position"_a, "rotation"_a = nb::none())
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
