"""What help() says: docstrings made from the comments of the C++ headers, and that none is missing."""

import inspect
import re
import sys
from pathlib import Path

import pytest

import cuttle
from cuttle import _core

SCRIPTS = Path(__file__).parents[2] / "scripts"


def described(thing):
    """(signature, text) of each overload of a function of C++."""
    return [(entry[0], entry[1] or "") for entry in thing.__nb_signature__]


def public_members(owner):
    return [(name, thing) for name, thing in vars(owner).items() if not name.startswith("_")]


def everything():
    """What one may call or read of the extension module: (name, object)."""
    for name, thing in public_members(_core):
        if inspect.isclass(thing):
            yield name, thing
            for member, inner in public_members(thing):
                yield f"{name}.{member}", inner
        elif callable(thing):
            yield name, thing


FUNCTIONS = [(name, thing) for name, thing in everything() if hasattr(thing, "__nb_signature__")]


def test_all_of_it_is_looked_at():
    assert len(FUNCTIONS) > 80 and len(list(everything())) > 200


def test_everything_public_has_a_docstring():
    silent = []
    for name, thing in everything():
        texts = [text for _, text in described(thing)] if hasattr(thing, "__nb_signature__") else [thing.__doc__ or ""]
        silent += [name] if not all(text.strip() for text in texts) else []
    assert silent == []


def test_parameters_of_a_docstring_are_those_of_the_signature():
    unknown = []
    for name, thing in FUNCTIONS:
        for signature, text in described(thing):
            block = re.search(r"^Parameters\n-+\n(.*?)(?=\n\n|\Z)", text, re.M | re.S)
            for parameter in re.findall(r"\w+", " ".join(re.findall(r"^\w.*$", block[1], re.M)) if block else ""):
                unknown += [] if re.search(rf"\b{parameter}\b *:", signature) else [(name, parameter)]
    assert unknown == []


@pytest.mark.parametrize("name, words", [
    ("inverse_dynamics", ["shape (nq,)", "shape (nv,)", "N m or N", "cuttle.ArgumentError", "cuttle.OverflowError"]),
    ("inertial_inverse_dynamics", ["shape (nv,)", "[N m or N]", "cuttle.ArgumentError"]),
    ("mass_inverse_dynamics", ["shape (nv, nv)", "cuttle.ArgumentError"]),
    ("mass_matrix", ["shape (nv, nv)", "shape (nq,)", "cuttle.ArgumentError"]),
    ("coriolis_force", ["shape (nv,)", "[N m or N]", "cuttle.ArgumentError"]),
    ("gravity_force", ["shape (nv,)", "[N m or N]", "cuttle.ArgumentError"]),
    ("elastic_force", ["shape (nv,)", "[N m or N]", "cuttle.ArgumentError"]),
    ("damping_force", ["shape (nv,)", "[N m or N]", "cuttle.ArgumentError"]),
    ("forward_dynamics", ["shape (nv,)", "[rad/s^2 or m/s^2]", "cuttle.SingularMassError"]),
    ("forward_kinematics", ["shape (nq,)", "world", "cuttle.ArgumentError"]),
    ("frame_jacobian", ["shape (6, nv)", "own axes", "angular rows first", "cuttle.ArgumentError"]),
    ("kinetic_energy", ["[J]", "shape (nv,)", "cuttle.ArgumentError"]),
    ("momentum", ["world axes", "[kg m^2/s, kg m/s]"]),
    ("actuation_matrix", ["shape (nv, nu)", "cuttle.ArgumentError"]),
    ("actuation_coordinates", ["shape (nu,)", "[rad or m]", "[m^3]"]),
    ("constraint_jacobian", ["shape (m, nv)", "cuttle.ArgumentError"]),
    ("inverse_dynamics_derivatives", ["(nv, nv)", "shape (nu,)", "cuttle.ArgumentError"]),
    ("coriolis_matrix", ["shape (nv, nv)", "cuttle.ArgumentError"]),
    ("integrate", ["shape (nq,)", "shape (nv,)"]),
    ("load_robot_file", ["FILE:LINE:COLUMN", "cuttle.FileError"]),
    ("read_robot_text", ["overrides", "cuttle.FileError"]),
    ("write_robot_file", ["replace", "cuttle.ModelError", "cuttle.FileError"]),
    ("load_scenario_file", ["cuttle.FileError"]),
    ("sensitivities", ["[m/s]", "world axes", "[s]", "cuttle.ArgumentError", "cuttle.SimulationError"]),
    ("static_equilibrium", ["shape (nq,)", "shape (nu,)", "[s]", "cuttle.StaticsError"]),
    ("modes", ["shape (nu,)", "cuttle.SingularMassError"]),
    ("Model.with_", ["cuttle.ArgumentError", "cuttle.ModelError"]),
    ("Model.link_index", ["cuttle.ArgumentError"]),
    ("Kinematics.velocity_of", ["own axes", "[rad/s, m/s]", "cuttle.ArgumentError"]),
    ("Batch.inverse_dynamics", ["shape (robots, nv)", "cuttle.ArgumentError"]),
    ("Batch.rollout", ["shape (robots, nq)", "(robots, intervals, nu)", "cuttle.ArgumentError"]),
    ("InverseKinematics.solve", ["shape (nq,)", "cuttle.SimulationError"]),
])  # fmt: skip
def test_central_functions_tell_shapes_units_and_errors(name, words):
    thing = _core
    for part in name.split("."):
        thing = getattr(thing, part)
    text = " ".join("\n".join(text for _, text in described(thing)).split())
    assert [word for word in words if word not in text] == []


def test_errors_that_docstrings_name_are_there():
    named = {error for _, thing in FUNCTIONS for _, text in described(thing)
             for error in re.findall(r"^cuttle\.(\w+)$", text, re.M)}  # fmt: skip
    assert len(named) > 4 and all(issubclass(getattr(cuttle, error), cuttle.Error) for error in named)


def test_no_words_of_cpp():
    for name, thing in FUNCTIONS:
        for _, text in described(thing):
            assert not re.search(r"\b\w+::\w|VectorXd|MatrixXd|nullptr|std::|\.h\b|@\w+", text), (name, text)


HEADER = """
#pragma once
namespace CUTTLE_API cuttle {

/// What lies on a table.
/// @code
/// Table table(3);
/// @endcode
template <typename S>
class TableT {
 public:
  /// @throws ModelError if it has no legs.
  explicit TableT(int legs);
  int legs() const { return legs_; }  ///< how many, {not} none
  double width = 1.0, depth{2.0};     ///< [m]
  VectorXT<S> load;                   ///< nv, on its legs [N]
  std::map<int, double> spans{};      // no docstring
  /// A copy, as TableT::legs; null: none. @throws as push.
  TableT with(const std::string& path = "a, b", double value = 0.0) const;
  bool operator<(const TableT& other) const;
  enum class Kind { round, square };  ///< of its top

 private:
  int legs_ = 0;  ///< not for users
};
using Table = TableT<double>;

/// Push.
template <typename S>
void push(const TableT<S>& table);
/// Pushes it, M q x nv (see cuttle/table.h), nv x nv matrices.
/// @param q, v  positions, size nq, and VectorXd velocities.   @param force  world axes [N],
/// of size nv.
/// @return data.tau, size nv; valid until the next call.
/// @throws ArgumentError, here and below, if a size is wrong; OverflowError if it is
/// too far.
/// Cost O(nv). Allocates nothing.
template <typename S>
CUTTLE_API const VectorXT<S>& push(const TableT<S>& table, VectorInT<S> q = {1.0, 2.0}) {
  return table.load;
}
void silent();
}  // namespace cuttle
"""


@pytest.fixture
def script(monkeypatch):
    if not (SCRIPTS / "make_docstrings.py").exists():
        pytest.skip("needs the sources")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(str(SCRIPTS))
    import make_docstrings

    return make_docstrings


def test_the_script_reads_a_header(script):
    made = script.docstrings([HEADER])
    assert list(made) == ["Table", "Table::Kind", "Table::Table", "Table::depth", "Table::legs", "Table::load",
                          "Table::width", "Table::with", "push"]  # fmt: skip
    assert made["Table"] == "What lies on a table."
    assert made["Table::Table"] == "Raises\n------\ncuttle.ModelError\n    if it has no legs."
    assert made["Table::legs"] == "how many, {not} none"
    assert made["Table::width"] == made["Table::depth"] == "[m]"
    assert made["Table::load"] == "shape (nv,), on its legs [N]"
    assert made["Table::Kind"] == "of its top"
    assert made["Table::with"].startswith("A copy, as Table.legs; None: none.\n\nRaises\n------\ncuttle.ArgumentError")
    assert made["push"] == (
        "Pushes it, M q x nv, (nv, nv) matrices. Cost O(nv).\n\n"
        "Parameters\n----------\nq, v\n    positions, shape (nq,), and array velocities.\n"
        "force\n    world axes [N], of shape (nv,).\n\n"
        "Returns\n-------\narray, shape (nv,).\n\n"
        "Raises\n------\ncuttle.ArgumentError\n    if a size is wrong.\n"
        "cuttle.OverflowError\n    if it is too far."
    )


def test_the_script_writes_a_sorted_table_and_keeps_what_is_the_same(script, tmp_path, monkeypatch):
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "table.h").write_text(HEADER, encoding="utf-8")
    output = tmp_path / "out" / "docstrings.h"
    monkeypatch.setattr(sys, "argv", ["make_docstrings.py", str(tmp_path / "include"), "--output", str(output)])
    script.main()
    names = re.findall(r'^    \{"([\w:]+)", R"doc\(', output.read_text(encoding="utf-8"), re.M)
    assert names == sorted(names) and "Table::with" in names
    before = output.stat().st_mtime_ns
    script.main()
    assert output.stat().st_mtime_ns == before
