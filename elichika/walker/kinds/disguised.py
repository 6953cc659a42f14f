"""Objects of the program that say themselves which class they are of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from elichika.program import native_code
from elichika.walker.kinds.kind import Kind

if TYPE_CHECKING:
    from elichika.walker.kinds.context import KindContext

__all__ = ["Disguised", "is_disguised", "refuse_disguised"]


def is_disguised(cls: type) -> bool:
    """Tell whether a class of the program has a `__class__` of its own, which Python believes."""
    asked = getattr(cls.__getattribute__, "__code__", None)
    own = any("__class__" in vars(base) for base in cls.__mro__[:-1])
    told = asked is not None and "__class__" in asked.co_consts
    return (own or told) and native_code.package_of(cls) != "elichika"


def refuse_disguised(w: KindContext) -> NoReturn:
    """Refuse such an object: what looks at it while compiling is told its `__class__` as well."""
    w.refuse(
        "an object whose class has its own `__class__` is not compiled",
        "test for an attribute or a method of the object",
    )


class Disguised(Kind):
    """What has a `__class__` of its own."""

    def _refuse(self, w: KindContext, *args: Any, **kwargs: Any) -> NoReturn:
        refuse_disguised(w)

    attribute = set_attribute = call = truth = iterate = contains = _refuse
    get_item = set_item = delete_item = unary = binary = augmented = _refuse
