"""The dataclasses of cuttle.parts: those of the schema, complete for all shipped robots, and as good as dictionaries."""

import copy
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import cuttle
from cuttle import parts

ROOT = Path(__file__).resolve().parents[2]
ENDINGS = {"actuators": "Actuator", "elements": "Element", "loads": "Load", "loops": "Loop", "sensors": "Sensor"}


def camel(word):
    return "".join(part.capitalize() for part in word.split("_"))


def made(class_name, keys, kind="type"):
    """The part with these keys."""
    fields = {key + "_" if key in ("from",) else key: value for key, value in keys.items() if key != kind}
    return getattr(parts, class_name)(**fields)


def link_of(keys):
    keys = dict(keys)
    if isinstance(keys.get("joint"), dict):
        keys["joint"] = made(camel(keys["joint"]["type"]) + "Joint", keys["joint"])
    if isinstance(keys.get("body"), dict):
        body = dict(keys["body"])
        if isinstance(body.get("section"), dict):
            body["section"] = made(camel(body["section"]["shape"]) + "Section", body["section"], "shape")
        keys["body"] = made(camel(body["type"]) + "Body", body)
    return parts.Link(**keys)


def test_is_what_the_script_makes_of_the_schema():
    made_now = subprocess.run([sys.executable, ROOT / "scripts/make_parts.py", ROOT / "docs/schema/cuttle-robot.schema.json"],
                              capture_output=True, text=True, check=True).stdout
    assert (ROOT / "python/cuttle/parts.py").read_text() == made_now


ROBOTS = [path for path in sorted((ROOT / "models").rglob("*.yaml")) if "_scenario" not in path.name]


@pytest.mark.parametrize("path", ROBOTS, ids=lambda path: path.stem)
def test_has_every_key_of_shipped_robots(path):
    keys = yaml.safe_load(path.read_text())
    described = copy.deepcopy(keys)
    described["links"] = [link_of(link) for link in described["links"]]
    described["materials"] = {name: parts.Material(**m) for name, m in described.get("materials", {}).items()}
    if not described["materials"]:
        del described["materials"]
    for section, ending in ENDINGS.items():
        if section in described:
            described[section] = [made(camel(part["type"]) + ending, part) for part in described[section]]
    if "markers" in described:
        described["markers"] = [parts.Marker(**marker) for marker in described["markers"]]
    del described["cuttle"]
    robot = parts.RobotFile(**described)

    def plain(part):
        if isinstance(part, parts.Part) or isinstance(part, dict):
            return {key: plain(part[key]) for key in part}
        return [plain(item) for item in part] if isinstance(part, list) else part

    assert {"cuttle": 1, **plain(robot)} == keys


def test_makes_the_same_robot_as_a_dictionary():
    body = parts.RodBody(0.3, section=parts.CircleSection([0.02, 0.01]), material="silicone", strain="pcc")
    arm = parts.RobotFile(
        name="arm",
        materials={"silicone": parts.Material(density=1070, young_modulus=5e5)},
        links=[parts.Link("finger", joint=parts.RevoluteJoint(axis=[0, 1, 0]), body=body)],
        actuators=[parts.JointActuator("motor", "finger")],
    )
    robot = cuttle.Robot.from_dict(arm)
    assert robot.inputs == ["motor"]
    assert robot.parameters()["links.finger.body.length"].value == 0.3
    keys = yaml.safe_load(robot.to_yaml())
    assert keys["links"][0]["body"]["section"] == {"shape": "circle", "radius": [0.02, 0.01]}
    longer = copy.copy(body)
    longer.length = 0.4
    assert longer["length"] == 0.4 and body["length"] == 0.3


def test_says_what_is_wrong_as_a_file_does():
    wrong = parts.Link("finger", body=parts.RodBody(-0.3, section=parts.CircleSection(0.02), material="nothing"))
    with pytest.raises(cuttle.FileError) as caught:
        cuttle.Robot.from_dict(parts.RobotFile(links=[wrong]))
    text = str(caught.value)
    assert "links[0].body.length: found -0.3, expected a number >= 1e-09 [m]" in text and "nothing" in text
    with pytest.raises(TypeError, match="raduis"):
        parts.CircleSection(raduis=0.1)


def test_leaves_out_what_is_not_given():
    joint = parts.RevoluteJoint(damping=0.1)
    assert dict(joint) == {"type": "revolute", "damping": 0.1} and len(joint) == 2
    assert dict(parts.RampSignal(0, 1, 2, from_=0.5)) == {"type": "ramp", "start": 0, "end": 1, "to": 2, "from": 0.5}
    with pytest.raises(KeyError):
        joint["axis"]
