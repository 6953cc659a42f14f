"""Graph networks and predictors of chainer-chemistry, policies and Q-functions of chainerrl.

`make packages` installs the two and runs these. Each network is compiled once and compared on
other batches and, where it takes them, graphs of other sizes.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import chainer
import numpy as np
import pytest
from chainer import functions as F

import elichika
from models.weights import seeded
from tests.models.packages import ENTRIES, Entry
from tests.models.parity import assert_same, eager

PACKAGES = ("chainer_chemistry", "chainerrl")
pytestmark = [
    pytest.mark.packages,
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in PACKAGES),
        reason="`make packages` installs them",
    ),
    pytest.mark.filterwarnings("ignore"),
]
SIZES = ((1, 9), (3, 9), (2, 5), (4, 14), (1, 1))


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_entry_points(entry: Entry) -> None:
    """All networks, predictors and losses, as `docs/packages.md` has them."""
    chain, inputs = entry.made(), entry.inputs
    if entry.refused:
        with pytest.raises(elichika.ElichikaError, match=entry.refused):
            elichika.compile_model(chain, inputs[0], dynamic_axes=entry.axes, verify=False)
        return
    model = elichika.compile_model(chain, inputs[0], dynamic_axes=entry.axes, verify=False)
    for given in inputs:
        assert_same(eager(chain, *given), model(*given))


def edges(batch: int, nodes: int, kinds: int = 4) -> tuple[Any, ...]:
    """Atoms, and for each kind of bond a symmetric matrix."""
    random = np.random.RandomState(batch + 10 * nodes)
    adjacent = (random.rand(batch, kinds, nodes, nodes) < 0.3).astype("f")
    atoms = random.randint(0, 10, (batch, nodes)).astype("i")
    return atoms, np.maximum(adjacent, adjacent.transpose(0, 1, 3, 2))


def adjacency(batch: int, nodes: int) -> tuple[Any, ...]:
    atoms, adjacent = edges(batch, nodes, 1)
    return atoms, adjacent[:, 0]


def distances(batch: int, nodes: int) -> tuple[Any, ...]:
    atoms, _ = edges(batch, nodes, 1)
    places = np.random.RandomState(nodes).rand(batch, nodes, 3) * 5
    apart = places[:, :, None] - places[:, None]
    return atoms, np.sqrt((apart**2).sum(-1)).astype("f")


def pairs(batch: int, nodes: int) -> tuple[Any, ...]:
    random = np.random.RandomState(batch + 10 * nodes)
    return random.rand(batch, nodes, 10).astype("f"), random.rand(batch, nodes**2, 7).astype("f")


@pytest.mark.parametrize(
    ("name", "options", "inputs", "axes"),
    [
        ("GGNN", {"n_update_layers": 3}, edges, ({0: "b", 1: "n"}, {0: "b", 2: "n", 3: "n"})),
        ("GIN", {}, adjacency, ({0: "b", 1: "n"}, {0: "b", 1: "n", 2: "n"})),
        ("NFP", {"n_update_layers": 2}, adjacency, ({0: "b", 1: "n"}, {0: "b", 1: "n", 2: "n"})),
        ("RSGCN", {}, adjacency, ({0: "b", 1: "n"}, {0: "b", 1: "n", 2: "n"})),
        ("SchNet", {}, distances, ({0: "b", 1: "n"}, {0: "b", 1: "n", 2: "n"})),
        ("WeaveNet", {"weave_channels": (8,), "n_atom": 9}, pairs, ({0: "b"}, {0: "b"})),
    ],
)
def test_graph_networks(name: str, options: Any, inputs: Callable[..., Any], axes: Any) -> None:
    import chainer_chemistry.models

    usual = {} if name == "WeaveNet" else {"out_dim": 5, "hidden_channels": 8}
    with seeded(0):
        chain = getattr(chainer_chemistry.models, name)(**usual, **options)
        eager(chain, *inputs(2, 9))
    model = elichika.compile_model(
        chain, inputs(2, 9), dynamic_axes=dict(enumerate(axes)), verify=False
    )
    for batch, nodes in SIZES if 1 in axes[0] else SIZES[:2]:
        given = inputs(batch, nodes)
        assert_same(eager(chain, *given), model(*given), f"{batch} graphs of {nodes}")


def molecules(*sizes: int, kinds: int, seed: int) -> list[tuple[Any, ...]]:
    """Atoms and bonds of molecules of unlike sizes, as a dataset has them."""
    found = []
    for number, size in enumerate(sizes):
        atoms, adjacent = edges(1, size, max(kinds, 1))
        found.append(((atoms[0] + number + seed) % 10, adjacent[0] if kinds else adjacent[0, 0]))
    return found


class Predicted(chainer.Chain):
    """What a user of chainer-chemistry calls with a dataset."""

    def __init__(self, predictor: chainer.Link, verb: str) -> None:
        from chainer_chemistry.models.prediction import Classifier

        super().__init__()
        with self.init_scope():
            self.classifier = Classifier(predictor, lossfun=F.softmax_cross_entropy)
        self.verb = verb

    def forward(self, data: Any) -> Any:
        from chainer_chemistry.dataset.converters import concat_mols

        return getattr(self.classifier, self.verb)(data, converter=concat_mols)


@pytest.mark.parametrize(
    ("method", "kinds", "verb"),
    [
        ("nfp", 0, "predict"),
        ("rsgcn", 0, "predict_proba"),
        ("gin", 0, "predict"),
        ("schnet", 0, "predict"),
        ("ggnn", 4, "predict_proba"),
        ("relgcn", 4, "predict"),
        ("relgat", 4, "predict"),
    ],
)
def test_predictors_take_datasets(method: str, kinds: int, verb: str) -> None:
    """The data is a list of tuples: converters, batches of 16 and padding are in the model."""
    from chainer_chemistry.models.prediction import set_up_predictor

    with seeded(0):
        predictor = set_up_predictor(method, n_unit=8, conv_layers=2, class_num=3)
        sizes = ((4, 5, 7), (3,), (6, 6, 6, 6, 2, 9), tuple(range(3, 21)))
        data = [molecules(*one, kinds=kinds, seed=i) for i, one in enumerate(sizes)]
        chain = Predicted(predictor, verb)
        eager(chain, data[0])
    model = elichika.compile_model(chain, [data[0]], verify=False)
    for given in data:
        assert_same(eager(chain, given), model(given), f"{len(given)} molecules")


class Read(chainer.Chain):
    """What an agent asks of the object that a policy or Q-function returns."""

    def __init__(self, link: chainer.Link, read: Callable[[Any], Any]) -> None:
        super().__init__()
        with self.init_scope():
            self.link = link
        self.read = read

    def forward(self, *xs: Any) -> Any:
        return self.read(self.link(*xs))


def of_policy(found: Any) -> Any:
    return found.most_probable, found.entropy, found.log_prob(found.most_probable.array)


def of_values(found: Any) -> Any:
    return found.q_values, found.greedy_actions, found.max


def of_atoms(found: Any) -> Any:
    return *of_values(found), found.max_as_distribution


def as_it_is(found: Any) -> Any:
    return found


class Bounds:
    low, high = np.array([[-1, -2], [1, 2]], "f")
    limits = low, high


AGENTS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "softmax policy": (lambda rl: rl.policies.FCSoftmaxPolicy(4, 3, 2, 8), of_policy),
    "Gaussian policy": (
        lambda rl: rl.policies.FCGaussianPolicy(
            4, 2, 2, 8, min_action=Bounds.low, max_action=Bounds.high
        ),
        of_policy,
    ),
    "Gaussian policy of one covariance": (
        lambda rl: rl.policies.FCGaussianPolicyWithStateIndependentCovariance(4, 2, 2, 8),
        of_policy,
    ),
    "Q-function of discrete ones": (
        lambda rl: rl.q_functions.FCStateQFunctionWithDiscreteAction(4, 3, 8, 2),
        of_values,
    ),
    "Gaussian policy of a fixed covariance": (
        lambda rl: rl.policies.FCGaussianPolicyWithFixedCovariance(4, 2, 0.3, 2, 8),
        of_policy,
    ),
    "policy of mellowmax, whose temperature is a root": (
        lambda rl: rl.policies.MellowmaxPolicy(chainer.links.Linear(4, 3)),
        of_policy,
    ),
    **{
        f"deterministic policy, {name}": (
            lambda rl, name=name: getattr(rl.policies, name)(4, 2, 8, 2, *Bounds.limits),
            lambda found: found.most_probable,
        )
        for name in ("FCDeterministicPolicy", "FCBNDeterministicPolicy")
    },
    **{
        f"Q-function of states and actions, {name}": (
            lambda rl, name=name: getattr(rl.q_functions, name)(4, 2, 8, 2),
            as_it_is,
        )
        for name in (
            *("FCSAQFunction", "FCBNSAQFunction"),
            *("FCLateActionSAQFunction", "FCBNLateActionSAQFunction"),
        )
    },
    "distributional Q-function": (
        lambda rl: rl.q_functions.DistributionalFCStateQFunctionWithDiscreteAction(
            4, 3, 5, -1, 1, 8, 2
        ),
        of_atoms,
    ),
    "normalized quadratic Q-function": (
        lambda rl: rl.q_functions.FCBNQuadraticStateQFunction(4, 2, 8, 2, action_space=Bounds),
        lambda found: (found.greedy_actions, found.max),
    ),
    "quadratic Q-function": (
        lambda rl: rl.q_functions.FCQuadraticStateQFunction(4, 2, 8, 2, action_space=Bounds),
        lambda found: (found.greedy_actions, found.max),
    ),
}


@pytest.mark.parametrize("name", AGENTS)
def test_agents(name: str) -> None:
    import chainerrl

    make, read = AGENTS[name]
    with seeded(0):
        chain = Read(make(chainerrl), read)
    random, actions = np.random.RandomState(0), "actions" in name.split(",")[0].split(" ")
    seen = [random.randn(7, width).astype("f") for width in ((4, 2) if actions else (4,))]
    given = [x[:2] for x in seen]
    model = elichika.compile_model(chain, given, dynamic_axes="batch", verify=False)
    for part in (slice(1), slice(1, 4), slice(7)):
        given = [x[part] for x in seen]
        assert_same(eager(chain, *given), model(*given))
