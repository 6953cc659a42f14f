"""What holds for every compile: layers, public names, determinism, untouched chains, threads."""

from __future__ import annotations

import ast
import copy
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
import pytest

import canonicalizer
import elichika
import onnx_graph

ROOT = Path(__file__).parent.parent
#: What each package may import of ours and of Chainer.
LAYERS = {
    "canonicalizer": {"canonicalizer"},
    "onnx_graph": {"onnx_graph"},
    "elichika": {"elichika", "canonicalizer", "onnx_graph", "chainer"},
    "models": {"models", "chainer"},
}
WATCHED = {"canonicalizer", "onnx_graph", "elichika", "chainer", "models", "tests"}


class Recurrent(chainer.Chain):
    """A chain with state, a loop and a branch."""

    def __init__(self) -> None:
        super().__init__()
        self.h = None
        self.seen = [1]
        with self.init_scope():
            self.lin = L.Linear(3, 3)

    def forward(self, x):
        for t in range(x.shape[1]):
            step = self.lin(x[:, t])
            self.h = step if self.h is None else F.tanh(self.h + step)
            self.seen.append(t)
        if F.sum(self.h).array > 0:
            return self.h * 2
        return self.h


class Refused(Recurrent):
    """Changes its state, then does what is refused."""

    def forward(self, x):
        self.h = x
        self.seen.append(0)
        if x.sum() > 0:
            self.lin = None
        return hash(x.sum())


class Partial(chainer.Chain):
    """Uses one of its lazy links, and the other where an attribute says so."""

    def __init__(self, ready: bool, both: bool) -> None:
        super().__init__()
        with self.init_scope():
            self.used = L.Linear(3 if ready else None, 2)
            self.spare = L.Linear(None, 5)
        self.both = both

    def forward(self, x: chainer.Variable) -> chainer.Variable:
        h = self.used(x)
        return self.spare(h) if self.both else h


def inputs(batch: int = 2, time: int = 3) -> np.ndarray:
    return np.random.RandomState(batch + time).randn(batch, time, 3).astype(np.float32)


def compiled(chain: chainer.Chain) -> elichika.CompiledModel:
    return elichika.compile_model(
        chain, inputs(), dynamic_axes={"x": {0: "batch", 1: "time"}}, verify=False
    )


@pytest.mark.parametrize("package", LAYERS)
def test_layers(package: str) -> None:
    for path in (ROOT / package).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            found = {name.split(".")[0] for name in names} & WATCHED
            assert found <= LAYERS[package], f"{path}:{node.lineno}"


@pytest.mark.parametrize("package", [elichika, canonicalizer, onnx_graph])
def test_public_names_exist(package: object) -> None:
    assert all(hasattr(package, name) for name in package.__all__)
    assert len(set(package.__all__)) == len(package.__all__)


def test_public_names_of_elichika() -> None:
    assert elichika.__all__ == [
        "BudgetError",
        "CompiledModel",
        "ElichikaError",
        "InputError",
        "Limits",
        "LoweringContext",
        "ModelRuntimeError",
        "StagingError",
        "UnsupportedFunction",
        "UnsupportedSyntax",
        "VerificationError",
        "__version__",
        "canonical_source",
        "compile_model",
        "gradients",
        "load",
        "load_calls",
        "lowers",
        "lowers_to",
        "profile",
        "training_step",
    ]


def test_compiling_twice_gives_the_same_bytes() -> None:
    chain = Recurrent()
    one, two = (compiled(chain).proto.SerializeToString() for _ in range(2))
    assert one == two


def test_a_link_that_is_not_used_need_not_be_initialized(tmp_path: Path) -> None:
    chain = Partial(ready=True, both=False)
    path = tmp_path / "m.onnx"
    elichika.compile_model(chain, inputs()[0], path, dynamic_axes="batch")
    assert chain.spare.W.array is None
    model = elichika.load(path, threads=1)
    assert model.session.get_session_options().intra_op_num_threads == 1
    for batch in (1, 4):
        x = inputs(time=batch)[0]
        np.testing.assert_allclose(model(x), chain(x).array, rtol=1e-5)
    assert "spare/W" not in {tensor.name for tensor in model.proto.graph.initializer}


@pytest.mark.parametrize(
    ("ready", "name"), [(False, "/used/W"), (True, "/spare/W")], ids=["first", "second"]
)
def test_a_link_that_is_used_must_be_initialized(ready: bool, name: str) -> None:
    chain = Partial(ready, both=True)
    with pytest.raises(elichika.InputError, match=f"^parameter {name} is not initialized yet"):
        elichika.compile_model(chain, inputs()[0])
    assert chain.spare.W.array is None
    elichika.compile_model(chain, inputs()[0], initialize=True)
    assert chain.spare.W.array is not None


def state_of(chain: chainer.Chain) -> dict[str, object]:
    return {
        "h": chain.h,
        "seen": list(chain.seen),
        "lin": chain.lin,
        "names": sorted(vars(chain)),
        "W": chain.lin.W.array.copy().tolist(),
    }


def test_the_chain_stays_as_it_is() -> None:
    chain = Recurrent()
    before = copy.deepcopy(state_of(chain)["seen"]), state_of(chain)
    elichika.compile_model(chain, inputs(), dynamic_axes={"x": {1: "time"}})
    assert state_of(chain) == before[1]
    assert chain.seen == before[0]


def test_the_chain_stays_as_it_is_after_an_error() -> None:
    chain = Refused()
    before = state_of(chain)
    with pytest.raises(elichika.ElichikaError):
        elichika.compile_model(chain, inputs())
    assert state_of(chain) == before


def test_two_threads_compile_at_once() -> None:
    chains = [Recurrent() for _ in range(4)]
    with ThreadPoolExecutor(2) as pool:
        models = list(pool.map(compiled, chains))
    for chain, model in zip(chains, models, strict=True):
        x = inputs(1, 5)
        with chainer.using_config("train", False), chainer.no_backprop_mode():
            expected = copy.deepcopy(chain)(x).array
        np.testing.assert_allclose(model(x), expected, rtol=1e-4, atol=1e-6)


def test_full_check_by_onnx() -> None:
    import onnx

    onnx.checker.check_model(compiled(Recurrent()).proto, full_check=True)


#: What of the walk's own state is read as it is, for it is no name, attribute or item of a program.
RAW = {
    "walker/objects/presence.py": "the accessor",
    "walker/locations.py": "versions as they are, for joins",
    "walker/kinds/kind.py": "what an object holds, whatever it is",
    "walker/arrays.py": "the array of a Variable, which is always set",
    "walker/sharing.py": "what is reachable",
    "walker/lent.py": "whether contents are made of those before",
    "walker/native/arguments.py": "whether a container was changed at all",
    "walker/drafts.py": "whether locations are as they were",
    "walker/fixed_point.py": "whether a name was bound at all",
    "walker/scopes.py": "names as they are, where most hold something",
    "walker/generators.py": "what is left of an iterator",
    "walker/containers/iterators.py": "what is left of an iterator",
    "walker/containers/arenas.py": "the handle of an object",
    "walker/tape/totals.py": "whether a Variable got anything since",
    "lowerings/chainer/totals.py": "whether a Variable got anything since",
    "lowerings/numpy/random_generators.py": "how far a generator of random numbers is",
}
RAW_READ = re.compile(r"store\.get\((?!\w+(\[\d\])?, (\"~\w+\"|CONTENTS)\))")


def test_what_may_be_unset_is_read_by_one_accessor() -> None:
    ours = ROOT / "elichika"
    files = [*(ours / "walker").rglob("*.py"), *(ours / "lowerings").rglob("*.py")]
    found = {str(f.relative_to(ours)) for f in files if RAW_READ.search(f.read_text())}
    accessor = "elichika/walker/objects/presence.py"
    assert found <= set(RAW), f"read through `given`, `own` or `or_else` of {accessor}"
