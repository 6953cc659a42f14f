"""Members and operators of `chainer.Variable`, and the parts of Chainer that models touch."""

from typing import Any

import numpy as np

from tests.lowerings.chainer.cases import (
    REAL,
    SINGLE,
    Case,
    alone,
    case,
    drawn,
    f32,
    i32,
    refused,
    whole,
)

X, Y = f32(2, 3), f32(2, 3, seed=1)

VARIABLES = {
    "Variable.__neg__": [case("-x", x=X)],
    "Variable.__abs__": [case("abs(x)", x=X)],
    "Variable.__pos__": [whole("+x", x=X)],
    "Variable.__add__": [
        case("x + y", "x + 1", "x + 1.5", "x + np.arange(3).astype(x.dtype)", x=X, y=Y),
        alone("x + np.arange(3.0)", x=X),
        alone("x + 1", x=i32(2, 3), dtypes=SINGLE),
    ],
    "Variable.__add__(broadcast)": [case("x + y", "y + x", x=X, y=f32(3))],
    "Variable.__radd__(const)": [whole("1 + x", "1.5 + x", x=X)],
    "Variable.__sub__": [
        whole("x - y", "x - 2", x=X, y=Y),
        alone("x - y", x=f32(2, 1), y=X),
        alone("x - 1.5", x=X),
        alone("x - y", x=i32(2, 3), y=i32(3), dtypes=SINGLE),
    ],
    "Variable.__rsub__(const)": [
        whole("2 - x", "0.5 - x", x=X),
        alone("1.5 - x", x=X),
    ],
    "Variable.__mul__": [
        whole("x * y", "y * x", x=X, y=f32(2, 1)),
        alone("x * y", x=X, y=f32()),
    ],
    "Variable.__mul__(const)": [
        whole("x * 2", "0.1 * x", x=X),
        alone("x * 0.1", x=X),
    ],
    "Variable.__truediv__": [
        case("x / y", "x / 3", x=X, y=f32(2, 3, low=1)),
        case("x / 2", x=i32(2, 3)),
    ],
    "Variable.__rtruediv__": [case("3 / x", x=f32(2, 3, low=1))],
    "Variable.__floordiv__": [case("x // 0.3", "x // y", x=X, y=f32(2, 3, low=1))],
    "Variable.__rfloordiv__": [whole("3 // x", x=f32(2, 3, low=1))],
    "Variable.__pow__": [
        case("x ** 2", "x ** -0.5", "x ** 0", x=f32(2, 3, low=0.1)),
        alone("x ** 2", x=X),
    ],
    "Variable.__pow__(var)": [case("x ** y", x=f32(2, 3, low=0.1), y=f32(3))],
    "Variable.__rpow__": [case("2 ** x", "0.5 ** x", x=X)],
    "Variable.__matmul__": [
        whole("x @ y", x=X, y=f32(3, 4)),
        alone("x @ y", x=f32(5, 2, 3), y=f32(3, 4)),
    ],
    "Variable.__rmatmul__": [whole("y.array @ x", x=X, y=f32(4, 2))],
    "Variable.__getitem__": [
        case("x[0]", "x[:, 1:]", "x[::-1, None, ..., 0]", "x[-1, 2]", x=X),
        case("x[[0, 2, 0]]", "x[i.array]", "x[:, i.array]", x=f32(3, 4), i=i32(3)),
        whole("x[x.array > 0]", x=X),
        alone("x[::-1, None, ..., 0]", x=f32(3, 4, 5)),
        alone("x[np.array([0, 1]), np.array([1, 2])]", x=f32(3, 4)),
        alone("x[:, np.array([0, 1]), :, np.array([1, 2])]", x=f32(2, 3, 4, 5)),
        alone("x[np.array([True, False, True])]", x=f32(3, 4)),
    ],
    "Variable.__len__": [whole("len(x)", "len(x.array) * 2", x=X)],
    "Variable.__eq__/__lt__ etc": [
        *(refused(f"x {op} x", "do not support", x=X) for op in ("==", "!=", "<", "<=", ">", ">=")),
        whole("x.array < 0", "x.array == y.array", x=X, y=X),
    ],
    "Variable.__bool__": [
        refused("1 if x else 2", "cannot be evaluated as Python bool", x=X),
        whole("bool(x.array.sum() > 0)", x=X),
    ],
    "Variable.T": [whole("x.T", x=X), whole("x.T", x=f32(2, 3, 4))],
    "Variable.transpose": [
        whole("x.transpose()", "x.transpose(1, 0, 2)", "x.transpose((2, 0, 1))", x=f32(2, 3, 4))
    ],
    "Variable.reshape": [
        whole("x.reshape(3, 2)", "x.reshape((-1, 2))", "x.reshape(6)", x=X, axes=None),
        whole("x.reshape(len(x), -1)", x=f32(2, 3, 4)),
    ],
    "Variable.mean": [
        whole("x.mean()", "x.mean(axis=0)", "x.mean(axis=(0, 1), keepdims=True)", x=f32(2, 3, 4))
    ],
    "Variable.shape": [whole("x.shape", "x.shape[0] * x.shape[1]", "x * x.shape[1]", x=X)],
    "Variable.ndim": [whole("x.ndim", "x.reshape(-1).ndim", x=X)],
    "Variable.size": [whole("x.size", "x * x.size", x=X)],
    "Variable.dtype": [whole("x * 2 if x.dtype == np.float64 else x.array.astype(x.dtype)", x=X)],
    "Variable.array": [whole("x.array", "x.array + 1", "x.array.sum(axis=0)", x=X)],
    "Variable.data": [whole("x.data", "np.tanh(x.data)", x=X)],
    "Variable.item": [
        whole("x.item()", "x.item() + 1", x=f32(1, 1), axes=None),
        whole("F.sum(x).item() > 0", x=X),
    ],
    "Variable.to_gpu": [whole("(x.to_gpu() if chainer.backends.cuda.available else None, x)", x=X)],
    "Variable.xp": [whole("x.xp.exp(x.array)", x=X)],
    "Variable.unchain_backward": [whole("(x.unchain_backward(), x)", x=X)],
    "Variable.to_cpu": [whole("(x.to_cpu(), x)", x=X)],
    "Variable.copydata": [whole("(y.copydata(x), y * 2)", x=X, y=Y)],
    "Variable.rank": [whole("x.rank", x=X)],
    "Variable.raw_array": [whole("x.raw_array", x=X)],
    "Variable.device": [whole("x.array + x.device.xp.ones(3, 'f')", x=X, dtypes=SINGLE)],
    **{
        f"Variable.{name}": [whole(f"x * 2 if x.{name} is None else x", x=X)]
        for name in ("name", "grad", "grad_var", "creator", "creator_node", "layout")
    },
    **{
        f"Variable.{call.split('(')[0]}": [whole(f"(x.{call}, x)", x=X)]
        for call in (
            "unchain()",
            "cleargrad()",
            "zerograd()",
            "addgrad(x)",
            "from_chx()",
            "as_layout(None)",
        )
    },
    "Variable.requires_grad": [whole("x * 2 if x.requires_grad else x", x=X)],
    "Variable.node": [whole("x * 2 if x.node.requires_grad else x.node.data", x=X)],
    "Variable.label": [whole("x * 2 if x.label else x", x=X, axes=None)],
    "Variable.backward": [whole("(F.sum(x * x).backward(), x.grad)", x=X)],
    "Variable.retain_data": [whole("(x.retain_data(), x)", x=X)],
    **{
        f"Variable.{name}": [
            whole(f"(x.{name}(None), x)", x=X),
            refused(f"(x.{name}(chainer.FunctionNode()), x)", "for None alone", x=X),
        ]
        for name in ("set_creator", "set_creator_node")
    },
    "Variable.to_device": [
        whole("(x.to_device('@numpy'), x)", "(x.to_device(x.device), x * 2)", x=X),
        refused("(x.to_device('@cupy:0'), x)", "CUDA", x=X),
    ],
    "Variable.chx_array": [refused("x.chx_array", "ChainerX", x=X)],
    "Variable.to_chx": [refused("(x.to_chx(), x)", "ChainerX", x=X)],
    "Variable.to_intel64": [refused("(x.to_intel64(), x)", "iDeep", x=X)],
    "Variable.summary": [refused("(x.summary(), x)", "`id`", x=X)],
    "Variable.debug_print": [refused("(x.debug_print(), x)", "`id`", x=X)],
}

SUPPORTING = {
    "chainer.as_variable": [whole("chainer.as_variable(x.array)", "chainer.as_variable(x)", x=X)],
    "chainer.Variable": [whole("chainer.Variable(x.array) * 2", x=X)],
    "chainer.as_array": [whole("chainer.as_array(x)", x=X)],
    "chainer.report": [whole("(chainer.report({'loss': F.sum(x)}), x)", x=X)],
    "chainer.config": [
        whole(
            "x * 2 if chainer.config.train else x * 3",
            "F.dropout(x) if chainer.config.enable_backprop else x",
            "chainer.config.dtype == np.float32",
            x=X,
        )
    ],
    "chainer.get_dtype": [whole("x.array.astype(chainer.get_dtype())", x=X)],
    "chainer.backends.cuda.to_cpu": [
        whole(
            "chainer.backends.cuda.to_cpu(x.array)",
            "chainer.backends.cuda.to_cpu([x.array, x.array[0]])",
            "chainer.backends.cuda.to_cpu(x.array[0, 0])",
            "chainer.backends.cuda.to_cpu([row.array for row in x])",
            x=X,
        )
    ],
    "chainer.Device.send": [
        whole(
            "chainer.get_device('@numpy').send(x.array)",
            "chainer.backend.CpuDevice().send((x.array, None))[0]",
            x=X,
        )
    ],
    "chainer.backend.get_array_module": [
        whole("chainer.backend.get_array_module(x).exp(x.array)", x=X)
    ],
    "chainer.utils.force_array": [whole("chainer.utils.force_array(x.array)", x=X)],
    "chainer.dataset.concat_examples": [
        whole("chainer.dataset.concat_examples([x.array, y.array])", x=X, y=Y),
        whole("chainer.dataset.concat_examples([(x.array, 1), (y.array, 2)])", x=X, y=Y),
    ],
}

POSITIVE = f32(2, 3, low=0.5, high=3)
UNIT = f32(2, 3, low=0.1, high=0.9)
PROBABILITIES = np.asarray(UNIT / UNIT.sum(1, keepdims=True), np.float32)
TRIANGLE = np.asarray(np.tril(f32(2, 3, 3)) + 3 * np.eye(3), np.float32)
BOTH = ("{}.log_prob(x)", "{}.entropy", "{}.mean", "{}.variance")
OTHER = "chainer.kl_divergence({}, {})"


def distribution(made: str, *members: str, kl: str = "", **inputs: Any) -> list[Case]:
    """Return calls of the members of a distribution, its divergence, and samples."""
    calls = [member.format(made) for member in members]
    if kl:
        calls.append(OTHER.format(made, kl))
    sample = {name: value for name, value in inputs.items() if name not in ("dtypes", "axes")}
    axes = inputs.get("axes", (0,))
    return [
        whole(*calls, **{"axes": (0,), "dtypes": REAL, **inputs}),
        drawn(
            f"{made}.sample()", f"{made}.sample(2)", train=False, dtypes=SINGLE, axes=axes, **sample
        ),
        refused(f"{made}.sample()", "andom", **sample),
    ]


DISTRIBUTIONS = {
    "Bernoulli": distribution(
        "D.Bernoulli(logit=y)",
        *BOTH,
        "{}.stddev",
        "{}.prob(x)",
        kl="D.Bernoulli(logit=y * 2)",
        x=np.asarray(i32(2, 3, high=2), np.float32),
        y=Y,
    ),
    "Beta": distribution(
        "D.Beta(y, z)", *BOTH, kl="D.Beta(z, y)", x=UNIT, y=POSITIVE, z=POSITIVE + 1
    ),
    "Categorical": distribution(
        "D.Categorical(p=y)",
        "{}.log_prob(x)",
        "{}.entropy",
        kl="D.Categorical(p=z)",
        x=i32(2),
        y=PROBABILITIES,
        z=PROBABILITIES[::-1].copy(),
    ),
    "Cauchy": distribution(
        "D.Cauchy(y, z)", "{}.log_prob(x)", "{}.entropy", "{}.cdf(x)", x=X, y=Y, z=POSITIVE
    ),
    "Chisquare": distribution("D.Chisquare(y)", *BOTH, x=POSITIVE, y=POSITIVE + 1),
    "Dirichlet": distribution(
        "D.Dirichlet(y)", *BOTH, kl="D.Dirichlet(y + 1)", x=PROBABILITIES, y=POSITIVE
    ),
    "Exponential": distribution(
        "D.Exponential(y)",
        *BOTH,
        "{}.cdf(x)",
        "{}.icdf(z)",
        kl="D.Exponential(y + 1)",
        x=POSITIVE,
        y=POSITIVE,
        z=UNIT,
    ),
    "Gamma": distribution(
        "D.Gamma(k=y, theta=z)",
        *BOTH,
        kl="D.Gamma(k=z, theta=y)",
        x=POSITIVE,
        y=POSITIVE,
        z=POSITIVE + 1,
    ),
    "Geometric": distribution(
        "D.Geometric(y)",
        "{}.log_prob(x)",
        "{}.mean",
        "{}.variance",
        kl="D.Geometric(y * 0.5)",
        x=np.asarray(i32(2, 3, low=1, high=5), np.float32),
        y=UNIT,
    ),
    "Gumbel": distribution("D.Gumbel(y, z)", *BOTH, kl="D.Gumbel(y + 1, z)", x=X, y=Y, z=POSITIVE),
    "Independent": distribution(
        "D.Independent(D.Normal(y, z))",
        *BOTH,
        kl="D.Independent(D.Normal(y + 1, z))",
        x=X,
        y=Y,
        z=POSITIVE,
    ),
    "Laplace": distribution(
        "D.Laplace(y, z)",
        *BOTH,
        "{}.cdf(x)",
        "{}.icdf(u)",
        kl="D.Laplace(y + 1, z)",
        x=X,
        y=Y,
        z=POSITIVE,
        u=UNIT,
    ),
    "LogNormal": distribution(
        "D.LogNormal(y, z)", *BOTH, kl="D.LogNormal(y + 1, z)", x=POSITIVE, y=Y, z=UNIT
    ),
    "MultivariateNormal": distribution(
        "D.MultivariateNormal(y, scale_tril=z)",
        "{}.log_prob(x)",
        "{}.entropy",
        "{}.mean",
        kl="D.MultivariateNormal(y + 1, scale_tril=z * 2)",
        x=X,
        y=Y,
        z=TRIANGLE,
        axes=None,
        dtypes=SINGLE,
    ),
    "Normal": distribution(
        "D.Normal(y, z)",
        *BOTH,
        "{}.cdf(x)",
        "{}.icdf(u)",
        "{}.log_cdf(x)",
        "{}.survival_function(x)",
        "{}.log_survival_function(x)",
        kl="D.Normal(y + 1, log_scale=z)",
        x=X,
        y=Y,
        z=POSITIVE,
        u=UNIT,
    ),
    "OneHotCategorical": distribution(
        "D.OneHotCategorical(y)",
        "{}.log_prob(x)",
        "{}.mean",
        kl="D.OneHotCategorical(z)",
        x=np.eye(3, dtype="f")[:2],
        y=PROBABILITIES,
        z=PROBABILITIES[::-1].copy(),
    ),
    "Pareto": distribution(
        "D.Pareto(y, z)",
        *BOTH,
        x=POSITIVE + 3,
        y=POSITIVE,
        z=POSITIVE + 2,
        kl="D.Pareto(y * 0.5, z)",
    ),
    "Poisson": distribution(
        "D.Poisson(y)",
        "{}.log_prob(x)",
        "{}.mean",
        "{}.variance",
        kl="D.Poisson(y + 1)",
        x=np.asarray(i32(2, 3, high=6), np.float32),
        y=POSITIVE,
    ),
    "Uniform": distribution(
        "D.Uniform(loc=y, scale=z)",
        *BOTH,
        "{}.cdf(x)",
        "{}.icdf(u)",
        kl="D.Uniform(loc=y - 1, scale=z + 2)",
        x=X,
        y=Y,
        z=POSITIVE,
        u=UNIT,
    ),
}
