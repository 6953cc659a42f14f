"""What is known of the integers that a graph computes: each as an expression over sizes and turns.

for i in range(n):            # body: 0 <= i, i < n
    for j in range(i + 1, n): # body: i + 1 + j' with j' < n - (i + 1)
        xs[j]                 # so i + 1 + j' < n, and not below 0

A form is a :class:`~onnx_graph.dims.Dim`, whose symbols are numbers from 0 up: sizes, numbers of
iterations, and what a carried number has grown by. A number of which nothing is known is the
difference of two such symbols, and arithmetic with it is another one, for it may overflow; sizes
and iterations are far from that. The form of a list is its length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.dims import (
    Dim,
    add,
    bounds,
    floordiv,
    is_known,
    maximum,
    minimum,
    modulo,
    multiply,
    named,
    symbols,
    symbols_of,
    terms_of,
)
from onnx_graph.failing import reads_within
from onnx_graph.passes.editing import bodies, nested
from onnx_graph.passes.settled import implied
from onnx_graph.turn_starts import carried_on, renewed
from onnx_graph.values import const_array, dims_of, entries_of, rank_of

Form = "int | Dim"

#: Beyond these an expression may leave the numbers of 64 bits.
_LARGEST_FACTOR, _LARGEST_DEGREE, _LARGEST_LENGTH = 2**31, 2, 8
_STEPS = 3
_OWN = ("turns: ", "any: ")
"""What the names of symbols begin with that are no sizes, which nobody can give a size."""

_HOLDS = {
    ("Less", True): (-1, 1, -1),
    ("Less", False): (1, -1, 0),
    ("LessOrEqual", True): (-1, 1, 0),
    ("LessOrEqual", False): (1, -1, -1),
    ("Greater", True): (1, -1, -1),
    ("Greater", False): (-1, 1, 0),
    ("GreaterOrEqual", True): (1, -1, 0),
    ("GreaterOrEqual", False): (-1, 1, -1),
}
"""What is at least 0 where a comparison holds or not: factors of its sides, and a number."""


def is_integer(value: Value | None) -> bool:
    """Tell whether a value is an int64 of no axes."""
    return value is not None and _rules(value) is _INTEGERS


@dataclass
class Integers:
    """The forms of a graph's integers and lists, and what holds in its bodies.

    Attributes:
        main: The graph; nothing of it may change while this is used.
    """

    main: ir.Graph
    _forms: dict[Value, int | Dim] = field(default_factory=dict)
    _owners: dict[int, tuple[ir.Node, int]] = field(default_factory=dict)
    _open: set[int] = field(default_factory=set)
    _facts: dict[int, list[int | Dim]] = field(default_factory=dict)
    _most: dict[str, list[int | Dim]] = field(default_factory=dict)
    _after: dict[Value, Dim] = field(default_factory=dict)
    _fresh: int = 0

    def __post_init__(self) -> None:
        """Note of which node each body is."""
        for scope in nested(self.main):
            for node in scope:
                for index, body in enumerate(bodies(node)):
                    self._owners[id(body)] = (node, index)

    def decide(self, node: ir.Node) -> bool | None:
        """Return how a comparison of two integers surely comes out, None where that is open."""
        if not all(map(is_integer, node.inputs)) or node.graph is None:
            return None
        for truth in (True, False):
            if (node.op_type, truth) in _HOLDS and self._is_sure(self._held(node, truth), node):
                return truth
        if node.op_type == "Equal":
            left, right = (self.form(value) for value in node.inputs if value is not None)
            apart = add(left, multiply(right, -1))
            if apart == 0:
                return True
            beyond = (add(apart, -1), add(multiply(apart, -1), -1))
            if any(self._is_sure(side, node) for side in beyond):
                return False
        return None

    def larger(self, node: ir.Node) -> Value | None:
        """Return the operand of a Max that is surely not below the other one."""
        if len(node.inputs) != 2 or not all(map(is_integer, node.inputs)):
            return None
        left, right = node.inputs
        assert left is not None and right is not None
        apart = add(self.form(left), multiply(self.form(right), -1))
        if self._is_sure(apart, node):
            return left
        return right if self._is_sure(multiply(apart, -1), node) else None

    def front(self, node: ir.Node) -> Value | None:
        """Return what a Slice surely gives: its operand, or what stands first in that."""
        data, end = _rows_up_to(node)
        last = None if end is None else self.number(end)
        if data is None or last is None:
            return None
        whole = dims_of(data)[0]
        if self._is_sure(add(last, multiply(whole, -1)), node):
            return data
        parts = data.producer()
        first = parts.inputs[0] if parts is not None and parts.op_type == "Concat" else None
        if first is None or parts is None or parts.attributes["axis"].as_int() != 0:
            return None
        apart = add(last, multiply(dims_of(first)[0], -1))
        return first if apart == 0 else None

    def size(self, value: Value) -> int | Dim | None:
        """Return how long a list is if that is a number, or the size of something."""
        form = self.form(value)
        return None if any(n.startswith(_OWN) for n in symbols(form)) else form

    def is_bounded(self, value: Value) -> bool:
        """Tell whether a number is surely not above a sum of sizes, which some tensors have."""
        form = self.form(value)
        atoms = [(atom, factor) for m, factor in terms_of(form).items() for atom in m]
        above = [atom for atom, factor in atoms if factor > 0]
        plain = all(len(monomial) <= 1 for monomial in terms_of(form))
        plain = plain and all(atom.kind == "symbol" for atom, factor in atoms if factor < 0)
        return plain and not any(n.startswith(_OWN) for atom in above for n in symbols_of(atom))

    def is_within(self, index: Value, size: int | Dim, node: ir.Node) -> bool:
        """Tell whether an index is surely one of so many from 0 on, where a node runs."""
        form = self.number(index)
        below = None if form is None else add(add(size, -1), multiply(form, -1))
        return below is not None and self._is_sure(below, node) and self.is_natural(index, node)

    def is_some(self, size: int | Dim, node: ir.Node) -> bool:
        """Tell whether a size is surely not 0 where a node runs."""
        return self._is_sure(add(size, -1), node)

    def is_natural(self, value: Value, node: ir.Node) -> bool:
        """Tell whether an integer is surely not below 0 where a node runs."""
        form = self.number(value)
        return form is not None and self._is_sure(form, node)

    def number(self, value: Value) -> int | Dim | None:
        """Return the form of an integer, None of another value."""
        return self.form(value) if _rules(value) is _INTEGERS else None

    def form(self, value: Value) -> int | Dim:
        """Return what an integer is, or how long a list is."""
        if value not in self._forms:
            self._forms[value] = self._found(value)
        return self._forms[value]

    def _is_sure(self, goal: int | Dim, node: ir.Node) -> bool:
        """Tell whether a number is surely at least 0 where a node runs."""
        facts = list(dict.fromkeys(self._held_around(node.graph)))
        for name in sorted(symbols(goal)):
            facts += [add(most, multiply(named(name), -1)) for most in self._most.get(name, ())]
        return _follows(goal, facts, _STEPS, {})

    def _held(self, node: ir.Node, truth: bool) -> int | Dim:
        left, right = (self.form(value) for value in node.inputs if value is not None)
        return _difference(node.op_type, truth, left, right)

    def _held_around(self, scope: ir.Graph | ir.Function | None) -> Iterator[int | Dim]:
        """Yield what is at least 0 in a body: by the Ifs and Loops around it."""
        while id(scope) in self._owners:
            node, index = self._owners[id(scope)]
            if id(scope) not in self._facts:
                found = self._by_if(node, index) if node.op_type == "If" else self._by_loop(node)
                self._facts[id(scope)] = found
            yield from self._facts[id(scope)]
            scope = node.graph

    def _by_if(self, node: ir.Node, index: int) -> list[int | Dim]:
        condition = node.inputs[0]
        assert condition is not None
        name = list(node.attributes)[index]
        return self._by_conditions(implied(condition, name == "then_branch"))

    def _by_conditions(self, known: Iterable[tuple[Value, bool]]) -> list[int | Dim]:
        found = []
        for value, truth in known:
            comparison = value.producer()
            if comparison is None or not all(map(is_integer, comparison.inputs)):
                continue
            if (comparison.op_type, truth) in _HOLDS:
                found.append(self._held(comparison, truth))
            elif comparison.op_type == "Equal" and truth:
                left, right = (self.form(v) for v in comparison.inputs if v is not None)
                found += [add(left, multiply(right, -1)), add(right, multiply(left, -1))]
        return found

    def _by_loop(self, node: ir.Node) -> list[int | Dim]:
        """Return what a turn knows: its number is below that of turns, of which there are some."""
        turns, (body,) = node.inputs[0], bodies(node)
        found = self._by_going_on(node, body)
        if turns is None:
            return found
        last = add(self._turns(turns), -1)
        return [add(last, multiply(self.form(body.inputs[0]), -1)), last, *found]

    def _by_going_on(self, node: ir.Node, body: ir.Graph) -> list[int | Dim]:
        """Return what has let a turn begin, where that holds of the first turn as well."""
        found = []
        first = node.inputs[1]
        around = [*self._held_around(node.graph)]
        around += self._by_conditions(implied(first, True)) if first is not None else []
        for value, truth in implied(body.outputs[0], True):
            comparison = value.producer()
            numbers = comparison is not None and (comparison.op_type, truth) in _HOLDS
            if comparison is None or not numbers or not all(map(is_integer, comparison.inputs)):
                continue
            sides: list[int | Dim] = [
                form
                for held in carried_on(node, body)
                for side in comparison.inputs
                if (form := renewed(self.form, _is_counted, side, held, body)) is not None
            ]
            if len(sides) < 4:
                continue
            here, before = (
                _difference(comparison.op_type, truth, *two) for two in (sides[:2], sides[2:])
            )
            if _follows(before, around, _STEPS, {}):
                found.append(here)
        return found

    def _turns(self, turns: Value) -> int | Dim:
        """Return how many turns a Loop has if it has any: Max(n, 0) is n then.

        And Sub(Max(n, k), k) is n - k.
        """
        node = turns.producer()
        if node is not None and node.op_type == "Sub" and None not in node.inputs:
            whole, start = (value for value in node.inputs if value is not None)
            more, least = whole.producer(), self.form(start)
            for value in more.inputs if more is not None and more.op_type == "Max" else ():
                others = [one for one in more.inputs if one is not value] if more else []
                if value is not None and [self.form(one) for one in others if one] == [least]:
                    return add(self.form(value), multiply(least, -1))
        if node is not None and node.op_type == "Max" and len(node.inputs) == 2:
            for value, other in (node.inputs, node.inputs[::-1]):
                known = None if other is None else const_array(other)
                if value is not None and known is not None and known.ndim == 0 and known <= 0:
                    return self.form(value)
        return self.form(turns)

    def _found(self, value: Value) -> int | Dim:
        (contents,) = entries_of(value) if is_integer(value) else (None,)
        if contents is not None:
            return contents
        node = value.producer()
        if node is None:
            return self._of_body(value)
        rule = _rules(value).get(node.op_type)
        found = None if rule is None else rule(self, node, value)
        return self._unknown(value) if found is None or not _is_small(found) else found

    def _of_body(self, value: Value) -> int | Dim:
        """Return what a body's input is: the number of a turn, or what it carries."""
        scope = value.graph
        if scope is None or id(scope) not in self._owners:
            return self._unknown(value)
        node, _ = self._owners[id(scope)]
        index = next(i for i, inner in enumerate(scope.inputs) if inner is value)
        if node.op_type != "Loop":
            return self._unknown(value)
        if index == 0:
            return self.fresh()
        start = node.inputs[index]
        if start is None or not _rules(value) or not _rules(start):
            return self._unknown(value)
        return self._carried(value, self.form(start), scope.outputs[index - 1])

    def _carried(self, value: Value, start: int | Dim, end: Value) -> int | Dim:
        """Return what a carried number is, where each turn leaves it, or has it grow or shrink.

        While this is asked of one, nothing is known of the others that its Loop carries.
        """
        loop = id(value.graph)
        if loop in self._open or (is_integer(value) and not _is_counted(start)):
            return self._unknown(value)
        self._open.add(loop)
        found = next(filter(None, (self._tried(value, start, end, by) for by in (0, 1, -1))), None)
        found = found or self._chosen(value, end)
        self._open.remove(loop)
        return self._unknown(value) if found is None else found[0]

    def _tried(self, value: Value, start: int | Dim, end: Value, by: int) -> list[int | Dim] | None:
        """Return the form of a carried number that stays (0), grows (1) or shrinks (-1), if so."""
        form = add(start, multiply(self.fresh(), by))
        before = dict(self._forms)
        self._forms[value] = form
        step = multiply(add(self.form(end), multiply(form, -1)), by or 1)
        self._forms = before
        low, high = bounds(step)
        most = _LARGEST_FACTOR if by else 0
        fits = low is not None and high is not None and low >= 0 and high <= most
        return [form] if fits else None

    def _chosen(self, value: Value, end: Value) -> list[int | Dim] | None:
        """Return the form of a carried number that each turn keeps, or takes another one for.

        It is from 0 up where the first one and all others are, and not above a size that none of
        them is above: the place of the best so far.
        """
        assert value.graph is not None
        loop, _ = self._owners[id(value.graph)]
        start = loop.inputs[list(value.graph.inputs).index(value)]
        taken = list(_taken(end, value)) if _rules(value) is _INTEGERS else []
        makers = [one.producer() for one in taken]
        if start is None or not taken or None in makers:
            return None
        forms, facts = dict(self._forms), dict(self._facts)
        self._forms[value] = self._unknown(value)
        found = [(self.form(start), loop)]
        found += [(self.form(one), node) for one, node in zip(taken, makers, strict=True) if node]
        fits = all(_is_counted(form) and self._is_sure(form, node) for form, node in found)
        first, others = found[0][0], found[1:]
        # in a turn, there is one
        above = self._sizes_above([(first, value.graph[0]), *others]) if fits else []
        after = [m for m in above if self._is_sure(add(m, multiply(first, -1)), loop)]
        self._forms, self._facts = forms, facts
        if not fits:
            return None
        number, self._after[value] = self.fresh(), self.fresh()
        self._most[str(number)], self._most[str(self._after[value])] = above, after
        return [number]

    def _sizes_above(self, found: Sequence[tuple[int | Dim, ir.Node]]) -> list[int | Dim]:
        """Return sums of sizes that no one of some numbers is above, each where a node runs."""
        form, node = found[-1]
        around = self._held_around(node.graph)
        sums = dict.fromkeys(_without_turns(add(fact, form)) for fact in around)
        return [
            most
            for most in sums
            if not any(name.startswith(_OWN) for name in symbols(most))
            and all(self._is_sure(add(most, multiply(one, -1)), at) for one, at in found)
        ]

    def _unknown(self, value: Value) -> int | Dim:
        """Return a number of which nothing is known; the length of a list is not below 0.

        The graph fails for a number that is no place along an axis where it is read as one.
        """
        if _rules(value) is _SEQUENCES:
            return self.fresh()
        if _is_place(value):
            return add(self.fresh(), multiply(self.fresh(), -1))
        self._fresh += 1
        name = f"any: {self._fresh} "
        return add(named(f"{name}up"), multiply(named(f"{name}down"), -1))

    def fresh(self) -> Dim:
        """Return a new symbol for a number from 0 up, far from the largest one."""
        self._fresh += 1
        return named(f"turns: {self._fresh}")

    def counted(self, node: ir.Node) -> list[int | Dim] | None:
        """Return the forms of a node's operands, None where arithmetic with one may overflow."""
        forms = [self.form(value) for value in node.inputs if value is not None]
        return forms if all(map(_is_counted, forms)) else None


def _difference(operator: str, truth: bool, left: int | Dim, right: int | Dim) -> int | Dim:
    """Return what is at least 0 where a comparison of two numbers holds, or does not."""
    by_left, by_right, number = _HOLDS[operator, truth]
    return add(add(multiply(left, by_left), multiply(right, by_right)), number)


def _taken(end: Value, kept: Value) -> Iterator[Value]:
    """Yield what may take the place of a number that is kept otherwise."""
    node = end.producer()
    if end is kept:
        return
    if node is not None and node.op_type == "If":
        for body in bodies(node):
            yield from _taken(body.outputs[end.index() or 0], kept)
    elif node is not None and node.op_type == "Identity" and node.inputs[0] is kept:
        return
    else:
        yield end


def _rows_up_to(node: ir.Node) -> tuple[Value | None, Value | None]:
    """Return what a Slice takes the first rows of, and up to which number."""
    data, start, end, *rest = node.inputs
    known = [None if one is None else const_array(one) for one in (start, *rest)]
    plain = all(
        one is not None and one.tolist() == [number]
        for one, number in zip(known, (0, 0, 1), strict=False)
    )
    last = None if end is None else end.producer()
    if data is None or not rank_of(data) or not plain or last is None:
        return None, None
    (number, *_) = last.inputs if last.op_type == "Unsqueeze" else (None,)
    return data, number


def _is_place(value: Value) -> bool:
    """Tell whether the graph of a number surely reads what is there, so that it is no large one."""
    return any(
        use.node.op_type == "Gather" and use.idx == 1 and use.node.graph is value.graph
        for use in value.uses()
    )


def _without_turns(form: int | Dim) -> int | Dim:
    """Return a number that is not below another one: what that takes off for turns is left out."""
    return Dim.of(
        {
            monomial: factor
            for monomial, factor in terms_of(form).items()
            if factor > 0 or not monomial or not all(a.text.startswith("turns") for a in monomial)
        }
    )


def _is_counted(form: int | Dim) -> bool:
    """Tell whether a number is far from the largest one: no symbol stands for any number."""
    return not any(name.startswith("any: ") for name in symbols(form))


def _is_small(form: int | Dim) -> bool:
    """Tell whether an expression is surely computed without leaving the numbers of 64 bits."""
    terms = terms_of(form)
    return len(terms) <= _LARGEST_LENGTH and all(
        len(monomial) <= _LARGEST_DEGREE and abs(factor) < _LARGEST_FACTOR
        for monomial, factor in terms.items()
    )


def _arithmetic(
    compute: Callable[..., int | Dim | None],
) -> Callable[[Integers, ir.Node, Value], int | Dim | None]:
    """Return the rule of an operator on integers."""

    def rule(integers: Integers, node: ir.Node, value: Value) -> int | Dim | None:
        if not is_integer(value) or not all(map(is_integer, node.inputs)):
            return None
        forms = integers.counted(node)
        return None if forms is None else compute(*forms)

    return rule


def _remainder(left: int | Dim, right: int | Dim) -> int | Dim | None:
    return modulo(left, right) if _is_positive(right) else None


def _quotient(left: int | Dim, right: int | Dim) -> int | Dim | None:
    low = bounds(left)[0]
    fits = _is_positive(right) and low is not None and low >= 0
    return floordiv(left, right) if fits else None


def _is_positive(size: int | Dim) -> bool:
    return is_known(size) and size > 0


def _copied(integers: Integers, node: ir.Node, value: Value) -> int | Dim | None:
    source = node.inputs[0]
    return None if source is None else integers.form(source)


def _length(integers: Integers, node: ir.Node, value: Value) -> int | Dim | None:
    source = node.inputs[0]
    return integers.form(source) if source is not None else None


def _size(integers: Integers, node: ir.Node, value: Value) -> int | Dim | None:
    """Return the size that a Gather reads off a Shape."""
    data, index = node.inputs
    shape = None if data is None else data.producer()
    known = None if index is None else const_array(index)
    if shape is None or shape.op_type != "Shape" or shape.attributes or known is None:
        return None
    (source,) = shape.inputs
    if source is None or source.shape is None or known.ndim or not reads_within(node):
        return None
    return dims_of(source)[int(known)]


def _elements(integers: Integers, node: ir.Node, value: Value) -> int | Dim | None:
    """Return how many numbers a vector has."""
    source = node.inputs[0]
    if source is None or rank_of(source) != 1:
        return None
    return dims_of(source)[0]


def _longer(by: int) -> Callable[[Integers, ir.Node, Value], int | Dim | None]:
    def rule(integers: Integers, node: ir.Node, value: Value) -> int | Dim | None:
        source = node.inputs[0]
        return None if source is None else add(integers.form(source), by)

    return rule


def _pieces(integers: Integers, node: ir.Node, value: Value) -> int | Dim | None:
    source = node.inputs[0]
    if source is None or len(node.inputs) != 1 or source.shape is None:
        return None
    axis = node.attributes["axis"].as_int() if "axis" in node.attributes else 0
    return dims_of(source)[axis]


def _of_if(integers: Integers, node: ir.Node, value: Value) -> int | Dim | None:
    """Return what both branches give, or what lies between two that are a number apart."""
    if not _rules(value):
        return None
    index = value.index()
    assert index is not None
    left, right = (integers.form(body.outputs[index]) for body in bodies(node))
    apart = add(left, multiply(right, -1))
    if not is_known(apart) or (apart and not _is_counted(left)):
        return None
    return add(right if apart > 0 else left, modulo(integers.fresh(), abs(apart) + 1))


def _of_loop(integers: Integers, node: ir.Node, value: Value) -> int | Dim | None:
    """Return what a carried number is in the end: as it began, or as it has grown or shrunk."""
    (body,), index = bodies(node), value.index()
    assert index is not None
    start = node.inputs[index + 2] if index + 2 < len(node.inputs) else None
    if start is None or not _rules(value) or not _rules(start):
        return None
    first, inner = integers.form(start), integers.form(body.inputs[index + 2])
    if body.inputs[index + 2] in integers._after:
        return integers._after[body.inputs[index + 2]]
    grown = add(inner, multiply(first, -1))
    if grown == 0:
        return first
    if not _is_counted(grown) or len(terms_of(grown)) > 1:
        return None
    (factor,) = terms_of(grown).values()
    return add(first, multiply(integers.fresh(), factor))


def _place(integers: Integers, node: ir.Node, value: Value) -> int | Dim:
    """Return where something is along an axis."""
    return integers.fresh()


_Rule = Callable[[Integers, ir.Node, Value], "int | Dim | None"]

_INTEGERS: Mapping[str, _Rule] = {
    "Add": _arithmetic(add),
    "Sub": _arithmetic(lambda left, right: add(left, multiply(right, -1))),
    "Mul": _arithmetic(multiply),
    "Neg": _arithmetic(lambda operand: multiply(operand, -1)),
    "Max": _arithmetic(maximum),
    "Min": _arithmetic(minimum),
    "Mod": _arithmetic(_remainder),
    "Div": _arithmetic(_quotient),
    "Identity": _copied,
    "SequenceLength": _length,
    "Size": _elements,
    "ArgMax": _place,
    "ArgMin": _place,
    "Gather": _size,
    "If": _of_if,
    "Loop": _of_loop,
}

#: How long a list is.
_SEQUENCES: Mapping[str, _Rule] = {
    "SequenceEmpty": lambda integers, node, value: 0,
    "SequenceConstruct": lambda integers, node, value: len(node.inputs),
    "SequenceInsert": _longer(1),
    "SequenceErase": _longer(-1),
    "SplitToSequence": _pieces,
    "Identity": _copied,
    "If": _of_if,
    "Loop": _of_loop,
}


def _rules(value: Value) -> Mapping[str, _Rule]:
    """Return the rules for a list or an int64 of no axes, none for anything else."""
    if type(value.type) is ir.SequenceType:
        return _SEQUENCES
    is_number = value.dtype is ir.DataType.INT64 and value.shape is not None
    is_number = is_number and type(value.type) is ir.TensorType and not rank_of(value)
    return _INTEGERS if is_number else {}


def _follows(
    goal: int | Dim, facts: Sequence[int | Dim], steps: int, tried: dict[int | Dim, int]
) -> bool:
    """Tell whether a number is at least 0 where all `facts` are: as a sum of some of them.

    Args:
        goal: The number.
        facts: What is at least 0.
        steps: How many of them a sum may have.
        tried: With how many steps goals were not reached before: sums come in any order.
    """
    if tried.get(goal, -1) >= steps:
        return False
    low, high = bounds(goal)
    if low is not None and low >= 0:
        return True
    tried[goal] = steps
    if not steps or (high is not None and high < 0):
        return False
    negative = {monomial for monomial, factor in terms_of(goal).items() if factor < 0}
    return any(
        _follows(add(goal, multiply(fact, -1)), facts, steps - 1, tried)
        for fact in facts
        if any(terms_of(fact).get(monomial, 0) < 0 for monomial in negative)
    )
