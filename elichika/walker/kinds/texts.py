"""Texts: those known now, and those of values of the run."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NoReturn

from elichika.values.symbolic import Scalar, Text
from elichika.walker.kinds.kind import Kind, is_known
from elichika.walker.kinds.lists import picked

if TYPE_CHECKING:
    from elichika.iterators.base import Staged
    from elichika.walker.kinds.context import KindContext

__all__ = ["KnownTexts", "Texts"]


class Texts(Kind):
    """A text of what is known only when the model runs: for messages, and nothing else."""

    def attribute(self, w: KindContext, obj: Text, name: str, default: Any) -> Any:
        """Return a method of texts that has a lowering."""
        return w.text_method(name, default)

    def truth(self, w: KindContext, value: Text) -> NoReturn:
        """Refuse."""
        w.refuse(Text.MESSAGE)

    def iterate(self, w: KindContext, value: Text) -> Staged:
        """Refuse."""
        w.refuse(Text.MESSAGE)

    def contains(self, w: KindContext, container: Text, value: Any) -> NoReturn:
        """Refuse."""
        w.refuse(Text.MESSAGE)


class KnownTexts(Kind):
    """A str of Python's."""

    def get_item(self, w: KindContext, obj: str, index: Any) -> Any:
        """Return `obj[index]`; the index may be a number of the run."""
        if isinstance(index, Scalar):
            return picked(w, tuple(obj), index)
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
