"""The structure of the product, measured: packages and their imports, circles, sizes.

`python -m tests.structure [ROOT]` prints it. `tests/test_structure.py` holds the limits.

Two files depend on one another by imports, and by what is said through an object that neither
imports: a method of the walker that a file calls as `w.m` stands in some other file. Both count
here, but for imports that only the type checker sees. What a file asks of a protocol is no edge;
how much there is to ask is counted instead.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

PRODUCT = ("elichika", "canonicalizer", "onnx_graph")
LONG_FILE, LONG_FUNCTION = 400, 40
#: What parts of the compiler may ask of the walk.
PROTOCOLS = (
    *("Walk", "WalkContext", "TensorContext", "AliasContext", "StateContext"),
    *("IteratorContext", "KindContext", "ContainerContext", "LoweringContext"),
)
#: A slot of an object that is named by a text: its items, or what the walk notes of it.
SLOT = re.compile(r"""["'](\[\w+\]|~\w+)["']""")

Edges = Mapping[str, set[str]]


class Structure:
    """The files of a checkout.

    Args:
        root: Its folder.
    """

    def __init__(self, root: Path) -> None:
        self.texts = {
            str(path.relative_to(root)): path.read_text(encoding="utf-8")
            for package in PRODUCT
            for path in sorted((root / package).rglob("*.py"))
        }
        self.trees = {name: ast.parse(text) for name, text in self.texts.items()}

    # -- counts -------------------------------------------------------------------------------

    @property
    def lines(self) -> int:
        """Lines of the product."""
        return sum(text.count("\n") for text in self.texts.values())

    @property
    def root_files(self) -> list[str]:
        """Files that lie in `elichika/` itself."""
        return [name for name in self.texts if re.fullmatch(r"elichika/\w+\.py", name)]

    @property
    def isinstances(self) -> int:
        """Calls of `isinstance`."""
        return sum(len(re.findall(r"\bisinstance\(", text)) for text in self.texts.values())

    @cached_property
    def predicates(self) -> set[str]:
        """Functions that only give what one `isinstance` says a name."""
        return {
            node.name
            for tree in self.trees.values()
            for node in tree.body
            if isinstance(node, ast.FunctionDef) and _only_asks(node)
        }

    @property
    def named_isinstances(self) -> int:
        """Calls of such functions, which are `isinstance` by another name."""
        return sum(
            isinstance(node, ast.Call) and _called(node) in self.predicates
            for tree in self.trees.values()
            for node in ast.walk(tree)
        )

    @property
    def untyped_walkers(self) -> int:
        """Parameters that hold the walker and are typed as anything."""
        return sum(len(re.findall(r"\bw: Any\b", text)) for text in self.texts.values())

    @property
    def slots(self) -> int:
        """Slots of objects that are named by texts."""
        return sum(len(SLOT.findall(text)) for text in self.texts.values())

    @property
    def long_files(self) -> dict[str, int]:
        """Files above `LONG_FILE` lines."""
        sizes = {name: text.count("\n") for name, text in self.texts.items()}
        return {name: size for name, size in sizes.items() if size > LONG_FILE}

    @property
    def long_functions(self) -> dict[str, int]:
        """Functions above `LONG_FUNCTION` lines, docstrings left out."""
        found = {}
        for name, tree in self.trees.items():
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef) and _length(node) > LONG_FUNCTION:
                    found[f"{name}:{node.name}"] = _length(node)
        return found

    @property
    def lines_by_package(self) -> Counter[str]:
        """Lines of each package."""
        found: Counter[str] = Counter()
        for name, text in self.texts.items():
            found[_package(name)] += text.count("\n")
        return found

    # -- who depends on whom ------------------------------------------------------------------

    @cached_property
    def imports(self) -> Edges:
        """The files that each file imports when it is loaded or run."""
        modules = {_module(name): name for name in self.texts}
        edges: dict[str, set[str]] = defaultdict(set)
        for name, tree in self.trees.items():
            for wanted in _imported(tree):
                target = modules.get(wanted) or modules.get(wanted.rpartition(".")[0])
                if target is not None and target != name:
                    edges[name].add(target)
        return edges

    @cached_property
    def hidden(self) -> Edges:
        """The files that each file uses through the walker without an import."""
        homes, held = self._homes(), self._held_by_walks()
        edges: dict[str, set[str]] = defaultdict(set)
        for name, tree in self.trees.items():
            targets = [homes.get(used) for used in _through_walkers(tree)]
            targets += [held.get(used) for used in _through_walks(tree)]
            edges[name] |= {target for target in targets if target not in (None, name)}
        return edges

    def _homes(self) -> dict[str, str]:
        """Return in which file each method of a part of the walker stands."""
        return {
            item.name: name
            for name, tree in self.trees.items()
            for part in _parts(tree)
            for item in part.body
            if isinstance(item, ast.FunctionDef) and not item.name.startswith("__")
        }

    def _held_by_walks(self) -> dict[str, str]:
        """Return the files of the classes that a protocol of the walk holds by a name."""
        classes = {
            node.name: name
            for name, tree in self.trees.items()
            for node in tree.body
            if isinstance(node, ast.ClassDef)
        }
        return {
            item.target.id: classes[_name(item.annotation)]
            for protocol in self._protocols()
            for item in protocol.body
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
            if _name(item.annotation) in classes
        }

    def _protocols(self) -> list[ast.ClassDef]:
        """Return what a part, a kind or a lowering may ask of the walk."""
        return [
            node
            for tree in self.trees.values()
            for node in tree.body
            if isinstance(node, ast.ClassDef) and node.name in PROTOCOLS
        ]

    @property
    def asked(self) -> set[str]:
        """What parts, kinds and lowerings may ask of the walk, by name."""
        items = [item for protocol in self._protocols() for item in protocol.body]
        asked = {item.name for item in items if isinstance(item, ast.FunctionDef)}
        held = [item.target for item in items if isinstance(item, ast.AnnAssign)]
        return asked | {target.id for target in held if isinstance(target, ast.Name)}

    @property
    def circles(self) -> list[set[str]]:
        """Files that depend on one another in circles, by imports or through the walker."""
        names = set(self.texts)
        return _circles(names, {n: self.imports[n] | self.hidden[n] for n in names})

    @property
    def packages(self) -> dict[str, set[str]]:
        """The packages that each package imports."""
        edges: dict[str, set[str]] = defaultdict(set)
        for name, targets in self.imports.items():
            edges[_package(name)] |= {_package(target) for target in targets}
        return {name: targets - {name} for name, targets in sorted(edges.items())}

    # -- shown --------------------------------------------------------------------------------

    def counts(self) -> dict[str, int]:
        """Return what has a limit."""
        circles = self.circles
        return {
            "files at the root of elichika/": len(self.root_files),
            "files in the largest circle": max(map(len, circles), default=0),
            "circles": len(circles),
            "names that are asked of the walk": len(self.asked),
            "isinstance calls, by other names too": self.isinstances + self.named_isinstances,
            "walkers typed as Any": self.untyped_walkers,
            "slots named by texts": self.slots,
            f"files above {LONG_FILE} lines": len(self.long_files),
            f"functions above {LONG_FUNCTION} lines": len(self.long_functions),
            "lines": self.lines,
        }

    def __str__(self) -> str:
        lines = [f"{number:7,}  {what}" for what, number in self.counts().items()]
        lines += ["", "lines and imports of packages"]
        sizes = self.lines_by_package
        for name, targets in self.packages.items():
            lines.append(f"{sizes[name]:7,}  {name} -> {', '.join(sorted(targets))}")
        for circle in sorted(self.circles, key=len, reverse=True):
            lines += ["", f"circle of {len(circle)}: {', '.join(sorted(circle))}"]
        for what, found in (("files", self.long_files), ("functions", self.long_functions)):
            lines += ["", f"long {what}"]
            lines += [f"{size:7,}  {name}" for name, size in sorted(found.items(), key=_size)]
        return "\n".join(lines)


def _size(item: tuple[str, int]) -> int:
    return -item[1]


def _length(node: ast.FunctionDef) -> int:
    body = (
        node.body[1:] if ast.get_docstring(node) is not None and len(node.body) > 1 else node.body
    )
    return (node.end_lineno or 0) - body[0].lineno + 1


def _module(name: str) -> str:
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _package(name: str) -> str:
    return name.rpartition("/")[0].replace("/", ".")


def _imported(tree: ast.AST) -> Iterator[str]:
    """Yield the modules that a file imports, but for what only the type checker sees."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        else:
            yield from _imported(node)


def _only_asks(node: ast.FunctionDef) -> bool:
    """Tell whether a function is a docstring and `return isinstance(...)`."""
    last = node.body[-1]
    short = len(node.body) == 1 + (ast.get_docstring(node) is not None)
    return (
        short
        and isinstance(last, ast.Return)
        and isinstance(last.value, ast.Call)
        and _called(last.value) == "isinstance"
    )


def _called(node: ast.Call) -> str:
    """Return the last name of what is called."""
    return getattr(node.func, "id", None) or getattr(node.func, "attr", "")


def _parts(tree: ast.Module) -> list[ast.ClassDef]:
    """Return the classes of a file that are parts of the walker: the walk is given to them."""
    return [node for node in tree.body if isinstance(node, ast.ClassDef) and _is_part(node)]


def _is_part(node: ast.ClassDef) -> bool:
    return any(
        isinstance(item, ast.FunctionDef)
        and item.name == "__init__"
        and any(_is_walk(argument) for argument in item.args.args)
        for item in node.body
    )


def _is_walk(argument: ast.arg) -> bool:
    return argument.annotation is not None and ast.unparse(argument.annotation) == "Walk"


def _through_walkers(tree: ast.Module) -> Iterator[str]:
    """Yield what a file asks of the walker itself: of a protocol it asks only what that has."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and _takes_walker(function):
            for node in ast.walk(function):
                if isinstance(node, ast.Attribute) and _is(node.value, "w"):
                    yield node.attr
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _is_held(node.value, ("walker", "_walker")):
            yield node.attr


def _through_walks(tree: ast.Module) -> Iterator[str]:
    """Yield what a file of parts asks of the walk."""
    if not any(isinstance(node, ast.arg) and _is_walk(node) for node in ast.walk(tree)):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and (
            _is(node.value, "w") or _is_held(node.value, ("w", "_w", "_walk"))
        ):
            yield node.attr


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_held(node: ast.expr, names: tuple[str, ...]) -> bool:
    """Tell whether an expression is an attribute of `self` by one of these names."""
    return isinstance(node, ast.Attribute) and node.attr in names and _is(node.value, "self")


def _takes_walker(function: ast.FunctionDef) -> bool:
    """Tell whether a function is given the walker, and not what a protocol leaves of it."""
    return any(
        argument.arg == "w"
        and argument.annotation is not None
        and ast.unparse(argument.annotation) in ("Walker", "Any")
        for argument in (*function.args.posonlyargs, *function.args.args)
    )


def _circles(names: Iterable[str], edges: Edges) -> list[set[str]]:
    """Return the strongly connected components with more than one node (Tarjan)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[set[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for target in edges.get(name, ()):
            if target not in index:
                visit(target)
                low[name] = min(low[name], low[target])
            elif target in stack:
                low[name] = min(low[name], index[target])
        if low[name] == index[name]:
            component = set()
            while name not in component:
                component.add(stack.pop())
            if len(component) > 1:
                found.append(component)

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 5000))
    try:
        for name in sorted(names):
            if name not in index:
                visit(name)
    finally:
        sys.setrecursionlimit(limit)
    return found


if __name__ == "__main__":
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent
    sys.stdout.write(f"{Structure(root)}\n")
