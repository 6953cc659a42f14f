"""Names: local, of enclosing functions, global."""

from __future__ import annotations

from typing import Any

from elichika.program.canonical import nested_program
from elichika.state.store import CONTENTS, MISSING
from elichika.values import python_words
from elichika.values.functions import Closure, Frame
from elichika.values.symbolic import UNDEF, UNSET, Array, Choice, Conflict, Var
from elichika.walker.visits import Visits
from elichika.walker.walk import Walk


class Scopes:
    """What names are bound to."""

    def __init__(self, w: Walk, visits: Visits) -> None:
        self.w = w
        self.visits = visits

    def bind(self, name: str, value: Any) -> None:
        """Bind a name in the scope it belongs to."""
        frame = self.w.frames[-1]
        if name not in frame.program.locals:
            owner, slot = self._outer_location(frame, name)
            if owner is not None:
                self.w.store.set(owner, slot, value)
                return
            self.w.store.set(frame.globals, name, value)
            return
        generated = name in frame.program.generated
        if self.w.graph.source_info and not frame.program.library and not generated:
            self._name(value, name)
        self.w.store.set(frame, name, value)

    def _name(self, value: Any, name: str) -> None:
        """Name what the graph has for an array or Variable after a variable of the user's."""
        array = value.array if type(value) is Var else value
        if isinstance(array, Array):
            contents = self.w.store.get(array, CONTENTS)
            if contents is not MISSING and not isinstance(contents, tuple):
                self.w.graph.hint(contents, name)

    def load(self, name: str) -> Any:
        """Return what a name holds."""
        frame = self.w.frames[-1]
        if name in frame.program.locals:
            return self.local_name(frame, name)
        owner, slot = self._outer_location(frame, name)
        if owner is not None:
            return self.outer_name(owner, slot, name)
        if name == "__class__" and frame.owner is not None:
            return frame.owner
        return self.global_name(frame.globals, name)

    def local_name(self, frame: Frame, name: str) -> Any:
        """Return what a local name holds; a name of the canonicalizer may hold nothing."""
        held = self.w.store.get(frame, name)
        if held is MISSING:
            held = UNSET
        if held is UNSET and name in frame.program.generated:
            return held
        if held is UNSET or isinstance(held, (Choice, Conflict)):
            said = python_words.no_local(name)
            return self.w.undefined(held, f"`{name}`", UnboundLocalError, said)
        return held

    def outer_name(self, owner: Any, slot: str, name: str) -> Any:
        """Return what a name of an enclosing function holds."""
        held = self.w.held(owner, slot)
        nothing = held is UNSET or held is UNDEF
        if nothing and type(owner) is Frame and name in owner.program.generated:
            return held
        return self.w.undefined(held, f"`{name}`", NameError)

    def global_name(self, space: dict[str, Any], name: str) -> Any:
        """Return what a global name holds, or the builtin of that name."""

        def builtin() -> Any:
            builtins = space.get("__builtins__", __builtins__)
            table = builtins if isinstance(builtins, dict) else vars(builtins)
            if name in table:
                return table[name]
            self.w.raise_static(NameError(f"name '{name}' is not defined"))

        held = self.w.store.get(space, name)
        if held is MISSING:
            return space[name] if name in space else builtin()
        return self.w.or_else(held, builtin, f"`{name}`")

    def _outer_location(self, frame: Frame, name: str) -> tuple[Any, str]:
        scope = frame.parent
        while scope is not None:
            if name in scope.program.locals:
                return scope, name
            if name in scope.cells:
                return scope.cells[name], "cell_contents"
            scope = scope.parent
        if name in frame.cells:
            return frame.cells[name], "cell_contents"
        return None, ""

    def is_of_enclosing_function(self, name: str) -> bool:
        """Tell whether a name is read from a function around the present one."""
        frame = self.w.frames[-1]
        return name not in frame.program.locals and self._outer_location(frame, name)[0] is not None

    def make_closure(self, node: Any) -> Closure:
        """Make the function value of a nested `def` or `lambda`."""
        frame = self.w.frames[-1]
        defaults = tuple(self.visits.visit(d) for d in node.args.defaults)
        kw_defaults = {
            a.id: self.visits.visit(d)
            for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            if d is not None
        }
        program = nested_program(node, frame.program.file, frame.program.library)
        return Closure(program, frame, defaults, kw_defaults)
