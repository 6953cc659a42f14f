"""The search: edits are tried until none of them leaves the fault in the program."""

from __future__ import annotations

import ast
import re
import time
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice

from elichika.reduction.calls import without_parameter
from elichika.reduction.edits import COARSE, FINE
from elichika.reduction.fault import Fault
from elichika.reduction.names import missing
from elichika.reduction.trees import Edit, Step, size

__all__ = ["Search"]

Change = tuple[frozenset[tuple[str, int]], frozenset[tuple[str, int]]]
"""Lines that a program loses and gets, with how many of each."""


@dataclass
class Search:
    """One program on its way to a small one.

    Attributes:
        trial: Runs a program on inputs, and says how it goes wrong.
        kind: The kind of fault that stays.
        inputs: Descriptions of the example, as `--input` has them; they become fewer, too.
        until: The time of `time.monotonic` at which the search ends.
        tried: What came of each program that was run.
        vain: The changes of lines that took the fault away. They are tried again where nothing else
            is left: another change may have made room for them.
        open: Names that the whole program reads and does not define.
    """

    trial: Callable[[str, tuple[str, ...]], Fault | None]
    kind: str
    inputs: tuple[str, ...]
    until: float
    tried: dict[tuple[str, tuple[str, ...]], bool] = field(default_factory=dict)
    vain: set[Change] = field(default_factory=set)
    open: frozenset[str] = frozenset()

    def smallest(self, source: str) -> str:
        """Return the smallest program found that still shows the fault."""
        tree = ast.parse(source)
        self.open = missing(tree)
        before = None
        while size(tree) != before:
            before = size(tree)
            self.vain.clear()
            tree = self._rounds(tree)
        return ast.unparse(tree) + "\n"

    def _rounds(self, tree: ast.Module) -> ast.Module:
        """Apply all edits until none takes anything away that was not tried in vain."""
        before = None
        while size(tree) != before:
            before = size(tree)
            tree = self._asked(self._settled(tree))
            for edit in FINE:
                tree = self._edited(tree, edit)
        return tree

    def _settled(self, tree: ast.Module) -> ast.Module:
        """Apply the coarse edits until none of them takes anything away."""
        before = None
        while size(tree) != before:
            before = size(tree)
            for edit in COARSE:
                tree = self._edited(tree, edit)
        return tree

    def keeps(self, source: str, inputs: tuple[str, ...] | None = None) -> bool:
        """Tell whether a program shows the fault."""
        key = source, self.inputs if inputs is None else inputs
        if key not in self.tried:
            if time.monotonic() > self.until:
                return False
            found = self.trial(*key)
            self.tried[key] = found is not None and found.kind == self.kind
        return self.tried[key]

    def _asked(self, tree: ast.Module) -> ast.Module:
        """Leave out inputs, with the parameters that they are for where nobody reads these."""
        for text in self.inputs[1:] + self.inputs[:1]:
            rest = tuple(one for one in self.inputs if one != text)
            found = re.match(r"\s*(\w+)", text)
            made = [tree]
            if found is not None:
                made += [step() for step in without_parameter(tree, found.group(1))]
            kept = next((one for one in made if self._holds(one, rest)), None)
            if kept is not None:
                tree, self.inputs = kept, rest
        return tree

    def _holds(self, tree: ast.Module, inputs: tuple[str, ...]) -> bool:
        return bool(inputs) and self.keeps(ast.unparse(tree), inputs)

    def _edited(self, tree: ast.Module, edit: Edit) -> ast.Module:
        """Apply an edit as often as it leaves the fault, going on where the last one was."""
        done = 0
        while True:
            for number, step in islice(enumerate(edit(tree)), done, None):
                made = self._smaller(tree, step)
                if made is None:
                    continue
                change = _change(ast.unparse(tree), ast.unparse(made))
                if change in self.vain:
                    continue
                if self.keeps(ast.unparse(made)):
                    tree, done = made, number
                    break
                self.vain.add(change)
            else:
                return tree

    def _smaller(self, tree: ast.Module, step: Step) -> ast.Module | None:
        """Return what a step makes, if it is a program that can run, and a smaller one."""
        made = step()
        if size(made) >= size(tree) or missing(made) - self.open:
            return None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # a call of a number, say
                compile(ast.unparse(made), "reduced", "exec")
        except (SyntaxError, SyntaxWarning, ValueError, AttributeError, TypeError):
            return None
        return made


def _change(before: str, after: str) -> Change:
    old, new = Counter(before.splitlines()), Counter(after.splitlines())
    return frozenset((old - new).items()), frozenset((new - old).items())
