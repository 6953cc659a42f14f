"""Items of containers, past the methods of a class that extends a built-in type."""

from __future__ import annotations

from typing import Any

import numpy as np

from elichika.walker.core import Core
from elichika.walker.kinds import builtin_kind


class Containers(Core):
    """The part of the walker that asks built-in types for their items."""

    def container_get(self, obj: Any, index: Any) -> Any:
        """Return `obj[index]`."""
        return builtin_kind(obj).get_item(self.walker, obj, index)

    def container_set(self, obj: Any, index: Any, value: Any) -> None:
        """Run `obj[index] = value`."""
        builtin_kind(obj).set_item(self.walker, obj, index, value)

    def container_delete(self, obj: Any, index: Any) -> None:
        """Run `del obj[index]`."""
        builtin_kind(obj).delete_item(self.walker, obj, index)

    def container_contains(self, container: Any, value: Any) -> Any:
        """Return `value in container`."""
        return builtin_kind(container).contains(self.walker, container, value)

    def index_of(self, value: Any) -> Any:
        """Return an array of one int as an index."""
        flat = self.graph.constant(np.array([], np.int64))
        return self.scalar(int, self.graph.Reshape(self.value_of(value, np.int64), flat))
