"""What cannot be exported, and the whole text that says so; nothing is written."""

# ruff: noqa: E501

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import chainer
import numpy as np
import onnx
import pytest
from typer.testing import CliRunner

from elichika.cli import app
from tests.cli import mistaken
from tests.cli.programs import Net

X = "x=float32[batch,4]"
PROGRAMS = "tests.cli.programs"
HERE = "tests.cli.mistaken"


def run(folder: Path, arguments: list[str]) -> Any:
    arguments = [argument.replace("{tmp}", str(folder)) for argument in arguments]
    if "-o" not in arguments:
        arguments += ["-o", str(folder / "m.onnx")]
    return CliRunner().invoke(app, ["export", *arguments])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with files that are not what they seem."""
    np.savez(tmp_path / "x.npz", x=np.ones((2, 4), np.float32))
    whole = (tmp_path / "x.npz").read_bytes()
    (tmp_path / "cut.npz").write_bytes(whole[:100])
    (tmp_path / "damaged.npz").write_bytes(whole[:200] + b"\xff" + whole[201:])
    np.savez(tmp_path / "objects.npz", x=np.array([None]))
    chainer.serializers.save_npz(tmp_path / "wide.npz", Net(5))
    (tmp_path / "syntax.py").write_text("def f(:\n")
    (tmp_path / "folder").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        # The source
        (["programs.py:f"], "There is no file programs.py."),
        (["no.such.module:f"], "There is no module no.such.module."),
        (["./programs:f"], "There is no module ./programs."),
        ([f"{PROGRAMS}:f"], f"{PROGRAMS} has no f."),
        (["programs.py"], "SOURCE is file.py:name or package.module:name, not 'programs.py'."),
        ([f"{PROGRAMS}:number"], f"{PROGRAMS}:number makes int, not a chainer.Link."),
        ([f"{PROGRAMS}:NOTHING"], f"{PROGRAMS}:NOTHING is an int, not a class or function that makes a chain."),
        (
            [f"{PROGRAMS}:needs_an_argument"],
            f"{PROGRAMS}:needs_an_argument(n) cannot be called without arguments: missing a required "
            f"argument: 'n'.\nHint: give them: '{PROGRAMS}:needs_an_argument(…)', or name a function "
            "that makes the chain",
        ),
        (
            ["{tmp}/syntax.py:f"],
            "Importing {tmp}/syntax.py failed: SyntaxError: invalid syntax (syntax.py, line 1)",
        ),
        (
            [f"{PROGRAMS}:failing"],
            f"""{PROGRAMS}:failing failed: KeyError: 'no such layer'
  File "{{programs}}", line 69, in failing
    raise KeyError("no such layer")""",
        ),
        (
            [f"{HERE}:leaving"],
            f"""{HERE}:leaving failed: SystemExit: 3
  File "{{mistaken}}", line 72, in leaving
    raise SystemExit(3)""",
        ),
        # The weights
        ([f"{PROGRAMS}:Net", "--input", X, "--weights-path", "a"], "--weights-path is for --weights."),
        (
            [f"{PROGRAMS}:Net", "--input", X, "--weights", "{tmp}/no.npz"],
            "Cannot read {tmp}/no.npz: No such file or directory.",
        ),
        (
            [f"{PROGRAMS}:Net", "--input", X, "--weights", "{tmp}/folder"],
            "Cannot read {tmp}/folder: Is a directory.",
        ),
        (
            [f"{PROGRAMS}:Net", "--input", X, "--weights", "{tmp}/cut.npz"],
            "{tmp}/cut.npz is not an .npz snapshot.",
        ),
        (
            [f"{PROGRAMS}:Net", "--input", X, "--weights", "{tmp}/wide.npz"],
            "l1/W has shape (8, 4) in the chain and (8, 5) in {tmp}/wide.npz.",
        ),
        (
            [f"{PROGRAMS}:Net", "--input", X, "--weights", "{tmp}/x.npz"],
            "{tmp}/x.npz holds none of the chain's parameters, such as bn/N.",
        ),
        (
            [f"{PROGRAMS}:Lazy", "--input", X],
            "parameter /l1/W is not initialized yet\n"
            "Hint: give weights by --weights, or pass --initialize",
        ),
        # The inputs
        ([f"{PROGRAMS}:Net"], "There are no example inputs.\nHint: pass --input x=float32[batch,3], --inputs file.npz, or return (chain, inputs) from the factory"),
        ([f"{PROGRAMS}:Net", "--input", "x=f[3]"], "--input x=f[3]: f is not a dtype of numpy."),
        ([f"{PROGRAMS}:Net", "--input", "x=[float32[a],float32[b]]"], "--input x=[float32[a],float32[b]]: the elements of a list have the same names of sizes.\nHint: for a size that each element has of its own, give unlike numbers, as in [float32[3],float32[5]]"),
        (
            [f"{PROGRAMS}:Net", "--input", "x=float32[999999999,9999999]"],
            "--input x=float32[999999999,9999999]: there is no room for an array of these sizes.",
        ),
        (
            [f"{PROGRAMS}:Net", "--input", "z=float32[2,4]"],
            "The inputs do not fit forward(x): missing a required argument: 'x'.\nHint: forward has no argument `z`",
        ),
        (
            [f"{HERE}:Sequences", "--input", "xs=[]"],
            "`xs` is an empty list, whose elements have no type; give an example with elements.",
        ),
        (
            [f"{PROGRAMS}:Net", "--inputs", "{tmp}/no.npz"],
            "Cannot read {tmp}/no.npz: No such file or directory.",
        ),
        (
            [f"{PROGRAMS}:Net", "--inputs", "{tmp}/syntax.py"],
            "{tmp}/syntax.py is not an .npz file of arrays.",
        ),
        (
            [f"{PROGRAMS}:Net", "--inputs", "{tmp}/damaged.npz"],
            "{tmp}/damaged.npz is damaged at x: Bad CRC-32 for file 'x.npy'.",
        ),
        (
            [f"{PROGRAMS}:Net", "--inputs", "{tmp}/objects.npz"],
            "{tmp}/objects.npz: x is not a plain array.",
        ),
        (
            [f"{PROGRAMS}:Net", "--inputs", "{tmp}/x.npz", "--input", "x=float32[batch,5]"],
            "--input x=float32[batch,5]: the file's x is float32[2, 4].",
        ),
        # The options
        ([f"{PROGRAMS}:Net", "--input", X, "--static", "y"], "static names `y`, but the arguments are `x`."),
        (
            [f"{PROGRAMS}:Net", "--input", X, "--opset", "5"],
            "opset_version is 18 to {opset} with this onnx, not 5",
        ),
        # The output
        (
            [f"{PROGRAMS}:Net", "--input", X, "-o", "{tmp}/no/m.onnx"],
            "Cannot write {tmp}/no/m.onnx: there is no folder {tmp}/no.",
        ),
        ([f"{PROGRAMS}:Net", "--input", X, "-o", "{tmp}/folder"], "Cannot write {tmp}/folder: it is a folder."),
        (
            [f"{PROGRAMS}:Net", "--input", X, "-o", "/dev/null"],
            "Cannot write /dev/null: it is a device or a pipe, not a file.",
        ),
        (
            [f"{PROGRAMS}:Net", "--input", X, "-o", f"{{tmp}}/{'n' * 300}"],
            f"Cannot write {{tmp}}/{'n' * 300}: File name too long.",
        ),
    ],
)  # fmt: skip
def test_bad_input(arguments: list[str], text: str, folder: Path) -> None:
    before = sorted(folder.rglob("*"))
    result = run(folder, arguments)
    assert result.stderr == f"InputError: {_filled(text, folder)}\n"
    assert (result.exit_code, result.stdout) == (2, "")
    assert sorted(folder.rglob("*")) == before and Path("/dev/null").is_char_device()


@pytest.mark.parametrize(
    ("factory", "inputs", "text"),
    [
        (
            "NoLowering",
            "x=uint8[n]",
            """UnsupportedFunction: `numpy.packbits` is not supported on values known only when the model runs
  File "{mistaken}", line 28, in forward
    return np.packbits(x)
           ^^^^^^^^^^^^^^
Hint: register a lowering for it with `@elichika.lowers`""",
        ),
        (
            "NoSource",
            "x=float32[n]",
            """UnsupportedFunction: the source of `tests.cli.mistaken.unreadable` cannot be read (cannot read <made>)
  File "{mistaken}", line 41, in forward
    return self.helper(x)
           ^^^^^^^^^^^^^^
Hint: write it to a file: the compiler reads the source of functions""",
        ),
        (
            "NoTensor",
            "x=float32[n]",
            """StagingError: The result holds, at made by, an object, which is not a tensor.
  File "{mistaken}", line 48, in forward
    return {"y": x, "made by": object()}
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
Hint: return arrays, Variables, numbers, or tuples, lists, dicts and objects of them.""",
        ),
        (
            "Layers",
            "x=float32[n,5]",
            """StagingError: InvalidType: Invalid operation is performed in: LinearFunction (Forward)

Expect: x.shape[1] == W.shape[1]
Actual: 5 != 4
  File "{mistaken}", line 67, in forward
    return self.fc(x)
           ^^^^^^^^^^
  (in linear, linear.py:308)
Hint: the program raises this for every input of this kind""",
        ),
        (
            "Layers",
            "x=float64[n,4]",
            """StagingError: InvalidType: Invalid operation is performed in: LinearFunction (Forward)

Expect: b.dtype == x.dtype
Actual: float32 != float64
  File "{mistaken}", line 67, in forward
    return self.fc(x)
           ^^^^^^^^^^
  (in linear, linear.py:308)
Hint: the program raises this for every input of this kind""",
        ),
        (
            "Layers",
            "x=float32[4]",
            """StagingError: IndexError: tuple index out of range
  File "{mistaken}", line 67, in forward
    return self.fc(x)
           ^^^^^^^^^^
  (in linear, linear.py:308)
Hint: the program raises this for every input of this kind""",
        ),
    ],
)
def test_what_cannot_be_compiled(factory: str, inputs: str, text: str, tmp_path: Path) -> None:
    result = run(tmp_path, [f"{HERE}:{factory}", "--input", inputs])
    assert result.stderr == _filled(text, tmp_path) + "\n"
    assert (result.exit_code, list(tmp_path.iterdir())) == (1, [])


def test_a_text_that_only_a_run_knows_is_told_by_the_chain(tmp_path: Path) -> None:
    result = run(tmp_path, [f"{HERE}:Sizes", "--input", "x=float32[n,4]"])
    assert "AttributeError: 'Sizes' object has no attribute 'stage3'." in result.stderr
    assert "line 21, in" in result.stderr and "…" not in result.stderr and result.exit_code == 2


def _filled(text: str, folder: Path) -> str:
    known = {
        "tmp": str(folder),
        "mistaken": mistaken.__file__,
        "programs": mistaken.Net.__init__.__code__.co_filename,
        "opset": str(onnx.defs.onnx_opset_version()),
    }
    return re.sub(r"\{(tmp|mistaken|programs|opset)\}", lambda m: known[m.group(1)], text)


def test_unknown_options_and_commands() -> None:
    for arguments in (
        ["export", f"{PROGRAMS}:Net", "--bogus"],
        ["export"],
        ["bogus"],
        ["export", "a", "b"],
    ):
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 2 and "Traceback" not in result.stderr


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link.onnx").symlink_to(tmp_path / "real.onnx")
    result = run(tmp_path, [f"{PROGRAMS}:Net", "--input", X, "-o", str(tmp_path / "link.onnx")])
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "link.onnx").is_symlink() and (tmp_path / "real.onnx").is_file()
