"""What a walk assumes of the program, and why the walks before it were given up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Literal

import gast

from canonicalizer.walking import walk
from elichika.errors import BudgetError, ElichikaError, StagingError
from elichika.program.raised import ConflictRead
from elichika.walker.arena_plan import ArenaPlan
from elichika.walker.table_plan import TablePlan

if TYPE_CHECKING:
    from elichika.program.places import Program

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
        writes_items: It is followed where arrays go, so that `d[k] += a` can put another one in.
        keeps_presence: It is told apart whether an object or its class has an attribute.
        keeps_tape: It is noted which function made which Variable.
        keeps_gradients: It is noted what the Variables of sides and turns got.
        peels: The first turn of a loop stands before it where that settles what the loop carries.
        peels_long: So it does where turns are long, too: a walk was refused that spared it.
        unrolls_more: Long loops of known length are unrolled; they are rolled otherwise.
        arenas: Which objects live in arenas.
        tables: Which dicts have their keys side by side from the first one on.
        bears: Some do from their birth, since they had no common type.
        boxes_results: What a call over frames gives waits in a list, as a copy; otherwise it is one
            of all that calls may give.
        framed: The calls that run a recursion by a loop over frames, with the loops that were made
            by what they are of; False where a call does without.
        widened: Those whose loops take in methods of all objects that the arguments lead to.
        tried: Those of them that were met while something was tried: where their loops are refused,
            another walk does without.
        resumed: The generators that are run up to each `yield`, for they are sent values, thrown
            exceptions or closed.
        listed: The generators, by their trees, whose items are found ahead of time, in a list.
        stepwise: The sites that ask an iterator for each item, for somebody else asks it too.
        first: What a walk was refused with that assumed less, None where nothing was.
        numbers_floats: Items that are floats have a number each, which tells nan apart.
        framed_refusal: What one was refused with that ran by frames what others do without them.
        steps: How many statements all walks have visited.
        most_steps: How many they may visit, where a recursion may have an end or not.
    """

    def __init__(self) -> None:
        self.keeps_tape = self.keeps_gradients = False
        self.framed_refusal: ElichikaError | None = None
        self.numbers_floats = False
        self.steps = 0
        self.most_steps: int | None = None
        self.tables = TablePlan()
        self._asked: Counter[Any] = Counter()
        self.listed: set[int] = set()
        self.widened: set[Any] = set()
        self._assume_least()

    def _assume_least(self) -> None:
        self.keeps_identity = self.writes_items = False
        self.keeps_presence = False
        self.peels, self.peels_long = True, False
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

    def _widens(self, error: Recursed) -> bool:
        """Whether the loop of a recursion may take in more methods, since it was met inside."""
        new = error.site not in self.widened and bool(self.framed.get(error.site))
        self.widened |= {error.site} if new else set()
        return new

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
        """Try without what may have led here: dicts with their keys side by side, or frames.

        The loops over frames that only a try met may be done without: the recursion may have an
        end.

        Raises:
            ElichikaError: There is nothing to do without.
        """
        if self.tables.drop():
            self.tables.refusal = error
            self._assume_least()
            return
        told = error if self.arenas and not self.bears else first
        match error:
            case Recursed(site=None):
                told = error  # it says why no frames do it
            case Recursed() if self.bears and not self.framed_refusal:
                told = error  # objects that hold one another have been made
            case Recursed() if not self.tried:
                told = self.framed_refusal or told
        if not self.tried:
            raise _told(self.tables.told(told)) from None
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
        spared: bool,
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
            spared: That of a loop with long turns does not, which might settle what it carries.
            rolled: The walk has rolled a loop that could be unrolled.
            streams: State is carried from call to call, which what lives in arenas cannot be.
            made: The classes that the walk made, of which there are others in the next.

        Raises:
            ElichikaError: Nothing is left to assume; this is the error to tell.
        """
        if isinstance(error, TapeAsked) and not getattr(self, error.wanted):
            setattr(self, error.wanted, True)
            self.first = None
            self._frame_anew()
            return
        if isinstance(error, Recursed) and (self.can_frame(error) or self._widens(error)):
            self._asked[error.site] += 1
            self.framed[error.site] = {}
            return
        if isinstance(error, Spent):
            raise _told(self.framed_refusal or self.first or error) from None
        if isinstance(error, WalkAgain):
            self.first = self.first or error.refusal
            return
        first = self.first = self.first or error
        spent = type(error) is BudgetError
        if isinstance(error, PresenceAsked) and not self.keeps_presence:
            self.keeps_presence, self.first = True, None
        elif isinstance(error, HeldInList) and not self.writes_items:
            self.keeps_identity, self.writes_items = not self.keeps_identity, self.keeps_identity
        elif self.framed and not self.boxes_results and not spent:
            self.boxes_results = True
            self._frame_anew()
        elif not streams and (self.unrolls_more or not rolled) and self._bears(error, made):
            pass  # what has no common type has one there
        elif spared and not self.peels_long and not spent:
            self.peels_long = True
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
