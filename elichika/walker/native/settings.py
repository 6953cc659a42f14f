"""The configuration of Chainer as the program has set it, for code that runs while compiling."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import chainer

from elichika.state.homes import home
from elichika.values.symbolic import UNSET, Symbolic, SymbolicUse
from elichika.walker.walk import Walk


class _Open:
    """An entry that is known only when the model runs: code that looks at it is refused."""

    _asked: list[str]
    _name: str

    def __init__(self, asked: list[str], name: str) -> None:
        vars(self).update(_asked=asked, _name=name)

    def _refuse(self, *_: Any) -> NoReturn:
        self._asked.append(self._name)
        raise SymbolicUse(self)

    __bool__ = __eq__ = __hash__ = __getattr__ = __call__ = __iter__ = _refuse


@contextmanager
def configured(w: Walk) -> Iterator[list[str]]:
    """Set what the program has set, and that no tape is kept: the walk keeps its own.

    Gives the names of entries that were looked at, but are known only when the model runs.
    """
    asked: list[str] = []
    config = home(chainer.config)
    entries = [(config, slot) for slot in w.store.slots(config)]
    space = vars(chainer.global_config)
    entries += [(space, slot) for slot in w.store.slots(chainer.global_config)]
    owners = {id(config): config, id(space): chainer.global_config}
    before = [(there, slot, there.get(slot, UNSET)) for there, slot in entries]
    try:
        for there, slot in entries:
            held = w.given(owners[id(there)], slot)
            _put(there, slot, _Open(asked, slot) if isinstance(held, Symbolic) else held)
        with chainer.using_config("enable_backprop", False):
            yield asked
    finally:
        for there, slot, held in before:
            _put(there, slot, held)


def _put(there: dict[str, Any], slot: str, held: Any) -> None:
    if held is UNSET:
        there.pop(slot, None)
    else:
        there[slot] = held
