"""Texts: those known while compiling, and those of values of the run."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NoReturn

from elichika.lowerings.python import named, texts
from elichika.registry import lowering_of
from elichika.state.store import MISSING
from elichika.values import python_words
from elichika.values.functions import BoundMethod
from elichika.values.symbolic import Scalar, Text
from elichika.walker.kinds.kind import Kind, Whole, is_known
from elichika.walker.kinds.lists import picked

if TYPE_CHECKING:
    from elichika.iterators.base import Staged
    from elichika.walker.kinds.context import KindContext

__all__ = ["KnownTexts", "Texts", "combined"]


def combined(w: KindContext, op: Any, left: Any, right: Any) -> Any:
    """Return `left op right`, where the text that it makes is known only when the model runs."""
    if op is operator.add:
        return texts.added(w, left, right)
    if op is operator.mod and issubclass(w.type_of(left), str):
        return texts.modulo(w, left, right)
    if op is operator.mul and int in (w.type_of(left), w.type_of(right)):
        return Text()
    w.refuse(Text.MESSAGE)


class Texts(Kind):
    """A text of what is known only when the model runs: for messages, and nothing else."""

    rank = 4

    def binary(self, w: KindContext, op: Any, left: Any, right: Any) -> Any:
        """Return `left op right`, another such text or whether it is a known one."""
        if op in (operator.eq, operator.ne) and str in (type(left), type(right)):
            text, name = (right, left) if type(left) is str else (left, right)
            same = named.is_one(w, text, [name])
            return same if op is operator.eq else w.not_(same)
        return combined(w, op, left, right)

    def attribute(self, w: KindContext, obj: Text, name: str, default: Any) -> Any:
        """Return a method of texts that has a lowering."""
        method = getattr(str, name, MISSING)
        if method is not MISSING and lowering_of(method) is not None:
            return BoundMethod(method, obj)
        if method is MISSING and default is not MISSING:
            return default
        w.refuse(Text.MESSAGE)

    def truth(self, w: KindContext, value: Text) -> NoReturn:
        """Refuse."""
        w.refuse(Text.MESSAGE)

    def iterate(self, w: KindContext, value: Text) -> Staged:
        """Refuse."""
        w.refuse(Text.MESSAGE)

    def contains(self, w: KindContext, container: Text, value: Any) -> NoReturn:
        """Refuse."""
        w.refuse(Text.MESSAGE)


class KnownTexts(Whole):
    """A str of Python's."""

    is_plain = True

    def get_item(self, w: KindContext, obj: str, index: Any) -> Any:
        """Return `obj[index]`; the index may be a number of the run."""
        if isinstance(index, Scalar):
            return picked(w, tuple(obj), index, python_words.STRING_INDEX)
        if w.is_symbolic(index):
            w.refuse("an index into text must be known before the model runs")
        return w.native(operator.getitem, [obj, index], {})

    def contains(self, w: KindContext, container: str, value: Any) -> Any:
        """Return `value in container`."""
        if is_known(w, container, value):
            return w.native(operator.contains, [container, value], {})
        if not isinstance(value, str):
            kind = w.type_of(value).__name__
            text = f"'in <string>' requires string as left operand, not {kind}"
            w.raise_static(TypeError(text))
        return w.is_given(w.iterator(container), value)
