"""The README's Python is executed as it stands, in one namespace, in an empty folder."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

README = Path(__file__).parents[1] / "README.md"


def test_the_examples_of_the_readme_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = README.read_text()
    blocks = list(re.finditer(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
    assert len(blocks) == 2
    monkeypatch.chdir(tmp_path)
    namespace = ModuleType("readme").__dict__
    for block in blocks:
        # Blank lines keep the README's line numbers in tracebacks and in the compiler's errors.
        source = "\n" * text[: block.start(1)].count("\n") + block.group(1)
        np.random.seed(0)
        exec(compile(source, str(README), "exec"), namespace)
    assert (tmp_path / "encoder.onnx").exists()
