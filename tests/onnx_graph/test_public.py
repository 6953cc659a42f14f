"""The package is usable alone, and says what it offers."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import onnx_graph

PACKAGE = Path(onnx_graph.__file__).parent
#: `typing_extensions` is imported for the type checker alone.
ALLOWED = {"numpy", "onnx", "onnx_graph", "onnx_ir", "onnx_shape_inference", "onnxruntime"} | {
    "typing_extensions"
}
STANDARD = {
    "__future__",
    "ast",
    "collections",
    "contextlib",
    "dataclasses",
    "functools",
    "hashlib",
    "importlib",
    "itertools",
    "json",
    "logging",
    "math",
    "os",
    "pathlib",
    "re",
    "secrets",
    "sys",
    "threading",
    "types",
    "typing",
}


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.stem)
def test_imports(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names = [node.module or ""]
        for name in names:
            assert name.partition(".")[0] in ALLOWED | STANDARD


def test_public_names() -> None:
    assert sorted(onnx_graph.__all__) == onnx_graph.__all__
    for name in onnx_graph.__all__:
        assert getattr(onnx_graph, name).__doc__
    assert (PACKAGE / "py.typed").exists()
