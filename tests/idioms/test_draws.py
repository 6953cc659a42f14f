"""What draws random numbers: refused, or drawn by the model where the caller asks for it."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import chainer
import chainer.distributions as D
import chainer.functions as F
import chainer.links as L
import numpy as np
import pytest
from typer.testing import CliRunner

import elichika
from elichika.cli.app import app
from elichika.idioms.draws import NUMPY, STDLIB
from elichika.verify.draws import held
from tests.programs import f32


def _shuffled(shuffle, items, x):
    shuffle(items)
    return [item * x for item in items] if isinstance(items, list) else items


CASES = {
    "dropout": lambda self, x: F.dropout(x, 0.3),
    "dropout_of_a_parameter": lambda self, x: F.linear(x, F.dropout(self.l.W, 0.5)),
    "mask": lambda self, x: F.dropout(x, 0.4, return_mask=True),
    "gaussian": lambda self, x: F.gaussian(x, x * 0.5),
    "eps": lambda self, x: F.gaussian(x, x * 0.1, return_eps=True),
    "zoneout": lambda self, x: F.zoneout(x * 2, x, 0.3),
    "rrelu": lambda self, x: F.rrelu(x, 0.1, 0.4, return_r=True),
    "gumbel_softmax": lambda self, x: F.gumbel_softmax(x, tau=0.7),
    "dropconnect": lambda self, x: F.simplified_dropconnect(x, self.l.W, ratio=0.4),
    "dropconnect_for_all": lambda self, x: F.simplified_dropconnect(
        x, self.l.W, ratio=0.4, use_batchwise_mask=False
    ),
    "sum_of_two": lambda self, x: F.dropout(x, 0.5) + F.dropout(x, 0.5),
    "in_a_loop": lambda self, x: sum(F.sum(F.dropout(x[i], 0.5)) for i in range(x.shape[0])),
    "number": lambda self, x: x * np.random.rand() + np.random.normal(1, 2),
    "coin": lambda self, x: x * 2 if np.random.rand() < 0.5 else x - 1,
    "standard_library": lambda self, x: x * random.random() + random.randint(1, 3),
    "picked": lambda self, x: x + random.choice([1.0, 2.0, 5.0]),
    "array": lambda self, x: x + np.random.randn(*x.shape).astype("f"),
    "of_parameters": lambda self, x: np.random.normal(x, abs(x) + 1),
    "chosen": lambda self, x: np.random.choice(4, size=(x.shape[0], 2), p=[0.1, 0.2, 0.3, 0.4]),
    "chosen_by_input": lambda self, x: np.random.choice(4, p=F.softmax(x, 1).array[0]),
    "permuted": lambda self, x: x[np.random.permutation(x.shape[0])] * 2,
    "integers": lambda self, x: np.random.randint(2, 9, x.shape),
    "shuffled": lambda self, x: _shuffled(np.random.shuffle, [1.0, 2.0, 5.0], x),
    "shuffled_in_python": lambda self, x: _shuffled(random.shuffle, [1.0, 2.0, 5.0], x),
    "rows_shuffled": lambda self, x: _shuffled(np.random.shuffle, x.copy(), 1),
    "sampled": lambda self, x: [x * v for v in random.sample([1.0, 2.0, 5.0], 2)],
    "several": lambda self, x: [x * v for v in random.choices((1.0, 2.0, 5.0), k=3)],
    "several_by_weights": lambda self, x: x * random.choices([1.0, 3.0], [1, 4], k=2)[0],
    "several_by_sums": lambda self, x: x * random.choices([1.0, 3.0], cum_weights=[1, 4])[0],
    "counted": lambda self, x: np.random.multinomial(5, [0.2, 0.5, 0.3], size=len(x)),
    "counted_once": lambda self, x: np.random.multinomial(len(x), [0.4, 0.6]),
    "normal": lambda self, x: D.Normal(x, abs(x) + 1).sample(3),
    "laplace": lambda self, x: D.Laplace(x, abs(x) + 1).sample(),
    "gumbel": lambda self, x: D.Gumbel(x, abs(x) + 1).sample((2,)),
    "uniform": lambda self, x: D.Uniform(low=x, high=x + 2).sample(2),
    "bernoulli": lambda self, x: D.Bernoulli(logit=x).sample(2),
    "exponential": lambda self, x: D.Exponential(abs(x) + 1).sample(),
    "cauchy": lambda self, x: F.clip(D.Cauchy(x, abs(x) + 1).sample(), -3.0, 3.0),
    "pareto": lambda self, x: D.Pareto(abs(x) + 1, abs(x) + 5).sample(),
    "gamma": lambda self, x: D.Gamma(abs(x) + 0.5, abs(x) + 1).sample(),
    "beta": lambda self, x: D.Beta(abs(x) + 0.5, abs(x) + 1).sample(2),
    "chisquare": lambda self, x: D.Chisquare(abs(x) + 1).sample(2),
    "poisson": lambda self, x: D.Poisson(abs(x) * 3).sample(2),
    "geometric": lambda self, x: D.Geometric(F.sigmoid(x)).sample(2),
    "categorical": lambda self, x: D.Categorical(logit=F.concat([x[:2], x[:2]], 0)).sample(3),
    "correlated": lambda self, x: D.MultivariateNormal(
        x[0], scale_tril=np.tril(np.ones((4, 4), "f"))
    ).sample(3),
    "distance": lambda self, x: F.sum(D.Normal(x, abs(x) + 1).log_prob(F.gaussian(x, x))),
}


class _Chain(chainer.Chain):
    def __init__(self, forward) -> None:
        super().__init__()
        self._forward = forward
        with self.init_scope():
            self.l = L.Linear(4, 3, initialW=f32(3, 4))

    def forward(self, x):
        return self._forward(self, x)


@pytest.mark.parametrize("name", CASES)
def test_a_model_draws_as_its_chain_does(name: str) -> None:
    axes = None if name == "categorical" else {"x": {0: "n"}}
    chain, inputs = _Chain(CASES[name]), (f32(3, 4),)
    model = elichika.compile_model(
        chain, inputs, dynamic_axes=axes, train=True, random="onnx", verify=False
    )
    report = model.verify()
    assert len(report.agreed) > 3
    assert not report.unstable
    assert "16 free runs" in report.draws
    assert f"random numbers: {report.draws}" in str(report)


@pytest.mark.parametrize("name", CASES)
def test_without_being_asked_a_model_draws_nothing(name: str) -> None:
    with pytest.raises(elichika.UnsupportedFunction, match="draws random numbers"):
        elichika.compile_model(_Chain(CASES[name]), (f32(3, 4),), train=True, verify=False)


def test_the_command_asks_for_random_numbers(tmp_path: Path) -> None:
    source = tmp_path / "model.py"
    source.write_text(
        "import chainer\nimport chainer.functions as F\n\n\nclass Model(chainer.Chain):\n"
        "    def forward(self, x):\n        return F.dropout(x, 0.3)\n\n\n"
        "def build():\n    return Model()\n"
    )
    arguments = [f"{source}:build", "--input", "x=float32[n,4]", "--train"]
    assert CliRunner().invoke(app, ["check", *arguments]).exit_code == 1
    assert CliRunner().invoke(app, ["check", *arguments, "--random", "onnx"]).exit_code == 0
    file = tmp_path / "model.onnx"
    done = CliRunner().invoke(app, ["export", *arguments, "--random", "onnx", "-o", str(file)])
    assert done.exit_code == 0
    assert "random numbers" in done.output
    assert elichika.load(file).draws


def test_draws_are_held_in_one_thread_only() -> None:
    before, drawn = np.random.rand, []
    with held(0.3):
        other = threading.Thread(target=lambda: drawn.append(np.random.rand(3)))
        other.start()
        other.join()
        assert np.array_equal(np.random.rand(2), [0.3, 0.3])
    assert len(set(drawn[0])) == 3
    assert np.random.rand is before


def test_what_dropout_keeps_is_scaled() -> None:
    chain = _Chain(lambda self, x: F.dropout(x, 0.25))
    model = elichika.compile_model(chain, (f32(3, 4),), dynamic_axes="n", train=True, random="onnx")
    x = f32(2000, 4) + 9
    kept = model(x) / x
    assert np.all((kept == 0) | np.isclose(kept, 1 / 0.75))
    assert abs(np.mean(kept == 0) - 0.25) < 0.03
    assert not np.array_equal(model(x), model(x))
    assert model(np.zeros((0, 4), "f")).shape == (0, 4)


def test_places_draw_apart_from_each_other() -> None:
    """Also in bodies, where onnxruntime starts nodes of one number alike, and turn by turn."""

    def forward(self, x, n):
        drawn = [np.random.rand(1000), np.random.rand(1000)]
        if n > 1:
            drawn.append(np.random.rand(1000))
        else:
            drawn.append(np.random.rand(1000))
        total = []
        for _ in range(n):
            total.append(np.random.rand(1000))
        return drawn[0], drawn[1], drawn[2], total[0], total[1]

    class Draws(chainer.Chain):
        pass

    Draws.forward = forward
    model = elichika.compile_model(Draws(), (f32(1), 2), random="onnx", verify=False)
    drawn = np.stack(model(f32(1), 2))
    apart = np.corrcoef(drawn) - np.eye(5)
    assert np.abs(apart).max() < 0.2
    assert np.abs(drawn.mean(1) - 0.5).max() < 0.06


def test_a_stream_draws() -> None:
    class Counter(chainer.Chain):
        def __init__(self) -> None:
            super().__init__()
            self.h = np.zeros(4, "f")

        def forward(self, x):
            self.h = self.h + F.dropout(x, 0.5).array.sum(0)
            return self.h

    model = elichika.compile_model(
        Counter(), (f32(3, 4),), train=True, random="onnx", state=True, dynamic_axes="n"
    )
    assert any("in a row" in text for text in model.report.verification.agreed)


@pytest.mark.parametrize("bidirectional", [False, True])
def test_n_step_networks_drop_between_layers(bidirectional: bool) -> None:
    kind = L.NStepBiLSTM if bidirectional else L.NStepLSTM

    class Tagger(chainer.Chain):
        def __init__(self) -> None:
            super().__init__()
            with self.init_scope():
                self.rnn = kind(2, 4, 5, 0.5)

        def forward(self, xs):
            return self.rnn(None, None, xs)[2]

    xs = [f32(3, 4), f32(2, 4, seed=1), f32(4, 4, seed=2)]
    model = elichika.compile_model(Tagger(), (xs,), train=True, random="onnx")
    assert len(model.report.verification.agreed) > 3
    assert "free runs" in model.report.verification.draws


def test_other_distributions_are_noticed() -> None:
    """A model of another chain with the same interface."""
    one = _Chain(lambda self, x: F.dropout(x, 0.25))
    model = elichika.compile_model(one, (f32(3, 4) + 2,), train=True, random="onnx", verify=False)
    other = _Chain(lambda self, x: F.dropout(x, 0.5))
    with pytest.raises(elichika.VerificationError):
        model.verify(chain=other)
    twice = _Chain(lambda self, x: F.dropout(x * 0 + 1) + F.dropout(x * 0 + 1))
    shared = _Chain(lambda self, x: F.dropout(x * 0 + 1) * 2)
    model = elichika.compile_model(twice, (f32(30, 40),), train=True, random="onnx", verify=False)
    with pytest.raises(elichika.VerificationError, match="other distributions: the mean square"):
        model.verify(chain=shared)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"random": "numpy"}, "random is None or 'onnx', not 'numpy'"),
        (
            {"random": "onnx", "opset_version": 22},
            "random='onnx' needs an opset_version up to 21, not 22",
        ),
    ],
)
def test_options(options, message: str) -> None:
    with pytest.raises(elichika.InputError) as caught:
        elichika.compile_model(_Chain(CASES["dropout"]), (f32(3, 4),), **options)
    assert caught.value.message == message


@pytest.mark.parametrize(
    "drawn",
    [
        lambda self, x: x + np.random.RandomState().rand(),
        lambda self, x: x + np.random.hypergeometric(3, 5, 2),
        lambda self, x: x + np.random.default_rng().random(),
        lambda self, x: x + random.Random().uniform(0, 1),
        lambda self, x: x + random.triangular(1, 2),
        lambda self, x: (np.random.seed(), x + np.random.rand())[1],
    ],
)
def test_other_generators_are_refused(drawn) -> None:
    with pytest.raises(elichika.UnsupportedFunction) as caught:
        elichika.compile_model(_Chain(drawn), (f32(3, 4),), random="onnx", verify=False)
    assert "random='onnx'" not in str(caught.value)


def test_each_order_comes_as_often() -> None:
    orders = {}
    np.random.seed(0)
    for shuffled in (NUMPY["shuffle"], STDLIB["shuffle"], lambda x: x.reverse()):
        for _ in range(1200):
            items = [1, 2, 3]
            shuffled(items)
            orders[tuple(items)] = orders.get(tuple(items), 0) + 1
    assert orders.pop((3, 2, 1)) > 1200
    assert len(orders) == 5
    assert all(abs(count - 400) < 80 for count in orders.values())


def test_a_function_of_the_user_that_draws_is_not_frozen() -> None:
    class Noise(chainer.FunctionNode):
        def forward(self, inputs):
            return (inputs[0] + np.random.randn(3, 4).astype("f"),)

    chain = _Chain(lambda self, x: x + Noise().apply((self.l.W,))[0])
    with pytest.raises(elichika.UnsupportedFunction, match="draws random numbers"):
        elichika.compile_model(chain, (f32(3, 4),), verify=False)


PARAMETERS = {
    "uniform": (-1, 3),
    "normal": (1, 2),
    "lognormal": (0.1, 0.3),
    "laplace": (1, 2),
    "logistic": (1, 2),
    "gumbel": (1, 2),
    "exponential": (2,),
    "rayleigh": (2,),
    "pareto": (9,),
    "weibull": (1.5,),
    "power": (2.5,),
    "gamma": (2.0, 1.5),
    "standard_gamma": (0.4,),
    "chisquare": (3.0,),
    "beta": (0.5, 2.0),
    "randint": (2, 9),
    "binomial": (5, 0.3),
    "geometric": (0.3,),
    "poisson": (4.0,),
    "choice": (4,),
    "dirichlet": ((0.5, 2.0, 3.0),),
    "multinomial": (5, (0.2, 0.5, 0.3)),
}


@pytest.mark.parametrize("name", sorted(set(NUMPY) - {"permutation", "shuffle"}))
def test_programs_draw_as_numpy_does(name: str) -> None:
    count, arguments = 20_000, PARAMETERS.get(name, ())
    state = np.random.get_state()
    np.random.seed(7)
    sides = []
    for function in (NUMPY[name], getattr(np.random, name)):
        many = (count,) if name in ("rand", "randn") else (*arguments, count)
        drawn = function(*many)
        assert type(function(*arguments)) is type(getattr(np.random, name)(*arguments))
        sides.append(drawn)
    np.random.set_state(state)
    one, other = sides
    assert (one.dtype, one.shape) == (other.dtype, other.shape)
    one, other = np.sort(one.ravel()), np.sort(other.ravel())
    both = np.concatenate((one, other))
    gap = np.searchsorted(one, both, "right") - np.searchsorted(other, both, "right")
    assert np.abs(gap).max() / one.size < 0.025  # the test of Kolmogorov and Smirnov


@pytest.mark.parametrize("name", sorted(set(STDLIB) - {"shuffle"}))
def test_programs_draw_as_the_standard_library_does(name: str) -> None:
    arguments = {
        "random": (),
        "uniform": (1, 3),
        "randint": (1, 4),
        "randrange": (1, 12, 3),
        "choice": ([1.0, 5.0],),
        "expovariate": (2.0,),
        "choices": ([1.0, 5.0], [1, 3]),
        "sample": ([1.0, 5.0, 6.0], 1),
    }.get(name, (1.0, 2.0))
    np.random.seed(0)
    random.seed(0)
    means = []
    for function in (STDLIB[name], getattr(random, name)):
        drawn = [function(*arguments) for _ in range(4000)]
        means.append((np.mean(drawn), np.std(drawn), type(drawn[0])))
    assert means[0][2] is means[1][2]
    assert abs(means[0][0] - means[1][0]) < 0.2
    assert abs(means[0][1] - means[1][1]) < 0.2
