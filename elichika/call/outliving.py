"""What a call leaves behind: the places of a program that outlive it, and what users call them."""

from __future__ import annotations

import collections
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import chainer
import numpy as np

from elichika.call.update_rules import rule_name
from elichika.errors import SourceFrame
from elichika.program import native_code as natives
from elichika.program.places import frame_at
from elichika.state.homes import home
from elichika.state.store import CONTENTS, ITEMS, RANDOM
from elichika.values.constant_views import owner_of
from elichika.values.kinds import has_space
from elichika.values.symbolic import Array
from elichika.values.words import a_or_an

if TYPE_CHECKING:
    from elichika.walker.walker import Walker

__all__ = ["Named", "Names", "left_behind", "source_of"]

#: How deep containers and objects are looked through for what a place is called.
DEEPEST = 4
#: A container of more items is not looked through.
LONGEST = 1000
PLAIN = (bool, int, float, str, bytes, type(None), np.generic)
CONTAINERS = (list, tuple, dict, set, frozenset, collections.deque)
#: What has attributes that are named elsewhere.
OPAQUE = (chainer.Link, type, types.ModuleType, types.FunctionType, types.MethodType)


@dataclass(frozen=True)
class Named:
    """What a place is called.

    Attributes:
        path: Its name: `/lstm/h`, `H.n`, `N`.
        port: As an input of the model.
        kind: What it is, if that has to be said: `the global `.
        where: Where it is, if that has to be said: ` of model.py`.
        own: The chain holds it.
    """

    path: str
    port: str
    kind: str = ""
    where: str = ""
    own: bool = False

    @property
    def shown(self) -> str:
        """The name in a message: `/lstm/h`, `H.n`, `the global N of model.py`."""
        return f"{self.kind}{self.path}{self.where}"

    def part(self, text: str, port: str) -> Named:
        """Return the name of a part."""
        return replace(self, path=self.path + text, port=f"{self.port}/{port}".strip("/"))


def source_of(owner: Any) -> Any:
    """Return the user's object whose location it is; None for an array that the walk made."""
    return owner.source if isinstance(owner, Array) else owner


def left_behind(w: Walker) -> Iterator[tuple[Any, str]]:
    """Yield the locations that hold something else after a call than before it."""
    for owner, slot in w.store.written():
        if owner is w.token or slot == RANDOM or isinstance(owner, BaseException):
            continue
        source = source_of(owner)
        if source is None or str(type(source).__module__).startswith("elichika"):
            continue
        if slot == CONTENTS and _is_own_weight(w, w.store.get(owner, slot), source):
            continue
        if slot == CONTENTS or not _same(w.held(owner, slot), w.initial(owner, slot)):
            yield owner, slot


def _is_own_weight(w: Walker, version: Any, source: Any) -> bool:
    """Tell whether an array holds what it held before, in a graph value of its own."""
    return w.graph.weights.get(str(getattr(version, "name", ""))) is source


def _same(now: Any, before: Any) -> bool:
    if isinstance(now, dict) and isinstance(before, dict):
        return list(now) == list(before) and all(_same(now[k], before[k]) for k in now)
    if type(now) is tuple and type(before) is tuple and len(now) == len(before):
        return all(map(_same, now, before))
    if isinstance(now, Array) and now.source is not None:
        now = now.source
    return now is before or (isinstance(now, PLAIN) and type(now) is type(before) and now == before)


class Names:
    """What the places of one walk are called."""

    def __init__(
        self, chain: chainer.Link, w: Walker, states: Mapping[int, Any] | None = None
    ) -> None:
        """Go through the chain and the program only where a name is asked for.

        `states` is what update rules keep that have kept nothing before, by the ids of the rules.
        """
        self._states = states or {}
        self._w = w
        self._chain = chain
        self._named: dict[int, Named] = {}
        self._whole = False
        self._of_program: set[int] = set()  # what is held outside the chain
        self._reached: list[tuple[Any, str]] = []  # a place in each link and parameter of these

    def _add_chain(self) -> None:
        """Name what the links of the chain hold."""
        links = [
            (path.rstrip("/"), link)
            for path, link in sorted(self._chain.namedlinks(), key=itemgetter(0))
        ]
        for path, link in links:
            self._named[id(link)] = Named(path, path.strip("/"), own=True)
        for path, link in links:
            for slot, held in vars(link).items():
                port = f"{path}/{slot}".strip("/")
                self._add(Named(f"{path}/{slot}", port, own=True), held)

    def of(self, owner: Any, slot: str) -> Named:
        """Return what a location is called."""
        self._require_chain()
        source = source_of(owner)
        if isinstance(source, np.ndarray):
            source = source if id(source) in self._named else owner_of(source)
        if id(source) not in self._named:
            self._require_whole()
        named = self._named.get(id(source))
        kind = type(source).__name__
        if slot in (ITEMS, CONTENTS, "cell_contents") or (
            slot == "array" and isinstance(source, chainer.Variable)
        ):
            return _of_contents(named, kind)
        if named is None:
            return Named(f"`{slot}` of {a_or_an(kind)} that outlives it", f"{kind}/{slot}")
        if type(source) is dict:
            return _of_global(source, slot)
        link = isinstance(source, chainer.Link)
        return named.part(f"/{slot}" if link else f".{slot}", slot)

    def outside(self) -> list[tuple[Any, str]]:
        """Return the real objects that a call changes, and not the chain alone holds, and where."""
        found = []
        for owner, slot in left_behind(self._w):
            self._require_whole()
            source = source_of(owner)
            named = self.of(owner, slot)
            if not named.own or id(source) in self._of_program:
                found.append((source, slot))
        return found + [(held, slot) for held, slot in self._reached if found]

    def line(self, owner: Any, slot: str) -> tuple[SourceFrame, ...]:
        """Return where a location was written last."""
        place = self._w.store.place_of((id(owner), slot))
        return () if place is None else (frame_at(*place),)

    def _add(self, named: Named, held: Any, depth: int = 0) -> None:
        """Name what is held, and its parts."""
        met = self._of_program if self._whole else self._named
        if isinstance(held, PLAIN) or id(held) in met or depth > DEEPEST:
            return
        if self._whole:
            self._of_program.add(id(held))
            named = self._named.get(id(held), named)
        if isinstance(held, np.ndarray):
            self._named[id(held)] = named
            self._named.setdefault(id(owner_of(held)), named)
        elif isinstance(held, chainer.Variable):
            self._named[id(held)] = named
            if self._whole and isinstance(held, chainer.Parameter):
                self._reached.append((held, "update_rule"))
            self._add(named, held.array, depth)
            self._add_rule(named, getattr(held, "update_rule", None))
        elif isinstance(held, CONTAINERS) or _has_attributes(held):
            self._named[id(held)] = named
            for text, port, part in _parts(held):
                self._add(named.part(text, port), part, depth + 1)
        elif isinstance(held, chainer.Link) and self._whole:
            self._add_link(named, held)

    def _add_link(self, named: Named, held: chainer.Link) -> None:
        """Name a link that the program reaches without the chain, and all that it holds."""
        for path, link in held.namedlinks():
            self._of_program.add(id(link))
            self._reached.append((link, "name"))
            inner = named.part(path.rstrip("/"), path.strip("/"))
            inner = self._named.setdefault(id(link), inner)
            for slot, part in vars(link).items():
                self._add(inner.part(f"/{slot}", slot), part)

    def _add_rule(self, parameter: Named, rule: Any) -> None:
        """Name the update rule of a parameter, and what it keeps."""
        if rule is not None:
            named = parameter.part(".update_rule", rule_name(rule))
            self._named[id(rule)] = named
            held = self._states.get(id(rule), rule.state)
            self._add(replace(named, path=f"{named.path}.state"), held)
            self._add(named.part(".hyperparam", "hyperparam"), rule.hyperparam)
            if self._whole:
                self._of_program.add(id(rule))

    def _require_chain(self) -> None:
        if not self._named:
            self._add_chain()

    def _require_whole(self) -> None:
        self._require_chain()
        if not self._whole:
            self._whole = True
            self._add_program()

    def _add_program(self) -> None:
        """Name what the functions hold that were walked: globals, classes, defaults, cells."""
        config = chainer.config
        self._named[id(home(config))] = Named("chainer.config", "config")
        functions = list(self._w.functions.entered_functions.values())
        mentioned = {name for function in functions for name in _mentioned(function.__code__)}
        for function in functions:
            self._add_function(function)
            if natives.is_library(function.__code__.co_filename):
                continue
            space = function.__globals__
            if id(space) in self._named:
                continue
            self._named[id(space)] = Named("", "")
            for name in mentioned & space.keys():
                self._add_global(space, name, space[name])
        for link in self._chain.links():
            for cls in type(link).__mro__:
                self._add_class(cls)

    def _add_global(self, space: dict[str, Any], name: str, held: Any) -> None:
        if isinstance(held, type):
            if held.__module__ == space.get("__name__"):
                self._add_class(held)
        elif isinstance(held, types.FunctionType):
            self._add_function(held)
        else:
            self._add(_of_global(space, name), held)

    def _add_class(self, cls: type) -> None:
        if id(cls) in self._named or natives.is_native(cls):
            return
        self._named[id(cls)] = named = Named(cls.__name__, cls.__name__)
        for name, held in vars(cls).items():
            if isinstance(held, types.FunctionType):
                self._add_function(held)
            elif not name.startswith("__"):
                self._add(named.part(f".{name}", name), held)

    def _add_function(self, function: types.FunctionType) -> None:
        if id(function) in self._named:
            return
        self._named[id(function)] = named = Named(function.__name__, function.__name__)
        for name, held in vars(function).items():
            self._add(named.part(f".{name}", name), held)
        for name, held in _defaults(function):
            default = Named(name, f"{named.port}/{name}", "the default ", f" of {named.path}")
            self._add(default, held)
        for name, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True
        ):
            around = Named(name, f"{named.port}/{name}", "the name ", f" around {named.path}")
            self._named[id(cell)] = around
            try:
                held = cell.cell_contents
            except ValueError:
                continue
            self._add(around, held)


def _of_contents(named: Named | None, kind: str) -> Named:
    """Name what a container or array holds; one that the chain does not hold says its kind."""
    if named is None:
        return Named(f"{a_or_an(kind)} that outlives it", kind)
    if named.own or kind not in ("list", "dict", "set", "OrderedDict", "defaultdict"):
        return named
    return Named(f"{a_or_an(kind)} that outlives it ({named.shown})", named.port)


def _of_global(space: dict[str, Any], name: str) -> Named:
    """Name a global, or an entry of the configuration."""
    if space is home(chainer.config):
        return Named(f"chainer.config.{name}", f"config/{name}")
    file = space.get("__file__") or space.get("__name__", "a module")
    return Named(name, name, "the global ", f" of {PurePath(str(file)).name}")


def _mentioned(code: types.CodeType) -> Iterator[str]:
    """Yield the names that are read or written by a function and by those within it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _mentioned(constant)


def _has_attributes(held: Any) -> bool:
    """Tell whether something is looked through for its attributes."""
    return has_space(held) and not isinstance(held, OPAQUE)


def _parts(held: Any) -> list[tuple[str, str, Any]]:
    """Return what a container or object holds: what is behind its name, the port, the part."""
    if not isinstance(held, CONTAINERS):
        return [(f".{name}", name, part) for name, part in vars(held).items()]
    parts: Iterable[tuple[Any, Any]] = ()
    match held:  # its class may have methods of its own
        case dict() if dict.__len__(held) <= LONGEST:
            parts = [(key, dict.__getitem__(held, key)) for key in dict.keys(held)]
        case list() if list.__len__(held) <= LONGEST:
            parts = enumerate(list.__iter__(held))
        case tuple() if tuple.__len__(held) <= LONGEST:
            parts = enumerate(tuple.__iter__(held))
    return [(f"[{key!r}]", str(key), part) for key, part in parts]


def _defaults(function: types.FunctionType) -> list[tuple[str, Any]]:
    code, given = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount][code.co_argcount - len(given) :]
    return [*zip(names, given, strict=True), *(function.__kwdefaults__ or {}).items()]
