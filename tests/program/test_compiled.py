"""A file that changed after it was imported is no source of what was imported."""

from __future__ import annotations

import importlib.util
import linecache
import textwrap
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import elichika

X = np.ones((2, 3), np.float32)
MODEL = """
import chainer

SCALE = 2


def make(k):
    def scaled(x):
        return x * k
    return scaled


class Base(chainer.Chain):
    def forward(self, x):
        return x + 1


class Net(Base):
    __hidden = 3

    def forward(self, x):
        y = super().forward(x) * self.__hidden
        return make(SCALE)(y) if y.shape[1] in {1, 3} else (lambda v: v - 0.0)(y)
"""


def imported(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "model.py"
    made.write_text(textwrap.dedent(MODEL))
    return made


def compiled(module: ModuleType) -> elichika.CompiledModel:
    return elichika.compile_model(module.Net(), [X], verify=False)


def test_an_unchanged_file_is_read(path: Path) -> None:
    np.testing.assert_array_equal(compiled(imported(path))(X), np.full((2, 3), 12))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("* self", "+ self"),
        ("self.__hidden", "self.hidden__"),
        ("y.shape[1] in {1, 3}", "y.shape[1] in {1, 4}"),
        ("v - 0.0", "v - 1.0"),
        ("x * k", "x - k"),
        ("x + 1", "x + 2"),
        ("x + 1", "x + True"),
        ("SCALE = 2\n", "SCALE = 2\n\n"),
    ],
)
def test_a_changed_function_is_refused(path: Path, old: str, new: str) -> None:
    module = imported(path)
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    linecache.checkcache(str(path))
    with pytest.raises(elichika.ElichikaError, match=r"no longer holds .* as it was imported"):
        compiled(module)


def test_another_function_may_change(path: Path) -> None:
    module = imported(path)
    path.write_text(path.read_text() + "\n\ndef other():\n    return 1\n")
    linecache.checkcache(str(path))
    np.testing.assert_array_equal(compiled(module)(X), np.full((2, 3), 12))


def test_a_file_that_does_not_compile_any_more_is_refused(path: Path) -> None:
    module = imported(path)
    path.write_text(path.read_text() + "\n\ndef other(:\n")
    linecache.checkcache(str(path))
    with pytest.raises(elichika.ElichikaError, match="cannot be read"):
        compiled(module)


def test_what_pytest_rewrote_is_read() -> None:
    import chainer

    class Checked(chainer.Chain):
        def forward(self, x):
            assert x.shape[0] == 2
            return x + x

    model = elichika.compile_model(Checked(), [X], verify=False)
    np.testing.assert_array_equal(model(X), X + X)
