"""What `inspect.signature` says of functions, methods and classes of C++: names, kinds, defaults."""

import inspect

import numpy
import pytest

import cuttle
from cuttle import _signatures


def test_functions_have_the_names_and_defaults_that_a_call_takes():
    made = inspect.signature(cuttle.inverse_dynamics)
    assert list(made.parameters) == ["model", "data", "q", "v", "a", "external"]
    assert made.parameters["external"].default is None
    assert made.parameters["q"].default is inspect.Parameter.empty
    # what binds by the signature is what the function takes
    robot = cuttle.load(cuttle.example("pendulum"))
    model, zero = robot.model, numpy.zeros(robot.model.nv)
    bound = made.bind(model, cuttle.Data(model), q=zero, v=zero, a=zero)
    assert cuttle.inverse_dynamics(*bound.args, **bound.kwargs).shape == (model.nv,)
    with pytest.raises(TypeError):
        made.bind(model)


def test_methods_and_classes_too():
    assert list(inspect.signature(cuttle.Model.tip_frame).parameters) == ["self", "link"]
    assert list(inspect.signature(cuttle.Model).parameters) == ["file"]
    assert list(inspect.signature(cuttle.Data).parameters) == ["model"]


def test_every_public_function_has_one():
    for name in cuttle.__all__:
        part = getattr(cuttle, name)
        if callable(part) and not isinstance(part, type):
            inspect.signature(part)


def test_declarations_are_read_as_python_reads_them():
    text = "def f(self, a: dict[str, tuple[int, int]], /, b: float = 0.5, *args, c: str = \\1, **more) -> list[int]"
    made = _signatures.signature([(text, "", (None, "x"))])
    plain = {}
    exec("def f(self, a, /, b='0.5', *args, c='x', **more): ...", plain)
    expected = inspect.signature(plain["f"])
    assert [(p.name, p.kind, p.default) for p in made.parameters.values()] == [
        (p.name, p.kind, p.default) for p in expected.parameters.values()
    ]
    assert made.return_annotation == "list[int]"
