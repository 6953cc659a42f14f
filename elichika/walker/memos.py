"""Functions that remember what they returned, `functools.lru_cache`: the programs that they run.

    @functools.cache                    if (i, j) in memo:
    def paths(i, j):                        result = memo[i, j]
        ...                             else:
                                            result = ...
                                            memo[i, j] = result
                                        return result

The memo is a dict like any other.  So the function may call itself, too: `framing.py` finds both in
one group.
"""

from __future__ import annotations

import types
from typing import Any

import gast

from canonicalizer.template import expression, template
from elichika.lowerings.python.caches import memo_of, run_by
from elichika.program import native_code as natives
from elichika.program.canonical import nested_program
from elichika.program.places import Program
from elichika.values.functions import Closure, Remembered, WithMemo
from elichika.walker.sources import Sources
from elichika.walker.walk import Walk

__all__ = ["Memos"]

_BODY = """
if key in memo:
    result = memo[key]
else:
    result = call
    memo[key] = result
return result
"""


class Memos:
    """The part of the walker that knows functions which remember what they returned."""

    def __init__(self, w: Walk, sources: Sources) -> None:
        self.w = w
        self.sources = sources
        #: Those that were made before the walk.
        self._known: dict[int, Remembered] = {}

    def of(self, cached: Any) -> Remembered:
        """Return a function of `functools.lru_cache` that Python made, as the walk calls it."""
        if type(cached) is Remembered:
            return cached
        known = self._known.get(id(cached))
        if known is None:
            size = cached.cache_parameters()
            known = self._known[id(cached)] = Remembered(
                cached.__wrapped__, typed=size["typed"], lasting=True
            )
            self.part(known, ())
        return known

    def made(self, function: Any, bounded: bool, typed: bool) -> Remembered:
        """Return a function of the program that remembers what it returns."""
        made: Remembered = self.w.store.born(Remembered(function, typed=typed, bounded=bounded))
        if type(function) in (Closure, types.FunctionType):
            self.part(made, ())  # a branch that calls it first has no memo of its own
        return made

    def numbered(self, remembered: Remembered) -> Program:
        """Return what runs where all arguments are numbers, in any walk: it asks by its name."""
        if remembered.numbered is None:
            remembered.numbered = self._numbered(remembered)
        return remembered.numbered

    def _numbered(self, remembered: Remembered) -> Program:
        tree = self._own(remembered).tree
        name = expression("x", at=tree, x=tree.name)
        memo, function = (
            expression("f(x)", at=tree, f=_constant(f, tree), x=name) for f in (memo_of, run_by)
        )
        return self._nested(remembered, set(), memo, function)

    def part(self, remembered: Remembered, known: tuple[tuple[str, Any], ...]) -> WithMemo:
        """Return what runs where some arguments are known and no numbers."""
        if known not in remembered.parts:
            memo: dict[Any, Any] = {}
            memo = self.w.store.always(memo) if remembered.lasting else self.w.store.born(memo)
            self.w.roots.append(memo)  # no name holds it
            tree = self._own(remembered).tree
            memo_, function = _constant(memo, tree), _constant(remembered.function, tree)
            program = self._nested(remembered, {name for name, _ in known}, memo_, function)
            remembered.parts[known] = WithMemo(memo, program)
        return remembered.parts[known]

    def _own(self, remembered: Remembered) -> Program:
        """Return the program of the function itself."""
        function = remembered.function
        if type(function) is Closure:
            return function.program
        if type(function) is not types.FunctionType or natives.is_native(function):
            self.w.refuse("only a function of the program may remember what it returns here")
        return self.sources.program_of(function)

    def _nested(self, remembered: Remembered, known: set[str], memo: Any, function: Any) -> Program:
        own = self._own(remembered)
        spec = own.tree.args
        if spec.vararg is not None or spec.kwarg is not None or own.is_generator:
            self.w.refuse(
                "a function that remembers what it returns has no `*args` or `**kwargs` here, "
                "and no `yield`"
            )
        return nested_program(_around(own.tree, known, memo, function), own.file, own.library)


def _around(tree: Any, known: set[str], memo: Any, function: Any) -> Any:
    """Return the program on the right above."""
    at, spec = tree, tree.args
    by_place = [node.id for node in (*spec.posonlyargs, *spec.args)]
    by_name = [node.id for node in spec.kwonlyargs]
    names = [*by_place, *by_name]
    reads = {name: expression("x", at=at, x=name) for name in names}
    keys = [read for name, read in reads.items() if name not in known]
    key = keys[0] if len(keys) == 1 else gast.copy_location(gast.Tuple(keys, gast.Load()), at)
    call = expression("f()", at=at, f=function)
    call.args = [reads[name] for name in by_place]
    call.keywords = [gast.keyword(name, reads[name]) for name in by_name]
    result = "result" + "_" * max(map(len, names), default=0)
    body = template(_BODY, at=at, key=key, memo=memo, call=call, result=result)
    (made,) = template("def f():\n    pass", at=at, f=getattr(tree, "name", "function"))
    made.args, made.body = spec, body
    return made


def _constant(value: Any, at: Any) -> Any:
    made = expression("None", at=at)
    made.value = value
    return made
