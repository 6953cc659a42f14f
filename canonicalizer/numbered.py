"""A `for` whose turns are cut into blocks goes through its items by numbers.

    for x in items:                       number = 0
        f(x)                              while number < len(items):
                                              x = items[number]
                                              number += 1
                                              f(x)

A view of a dict has no numbers: its loop goes through a list of the keys, and asks at each turn
whether they are the same, as Python does.

    for x in graph.values():              keys = list(graph)
        f(x)                              number = 0
                                          while number < len(keys):
                                              x = graph[keys[number]]
                                              ...

Where an iterator can be asked again by a block that comes later, a loop may go through one, too.

    for x in items:                       got = asked(items)
        f(x)                              while got[0]:
                                              x = got[1]
                                              ...
"""

from __future__ import annotations

from typing import Any, NamedTuple

import gast

from .copies import copied
from .forms import is_starred
from .linear import Linear
from .template import expression, template

__all__ = ["Numbered"]

Tree = Any
#: What a loop over a view of a dict takes of it, by its keys.
VIEWS = {
    "keys": "keys[number]",
    "values": "held[keys[number]]",
    "items": "(keys[number], held[keys[number]])",
}
#: What tells a dict whose class goes through its keys as dicts do; Counters are such, too.
_AS_DICTS = (
    "isinstance(held, dict) and type(held).items is dict.items "
    "and type(held).__iter__ is dict.__iter__ and type(held).__getitem__ is dict.__getitem__"
)
_CHANGES = """
if is_dict:
    if len(held) != len(keys):
        raise RuntimeError('dictionary changed size during iteration')
    if list(held) != keys:
        raise RuntimeError('dictionary keys changed during iteration')"""


class Loop(NamedTuple):
    """A loop by numbers.

    Attributes:
        changes: What its head asks first.
        test: Whether there is another turn.
        step: What a turn begins with.
    """

    changes: list[Tree]
    test: Tree
    step: list[Tree]


class Source(NamedTuple):
    """One thing that a loop goes through.

    Attributes:
        items: What has a length and items by numbers, if it is no iterator.
        item: The item of a turn.
        changes: What fails where it was changed in the loop, or asks an iterator.
        more: Whether there is such an item.
        asks: It may be an iterator.
    """

    items: Tree
    item: Tree
    changes: list[Tree]
    more: Tree
    asks: bool = False


class Numbered(Linear):
    """Writes what a `for` goes through.

    Attributes:
        takes_dicts: A dict itself may be gone through, too, as its keys.
        asker: What asks an iterator, and returns whether it has one more item, and that; None where
            no loop goes through one.
    """

    takes_dicts = False
    asker: Any = None

    def numbered_loop(self, loop: Any, number: str) -> Loop:
        """Put what a `for` goes through into the present block; return its head and step."""
        sources, item = self.sources(loop, number)
        self.current += template("number = 0", at=loop, number=number)
        for one in sources:
            self.require_numbers(one, loop, number)
        code = " and ".join(f"more_{index}" for index in range(len(sources)))
        test = expression(
            code, at=loop, **{f"more_{index}": one.more for index, one in enumerate(sources)}
        )
        code = "x = item\nnumber += 1"
        step = template(code, at=loop, x=loop.target, item=item, number=number)
        return Loop([change for one in sources for change in one.changes], test, step)

    def require_numbers(self, source: Source, loop: Any, number: str) -> None:
        """Let a statement say what has to have a length and items by numbers."""
        if type(source.items) is gast.Name and not source.asks:
            self.current[-1].numbered = [*getattr(self.current[-1], "numbered", ()), source.items]
        elif source.asks:
            code = "if not hasattr(items, '__next__'):\n    number = 0"
            made = template(code, at=loop, items=source.items, number=number)
            made[0].body[0].numbered = [source.items]
            self.current += made

    def is_builtin(self, name: str) -> bool:
        """Whether a name stands for Python's own builtin."""
        raise NotImplementedError

    def sources(self, loop: Any, number: str) -> tuple[list[Source], Tree]:
        """Return what a `for` goes through, and its item of a turn."""
        source, name = loop.iter, getattr(getattr(loop.iter, "func", None), "id", "")
        sole = name and not source.keywords and not any(map(is_starred, source.args))
        code, held = "item_0", [source]
        if sole and self.is_builtin(name):
            if name == "zip" and source.args:
                held = self.operands(source.args)
                code = f"({''.join(f'item_{index}, ' for index in range(len(held)))})"
            elif name == "enumerate" and len(source.args) == 1:
                code, held = "(number, item_0)", source.args
        found = [self.source(one, loop, number, sole=len(held) == 1) for one in held]
        filled = {f"item_{index}": one.item for index, one in enumerate(found)}
        item = expression(code, at=loop, number=number, **filled)
        for part in (item, *getattr(item, "elts", ())):
            part.surely = True  # the head of the loop has asked
        return found, item

    def source(self, node: Tree, loop: Tree, number: str, *, sole: bool) -> Source:
        """Return one thing that a `for` goes through, alone or beside others."""
        if all(map(self.is_builtin, ("isinstance", "type", "dict", "list"))):
            match node:
                case gast.Call(
                    func=gast.Attribute(value=held, attr="keys" | "values" | "items" as kind),
                    args=[],
                    keywords=[],
                ):
                    held = self.fixed(held, loop)
                    view = expression(f"held.{kind}()", at=node, held=held)
                    return self.of_dict(node, held, view, kind, number, sole=sole)
                case gast.Name() | gast.Attribute() if self.takes_dicts:
                    held = self.fixed(node, loop)
                    return self.of_dict(node, held, copied(held), "keys", number, sole=sole)
        return self.of_items(self.numbered(node, loop), loop, number, sole=sole)

    def of_items(self, items: Tree, loop: Tree, number: str, *, sole: bool) -> Source:
        """Return what has items by numbers, or may be an iterator."""
        item = expression("items[number]", at=loop, items=items, number=number)
        item.surely = True  # the head of the loop has asked
        more = expression("number < len(items)", at=loop, items=items, number=number)
        source = Source(items, item, [], more)
        asks = self.asker is not None and sole and type(items) is gast.Name
        return self.of_iterator(source, loop) if asks else source

    def of_iterator(self, source: Source, loop: Tree) -> Source:
        """Return what may be an iterator, which is asked at the head of the loop."""
        got, asked = self.names.fresh("got"), expression("None", at=loop)
        asked.value = self.asker
        holes = {"items": source.items, "got": got}
        code = "got = asked(items) if hasattr(items, '__next__') else None"
        changes = template(code, at=loop, asked=asked, **holes)
        item = "got[1] if hasattr(items, '__next__') else item"
        more = "got[0] if hasattr(items, '__next__') else more"
        made = {"item": source.item, "more": source.more, **holes}
        item, more = (expression(code, at=loop, **made) for code in (item, more))
        return Source(source.items, item, changes, more, asks=True)

    def of_dict(
        self, node: Tree, held: Tree, others: Tree, kind: str, number: str, *, sole: bool
    ) -> Source:
        """Return the keys of what may be a dict, or what is gone through of anything else."""
        keys, test = self.names.fresh("keys"), expression(_AS_DICTS, at=node, held=held)
        code = "if is_dict:\n    keys = list(held)\nelse:\n    keys = others"
        holes = {"is_dict": test, "held": held, "keys": keys}
        self.current += template(code, at=node, others=others, **holes)
        source = self.of_items(expression("keys", at=node, keys=keys), node, number, sole=sole)
        code = f"{VIEWS[kind]} if is_dict else item"
        item = expression(code, at=node, number=number, item=source.item, **holes)
        changes = [*template(_CHANGES, at=node, **holes), *source.changes]
        return source._replace(item=item, changes=changes)

    def fixed(self, node: Tree, loop: Tree) -> Tree:
        """Return an expression for one that gives the same at each turn of a loop."""
        value = self.value(node)
        return value if self.is_fixed(value, loop) else self.kept(value)

    def numbered(self, node: Tree, loop: Tree) -> Tree:
        """Return an expression that gives at each turn the same thing to go through."""
        match node:
            case gast.Call(func=gast.Name(id="range"), keywords=[]) if self.is_builtin("range"):
                given = self.operands(node.args)
                node.args = [one if self.is_fixed(one, loop) else self.kept(one) for one in given]
                return node
        value = self.value(node)
        named = type(value) is gast.Name
        return value if named and self.is_fixed(value, loop) else self.kept(value)
