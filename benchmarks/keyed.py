"""Chains that keep dicts and sets by keys that their input holds."""

from __future__ import annotations

from typing import Any

import chainer
import numpy as np

__all__ = ["Search", "WordCount", "graph_of", "words_of"]


class WordCount(chainer.Chain):
    """How often each word is there: one look-up and one write a turn."""

    def forward(self, words):
        """Count the words."""
        counts = {}
        for word in words.tolist():
            counts[word] = counts.get(word, 0) + 1
        return counts


class Search(chainer.Chain):
    """Nodes of a graph, breadth first: those next to node `u` stand from `first[u]` on."""

    def forward(self, near, first, root):
        """List the nodes in the order in which they are found."""
        seen = {root}
        found = [root]
        place = 0
        while place < len(found):
            node = found[place]
            place += 1
            for other in near[first[node] : first[node + 1]].tolist():
                if other not in seen:
                    seen.add(other)
                    found.append(other)
        return found


def words_of(count: int, kinds: int) -> np.ndarray[Any, Any]:
    """Return words by number."""
    return np.random.RandomState(0).randint(0, kinds, count)


def graph_of(count: int, degree: int) -> tuple[Any, Any]:
    """Return what is next to each node of a graph, and where that begins for each."""
    source = np.random.RandomState(0)
    near = [[*source.randint(0, count, degree).tolist(), (k + 1) % count] for k in range(count)]
    first = np.cumsum([0, *map(len, near)])
    return np.concatenate(near), first
