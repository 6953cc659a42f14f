"""Classes that the walked program defines: Python's own classes whose methods are closures."""

from __future__ import annotations

import abc
import dataclasses
import functools
import types
from collections import OrderedDict, defaultdict
from typing import Any

import gast

from elichika.program import native_code as natives
from elichika.values.functions import closures_of
from elichika.walker.scopes import Scopes
from elichika.walker.visits import Visits
from elichika.walker.walk import Walk

#: Methods by which a class takes part in what Python does with it natively.
UNFOLLOWED = frozenset(
    (
        "__new__",
        "__init_subclass__",
        "__class_getitem__",
        "__set_name__",
        "__del__",
        "__getattribute__",
        "__match_args__",
    )
)
#: Bases of C code that a class may have.
BASES = (object, BaseException)
CONTAINERS = frozenset({object, list, dict, set, tuple, OrderedDict, defaultdict, abc.ABC})


class Classes:
    """The part of the walker that defines classes."""

    def __init__(self, w: Walk, visits: Visits, scopes: Scopes) -> None:
        self.w = w
        self.visits = visits
        self.scopes = scopes
        self._places: set[Any] = set()

    def visit_ClassDef(self, node: Any) -> None:
        """Make a class of constants, functions, properties, class and static methods."""
        if node.keywords:
            self._refuse_class("with a keyword")
        options = [self._dataclass_options(decorator) for decorator in node.decorator_list]
        bases = tuple(self.visits.visit(base) for base in node.bases)
        for base in bases:
            plain = type(base) in (type, abc.ABCMeta) and (
                issubclass(base, BASES[1]) or _is_walked(base)
            )
            if not plain:
                self._refuse_class("with a base that is run natively")
        body: dict[str, Any] = {}
        if options:
            body["__annotations__"] = _fields(node)
        for statement in node.body:
            with self.w.at(statement):
                self._define(statement, body)
        made = self._made(node.name, bases, body)
        for one in options:
            self._as_dataclass(made, body, one)
        for name, value in body.items():
            if name not in vars(made):
                self.w.store.set(self.w.store.born(made), name, value)
        self.scopes.bind(node.name, made)

    def _made(self, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
        """Make the class; what is known only when the model runs is left to the store."""
        frame = self.w.frames[-1]
        space = {key: value for key, value in body.items() if not self.is_symbolic_part(value)}
        space |= {
            "__module__": frame.globals.get("__name__", "__main__"),
            "__qualname__": f"{frame.program.name}.<locals>.{name}",
        }
        try:
            made: type = types.new_class(name, bases, {}, lambda made: made.update(space))
        except TypeError as error:  # bases of no order
            self.w.raise_static(error)
        except RuntimeError:  # of a `__set_name__`
            self._refuse_class("with descriptors or fields that are made there")
        self._note_made(made)
        for value in body.values():
            for closure in closures_of(value):
                closure.owner = made
        return made

    def _note_made(self, made: type) -> None:
        """Note a class that this walk made, and where, for the next walk makes another."""
        place = self.w.site_of_birth()
        once = place not in self._places and not self.w.regions()
        self._places.add(place)
        self.w.made_classes.add(made)
        self.w.plan.define(place, made, once)

    def _dataclass_options(self, decorator: Any) -> dict[str, Any]:
        """Return the keywords of `@dataclass(...)`, the one decorator of classes."""
        called = isinstance(decorator, gast.Call) and not decorator.args
        if self.visits.visit(decorator.func if called else decorator) is not dataclasses.dataclass:
            self._refuse_class("with a decorator other than `dataclass`")
        return {k.arg: self.visits.visit(k.value) for k in decorator.keywords} if called else {}

    def _as_dataclass(self, made: type, body: dict[str, Any], options: dict[str, Any]) -> None:
        fields = body["__annotations__"]
        if self.w.is_symbolic(options) or any(
            name in body and (name not in vars(made) or self.w.store.was_born(body[name]))
            for name in fields
        ):
            self._refuse_class("as a dataclass whose options or defaults are made there")
        try:
            dataclasses.dataclass(**options)(made)
        except (TypeError, ValueError) as error:
            self.w.raise_static(error)

    def is_symbolic_part(self, value: Any) -> bool:
        """Tell whether a class attribute is known only when the model runs; functions are not."""
        return not list(closures_of(value)) and self.w.is_symbolic(value)

    def _define(self, statement: Any, body: dict[str, Any]) -> None:
        """Run a statement of a class."""
        match statement:
            case gast.FunctionDef():
                self._require_outer(statement.args.defaults, body)
                method: Any = self.scopes.make_closure(statement)
                for decorator in reversed(statement.decorator_list):
                    method = self._decorated(decorator, method, body)
                name, value = statement.name, method
            case (
                gast.Assign(targets=[gast.Name(id=name)])
                | gast.AnnAssign(target=gast.Name(id=name))
            ):
                if statement.value is None:
                    return
                self._require_outer([statement.value], body)
                value = self.visits.visit(statement.value)
            case gast.Pass() | gast.Expr(value=gast.Constant()):
                return
            case _:
                self._refuse_class("with other statements than definitions in its body")
        if name in UNFOLLOWED:
            self._refuse_class(f"with `{name}`")
        body[self._own_name(name)] = value

    def _own_name(self, name: str) -> str:
        if name.startswith("__") and not name.endswith("__"):
            self._refuse_class(f"with a private name, `{name}`")
        return name

    def _decorated(self, decorator: Any, method: Any, body: dict[str, Any]) -> Any:
        """Return a property, a class or static method, or what a function makes of a method."""
        match decorator:
            case gast.Attribute(value=gast.Name(id=name), attr="setter" | "getter" | "deleter"):
                held = body.get(name)
                if isinstance(held, property):
                    return getattr(held, decorator.attr)(method)
        function = self.visits.visit(decorator)
        if function in (property, staticmethod, classmethod, functools.cached_property):
            return function(method)
        self._refuse_class("with decorated methods, but for properties, class and static methods")

    def _require_outer(self, values: list[Any], body: dict[str, Any]) -> None:
        """Refuse names of the class itself in what is evaluated inside its body."""
        for value in values:
            for part in gast.walk(value):
                if isinstance(part, gast.Name) and part.id in body:
                    self._refuse_class("whose body reads its own names")

    def _refuse_class(self, what: str) -> Any:
        self.w.refuse(
            f"a class defined inside a compiled function {what} is not supported",
            "define the class at module level",
        )


def _fields(node: Any) -> dict[str, Any]:
    """Return the annotated names of a class, without what the annotations say."""
    found = (s.target for s in node.body if isinstance(s, gast.AnnAssign))
    return {target.id: object for target in found if isinstance(target, gast.Name)}


def _is_walked(base: type) -> bool:
    return not any(natives.is_native(cls) for cls in base.__mro__ if cls not in CONTAINERS)
