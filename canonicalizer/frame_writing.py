"""The statements of a loop over frames: what puts a frame on the stacks, and what takes it off."""

from __future__ import annotations

from typing import Any

from .copies import copied
from .ends import Block
from .group import Member
from .liveness import Flow, settle
from .names import Names
from .raising import Calls
from .remade import Inner
from .scopes import parameters_of
from .template import expression, template

__all__ = ["Group", "Writer"]

Tree = Any
#: How many blocks are asked for one after the other; of more, each test leaves half.
FEW = 4


class Group:
    """What becomes one loop: the functions, cut into blocks, and the names that these need.

    Attributes:
        order: The blocks, the first one of the entry first.
        flow: Which names go from block to block.
        single: The block after the only call that needs a frame, None where there are several.
        results: The list that a result waits in; none where a name holds it.
        owned: The names that hold arrays which nothing else holds.
        closed: What says that no more is wanted of generators; nothing where there are none.
        nested: What counts how deep a call is where some calls are the last thing that is done, and
            take no frame; nothing where the frames tell.
    """

    def __init__(
        self,
        entry: Member,
        members: list[Member],
        trees: dict[Member, Tree],
        same: list[str],
        pools: list[str],
        names: Names,
        limit: int,
        boxed: bool,
        owned: set[str],
        closed: str = "",
        *,
        marks: bool = False,
    ) -> None:
        self.owned, self.closed = owned, closed
        self.entry, self.limit, self.members = entry, limit, members
        self.called = {new: old for tree in trees.values() for new, old in tree.written.items()}
        self.result = names.fresh("result")
        self.results = names.fresh("results") if boxed else ""
        self.pc, self.depth = names.fresh("block"), names.fresh("depth")
        self.calls = blocks = Calls(members, trees, names, self.result, pools)
        shared = frozenset([*same, *pools, *filter(None, [blocks.pending, closed])])
        inner = Inner(list(trees.values()), shared, names, self.result)
        self.order = blocks.build(entry)
        self.enters = list(blocks.enters(self.order))
        self.pools = pools
        self.flow: Flow = settle(self.order, blocks, shared, inner, marks=marks)
        returns_to = {enter.resume for enter in self.enters if enter.resume is not None}
        self.single = next(iter(returns_to)) if len(returns_to) == 1 else None
        self.returns = names.fresh("returns")
        last = any(enter.resume is None for enter in self.enters)
        self.nested = names.fresh("nested") if last else ""
        saved = [*self.flow.saved, *([self.nested] if last and returns_to else [])]
        self.stacks = {name: names.fresh(f"{name}_stack") for name in saved}
        self.parameters = parameters_of(trees[entry].args)

    def described(self) -> str:
        """Say which functions these are and what a frame holds, for the report."""
        names = [member.tree.name for member in self.members]
        calls = "calls itself" if len(names) == 1 else "call each other"
        found = [self.called[name] for name in self.flow.saved if name in self.called]
        held = [f"`{name}`" for name in dict.fromkeys(found)]
        if between := len(self.flow.saved) - len(found):
            held.append("a value in between" if between == 1 else f"{between} values in between")
        if self.single is None:
            held.append("where to go on")
        return f"{_listed([f'`{n}`' for n in names])} {calls}; a frame holds {_listed(held)}"


class Writer:
    """Writes the statements of a group's blocks; how they follow one another is left open.

    Attributes:
        numbers: The number of each block.
        deep: The first call.
    """

    def __init__(self, group: Group) -> None:
        self.group, self.at = group, group.entry.tree
        self.numbers = {block: number for number, block in enumerate(group.order, 1)}
        self.deep: Any = next((enter.at for enter in group.enters), None)

    def body(self) -> list[Any]:
        """Return the statements of the function."""
        silent = self.group.closed or self.group.entry in self.group.calls.silent
        code = "return None" if silent else "return result"
        end = template(code, at=self.at, result=self.group.result)
        again = self.group.calls.raised_again(self.at)
        return [*self.start(), *self.loop(), *again, *self.unboxed(self.at), *end]

    def loop(self) -> list[Any]:
        """Return what runs the blocks until the first call returns."""
        raise NotImplementedError

    def start(self) -> list[Any]:
        """Return what makes the names and stacks that the loop needs."""
        group, made = self.group, list[Any]()
        names = (group.result, *group.flow.carried, *filter(None, [group.calls.pending]))
        for name in dict.fromkeys(names):
            if name not in (*group.parameters, *group.pools):
                made += template("name = None", at=self.at, name=name)
                made[-1].value.undef = name != group.calls.pending
        if group.closed:
            made += template("closed = False", at=self.at, closed=group.closed)
        for name in (*group.pools, *group.stacks.values(), *filter(None, [group.results])):
            made += template("stack = []", at=self.at, stack=name)
        if group.nested:
            made += template("nested = 0", at=self.at, nested=group.nested)
        if self.counted:
            return made + template("depth = 0", at=self.at, depth=group.depth)
        return made + template("returns = [0]", at=self.at, returns=group.returns)

    @property
    def counted(self) -> bool:
        """Whether a counter says what waits: frames of one kind."""
        return self.group.single is not None

    def turns(self, code: str, turn: list[Any], **holes: Any) -> list[Any]:
        """Return a loop whose turns run under a test."""
        test = self.test(code, **holes)
        made = template("while test:\n    turn", at=self.at, test=test, turn=turn)
        made[0].recursion = self.group.described()
        return made

    def test(self, code: str, **holes: Any) -> Any:
        """Return an expression of the number of the next block and of how deep calls are."""
        names = {"block": self.pc, "depth": self.group.depth, "returns": self.group.returns}
        names |= {"closed": self.group.closed, "nested": self.group.nested}
        used = {name: new for name, new in names.items() if name in code}
        return expression(code, at=self.at, **used, **holes)

    @property
    def pc(self) -> str:
        """The name that holds the number of the next block."""
        return self.group.pc

    @property
    def fits(self) -> str:
        """The test for calls that do not nest too deeply."""
        limit = self.group.limit
        if self.group.nested:
            return f"nested < {limit}"
        return f"depth < {limit}" if self.counted else f"len(returns) <= {limit}"

    @property
    def too_deep(self) -> str:
        """The test for calls that do."""
        return self.fits.replace("<=", ">").replace("<", ">=")

    def failing(self, test: str) -> list[Any]:
        """Return what fails where calls nest too deeply."""
        why = f"'maximum recursion depth exceeded in {self.group.entry.tree.name}'"
        code = "if test:\n    fail"
        fail = template(f"raise RecursionError({why})", at=self.deep)
        return template(code, at=self.deep, test=self.test(test), fail=fail)

    def dispatched(self, blocks: list[Block]) -> list[Any]:
        """Return what runs the one of some blocks, in the order of their numbers, that is next."""
        if len(blocks) == 1:
            return self.written(blocks[0])
        middle = 1 if len(blocks) <= FEW else len(blocks) // 2
        last = self.numbers[blocks[middle - 1]]
        return template(
            f"if block {'==' if middle == 1 else '<='} {last}:\n    here\nelse:\n    others",
            at=self.at,
            block=self.pc,
            here=self.dispatched(blocks[:middle]),
            others=self.dispatched(blocks[middle:]),
        )

    def written(self, block: Block) -> list[Any]:
        """Return a block: what a frame gives back, and its statements."""
        calls = self.group.calls
        start: list[Any] = []
        if block.result:
            nothing = self.unset(self.group.result, block.at)
            start = calls.starts(block, self.unboxed(block.at), nothing)
        for name in self.kept(block):
            stack = self.group.stacks[name]
            popped = expression("stack.pop()", at=block.at, stack=stack)
            popped.surely = True
            start += template("x = value", at=block.at, x=name, value=self.own(name, popped))
        start += [copied(one) for one in self.group.flow.defined(block)]
        body = self.statements([copied(one) for one in block.body], block)
        body = calls.in_guards(block, body, self.numbers, self.pc, calls.pending)
        return start + body or template("pass", at=block.at)

    def kept(self, block: Block) -> list[str]:
        """Return the names that a frame keeps for a block."""
        nested = [self.group.nested] if self.group.nested and block.result else []
        return self.group.flow.kept(block) + nested

    def own(self, name: str, value: Any) -> Any:
        """Return a copy of what only this name holds."""
        return expression("x.copy()", at=value, x=value) if name in self.group.owned else value

    def unboxed(self, at: Any) -> list[Any]:
        """Return what takes a result out of the list that it waits in."""
        if not self.group.results:
            return []
        names = {"result": self.group.result, "results": self.group.results}
        made = template("result = results.pop()", at=at, **names)
        made[0].value.surely = True
        return made

    def statements(self, body: list[Any], here: Block) -> list[Any]:
        """Return statements of a block with its calls, jumps and returns written out."""
        found: list[Any] = []
        for node in body:
            visit = getattr(self, f"visit_{type(node).__name__}", None)
            found += [node] if visit is None else visit(node, here)
            if self.group.results:
                found += self.forgotten(node, here)
        return found

    def forgotten(self, end: Any, here: Block) -> list[Any]:
        """Return what forgets, at the end of a block, what nobody reads any more."""
        return [one for name in self.group.flow.dead(end, here) for one in self.unset(name, end.at)]

    def unset(self, name: str, at: Any) -> list[Any]:
        """Return what lets a name hold nothing."""
        made = template("x = None", at=at, x=name)
        made[-1].value.undef = True
        return made

    def visit_If(self, node: Any, here: Block) -> list[Any]:
        """Write an `if`, whose arms may end the block."""
        node.body = self.statements(node.body, here) or template("pass", at=node)
        node.orelse = self.statements(node.orelse, here)
        return [node]

    def visit_Goto(self, node: Any, here: Block) -> list[Any]:
        """Write a jump to another block."""
        return self.jump(node.block, here, node.at)

    def jump(self, block: Block, here: Block, at: Any) -> list[Any]:
        """Let another block be the next one."""
        if block is here:
            return []
        return template(f"block = {self.numbers[block]}", at=at, block=self.pc)

    def visit_Throw(self, node: Any, here: Block) -> list[Any]:
        """Write what hands an exception on."""
        back = self.left(here, node.at)
        return self.group.calls.thrown(node, here, back, self.numbers, self.pc)

    def visit_Leave(self, node: Any, here: Block) -> list[Any]:
        """Write a return: the result, and the block that waits for it."""
        value, at = node.value, node.at
        made: list[Any] = []
        if self.group.results:
            code, results = "results.append(value)", self.group.results
            made = template(code, at=at, results=results, value=copied(value))
            made[0].comment = getattr(node.shown, "origin", node.shown)
        elif getattr(value, "id", None) != self.group.result:
            made = template("result = value", at=at, result=self.group.result, value=copied(value))
            made[0].comment = getattr(node.shown, "origin", node.shown)
        return made + self.left(here, at)

    def left(self, here: Block, at: Any) -> list[Any]:
        """Return what finds the block that goes on after a return."""
        pop = "block = returns.pop()"
        made = template(pop, at=at, block=self.pc, returns=self.group.returns)
        made[0].value.surely = True
        return made

    def visit_Enter(self, node: Any, here: Block) -> list[Any]:
        """Write a call: a frame, the arguments, and the first block of what is called."""
        made = [] if node.resume is None else self.pushed(node)
        made += self.passed(node, made)
        if self.group.nested:
            made += template("nested += 1", at=node.at, nested=self.group.nested)
        return made + self.entered(node, here)

    def entered(self, node: Any, here: Block) -> list[Any]:
        """Return what lets the first block of what is called be the next one."""
        return self.jump(node.first, here, node.at)

    def pushed(self, node: Any) -> list[Any]:
        """Return what puts a frame on the stacks."""
        group, at, made = self.group, node.at, list[Any]()
        for name in self.kept(node.resume):
            x = self.own(name, expression("x", at=at, x=name))
            made += template("stack.append(x)", at=at, stack=group.stacks[name], x=x)
        if not self.counted:
            push = f"returns.append({self.numbers[node.resume]})"
            made += template(push, at=at, returns=group.returns)
        else:
            made += template("depth += 1", at=at, depth=group.depth)
        made[0].comment = getattr(at, "origin", "")
        return made

    def passed(self, node: Any, before: list[Any]) -> list[Any]:
        """Return the assignments of arguments to parameters, as if all were made at once."""
        made = []
        for name, value in node.arguments:
            if getattr(value, "id", None) != name:
                made += template("x = value", at=node.at, x=name, value=copied(value))
        if made and not before:
            made[0].comment = getattr(node.at, "origin", "")
        return made


def _listed(words: list[str]) -> str:
    *first, last = words or ["nothing"]
    return f"{', '.join(first)} and {last}" if first else last
