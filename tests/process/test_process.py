"""What a compile finds in its process: other threads, modules that are not whole."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

NET = """
import sys, threading, types
import numpy as np
import elichika
import chainer
import chainer.functions as F

class Net(chainer.Chain):
    def forward(self, x, n):
        for i in range(n):
            x = F.relu(x) - i
        return x if x.array.sum() > 0 else -x

def compiled(**options):
    x = np.arange(4, dtype=np.float32)
    return elichika.compile_model(Net(), [x, 3], dynamic_axes="size", **options)

def require_right(model):
    x = np.arange(5, dtype=np.float32)
    np.testing.assert_array_equal(model(x, 2), Net()(x, 2).array)
"""

THREADS = """
failed, ready = [], threading.Barrier(8)

def one():
    try:
        ready.wait()
        model = compiled()
        require_right(model.on(RUNTIME) if RUNTIME else model)
    except BaseException as error:
        failed.append(f"{type(error).__name__}: {error}")

threads = [threading.Thread(target=one) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not failed, failed
"""

#: What a program may have under the name of chainercv.
CHAINERCV = {
    "a module of its own": "sys.modules['chainercv'] = types.ModuleType('chainercv')",
    "nothing, and that is said": "sys.modules['chainercv'] = None",
    "a part": """
for name in ("chainercv", "chainercv.links", "chainercv.transforms.image.resize"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["chainercv.links"].FeaturePredictor = type("FeaturePredictor", (), {})
""",
    "an import that failed": """
class Broken:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("chainercv."):
            raise ImportError(f"cannot import {name}")
sys.meta_path.insert(0, Broken())
sys.modules["chainercv"] = types.ModuleType("chainercv")
""",
    "names that are looked for when asked": """
class Lazy(types.ModuleType):
    def __getattr__(self, name):
        raise ImportError(f"{name} is not here")
for name in ("chainercv", "chainercv.links", "chainercv.utils.bbox.non_maximum_suppression"):
    sys.modules[name] = Lazy(name)
""",
    "mocks": """
from unittest.mock import MagicMock
for name in ("chainercv", "chainercv.links", "chainercv.transforms.image.resize"):
    sys.modules[name] = MagicMock()
""",
}

FORGET = """
for name in [name for name in sys.modules if name.split(".")[0] == "chainercv"]:
    del sys.modules[name]
"""

Run = Callable[..., None]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run a program in a new process, which must end well."""

    def run(*parts: str) -> None:
        program = tmp_path / "program.py"
        program.write_text("\n".join(parts))
        command = [sys.executable, "-W", "ignore", str(program)]
        settings = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, env=settings, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    return run


def test_the_first_compiles_of_a_process_are_in_eight_threads(run: Run) -> None:
    run(NET, "RUNTIME = None", THREADS)


def test_so_is_the_first_compile_where_a_thread_imports_onnxruntime_itself(run: Run) -> None:
    run(
        NET,
        "RUNTIME = None",
        "threading.Thread(target=__import__, args=('onnxruntime',)).start()",
        THREADS,
    )


def test_eight_threads_use_another_runtime_first(run: Run) -> None:
    pytest.importorskip("openvino")
    run(NET, "RUNTIME = 'openvino'", THREADS)


def test_what_else_has_the_name_of_chainercv_is_let_be(run: Run) -> None:
    """One after another, each twice; what went before is forgotten."""
    parts = []
    for what, program in CHAINERCV.items():
        parts += [f"# {what}", program, "for _ in range(2):\n    require_right(compiled())", FORGET]
    run(NET, *parts)
