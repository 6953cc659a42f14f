"""The expressions of a canonical program."""

from __future__ import annotations

import operator
import re
import sys
import types
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from elichika import idioms
from elichika.iterators.base import DictView, SymbolicRange
from elichika.numbers import operators
from elichika.state.store import CONTENTS, MISSING
from elichika.values.constant_views import owner_of
from elichika.values.functions import Closure
from elichika.values.symbolic import UNDEF, Array, Choice, Scalar, Seq, Symbolic, Text, Var
from elichika.walker.choices import choice_in
from elichika.walker.core import PLAIN, Core
from elichika.walker.kinds import Kind, kind_of
from elichika.walker.statements import OPERATORS

#: What asks an index for its `__index__`.
_INDEXED = frozenset({list, tuple, str, range, SymbolicRange, Array, np.ndarray})
#: What `!s`, `!r` and `!a` in an f-string do.
CONVERSIONS: dict[int, Callable[[Any], str]] = {115: str, 114: repr, 97: ascii}

COMPARISONS = {
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
}
SPECIAL = {
    operator.add: ("__add__", "__radd__"),
    operator.sub: ("__sub__", "__rsub__"),
    operator.mul: ("__mul__", "__rmul__"),
    operator.truediv: ("__truediv__", "__rtruediv__"),
    operator.floordiv: ("__floordiv__", "__rfloordiv__"),
    operator.mod: ("__mod__", "__rmod__"),
    operator.pow: ("__pow__", "__rpow__"),
    operator.matmul: ("__matmul__", "__rmatmul__"),
    operator.and_: ("__and__", "__rand__"),
    operator.or_: ("__or__", "__ror__"),
    operator.xor: ("__xor__", "__rxor__"),
    operator.lshift: ("__lshift__", "__rlshift__"),
    operator.rshift: ("__rshift__", "__rrshift__"),
    operator.eq: ("__eq__", "__eq__"),
    operator.ne: ("__ne__", "__ne__"),
    operator.lt: ("__lt__", "__gt__"),
    operator.le: ("__le__", "__ge__"),
    operator.gt: ("__gt__", "__lt__"),
    operator.ge: ("__ge__", "__le__"),
}
UNARY = {"USub": operator.neg, "UAdd": operator.pos, "Invert": operator.invert}


#: Of such constants Python keeps one object.
_NAME = re.compile(r"\w*", re.ASCII)


class Expressions(Core):
    """The part of the walker that visits expressions."""

    def visit_Constant(self, node: Any) -> Any:
        if getattr(node, "undef", False):
            return UNDEF
        value = node.value
        return sys.intern(value) if type(value) is str and _NAME.fullmatch(value) else value

    def visit_Name(self, node: Any) -> Any:
        return self.load(node.id)

    def visit_NamedExpr(self, node: Any) -> Any:
        value = self.visit(node.value)
        self.bind(node.target.id, value)
        return value

    def visit_Tuple(self, node: Any) -> Any:
        if any(isinstance(item, gast.Starred) for item in node.elts):
            items = self.items_of(self._display(node.elts))
            return self.sequences.new_tuple(items) if isinstance(items, Seq) else items
        return tuple(self._elements(node.elts))

    def visit_List(self, node: Any) -> Any:
        return self._display(node.elts)

    def _display(self, nodes: list[Any]) -> list[Any]:
        """Return a list of items, among which there may be `*others` of any length."""
        made = self.new_list(())
        for node in nodes:
            value = self.visit(node)
            if isinstance(node, gast.Starred):
                self.extend(made, value)
            else:
                self.append(made, value)
        return made

    def visit_Set(self, node: Any) -> Any:
        items = self._elements(node.elts)
        if any(self.is_symbolic(item) for item in items):
            self.refuse("a set cannot hold values known only when the model runs")
        items = [self.hashable(item) for item in items]
        made: set[Any] = self.store.born(set())
        self.set_items(made, dict.fromkeys(items, True))
        return made

    def visit_Dict(self, node: Any) -> Any:
        items: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                items.update(self.mapping_items(self.visit(value)))
                continue
            name = self.visit(key)
            items[self.hashable(name)] = self.visit(value)
        return self.new_dict(items)

    def _elements(self, nodes: list[Any]) -> list[Any]:
        """Return the items, of a known number."""
        items: list[Any] = []
        for node in nodes:
            if isinstance(node, gast.Starred):
                items.extend(self.static_items(self.visit(node.value)))
            else:
                items.append(self.visit(node))
        return items

    def hashable(self, key: Any) -> Any:
        """Return a dict key, refusing what is known only when the model runs."""
        key = self.narrow(key)
        if self.is_symbolic(key):
            self.refuse(
                "a dict key must be known before the model runs",
                "keep pairs in a list, or name the argument behind the key in `static`",
            )
        if self.store.was_born(key) and vars(object)["__hash__"] is not type(key).__hash__:
            self.refuse(
                f"a {type(key).__name__}, whose class has its own `__hash__`, is no key here",
                "use a tuple or a number of it as the key",
            )
        try:
            hash(key)
        except TypeError as error:
            self.raise_static(error)
        return key

    def visit_JoinedStr(self, node: Any) -> Any:
        parts = [self.visit(part) for part in node.values]
        return Text() if any(isinstance(part, Text) for part in parts) else "".join(parts)

    def visit_FormattedValue(self, node: Any) -> Any:
        value = self.visit(node.value)
        convert = CONVERSIONS.get(node.conversion)
        if convert is not None:
            value = self.call(convert, [value], {})
        spec = "" if node.format_spec is None else self.visit(node.format_spec)
        return self.call(format, [value, spec], {})

    def visit_Lambda(self, node: Any) -> Any:
        return self.make_closure(node)

    def visit_Starred(self, node: Any) -> Any:
        return self.visit(node.value)

    def visit_Slice(self, node: Any) -> Any:
        parts = [None if p is None else self.visit(p) for p in (node.lower, node.upper, node.step)]
        return slice(*parts)

    def visit_IfExp(self, node: Any) -> Any:
        test = self.truth(self.visit(node.test))
        self.note_branch(node.test, test)
        return self.branch(test, lambda: self.visit(node.body), lambda: self.visit(node.orelse))

    def visit_BoolOp(self, node: Any) -> Any:
        return self._lazy(isinstance(node.op, gast.And), node.values)

    def _lazy(self, conjunction: bool, nodes: list[Any]) -> Any:
        value = self.visit(nodes[0])
        if len(nodes) == 1:
            return value
        test = self.truth(value)
        if not isinstance(test, Scalar):
            return self._lazy(conjunction, nodes[1:]) if bool(test) == conjunction else value
        if isinstance(value, Scalar) and value.type is bool:
            value = not conjunction

        def rest() -> Any:
            return self._lazy(conjunction, nodes[1:])

        if conjunction:
            return self.branch(test, rest, lambda: value)
        return self.branch(test, lambda: value, rest)

    def visit_UnaryOp(self, node: Any) -> Any:
        operand = self.visit(node.operand)
        if isinstance(node.op, gast.Not):
            return self.not_(operand)
        return self.unary(UNARY[type(node.op).__name__], operand)

    def unary(self, op: Any, operand: Any) -> Any:
        """Return `-x`, `+x` or `~x`."""
        operand = self.narrow(operand)
        if isinstance(operand, Choice):
            return self.choices.apply(operand, lambda v: self.unary(op, v))
        if isinstance(operand, (Array, Scalar)) or self.is_overlaid(operand):
            with self.located():
                return operators.unary(self.walker, op, self.as_symbolic(operand))
        name = {operator.neg: "__neg__", operator.pos: "__pos__", operator.invert: "__invert__"}[op]
        method = self.special(operand, name)
        if method is not None:
            return self.call(method, [operand], {})
        return self.native(op, [operand], {})

    def visit_BinOp(self, node: Any) -> Any:
        left = self.visit(node.left)
        right = self.visit(node.right)
        return self.binary(OPERATORS[type(node.op).__name__], left, right)

    def visit_Compare(self, node: Any) -> Any:
        left = self.visit(node.left)
        right = self.visit(node.comparators[0])
        name = type(node.ops[0]).__name__
        if name in ("Is", "IsNot"):
            same = self.identical(left, right)
            return same if name == "Is" else self.not_(same)
        if name in ("In", "NotIn"):
            found = self.contains(right, left)
            return found if name == "In" else self.not_(found)
        return self.binary(COMPARISONS[name], left, right)

    def binary(self, op: Any, left: Any, right: Any) -> Any:
        """Return `left op right`, an arithmetic operator or a comparison."""
        left, right = self._float(self.narrow(left)), self._float(self.narrow(right))
        if isinstance(left, Choice):
            return self.choices.apply(left, lambda v: self.binary(op, v, right))
        if isinstance(right, Choice):
            return self.choices.apply(right, lambda v: self.binary(op, left, v))
        if isinstance(left, Text) or isinstance(right, Text) or self._formats(op, left, right):
            return self._text(op, left, right)
        result = self.overridden_binary(op, SPECIAL[op], left, right)
        if result is not NotImplemented:
            return result
        symbolic = (Array, Scalar)
        if self._plain(left) and self._plain(right):
            if isinstance(left, symbolic) or isinstance(right, symbolic):
                return self._numeric(op, self.plain_number(left), self.plain_number(right))
            if self.is_overlaid(left) or self.is_overlaid(right):
                return self._numeric(op, self.as_symbolic(left), self.as_symbolic(right))
            return self.native(op, [left, right], {})
        containers = (list, tuple, dict, set, frozenset, DictView)
        if isinstance(left, containers) or isinstance(right, containers):
            handled = self.container_binary(op, left, right)
            if handled is not NotImplemented:
                return handled
        return self._special_binary(op, left, right)

    def _formats(self, op: Any, left: Any, right: Any) -> bool:
        return op is operator.mod and isinstance(left, str) and self.is_symbolic(right)

    def _text(self, op: Any, left: Any, right: Any) -> Text:
        from elichika.lowerings.python import texts as python_texts

        if op is operator.add:
            return python_texts.added(self.walker, left, right)
        if op is operator.mod and isinstance(left, (str, Text)):
            return python_texts.modulo(self.walker, left, right)
        if op is operator.mul and int in (self.type_of(left), self.type_of(right)):
            return Text()
        self.refuse(Text.MESSAGE)

    def _float(self, value: Any) -> Any:
        """Return a choice of floats as one float: nothing needs to know which of them it is."""
        if not isinstance(value, Choice):
            return value
        number = self.choices.numbers(value)
        return value if number is None or number.type is not float else number

    def _plain(self, value: Any) -> bool:
        return isinstance(value, (Array, Scalar, np.ndarray, np.generic, bool, int, float, str))

    def _numeric(self, op: Any, left: Any, right: Any) -> Any:
        if isinstance(left, str) or isinstance(right, str):
            if any(isinstance(one, (Array, np.ndarray)) for one in (left, right)):
                self.refuse(
                    "an array and a text do not combine",
                    "test first: `isinstance(value, str)`",
                )
            if op in (operator.eq, operator.ne):
                return op is operator.ne
            self.refuse("text and a value known only when the model runs do not combine")
        with self.located():
            if op in COMPARISONS.values():
                return operators.compare(self.walker, op, left, right)
            return operators.binary(self.walker, op, left, right)

    def _special_binary(self, op: Any, left: Any, right: Any) -> Any:
        forward, reflected = SPECIAL[op]
        tries = [(left, forward, right), (right, reflected, left)]
        kinds = self.type_of(left), self.type_of(right)
        if kinds[0] is not kinds[1] and issubclass(kinds[1], kinds[0]):
            tries.reverse()
        if isinstance(left, (Array, np.ndarray)) and isinstance(right, Var):
            tries.reverse()  # numpy defers: Variable has the higher __array_priority__
        if (
            isinstance(left, Var)
            or isinstance(right, Var)
            or any(self.store.was_born(v) or self.is_symbolic(v) for v in (left, right))
        ):
            for owner, name, other in tries:
                result = self._operated(owner, name, other)
                if result is not NotImplemented:
                    return result
            if op in (operator.eq, operator.ne):
                same = self.identical(left, right)
                return same if op is operator.eq else self.not_(same)
            if any(isinstance(v, (Array, np.ndarray, np.generic)) for v in (left, right)) or any(
                isinstance(v, Scalar) and not v.is_python for v in (left, right)
            ):  # numpy makes an array of anything
                self.refuse(
                    f"`{op.__name__}` of a {kinds[0].__name__} and a {kinds[1].__name__} is not "
                    "compiled"
                )
            self.raise_static(
                TypeError(
                    f"unsupported operand type(s) for {op.__name__}: "
                    f"'{kinds[0].__name__}' and '{kinds[1].__name__}'"
                )
            )
        for owner, name, other in tries:
            result = self._operated(owner, name, other)
            if result is not NotImplemented:
                return result
        return self.native(op, [left, right], {})

    def _operated(self, owner: Any, name: str, other: Any) -> Any:
        """Call a special method of two operands, or return NotImplemented."""
        method = self.special(owner, name)
        if name == "__ne__" and method is object.__ne__:  # Python's own asks __eq__
            same = self._operated(owner, "__eq__", other)
            return same if same is NotImplemented else self.not_(self.truth(same))
        if method is None or not self.has_source(method):
            return NotImplemented
        return self.call(method, [owner, other], {})

    def augmented(self, in_place: str, op: Any, current: Any, operand: Any) -> Any:
        """Return what the name holds after `name op= operand`."""
        current = self.narrow(current)
        operand = self.narrow(operand)
        if isinstance(current, Choice):
            return self.choices.apply(current, lambda v: self.augmented(in_place, op, v, operand))
        if isinstance(operand, Choice):
            return self.choices.apply(operand, lambda v: self.augmented(in_place, op, current, v))
        result = self.overridden_augmented((in_place, SPECIAL[op][0]), op, current, operand)
        if result is not NotImplemented:
            return result
        if isinstance(current, np.ndarray):
            current = self.as_array(current)
        if isinstance(current, Array):
            if isinstance(operand, Var):
                return self.binary(op, current, operand)
            with self.located():
                operators.inplace(self.walker, op, current, self.as_symbolic(operand))
            return current
        if isinstance(current, (list, set, dict)):
            handled = self.container_augmented(op, current, operand)
            if handled is not NotImplemented:
                return handled
        method = None if isinstance(current, Scalar) else self.special(current, in_place)
        if method is not None and self.has_source(method):
            result = self.call(method, [current, operand], {})
            if result is not NotImplemented:
                return result
        return self.binary(op, current, operand)

    def visit_Subscript(self, node: Any) -> Any:
        obj = self.visit(node.value)
        return self.get_item(obj, self.visit(node.slice))

    def get_item(self, obj: Any, index: Any) -> Any:
        """Return `obj[index]`."""
        return self._at(obj, index, lambda kind, o, i: kind.get_item(self.walker, o, i))

    def set_item(self, obj: Any, index: Any, value: Any) -> None:
        """Run `obj[index] = value`."""
        self._at(obj, index, lambda kind, o, i: kind.set_item(self.walker, o, i, value))

    def delete_item(self, obj: Any, index: Any) -> None:
        """Run `del obj[index]`."""
        obj, index = self.narrow(obj), self.narrow(index)
        if isinstance(index, Choice) and not isinstance(obj, Choice):
            self.choices.apply(index, lambda i: self.delete_item(obj, i))
        else:
            kind_of(obj).delete_item(self.walker, obj, self.as_index(obj, index))

    def _at(self, obj: Any, index: Any, verb: Callable[[Kind, Any, Any], Any]) -> Any:
        """Ask the kind of an object about an item, for each that the index may name."""
        obj, index = self.narrow(obj), self.narrow(index)
        kind = kind_of(obj)
        if isinstance(obj, Choice):
            return verb(kind, obj, index)
        index = self.as_index(obj, self._with_numbers(index))
        chosen = choice_in(index)
        if chosen is None:
            return verb(kind, obj, index)
        choice, made = chosen
        return self.choices.apply(choice, lambda v: self._at(obj, made(v), verb))

    def _with_numbers(self, index: Any) -> Any:
        """Return an index in which choices between numbers are numbers."""
        index = self.narrow(index)
        if isinstance(index, Choice):
            number = self.choices.numbers(index)
            return index if number is None else number
        if type(index) is tuple:
            return tuple(map(self._with_numbers, index))
        if isinstance(index, slice):
            return slice(*map(self._with_numbers, (index.start, index.stop, index.step)))
        return index

    def as_index(self, obj: Any, index: Any) -> Any:
        """Return an index in which what `__index__` of the program gives stands for its objects."""
        if type(obj) not in _INDEXED:
            return index
        if type(index) is tuple:
            return tuple(self.as_index(obj, part) for part in index)
        if isinstance(index, slice):
            ends = (index.start, index.stop, index.step)
            return slice(*(self.as_index(obj, end) for end in ends))
        return self.whole(index)

    def whole(self, value: Any) -> Any:
        """Return what `__index__` of a class of the program gives, other values as they are."""
        if type(value) in PLAIN or isinstance(value, (Symbolic, list, np.ndarray, np.generic)):
            return value
        method = self.special(value, "__index__")
        made = isinstance(method, (types.FunctionType, Closure)) and self.has_source(method)
        return self.call(method, [value], {}) if made else value

    def visit_Attribute(self, node: Any) -> Any:
        return self.get_attribute(self.visit(node.value), self.mangled(node.attr))

    def visit_Call(self, node: Any) -> Any:
        function = self.visit(node.func)
        args: list[Any] = []
        for argument in node.args:
            if isinstance(argument, gast.Starred):
                args.extend(self.spread(self.visit(argument.value)))
            else:
                args.append(self.visit(argument))
        kwargs: dict[str, Any] = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                kwargs.update(self.mapping_items(self.visit(keyword.value)))
            else:
                kwargs[keyword.arg] = self.visit(keyword.value)
        return self.call(function, args, kwargs)

    def visit_Yield(self, node: Any) -> Any:
        value = None if node.value is None else self.visit(node.value)
        self.yielded(value, getattr(node, "closed", None))

    def visit_YieldFrom(self, node: Any) -> Any:
        """Yield what another generator does, and give what that returns."""
        value = self.visit(node.value)
        generator = self.as_generator(value)
        if generator is None:
            generator = self.as_generator(self.call(idioms.iterators.each, [value], {}))
        assert generator is not None
        return self.consume(generator, self.yielded)

    def as_symbolic(self, value: Any) -> Any:
        """Return an array or Variable in symbolic form; other values as they are."""
        value = self.narrow(value)
        if isinstance(value, np.ndarray) and self.was_written(value):
            return self.as_array(value)
        return value

    def was_written(self, value: Any) -> bool:
        """Tell whether a static array was changed by the walk."""
        known = self._of_static.get(id(owner_of(value)))
        return known is not None and self.store.get(known[1], CONTENTS) is not MISSING

    def is_overlaid(self, value: Any) -> bool:
        """Tell whether a static array holds symbolic contents by now."""
        return isinstance(value, np.ndarray) and self.was_written(value)
