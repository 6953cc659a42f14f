"""The inputs of a model as data: one `InputSpec` a tensor, and the call that surrounds them."""

from __future__ import annotations

import inspect
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import chainer
import numpy as np

from elichika.errors import InputError
from elichika.signature.constants import plain_from_json, plain_json
from elichika.signature.forms import in_words
from elichika.signature.leaves import own, read_leaf, read_list
from elichika.signature.names import unique_name
from elichika.signature.slots import ABSENT, Found, Leaves
from elichika.signature.structure import Frozen, Slot, Structure, from_json

__all__ = ["BoundCall", "InputSignature", "InputSpec", "Size"]

MOST_VARIANTS = 64

Size = int | str | None
Path = tuple[str | int, ...]
PYTHON_TYPES = {"bool": bool, "int": int, "float": float}
ARRAYS: dict[str | None, str] = {"variable": "ndarray"}


def show_path(path: Path) -> str:
    """Return a path as Python would write it, such as `state['h'][0]`."""
    return str(path[0]) + "".join(f"[{step!r}]" for step in path[1:])


@dataclass(frozen=True)
class InputSpec:
    """One input of the model.

    Attributes:
        name: Its name in the model.
        path: Where the leaf is in the call: the parameter, then indices, keys and field names.
        kind: `variable`, `ndarray`, `scalar` (a 0-d input), `list` (a sequence) or `tag` (which of
            several structures an argument has).
        dtype: Element type.
        dims: Sizes: an int, the name of a dynamic axis, or None for a size that nothing is said
            of. Those of the elements, for a list.
        python_type: The type of a scalar or of the scalars in a list, such as `int` or
            `numpy.float32`.
        length: The name of a list's length, if it was given one.
        element: What a list holds: `variable`, `ndarray` or `scalar`.
        example: A host array, a scalar or a list of these; None once loaded from a file.
    """

    name: str
    path: Path
    kind: str
    dtype: np.dtype[Any]
    dims: tuple[Size, ...] = ()
    python_type: type | None = None
    length: str | None = None
    element: str | None = None
    example: Any = field(default=None, compare=False, repr=False)

    def describe(self) -> str:
        """Return the input as `x float32[batch, 3]` or `xs list of int32[?]`."""
        return f"{self.name} {self.described}"

    @property
    def described(self) -> str:
        """What it takes: `float32[batch, 3]`."""
        sizes = ", ".join("?" if dim is None else str(dim) for dim in self.dims)
        if self.kind in ("scalar", "tag"):
            return _type_name(self)
        tensor = f"{self.dtype}[{sizes}]"
        if self.kind == "list":
            what = _type_name(self) if self.element == "scalar" else tensor
            return f"list of {what}"
        return tensor

    def takes(self, value: Any, exact: bool = True) -> bool:
        """Tell whether a value is of the type of the input, whatever its sizes are.

        Args:
            value: It.
            exact: Whether Variables and arrays are told apart.
        """
        if self.kind == "tag":
            return True
        read = read_list if type(value) is list else read_leaf
        try:
            leaf = read(value, self.name)
        except InputError:
            return False
        if leaf is None:
            return self.kind == "list" and type(value) is list
        same = leaf.dtype == self.dtype and leaf.python_type is self.python_type
        kinds = [(leaf.kind, leaf.element), (self.kind, self.element)]
        if not exact:
            kinds = [(ARRAYS.get(kind, kind), ARRAYS.get(of, of)) for kind, of in kinds]
        arrays = leaf.value if leaf.kind == "list" else [leaf.value]
        return same and kinds[0] == kinds[1] and all(np.ndim(a) == len(self.dims) for a in arrays)

    def to_python(self, value: Any) -> Any:
        """Return a host value as the chain takes it, with its own memory."""
        if value is ABSENT:
            return value
        if self.kind == "list":
            return [self._part(self.element, item) for item in value]
        return self._part(self.kind, value)

    def _part(self, kind: str | None, value: Any) -> Any:
        if kind in ("scalar", "tag"):
            assert self.python_type is not None
            return self.python_type(value)
        copied = np.array(value, dtype=self.dtype)
        return chainer.Variable(copied) if kind == "variable" else copied

    def to_json(self) -> dict[str, Any]:
        """Return all but the example as JSON data."""
        return {
            "name": self.name,
            "path": list(self.path),
            "kind": self.kind,
            "dtype": self.dtype.name,
            "dims": list(self.dims),
            "python_type": None if self.python_type is None else _type_name(self),
            "length": self.length,
            "element": self.element,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> InputSpec:
        """Return the spec that `to_json` made `data` of."""
        name = data["python_type"]
        kind = None if name is None else PYTHON_TYPES.get(name) or np.dtype(name).type
        return cls(
            name=data["name"],
            path=tuple(data["path"]),
            kind=data["kind"],
            dtype=np.dtype(data["dtype"]),
            dims=tuple(data["dims"]),
            python_type=kind,
            length=data["length"],
            element=data["element"],
        )


def _type_name(spec: InputSpec) -> str:
    assert spec.python_type is not None
    return (
        spec.python_type.__name__
        if spec.python_type in PYTHON_TYPES.values()
        else str(np.dtype(spec.python_type))
    )


@dataclass(frozen=True)
class BoundCall:
    """Arguments to call the function with."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(frozen=True)
class InputSignature:
    """The inputs in order, and the call that they are part of.

    Attributes:
        specs: One for each tensor or list.
        parameters: Those of the function, without annotations; a default is only marked.
        arguments: For each parameter that was given, the structure of its argument; slots are
            indices into `specs`.
        defaults: The arguments that a call may leave out though they have inputs, and what they are
            then.
        kept: The kinds of calls that there are; None for all combinations.
        tensors: Whether a list is a tensor of the file, padded where sizes of its arrays differ.
        examples: The leaves of the examples, those of the first one first; not kept in files.
        inferred: The names of sizes that differ between examples and that nobody named; neither.
        twice: By class, which list or dict stands twice in an example, in a sentence; neither.
    """

    specs: tuple[InputSpec, ...]
    parameters: tuple[inspect.Parameter, ...]
    arguments: dict[str, Structure]
    defaults: dict[str, Any] = field(default_factory=dict)
    kept: tuple[dict[int, int], ...] | None = None
    tensors: bool = False
    examples: tuple[list[Any], ...] = field(default=(), compare=False, repr=False)
    inferred: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    twice: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    def with_examples(self, examples: Sequence[list[Any]]) -> InputSignature:
        """Return the signature with the leaves of examples."""
        specs = [
            spec if leaf is ABSENT else replace(spec, example=own(leaf))
            for spec, leaf in zip(self.specs, examples[0], strict=True)
        ]
        return replace(self, specs=tuple(specs), examples=tuple(own(list(one)) for one in examples))

    def lengths_of(self, spec: InputSpec) -> str | None:
        """Return the name of the input with the sizes of a list's arrays, if it is padded."""
        if not self.tensors or spec.kind != "list" or None not in spec.dims:
            return None
        return unique_name(f"{spec.name}_lengths", {one.name for one in self.specs})

    @property
    def names(self) -> list[str]:
        """The names of the inputs of the file."""
        names = [spec.name for spec in self.specs]
        return [*names, *filter(None, map(self.lengths_of, self.specs))]

    @cached_property
    def variants(self) -> list[dict[int, int]]:
        """Return the kinds of calls: for each, the alternative of each tag that counts."""
        if self.kept is not None:
            return list(self.kept)
        made: list[dict[int, int]] = [{}]
        for argument in self.arguments.values():
            made = [{**one, **other} for one in made for other in argument.ways()]
        return made

    @property
    def shown(self) -> list[dict[int, int]]:
        """The kinds of calls that the examples are, that of the first one first."""
        found: list[dict[int, int]] = []
        for leaves in self.examples:
            way = self.variant_of(leaves)
            found += [] if way in found else [way]
        return found

    def of_kinds(self, ways: Sequence[dict[int, int]]) -> InputSignature:
        """Return the signature for some kinds of calls alone."""
        return replace(self, kept=tuple(ways))

    def kind_in_words(self, way: Mapping[int, int]) -> str:
        """Say what kind a call is, by the arguments that may be of several."""
        several = [(name, one) for name, one in self.arguments.items() if one.count_ways() > 1]
        return ", ".join(f"`{name}` {self.in_words(one.taken(way))}" for name, one in several)

    def in_words(self, structure: Structure) -> str:
        """Say what an argument is, or a part of one."""
        return in_words(structure, lambda index: self.specs[index].described)

    @property
    def count_variants(self) -> int:
        """How many kinds of calls there are."""
        return math.prod(argument.count_ways() for argument in self.arguments.values())

    @property
    def tags(self) -> list[int]:
        """The numbers of the inputs that tell kinds apart."""
        return [index for index, spec in enumerate(self.specs) if spec.kind == "tag"]

    def require_few_variants(self) -> None:
        """Refuse arguments whose kinds combine in too many ways.

        Raises:
            InputError: Naming them.
        """
        counts = {name: argument.count_ways() for name, argument in self.arguments.items()}
        count = self.count_variants
        if count > MOST_VARIANTS:
            shown = ", ".join(
                f"{number} of `{name}`" for name, number in counts.items() if number > 1
            )
            raise InputError(
                f"the kinds of arguments combine to {count} kinds of calls, {shown}; a model takes "
                f"up to {MOST_VARIANTS}."
            )

    def variant_of(self, leaves: Sequence[Any]) -> dict[int, int]:
        """Return which kind of call leaves are of."""
        return {
            index: leaf
            for index, (spec, leaf) in enumerate(zip(self.specs, leaves, strict=True))
            if spec.kind == "tag" and leaf is not ABSENT
        }

    def bound(self) -> BoundCall:
        """Return the call with copies of the examples in it."""
        return self.rebuild([spec.to_python(spec.example) for spec in self.specs])

    def call_of(self, leaves: Sequence[Any]) -> BoundCall:
        """Return the call with leaves as the chain takes them, with their own memory."""
        pairs = zip(self.specs, leaves, strict=True)
        return self.rebuild([spec.to_python(leaf) for spec, leaf in pairs])

    def rebuild(self, leaf_values: Sequence[Any], assemble: Any = None) -> BoundCall:
        """Return the call with other leaves, in the order of `specs`; see `Leaves` for the rest."""
        leaves = Leaves(leaf_values, assemble=assemble)
        arguments = {name: item.filled(leaves) for name, item in self.arguments.items()}
        bound = inspect.BoundArguments(inspect.Signature(self.parameters), arguments)
        return BoundCall(bound.args, bound.kwargs)

    def leaves(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """Return the leaves of a call of the same form, in the order of `specs`.

        Arguments that were static may be left out.

        Raises:
            InputError: The call has another form, or another value for a static argument.
        """
        if self._is_flat and not kwargs and len(args) == len(self.specs):
            return list(args)  # what follows takes longer than small models
        found = Found(
            lambda index, leaf, exact: self.specs[index].takes(leaf, exact),
            self.in_words,
        )
        given = self.assigned(args, kwargs)
        for name, value in ({**self.defaults, **given} if self.defaults else given).items():
            if name not in self.arguments:
                empty = value in ((), {}) if isinstance(value, (tuple, dict)) else False
                if not empty:
                    raise InputError(f"`{name}` was left at its default when it was compiled.")
                continue
            self.arguments[name].match(value, name, found)
        if self.kept is not None:
            way = {index: found[index] for index in self.tags if index in found}
            if way not in self.kept:
                shown = self.kind_in_words(way)
                raise InputError(f"The model takes no call with {shown}: the program was refused.")
        for index in self._optional:
            found.setdefault(index, ABSENT)
        for index, spec in enumerate(self.specs):
            if index not in found:
                raise InputError(f"The input {spec.describe()} is missing.")
        return [found[index] for index in range(len(self.specs))]

    def assigned(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of a call by the names of the parameters."""
        names = self._plain_names
        if not kwargs and names is not None and len(args) == len(names):
            return dict(zip(names, args, strict=True))
        try:
            return self._call.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise InputError(f"The model cannot be called like this: {error}.") from None

    @cached_property
    def _optional(self) -> set[int]:
        """The inputs that not all calls have."""
        ways = len(self.variants)
        counts = Counter(index for way in self.variants for index in self._slots(way))
        return {index for index in range(len(self.specs)) if counts[index] < ways}

    def _slots(self, way: Mapping[int, int]) -> list[int]:
        """Return the inputs that calls of one kind have."""
        return [index for a in self.arguments.values() for index in a.taken(way).slots] + list(way)

    @cached_property
    def _call(self) -> inspect.Signature:
        return inspect.Signature(self._parameters_of_the_model())

    @cached_property
    def _is_flat(self) -> bool:
        """Whether the positional arguments of each call are the leaves, one after the other."""
        slots = [self.arguments.get(name) for name in self._plain_names or ()]
        in_order = slots == [Slot(index) for index in range(len(self.specs))]
        return in_order and self.kept is None and not self.tags

    @cached_property
    def may_disagree(self) -> bool:
        """Whether one name of a size stands at two places, which a call may give unlike sizes."""
        sizes = [size for spec in self.specs for size in (*spec.dims, spec.length)]
        named = [size for size in sizes if size == str(size)]
        listed = any(spec.kind == "list" for spec in self.specs)
        return bool(named) and (listed or len(set(named)) < len(named))

    @cached_property
    def _plain_names(self) -> tuple[str, ...] | None:
        """The names of the parameters, where all of them take one positional argument."""
        plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        if any(parameter.kind not in plain for parameter in self.parameters):
            return None
        return tuple(parameter.name for parameter in self.parameters)

    def _parameters_of_the_model(self) -> list[inspect.Parameter]:
        """The parameters, where only those with inputs below them must be given."""
        changed = []
        optional = False
        for parameter in self.parameters:
            structure = self.arguments.get(parameter.name)
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                changed.append(parameter)
                continue
            needed = structure is not None and bool(structure.slots)
            needed = needed and parameter.name not in self.defaults
            optional |= not needed
            default = Frozen("", None) if not needed else parameter.empty
            if optional and parameter.kind is not parameter.KEYWORD_ONLY:
                default = Frozen("", None)
            changed.append(parameter.replace(default=default))
        return changed

    def to_json(self) -> dict[str, Any]:
        """Return all but the examples as JSON data."""
        return {
            "specs": [spec.to_json() for spec in self.specs],
            "parameters": [
                [parameter.name, parameter.kind.name, parameter.default is not parameter.empty]
                for parameter in self.parameters
            ],
            "arguments": [[name, item.to_json()] for name, item in self.arguments.items()],
            **({"tensors": True} if self.tensors else {}),
            "kept": None if self.kept is None else [list(way.items()) for way in self.kept],
            "defaults": [[name, plain_json(value)] for name, value in self.defaults.items()],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> InputSignature:
        """Return the signature that `to_json` made `data` of."""
        parameters = tuple(
            inspect.Parameter(
                name,
                getattr(inspect.Parameter, kind),
                default=Frozen("", None) if default else inspect.Parameter.empty,
            )
            for name, kind, default in data["parameters"]
        )
        arguments = {name: from_json(item) for name, item in data["arguments"]}
        defaults = {name: plain_from_json(value) for name, value in data.get("defaults", ())}
        given = data.get("kept")
        kept = None if given is None else tuple({tag: n for tag, n in way} for way in given)
        specs = tuple(map(InputSpec.from_json, data["specs"]))
        tensors = bool(data.get("tensors"))
        return cls(specs, parameters, arguments, defaults, kept, tensors)
