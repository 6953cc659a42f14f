"""The statements of a canonical program."""

from __future__ import annotations

import importlib
from contextlib import ExitStack
from functools import partial
from typing import Any

import gast

from elichika import idioms
from elichika.program.raised import ConflictRead, said
from elichika.state.store import MISSING
from elichika.values.exceptions import PLAIN
from elichika.values.kinds import alternatives_of
from elichika.values.symbolic import UNDEF, UNSET, Choice, Conflict, Scalar, Text
from elichika.walker.branches import Branches
from elichika.walker.containers.iterables import Iterables
from elichika.walker.handlers import EITHER_WAY, VAGUE, is_blind
from elichika.walker.jumps import Jumps
from elichika.walker.kinds.exceptions import ARGS, LINKS, made
from elichika.walker.objects.attributes import Attributes
from elichika.walker.objects.context_managers import Managers
from elichika.walker.operators import IN_PLACE, OPERATORS, Operators
from elichika.walker.scopes import Scopes
from elichika.walker.visits import Visits
from elichika.walker.walk import Walk

#: An `elif` chain longer than this is run clause after clause.
MAX_CHAIN = 8


class Statements:
    """The part of the walker that visits statements."""

    def __init__(
        self,
        w: Walk,
        visits: Visits,
        scopes: Scopes,
        jumps: Jumps,
        branches: Branches,
        operators: Operators,
        attributes: Attributes,
        managers: Managers,
        iterables: Iterables,
    ) -> None:
        self.w = w
        self.visits = visits
        self.scopes = scopes
        self.jumps = jumps
        self.branches = branches
        self.operators = operators
        self.attributes = attributes
        self.managers = managers
        self.iterables = iterables

    def visit_Expr(self, node: Any) -> None:
        self.visits.visit(node.value)

    def visit_Pass(self, node: Any) -> None:
        pass

    def visit_Global(self, node: Any) -> None:
        pass

    visit_Nonlocal = visit_Global

    def visit_Assign(self, node: Any) -> None:
        for one in getattr(node, "numbered", ()):
            self.iterables.require_numbered(self.visits.visit(one))
        self.assign(node.targets[0], self._assigned(node.targets[0], node.value))

    def _assigned(self, target: Any, value: Any) -> Any:
        """Return the value, or the conflict that it is made of when nobody may ever read it."""
        return self._made(value) if type(target) is gast.Name else self.visits.visit(value)

    def _made(self, node: Any) -> Any:
        """Return what an expression gives: a conflict, if it is a tuple or sum of one."""
        try:
            return self.visits.visit(node)
        except ConflictRead as conflict:
            alone = len(conflict.frames) == len(self.w.here())
            if not alone or not self._rest(node, conflict.what):
                raise
            return conflict.conflict

    def _rest(self, node: Any, what: str) -> bool | None:
        """Do what is left of an expression that was given up where it reads a name.

        Returns:
            Whether nothing is lost then; None if it does not read that name.
        """
        match node:
            case gast.Name():
                return True if what == f"`{node.id}`" else None
            case gast.Tuple():
                for place, part in enumerate(node.elts):
                    found = self._rest(part, what)
                    if found:
                        for later in node.elts[place + 1 :]:
                            self._made(later)
                    if found is not None:
                        return found
                return None
            case gast.BinOp(op=gast.Add()):
                found = self._rest(node.left, what)
                if found is None:
                    return self._rest(node.right, what)
                if found and type(node.right) in (gast.Name, gast.Constant):
                    self._made(node.right)
                    return True
                return False
        names = (one for one in gast.walk(node) if type(one) is gast.Name)
        return False if any(what == f"`{one.id}`" for one in names) else None

    def assign(self, target: Any, value: Any) -> None:
        """Store a value in a name, attribute or subscript; delete it where that is `UNSET`."""
        if isinstance(target, gast.Name):
            if value is UNSET:
                self.scopes.load(target.id)
            self.scopes.bind(target.id, value)
            return
        obj = self.visits.visit(target.value)
        if isinstance(target, gast.Attribute):
            self.attributes.set_attribute(obj, self.attributes.mangled(target.attr), value)
        elif value is UNSET:
            self.w.delete_item(obj, self.visits.visit(target.slice))
        else:
            self.w.set_item(obj, self.visits.visit(target.slice), value)

    def visit_AugAssign(self, node: Any) -> None:
        name = node.target.id
        current = self._assigned(
            node.target if isinstance(node.value, gast.Constant) else None,
            gast.copy_location(gast.Name(name, gast.Load(), None, None), node),
        )
        if isinstance(current, Conflict):
            self.scopes.bind(name, current)
            return
        operand = self.visits.visit(node.value)
        current = self.w.sequences.lent.instead(name, current, operand)
        symbol = type(node.op).__name__
        self.scopes.bind(
            name, self.operators.augmented(IN_PLACE[symbol], OPERATORS[symbol], current, operand)
        )

    def visit_Delete(self, node: Any) -> None:
        self.assign(node.targets[0], UNSET)

    def visit_If(self, node: Any) -> None:
        clauses, last = _chain(node)
        if len(clauses) > MAX_CHAIN:
            self._flat_chain(clauses, last)
            return
        test = self.visits.truth(node.test)
        self.branches.note_branch(node.test, test)
        if isinstance(test, Scalar) and node.orelse and isinstance(node.orelse[-1], gast.Raise):
            self.w.branch(
                self.w.not_(test),
                lambda: self.visits.block(node.orelse),
                lambda: self.visits.block(node.body),
            )
        else:
            self.w.branch(
                test, lambda: self.visits.block(node.body), lambda: self.visits.block(node.orelse)
            )

    def _flat_chain(self, clauses: list[Any], last: list[Any]) -> None:
        """Run a long `elif` chain one clause after the other: nesting is limited in ONNX."""
        taken: Any = False
        for clause in clauses:
            run = self._clause_runs(taken, clause)
            if run is False:
                continue
            self.w.branch(run, partial(self.visits.block, clause.body), lambda: None)
            taken = self.w.not_(self.w.both(self.w.not_(taken), self.w.not_(run)))
            if taken is True:
                return
        self.w.branch(taken, lambda: None, lambda: self.visits.block(last))

    def _clause_runs(self, taken: Any, clause: Any) -> Any:
        """Visit the test of a clause unless one before it was taken."""
        test = self.w.branch(taken, lambda: False, lambda: self.visits.truth(clause.test))
        test = self.w.truth(test)
        self.branches.note_branch(clause.test, test)
        return test

    def visit_Raise(self, node: Any) -> None:
        if node.exc is None:
            if not self.jumps.caught:
                if self.w.plan.moves_handlers:
                    self.w.refuse(
                        "a `raise` without an exception stands in a `finally`, or in a function "
                        "that a handler calls",
                        "let it raise one by name, or raise it in the handler",
                    )
                self.w.raise_static(RuntimeError("No active exception to reraise"))
            again = self.jumps.caught[-1]
            if again is EITHER_WAY:
                self.w.refuse(
                    "a `raise` without an exception stands in a `finally` or an `__exit__`",
                    "let it raise one by name: the one that is handled goes on after it anyway",
                )
            self.w.raise_static(again)
        linked = node.cause is not None or bool(self.jumps.caught)
        self.w.raising = None if linked and self.jumps.handlers else not self.jumps.handlers
        new = isinstance(node.exc, gast.Call)
        try:
            error = self.visits.visit(node.exc)
            if isinstance(error, type) and issubclass(error, BaseException):
                error, new = self.w.call(error, [], {}), True
        finally:
            self.w.raising = None
        cause = None if node.cause is None else self.visits.visit(node.cause)
        error = self._one_of(error)
        if type(error) is Choice and node.cause is None:
            self.w.choices.apply(error, self._raise)
        if new and issubclass(type(error), BaseException):
            error = self._linked(error, cause, node.cause is not None) if linked else error
        elif node.cause is not None:
            self.w.refuse(
                "`from` of an exception that is not made here is not compiled", "leave `from` out"
            )
        self._raise(error)

    def _raise(self, error: Any) -> None:
        """Raise an exception that the program made."""
        if error is UNDEF:  # a name of the canonicalizer's that is set on the way here
            return
        if type(error) is type and issubclass(error, BaseException):
            error = self.w.call(error, [], {})
        if not issubclass(type(error), BaseException):
            self.w.raise_static(TypeError("exceptions must derive from BaseException"))
        space = self.w.frames[-1].globals
        if not idioms.is_one_of_these(space) or "RAISES_AS_PYTHON" in space:
            self.jumps.made(error)
        self.w.raise_static(error)

    def _one_of(self, error: Any) -> Any:
        """Return what is raised; of several that nobody catches, one that tells of all."""
        for one in alternatives_of(error):
            self._show(one)
        if not isinstance(error, Choice) or self.jumps.handlers:
            return error
        first, kinds = error.alternatives[0], {type(one) for one in error.alternatives}
        if len(kinds) > 1 or not isinstance(first, BaseException):
            return error
        plain = type(first) in (ValueError, TypeError, RuntimeError)
        texts = dict.fromkeys(map(said, error.alternatives))
        return type(first)(" or ".join(texts)) if plain else first

    def _show(self, error: Any) -> None:
        """Let the message of a failing model say what is known of an exception's arguments."""
        held = self.w.given(error, ARGS) if issubclass(type(error), BaseException) else MISSING
        if type(held) is tuple:
            shown = tuple(Text.SHOWN if self.w.is_symbolic(one) else one for one in held)
            object.__setattr__(error, "args", shown)  # its class may be a frozen record

    def _linked(self, error: BaseException, cause: Any, told: bool) -> BaseException:
        """Return a new exception that knows what it follows from, which `from` may have told."""
        if isinstance(cause, type) and issubclass(cause, BaseException):
            cause = self.w.call(cause, [], {})
        causes = alternatives_of(cause)
        if not all(one is None or isinstance(one, BaseException) for one in causes):
            self.w.raise_static(TypeError("exception causes must derive from BaseException"))
        context = self.jumps.caught[-1] if self.jumps.caught else None
        if self.jumps.is_vague(context):
            context = VAGUE
        if not self.jumps.handlers:
            object.__setattr__(error, "__context__", None if type(context) is Conflict else context)
            object.__setattr__(error, "__cause__", cause)
            return error
        plain = type(error) in PLAIN and self.w.given(error, ARGS) is MISSING
        held = made(self.w, type(error), [*error.args], {}) if plain else error
        object.__setattr__(held, "args", error.args)
        for name, value in zip(LINKS, (cause, context, told), strict=True):
            self.w.store.set(held, name, value)
        return held

    def visit_Try(self, node: Any) -> None:
        """Run a `try`; its `finally` is a handler that raises what it is given again."""
        if not node.finalbody:
            self._try(node)
            return

        def failed(error: BaseException) -> None:
            with self.jumps.handling(EITHER_WAY):
                self.visits.block(node.finalbody)
            self.w.raise_static(error)

        def ended(_: Any) -> None:
            self.visits.block(node.finalbody)

        self.jumps.catching((BaseException,), lambda: self._try(node), failed, ended, final=True)

    def _try(self, node: Any) -> None:
        """Run a `try` without its `finally`."""
        kinds = [self._kinds(handler) for handler in node.handlers]

        def caught(error: BaseException) -> None:
            handler = next(
                handler
                for handler, these in zip(node.handlers, kinds, strict=True)
                if isinstance(error, these)
            )
            self._handle(handler, error)

        self.jumps.catching(
            tuple(kind for these in kinds for kind in these),
            lambda: self.visits.block(node.body),
            caught,
            lambda _: self.visits.block(node.orelse),
            final=hasattr(node, "managed") and self._only_leaves(node),
            blind=is_blind(kinds),
        )

    def _only_leaves(self, node: Any) -> bool:
        """Whether the handler of a `with` that is cut raises again whatever it is given."""
        held = (self.w.held(self.w.frames[-1], name) for name in node.managed)
        return not any(map(self.managers.may_swallow, held))

    def _kinds(self, handler: Any) -> tuple[type, ...]:
        """Return the classes that an `except` catches."""
        if handler.type is None:
            return (BaseException,)
        kind = self.w.narrow(self.visits.visit(handler.type))
        kinds = list(map(self.w.narrow, kind if type(kind) is tuple else (kind,)))
        if any(type(kind) is Choice for kind in kinds):
            self.w.refuse(
                "which exceptions this `except` catches is known only when the model runs",
                "write an `except` for each class, and decide in it",
            )
        if not all(issubclass(type(kind), type) for kind in kinds):
            self.w.refuse("this `except` names something that is no class of exceptions")
        return tuple(kinds)

    def _handle(self, handler: Any, caught: BaseException) -> None:
        error, name = self.jumps.told(caught), getattr(handler.name, "id", handler.name)
        with ExitStack() as stack:
            if name is not None:
                self.scopes.bind(name, error)
                stack.callback(self.scopes.bind, name, UNSET)
            with self.jumps.handling(caught if error is VAGUE else error):
                self.visits.block(handler.body)

    def visit_With(self, node: Any) -> None:
        item = node.items[0]
        manager = self.visits.visit(item.context_expr)

        def body(value: Any) -> None:
            if item.optional_vars is not None:
                self.scopes.bind(item.optional_vars.id, value)
            self.visits.block(node.body)

        self.managers.run_with(manager, body, getattr(node, "unended", None))

    def visit_Return(self, node: Any) -> None:
        self.w.returned[-1] = None if node.value is None else self.visits.visit(node.value)
        if len(self.w.frames) == 1:
            self.w.ended_at = self.w.place()

    def visit_FunctionDef(self, node: Any) -> None:
        function: Any = self.scopes.make_closure(node)
        for decorator in reversed([self.visits.visit(d) for d in node.decorator_list]):
            function = self.w.call(decorator, [function], {})
        self.scopes.bind(node.name, function)

    def visit_Import(self, node: Any) -> None:
        for alias in node.names:
            module = self._imported(alias.name)
            if alias.asname is None:
                module = importlib.import_module(alias.name.split(".")[0])
            self.scopes.bind(alias.asname or alias.name.split(".")[0], module)

    def visit_ImportFrom(self, node: Any) -> None:
        package = self.w.frames[-1].globals.get("__package__") or ""
        name = "." * (node.level or 0) + (node.module or "")
        module = self._imported(name, package)
        for alias in node.names:
            try:
                value = getattr(module, alias.name)
            except AttributeError:
                value = self._imported(f"{module.__name__}.{alias.name}")
            self.scopes.bind(alias.asname or alias.name, value)

    def _imported(self, name: str, package: str | None = None) -> Any:
        try:
            return importlib.import_module(name, package)
        except ImportError as error:
            self.w.raise_static(error)


def _chain(node: Any) -> tuple[list[Any], list[Any]]:
    """Return the clauses of an `if … elif …` and the statements of its `else`."""
    clauses = [node]
    while len(clauses[-1].orelse) == 1 and isinstance(clauses[-1].orelse[0], gast.If):
        clauses.append(clauses[-1].orelse[0])
    return clauses, clauses[-1].orelse
