"""The statements of a canonical program."""

from __future__ import annotations

import importlib
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import gast

from elichika.errors import UnsupportedSyntax
from elichika.program.canonical import nested_program
from elichika.state.store import CONTENTS, MISSING
from elichika.values.functions import Closure, Frame
from elichika.values.symbolic import UNSET, Array, Choice, Conflict, Scalar
from elichika.walker.core import PLAIN, ConflictRead, Core, Raised

#: What an operation of the graph may fail with where numpy or Chainer raise.
RUN_TIME_FAILURES = (ValueError, IndexError, TypeError, ArithmeticError, RuntimeError)

#: An `elif` chain longer than this is run clause after clause.
MAX_CHAIN = 8


class Statements(Core):
    """The part of the walker that visits statements."""

    def visit(self, node: Any) -> Any:
        """Visit one node by its type.

        What it gives is pending, in use without a name, until the node around it is done.
        """
        method = self._visits.get(type(node)) or self._visit_of(type(node))
        if not hasattr(node, "lineno"):
            return method(node)
        before, pending = self._node[-1], len(self.pending)
        self._node[-1] = node
        try:
            value = method(node)
            if self.arenas.plan.at_birth:
                value = self.arenas.made(value)
        finally:
            self._node[-1] = before
            del self.pending[pending:]
        if type(value) not in PLAIN:
            self.pending.append(value)
        return value

    def _visit_of(self, kind: type) -> Callable[[Any], Any]:
        method: Callable[[Any], Any] | None = getattr(self, f"visit_{kind.__name__}", None)
        if method is None:
            raise UnsupportedSyntax(f"{kind.__name__} is not supported", self.here(), None)
        self._visits[kind] = method
        return method

    def block(self, body: list[Any]) -> None:
        """Visit statements in order."""
        for statement in body:
            self.visit(statement)

    def visit_Expr(self, node: Any) -> None:
        self.visit(node.value)

    def visit_Pass(self, node: Any) -> None:
        pass

    def visit_Global(self, node: Any) -> None:
        pass

    visit_Nonlocal = visit_Global

    def visit_Assign(self, node: Any) -> None:
        self.assign(node.targets[0], self._assigned(node.targets[0], node.value))

    def _assigned(self, target: Any, value: Any) -> Any:
        """Return the value, or the conflict that it is made of when nobody may ever read it."""
        try:
            return self.visit(value)
        except ConflictRead as conflict:
            if isinstance(target, gast.Name) and _harmless(value):
                return Conflict(conflict.reason)
            raise

    def assign(self, target: Any, value: Any) -> None:
        """Store a value in a name, attribute or subscript."""
        if isinstance(target, gast.Name):
            self.bind(target.id, value)
        elif isinstance(target, gast.Attribute):
            self.set_attribute(self.visit(target.value), self.mangled(target.attr), value)
        else:
            obj = self.visit(target.value)
            self.set_item(obj, self.visit(target.slice), value)

    def visit_AugAssign(self, node: Any) -> None:
        name = node.target.id
        current = self._assigned(
            node.target if isinstance(node.value, gast.Constant) else None,
            gast.copy_location(gast.Name(name, gast.Load(), None, None), node),
        )
        if isinstance(current, Conflict):
            self.bind(name, current)
            return
        operand = self.visit(node.value)
        symbol = type(node.op).__name__
        self.bind(name, self.augmented(IN_PLACE[symbol], OPERATORS[symbol], current, operand))

    def visit_Delete(self, node: Any) -> None:
        target = node.targets[0]
        if isinstance(target, gast.Name):
            self.load(target.id)
            self.bind(target.id, UNSET)
        elif isinstance(target, gast.Attribute):
            self.delete_attribute(self.visit(target.value), self.mangled(target.attr))
        else:
            obj = self.visit(target.value)
            self.delete_item(obj, self.visit(target.slice))

    def visit_If(self, node: Any) -> None:
        clauses, last = _chain(node)
        if len(clauses) > MAX_CHAIN:
            self._flat_chain(clauses, last)
            return
        test = self.truth(self.visit(node.test))
        self.note_branch(node.test, test)
        if isinstance(test, Scalar) and node.orelse and isinstance(node.orelse[-1], gast.Raise):
            self.branch(
                self.not_(test), lambda: self.block(node.orelse), lambda: self.block(node.body)
            )
        else:
            self.branch(test, lambda: self.block(node.body), lambda: self.block(node.orelse))

    def _flat_chain(self, clauses: list[Any], last: list[Any]) -> None:
        """Run a long `elif` chain one clause after the other: nesting is limited in ONNX."""
        taken: Any = False
        for clause in clauses:
            run = self._clause_runs(taken, clause)
            if run is False:
                continue
            self.branch(run, partial(self.block, clause.body), lambda: None)
            taken = self.not_(self.both(self.not_(taken), self.not_(run)))
            if taken is True:
                return
        self.branch(taken, lambda: None, lambda: self.block(last))

    def _clause_runs(self, taken: Any, clause: Any) -> Any:
        """Visit the test of a clause unless one before it was taken."""
        test = self.branch(taken, lambda: False, lambda: self.truth(self.visit(clause.test)))
        test = self.truth(test)
        self.note_branch(clause.test, test)
        return test

    def visit_Raise(self, node: Any) -> None:
        if node.exc is None:
            if not self.caught:
                self.raise_static(RuntimeError("No active exception to reraise"))
            self.raise_static(self.caught[-1])
        self.raising = not self.handlers
        try:
            error = self.visit(node.exc)
        finally:
            self.raising = False
        cause = None if node.cause is None else self.visit(node.cause)
        made = isinstance(node.exc, gast.Call)
        if isinstance(error, type) and issubclass(error, BaseException):
            error, made = self.call(error, [], {}), True
        if isinstance(error, Choice) and not self.handlers:
            kinds = {type(a) for a in error.alternatives}
            if len(kinds) == 1 and isinstance(error.alternatives[0], BaseException):
                kind, texts = kinds.pop(), dict.fromkeys(map(str, error.alternatives))
                plain = kind in (ValueError, TypeError, RuntimeError)
                error = kind(" or ".join(texts)) if plain else error.alternatives[0]
        if not isinstance(error, BaseException):
            self.refuse("only exceptions known now can be raised", "raise each in its own branch")
        if made:
            self._link(error, cause)
        elif node.cause is not None:
            self.refuse(
                "`from` of an exception that is not made here is not compiled", "leave `from` out"
            )
        self.raise_static(error)

    def _link(self, error: BaseException, cause: Any) -> None:
        """Tell a new exception what it follows from."""
        if isinstance(cause, type) and issubclass(cause, BaseException):
            cause = self.call(cause, [], {})
        if cause is not None and not isinstance(cause, BaseException):
            self.raise_static(TypeError("exception causes must derive from BaseException"))
        if self.caught:
            error.__context__ = self.caught[-1]
        if cause is not None:
            error.__cause__ = cause

    def visit_Try(self, node: Any) -> None:
        """Run a `try`: exceptions are caught only where they are raised while staging."""
        kinds: list[type] = []
        for handler in node.handlers:
            kind = BaseException if handler.type is None else self.visit(handler.type)
            kinds.extend(kind if isinstance(kind, tuple) else (kind,))
        try:
            with self.catching(tuple(kinds)):
                self.block(node.body)
        except Raised as raised:
            for handler in node.handlers:
                kind = BaseException if handler.type is None else self.visit(handler.type)
                if isinstance(raised.error, kind):
                    self._handle(handler, raised.error)
                    break
            else:
                self.block(node.finalbody)
                raise
        else:
            self.block(node.orelse)
        self.block(node.finalbody)

    @contextmanager
    def catching(self, kinds: tuple[type, ...]) -> Iterator[None]:
        """Know that exceptions of these kinds are caught where they leave this block."""
        guards = any(issubclass(f, k) or issubclass(k, f) for k in kinds for f in RUN_TIME_FAILURES)
        self.handlers.append(kinds)
        self.guarded += guards
        try:
            yield
        finally:
            self.guarded -= guards
            self.handlers.pop()

    def _handle(self, handler: Any, error: BaseException) -> None:
        if handler.name is not None:
            name = handler.name if isinstance(handler.name, str) else handler.name.id
            self.bind(name, error)
        self.caught.append(error)
        try:
            self.block(handler.body)
        finally:
            self.caught.pop()
        if handler.name is not None:
            self.bind(name, UNSET)

    def visit_With(self, node: Any) -> None:
        item = node.items[0]
        manager = self.visit(item.context_expr)

        def body(value: Any) -> None:
            if item.optional_vars is not None:
                self.bind(item.optional_vars.id, value)
            self.block(node.body)

        self.run_with(manager, body)

    def visit_Return(self, node: Any) -> None:
        self.returned[-1] = None if node.value is None else self.visit(node.value)
        if len(self.frames) == 1:
            self.ended_at = self.place()

    def visit_FunctionDef(self, node: Any) -> None:
        function: Any = self.make_closure(node)
        for decorator in reversed([self.visit(d) for d in node.decorator_list]):
            function = self.call(decorator, [function], {})
        self.bind(node.name, function)

    def visit_Import(self, node: Any) -> None:
        for alias in node.names:
            module = self._imported(alias.name)
            if alias.asname is None:
                module = importlib.import_module(alias.name.split(".")[0])
            self.bind(alias.asname or alias.name.split(".")[0], module)

    def visit_ImportFrom(self, node: Any) -> None:
        package = self.frames[-1].globals.get("__package__") or ""
        name = "." * (node.level or 0) + (node.module or "")
        module = self._imported(name, package)
        for alias in node.names:
            try:
                value = getattr(module, alias.name)
            except AttributeError:
                value = self._imported(f"{module.__name__}.{alias.name}")
            self.bind(alias.asname or alias.name, value)

    def _imported(self, name: str, package: str | None = None) -> Any:
        try:
            return importlib.import_module(name, package)
        except ImportError as error:
            self.raise_static(error)

    # -- names --------------------------------------------------------------------------------

    def bind(self, name: str, value: Any) -> None:
        """Bind a name in the scope it belongs to."""
        frame = self.frames[-1]
        if name not in frame.program.locals:
            owner, slot = self._outer_location(frame, name)
            if owner is not None:
                self.store.set(owner, slot, value)
                return
            self.store.set(frame.globals, name, value)
            return
        if isinstance(value, (Array, Scalar)) and isinstance(value, Array):
            contents = self.store.get(value, CONTENTS)
            if contents is not MISSING and not isinstance(contents, tuple):
                self.graph.hint(contents, name)
        self.store.set(frame, name, value)

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

    def load(self, name: str) -> Any:
        """Return what a name holds."""
        frame = self.frames[-1]
        if name in frame.program.locals:
            return self.local_name(frame, name)
        owner, slot = self._outer_location(frame, name)
        if owner is not None:
            return self.outer_name(owner, slot, name)
        if name == "__class__" and frame.owner is not None:
            return frame.owner
        return self.global_name(frame.globals, name)

    def is_of_enclosing_function(self, name: str) -> bool:
        """Tell whether a name is read from a function around the present one."""
        frame = self.frames[-1]
        return name not in frame.program.locals and self._outer_location(frame, name)[0] is not None

    def make_closure(self, node: Any) -> Closure:
        """Make the function value of a nested `def` or `lambda`."""
        frame = self.frames[-1]
        defaults = tuple(self.visit(d) for d in node.args.defaults)
        kw_defaults = {
            a.id: self.visit(d)
            for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            if d is not None
        }
        program = nested_program(node, frame.program.file, frame.program.library)
        return Closure(program, frame, defaults, kw_defaults)


def _chain(node: Any) -> tuple[list[Any], list[Any]]:
    """Return the clauses of an `if … elif …` and the statements of its `else`."""
    clauses = [node]
    while len(clauses[-1].orelse) == 1 and isinstance(clauses[-1].orelse[0], gast.If):
        clauses.append(clauses[-1].orelse[0])
    return clauses, clauses[-1].orelse


def _harmless(node: Any) -> bool:
    """Tell whether nothing is lost when an expression is given up at a name in it.

    A name, a sum of names and constants, or a tuple in which only such things follow the name.
    """
    if isinstance(node, (gast.Name, gast.Constant)):
        return True
    if isinstance(node, gast.BinOp):
        return isinstance(node.op, gast.Add) and _harmless(node.left) and _harmless(node.right)
    if isinstance(node, gast.Tuple):
        return _harmless(node.elts[-1])
    return False


OPERATORS = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "Div": operator.truediv,
    "FloorDiv": operator.floordiv,
    "Mod": operator.mod,
    "Pow": operator.pow,
    "MatMult": operator.matmul,
    "BitAnd": operator.and_,
    "BitOr": operator.or_,
    "BitXor": operator.xor,
    "LShift": operator.lshift,
    "RShift": operator.rshift,
}
IN_PLACE = {
    "Add": "__iadd__",
    "Sub": "__isub__",
    "Mult": "__imul__",
    "Div": "__itruediv__",
    "FloorDiv": "__ifloordiv__",
    "Mod": "__imod__",
    "Pow": "__ipow__",
    "MatMult": "__imatmul__",
    "BitAnd": "__iand__",
    "BitOr": "__ior__",
    "BitXor": "__ixor__",
    "LShift": "__ilshift__",
    "RShift": "__irshift__",
}
