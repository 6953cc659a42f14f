"""Calls of `chainer.functions.normalization`, `rnn` and `util`."""

from typing import Any

import chainer.links as L
import numpy as np

from tests.lowerings.chainer.cases import REAL, Case, alone, case, f32, weight, whole

GAMMA: dict[str, Any] = {"y": f32(3, low=0.5), "b": f32(3)}
PROJECTION = f32(1, 3, 3) + 3 * np.eye(3, dtype="f")

STATISTICS: dict[str, Any] = {"m": f32(3, seed=5), "v": f32(3, low=0.5, seed=6)}
RUNNING = "running_mean=m.array, running_var=v.array"

NORMALIZATION = {
    "batch_normalization": [
        whole(
            f"(F.batch_normalization(x, y, b, {RUNNING}, decay=0.8), m, v)",
            train=True,
            x=f32(4, 3, 5),
            **GAMMA,
            **STATISTICS,
            axes=(0, 2),
        ),
        whole("F.batch_normalization(x, y, b, axis=(0,))", x=f32(4, 3), **GAMMA),
        whole(
            "F.batch_normalization(x, y, b)",
            "F.batch_normalization(x, y, b, eps=1e-3)",
            x=f32(4, 3, 5),
            **GAMMA,
            axes=(0, 2),
        ),
        whole("F.batch_normalization(x, y, b, axis=(0, 1))", x=f32(4, 2, 3), **GAMMA, axes=(0, 1)),
        whole("F.batch_normalization(x, y, b)", x=f32(4, 3), **GAMMA, axes=(0,)),
        alone("F.batch_normalization(x, y, y)", x=f32(4, 3, 4), y=f32(3, low=0.5)),
        alone("F.batch_normalization(x, y, y, axis=(0, 1))", x=f32(4, 3, 4), y=f32(4, low=0.5)),
    ],
    "batch_renormalization": [
        whole(
            f"(F.batch_renormalization(x, y, b, 3, 0.5, 1e-3, {RUNNING}, decay=0.8), m, v)",
            train=True,
            x=f32(4, 3, 5),
            **GAMMA,
            **STATISTICS,
            axes=(0, 2),
        ),
        whole(
            f"(F.batch_renormalization(x, y, b, 3, 1, {RUNNING}, update_statistics=True), m, v)",
            train=True,
            x=f32(4, 3, 5),
            **GAMMA,
            **STATISTICS,
            axes=(0, 2),
        ),
        whole(
            "F.batch_renormalization(x, y, b, 1.5, 0.5, running_mean=self.m, running_var=self.v)",
            train=True,
            links={"m": lambda: f32(3), "v": lambda: f32(3, low=0.5)},
            x=f32(4, 3, 5),
            **GAMMA,
            axes=(0, 2),
        ),
    ],
    "decorrelated_batch_normalization": [
        whole(
            "F.decorrelated_batch_normalization(x, groups=1)",
            "F.decorrelated_batch_normalization(x, groups=2, eps=1e-3)",
            x=f32(9, 4),
            axes=(0,),
            dtypes=REAL,
        ),
        whole("F.decorrelated_batch_normalization(x, groups=2)", x=f32(4, 6, 3, 2), dtypes=REAL),
        whole(
            "(F.decorrelated_batch_normalization(x, groups=2, running_mean=m.array, "
            "running_projection=p.array, decay=0.7), m, p)",
            x=f32(9, 4),
            m=f32(2, 2),
            p=f32(2, 2, 2),
            axes=None,
            dtypes=REAL,
        ),
    ],
    "fixed_batch_normalization": [
        whole(
            "F.fixed_batch_normalization(x, y, b, b, y)",
            "F.fixed_batch_normalization(x, y, b, b, y, eps=1e-3)",
            x=f32(2, 3, 4),
            **GAMMA,
            axes=(0, 2),
        ),
        whole(
            "F.fixed_batch_normalization(x, y, b, b, y, axis=(0, 1))",
            x=f32(2, 4, 3),
            **GAMMA,
            axes=(0, 1),
        ),
        alone("F.fixed_batch_normalization(x, y, y, y, y)", x=f32(2, 3, 4), y=f32(3, low=0.5)),
    ],
    "fixed_batch_renormalization": [
        whole(
            "F.fixed_batch_renormalization(x, y, b, b, y)",
            "F.fixed_batch_renormalization(x, y, b, b, y, eps=1e-3)",
            x=f32(2, 3, 4),
            **GAMMA,
            axes=(0, 2),
        ),
    ],
    "fixed_decorrelated_batch_normalization": [
        whole(
            "F.fixed_decorrelated_batch_normalization(x, m, p, groups=1)",
            x=f32(5, 3),
            m=f32(1, 3),
            p=PROJECTION,
            axes=(0,),
        ),
        whole(
            "F.fixed_decorrelated_batch_normalization(x, m, p, groups=2)",
            x=f32(5, 6, 2),
            m=f32(2, 3),
            p=f32(2, 3, 3),
            axes=(0,),
        ),
    ],
    "group_normalization": [
        case(
            "F.group_normalization(x, 2, y, y)",
            "F.group_normalization(x, 4, y, y, eps=1e-2)",
            x=f32(2, 4, 3, 5),
            y=f32(4),
            axes=(0, 2, 3),
        ),
        whole("F.group_normalization(x, 1, y, y)", x=f32(2, 4), y=f32(4), axes=(0,)),
    ],
    "layer_normalization": [
        case(
            "F.layer_normalization(x, y, y)",
            "F.layer_normalization(x, y, y, eps=1e-2)",
            x=f32(4, 5),
            y=f32(5),
            axes=(0,),
        ),
        alone("F.layer_normalization(x, self.y, self.y)", x=f32(4, 5), y=weight(1)),
    ],
    "local_response_normalization": [
        case(
            "F.local_response_normalization(x)",
            "F.local_response_normalization(x, n=4, k=1, alpha=0.1, beta=0.5)",
            x=f32(2, 7, 3, 4),
        ),
        case("F.local_response_normalization(x, alpha=0.1)", x=f32(2, 7)),
        alone("F.local_response_normalization(x, n=4, k=1, alpha=0.1)", x=f32(2, 7, 3, 4)),
    ],
    "normalize": [
        case(
            "F.normalize(x)",
            "F.normalize(x, eps=0.1)",
            "F.normalize(x, axis=(1, 2))",
            "F.normalize(x, axis=0)",
            x=f32(3, 4, 2),
        ),
        alone("F.normalize(x * 1e-3, axis=(1, 2))", x=f32(3, 4, 2), dtypes=REAL),
    ],
}


def weights(layers: int, directions: int, gates: int, inputs: int = 3, hidden: int = 4) -> str:
    """Return the weights of a recurrent network as an expression over `w`, `v`, `u` and `b`."""
    first = ["self.w"] * (gates // 2) + ["self.v"] * (gates // 2)
    deeper = ["self.u"] * (gates // 2) + ["self.v"] * (gates // 2)
    each = [first] * directions + [deeper] * directions * (layers - 1)
    text = ", ".join(f"[{', '.join(names)}]" for names in each)
    biases = ", ".join([f"[{', '.join(['self.b'] * gates)}]"] * (layers * directions))
    return f"[{text}], [{biases}]"


def recurrent(name: str, gates: int, directions: int, states: str, *options: str) -> list[Case]:
    """Return calls of an n-step function on ragged sequences, listed and as a list argument."""
    layers = 2
    hidden = 4
    parameters: dict[str, Any] = {
        "w": weight(hidden, 3),
        "v": weight(hidden, hidden),
        "u": weight(hidden, hidden * directions),
        "b": weight(hidden),
        "h": f32(layers * directions, 2, hidden),
        "c": f32(layers * directions, 2, hidden, seed=1),
    }
    if "c" not in states:
        del parameters["c"]
    call = f"F.{name}({layers}, 0.5, {states}, {weights(layers, directions, gates)}, "
    listed = [f"{call}[x, y]{one})" for one in options or ("",)]
    return [
        whole(*listed, x=f32(2, 3), y=f32(1, 3), **parameters, axes=None),
        whole(
            f"{call}xs)",
            xs=[f32(2, 3), f32(2, 3, seed=1), f32(1, 3)],
            **parameters,
            axes=None,
        ),
    ]


RNN = {
    "lstm": [
        case("F.lstm(c, x)", c=f32(2, 3), x=f32(2, 12), axes=(0,)),
        case("F.lstm(c, x)", c=f32(4, 3), x=f32(2, 12), axes=(0,)),
        case("F.lstm(c, x)", c=f32(2, 3, 5), x=f32(2, 12, 5), axes=(0, 2)),
        alone(
            "F.lstm(c, x)", c=f32(4, 3), x=f32(2, 12), others=[{"c": f32(5, 3), "x": f32(1, 12)}]
        ),
    ],
    "slstm": [
        case(
            "F.slstm(c, d, x, y)",
            c=f32(2, 3),
            d=f32(2, 3),
            x=f32(2, 12),
            y=f32(2, 12, seed=1),
            axes=(0,),
        ),
    ],
    "tree_lstm": [
        case("F.tree_lstm(c, d, x)", c=f32(2, 3), d=f32(2, 3), x=f32(2, 15), axes=(0,)),
        whole("F.tree_lstm(c, x)", c=f32(2, 3), x=f32(2, 12), axes=(0,)),
        whole("F.tree_lstm(c, d, c, x)", c=f32(2, 3), d=f32(2, 3), x=f32(2, 18), axes=(0,)),
    ],
    "n_step_lstm": recurrent("n_step_lstm", 8, 1, "h, c"),
    "n_step_bilstm": recurrent("n_step_bilstm", 8, 2, "h, c"),
    "n_step_gru": recurrent("n_step_gru", 6, 1, "h"),
    "n_step_bigru": recurrent("n_step_bigru", 6, 2, "h"),
    "n_step_rnn": recurrent("n_step_rnn", 2, 1, "h", "", ", activation='relu'"),
    "n_step_birnn": recurrent("n_step_birnn", 2, 2, "h", "", ", activation='relu'"),
}

UTIL = {
    "forget": [
        whole("F.forget(lambda a: F.relu(a) * 2, x)", "F.forget(F.add, x, x)", x=f32(2, 3)),
        whole("F.forget(self.l, x)", links={"l": lambda: L.Linear(3, 2)}, x=f32(2, 3), axes=(0,)),
    ],
}
