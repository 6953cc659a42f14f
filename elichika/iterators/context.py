"""What an iterator may ask of the walk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from elichika.values.context import WalkContext

if TYPE_CHECKING:
    from elichika.iterators.base import Cursor, Staged
    from elichika.state.store import Mark
    from elichika.values.symbolic import Scalar
    from onnx_graph import Value

__all__ = ["IteratorContext"]

#: Each location that was read, and what it held.
Reading = list[tuple[Any, str, Any]]


class Lengths(Protocol):
    """Lists of dynamic length, as an iterator sees them."""

    def length(self, value: Any) -> Any:
        """Return the length of a list, dict or set: an int or an int `Scalar`."""


class IteratorContext(WalkContext, Protocol):
    """The walk, as an iterator sees it.

    Attributes:
        consumer: The site of the loop that takes items by number.
    """

    consumer: Any

    @property
    def sequences(self) -> Lengths:
        """Lists of dynamic length."""

    # Where iterators stand

    def started(self, iterator: Any) -> Any:
        """Return a new iterator of the program, at its begin."""

    def position(self, iterator: Cursor) -> Any:
        """Return where an iterator stands: an int or an int `Scalar`."""

    def stand(self, iterator: Cursor, position: Any) -> None:
        """Let an iterator stand somewhere."""

    # What they give

    def iterate(self, value: Any) -> Staged:
        """Return the items of an iterable by number."""

    def ask(self, iterator: Any, found: Callable[[Any], Any], ended: Callable[[], Any]) -> Any:
        """Ask any iterator for its next item, as `Cursor.ask` does."""

    def most(self, iterator: Any) -> int | None:
        """Return how many items are left of any iterator, as `Cursor.most` does."""

    def numbered(self, iterator: Any) -> Staged | None:
        """Return what is left of any iterator by number, as `Cursor.by_number` does."""

    def gathered(self, iterator: Any) -> list[Any]:
        """Return all items that are left of an iterator, in a list of the program."""

    # What was read ahead of time

    def step_by_step(self, site: Any) -> NoReturn:
        """Walk again, with a loop that asks for each item."""

    def kept(self, reading: Reading, mark: Mark) -> Reading:
        """Return of what was read what may change, with what it holds now."""

    def is_unchanged(self, reading: Reading) -> bool:
        """Tell whether all that was read is as it was."""

    def require_unchanged(self, reading: Any) -> None:
        """Refuse to go on where something that was read ahead of time has changed."""

    def require_unseen(self, iterator: Any, mark: Mark, since: Mark | None = None) -> None:
        """Refuse to have asked an iterator ahead of time where somebody could tell."""

    def has_acted(self, mark: Mark) -> bool:
        """Tell whether anything that was there at `mark` was changed or checked since."""

    # The program

    def call(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Call a function of the program, of Python, numpy or Chainer."""

    def binary(self, op: Any, left: Any, right: Any) -> Any:
        """Return `op(left, right)`, for a function of the module `operator`."""

    def truth(self, value: Any) -> Any:
        """Return `bool(value)`: a bool, or a symbolic one."""

    def not_(self, value: Any) -> Any:
        """Return `not value`."""

    def both(self, a: Any, b: Any) -> Any:
        """Return `a and b` of two truths."""

    def branch(self, test: Any, then: Callable[[], Any], other: Callable[[], Any]) -> Any:
        """Return what one of two functions gives, whichever a bool chooses; both are walked."""

    def not_negative(self, count: Any) -> Any:
        """Return a count, 0 where it is negative."""

    def value_of(self, value: Any, dtype: Any = None) -> Value:
        """Return the tensor of a number, an array or a Variable."""

    def scalar(self, type_: type, value: Value, bound: int | None = None) -> Scalar:
        """Return a number of the program that a tensor without axes holds."""

    def new_list(self, items: Sequence[Any]) -> list[Any]:
        """Return a fresh list of the program."""

    def get_item(self, obj: Any, index: Any) -> Any:
        """Return `obj[index]`."""

    def append(self, obj: list[Any], value: Any) -> None:
        """Run `obj.append(value)`."""

    def extend(self, obj: list[Any], value: Any) -> None:
        """Run `obj.extend(value)`."""

    def undefined(
        self,
        value: Any,
        what: str,
        exception: type[BaseException],
        said: tuple[Any, ...] | None = None,
    ) -> Any:
        """Return a value that may be unset, with a check that it is not."""

    def check(self, condition: Any, exception: type[BaseException], message: str) -> None:
        """Let the model fail where a bool is False, known while compiling or when it runs."""

    def raise_static(self, error: BaseException, near: str | None = None) -> NoReturn:
        """Raise an error in the program: now, for every input."""
