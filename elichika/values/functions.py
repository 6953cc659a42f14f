"""Functions and generators of the walked program, and the frames that hold their names."""

from __future__ import annotations

import functools
import types
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from elichika.values.symbolic import SymbolicUse
from elichika.values.words import shown_as

if TYPE_CHECKING:
    from elichika.errors import SourceFrame
    from elichika.program.places import Program


@dataclass(eq=False)
class Frame:
    """One call of a function: its names are locations of the store.

    Attributes:
        called_at: The place of the user's that led to a call in a library, once it is asked for.
        callers: The nodes of the calls in libraries that led here, once they are asked for.
    """

    program: Program
    globals: dict[str, Any]
    parent: Frame | None = None
    cells: dict[str, Any] = field(default_factory=dict)
    owner: type | None = None
    class_name: str | None = None
    call_site: SourceFrame | None = None
    first_argument: str | None = None
    depth: int = 0
    regions: int = 0
    called_at: tuple[Program, Any] | None = None
    callers: tuple[int, ...] | None = None


@shown_as("function")
@dataclass(eq=False)
class Closure:
    """A function defined in walked code, or a lambda: code and the frame it closes over.

    Attributes:
        owner: The class that it is a method of, if that is defined in walked code as well.
        name: What the function that it wraps is called.
    """

    program: Program
    frame: Frame
    defaults: tuple[Any, ...]
    kw_defaults: dict[str, Any]
    owner: type | None = None
    name: str | None = None

    @property
    def __name__(self) -> str:
        return self.program.name if self.name is None else self.name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Refuse: code that is not walked cannot call it."""
        raise SymbolicUse(self)


def is_private(name: str) -> bool:
    """Tell whether an attribute has another name for each class."""
    return name.startswith("__") and not name.endswith("__")


def class_name_of(function: types.FunctionType) -> str | None:
    """Return the name of the class that a function is written in, which its private names have."""
    around = function.__qualname__.split(".")[:-1]
    while around[-1:] == ["<locals>"]:
        del around[-2:]
    return around[-1] if around else None


def closures_of(attribute: Any) -> list[Closure]:
    """Return the functions of walked code that a class attribute is made of."""
    if isinstance(attribute, property):
        parts = [attribute.fget, attribute.fset, attribute.fdel]
    elif isinstance(attribute, functools.cached_property):
        parts = [attribute.func]
    else:
        parts = [getattr(attribute, "__func__", attribute)]
    return [part for part in parts if isinstance(part, Closure)]


@shown_as("function")
@dataclass(eq=False)
class Remembered:
    """A function of the program that remembers what it returned: `functools.lru_cache`.

    Attributes:
        function: What it runs.
        typed: 1 and 1.0 are two arguments.
        bounded: It forgets what was asked for long ago.
        lasting: It was made before the call of the model, and remembers what calls before returned.
        parts: What runs, by those arguments that are known and no numbers.
        numbered: What runs where all are numbers, which knows the function by its name.
        kinds: The types of the arguments of the first call, and what Python remembers them by.
    """

    function: Any
    typed: bool = False
    bounded: bool = False
    lasting: bool = False
    parts: dict[Any, WithMemo] = field(default_factory=dict)
    numbered: Program | None = None
    kinds: Any = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Refuse: code that is not walked cannot call it."""
        raise SymbolicUse(self)


@dataclass(eq=False)
class WithMemo:
    """What a call of a `Remembered` runs: a program around a call of the function, and its memo."""

    memo: dict[Any, Any]
    program: Program


@shown_as("method")
@dataclass(eq=False)
class BoundMethod:
    """A function bound to a receiver, either of which may be known only to the walk."""

    function: Any
    receiver: Any

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Refuse: code that is not walked cannot call it."""
        raise SymbolicUse(self)


#: Where the manager of a generator keeps what to call for it: the function and its arguments.
GENERATOR = ("_function", "_args", "_kwargs")


@shown_as("generator")
class GeneratorCall:
    """A generator of the walked program: run where its items are consumed."""

    stands_for = "generator"

    def __init__(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        self.function = function
        self.args = args
        self.kwargs = kwargs
