"""What a call runs, with the functions that its calls lead to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from canonicalizer.forms import names_in
from canonicalizer.group import Default, Kept, Member, calls_of, members_of
from canonicalizer.scopes import kind_of
from canonicalizer.spreads import Shape
from elichika.values.functions import Frame

__all__ = ["Entry", "Name", "Setting"]


class Name(NamedTuple):
    """What names a function that is called, in every walk: its text, whose method, what it gets."""

    tree: int
    cls: type | None
    owner: type | None
    shape: Shape | None = None


@dataclass(frozen=True)
class Setting:
    """Where a member of a group looks for names, and on what it was called.

    Attributes:
        frame: A frame for a call of it.
        cls: The class of the receiver, None where it is no method.
        receiver: What it was called on.
        shape: What is given to its `*args` and `**kwargs`.
    """

    frame: Frame
    cls: type | None
    receiver: Any
    shape: Shape | None = None

    @property
    def name(self) -> Name:
        return Name(id(self.frame.program.tree), self.cls, self.frame.owner, self.shape)


class Entry:
    """What a call runs, and the functions that its calls lead to.

    Attributes:
        member: What it runs.
        members: The functions that lead back to it.
        others: The classes that these are written in but for its own, where they ask for that.
        trees: What they are in the program, by identity.
        chooses: Whether one of them asks for the class of an object.
        key: Names them in every walk: what leads where is decided when the call is made.
        cells: What the names of functions around any of them stand for.
        taken: One of those names that stands for another thing in one of the functions, if any.
    """

    def __init__(self, member: Member, known: dict[Any, Member], bound: dict[str, Any]) -> None:
        self.member = member
        self.members = members_of(member)
        defaults = (item for item in member.defaults.items() if type(item[1]) in (Default, Kept))
        member.outside = frozenset(name for name, one in defaults if bound.get(name) is one.held)
        self.shape: Shape | None = getattr(member.tree, "shape", None)
        names = {one: name for name, one in known.items()}
        owners = {names[one].owner for one in self.members if type(names[one]) is Name}
        self.others = owners - {None, getattr(names[member], "owner", None)}
        self.trees = {names[one].tree for one in self.members if type(names[one]) is Name}
        self.chooses = any(type(names[one]) is not Name for one in self.members)
        self.key = tuple(
            (
                names[one],
                *one.defaults.items(),
                one.outside,
                *(names.get(call.member) for call in calls_of(one)),
            )
            for one in self.members
        )

        self.cells = {name: one for m in self.members[::-1] for name, one in m.cells.items()}
        self.taken = next(filter(None, map(self._taken_in, self.members)), None)

    def _called(self, member: Member, names: dict[Member, Any]) -> list[Any]:
        """Return what names the members that one calls."""
        return [names.get(call.member) for call in calls_of(member)]

    def _taken_in(self, member: Member) -> str | None:
        """Return a name of functions around others that one reads as another thing."""
        others = names_in(member.tree) & (self.cells.keys() - member.cells.keys() - {"__class__"})
        return min(others - kind_of(member.tree).locals, default=None)

    def bind(self, bound: dict[str, Any], words: Any) -> None:
        """Let the arguments of `*args` and `**kwargs` have the names that they have in a member."""
        if self.shape is not None:
            self.shape.bind(bound, words)

    @property
    def generators(self) -> list[Any]:
        """The programs of the members that are generators."""
        programs = (one.program for one in self.members if one.program is not None)
        return [program for program in programs if program.is_generator]

    @property
    def recurs(self) -> bool:
        """Whether calls lead back to it."""
        return any(call.member in self.members for one in self.members for call in calls_of(one))
