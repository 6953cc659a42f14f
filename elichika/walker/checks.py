"""What a model checks while it runs, and what would be an error of the walked program."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from elichika.values.symbolic import UNORDERED, UNSET, Scalar, may_be_unset
from elichika.walker.core import Core, NodePlace
from onnx_graph.failing import may_raise


class Checks(Core):
    """The part of the walker that makes a model fail where the program does."""

    def check(self, condition: Any, exception: type[BaseException], message: str) -> None:
        """Make the model fail where the 0-d bool `condition` is false.

        Raises:
            StagingError: A handler of the program could catch the exception.
        """
        condition = self.narrow(condition)
        if isinstance(condition, Scalar):
            condition = condition.onnx_value
        if isinstance(condition, (bool, np.bool_)):
            if not condition:
                self.raise_static(exception(message))
            return
        if self.facts.of(condition) is True:
            return
        for kinds in self.handlers:
            if any(issubclass(exception, k) or issubclass(k, exception) for k in kinds):
                self.refuse(
                    f"whether this raises {exception.__name__} is known only when the model runs, "
                    "and a handler around it would catch it",
                    "test the condition with `if` instead of catching the exception",
                )
        with self.located():
            token = self.graph.check(condition, f"{exception.__name__}: {message}")
            old = self.version(self.token, "value").onnx_value
            self.store.set(self.token, "value", Scalar(int, self.graph.Add(old, token)))
        self.facts.learn(condition, True)

    @contextmanager
    def located(self) -> Iterator[None]:
        """Emit nodes that remember the user's present line."""
        body = self.graph.scope.graph
        before = len(body) if self.guarded else 0
        with self.graph.at(NodePlace(self.place()) if self.frames else None):
            yield
        if not self.guarded:
            return
        if body is not self.graph.scope.graph or any(map(may_raise, list(body)[before:])):
            self.refuse(
                "an operation on values known only when the model runs stands in a `try` (or a "
                "`with`) that could catch its failure",
                "move the operation out, or test its condition with `if`",
            )

    def sure_items(self, obj: Any, *, ordered: bool = True) -> dict[Any, Any]:
        """Return the contents of a dict or set, refusing keys that may not be there.

        Where they come in an order that is not known, that is refused too if it matters.
        """
        self.arenas.require_order(obj)
        items: dict[Any, Any] = dict(self.items_of(obj))
        if items.pop(UNORDERED, False) and ordered:
            self.refuse(
                "the order of this dict's keys is known only when the model runs: one that is set "
                "was perhaps there before",
                "make a dict of its items by name: `{'a': d['a'], 'b': d['b']}`",
            )
        for key, held in items.items():
            if may_be_unset(self.narrow(held)):
                self.refuse(
                    f"whether the key {key!r} is there is known only when the model runs",
                    "test it with `in`, or set it on both sides",
                )
        return {k: v for k, v in items.items() if self.narrow(v) is not UNSET}
