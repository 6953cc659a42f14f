"""Graph networks of chainer-chemistry, policies and Q-functions of chainerrl.

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

import elichika
from models.weights import seeded
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


class Read(chainer.Chain):
    """What an agent asks of the object that a policy or Q-function returns."""

    def __init__(self, link: chainer.Link, read: Callable[[Any], Any]) -> None:
        super().__init__()
        with self.init_scope():
            self.link = link
        self.read = read

    def forward(self, x: Any) -> Any:
        return self.read(self.link(x))


def of_policy(found: Any) -> Any:
    return found.most_probable, found.entropy, found.log_prob(found.most_probable.array)


def of_values(found: Any) -> Any:
    return found.q_values, found.greedy_actions, found.max


class Bounds:
    low, high = np.array([[-1, -2], [1, 2]], "f")


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
    "Q-function of discrete actions": (
        lambda rl: rl.q_functions.FCStateQFunctionWithDiscreteAction(4, 3, 8, 2),
        of_values,
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
    seen = np.random.RandomState(0).randn(7, 4).astype("f")
    model = elichika.compile_model(chain, seen[:2], dynamic_axes="batch", verify=False)
    for x in (seen[:1], seen[1:4], seen):
        assert_same(eager(chain, x), model(x))
