"""Validates YAML files against JSON Schemas, for the tests of the file format.

Reads lines "SCHEMA FILE" from standard input and prints a line each: "ok", or the first mistake. YAML is read by the
core schema of YAML 1.2, as editors do.
"""
import json
import re
import sys

import jsonschema
import yaml


class Yaml12Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """PyYAML with the numbers, booleans and nulls of YAML 1.2."""


Yaml12Loader.yaml_implicit_resolvers = {}
for tag, pattern, first in [
    ("bool", r"^(true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("null", r"^(~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("int", r"^([-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$", "-+0123456789"),
    ("float", r"^([-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$",
     "-+.0123456789"),
]:
    Yaml12Loader.add_implicit_resolver("tag:yaml.org,2002:" + tag, re.compile(pattern), list(first))


def construct_int(loader, node):
    text = loader.construct_scalar(node)
    return int(text, 0) if text[:2] in ("0o", "0x") else int(text)


Yaml12Loader.add_constructor("tag:yaml.org,2002:int", construct_int)
Yaml12Loader.add_constructor("tag:yaml.org,2002:float",
                             lambda loader, node: float(re.sub(r"\.(?=inf|nan)", "", loader.construct_scalar(node).lower())))

validators = {}
for line in sys.stdin:
    schema_path, file_path = line.split()
    if schema_path not in validators:
        with open(schema_path) as file:
            schema = json.load(file)
        jsonschema.Draft202012Validator.check_schema(schema)
        validators[schema_path] = jsonschema.Draft202012Validator(schema)
    with open(file_path) as file:
        value = yaml.load(file, Yaml12Loader)
    error = next(validators[schema_path].iter_errors(value), None)
    print("ok" if error is None else f"{error.json_path}: {error.message}".replace("\n", " "))
