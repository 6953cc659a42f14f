"""Tree-LSTM over binary trees: given as arrays, in a loop and recursively, or as nested tuples."""

from __future__ import annotations

import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L

from models.weights import seeded, spread_biases

__all__ = [
    "ArrayTreeLSTM",
    "NestedTreeLSTM",
    "RecursiveTreeLSTM",
    "build",
    "build_nested",
    "build_recursive",
    "inputs",
    "list_inputs",
    "nested_inputs",
]

N_VOCABULARY = 50


class TreeLSTM(chainer.Chain):
    """What both forms share: leaves, inner nodes, labels."""

    def __init__(self, n_vocabulary, n_units, n_label):
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(n_vocabulary, n_units)
            self.leaf_l = L.Linear(n_units, n_units)
            self.mid_l = L.Linear(2 * n_units, 5 * n_units)
            self.w = L.Linear(n_units, n_label)
        self.n_units = n_units

    def leaf(self, word):
        """Memory and state of words, int32[batch]."""
        c = self.leaf_l(self.embed(word))
        return c, F.tanh(c)

    def node(self, left, right):
        """Memory and state of a node over two others."""
        return F.tree_lstm(left[0], right[0], self.mid_l(F.concat((left[1], right[1]))))[0:2]

    def label(self, v):
        """Logits of the labels."""
        return self.w(v)


class ArrayTreeLSTM(TreeLSTM):
    """Trees as arrays: children come before their parents, a leaf has no children (-1)."""

    def forward(self, words, left, right):
        """Label every node: float32[nodes, labels]; words, left, right are int32[nodes]."""
        nodes = []
        for i in range(len(words)):
            if left[i] < 0:
                nodes.append(self.leaf(words[i : i + 1]))
            else:
                nodes.append(self.node(nodes[left[i]], nodes[right[i]]))
        return self.label(F.concat([h for _, h in nodes], axis=0))


class RecursiveTreeLSTM(TreeLSTM):
    """Trees as arrays, the root last: what is below a node is computed by a call for each child."""

    def state(self, words, left, right, i):
        """Memory and state of the tree below node `i`."""
        if left[i] < 0:
            return self.leaf(words[i : i + 1])
        below = self.state(words, left, right, left[i])
        return self.node(below, self.state(words, left, right, right[i]))

    def forward(self, words, left, right):
        """Label a tree: float32[1, labels]; words, left, right are int32[nodes]."""
        _, h = self.state(words, left, right, len(words) - 1)
        return self.label(h)

    def label_all(self, words, left, right):
        """Label the trees of a list: float32[trees, labels]; each argument holds int32[nodes]."""
        labels = []
        for w, a, b in zip(words, left, right, strict=True):
            labels.append(self.forward(w, a, b))
        return F.concat(labels, axis=0)


class NestedTreeLSTM(TreeLSTM):
    """Trees as nested pairs with arrays of words, int32[batch], as leaves."""

    def traverse(self, tree):
        """Visit a tree from its leaves up; returns the root and the labels of inner nodes."""
        if not isinstance(tree, tuple):
            return self.leaf(tree), []
        left, labels_left = self.traverse(tree[0])
        right, labels_right = self.traverse(tree[1])
        node = self.node(left, right)
        return node, [*labels_left, *labels_right, self.label(node[1])]

    def forward(self, tree):
        _, labels = self.traverse(tree)
        return labels


def _weighted(chain, seed):
    with seeded(seed + 100):
        spread_biases(chain)
        chain.w.W.array[...] *= 5
    return chain


def build(n_units: int = 24, n_label: int = 5, seed: int = 0) -> ArrayTreeLSTM:
    """Make the chain for trees as arrays."""
    with seeded(seed):
        chain = ArrayTreeLSTM(N_VOCABULARY, n_units, n_label)
    return _weighted(chain, seed)


def build_nested(n_units: int = 24, n_label: int = 5, seed: int = 0) -> NestedTreeLSTM:
    """Make the chain for nested trees."""
    with seeded(seed):
        chain = NestedTreeLSTM(N_VOCABULARY, n_units, n_label)
    return _weighted(chain, seed)


def build_recursive(n_units: int = 24, n_label: int = 5, seed: int = 0) -> RecursiveTreeLSTM:
    """Make the chain for trees as arrays that calls itself."""
    with seeded(seed):
        chain = RecursiveTreeLSTM(N_VOCABULARY, n_units, n_label)
    return _weighted(chain, seed)


def inputs(leaves: int = 5, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Example inputs: a random tree of so many leaves as three int32 arrays."""
    random = np.random.RandomState(seed)
    words, left, right, roots = [], [], [], []
    for _ in range(leaves):
        roots.append(len(words))
        words.append(random.randint(N_VOCABULARY))
        left.append(-1)
        right.append(-1)
        while len(roots) > 1 and random.rand() < 0.6:
            right.append(roots.pop())
            left.append(roots.pop())
            roots.append(len(words))
            words.append(0)
    while len(roots) > 1:
        right.append(roots.pop())
        left.append(roots.pop())
        roots.append(len(words))
        words.append(0)
    a, b, c = (np.array(part, dtype=np.int32) for part in (words, left, right))
    return a, b, c


def list_inputs(leaves: tuple[int, ...] = (5, 1, 3), seed: int = 1) -> tuple[list, list, list]:
    """Example inputs: random trees of so many leaves each, as three lists of int32 arrays."""
    trees = [inputs(count, seed + number) for number, count in enumerate(leaves)]
    words, left, right = (list(part) for part in zip(*trees, strict=True))
    return words, left, right


def nested_inputs(batch: int = 2, seed: int = 1) -> tuple[tuple]:
    """Example inputs: the tree ((a, b), (c, (d, e))) of int32[batch] words."""
    a, b, c, d, e = np.random.RandomState(seed).randint(0, N_VOCABULARY, (5, batch), np.int32)
    return (((a, b), (c, (d, e))),)
