"""Which objects live in arenas, as the walks have shown."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

from elichika.values.symbolic import DynamicTuple

if TYPE_CHECKING:
    from elichika.state.joins.leaves import Site

__all__ = ["MAPPINGS", "ArenaPlan", "is_plainly_made"]

#: Dicts whose keys have an order that records of known keys share.
MAPPINGS = (dict, OrderedDict, defaultdict, Counter)


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
