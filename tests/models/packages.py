"""Entry points of packages as their authors wrote them, and what they are given.

`make packages` installs the packages, runs these as tests, and writes `docs/packages.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

import chainer
import numpy as np
from chainer import functions as F

from models.weights import seeded

Axes = Mapping[Any, Mapping[int, str]] | str | None


@dataclass(frozen=True)
class Entry:
    """What a user of a package calls.

    Attributes:
        package: The name of the package.
        name: What is called.
        build: Makes the chain.
        inputs: What it is given: the first is what it is compiled with.
        axes: The sizes that may differ.
        refused: A part of the text that it is refused with, where it is.
        seconds: How long it may take to compile.
    """

    package: str
    name: str
    build: Callable[[], chainer.Chain]
    inputs: Sequence[tuple[Any, ...]] = field(repr=False)
    axes: Axes = None
    refused: str = ""
    seconds: float = 120.0

    def made(self) -> chainer.Chain:
        """Return the chain, with its parameters."""
        with seeded(0):
            chain = self.build()
            with chainer.using_config("train", False):
                chain(*self.inputs[0])
        return chain


class Asked(chainer.Chain):
    """What is asked of links, which may be parts of an object that is no link."""

    def __init__(self, ask: Callable[..., Any], **links: chainer.Link) -> None:
        super().__init__()
        with self.init_scope():
            for name, link in links.items():
                setattr(self, name, link)
        self.ask = ask

    def forward(self, *inputs: Any) -> Any:
        return self.ask(*inputs)


# -- chainer-chemistry -----------------------------------------------------------------------------

GRAPHS = ((2, 9), (1, 9), (3, 5), (4, 14), (1, 1))
#: How many kinds of bonds each network tells apart.
BONDS = {"nfp": 1, "ggnn": 4, "rsgcn": 1, "gin": 1, "relgcn": 4, "relgat": 4}


def graph(kinds: int, batch: int, nodes: int) -> tuple[Any, ...]:
    """Atoms, and for each kind of bond a symmetric matrix; with one kind that alone."""
    random = np.random.RandomState(batch + 10 * nodes)
    adjacent = (random.rand(batch, kinds, nodes, nodes) < 0.3).astype("f")
    adjacent = np.maximum(adjacent, adjacent.transpose(0, 1, 3, 2))
    atoms = random.randint(0, 10, (batch, nodes)).astype("i")
    return atoms, adjacent if kinds > 1 else adjacent[:, 0]


def graph_axes(kinds: int) -> dict[Any, dict[int, str]]:
    first = 2 if kinds > 1 else 1
    return {0: {0: "b", 1: "n"}, 1: {0: "b", first: "n", first + 1: "n"}}


def predictor(name: str) -> chainer.Chain:
    from chainer_chemistry.models.prediction import set_up_predictor

    made: chainer.Chain = set_up_predictor(
        name, n_unit=8, conv_layers=2, class_num=3, n_atom_types=20, n_wle_types=20
    )
    return made


def labels(batch: int, nodes: int) -> tuple[Any, ...]:
    """What the Weisfeiler-Lehman embedding counts atoms as."""
    return (np.random.RandomState(batch * nodes).randint(0, 20, (batch, nodes)).astype("i"),)


def wholes(batch: int, nodes: int) -> tuple[Any, ...]:
    """What the graph warp module knows of each molecule."""
    return (np.random.RandomState(batch).randn(batch, 8).astype("f"),)


def predictors() -> Iterator[Entry]:
    more: dict[str, tuple[Any, Any]] = {
        "": (lambda *_: (), None),
        "_wle": (lambda *_: (), None),
        "_cwle": (labels, {0: "b", 1: "n"}),
        "_gwle": (labels, {0: "b", 1: "n"}),
        "_gwm": (wholes, {0: "b"}),
    }
    for method, kinds in BONDS.items():
        for suffix, (others, axes) in more.items():
            if suffix == "_gwm" and kinds > 1 and method != "ggnn":
                continue
            sizes = graph_axes(kinds)
            if axes is not None:
                sizes[2] = axes
            yield Entry(
                "chainer-chemistry",
                f"predictor `{method}{suffix}`",
                partial(predictor, method + suffix),
                [(*graph(kinds, *one), *others(*one)) for one in GRAPHS],
                {f"args_{number}": held for number, held in sizes.items()},
            )


def network(path: str, **options: Any) -> Callable[[], chainer.Chain]:
    def build() -> Any:
        import importlib

        module, _, name = path.rpartition(".")
        return getattr(importlib.import_module(f"chainer_chemistry.models.{module}"), name)(
            **options
        )

    return build


SMALL = {"out_dim": 3, "hidden_channels": 8, "n_update_layers": 2}


def atoms_and_pairs(*sizes: int) -> tuple[Any, ...]:
    """Rings of atoms one after the other, as MEGNet takes them, and which molecule each is of."""
    random, total = np.random.RandomState(sum(sizes)), sum(sizes)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    following = [start + (np.arange(n) + 1) % n for start, n in zip(starts, sizes, strict=True)]
    of = np.repeat(np.arange(len(sizes)), sizes).astype("i")
    features = [random.randn(*shape).astype("f") for shape in ((total, 5), (total, 4))]
    known = random.randn(len(sizes), 2).astype("f")
    return *features, known, of, of, np.arange(total).astype("i"), np.concatenate(following)


def crystals(*sizes: int) -> tuple[Any, ...]:
    """Atoms of crystals with three neighbours each, and a list of which atoms are one's."""
    random, starts = np.random.RandomState(sum(sizes)), np.concatenate([[0], np.cumsum(sizes)])
    near = [random.randint(a, b, (b - a, 3)) for a, b in pairwise(starts)]
    own = [np.arange(a, b) for a, b in pairwise(starts)]
    total = sum(sizes)
    features = random.randn(total, 6).astype("f"), random.randn(total, 3, 4).astype("f")
    return *features, own, np.concatenate(near).astype("i")


def bonds(batch: int, nodes: int) -> tuple[Any, ...]:
    """A graph whose bonds are listed: what they weigh, where they are, and of which kind."""
    atoms, adjacent = graph(4, batch, nodes)
    places = [np.nonzero(one) for one in adjacent]
    listed = np.zeros((4, batch, max(len(kind) for kind, _, _ in places)))
    for number, (kind, row, column) in enumerate(places):
        listed[:, number, : len(kind)] = np.ones(len(kind)), row, column, kind
    return atoms, listed[0].astype("f"), *listed[1:].astype("i")


def other_networks() -> Iterator[Entry]:
    of_graphs = partial(Entry, "chainer-chemistry")
    for name, options in (("edge network", {}), ("GGNN's messages", {"message_func": "ggnn"})):
        yield of_graphs(
            f"`MPNN`, {name}",
            network("mpnn.MPNN", **SMALL, **options),
            [graph(4, *one) for one in GRAPHS],
            graph_axes(4),
        )
    yield of_graphs(
        "`GNNFiLM`",
        network("gnn_film.GNNFiLM", **SMALL),
        [graph(5, *one) for one in GRAPHS],
        graph_axes(5),
    )
    listed = {number: {0: "b", 1: "e"} for number in range(1, 5)}
    yield of_graphs(
        "`SparseGGNN`",
        network("ggnn.SparseGGNN", **SMALL),
        [bonds(*one) for one in GRAPHS[:4]],
        {0: {0: "b", 1: "n"}, **listed},
    )
    sizes = ((4, 3), (5,), (2, 6, 3))
    names = dict(enumerate("aagaaaa"))
    yield of_graphs(
        "`MEGNet`",
        network("megnet.MEGNet", out_dim=4, n_update_layers=2),
        [atoms_and_pairs(*one) for one in sizes],
        {number: {0: name} for number, name in names.items()},
    )
    yield of_graphs(
        "`CGCNN`",
        network("cgcnn.CGCNN", out_dim=4, n_update_layers=2),
        [crystals(*one) for one in sizes],
        {number: {0: "a"} for number in (0, 1, 3)},
    )


# -- chainerrl -------------------------------------------------------------------------------------


def experience(batch: int, *, actions: int = 0, weights: bool = False) -> tuple[dict[str, Any]]:
    """A batch of a replay buffer; with `actions`, so many numbers are an action."""
    random = np.random.RandomState(batch)
    seen = {name: random.randn(batch, 4).astype("f") for name in ("state", "next_state")}
    kinds = random.randint(0, 3, (2, batch)).astype("i")
    held = {
        **seen,
        "action": random.randn(batch, actions).astype("f") if actions else kinds[0],
        "next_action": kinds[1],
        "reward": random.randn(batch).astype("f"),
        "is_state_terminal": (random.rand(batch) < 0.3).astype("f"),
        "discount": np.full(batch, 0.9, "f"),
    }
    if weights:
        held["weights"] = random.rand(batch).astype("f")
    return (held,)


def _prepared(model: chainer.Link) -> Any:
    optimizer = chainer.optimizers.Adam()
    optimizer.setup(model)
    return optimizer


def _agent(name: str, *models: Any) -> Any:
    import chainerrl

    buffer, explorer = chainerrl.replay_buffer.ReplayBuffer(10**6), chainerrl.explorers.Greedy()
    optimizers = [_prepared(model) for model in models[1:] or models]
    return getattr(chainerrl.agents, name)(models[0], *optimizers, buffer, 0.9, explorer)


def loss_of(name: str) -> chainer.Chain:
    """The loss of an agent that learns the values of actions."""
    from chainerrl import q_functions as q

    discrete = "FCStateQFunctionWithDiscreteAction"
    if name.startswith("Categorical"):
        values = getattr(q, f"Distributional{discrete}")(4, 3, 5, -1, 1, 8, 2)
    else:
        values = getattr(q, discrete)(4, 3, 8, 2)
    agent = _agent(name, values)
    return Asked(agent._compute_loss, model=agent.model, target_model=agent.target_model)


def loss_of_ddpg(verb: str) -> chainer.Chain:
    import chainerrl

    limits = np.array([-1, -2], "f"), np.array([1, 2], "f")
    values = chainerrl.q_functions.FCSAQFunction(4, 2, 8, 2)
    policy = chainerrl.policies.FCDeterministicPolicy(4, 2, 8, 2, *limits)
    model = chainerrl.agents.ddpg.DDPGModel(q_func=values, policy=policy)
    agent = _agent("DDPG", model, policy, values)
    return Asked(getattr(agent, verb), model=agent.model, target_model=agent.target_model)


class ActorCritic(chainer.Chain):
    def __init__(self) -> None:
        import chainerrl

        super().__init__()
        with self.init_scope():
            self.pi = chainerrl.policies.FCSoftmaxPolicy(4, 3, 1, 8)
            self.v = chainerrl.v_functions.FCVFunction(4, 1, 8)

    def __call__(self, x: Any) -> Any:
        return self.pi(x), self.v(x)


def loss_of_ppo() -> chainer.Chain:
    import chainerrl

    model = ActorCritic()
    agent = chainerrl.agents.PPO(model, _prepared(model), clip_eps_vf=0.2)

    def asked(seen: Any) -> Any:
        found, values = model(seen["state"])
        chances = found.log_prob(seen["action"])
        known = {name: seen[name] for name in ("reward", "discount")}
        return agent._lossfun(
            found.entropy,
            values,
            chances,
            vs_pred_old=known["reward"][:, None],
            log_probs_old=known["discount"],
            advs=known["reward"],
            vs_teacher=known["reward"][:, None],
        )

    return Asked(asked, model=model)


def quantiles() -> chainer.Chain:
    import chainerrl
    from chainer import links as L

    iqn, sequence = chainerrl.agents.iqn, chainerrl.links.Sequence
    values = iqn.ImplicitQuantileQFunction(
        psi=sequence(L.Linear(4, 8), F.relu),
        phi=sequence(iqn.CosineBasisLinear(4, 8), F.relu),
        f=L.Linear(8, 3),
    )

    def asked(x: Any, taus: Any) -> Any:
        found = values(x)(taus)
        return found.q_values, found.greedy_actions, found.max

    return Asked(asked, values=values)


def losses() -> Iterator[Entry]:
    batches, of_agents = (5, 1, 8), partial(Entry, "chainerrl")
    learners = ("DQN", "DoubleDQN", "AL", "PAL", "DoublePAL", "DPP", "ResidualDQN", "SARSA")
    for name in (*learners, "CategoricalDQN", "CategoricalDoubleDQN"):
        for weights in (False, True):
            prioritized = ", prioritized" if weights else ""
            yield of_agents(
                f"loss of `{name}`{prioritized}",
                partial(loss_of, name),
                [experience(batch, weights=weights) for batch in batches],
                "b",
            )
    for part in ("critic", "actor"):
        yield of_agents(
            f"loss of the {part} of `DDPG`",
            partial(loss_of_ddpg, f"compute_{part}_loss"),
            [experience(batch, actions=2) for batch in batches],
            "b",
        )
    yield of_agents(
        "loss of `PPO`",
        loss_of_ppo,
        [experience(batch) for batch in batches],
        "b",
    )
    seen = [
        (np.random.RandomState(n).randn(n, 4).astype("f"), np.random.RandomState(n).rand(n, k))
        for n, k in ((3, 6), (1, 6), (5, 2))
    ]
    yield of_agents(
        "values of `IQN`",
        quantiles,
        [(x, taus.astype("f")) for x, taus in seen],
        {0: {0: "b"}, 1: {0: "b", 1: "k"}},
    )


ENTRIES = (*predictors(), *other_networks(), *losses())
