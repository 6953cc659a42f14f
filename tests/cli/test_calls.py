"""`elichika profile` and `elichika export --examples`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import chainer
import numpy as np
import pytest
from typer.testing import CliRunner

import elichika
from elichika.cli import app
from elichika.cli.sources import make_chain

MODEL = """
import chainer

class Net(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.fc = chainer.links.Linear(3, 2)

    def forward(self, x, n=2):
        return self.fc(x) * n
"""
SCRIPT = """
import sys
import numpy as np
from {module} import Net

net = Net()
for n in sys.argv[1:]:
    net(np.ones((int(n), 3), np.float32), eval(n))
print("evaluated")
"""


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def folder(tmp_path: Path, request: Any) -> Path:
    module = f"model_{abs(hash(request.node.name))}"  # each test imports its own
    (tmp_path / f"{module}.py").write_text(MODEL)
    (tmp_path / "evaluate.py").write_text(SCRIPT.format(module=module))
    (tmp_path / "one.py").write_text(MODEL + SCRIPT.partition("net = ")[0].partition("from")[0])
    return tmp_path


def module_of(folder: Path) -> Path:
    (found,) = folder.glob("model_*.py")
    return found


def profiled(folder: Path, *arguments: object) -> Any:
    source = f"{module_of(folder)}:Net"
    script, output = folder / "evaluate.py", folder / "calls.npz"
    return run("profile", script, "--chain", source, "-o", output, *arguments)


def test_a_script_is_recorded(folder: Path) -> None:
    shown = profiled(folder, "--", 2, 3, 5)
    assert shown.exit_code == 0
    assert "/.forward" in shown.stdout and "3 calls of 1 kind, 2 kept" in shown.stdout
    assert "evaluated" in shown.stderr and "evaluated" not in shown.stdout
    calls = elichika.load_calls(folder / "calls.npz")
    sizes = [call.args[0].shape for call in calls.recorded["/", "forward"].examples]
    assert sizes == [(2, 3), (5, 3)]


def test_exported(folder: Path) -> None:
    profiled(folder, "--", 2, 3, 5)
    output = folder / "net.onnx"
    source = f"{module_of(folder)}:Net"
    shown = run("export", source, "--examples", folder / "calls.npz", "-o", output)
    assert shown.exit_code == 0, shown.output
    assert "--input 'x=float32[x_0,3]'" in shown.stdout
    assert elichika.load(output)(np.ones((7, 3), np.float32), 4).shape == (7, 2)


def test_a_file_of_several_kinds_is_verified_and_traced(folder: Path) -> None:
    profiled(folder, "--", 2, 3)
    output, source = folder / "net.onnx", f"{module_of(folder)}:Net"
    weights = folder / "weights.npz"
    chain = make_chain(source)[0]
    chainer.serializers.save_npz(weights, chain)
    x = np.ones((2, 3), np.float32)
    elichika.compile_model(chain, (x, 2), output, examples=[(x, 0.5)], verify=False)
    shown = run("verify", output, source, "--weights", weights, "--json")
    assert shown.exit_code == 0, shown.output
    assert "of examples[1]: " in shown.stdout
    assert run("trace", output).exit_code == 0


def test_a_class_of_the_script_itself(folder: Path) -> None:
    script = folder / "one.py"
    script.write_text(MODEL + "import numpy as np\nNet()(np.ones((2, 3), np.float32))\n")
    shown = run("profile", script, "--chain", f"{script}:Net", "-o", folder / "calls.npz")
    assert shown.exit_code == 0, shown.output
    assert [*elichika.load_calls(folder / "calls.npz")] == [("/", "forward"), ("/fc", "forward")]


FACTORY = """
def build():
    inner = Net()
    return chainer.Sequential(inner, chainer.functions.relu)
"""


@pytest.mark.parametrize("whole_name", [True, False])
def test_what_a_function_makes(folder: Path, whole_name: bool) -> None:
    """Of what is made within it, the outer chain counts; one made elsewhere does not."""
    module, script = module_of(folder), folder / "evaluate.py"
    module.write_text(MODEL + FACTORY)
    text = SCRIPT.format(module=module.stem).replace("import Net", "import Net, build")
    script.write_text(
        text.replace("net = Net()", "net = build()\nother = Net()\n").replace(
            "np.float32), eval(n))", "np.float32))\n    other(np.ones((9, 3), 'f'))"
        )
    )
    source = f"{module if whole_name else module.stem}:build"
    output = folder / "calls.npz"
    shown = run("profile", script, "--chain", source, "-o", output, "--", 3, 5)
    assert shown.exit_code == 0, shown.output
    calls = elichika.load_calls(output)
    assert [*calls] == [("/", "forward"), ("/0", "forward"), ("/0/fc", "forward")]
    assert [found.count for found in calls.recorded.values()] == [2, 2, 2]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"--chain": "Net"}, "--chain is file.py:Net or package.module:Net, not 'Net'."),
        ({"--chain": "other:Net"}, "evaluate.py called no other:Net."),
        ({"script": "none.py"}, "There is no file none.py."),
        ({"argument": "x"}, "evaluate.py failed: ValueError: invalid literal for int()"),
    ],
)
def test_mistakes(
    folder: Path, monkeypatch: pytest.MonkeyPatch, changed: Any, message: str
) -> None:
    monkeypatch.chdir(folder)
    source = changed.get("--chain", f"{module_of(folder).name}:Net")
    script = changed.get("script", "evaluate.py")
    argument = changed.get("argument", 2)
    shown = run("profile", script, "--chain", source, "-o", "calls.npz", "--", argument)
    assert shown.exit_code == 2 and message in shown.stderr
    assert not (folder / "calls.npz").exists()


def test_a_script_that_exits(folder: Path) -> None:
    script = folder / "evaluate.py"
    script.write_text(script.read_text() + "sys.exit(3)\n")
    assert "evaluate.py ended with 3." in profiled(folder, "--", 2).stderr
    script.write_text(script.read_text().replace("exit(3)", "exit(0)"))
    assert profiled(folder, "--", 2).exit_code == 0
