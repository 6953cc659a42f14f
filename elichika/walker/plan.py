"""What a walk assumes of the program, and why the walks before it were given up."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any, Literal

import gast

from canonicalizer.walking import walk
from elichika.errors import BudgetError, ElichikaError, StagingError
from elichika.program.raised import ConflictRead
from elichika.values.symbolic import DynamicTuple

if TYPE_CHECKING:
    from elichika.program.places import Program
    from elichika.state.joins.leaves import Site

__all__ = [
    *(
        "ArenaPlan",
        "GradientsAsked",
        "HeldInList",
        "Plan",
        "PresenceAsked",
        "Recursed",
        "TapeAsked",
    ),
    "WalkAgain",
]


#: Dicts whose keys have an order that records of known keys share.
MAPPINGS = (dict, OrderedDict, defaultdict, Counter)

#: How many calls may lead into recursions that the data decide.
MAX_FRAMED = 50
#: How often a call may be found to lead into one: it is forgotten where another call leads there.
MOST_ASKED = 3
#: How many more statements walks without frames may visit, and how many times those before.
MORE_STEPS, TIMES_STEPS = 5_000, 1


class WalkAgain(ElichikaError):
    """Another walk goes another way: more objects live in arenas, or a loop asks for each item.

    Attributes:
        refusal: What the walk is refused with otherwise, where it is the first.
    """

    def __init__(self, refusal: ElichikaError | None) -> None:
        super().__init__("another run takes another way")
        self.refusal = refusal


class HeldInList(StagingError):
    """A write to an array that a list of dynamic length holds a copy of."""


class Recursed(StagingError):
    """A recursion that the data decide, met where it nests too deeply.

    Attributes:
        site: The outermost call of it, by a name that is the same in every walk.
    """

    site: Any = None


class Spent(ElichikaError):
    """Walks that do without frames have visited more statements than they may."""


class PresenceAsked(StagingError):
    """It matters whether an object or its class has an attribute, which is not told apart."""


class TapeAsked(StagingError):
    """Gradients are asked for, and no tape was kept.

    Attributes:
        wanted: What the next walk keeps.
    """

    wanted = "keeps_tape"


class GradientsAsked(TapeAsked):
    """A Variable of control flow is asked for its gradient, and no such gradients were kept."""

    wanted = "keeps_gradients"


class Plan:
    """What the next walk assumes: the least at first, and more where a walk is refused.

    Attributes:
        keeps_identity: Lists of dynamic length say which of the arrays that exist their elements
            are; they hold copies otherwise.
        keeps_presence: It is told apart whether an object or its class has an attribute.
        keeps_tape: It is noted which function made which Variable.
        keeps_gradients: It is noted what the Variables of sides and turns got.
        peels: The first turn of a loop stands before it where that settles what the loop carries.
        unrolls_more: Long loops of known length are unrolled; they are rolled otherwise.
        arenas: Which objects live in arenas.
        bears: Some do from their birth, since they had no common type.
        boxes_results: What a call over frames gives waits in a list, as a copy; otherwise it is one
            of all that calls may give.
        framed: The calls that run a recursion by a loop over frames, with the loops that were made
            by what they are of; False where a call does without.
        tried: Those of them that were met while something was tried: where their loops are refused,
            another walk does without.
        resumed: The generators that are run up to each `yield`, for they are sent values, thrown
            exceptions or closed.
        stepwise: The sites that ask an iterator for each item, for somebody else asks it too.
        first: What a walk was refused with that assumed less, None where nothing was.
        framed_refusal: What one was refused with that ran by frames what others do without them.
        steps: How many statements all walks have visited.
        most_steps: How many they may visit, where a recursion may have an end or not.
    """

    def __init__(self) -> None:
        self.keeps_tape = self.keeps_gradients = False
        self.framed_refusal: ElichikaError | None = None
        self.steps = 0
        self.most_steps: int | None = None
        self._asked: Counter[Any] = Counter()
        self._assume_least()

    def _assume_least(self) -> None:
        self.keeps_identity = False
        self.keeps_presence = False
        self.peels = True
        self.unrolls_more = False
        self.boxes_results = False
        self.arenas = ArenaPlan()
        self.bears = False
        self.framed: dict[Any, dict[Any, Program] | Literal[False]] = {}
        self.tried: set[Any] = set()
        self.resumed: set[Any] = set()
        self.stepwise: set[Any] = set()
        self.first: ElichikaError | None = None

    @property
    def moves_handlers(self) -> bool:
        """Whether handlers may run elsewhere: what they raise forgets what it follows from."""
        made = (one for loops in self.framed.values() if loops for one in loops.values())
        return bool(self.resumed) or any(program.tree.moves_handlers for program in made)

    def define(self, place: Any, cls: type, once: bool) -> None:
        """Let a class that the program makes stand for the one of the walk before, if there is one.

        Args:
            place: That of its definition.
            cls: The class that this walk makes there.
            once: It is the only one; none stands for several.
        """
        last = self.arenas.define(place, cls, once)
        if last is not None:
            for loops in self.framed.values():
                if not loops:
                    continue
                held = [(_with_class(name, last, cls), loop) for name, loop in loops.items()]
                loops.clear()
                loops.update(held)
                for _, loop in held:
                    _change_class(loop, last, cls)

    def can_frame(self, error: Recursed) -> bool:
        """Whether another walk may run a recursion by a loop over frames."""
        new = error.site is not None and error.site not in self.framed
        return new and len(self.framed) < MAX_FRAMED and self._asked[error.site] < MOST_ASKED

    def step(self) -> None:
        """Note that a statement is visited.

        Raises:
            Spent: There were too many.
        """
        self.steps += 1
        if self.most_steps is not None and self.steps > self.most_steps:
            raise Spent("this takes too many steps")

    def _frame_anew(self) -> None:
        """Let the loops over frames be made again, in another form."""
        for site, made in list(self.framed.items()):
            if made is not False:
                self.framed[site] = {}

    def _end(self, error: ElichikaError, first: ElichikaError) -> None:
        """Try without the loops over frames that only a try met: the recursion may have an end.

        Raises:
            ElichikaError: There is none to do without.
        """
        told = error if self.arenas and not self.bears else first
        match error:
            case Recursed(site=None):
                told = error  # it says why no frames do it
            case Recursed() if not self.tried:
                told = self.framed_refusal or told
        if not self.tried:
            raise _told(told) from None
        self.framed_refusal = told
        if self.most_steps is None:
            self.most_steps = (1 + TIMES_STEPS) * self.steps + MORE_STEPS
        kept, framed = self.first, self.framed
        for site in self.tried:
            framed[site] = False
        self._assume_least()
        self.first, self.framed = kept, framed

    def _bears(self, error: ElichikaError, made: Collection[type]) -> bool:
        """Let objects that have no common type live in arenas; tell whether that is new."""
        match error:
            case ConflictRead(conflict=conflict) if self.arenas.bear(conflict.sites, made):
                self.bears = True
                return True
        return False

    def give_up(
        self,
        error: ElichikaError,
        *,
        peeled: bool,
        rolled: bool,
        streams: bool,
        made: Collection[type] = (),
    ) -> None:
        """Assume what lets the next walk get over an error.

        The user is told of the first error: it is of the program as it stands, where later ones may
        be of what only the other assumptions lead to. But where objects live in arenas it is the
        last one, for arenas got over those before; and what presence got over is forgotten. What
        has no common type, and none in arenas either, is told.

        Args:
            error: What ended the walk.
            peeled: The first turn of a loop stands before it.
            rolled: The walk has rolled a loop that could be unrolled.
            streams: State is carried from call to call, which arenas cannot be.
            made: The classes that the walk made, of which there are others in the next.

        Raises:
            ElichikaError: Nothing is left to assume; this is the error to tell.
        """
        if isinstance(error, TapeAsked) and not getattr(self, error.wanted):
            setattr(self, error.wanted, True)
            self.first = None
            self._frame_anew()
            return
        if isinstance(error, Recursed) and self.can_frame(error):
            self._asked[error.site] += 1
            self.framed[error.site] = {}
            return
        if isinstance(error, Spent):
            raise _told(self.framed_refusal or self.first or error) from None
        if isinstance(error, WalkAgain):
            self.first = self.first or error.refusal
            if streams and error.refusal is not None:
                raise (self.first or error.refusal) from None
            return
        first = self.first = self.first or error
        spent = isinstance(error, BudgetError)
        if isinstance(error, PresenceAsked) and not self.keeps_presence:
            self.keeps_presence, self.first = True, None
        elif isinstance(error, HeldInList) and not self.keeps_identity:
            self.keeps_identity = True
        elif self.framed and not self.boxes_results and not spent:
            self.boxes_results = True
            self._frame_anew()
        elif not streams and (self.unrolls_more or not rolled) and self._bears(error, made):
            pass  # what has no common type has one there
        elif peeled and self.peels:
            framed, tried, boxed = self.framed, self.tried, self.boxes_results
            self._assume_least()  # the rest may come of it
            self.peels, self.framed, self.tried = False, framed, tried
            self.boxes_results = boxed
        elif rolled and not self.unrolls_more and not spent:
            self.unrolls_more = True
        else:
            self._end(error, first)


def _change_class(loop: Program, last: type, cls: type) -> None:
    for node in walk(loop.tree):
        match node:
            case gast.Constant(value=value) if value is last:
                node.value = cls


def _with_class(part: Any, last: type, cls: type) -> Any:
    """Return what names a loop over frames, with another class."""
    match part:
        case tuple():
            made = (_with_class(one, last, cls) for one in part)
            return type(part)(*made) if hasattr(part, "_fields") else tuple(made)
    return cls if part is last else part


def _told(error: ElichikaError) -> ElichikaError:
    """Return an error as users know it."""
    if isinstance(error, Recursed):
        return StagingError(error.message, error.frames, error.hint)
    return error


class ArenaPlan:
    """Which objects live in arenas, as the walks have shown.

    Attributes:
        early: The sites whose objects move before a branch or loop, by the site of that.
        at_birth: The sites whose objects move as soon as they are made.
        keys: The keys of the dicts of an arena, by its root, in the order of their records.
        unordered: The roots of arenas of dicts whose own order of keys is not known.
    """

    def __init__(self) -> None:
        self._classes: dict[Any, type | None] = {}
        self._parents: dict[Site, Site] = {}
        self.early: dict[Any, set[Site]] = {}
        self.at_birth: set[Site] = set()
        self.keys: dict[Site, list[Any]] = {}
        self.unordered: set[Site] = set()

    def __bool__(self) -> bool:
        return bool(self._parents)

    @property
    def classes(self) -> list[type]:
        """The classes of the objects, each once."""
        return list(dict.fromkeys(cls for _, cls in self._parents))

    def root(self, site: Site) -> Site:
        """Return the site that stands for all sites of one arena."""
        while self._parents[site] != site:
            site = self._parents[site]
        return site

    def covered(self, sites: Iterable[Site]) -> list[Site]:
        """Return those of the sites whose objects live in an arena."""
        return [site for site in sites if site in self._parents]

    def define(self, place: Any, cls: type, once: bool) -> type | None:
        """Let a class that the program makes stand for that of the walk before, and return this."""
        last = self._classes.get(place, cls)
        self._classes[place] = cls if once and last is not None else None
        if last is None or last is cls:
            return None

        def anew(site: Site) -> Site:
            return (site[0], cls) if site[1] is last else site

        self._parents = {anew(site): anew(root) for site, root in self._parents.items()}
        self.early = {at: set(map(anew, sites)) for at, sites in self.early.items()}
        self.at_birth = set(map(anew, self.at_birth))
        self.keys = {anew(root): keys for root, keys in self.keys.items()}
        self.unordered = set(map(anew, self.unordered))
        return last

    def may_move(self, classes: Collection[type], made: Collection[type]) -> bool:
        """Tell whether objects of some classes may live in an arena.

        Args:
            classes: The classes.
            made: Those that the walk made: in the next are others, which stand for them or not.
        """
        lasting = self._classes.values()
        return all(map(_may_move, classes)) and all(
            cls in lasting for cls in classes if cls in made
        )

    def unite(self, sites: Iterable[Site]) -> bool:
        """Let the objects of some sites live in one arena; tell whether that is new."""
        new, roots = False, []
        for site in sites:
            if site not in self._parents:
                self._parents[site], new = site, True
            roots.append(self.root(site))
        for root in roots[1:]:
            if self.root(root) != self.root(roots[0]):
                self._parents[self.root(root)], new = self.root(roots[0]), True
        return new

    def move(self, sites: Iterable[Site], before: Any) -> bool:
        """Let objects move before the branch or loop of a site, or at birth; tell if it is new."""
        early = self.early.setdefault(before, set())
        if before is not None and not early.issuperset(sites):
            early.update(sites)
            return True
        new = not self.at_birth.issuperset(sites)
        self.at_birth.update(sites)
        return new

    def bear(self, sites: Iterable[Site], made: Collection[type]) -> bool:
        """Let the objects of some sites live in arenas from their birth, an arena for each class.

        Args:
            sites: The places that make them.
            made: The classes that the walk made.

        Returns:
            Whether they can, and that is new.
        """
        found: dict[type, set[Site]] = defaultdict(set)
        for site in sites:
            found[site[1]].add(site)
        if not self.may_move(found, made):
            return False
        return any([self.unite(alike) | self.move(alike, None) for alike in found.values()])


def _may_move(cls: type) -> bool:
    return cls in (list, set, *MAPPINGS) or (
        is_plainly_made(cls) and not issubclass(cls, (list, dict, set, DynamicTuple))
    )


def is_plainly_made(cls: Any) -> bool:
    """Tell whether a call of a class makes an object and then runs its `__init__`."""
    return cls.__new__ is object.__new__
