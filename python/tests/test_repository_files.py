"""Files that only others' machines read, against their schemas, which come with check-jsonschema: nothing is fetched."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = {
    "vendor.github-workflows": sorted((ROOT / ".github" / "workflows").glob("*.yml")),
    "vendor.github-issue-forms": [p for p in sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")) if p.stem != "config"],
    "vendor.github-issue-config": [ROOT / ".github" / "ISSUE_TEMPLATE" / "config.yml"],
    "vendor.citation-file-format": [ROOT / "CITATION.cff"],
}


def check(schema, files):
    pytest.importorskip("check_jsonschema")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize("schema", FILES)
def test_files_are_as_their_schemas_ask(schema):
    assert FILES[schema]
    found = check(schema, FILES[schema])
    assert found.returncode == 0, found.stdout + found.stderr


def test_a_wrong_workflow_is_found(tmp_path):
    workflow = (ROOT / ".github" / "workflows" / "site.yml").read_text().replace("runs-on:", "run-on:", 1)
    (tmp_path / "site.yml").write_text(workflow)
    assert check("vendor.github-workflows", [tmp_path / "site.yml"]).returncode != 0
