"""What people type who have not read the manual, through the command itself."""

# ruff: noqa: E501

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from typer.testing import CliRunner

import elichika
from elichika.cli import app

MODEL = """
import chainer
from chainer import functions as F, links as L


class Encoder(chainer.Chain):
    def __init__(self, words=100, *, n=5):
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(words, 4)
            self.lstm = L.LSTM(4, 6)
            self.out = L.Linear(6, n)

    def forward(self, ids):
        self.lstm.reset_state()
        for t in range(ids.shape[1]):
            h = self.lstm(self.embed(ids[:, t]))
        return self.out(h)


class Size(chainer.Chain):
    def __init__(self, size):
        super().__init__()
        with self.init_scope():
            self.fc = L.Linear(size, 2)

    def forward(self, x):
        return self.fc(x)


class Lazy(Size):
    def __init__(self):
        super().__init__(None)


class Classifier(L.Classifier):
    def __init__(self):
        super().__init__(L.Linear(3, 2))


class Pair(chainer.Chain):
    def forward(self, hs, d):
        return hs[0] + hs[1] + d["a"]


class Constant(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.scale = L.Scale(W_shape=(3,))

    def forward(self, x):
        return self.scale(x)


class Stack(chainer.Chain):
    def forward(self, xs):
        return F.stack(xs)


class FFT(chainer.Chain):
    def forward(self, x):
        return np.fft.fft(x).real


import numpy as np
"""
IDS = "ids=int32[batch,time]<100"
COMMANDS = [
    "export",
    "check",
    "verify",
    "canonical",
    "profile",
    "ops",
    "inspect",
    "explain",
    "reduce",
    "reweight",
    "web",
    "trace",
]
X = "x=float32[batch,3]"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "model.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


def export(source: str, *inputs: str, more: tuple[str, ...] = ()) -> Any:
    given = [word for text in inputs for word in ("--input", text)]
    return run("export", source, *given, "-o", "m.onnx", *more)


def command(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "elichika_command", *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
    )


# Weights that were forgotten


def test_random_parameters_are_said(folder: Path) -> None:
    result = export("model.py:Encoder", IDS)
    assert "random, as initialized: embed/W, lstm/lateral/W, lstm/upward/W and 1 more" in (
        result.stdout
    )
    found = json.loads(export("model.py:Encoder", IDS, more=("--json",)).stdout)
    assert found["weights"] == ["embed/W", "lstm/lateral/W", "lstm/upward/W", "out/W"]


def test_loaded_parameters_and_constants_are_not_random(folder: Path) -> None:
    import chainer

    chainer.serializers.save_npz("s.npz", chainer.Sequential(chainer.links.Linear(3, 2)))
    export("model.py:Size(3)", X)
    made = {}
    exec((folder / "model.py").read_text(), made)
    chainer.serializers.save_npz("size.npz", made["Size"](3))
    result = export("model.py:Size(3)", X, more=("--weights", "size.npz"))
    assert result.exit_code == 0 and "random" not in result.stdout
    assert "random" not in export("model.py:Constant", X).stdout


def test_other_weights_are_named(folder: Path) -> None:
    assert export("model.py:Encoder", IDS).exit_code == 0
    result = run("verify", "m.onnx", "model.py:Encoder")
    assert result.exit_code == 3 and len(result.stderr.splitlines()) == 2
    assert result.stderr.startswith("VerificationError: embed/W, lstm/lateral/W, lstm/upward/W and")
    assert "other weights?" in result.stderr and "--weights" in result.stderr


# Sources


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("model.py:Encodr", "InputError: model.py has no Encodr.\nHint: did you mean `Encoder`?\n"),
        ("model.py:encoder", "InputError: model.py has no encoder.\nHint: did you mean `Encoder`?\n"),
        ("modle.py:Encoder", "InputError: There is no file modle.py.\nHint: did you mean `model.py`?\n"),
        ("model.py:Nothing", "InputError: model.py has no Nothing.\n"),
        (
            "model.py:Size",
            "InputError: model.py:Size(size) cannot be called without arguments: missing a required "
            "argument: 'size'.\nHint: give them: 'model.py:Size(…)', or name a function that makes "
            "the chain\n",
        ),
        (
            "model.py:Size(3",
            "InputError: SOURCE is not closed: 'model.py:Size(3'.\nHint: its arguments end with a "
            "bracket\n",
        ),
        (
            "model.py:Size(siz=3)",
            "InputError: model.py:Size(size) cannot be called with these arguments: missing a "
            "required argument: 'size'.\nHint: did you mean `size`?\n",
        ),
        (
            "model.py:Size(open('x'))",
            "InputError: The arguments in model.py:Size(open('x')) are not values such as (100, n=3, "
            "name='a').\nHint: write a function that makes the chain, and name that\n",
        ),
    ],
)  # fmt: skip
def test_names_nearly_right(source: str, text: str, folder: Path) -> None:
    result = export(source, X)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", text)
    assert sorted(path.name for path in folder.iterdir() if path.is_file()) == ["model.py"]


@pytest.mark.parametrize("source", ["model.py:Encoder(50, n=3)", "model.py:Encoder( words = 50 )"])
def test_arguments(source: str, folder: Path) -> None:
    result = export(source, IDS.replace("100", "50"))
    assert result.exit_code == 0, result.stderr


# Inputs


def test_uninitialized_chains(folder: Path) -> None:
    result = export("model.py:Lazy", X)
    assert result.exit_code == 2 and result.stderr.endswith("or pass --initialize\n")
    result = export("model.py:Lazy", X, more=("--initialize",))
    assert result.exit_code == 0 and "random, as initialized: fc/W" in result.stdout


def test_a_classifier_takes_its_inputs_in_order(folder: Path) -> None:
    result = export("model.py:Classifier", X, "t=int32[batch]<2")
    assert result.exit_code == 1 and "Label key -1 is out of bounds" in result.stderr
    given = "in order and without names, as in --input 'float32[batch,3]' --input 'int32[batch]<2'"
    assert given in " ".join(result.stderr.split())
    assert export("model.py:Classifier", "float32[batch,3]", "int32[batch]<2").exit_code == 0


@pytest.mark.parametrize(
    "inputs",
    [
        ("hs=(float32[n,3],float32[n,3])", "d['a']=float32[n,3]"),
        ("hs[0]=float32[n,3]", "hs[1]=float32[n,3]", "d[a]=float32[n,3]"),
    ],
)
def test_elements_are_named_as_in_messages(inputs: tuple[str, ...], folder: Path) -> None:
    found = json.loads(export("model.py:Pair", *inputs, more=("--json",)).stdout)
    names = [(port["name"], port["shape"]) for port in found["inputs"]]
    assert names == [("hs_0", ["n", 3]), ("hs_1", ["n", 3]), ("d_a", ["n", 3])]
    x = np.ones((2, 3), np.float32)
    assert elichika.load("m.onnx")((x, x), {"a": x}).tolist() == [[3.0] * 3] * 2


def test_dynamic_axes_of_elements() -> None:
    import chainer

    class Pair(chainer.Chain):
        def forward(self, hs: Any, **more: Any) -> Any:
            return hs[0] + hs[1] + more["k"]

    x = np.ones((2, 3), np.float32)
    axes = {"hs[0]": {0: "n"}, "hs[1]": {0: "n"}, "k": {0: "n"}}
    model = elichika.compile_model(Pair(), {"hs": (x, x), "k": x}, dynamic_axes=axes)
    assert [spec.dims for spec in model.signature.inputs.specs] == [("n", 3)] * 3


def test_lists_of_equal_sizes_are_noted(folder: Path) -> None:
    fixed = export("model.py:Stack", "xs=[float32[3],float32[3]]", more=("--json",))
    note = json.loads(fixed.stdout)["notes"][0]
    assert "every array in `xs` must have the sizes [3]" in note
    assert note.endswith("or name the axis in --input")
    other = export("model.py:Stack", "xs=[float32[n],float32[n]]", more=("--json",))
    assert "notes" not in json.loads(other.stdout)


def test_verify_draws_inputs_that_fit(folder: Path) -> None:
    import chainer

    made: dict[str, Any] = {}
    exec((folder / "model.py").read_text(), made)
    chainer.serializers.save_npz("s.npz", made["Encoder"]())
    weights = ("--weights", "s.npz")
    assert export("model.py:Encoder", IDS, more=weights).exit_code == 0
    result = run("verify", "m.onnx", "model.py:Encoder", *weights)
    assert result.exit_code == 0 and "verified" in result.stdout, result.stderr


# The command


def test_help_keeps_brackets_and_is_quick() -> None:
    shown = " ".join(run("export", "--help").stdout.split())
    assert "x=float32[batch,3,h:224,w:224], ids=int32[n]<1000" in shown
    command("--help")
    start = time.process_time(), os.times().children_user
    assert command("--help").returncode == 0
    assert os.times().children_user - start[1] < 1.0


@pytest.mark.parametrize("columns", [40, 59, 80])
def test_help_fits_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each command; no line is longer, no word is broken, nothing is cut off."""
    monkeypatch.setenv("COLUMNS", str(columns))
    for name in ("", *COMMANDS):
        shown = run(*name.split(), "--help").stdout
        assert max(map(len, shown.splitlines())) <= columns, shown
        assert "..." not in shown.replace("]...", ""), shown
    words = " ".join(run("export", "--help").stdout.split())
    assert "A snapshot of chainer.serializers.save_npz to load." in words
    assert "x=float32[batch,3,h:224,w:224], ids=int32[n]<1000" in words


def test_nothing_large_is_imported_for_help() -> None:
    code = (
        "import sys, elichika_command, elichika.cli; "
        "print([m for m in ('chainer', 'numpy', 'onnx', 'rich') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("module", ["chainer", "elichika.compiler"])
def test_a_model_file_may_import_elichika_itself(module: str, folder: Path) -> None:
    (folder / "own.py").write_text(f"import elichika\nimport {module}\n" + MODEL)
    done = command("export", "own.py:Size(3)", "--input", X, "-o", "m.onnx", "--json")
    assert done.returncode == 0, done.stderr


def test_version_and_unknown_options() -> None:
    assert run("--version").stdout == f"elichika {elichika.__version__}\n"
    result = run("export", "a:b", "--initialise")
    assert result.exit_code == 2 and "--initialize" in result.stderr


def test_completion_of_shells() -> None:
    shown = command(_ELICHIKA_COMMAND_COMPLETE="source_bash")
    assert run("--help").stdout.count("completion") >= 2 and shown.returncode in (0, 2)


def test_standard_output_is_the_model(folder: Path) -> None:
    done = command("export", "model.py:Size(3)", "--input", X, "-o", "-")
    assert done.returncode == 0 and b"verified" in done.stderr
    onnx.checker.check_model(onnx.load_from_string(done.stdout))
    assert sorted(path.name for path in folder.iterdir() if path.is_file()) == ["model.py"]


def test_narrow_terminals(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    lines = export("model.py:Encoder", IDS).stdout.splitlines()
    assert max(map(len, lines)) <= 40 and "  ids: int32[batch, time]" in lines


def test_ports_are_the_same_in_all_json(folder: Path) -> None:
    exported = json.loads(export("model.py:Size(3)", X, more=("--json",)).stdout)
    inspected = json.loads(run("inspect", "m.onnx", "--json").stdout)
    assert (
        exported["inputs"]
        == inspected["inputs"]
        == [{"name": "x", "dtype": "float32", "shape": ["batch", 3]}]
    )
    assert exported["outputs"] == inspected["outputs"]


@pytest.mark.parametrize(
    "name", ["relu", "F.relu", "chainer.functions.relu", "functions.relu", "ReLU"]
)
def test_ops_as_people_type_them(name: str) -> None:
    assert run("ops", name).stdout == "F.relu: supported, by one operator\n"


def test_ops_of_several_and_of_none() -> None:
    assert run("ops", "lstm").stdout == "".join(
        f"{name}: supported, by several operators\n" for name in ("F.lstm", "L.LSTM")
    )
    result = run("ops", "F.rellu")
    assert result.exit_code == 2 and result.stderr.endswith("Hint: did you mean `F.relu`?\n")


# Errors on one screen


@pytest.mark.parametrize(("debug", "least", "most"), [("", 1, 15), ("1", 30, 1000)])
def test_a_refusal_in_a_script(debug: str, least: int, most: int, folder: Path) -> None:
    (folder / "script.py").write_text(
        "import elichika\nimport numpy as np\nfrom model import FFT\n"
        "elichika.compile_model(FFT(), np.ones((2, 3), 'f'))\n"
    )
    done = subprocess.run(
        [sys.executable, "script.py"],
        env={**os.environ, "ELICHIKA_DEBUG": debug},
        capture_output=True,
        text=True,
        check=False,
    )
    assert least <= len(done.stderr.splitlines()) <= most
    assert "`np.fft.fft(x)` calls `numpy.fft." in done.stderr and "model.py" in done.stderr


def test_all_frames_on_the_command_line(folder: Path) -> None:
    brief = command("export", "model.py:FFT", "--input", X, "-o", "m.onnx").stderr.decode()
    whole = command("export", "model.py:FFT", "--input", X, "-o", "m.onnx", "-v").stderr.decode()
    assert len(brief.splitlines()) < 8 and "Traceback" not in brief
    assert "Traceback" in whole and "_raw_fft" in whole


def test_models_say_what_they_are(folder: Path) -> None:
    import chainer

    chain = chainer.Sequential(chainer.links.Linear(3, 2))
    model = elichika.compile_model(chain, np.ones((2, 3), np.float32), "m.onnx", dynamic_axes="b")
    shown = "(xs_0 float32[b, 3]) -> (output float32), 1 node, "
    count = len(model.report.verification.agreed)
    assert repr(model).replace("x_0", "xs_0").replace("(x ", "(xs_0 ") == (
        f"<CompiledModel {shown}verified on {count} inputs>"
    )
    assert "m.onnx: (" in repr(elichika.load("m.onnx")) and "not verified" in repr(
        elichika.load("m.onnx")
    )


def test_limits_together_and_by_name() -> None:
    import chainer

    chain, x = chainer.Sequential(chainer.links.Linear(3, 2)), np.ones((2, 3), np.float32)
    limits = elichika.Limits(max_nodes=1)
    elichika.compile_model(chain, x, limits=limits, verify=False)
    for options in (
        {"limits": elichika.Limits(max_nodes=0.5)},
        {"limits": limits, "max_nodes": 0.5},
    ):
        with pytest.raises(elichika.ElichikaError):
            elichika.compile_model(chain, x, verify=False, **options)
    with pytest.raises(TypeError, match="'max_secnds'; did you mean `max_seconds`"):
        elichika.compile_model(chain, x, max_secnds=3)
