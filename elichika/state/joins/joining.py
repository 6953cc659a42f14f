"""The least type of two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from elichika.state.joins.arrays import ArrayType
from elichika.state.joins.choices import ChoiceType
from elichika.state.joins.plain import ConflictType, ScalarType, Static, TextType, one_of
from elichika.state.joins.reading import TypeReader, inside
from elichika.state.joins.structures import ErrorType
from elichika.state.joins.types import Type
from elichika.state.joins.variables import VarType
from elichika.state.partitions import references, resolved
from elichika.values.symbolic import PYTHON_DTYPES

if TYPE_CHECKING:
    from elichika.state.context import StateContext

MAX_ALTERNATIVES = 8
#: How many texts may be told apart.
MAX_TEXTS = 1024


class Joiner:
    """Joins types pairwise; object nodes are remembered by the pair.

    Args:
        w: The walker.
        widen: Numbers that differ become a scalar at once (in loops) rather than a choice.
        turns: What is joined is carried by the turns of a loop, in each of which it may grow.

    Attributes:
        pairs: What came of each two objects that met.
    """

    def __init__(self, w: StateContext, *, widen: bool, turns: bool = False) -> None:
        self.w = w
        self.widen = widen
        self._least = MAX_ALTERNATIVES if turns else 0
        self.pairs: dict[tuple[int, int], Type] = {}
        self._partner: dict[tuple[str, int], int] = {}
        self._held: Counter[int] = Counter()
        self._inside: set[int] = set()

    def join_all(self, pairs: Iterable[tuple[Type, Type]]) -> list[Type]:
        """Join the types of the locations of a whole state, objects by their identity."""
        sides = list(pairs)
        for types in zip(*sides, strict=True):
            self._held += references(types)
        return resolved([self.join(a, b) for a, b in sides], self.pairs)

    def join(self, a: Type, b: Type) -> Type:
        """Return the least type that holds both."""
        for one, other in ((a, b), (b, a)):
            settled = one.settles(other)
            if settled is not None:
                return settled
        joined = self.compatible(a, b) if len(a.options) == len(b.options) == 1 else None
        return self._choice(a, b) if joined is None else joined

    def compatible(self, a: Type, b: Type) -> Type | None:
        """Join without a tag, or return None where the two have no common form."""
        a, b = a.lifted(self, b), b.lifted(self, a)
        if a.family is b.family:
            return a.join(self, b)
        joined = a.absorb(self, b)
        return b.absorb(self, a) if joined is None else joined

    # -- what types ask of it -----------------------------------------------------------------

    def read(self, value: Any) -> Type:
        """Return the type of a value that is there already."""
        return TypeReader(self.w, self.w.store.mark()).of(value)

    def read_contents(self, value: Any) -> Type:
        """Return the type of a list, dict or object by what it holds."""
        return TypeReader(self.w, self.w.store.mark()).heap(value)

    def read_error(self, error: BaseException) -> Type:
        """Return the type of an exception by what it holds, which nothing may have changed."""
        if self.w.store.was_rewritten(error):
            kind = type(error).__name__
            return ConflictType(f"the arguments or attributes of this {kind} were changed")
        return TypeReader(self.w, self.w.store.mark()).error(error)

    def apart(self) -> Joiner:
        """Return what joins elements of a list, which have no identity."""
        made = Joiner(self.w, widen=True)
        made._inside = self._inside
        return made

    def inside(self, value: Any) -> AbstractContextManager[bool]:
        """Read what a value holds within the block; tell whether it does not hold itself."""
        return inside(value, self._inside)

    def may_be_partners(self, a: int, b: int) -> bool:
        """Tell whether two objects may become one: neither did so with another one."""
        partners = {("a", a): b, ("b", b): a}
        if any(self._partner.get(key, other) != other for key, other in partners.items()):
            return False
        self._partner |= partners
        return True

    # -- choices ------------------------------------------------------------------------------

    def _choice(self, a: Type, b: Type) -> Type:
        texts = _texts_of(a, b) if max(len(a.options), len(b.options)) > self._least else None
        if texts is not None:
            return texts
        alternatives: list[Type] = []
        merged: list[dict[int, bool]] = []
        candidates = [(side, x) for side, type_ in enumerate((a, b)) for x in type_.options]
        for side, candidate in candidates:
            if candidate.is_conflict:
                return candidate
            alone = self._alone(candidate)
            for index, present in enumerate(alternatives):
                if side in merged[index] and not (alone and merged[index][side]):
                    continue  # two objects of one side become one only where nobody can tell
                joined = self.compatible(present, candidate)
                if joined is not None and not joined.is_conflict:
                    alternatives[index] = joined
                    merged[index][side] = alone and merged[index].get(side, True)
                    break
            else:
                alternatives.append(candidate)
                merged.append({side: alone})
        self._share_arrays(alternatives, merged)
        if len(alternatives) > MAX_ALTERNATIVES:
            alternatives = self._without_many_errors(alternatives)
        return alternatives[0] if len(alternatives) == 1 else _one_of(self.w, alternatives)

    def _without_many_errors(self, alternatives: list[Type]) -> list[Type]:
        """Let one type hold all exceptions of a class, also those that were there before."""
        left: list[Type] = []
        for type_ in alternatives:
            match type_:
                case Static(value=BaseException() as error):
                    one = self.read_error(error)
                case _:
                    one = type_
            for index, other in enumerate(left):
                if one.family is other.family is ErrorType and one.form == other.form:
                    left[index] = self.join(other, one)
                    break
            else:
                left.append(one)
        return left

    def _share_arrays(self, alternatives: list[Type], sides: list[dict[int, bool]]) -> None:
        """Let an array and a Variable that come from unlike sides be handles on one array."""
        for i, array in enumerate(alternatives):
            for j, variable in enumerate(alternatives):
                if not isinstance(variable, VarType) or sides[i].keys() & sides[j].keys():
                    continue
                one = array.lifted(self, variable)
                joined = self.compatible(one, variable.array) if one.family is ArrayType else None
                if joined is not None and joined.family is ArrayType:
                    alternatives[i] = joined
                    alternatives[j] = replace(variable, array=joined)
                    return

    def _alone(self, type_: Type) -> bool:
        """Tell whether no object in a type is held elsewhere as well."""
        if type_.node is not None and self._held[type_.node] > 1:
            return False
        return all(map(self._alone, type_.own_parts))


def _texts_of(*types: Type) -> Type | None:
    """Return the type of one of many texts, all of them known; None where there is another one."""
    options = [option for type_ in types for option in type_.options]
    if len(options) <= MAX_ALTERNATIVES or not all(type(one) is Static for one in options):
        return None
    texts: dict[Any, Any] = {}
    for one in options:
        text = getattr(one, "value", None)
        if type(text) is not str:
            return None
        texts[text] = one_of(texts.get(text, text), text)
    return ChoiceType(tuple(map(Static, texts.values()))) if len(texts) <= MAX_TEXTS else None


def _one_of(w: StateContext, alternatives: list[Type]) -> Type:
    """Return a choice; of many known values of one class a type that holds all such."""
    if len(alternatives) <= MAX_ALTERNATIVES:
        return ChoiceType(tuple(alternatives))
    kinds = {type(x.value) if isinstance(x, Static) else None for x in alternatives}
    kind = kinds.pop() if len(kinds) == 1 else None
    if kind in PYTHON_DTYPES:
        numbers = [ScalarType.of(x.value) for x in alternatives if isinstance(x, Static)]
        return next((one for one in numbers if one.wide), numbers[0])
    if kind is str:
        return TextType()
    sites = frozenset[Any]().union(*map(w.arenas.sites_of, alternatives))
    return ConflictType(f"more than {MAX_ALTERNATIVES} different values", sites)


def sharing(types: Iterable[Type]) -> set[tuple[int, int]]:
    """Return which of the arrays in some types may share memory, as pairs of their numbers."""
    groups: dict[int, frozenset[int]] = {}
    todo = list(types)[::-1]
    while todo:
        type_ = todo.pop()
        if isinstance(type_, ArrayType):
            groups.setdefault(type_.ident, type_.groups)
        todo += type_.parts[::-1]
    numbered = list(enumerate(groups.values()))
    return {(i, j) for i, a in numbered for j, b in numbered[i + 1 :] if a & b}
