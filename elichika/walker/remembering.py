"""Functions that remember what they returned: `functools.lru_cache`.

    @functools.cache                    if (i, j) in memo:
    def paths(i, j):                        result = memo[i, j]
        ...                             else:
                                            result = ...
                                            memo[i, j] = result
                                        return result

What a call with numbers of the run runs is the program on the right, whose memo is a dict like any
other.  So it may call itself, too: `framing.py` finds both functions in one group.
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
from elichika.state.store import Mark
from elichika.values.functions import Closure, Remembered, WithMemo
from elichika.values.kinds import is_number
from elichika.values.symbolic import Choice
from elichika.walker.framing import Framing
from elichika.walker.functions import Functions
from elichika.walker.sources import Sources
from elichika.walker.walk import Walk

__all__ = ["Remembering"]

_BODY = """
if key in memo:
    result = memo[key]
else:
    result = call
    memo[key] = result
return result
"""


class Remembering:
    """The part of the walker that calls functions which remember what they returned."""

    def __init__(self, w: Walk, sources: Sources, framing: Framing, functions: Functions) -> None:
        self.w = w
        self.framing = framing
        self.sources = sources
        self.functions = functions
        #: Those that were made before the walk.
        self._known: dict[int, Remembered] = {}
        #: What each has read so far that may change.
        self._read: dict[int, list[tuple[Any, str, Any]]] = {}

    def of(self, cached: Any) -> Remembered:
        """Return a function of `functools.lru_cache` that Python made, as the walk calls it."""
        if isinstance(cached, Remembered):
            return cached
        known = self._known.get(id(cached))
        if known is None:
            size = cached.cache_parameters()
            known = self._known[id(cached)] = Remembered(
                cached.__wrapped__, typed=size["typed"], lasting=True
            )
            self._part(known, ())
        return known

    def made(self, function: Any, bounded: bool, typed: bool) -> Remembered:
        """Return a function of the program that remembers what it returns."""
        made: Remembered = self.w.store.born(Remembered(function, typed=typed, bounded=bounded))
        if isinstance(function, (Closure, types.FunctionType)):
            self._part(made, ())  # a branch that calls it first has no memo of its own
        return made

    def program_with_memo(self, remembered: Remembered) -> Program:
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

    def _part(self, remembered: Remembered, known: tuple[tuple[str, Any], ...]) -> WithMemo:
        """Return what runs where some arguments are known and no numbers."""
        if known not in remembered.parts:
            memo: dict[Any, Any] = {}
            memo = self.w.store.always(memo) if remembered.lasting else self.w.store.born(memo)
            tree = self._own(remembered).tree
            memo_, function = _constant(memo, tree), _constant(remembered.function, tree)
            program = self._nested(remembered, {name for name, _ in known}, memo_, function)
            remembered.parts[known] = WithMemo(memo, program)
        return remembered.parts[known]

    def _own(self, remembered: Remembered) -> Program:
        """Return the program of the function itself."""
        function = remembered.function
        if isinstance(function, Closure):
            return function.program
        if not isinstance(function, types.FunctionType) or natives.is_native(function):
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

    def call(self, remembered: Remembered, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Call a function that remembers what it returned."""
        if remembered.typed:
            self.w.refuse("`lru_cache(typed=True)` is not compiled", "leave out `typed`")
        frame, bound = self.functions.entered(remembered.function, args, kwargs)
        bound = {name: self.w.narrow(value) for name, value in bound.items()}
        known = tuple((n, v) for n, v in bound.items() if not _is_key(self.w, v))
        for _, value in known:
            self._require_known(remembered, value)
        named = not known and self.framing.named(frame, frame.program.name) is remembered
        part = self._part(remembered, known)
        frame.program = self.program_with_memo(remembered) if named else part.program
        mark = self.w.store.mark()
        with self.w.store.reading() as read:
            result = self.functions.run_frame(frame, bound)
        if remembered.lasting or remembered.bounded:
            self._require_pure(remembered, read, mark)
        if remembered.lasting:
            self._keep_as_it_is(result)
        return result

    def _keep_as_it_is(self, result: Any) -> None:
        """Forbid writes to what the next call of the model would get, too."""
        result = self.w.narrow(result)
        if isinstance(result, (tuple, Choice)):
            for part in result if isinstance(result, tuple) else result.alternatives:
                self._keep_as_it_is(part)
        elif self.w.arenas.holds(result):
            self.w.refuse(
                "what a function that remembers has returned is changed: later calls of it would "
                "return that, too",
                "return a tuple, or change a copy",
            )
        elif self.w.store.was_born(result):
            self.w.sealed(result)
        self.w.sequences.freeze(result)

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
        memos = {id(part.memo) for part in remembered.parts.values()}

        def outside(owner: Any) -> bool:
            own = owner is self.w.token or store.is_internal(owner) or id(owner) in memos
            return not own and not store.is_fresh(owner, mark)

        written = store.changes_since(mark)
        if any(not slot.startswith("~") and outside(store.owner((o, slot))) for o, slot in written):
            self._refuse_impure("changes")
        before = self._read.setdefault(id(remembered), [])
        if any(store.get(owner, slot) is not version for owner, slot, version in before):
            self._refuse_impure("reads")
        before += [one for one in read if outside(one[0])]

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
