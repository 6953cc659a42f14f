"""State between calls: what forward leaves on the chain becomes inputs and outputs of the model.

A stream of calls is a loop over `forward`, so the locations that a call changes are found, and
typed, as those that a loop carries: walk, join what they hold at the start with what they hold at
the end, and walk again until the types no longer change.
"""

from __future__ import annotations

import base64
import json
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NoReturn

import chainer
import numpy as np

from elichika.call.outliving import Names, source_of
from elichika.call.state_ports import (
    NEXT,
    Ends,
    apart,
    constants_in,
    declared,
    ends_of,
    free_name,
    hide_names,
    ports,
    show_names,
    sizes_of,
)
from elichika.call.update_rules import first_states, optimizers_of
from elichika.errors import StagingError
from elichika.state.aliases import shown_by
from elichika.state.facts import Known
from elichika.state.joins import (
    ArrayType,
    ChoiceType,
    ContentsType,
    HeapType,
    Hole,
    ItemsType,
    KeysType,
    ScalarType,
    Static,
    TupleType,
    Type,
    VarType,
    filled,
    sharing,
)
from elichika.state.joins.key_forms import FormsType
from elichika.state.joins.mixed_keys import MixedType
from elichika.state.joins.tables import TableType
from elichika.state.joins.texts import TextsType
from elichika.state.joins.words import WordType
from elichika.state.partitions import numbered
from elichika.state.store import CONTENTS
from elichika.values.tape import GRADIENT
from onnx_graph import Value
from onnx_graph.passes import constants

if TYPE_CHECKING:
    from elichika.walker.walker import Walker

__all__ = ["OPTIMIZERS_KEY", "STATE_KEY", "StateSpec", "Stream", "read_specs", "write_specs"]

STATE_KEY = "elichika.state"
OPTIMIZERS_KEY = "elichika.optimizers"
"""Of a model's metadata."""

MAX_WALKS = 12

Location = tuple[int, str]
"""A location of a user's object: its id, and the slot."""

NOTHING_KNOWN: Known = ({}, {}, {}, {})


@dataclass(frozen=True)
class StateSpec:
    """One tensor that a call takes from the call before.

    Attributes:
        input: The name of the input that takes it.
        output: The name of the output that gives it.
        initial: What it is before the first call.
        weight: The parameter that this is, if another one may take its place.
    """

    input: str
    output: str
    initial: np.ndarray[Any, Any]
    weight: str | None = None


class Stream:
    """The state of one walk: which locations it has, and as what types."""

    def __init__(self, model: chainer.Link) -> None:
        """Start without any; `model` names the locations."""
        self._owners: dict[int, Any] = {}
        self._types: dict[Location, Type] = {}
        self._model = model
        self._asked: set[Location] = set()
        self._walks = 0
        self._inputs: dict[Location, list[Value]] = {}
        self._bases: dict[Location, str] = {}
        self._named: dict[Location, Ends] = {}
        self._first = first_states(model)
        self._are_cut = True

    def enter(self, w: Walker) -> None:
        """Put inputs where the locations hold something."""
        idents: defaultdict[int, int] = defaultdict(w.idents.new)
        self._types = {
            location: type_.renumbered(idents.__getitem__)
            for location, type_ in self._types.items()
        }
        built: dict[int, Any] = {}
        for rule, state in self._first.values():
            w.store.set(rule, "_state", state)
        self._are_cut = self._are_cut and self._hold_no_past(w)
        self._start = w.store.mark()
        self._inputs = {}
        self._name(w)
        sizes = sizes_of(w.graph.main.graph.inputs)
        with w.tape.control.meeting() as begun:
            for location, type_ in self._types.items():
                owner, slot = self._owner(w, location), location[1]
                named = self._named[location]
                self._inputs[location] = values = [declared(w.graph, *one, sizes) for one in named]
                w.store.set(owner, slot, type_.build(w, iter(values), built))
        if self._are_cut:
            w.tape.control.begin_call(begun)

    def settle(self, w: Walker) -> bool:
        """After a walk, tell whether its state has the types that it started with.

        If not, enter another walk: the types are those of both now.
        """
        carried = {
            (id(self._owner(w, location)), location[1]): t for location, t in self._types.items()
        }
        grown = w.fixed_point.grow(carried, self._start, None, frozenset(), NOTHING_KNOWN)
        written = {id(w.store.owner(key).source) for key in grown if key[1] == CONTENTS}
        any_call = _AnyCall(w, written)
        self.names = Names(self._model, w, {rule: held for rule, (_, held) in self._first.items()})
        types: dict[Location, Type] = {}
        for key, type_ in grown.items():
            owner = w.store.owner(key)
            source = source_of(owner)
            location = (id(source), key[1])
            own = type(source).__module__.startswith("elichika")  # a note of the walk, say
            if own or source is None:
                continue
            settled = self._for_any_call(w, any_call, key, type_)
            if settled.leaves({}):
                self._owners[id(source)] = source
                types[location] = settled
        self._walks += 1
        if types != self._types or any(
            relation(types.values()) != relation(self._types.values())
            for relation in (sharing, numbered)
        ):
            if self._walks > MAX_WALKS:
                self._refuse_unsettled(w, types)
            self._types = types
            return False
        self._asked = set()
        with w.tape.control.meeting() as met:
            self._ends(w, lambda slot: slot != GRADIENT)
        if self._are_cut and not w.tape.control.are_cut(met):
            self._are_cut = False
            return False
        for location in self._types.keys() - self._asked:
            hide_names(self._inputs[location])
        return True

    def _hold_no_past(self, w: Walker) -> bool:
        """Tell whether no function made the Variables that the first call finds.

        Where one did, a gradient would go on into that call; so none goes there. Gradients that
        parameters keep have no past: nobody differentiates them.
        """
        with w.tape.control.meeting() as met:
            self._held(w, self._types.keys(), lambda slot: slot != GRADIENT)
        return w.tape.control.are_cut(met)

    def _held(
        self, w: Walker, asked: Collection[Location], of: Callable[[str], bool]
    ) -> list[Value | Hole]:
        """Return what carries what locations hold now, of those that are asked for."""
        memo: dict[int, Any] = {}
        return [
            leaf
            for location, type_ in self._types.items()
            if location in asked and of(location[1])
            for leaf in type_.encode(w, w.held(self._owner(w, location), location[1]), memo)
        ]

    def _ends(self, w: Walker, of: Callable[[str], bool]) -> list[Value | Hole]:
        """Return what carries what a call leaves for what later calls ask.

        A call asks for what it computes with, and for what it leaves as it is where another call
        asks for it (`self.last, self.now = self.now, x`).
        """
        while True:
            ends = self._held(w, self._asked, of)
            kept = set(map(id, ends))
            asked = {
                location
                for location, inputs in self._inputs.items()
                if location in self._asked or any(_used(x) or id(x) in kept for x in inputs)
            }
            memo: dict[int, Any] = {}
            leaves = {at: type_.leaves(memo) for at, type_ in self._types.items() if at in asked}
            if any(len(found) != len(self._inputs[at]) for at, found in leaves.items()):
                asked = set(self._types)  # one holds what another one does
            if asked == self._asked:
                return ends
            self._asked = asked

    def _for_any_call(self, w: Walker, any_call: _AnyCall, key: Any, type_: Type) -> Type:
        """Return the type of a location for any call; name the location where there is none."""
        owner, slot = w.store.owner(key), key[1]
        any_call.shown = lambda: self.names.of(owner, slot).shown
        try:
            return any_call.of(type_)
        except StagingError as error:
            error.frames = self.names.line(owner, slot)
            raise

    def _refuse_unsettled(self, w: Walker, types: dict[Location, Type]) -> NoReturn:
        """Name what has another type after each walk."""
        locations = [p for p in types if types[p] != self._types.get(p)] or list(types)
        owner, slot = self._owner(w, locations[0]), locations[0][1]
        shown = self.names.of(owner, slot).shown
        raise StagingError(
            f"state=True: {shown} does not settle into one type", self.names.line(owner, slot)
        )

    def leave(self, w: Walker) -> list[StateSpec]:
        """Declare the outputs and return what a model keeps; the walk is over."""
        ends = filled(w, self._ends(w, lambda _: True))
        names = self._last_names(w)
        w.store.undo(self._start)
        starts = filled(w, self._held(w, self._asked, lambda _: True))
        specs = []
        for name, start, end in zip(names, starts, ends, strict=True):
            w.graph.output(f"{name}{NEXT}", end)
            w.graph.docs[name] = f"state before the call; see {STATE_KEY} in the metadata"
            w.graph.docs[f"{name}{NEXT}"] = f"state after the call: {name} of the next one"
            weight = str(start.name) if start.name in w.graph.weights else None
            initial = w.graph.array_of(start) if weight else constants.evaluated(w.graph, start)
            if initial is None:
                raise StagingError(
                    f"state=True: what {name} is at the start is not known when this is compiled"
                )
            specs.append(StateSpec(name, f"{name}{NEXT}", np.array(initial), weight))
        return specs

    def _last_names(self, w: Walker) -> list[str]:
        """Take away the inputs that no call asks for; return the names of the others."""
        main = w.graph.main.graph
        for location in self._types.keys() - self._asked:
            del self._types[location]
            for value in self._inputs.pop(location):
                main.inputs.remove(value)
        inputs = [value for location in self._types for value in self._inputs[location]]
        others = (str(value.name) for value in main.inputs if value not in inputs)
        show_names(inputs, {*w.graph.outputs, *constants_in(main), *others})
        return [str(value.name) for value in inputs]

    def optimizers(self) -> dict[str, dict[str, Any]]:
        """Return where the snapshots of the optimizers of the chain are; see `optimizers_of`."""

        def base(owner: Any, slot: str) -> str | None:
            location = (id(owner), slot)
            return self._bases.get(location) if location in self._types else None

        states = {rule: state for rule, (_, state) in self._first.items()}
        return optimizers_of(self._model, states, base)

    def _owner(self, w: Walker, location: Location) -> Any:
        source = self._owners[location[0]]
        return w.as_array(source) if isinstance(source, np.ndarray) else source

    def _name(self, w: Walker) -> None:
        """Name the inputs of the locations by their paths, no two alike.

        A number behind a path tells it from another location, or input, of that name.
        """
        main = w.graph.main.graph
        taken = {*(str(value.name) for value in main.inputs), *constants_in(main)}
        memo: dict[int, Any] = {}
        self._bases, self._named = {}, {}
        for location, type_ in self._types.items():
            path = self.names.of(self._owners[location[0]], location[1]).port or "state"
            ends, leaves = apart(ends_of(type_, memo))
            base = free_name(path, ends, taken)
            taken |= ports(base, ends)
            self._bases[location] = base
            named = zip(ends, leaves, strict=True)
            self._named[location] = [(base + end, leaf) for end, leaf in named]


def _used(value: Value) -> bool:
    return bool(value.uses())


class _AnyCall:
    """Turns types of one walk into types of any call: its sizes and objects mean nothing there."""

    def __init__(self, w: Walker, written: Collection[int]) -> None:
        """`written` are the ids of the user's arrays that a call writes."""
        self.shown: Callable[[], str] = lambda: "the state"
        self._w = w
        self._written = written

    def of(self, type_: Type) -> Type:
        """Return a type for any call.

        Raises:
            StagingError: The state is of a kind that cannot be an input.
        """
        match type_:
            case Static() | ScalarType() | TextsType() | WordType():
                return type_
            case MixedType():
                return replace(type_, elsewhere=True)
            case FormsType():
                return type_.seen(elsewhere=True)
            case ContentsType():
                return replace(type_, dims=_known(type_.dims))
            case ArrayType():
                return self._array(type_)
            case VarType() | TupleType() | ItemsType() | KeysType() | ChoiceType() | HeapType():
                return type_.with_parts(tuple(map(self.of, type_.parts)))
            case TableType(boxed=False):  # with the keys that the calls before put in
                return type_.with_parts(tuple(map(self.of, type_.parts)))
        raise StagingError(
            f"state=True: {self.shown()}, which a call changes, cannot be an input",
            hint="keep arrays, Variables, numbers, None, or tuples, lists and dicts of these",
        )

    def _array(self, type_: ArrayType) -> Type:
        """An array of the chain stays that one; all others are held by the state alone."""
        roots = [shown_by(origin).root for origin in type_.origins]
        own = [root for root in (*roots, *type_.shares) if root.source is not None]
        if type_.existing and own and own[0] is type_.origins[0]:
            return Static(own[0].source)
        if any(id(root.source) in self._written for root in own):
            raise StagingError(f"state=True: a call writes an array that {self.shown()} may share")
        groups = {self._w.idents.of(root) for root in (*roots, *type_.shares)}
        return ArrayType(
            type_.dtype,
            _known(type_.dims),
            type_.ident,
            groups=type_.groups | groups,
            frozen=type_.frozen or bool(own),
        )


def _known(dims: Sequence[Any]) -> tuple[int | None, ...]:
    return tuple(size if isinstance(size, int) else None for size in dims)


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
                **({"weight": spec.weight} if spec.weight else {}),
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
        found.append(StateSpec(item["input"], item["output"], initial, item.get("weight")))
    return found
