"""`elichika ops`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from elichika.cli import app


def run(*words: str) -> Any:
    return CliRunner().invoke(app, ["ops", *words])


@pytest.mark.parametrize("format", ["text", "md"])
def test_a_file_holds_what_is_printed(format: str, tmp_path: Path) -> None:
    words = ["F.relu", "L.Scale", "--format", format]
    printed = run(*words)
    assert printed.exit_code == 0 and "F.relu" in printed.stdout and "L.Scale" in printed.stdout
    written = run(*words, "--output", str(tmp_path / "ops"))
    assert written.exit_code == 0 and written.stdout == ""
    assert (tmp_path / "ops").read_text() == printed.stdout
    assert len(list(tmp_path.iterdir())) == 1


def test_json_for_scripts() -> None:
    found = json.loads(run("relu", "F.packbits", "--json").stdout)
    assert found["exit_code"] == 2 and "F.packbits" in found["errors"][0]["message"]
    found = json.loads(run("relu", "F.tanh", "--json").stdout)
    assert [(row["name"], row["status"]) for row in found["names"]] == [
        ("F.relu", "supported"),
        ("F.tanh", "supported"),
    ]
    assert run("relu", "--json", "-o", "ops").exit_code == 2


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    result = run("F.relu", "--output", str(tmp_path / "nowhere" / "ops"))
    assert result.exit_code == 2 and "there is no folder" in result.stderr


def test_a_name_that_is_not_there() -> None:
    result = run("F.no_such")
    assert result.exit_code == 2 and "`F.no_such` is not a public name of Chainer" in result.stderr
