"""What Chainer needs is supplied where it is missing, and only there; in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from elichika.process import compat

ROOT = Path(__file__).parents[2]

#: Makes of this system one without the modules and the names that newer ones lack.
NEWER = """
import sys
import numpy as np

class Gone:
    def find_spec(self, name, path=None, target=None):
        if name.startswith(("numpy.distutils", "pkg_resources")):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Gone())
if hasattr(np, "sctypes"):
    del np.sctypes
"""

COMPILE = """
import chainer
import chainer.functions as F
import elichika

class Resize(chainer.Chain):
    def forward(self, x):
        h = F.resize_images(x, (6, 6))
        return h * 2 if h.array.sum() > 0 else h - x.astype(np.float).mean()

x = np.ones((2, 3, 4, 4), "f")
model = elichika.compile_model(Resize(), x, dynamic_axes="batch")
assert model(-x[:1]).shape == (1, 3, 6, 6)
"""


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run a program in a new process."""

    def run(*parts: str) -> subprocess.CompletedProcess[str]:
        program = tmp_path / "program.py"
        program.write_text("\n".join(parts))
        command = [sys.executable, "-W", "ignore", str(program)]
        paths = {**os.environ, "PYTHONPATH": str(ROOT)}
        return subprocess.run(command, env=paths, capture_output=True, text=True, check=False)

    return run


@pytest.mark.filterwarnings("ignore:.*deprecated alias:DeprecationWarning")  # numpy 1.23
def test_names_of_numpy_that_chainer_and_its_users_need() -> None:
    for name, value in compat.NUMPY_NAMES.items():
        assert np.dtype(getattr(np, name)) == np.dtype(value)
    assert set(np.sctypes) == {"int", "uint", "float", "complex", "others"}


def test_a_name_that_is_there_stays(run: Run) -> None:
    done = run(
        "import numpy as np",
        "np.float, np.sctypes = 'mine', {'int': [np.int8], 'float': [np.float32]}",
        "import elichika",
        "assert np.float == 'mine' and np.sctypes['int'] == [np.int8] and np.object is object",
    )
    assert done.returncode == 0, done.stderr


def test_the_newest_numpy_python_and_setuptools(run: Run) -> None:
    done = run(
        NEWER,
        "import elichika",
        COMPILE,
        "assert not {'pkg_resources', 'numpy.distutils', 'numpy.distutils.system_info'}"
        " & set(sys.modules)",
    )
    assert done.returncode == 0, done.stderr


def test_chainer_may_come_first_where_it_runs(run: Run) -> None:
    if int(np.__version__.split(".")[0]) > 1 or sys.version_info >= (3, 12):
        pytest.skip("Chainer by itself does not run here")
    done = run("import numpy as np", COMPILE)
    assert done.returncode == 0, done.stderr


def test_chainer_came_first_and_failed(run: Run) -> None:
    done = run(
        "import numpy as np",
        "if hasattr(np, 'sctypes'): del np.sctypes",
        "try:",
        "    import chainer",
        "except AttributeError:",
        "    import elichika",
    )
    assert done.stderr.rstrip().endswith(
        "ImportError: chainer was imported before elichika, and failed: it needs what this numpy "
        f"({np.__version__}), Python or setuptools no longer has, and elichika supplies. "
        "Start a new process, and import elichika before chainer."
    )


def test_chainer_is_not_installed(run: Run) -> None:
    gone = NEWER.replace('("numpy.distutils", "pkg_resources")', '"chainer"')
    done = run(gone, "import elichika")
    assert done.stderr.rstrip().endswith(
        "ImportError: elichika compiles models of Chainer, which is not installed: "
        "echo 'setuptools<81' > build.txt && PIP_CONSTRAINT=build.txt "
        "PIP_BUILD_CONSTRAINT=build.txt pip wheel --use-pep517 --no-deps 'chainer>=7,<8' "
        "&& pip install ./chainer-7*.whl"
    )


def test_the_packages_that_chainer_asks_for(run: Run) -> None:
    done = run(
        NEWER,
        "import elichika.process.compat as compat",
        "with compat._modules_for_chainer():",
        "    import pkg_resources",
        "pkg_resources.require('numpy>=1.2,<9')",
        "try:",
        "    pkg_resources.require('cupy-cuda120>=7.7.0,<8.0.0')",
        "except pkg_resources.DistributionNotFound as error:",
        "    print('missing:', error)",
    )
    assert done.stdout == "missing: cupy-cuda120>=7.7.0,<8.0.0\n", done.stderr


def test_onnxruntime_is_not_installed(run: Run) -> None:
    gone = NEWER.replace('("numpy.distutils", "pkg_resources")', '"onnxruntime"')
    done = run(gone, "import elichika", COMPILE)
    assert done.returncode == 1
    assert done.stderr.rstrip().endswith(
        "elichika.errors.InputError: onnxruntime is not installed: pip install onnxruntime, "
        "or pip install onnxruntime-gpu where there is a GPU."
    )


def test_an_onnxruntime_that_is_too_old(run: Run) -> None:
    done = run(
        "import numpy as np",
        "import onnxruntime",
        "onnxruntime.__version__ = '1.19.2'",
        "import elichika",
        COMPILE,
    )
    assert done.stderr.rstrip().endswith(
        "InputError: onnxruntime 1.19.2 is too old: it runs loops with an early return on memory "
        "that was never written; use 1.20 or newer."
    )
