"""State between calls: what forward leaves on the chain becomes inputs and outputs of the model.

A stream of calls is a loop over `forward`, so the locations that a call changes are found, and
typed, as those that a loop carries: walk, join what they hold at the start with what they hold at
the end, and walk again until the types no longer change.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import chainer
import numpy as np

from elichika.aliases import Seen
from elichika.errors import StagingError
from elichika.facts import Known
from elichika.joins import (
    ArrayType,
    ChoiceType,
    ContentsType,
    ItemsType,
    Leaf,
    ScalarType,
    Static,
    TupleType,
    Type,
    VarType,
    filled,
    same_static,
    sharing,
)
from elichika.values import UNSET, Array
from onnx_graph import Value

__all__ = ["STATE_KEY", "StateSpec", "Stream", "read_specs", "write_specs"]

STATE_KEY = "elichika.state"
"""Of a model's metadata."""

MAX_WALKS = 12

Place = tuple[int, str]

NOTHING_KNOWN: Known = ({}, {}, {})
"""A location of a user's object: its id, and the slot."""


@dataclass(frozen=True)
class StateSpec:
    """One tensor that a call takes from the call before.

    Attributes:
        input: The name of the input that takes it.
        output: The name of the output that gives it.
        initial: What it is before the first call.
    """

    input: str
    output: str
    initial: np.ndarray[Any, Any]


class Stream:
    """The state of one walk: which locations it has, and as what types."""

    def __init__(self, model: chainer.Link) -> None:
        """Start without any; `model` names the locations."""
        self._owners: dict[int, Any] = {}
        self._types: dict[Place, Type] = {}
        self._paths = {id(link): path.strip("/") for path, link in sorted(model.namedlinks())}
        for path, link in sorted(model.namedlinks()):
            for slot, held in vars(link).items():
                if isinstance(held, np.ndarray):
                    self._paths.setdefault(id(held), f"{path}/{slot}".strip("/"))
        self._ignored: set[Place] = set()
        self._walks = 0
        self._inputs: dict[Place, list[Value]] = {}
        self._bases: dict[Place, str] = {}
        self._taken: set[str] = set()

    def enter(self, w: Any) -> None:
        """Put inputs in the place of what the locations hold."""
        memo: dict[int, Any] = {}
        built: dict[int, Any] = {}
        self._inputs = {}
        self._taken = {value.name for value in w.graph.main.graph.inputs}
        for place, type_ in self._types.items():
            owner, slot = self._owner(w, place), place[1]
            names = self._names(place, type_, memo)
            values = [_input(w.graph, name, leaf) for name, leaf in names]
            self._inputs[place] = values
            w.store.set(owner, slot, type_.build(w, iter(values), built))
        self._mark = w.store.mark()

    def settle(self, w: Any) -> bool:
        """After a walk, tell whether its state has the types that it started with.

        If not, enter another walk: the types are those of both now.
        """
        carried = {(id(self._owner(w, place)), place[1]): t for place, t in self._types.items()}
        grown = w._grow(carried, self._mark, None, frozenset(), NOTHING_KNOWN)
        written = {id(w.store.owner(key).source) for key in grown if key[1] == "[contents]"}
        any_call = _AnyCall(w, written)
        types: dict[Place, Type] = {}
        for key, type_ in grown.items():
            owner = w.store.owner(key)
            source = owner.source if isinstance(owner, Array) else owner
            place = (id(source), key[1])
            if owner is w.token or source is None or place in self._ignored:
                continue
            settled = any_call.of(type_)
            if settled.leaves({}):
                self._owners[id(source)] = source
                types[place] = settled
        self._walks += 1
        if types != self._types or sharing(types.values()) != sharing(self._types.values()):
            if self._walks > MAX_WALKS:
                raise StagingError("state=True: the state does not settle into one type")
            self._types = types
            return False
        unused = {place for place, inputs in self._inputs.items() if not any(map(_used, inputs))}
        self._ignored |= unused
        self._types = {place: t for place, t in types.items() if place not in unused}
        return not unused

    def leave(self, w: Any) -> list[StateSpec]:
        """Declare the outputs and return what a model keeps."""
        specs = []
        memo: dict[int, Any] = {}
        named: dict[int, Any] = {}
        starts: set[int] = set()
        for place, type_ in self._types.items():
            owner, slot = self._owner(w, place), place[1]
            names = self._names(place, type_, named)
            ends = filled(w, type_.encode(w, w.held(owner, slot), memo))
            before = _initial(type_, self._before(place), starts)
            for (name, _), end, initial in zip(names, ends, before, strict=True):
                output = f"{name}/next"
                w.graph.output(output, end)
                specs.append(StateSpec(name, output, initial))
        return specs

    def _owner(self, w: Any, place: Place) -> Any:
        source = self._owners[place[0]]
        return w.as_array(source) if isinstance(source, np.ndarray) else source

    def _before(self, place: Place) -> Any:
        source, slot = self._owners[place[0]], place[1]
        return source if isinstance(source, np.ndarray) else getattr(source, slot, UNSET)

    def _names(self, place: Place, type_: Type, memo: dict[int, Any]) -> list[tuple[str, Leaf]]:
        base = self._base(place)
        leaves = type_.leaves(memo)
        if isinstance(type_, ChoiceType):
            return [(f"{base}/tag", leaves[0]), *_numbered(base, leaves[1:])]
        return _numbered(base, leaves)

    def _base(self, place: Place) -> str:
        """Name a location by its path; a number behind it tells it from others of that name."""
        if place not in self._bases:
            path = self._paths.get(place[0], type(self._owners[place[0]]).__name__)
            base = path if place[1] == "[contents]" else f"{path}/{place[1]}".strip("/")
            taken = {*self._taken, *self._bases.values()}
            again = (f"{base}_{number}" for number in count(2))
            self._bases[place] = (
                base if base not in taken else next(n for n in again if n not in taken)
            )
        return self._bases[place]


def _numbered(base: str, leaves: Sequence[Leaf]) -> list[tuple[str, Leaf]]:
    if len(leaves) == 1:
        return [(base, leaves[0])]
    return [(f"{base}/{number}", leaf) for number, leaf in enumerate(leaves)]


def _input(g: Any, name: str, leaf: Leaf) -> Value:
    symbol = "".join(c if c.isalnum() else "_" for c in name)
    dims = [
        size if isinstance(size, int) else f"state_{symbol}_{axis}"
        for axis, size in enumerate(leaf.dims or ())
    ]
    value: Value = g.input(name, leaf.dtype, dims)
    return value


def _used(value: Value) -> bool:
    return bool(value.uses())


class _AnyCall:
    """Turns types of one walk into types of any call: its sizes and objects mean nothing there."""

    def __init__(self, w: Any, written: Collection[int]) -> None:
        """`written` are the ids of the user's arrays that a call writes."""
        self._w = w
        self._written = written
        self._idents: dict[int, int] = {}

    def of(self, type_: Type) -> Type:
        """Return a type for any call.

        Raises:
            StagingError: The state is of a kind that cannot be an input.
        """
        match type_:
            case Static() | ScalarType():
                return type_
            case ContentsType():
                return replace(type_, dims=_known(type_.dims))
            case ArrayType():
                return self._array(type_)
            case VarType():
                return VarType(type_.kind, self.of(type_.array))
            case TupleType() | ItemsType():
                return replace(type_, items=tuple(map(self.of, type_.items)))
            case ChoiceType():
                return ChoiceType(tuple(map(self.of, type_.alternatives)))
        raise StagingError(
            f"state=True: what a call leaves on the chain ({type(type_).__name__}) cannot be an "
            "input",
            hint="keep arrays, Variables, numbers, None, or tuples and lists of these",
        )

    def _array(self, type_: ArrayType) -> Type:
        """An array of the chain stays that one; all others are held by the state alone."""
        roots = [o.base.root if isinstance(o, Seen) else o.root for o in type_.origins]
        own = [root for root in (*roots, *type_.shares) if root.source is not None]
        if type_.existing and own and own[0] is type_.origins[0]:
            return Static(own[0].source)
        if any(id(root.source) in self._written for root in own):
            raise StagingError("state=True: a call writes an array that the state may share")
        groups = {self._w.ident_of(root) for root in (*roots, *type_.shares)}
        return ArrayType(
            type_.dtype,
            _known(type_.dims),
            self._idents.setdefault(type_.ident, self._w.next_ident()),
            groups=type_.groups | groups,
            frozen=type_.frozen or bool(own),
        )


def _known(dims: Sequence[Any]) -> tuple[int | None, ...]:
    return tuple(size if isinstance(size, int) else None for size in dims)


def _initial(type_: Type, value: Any, memo: set[int]) -> Iterator[np.ndarray[Any, Any]]:
    """Yield the tensors of a value that is there before the first call."""
    match type_:
        case ScalarType():
            yield np.asarray(value, type_.dtype)
        case ContentsType():
            yield np.array(value, type_.dtype)
        case ArrayType() if type_.ident not in memo:
            memo.add(type_.ident)
            array = value.array if isinstance(value, chainer.Variable) else value
            yield np.array(array, type_.dtype)
        case VarType():
            yield from _initial(type_.array, value, memo)
        case TupleType() | ItemsType():
            for item, part in zip(type_.items, value, strict=True):
                yield from _initial(item, part, memo)
        case ChoiceType():
            fits = [_fits(item, value) for item in type_.alternatives]
            taken = fits.index(True)
            yield np.asarray(taken == 0 if len(fits) == 2 else taken)
            for number, item in enumerate(type_.alternatives):
                if number == taken:
                    yield from _initial(item, value, set())
                else:
                    yield from (_nothing(leaf) for leaf in item.leaves({}))


def _nothing(leaf: Leaf) -> np.ndarray[Any, Any]:
    return np.zeros([size if isinstance(size, int) else 0 for size in leaf.dims or ()], leaf.dtype)


def _fits(type_: Type, value: Any) -> bool:
    match type_:
        case Static():
            return same_static(value, type_.value)
        case ScalarType():
            return type(value) is type_.type
        case VarType():
            return isinstance(value, chainer.Variable)
        case ArrayType():
            return isinstance(value, np.ndarray)
        case TupleType():
            return isinstance(value, tuple) and len(value) == len(type_.items)
    return isinstance(value, list)


def write_specs(specs: Sequence[StateSpec]) -> str:
    """Return JSON text for a model's metadata."""
    return json.dumps(
        [
            {
                "input": spec.input,
                "output": spec.output,
                "dtype": spec.initial.dtype.name,
                "shape": list(spec.initial.shape),
                "initial": base64.b64encode(np.ascontiguousarray(spec.initial).tobytes()).decode(),
            }
            for spec in specs
        ],
        separators=(",", ":"),
    )


def read_specs(metadata: Mapping[str, str]) -> list[StateSpec]:
    """Return what `write_specs` wrote, or nothing."""
    found = []
    for item in json.loads(metadata.get(STATE_KEY, "[]")):
        flat = np.frombuffer(base64.b64decode(item["initial"]), item["dtype"])
        initial = flat.reshape(item["shape"]).copy()
        found.append(StateSpec(item["input"], item["output"], initial))
    return found
