"""The packages: what is in them, and that installing one leaves the user's environment as it is."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import elichika

pytestmark = pytest.mark.wheel

ROOT = Path(__file__).parents[1]
#: What a user of Chainer has: nothing of it may change.
THERE = ("numpy==1.26.4", "setuptools==73.0.1", "onnxruntime==1.20.1", "six==1.16.0")
BUILD = "setuptools<81\n"

MODEL = """
import elichika  # noqa: F401  before Chainer, so that it runs on any numpy
import chainer


class Net(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.fc = chainer.links.Linear(3, 2)

    def forward(self, x):
        h = self.fc(x)
        return h * 2 if h.array.sum() > 0 else h
"""


def call(*command: object, folder: Path, **settings: str) -> str:
    """Run a command without this process's PYTHONPATH, and return what it prints."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environment.update(settings, PIP_DISABLE_PIP_VERSION_CHECK="1")
    words = [str(word) for word in command]
    done = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Build the source distribution, and from it the wheel."""
    folder = tmp_path_factory.mktemp("dist")
    build = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"
    copy = folder / "copy"
    call("git", "clone", "--quiet", "--no-hardlinks", ROOT, copy, folder=folder)
    call(sys.executable, "-c", build, folder, folder=copy)
    (sdist,) = folder.glob("*.tar.gz")
    call(
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--use-pep517",
        "--no-deps",
        "-w",
        folder,
        sdist,
        folder=folder,
    )
    (wheel,) = folder.glob("*.whl")
    return wheel, sdist


def test_what_is_in_them(packages: tuple[Path, Path]) -> None:
    wheel, sdist = packages
    assert f"-{elichika.__version__}-" in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = [name for name in names if name.endswith("METADATA")]
        described = archive.read(metadata).decode()
    tops = {name.split("/")[0] for name in names if ".dist-info" not in name}
    assert tops == {"elichika", "canonicalizer", "onnx_graph", "elichika_command.py"}
    for package in tops - {"elichika_command.py"}:
        assert f"{package}/py.typed" in names
    assert "elichika/cli/operators.json" in names
    requirements = [line for line in described.splitlines() if line.startswith("Requires-Dist")]
    assert "Requires-Dist: chainer<8,>=7" in requirements
    runtime = [line for line in requirements if "onnxruntime" in line]
    assert len(runtime) == 2 and all("extra ==" in line for line in runtime)
    assert not any("==" in line.split(";")[0] for line in requirements if "extra ==" not in line)
    with tarfile.open(sdist) as source:
        held = {name.split("/", 1)[1] for name in source.getnames() if "/" in name}
    assert {"Makefile", "constraints.txt", "tests/programs.py", "models/digits.py"} <= held


def test_installing_changes_nothing_that_is_there(
    packages: tuple[Path, Path], tmp_path: Path
) -> None:
    call(sys.executable, "-m", "venv", tmp_path / "env", folder=tmp_path)
    binaries = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin")
    pip = (binaries / "python", "-m", "pip", "--quiet")
    constraint = tmp_path / "build.txt"
    constraint.write_text(BUILD)
    building = {"PIP_CONSTRAINT": str(constraint), "PIP_BUILD_CONSTRAINT": str(constraint)}
    wheels = tmp_path / "wheels"
    call(
        *pip,
        "wheel",
        "--use-pep517",
        "--no-deps",
        "-w",
        wheels,
        "chainer>=7,<8",
        folder=tmp_path,
        **building,
    )
    (chainer,) = wheels.glob("chainer-7*.whl")
    call(*pip, "install", *THERE, chainer, folder=tmp_path)
    freeze = (binaries / "python", "-m", "pip", "freeze", "--all")
    before = set(call(*freeze, folder=tmp_path).splitlines())
    assert set(THERE) <= before and any(line.startswith("chainer") for line in before)

    call(*pip, "install", packages[0], folder=tmp_path)

    after = set(call(*freeze, folder=tmp_path).splitlines())
    assert before <= after, before - after
    assert any(line.startswith("elichika") for line in after)
    (tmp_path / "net.py").write_text(MODEL)
    export = ["export", "net.py:Net", "--input", "x=float32[batch,3]", "-o", "net.onnx"]
    assert "verified" in call(binaries / "elichika", *export, folder=tmp_path)
    assert (tmp_path / "net.onnx").is_file()
