"""From the values that examples give to an argument, what the argument is.

What differs in size is one input with a dynamic size. What differs in kind, `2` and `2.5`, or an
array and None, is one of several structures, with an input that tells which: its tag.

    x: float32[2, 3], float32[4, 3]     x float32[x_0, 3]
    n: 2, 2.5                           n_kind, n_int int, n_float float
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from elichika.errors import InputError
from elichika.signature.constants import same_constant
from elichika.signature.inputs import InputSpec, Path, Size, show_path
from elichika.signature.leaves import Leaf, own, read_leaf, read_list
from elichika.signature.names import safe_name, unique_name
from elichika.signature.structure import (
    Constant,
    DictOf,
    ItemsOf,
    OneOf,
    RecordOf,
    RowsOf,
    Slot,
    Structure,
)
from elichika.values.words import a_value

__all__ = ["Merger", "Seen"]

SEVERAL = "constant"
ROWS = "rows"


@dataclass(frozen=True)
class Seen:
    """A value, and the example that gives it.

    Attributes:
        where: What messages call the example: `inputs`, `examples[0]`.
        value: Its value.
        leaf: What was read of it, if it is an array, a number, or a list of these.
    """

    where: str
    value: Any
    leaf: Leaf | None = None


@dataclass
class Form:
    """What values of one kind have in common, and those that were seen.

    Attributes:
        key: What they have in common.
        seen: The values; at least one.
    """

    key: tuple[Any, ...]
    seen: list[Seen] = field(default_factory=list)

    @property
    def word(self) -> str:
        """What the inputs of this form are called besides the others."""
        leaf = self.seen[0].leaf
        if leaf is None:
            return str(self.key[0])
        kind = leaf.python_type.__name__ if leaf.python_type else str(leaf.dtype)
        return f"list_{kind}" if leaf.kind == "list" else kind

    @property
    def shown(self) -> str:
        """What it is, for messages."""
        value, leaf = self.seen[0].value, self.seen[0].leaf
        if leaf is None:
            return repr(value) if self.key[0] == SEVERAL else a_value(value)
        if leaf.kind == "list":
            return f"a list of {leaf.dtype}"
        return f"{leaf.dtype}{list(leaf.value.shape)}" if leaf.python_type is None else leaf.shown


class Merger:
    """Makes the structure of each argument, and an input for each leaf.

    Attributes:
        specs: The inputs.
        shapes: Of each input, the sizes that were seen, with the example that has them.
        symbols: The names that dynamic sizes got here.
    """

    def __init__(
        self, static: Collection[str], taken: Collection[str] = (), *, merge_dtypes: bool = False
    ) -> None:
        """Start without inputs.

        Args:
            static: Arguments that stay at their examples.
            taken: Names of sizes that the user gives.
            merge_dtypes: Whether arrays of unlike dtypes may be one argument.
        """
        self.specs: list[InputSpec] = []
        self.shapes: list[list[tuple[str, tuple[int, ...]]]] = []
        self._static, self._merge_dtypes = static, merge_dtypes
        self._taken = set(taken)
        self._slots: dict[Any, Slot] = {}
        self.symbols: list[str] = []

    def argument(self, name: str, seen: Sequence[Seen]) -> Structure:
        """Return the structure of an argument, adding a spec for each leaf."""
        return self._fixed(seen, name) if name in self._static else self._read(seen, (name,))

    def _fixed(self, seen: Sequence[Seen], name: str) -> Structure:
        """Return what an argument that is static stays at: one of its examples."""
        kept: list[Any] = []
        for one in seen:
            if not any(same_constant(known, one.value) for known in kept):
                kept.append(one.value)
        if len(kept) == 1:
            return Constant(kept[0])
        tag = self._tag((name,))
        return OneOf(tag, tuple(map(Constant, kept)))

    def _read(self, seen: Sequence[Seen], path: Path, word: str = "") -> Structure:
        forms = self._forms(seen, path)
        if len(forms) == 1:
            return self._one(forms[0], path, word)
        tag = self._tag(path)
        several = sum(form.key[0] != SEVERAL for form in forms) > 1
        words = [form.word if several else "" for form in forms]
        parts = [self._one(form, path, of) for form, of in zip(forms, words, strict=True)]
        return OneOf(tag, tuple(parts))

    def _forms(self, seen: Sequence[Seen], path: Path) -> list[Form]:
        """Return the values by what they are; empty lists are with the first lists.

        Raises:
            InputError: They are of no kind that a model takes, or differ in their dtype alone.
        """
        forms: dict[tuple[Any, ...], Form] = {}
        empty: list[Seen] = []
        for one in seen:
            key, leaf = self._form(one.value, path)
            if key == ("list",):
                empty.append(one)
                continue
            forms.setdefault(key, Form(key)).seen.append(Seen(one.where, one.value, leaf))
        lists = [form for form in forms.values() if form.key[0] in ("list", ROWS)]
        if empty and not lists:
            raise InputError(
                f"`{show_path(path)}` is an empty list, whose elements have no type; give an "
                "example with elements."
            )
        for one in empty:
            none = None if lists[0].key[0] == ROWS else Leaf("list", np.dtype("V"), [])
            lists[0].seen.append(Seen(one.where, one.value, none))
        found = list(forms.values())
        if not self._merge_dtypes:
            _require_one_dtype(found, path)
        return found

    def _form(self, value: Any, path: Path) -> tuple[tuple[Any, ...], Leaf | None]:
        """Return what a value has in common with others of its kind, and the leaf that it is."""
        where = show_path(path)
        match value:
            case None | str():
                return (SEVERAL, value), None
            case tuple() | dict():
                return _form_of_parts(value, where), None
        if type(value) is list:
            if value and all(item is None or isinstance(item, str) for item in value):
                return (SEVERAL, tuple(value), "list"), None
            match value:
                case [tuple() | dict(), *_]:
                    return (ROWS, *_form_of_rows(value, where)), None
            leaf = read_list(value, where)
            if leaf is None:
                return ("list",), None
            return ("list", leaf.element, leaf.dtype, leaf.python_type, _rank(leaf, where)), leaf
        leaf = read_leaf(value, where)
        if leaf is None:
            raise InputError(
                f"`{where}` is {a_value(value)}, not an array, number, list, tuple, dict, str or "
                "None (name it in static to keep it as it is)."
            )
        return (leaf.kind, leaf.kind, leaf.dtype, leaf.python_type, np.ndim(leaf.value)), leaf

    def _one(self, form: Form, path: Path, word: str) -> Structure:
        """Return the structure of values of one form."""
        first = form.seen[0]
        if form.key[0] == SEVERAL:
            return Constant(first.value)
        if first.leaf is not None:
            return self._add(form, path, word)
        if form.key[0] == ROWS:
            return self._rows(form, path)

        def part(index: Any, step: Any) -> Structure:
            return self._read(
                [Seen(one.where, one.value[index]) for one in form.seen], (*path, step)
            )

        return _around(first.value, part)

    def _rows(self, form: Form, path: Path) -> Structure:
        """Return the structure of lists of tuples or dicts: each leaf is a list of its own."""

        def column(index: Any, step: Any) -> Structure:
            columns = [Seen(one.where, [row[index] for row in one.value]) for one in form.seen]
            return self._column(columns, (*path, step))

        item = _around(next(one.value[0] for one in form.seen if one.value), column)
        if not item.slots:
            raise InputError(f"`{show_path(path)}` holds no arrays or numbers.")
        length = unique_name(self._free((*path, "len")), {*self._taken, *self.symbols})
        self._taken.add(length)
        for index in item.slots:
            self.specs[index] = replace(self.specs[index], length=length)
        return RowsOf("list", item)

    def _column(self, seen: Sequence[Seen], path: Path) -> Structure:
        """Return what one part of all rows is: the same text or None, or a list by itself."""
        items = [item for one in seen for item in one.value]
        if all(item is None or type(item) is str for item in items):
            if len(set(items)) == 1:
                return Constant(items[0])
        else:
            match self._read(seen, path):
                case Slot() as slot:
                    return slot
                case RowsOf(_, item):
                    return item
        raise InputError(
            f"`{show_path(path)}` differs in kind from row to row; rows have one form."
        )

    def _tag(self, path: Path) -> Slot:
        """Add the input that says which of several structures an argument has."""
        dtype, name = np.dtype(np.int64), self._free((*path, "kind"))
        spec = InputSpec(name, path, "tag", dtype, python_type=int, example=0)
        return self._new(spec, [])

    def _add(self, form: Form, path: Path, word: str) -> Slot:
        """Return the input that takes the values of a form at a place: a new one at first."""
        leaf = form.seen[0].leaf
        assert leaf is not None
        slot = self._slots.get((path, form.key))
        if slot is None:
            name = self._free((*path, word) if word else path)
            spec = InputSpec(
                name=name,
                path=path,
                kind=leaf.kind,
                dtype=leaf.dtype,
                python_type=leaf.python_type,
                element=leaf.element,
                example=own(leaf.value),
            )
            slot = self._slots[path, form.key] = self._new(spec, [])
        leaves = [(one.where, one.leaf.value) for one in form.seen if one.leaf is not None]
        if leaf.kind == "list":
            leaves = [(where, item) for where, items in leaves for item in items]
        if leaf.python_type is None:
            self.shapes[slot.index] += [(where, array.shape) for where, array in leaves]
        return slot

    def sized(self) -> list[InputSpec]:
        """Return the inputs with their sizes: those in which examples differ are dynamic.

        Of an argument that comes in several dtypes, the sizes of all count for each.
        """
        seen: dict[Any, list[tuple[int, ...]]] = {}
        keys = [
            (spec.path, spec.kind == "list", len(shapes[0][1]) if shapes else 0)
            for spec, shapes in zip(self.specs, self.shapes, strict=True)
        ]
        for key, shapes in zip(keys, self.shapes, strict=True):
            seen.setdefault(key, []).extend(shape for _, shape in shapes)
        found = []
        for key, spec, shapes in zip(keys, self.specs, self.shapes, strict=True):
            dims: list[Size] = []
            for axis, sizes in enumerate(zip(*seen[key], strict=True) if shapes else ()):
                if len(set(sizes)) == 1:
                    dims.append(sizes[0])
                else:
                    symbol = f"{spec.name}_{axis}"
                    dims.append(None if spec.kind == "list" else self._symbol(symbol))
            found.append(replace(spec, dims=tuple(dims)))
        return found

    def _new(self, spec: InputSpec, shapes: list[tuple[str, tuple[int, ...]]]) -> Slot:
        self.specs.append(spec)
        self.shapes.append(shapes)
        return Slot(len(self.specs) - 1)

    def _free(self, path: Path) -> str:
        """Return a name for an input."""
        taken = {spec.name for spec in self.specs}
        return unique_name(safe_name("_".join(map(str, path))), taken)

    def _symbol(self, name: str) -> str:
        """Return a name for a size, which no other has."""
        safe = name if name.isidentifier() else f"size_{name}"
        symbol = unique_name(safe, {*self._taken, *self.symbols})
        self.symbols.append(symbol)
        return symbol


def _form_of_parts(value: Any, where: str) -> tuple[Any, ...]:
    """Return what a tuple or dict has in common with others of its kind."""
    match value:
        case tuple():
            fields = getattr(type(value), "_fields", None)
            return ("tuple", len(value)) if fields is None else ("record", type(value))
    if type(value) not in (dict, OrderedDict):
        raise InputError(f"`{where}` is {a_value(value)}; dicts are dict or OrderedDict.")
    for key in value:
        if not isinstance(key, (str, int)):
            raise InputError(f"`{where}` has the key {key!r}; keys are strings or ints.")
    return type(value).__name__, tuple(value)


def _form_of_rows(rows: list[Any], where: str) -> tuple[Any, ...]:
    """Return the form that all rows of a list have."""
    forms = []
    for number, row in enumerate(rows):
        if not issubclass(type(row), (tuple, dict)):
            raise InputError(
                f"`{where}[{number}]` is {a_value(row)}; the rows of a list have one form."
            )
        forms.append(_form_of_parts(row, f"{where}[{number}]"))
        if forms[-1] != forms[0]:
            raise InputError(
                f"`{where}[{number}]` has other parts than `{where}[0]`; the rows of a list have "
                "one form."
            )
    return forms[0]


def _around(value: Any, part: Callable[[Any, Any], Structure]) -> Structure:
    """Return the structure of a tuple or dict, whose parts are asked for by index and name."""
    match value:
        case dict():
            return DictOf(type(value).__name__, tuple(value), tuple(part(k, k) for k in value))
    fields = getattr(type(value), "_fields", None)
    steps = range(len(value)) if fields is None else fields
    parts = tuple(part(index, step) for index, step in enumerate(steps))
    if fields is None:
        return ItemsOf("tuple", parts)
    return RecordOf(type(value).__name__, fields, parts, type(value))


def _rank(leaf: Leaf, where: str) -> int:
    """Return the rank that all arrays of a list have."""
    ranks = sorted({np.ndim(item) for item in leaf.value})
    if len(ranks) > 1:
        shown = " and ".join(map(str, ranks))
        raise InputError(f"The arrays in `{where}` have ranks {shown}; those of a list have one.")
    return ranks[0]


def _require_one_dtype(forms: Sequence[Form], path: Path) -> None:
    """Refuse arrays that differ in their dtype."""
    known: dict[Any, Form] = {}
    for form in forms:
        match form.key:
            case ("variable" | "ndarray" | "list", element, dtype, None, _):
                first = known.setdefault((form.key[0] == "list", element), form)
                if first.key[2] != dtype:
                    raise InputError(
                        f"`{show_path(path)}` is {first.shown} in {first.seen[0].where} and "
                        f"{form.shown} in {form.seen[0].where}; give one dtype, or let the model "
                        "take both with merge_dtypes=True."
                    )
