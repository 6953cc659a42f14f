"""What a report shows of its model: the page, and how the model is run for it."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from elichika.call.entry import entry_of
from elichika.call.streams import read_specs
from elichika.errors import SourceFrame
from elichika.model.inspection import inspection_of, node_names
from elichika.model.profile import Profile, profiled
from elichika.model.protos import metadata_of
from elichika.page import Facts, render
from elichika.signature import Signature
from elichika.signature.feeds import feeds_from_leaves
from elichika.signature.reading import read_call

if TYPE_CHECKING:
    from pathlib import Path

    from elichika.model.report import Report
    from elichika.model.storage import Storage

__all__ = ["Shown", "in_one_line"]


@dataclass(frozen=True)
class Shown:
    """A model as its report needs it: without its chain, and without its sessions.

    Attributes:
        entry: What was compiled, such as `Encoder.forward`.
        first: Where that begins, if it is known.
    """

    storage: Storage
    signature: Signature
    entry: str
    first: tuple[SourceFrame, ...] = ()

    @classmethod
    def of(cls, storage: Storage, signature: Signature, chain: Any) -> Shown:
        """Show a model; the chain says what it is called."""
        method = signature.method or "forward"
        if chain is None:
            name = method if storage.path is None else storage.path.name
            return cls(storage, signature, name)
        code = getattr(inspect.unwrap(entry_of(chain, signature.method)), "__code__", None)
        first = () if code is None else _frames(code)
        return cls(storage, signature, f"{type(chain).__name__}.{method}", first)

    def page(self, report: Report, profile: Any = None) -> str:
        """Return the report as a page; with inputs to run, it has what each line takes.

        Raises:
            InputError: The inputs do not fit.
        """
        outline = self.storage.outline
        measured = None if profile is None else self._profile(profile)
        size = outline.ByteSize()
        kept = read_specs(metadata_of(outline))
        return render(
            Facts(
                self.entry,
                outline.graph,
                self.storage.source_map,
                inspection_of(outline, size),
                report,
                measured,
                self.first,
                frozenset(name for spec in kept for name in (spec.input, spec.output)),
            )
        )

    def feeds(self, given: Any) -> dict[str, Any]:
        """Return what a run on inputs is fed with, from the state of a first call.

        Raises:
            InputError: The inputs do not fit.
        """
        leaves = read_call(self.signature.inputs, given)
        feeds = dict(feeds_from_leaves(self.signature.inputs, leaves))
        specs = read_specs(metadata_of(self.storage.outline))
        return feeds | {spec.input: spec.initial for spec in specs}

    def _profile(self, given: Any) -> Profile:
        names = node_names(self.storage.outline.graph)
        return profiled(self.storage.write, self.feeds(given), self.storage.source_map, names)


def _frames(code: Any) -> tuple[SourceFrame, ...]:
    return (SourceFrame(code.co_filename, code.co_firstlineno, code.co_name),)


def in_one_line(signature: Signature, report: Report, nodes: int, path: Path | None) -> str:
    """Return what a model is to somebody who prints it."""
    inputs = ", ".join(spec.describe() for spec in signature.inputs.specs)
    outputs = ", ".join(f"{spec.name} {spec.dtype}" for spec in signature.outputs.specs)
    found = report.verification
    verified = f"verified on {len(found.agreed)} inputs" if found else "not verified"
    counted = "1 node" if nodes == 1 else f"{nodes} nodes"
    file = f"{path}: " if path else ""
    return f"<CompiledModel {file}({inputs}) -> ({outputs}), {counted}, {verified}>"
