"""Functions that remember what they returned: `functools.lru_cache`.

    @functools.cache                    def paths(i, j):
    def paths(i, j):                        if (i, j) in memo:
        ...                                     return memo[i, j]
                                            result = ...
                                            memo[i, j] = result
                                            return result

What a call with numbers of the run runs is the program on the right, whose memo is a dict like any
other.  So it may call itself, too: `framing.py` finds both functions in one group.
"""

from __future__ import annotations

import functools
import types
from typing import Any

import gast

from canonicalizer.template import expression, template
from elichika.program import native_code as natives
from elichika.program.canonical import nested_program
from elichika.program.places import Program
from elichika.state.store import MISSING, Mark
from elichika.values.functions import Closure, Remembered, WithMemo
from elichika.values.kinds import is_number
from elichika.values.symbolic import Choice
from elichika.walker.functions import Functions
from elichika.walker.sources import Sources
from elichika.walker.walk import Walk

__all__ = ["Remembering"]

_BODY = """
if key in memo:
    return memo[key]
result = function(arguments)
memo[key] = result
return result
"""


class Remembering:
    """The part of the walker that calls functions which remember what they returned."""

    def __init__(self, w: Walk, sources: Sources, functions: Functions) -> None:
        self.w = w
        self.sources = sources
        self.functions = functions
        #: Those that were made before the walk.
        self._known: dict[int, Remembered] = {}
        #: What each has read so far that may change.
        self._read: dict[int, list[tuple[Any, str, Any]]] = {}

    def of(self, cached: Any) -> Remembered:
        """Return a function of `functools.lru_cache` that Python made, as the walk calls it."""
        known = self._known.get(id(cached))
        if known is None:
            size = cached.cache_parameters()
            known = self._known[id(cached)] = Remembered(
                cached.__wrapped__, typed=size["typed"], lasting=True
            )
        return known

    def made(self, function: Any, bounded: bool, typed: bool) -> Remembered:
        """Return a function of the program that remembers what it returns."""
        made: Remembered = self.w.store.born(Remembered(function, typed=typed, bounded=bounded))
        if isinstance(function, (Closure, types.FunctionType)):
            self.numbered(made)
        return made

    def numbered(self, remembered: Remembered) -> WithMemo:
        """Return what runs where all arguments are numbers."""
        return self._part(remembered, ())

    def _part(self, remembered: Remembered, known: tuple[tuple[str, Any], ...]) -> WithMemo:
        """Return what runs where some arguments are known and no numbers."""
        if known not in remembered.parts:
            memo: dict[Any, Any] = {}
            memo = self.w.store.always(memo) if remembered.lasting else self.w.store.born(memo)
            program = self._program(remembered, memo, {name for name, _ in known})
            remembered.parts[known] = WithMemo(remembered, memo, program)
        return remembered.parts[known]

    def _program(self, remembered: Remembered, memo: Any, known: set[str]) -> Program:
        function = remembered.function
        if not isinstance(function, (Closure, types.FunctionType)) or natives.is_native(function):
            self.w.refuse("only a function of the program may remember what it returns here")
        own = function.program if isinstance(function, Closure) else None
        own = own or self.sources.program_of(function)
        spec = own.tree.args
        if spec.vararg is not None or spec.kwarg is not None or own.is_generator:
            self.w.refuse(
                "a function that remembers what it returns has no `*args` or `**kwargs` here, "
                "and no `yield`"
            )
        names = [one.id for one in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]
        tree = _remembering(own.tree, names, known, memo, remembered)
        return nested_program(tree, own.file, own.library)

    def call(self, remembered: Remembered, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Call a function that remembers what it returned."""
        if remembered.typed:
            self.w.refuse("`lru_cache(typed=True)` is not compiled", "leave out `typed`")
        frame, bound = self.functions.entered(remembered.function, args, kwargs)
        bound = {name: self.w.narrow(value) for name, value in bound.items()}
        known = tuple((n, v) for n, v in bound.items() if not _is_key(self.w, v))
        for _, value in known:
            self._require_known(remembered, value)
        frame.program = self._part(remembered, known).program
        mark = self.w.store.mark()
        with self.w.store.reading() as read:
            result = self.functions.run_frame(frame, bound)
        if remembered.lasting or remembered.bounded:
            self._require_pure(remembered, read, mark)
        return result

    def _require_known(self, remembered: Remembered, value: Any) -> None:
        if self.w.is_symbolic(value):
            self.w.refuse(
                "a function that remembers what it returns is called with something else than "
                "numbers, which is known only when the model runs",
                "give it numbers: an index, a size",
            )
        self.w.hashable(value)
        if not remembered.lasting:
            self.w.refuse(
                "a function that remembers what it returns, and that a call makes, is called with "
                "numbers here",
                "decorate it outside `forward`",
            )

    def _require_pure(
        self, remembered: Remembered, read: list[tuple[Any, str, Any]], mark: Mark
    ) -> None:
        """Refuse what shows how often a function ran: calls before, or a full memo, decide that."""
        store = self.w.store
        memos = [part.memo for part in remembered.parts.values()]
        for key in store.changes_since(mark):
            owner = store.owner(key)
            inside = store.is_fresh(owner, mark) or store.is_internal(owner)
            if not (key[1].startswith("~") or inside or any(owner is memo for memo in memos)):
                self._refuse_impure("changes")
        if any(
            store.get(obj, slot) is not version
            for obj, slot, version in self._read.get(id(remembered), ())
        ):
            self._refuse_impure("reads")
        own = [(o, s, v) for o, s, v in read if not store.is_fresh(o, mark)]
        own = [one for one in own if not any(one[0] is memo for memo in memos)]
        self._read.setdefault(id(remembered), []).extend(own)

    def _refuse_impure(self, does: str) -> None:
        self.w.refuse(
            f"a function that remembers what it returns {does} what a call changes: how often it "
            "runs would show",
            "give it what it reads as arguments, or leave out `lru_cache`",
        )


def _is_key(w: Walk, value: Any) -> bool:
    """Tell whether an argument is a number, or a tuple of numbers."""
    if type(value) is tuple:
        return bool(value) and all(is_number(w.narrow(one)) for one in value)
    return is_number(value) or (type(value) is Choice and w.is_symbolic(value))


def _remembering(
    tree: Any, names: list[str], known: set[str], memo: Any, remembered: Remembered
) -> Any:
    """Return the program on the right above."""
    at = tree.body[0] if type(tree) is gast.FunctionDef else tree
    keys = [expression("x", at=at, x=name) for name in names if name not in known]
    key = keys[0] if len(keys) == 1 else gast.Tuple(keys, gast.Load())
    gast.copy_location(key, at)
    call = expression("f()", at=at, f=_constant(remembered, at))
    call.func = gast.copy_location(gast.Attribute(call.func, "__wrapped__", gast.Load()), at)
    spec = tree.args
    call.args = [expression("x", at=at, x=one.id) for one in (*spec.posonlyargs, *spec.args)]
    call.keywords = [
        gast.keyword(one.id, expression("x", at=at, x=one.id)) for one in spec.kwonlyargs
    ]
    body = template(
        "if key in memo:\n    return memo[key]\nresult = call\nmemo[key] = result\nreturn result",
        at=at,
        key=key,
        memo=_constant(memo, at),
        call=call,
        result=functools.reduce(lambda one, _: f"{one}_", range(len(names)), "result"),
    )
    name = getattr(tree, "name", "function")
    made = template("def f():\n    pass", at=tree, f=name)[0]
    made.args, made.body = spec, body
    return made


def _constant(value: Any, at: Any) -> Any:
    made = expression("None", at=at)
    made.value = value
    return made
