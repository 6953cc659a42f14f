"""Programs without a fault, with marks where one may be put."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["PROGRAMS", "Program"]


@dataclass(frozen=True)
class Program:
    """A file with a chain `Net`; a line `#@ name` is a mark where `name` is a Variable.

    Attributes:
        name: What it is.
        text: The file without its imports.
        inputs: What `--input` says of the example.
    """

    name: str
    text: str
    inputs: tuple[str, ...]

    @property
    def marks(self) -> list[str]:
        """The Variables at the marks."""
        return re.findall(r"#@ (\w+)", self.text)

    def marked(self, place: int, statement: str) -> str:
        """Return the text with a statement at one of the marks."""
        parts = re.split(r"#@ (\w+)", self.text)
        made = [statement.format(name) if n == place else "" for n, name in enumerate(parts[1::2])]
        return "".join(f"{text}{put}" for text, put in zip(parts[::2], [*made, ""], strict=True))


CONVOLUTIONS = '''
SIZES = (4, 8)


class Block(chainer.Chain):
    """Two convolutions and a way around them."""

    def __init__(self, n_in, n_out):
        super().__init__()
        self.widens = n_in != n_out
        with self.init_scope():
            self.first = L.Convolution2D(n_in, n_out, 3, pad=1)
            self.second = L.Convolution2D(n_out, n_out, 3, pad=1)
            if self.widens:
                self.around = L.Convolution2D(n_in, n_out, 1)

    def forward(self, x):
        h = F.relu(self.first(x))
        #@ h
        h = self.second(h)
        if self.widens:
            x = self.around(x)
        return F.relu(h + x)


class Net(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.blocks = chainer.ChainList(*(Block(a, b) for a, b in zip((3, 4), SIZES)))
            self.out = L.Linear(8, 5)
        self.scale = 0.5

    def pooled(self, h):
        """Return the mean over each image."""
        n, c = h.shape[:2]
        h = F.reshape(h, (n, c, -1))
        #@ h
        return F.mean(h, axis=2)

    def forward(self, x):
        h = x * self.scale
        for block in self.blocks:
            h = block(h)
        h = self.pooled(h)
        if F.max(h).array > 2:
            h = F.normalize(h)
            #@ h
        y = self.out(h)
        return {"scores": F.softmax(y), "best": F.argmax(y, axis=1)}
'''

SENTENCES = """
class Encoder(chainer.Chain):
    def __init__(self, n_words, n_units):
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(n_words, n_units)
            self.lstm = L.LSTM(n_units, n_units)

    def forward(self, ids):
        self.lstm.reset_state()
        states = []
        for t in range(ids.shape[1]):
            h = self.lstm(self.embed(ids[:, t]))
            #@ h
            states.append(h)
        return F.stack(states, axis=1)


class Attention(chainer.Chain):
    def __init__(self, n_units):
        super().__init__()
        with self.init_scope():
            self.key = L.Linear(n_units, n_units)

    def forward(self, states, query):
        keys = self.key(states, n_batch_axes=2)
        scores = F.sum(keys * F.expand_dims(query, 1), axis=2)
        weights = F.softmax(scores, axis=1)
        #@ weights
        return F.sum(states * F.expand_dims(weights, 2), axis=1)


class Net(chainer.Chain):
    def __init__(self, n_words=20, n_units=6):
        super().__init__()
        with self.init_scope():
            self.encoder = Encoder(n_words, n_units)
            self.attention = Attention(n_units)
            self.out = L.Linear(2 * n_units, 3)

    def forward(self, ids, again=1):
        states = self.encoder(ids)
        h = states[:, -1]
        for _ in range(again):
            found = self.attention(states, h)
            h = F.tanh(h + found)
            #@ h
        return self.out(F.concat([h, found]))
"""

SEARCH = '''
class Cell(chainer.Chain):
    def __init__(self, n_units):
        super().__init__()
        with self.init_scope():
            self.inside = L.Linear(n_units, n_units)
            self.back = L.Linear(n_units, n_units, nobias=True)

    def __call__(self, x, h):
        y = F.tanh(self.inside(x) + self.back(h))
        #@ y
        return y


class Net(chainer.Chain):
    """Goes on until it is sure."""

    MOST = 9

    def __init__(self, n_units=5):
        super().__init__()
        self.n_units = n_units
        with self.init_scope():
            self.cell = Cell(n_units)
            self.sure = L.Linear(n_units, 1)
        self.add_persistent("limit", 0.6)

    def start(self, x):
        return chainer.Variable(self.xp.zeros((len(x), self.n_units), np.float32))

    def is_done(self, h):
        p = F.sigmoid(self.sure(h))
        #@ p
        return float(F.min(p).array) > self.limit

    def forward(self, x, steps):
        h = self.start(x)
        taken = 0
        trace = []
        while taken < steps and taken < self.MOST:
            h = self.cell(x, h)
            taken += 1
            trace.append(F.sum(h))
            if self.is_done(h):
                break
        total = F.sum(h)
        #@ total
        for value in trace:
            total = total + value
        return h, taken, total
'''

TREES = """
def normalized(x, epsilon=1e-6):
    mean = F.mean(x, axis=1, keepdims=True)
    var = F.mean((x - F.broadcast_to(mean, x.shape)) ** 2, axis=1, keepdims=True)
    y = (x - F.broadcast_to(mean, x.shape)) / F.broadcast_to(F.sqrt(var + epsilon), x.shape)
    #@ y
    return y


class Expert(chainer.Chain):
    def __init__(self, n, activation):
        super().__init__()
        self.activation = activation
        with self.init_scope():
            self.fc = L.Linear(n, n)

    def forward(self, x):
        h = self.activation(self.fc(x))
        #@ h
        return h


class Net(chainer.Chain):
    def __init__(self, n=4):
        super().__init__()
        with self.init_scope():
            self.gate = L.Linear(n, 2)
            self.left = Expert(n, F.relu)
            self.right = Expert(n, F.tanh)
        self.used = {"left": 0, "right": 0}

    def choose(self, x):
        left, right = F.sum(F.softmax(self.gate(x)), axis=0)
        if left.array > right.array:
            self.used["left"] += 1
            return self.left
        self.used["right"] += 1
        return self.right

    def forward(self, xs, scale=None):
        results = []
        for x in xs:
            h = normalized(x)
            expert = self.choose(h)
            h = expert(h) + h
            #@ h
            if scale is not None:
                h = h * scale
            results.append(F.sum(h, axis=0))
        return F.stack(results), len(results)
"""

MIXTURE = '''
class Dense(chainer.Chain):
    def __init__(self, *sizes):
        super().__init__()
        with self.init_scope():
            self.layers = chainer.ChainList()
        for n_in, n_out in zip(sizes, sizes[1:]):
            self.layers.append(L.Linear(n_in, n_out))

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = F.leaky_relu(layer(x))
        y = self.layers[-1](x)
        #@ y
        return y


class Net(chainer.Chain):
    """Gives the parameters of a mixture, and how likely each point is."""

    def __init__(self, n=3, parts=4):
        super().__init__()
        self.n, self.parts = n, parts
        with self.init_scope():
            self.net = Dense(n, 8, parts * (2 * n + 1))

    def split(self, h):
        shape = (len(h), self.parts, self.n)
        size = self.parts * self.n
        weights = F.log_softmax(h[:, : self.parts])
        means = F.reshape(h[:, self.parts : self.parts + size], shape)
        scales = F.softplus(F.reshape(h[:, self.parts + size :], shape)) + 0.1
        #@ scales
        return weights, means, scales

    def forward(self, x, t):
        weights, means, scales = self.split(self.net(x))
        z = (F.broadcast_to(F.expand_dims(t, 1), means.shape) - means) / scales
        try:
            each = -0.5 * F.sum(z * z, axis=2) - F.sum(F.log(scales), axis=2)
            #@ each
        except ZeroDivisionError:
            raise
        likely = F.logsumexp(weights + each, axis=1)
        with chainer.using_config("train", False):
            likely = F.dropout(likely, 0.5)
        order = np.argsort(likely.array, kind="stable")
        return {"likely": likely, "order": order, "scales": scales}
'''

PROGRAMS = (
    Program("convolutions", CONVOLUTIONS, ("x=float32[batch,3,6,6]",)),
    Program("sentences", SENTENCES, ("ids=int32[batch,time]<20", "again=2")),
    Program("search", SEARCH, ("x=float32[batch,5]", "steps=4")),
    Program("experts", TREES, ("xs=[float32[2,4],float32[3,4]]", "scale=0.5")),
    Program("mixture", MIXTURE, ("x=float32[batch,3]", "t=float32[batch,3]")),
)
