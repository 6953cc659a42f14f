"""What a model checks while it runs, and what would be an error of the walked program."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from elichika.values.symbolic import Scalar
from elichika.walker.core import NodePlace
from elichika.walker.walk import Walk
from onnx_graph.failing import may_raise

#: What an operation of the graph may fail with where numpy or Chainer raise.
RUN_TIME_FAILURES = (ValueError, IndexError, TypeError, ArithmeticError, RuntimeError)


class Checks:
    """The part of the walker that makes a model fail where the program does."""

    def __init__(self, w: Walk) -> None:
        self.w = w
        #: Paths of the chain's links, by `id`.
        self.layers: dict[int, str] = {}

    def check(self, condition: Any, exception: type[BaseException], message: str) -> None:
        """Make the model fail where the 0-d bool `condition` is false.

        Raises:
            StagingError: A handler of the program could catch the exception.
        """
        condition = self.w.narrow(condition)
        if isinstance(condition, Scalar):
            condition = condition.onnx_value
        if isinstance(condition, (bool, np.bool_)):
            if not condition:
                self.w.raise_static(exception(message))
            return
        if self.w.facts.of(condition) is True:
            return
        for kinds in self.w.handlers:
            if any(issubclass(exception, k) or issubclass(k, exception) for k in kinds):
                self.w.refuse(
                    f"whether this raises {exception.__name__} is known only when the model runs, "
                    "and a handler around it would catch it",
                    "test the condition with `if` instead of catching the exception",
                )
        with self.located():
            token = self.w.graph.check(condition, f"{exception.__name__}: {message}")
            old = self.w.held(self.w.token, "value").onnx_value
            self.w.store.set(self.w.token, "value", Scalar(int, self.w.graph.Add(old, token)))
        self.w.facts.learn(condition, True)

    @contextmanager
    def located(self) -> Iterator[None]:
        """Emit nodes that remember the user's present line."""
        body = self.w.graph.scope.graph
        before = len(body) if self.w.guarded else 0
        source = NodePlace(self.w.place(), self._layer()) if self.w.frames else None
        with self.w.graph.at(source):
            yield
        if not self.w.guarded:
            return
        if body is not self.w.graph.scope.graph or any(map(may_raise, list(body)[before:])):
            self.w.refuse(
                "an operation on values known only when the model runs stands in a `try` (or a "
                "`with`) that could catch its failure",
                "move the operation out, or test its condition with `if`",
            )

    def _layer(self) -> str:
        """Return the path of the link whose method the walk is in, the innermost one."""
        for frame in reversed(self.w.frames):
            if frame.first_argument is not None:
                held = self.w.store.get_key((id(frame), frame.first_argument))
                if id(held) in self.layers:
                    return self.layers[id(held)]
        return ""

    def refuse_caught(self, error: BaseException) -> None:
        """Refuse an exception at run time that a handler of the program would catch."""
        for kinds in self.w.handlers:
            if isinstance(error, kinds):
                self.w.refuse(
                    f"whether this raises {type(error).__name__} is known only when the model "
                    "runs, and a handler around it catches it",
                    "test the condition with `if` instead of catching the exception",
                )

    @contextmanager
    def catching(self, kinds: tuple[type, ...]) -> Iterator[None]:
        """Know that exceptions of these kinds are caught where they leave this block."""
        guards = any(issubclass(f, k) or issubclass(k, f) for k in kinds for f in RUN_TIME_FAILURES)
        self.w.handlers.append(kinds)
        self.w.guarded += guards
        try:
            yield
        finally:
            self.w.guarded -= guards
            self.w.handlers.pop()
