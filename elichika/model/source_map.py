"""The source map of a model: which line of the user's program made a node."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import onnx

from elichika.errors import ModelRuntimeError, SourceFrame

__all__ = ["SOURCE_MAP_KEY", "SourceMap"]

SOURCE_MAP_KEY = "elichika.source_map"
RUNNING = re.compile(r"running (\w+) node\. Name:'([^']*)'")
STATUS = re.compile(r"Status Message: (?!Non-zero status code)(.*)", re.DOTALL)
#: What operators on lists say, which may run before the check of an index and have no line.
OUT_OF_LIST = re.compile("Invalid sequence index|indices element out of data bounds")
OUT_OF_RANGE = "IndexError: list index out of range"
PLACE_IN_RUNTIME = re.compile(r"\S+\.(?:h|cc|cpp|cu)\w*:\d+ \S.*?\) (?=\S)|\S+\.(?:h|cc):\d+ ")


class SourceMap(Mapping[str, tuple[SourceFrame, ...]]):
    """The user's places by node name, outermost call first."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        """Take what the model's metadata holds, as JSON data.

        Raises:
            AttributeError, LookupError, TypeError, ValueError: The data are others.
        """
        sources = data.get("sources", [])
        self._labels = [str(source["label"]) for source in sources]
        self._layers = [str(source.get("layer", "")) for source in sources]
        self._frames = [tuple(map(_frame, source["frames"])) for source in sources]
        self._nodes: dict[str, int] = dict(data.get("nodes", {}))
        self._checks: dict[str, str] = dict(data.get("checks", {}))
        for number in self._nodes.values():
            if type(number) is not int or not 0 <= number < len(sources):
                raise ValueError("a node has a place that is not there")
        if not all(isinstance(text, str) for text in self._checks.values()):
            raise TypeError("a check has no message")

    @classmethod
    def from_metadata(cls, metadata: Mapping[str, str]) -> SourceMap:
        """Read it from a model's metadata; a model without one gives an empty map.

        Raises:
            ValueError: The metadata are damaged.
        """
        text = metadata.get(SOURCE_MAP_KEY, "{}")
        try:
            return cls(json.loads(text))
        except (AttributeError, LookupError, RecursionError, TypeError, ValueError):
            raise ValueError("the source map is damaged") from None

    @classmethod
    def if_whole(cls, metadata: Mapping[str, str]) -> SourceMap:
        """Read it from a model's metadata; an empty map where they are damaged."""
        try:
            return cls.from_metadata(metadata)
        except ValueError:
            return cls({})

    def __getitem__(self, name: str) -> tuple[SourceFrame, ...]:
        """Return the places of a node."""
        return self._frames[self._nodes[name]]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the nodes that have a place."""
        return iter(self._nodes)

    def __len__(self) -> int:
        """Return how many nodes have a place."""
        return len(self._nodes)

    @property
    def has_checks(self) -> bool:
        """Whether there are nodes that fail where the program raises."""
        return bool(self._checks)

    @property
    def checks(self) -> Mapping[str, str]:
        """What is said where a check fails, by its node."""
        return self._checks

    @property
    def links(self) -> frozenset[str]:
        """The paths of the links that nodes are of."""
        return frozenset(self._layers) - {""}

    def label(self, name: str) -> str | None:
        """Return the short place of a node, such as `decoder.py:31`."""
        return self._labels[self._nodes[name]] if name in self._nodes else None

    def layer(self, name: str) -> str:
        """Return the path of the link that a node is of, such as `/lstm/upward`."""
        return self._layers[self._nodes[name]] if name in self._nodes else ""

    def of_value(self, graph: onnx.GraphProto, name: str) -> tuple[SourceFrame, ...]:
        """Return the places of the node that makes a value, or of the nearest one before it."""
        makers = {value: node for node in graph.node for value in node.output}
        seen: set[str] = set()
        while name in makers and name not in seen:
            seen.add(name)
            node = makers[name]
            if self.get(node.name):
                return self[node.name]
            name = node.input[0] if node.input else ""
        return ()

    def error(self, raised: Exception) -> ModelRuntimeError | None:
        """Return an error of onnxruntime in the user's terms; None if no node can be told."""
        text = str(raised)
        running: list[tuple[str, str]] = RUNNING.findall(text)
        if OUT_OF_LIST.search(text) and not (running and self.known(running[-1][1])):
            found = self._out_of_list()
            if found is not None:
                return found
        for op_type, shown in reversed(running):
            name = self.known(shown)
            if name is None:
                continue
            frames = self.get(name, ())
            if name in self._checks:
                return ModelRuntimeError(self._checks[name], frames)
            return ModelRuntimeError(f"{op_type} failed: {kernel_message(text)}", frames)
        return None

    def _out_of_list(self) -> ModelRuntimeError | None:
        """Return what the checks of an index say; without a place where there are several."""
        checks = {
            (said, self.get(name, ()))
            for name, said in self._checks.items()
            if said.startswith("IndexError: list")
        }
        if not checks:
            return None
        return ModelRuntimeError(*(checks.pop() if len(checks) == 1 else (OUT_OF_RANGE, ())))

    def known(self, shown: str) -> str | None:
        """Return the node behind a name that onnxruntime shows, which fusions may have extended."""
        if shown in self._nodes or shown in self._checks:
            return shown
        parts = [name for name in (*self._nodes, *self._checks) if name in shown]
        return max(parts, key=len, default=None)


def kernel_message(text: str) -> str:
    """Return what the failing kernel said, without the nodes and places inside onnxruntime."""
    found = STATUS.search(text)
    said = found.group(1) if found else text.rsplit(" : ", 1)[-1]
    return " ".join(PLACE_IN_RUNTIME.sub("", said).split()) or "no reason given"


def _frame(data: Any) -> SourceFrame:
    if isinstance(data, str):
        return SourceFrame(data, 0, "")
    file, line, function = data
    if type(line) is not int:
        raise TypeError("a frame has no line")
    return SourceFrame(str(file), line, str(function))
