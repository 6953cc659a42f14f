"""Ways to make a program smaller, one idiom a function.

Each takes a tree and yields steps, largest first; a step makes another tree and leaves the given
one as it is. Whether the result still means anything is for the caller to find out, by running it.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

__all__ = ["COARSE", "FINE", "Edit", "Step", "size", "without_parameter"]

Path = tuple[tuple[str, int | None], ...]
Step = Callable[[], ast.Module]
Edit = Callable[[ast.Module], Iterator[Step]]
BLOCKS = (ast.If, ast.For, ast.While, ast.With, ast.Try)
BODIES = ("body", "orelse", "finalbody")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LISTS = ("decorator_list", "args", "keywords", "elts", "generators", "bases", "values")
"""Fields whose items may be absent, one by one."""


def size(tree: ast.AST) -> int:
    """Return how many nodes a tree has."""
    return sum(1 for _ in ast.walk(tree))


def _places(node: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield each node with the way to it, outer ones first."""
    yield path, node
    for name, value in ast.iter_fields(node):
        for index, item in enumerate(value) if type(value) is list else [(None, value)]:
            if hasattr(item, "_fields"):
                yield from _places(item, (*path, (name, index)))


def _at(tree: Any, path: Path) -> Any:
    for name, index in path:
        tree = getattr(tree, name)
        tree = tree if index is None else tree[index]
    return tree


def _with(tree: ast.Module, path: Path, *made: Any) -> ast.Module:
    """Return a tree with other nodes in the place of one: several, or none, of a list."""
    changed = copy.deepcopy(tree)
    *way, (name, index) = path
    owner = _at(changed, tuple(way))
    if index is None:
        setattr(owner, name, made[0] if made else None)
    else:
        getattr(owner, name)[index : index + 1] = copy.deepcopy(list(made))
    for _, node in _places(changed):
        if "body" in node._fields and getattr(node, "body", None) == []:
            node.body = [] if type(node) is ast.Module else [ast.Pass()]
    return ast.fix_missing_locations(changed)


def without_statements(tree: ast.Module) -> Iterator[Step]:
    """Drop runs of statements: all of a body but its half, its quarters, each one."""
    for path, node in _places(tree):
        for field in BODIES:
            body = getattr(node, field, None)
            if type(body) is not list or not body or _is_empty(body):
                continue
            length = len(body)
            while length:
                for start in range(0, len(body), length):
                    yield partial(_cut, tree, path, field, start, start + length)
                length //= 2


def _is_empty(body: list[ast.stmt]) -> bool:
    return len(body) == 1 and type(body[0]) is ast.Pass


def _cut(tree: ast.Module, path: Path, field: str, start: int, stop: int) -> ast.Module:
    changed = copy.deepcopy(tree)
    owner = _at(changed, path)
    body = getattr(owner, field)
    del body[start:stop]
    if not body and field == "body" and type(owner) is not ast.Module:
        body.append(ast.Pass())
    if not body and field == "finalbody" and not owner.handlers:
        body.append(ast.Pass())
    return ast.fix_missing_locations(changed)


def without_blocks(tree: ast.Module) -> Iterator[Step]:
    """Put the statements of a block in the place of the `if`, `for`, `while`, `with` or `try`."""
    for path, node in _places(tree):
        if type(node) not in BLOCKS:
            continue
        for field in BODIES:
            if body := getattr(node, field, None):
                yield partial(_with, tree, path, *body)
        for handler in getattr(node, "handlers", ()):
            yield partial(_with, tree, path, *handler.body)


def without_parts(tree: ast.Module) -> Iterator[Step]:
    """Drop what may be absent: decorators, annotations, defaults, arguments, elements, bases."""
    for path, node in _places(tree):
        name, index = path[-1] if path else ("", None)
        if index is not None and name in LISTS:
            owner = _at(tree, path[:-1])
            if type(owner) not in (ast.arguments, ast.Dict) and not _is_last(owner, name):
                yield partial(_with, tree, path)
        elif name == "returns" or (name == "annotation" and "arg" in _at(tree, path[:-1])._fields):
            yield partial(_with, tree, path)
        elif type(node) is ast.Dict:
            yield from _shorter_dicts(tree, path, node)
        elif type(node) is ast.withitem and node.optional_vars is not None:
            yield partial(_with, tree, (*path, ("optional_vars", None)))
        elif type(node) is ast.alias and len(_at(tree, path[:-1]).names) > 1:
            yield partial(_with, tree, path)


def _is_last(owner: Any, name: str) -> bool:
    return name in ("generators", "values") and len(getattr(owner, name)) == 1


def _shorter_dicts(tree: ast.Module, path: Path, node: ast.Dict) -> Iterator[Step]:
    for index in range(len(node.keys)):
        keys, values = list(node.keys), list(node.values)
        del keys[index], values[index]
        yield partial(_with, tree, path, ast.Dict(keys, values))


def without_parameters(tree: ast.Module) -> Iterator[Step]:
    """Drop parameters that the function does not read, with what calls of it pass for them."""
    for path, node in _places(tree):
        if type(node) not in FUNCTIONS:
            continue
        read = {inner.id for inner in ast.walk(node) if type(inner) is ast.Name}
        for place, parameter in enumerate(node.args.args):
            if parameter.arg not in read and (place or not _is_method(tree, path)):
                yield partial(_without_parameter, tree, path, place, _is_method(tree, path))


def without_parameter(tree: ast.Module, name: str) -> Iterator[Step]:
    """Drop a parameter of this name from a function that does not read it."""
    for path, node in _places(tree):
        if type(node) in FUNCTIONS:
            read = {inner.id for inner in ast.walk(node) if type(inner) is ast.Name}
            for place, one in enumerate(node.args.args):
                if one.arg == name not in read:
                    yield partial(_without_parameter, tree, path, place, _is_method(tree, path))


def _is_method(tree: ast.Module, path: Path) -> bool:
    return type(_at(tree, path[:-1])) is ast.ClassDef


def _without_parameter(tree: ast.Module, path: Path, place: int, method: bool) -> ast.Module:
    changed = copy.deepcopy(tree)
    function = _at(changed, path)
    parameters = function.args
    gone = parameters.args.pop(place)
    first = len(parameters.args) + 1 - len(parameters.defaults)
    if place >= first:
        del parameters.defaults[place - first]
    name = function.name
    if name == "__init__":
        name = _at(changed, path[:-1]).name
    for call in ast.walk(changed):
        if type(call) is ast.Call and _called(call) == name:
            del call.args[place - method : place - method + 1]
            call.keywords = [one for one in call.keywords if one.arg != gone.arg]
    return ast.fix_missing_locations(changed)


def _called(call: ast.Call) -> str | None:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return None


def smaller_expressions(tree: ast.Module) -> Iterator[Step]:
    """Put a part of an expression, or a parameter of the function, in the place of the whole."""
    for path, node in _places(tree):
        parts = list(_parts(node)) if _is_value(node) else []
        if not parts:
            continue
        for name in _parameters(tree, path):
            yield partial(_with, tree, path, ast.Name(name, ast.Load()))
        for part in parts:
            yield partial(_with, tree, path, part)


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the operands of an expression; of a call of a method its object, no function."""
    for part in ast.iter_child_nodes(node):
        match node, part:
            case ast.Call(func=ast.Attribute(value=value) as called), _ if part is called:
                yield value
            case ast.Call(func=called), _ if part is called:
                pass
            case _, ast.keyword(value=value) | ast.Starred(value=value):
                yield value
            case _, ast.expr() if _is_value(part):
                yield part


def _is_value(node: ast.AST) -> bool:
    match node:
        case ast.expr():
            return type(getattr(node, "ctx", None)) in (type(None), ast.Load)
    return False


def _parameters(tree: ast.Module, path: Path) -> list[str]:
    """Return the parameters of the function around a place, without that of the object."""
    found: list[str] = []
    for end in range(len(path)):
        node = _at(tree, path[: end + 1])
        if type(node) in FUNCTIONS and path[end + 1 : end + 2] != (("args", None),):
            found = [one.arg for one in node.args.args if one.arg != "self"]
    return found


def inlined_names(tree: ast.Module) -> Iterator[Step]:
    """Put what a name is set to in the place of its next use, and drop the name."""
    for path, node in _places(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                pass
            case _:
                continue
        field, index = path[-1]
        assert index is not None
        after = getattr(_at(tree, path[:-1]), field)[index + 1 :]
        for number, statement in enumerate(after, index + 1):
            use = _first_use(statement, name)
            if use is not None:
                yield partial(_inlined, tree, path, (*path[:-1], (field, number), *use), value)
                break


def _first_use(statement: ast.stmt, name: str) -> Path | None:
    for place, one in _places(statement):
        if type(one) is ast.Name and one.id == name and type(one.ctx) is ast.Load:
            return place
    return None


def _inlined(tree: ast.Module, path: Path, use: Path, value: ast.expr) -> ast.Module:
    return _with(_with(tree, use, value), path)


def plain_variables(tree: ast.Module) -> Iterator[Step]:
    """Let a name be a Variable of a parameter, in the place of what computes it."""
    for path, node in _places(tree):
        if type(node) not in (ast.Assign, ast.For, ast.While, ast.With):
            continue
        stored = [one.id for one in ast.walk(node) if type(one) is ast.Name and not _is_value(one)]
        for name in dict.fromkeys(stored):
            for parameter in _parameters(tree, path):
                made = ast.parse(f"{name} = chainer.Variable({parameter})").body
                yield partial(_with, tree, path, *made)


def without_methods(tree: ast.Module) -> Iterator[Step]:
    """Let a name be what a method of it was given: `xs = x` for `xs.append(x)`."""
    for path, node in _places(tree):
        match node:
            case ast.Expr(ast.Call(func=ast.Attribute(value=ast.Name(id=name)), args=[value])):
                yield partial(_with, tree, path, ast.Assign([ast.Name(name, ast.Store())], value))


def promoted_classes(tree: ast.Module) -> Iterator[Step]:
    """Let a class that makes an object of another class be a function that gives this object."""
    classes = {node.name for node in tree.body if type(node) is ast.ClassDef}
    for index, node in enumerate(tree.body):
        if type(node) is ast.ClassDef:
            defaults = _defaults(node)
            for call in ast.walk(node):
                if type(call) is ast.Call and _called(call) in classes - {node.name}:
                    made = _Put(defaults).visit(copy.deepcopy(call))
                    yield partial(_with, tree, (("body", index),), _function(node.name, made))


def _function(name: str, value: ast.expr) -> ast.stmt:
    (made,) = ast.parse(f"def {name}():\n    return 0").body
    assert type(made) is ast.FunctionDef
    made.body = [ast.Return(value)]
    return made


def _defaults(node: ast.ClassDef) -> dict[str, ast.expr]:
    """Return what the parameters of a constructor are if nothing is given."""
    for method in node.body:
        if type(method) is ast.FunctionDef and method.name == "__init__":
            named = method.args.args[len(method.args.args) - len(method.args.defaults) :]
            return {one.arg: value for one, value in zip(named, method.args.defaults, strict=True)}
    return {}


def inlined_functions(tree: ast.Module) -> Iterator[Step]:
    """Put what a function of one `return` gives in the place of its calls, and drop it."""
    for path, node in _places(tree):
        match node:
            case ast.FunctionDef(body=[ast.Return(ast.expr() as value) | ast.Expr(value)]):
                yield partial(_without_calls, tree, path, node, value)


def _without_calls(
    tree: ast.Module, path: Path, function: ast.FunctionDef, value: ast.expr
) -> ast.Module:
    """Return the tree itself where a call cannot be replaced."""
    names = [one.arg for one in function.args.args]
    changed = tree
    calls = [
        (place, call)
        for place, call in _places(changed)
        if type(call) is ast.Call and _called(call) == function.name
    ]
    for place, call in reversed(calls):
        given: list[ast.expr] = list(call.args)
        if _is_method(tree, path) and type(call.func) is ast.Attribute:
            given.insert(0, call.func.value)
        if len(given) != len(names) or call.keywords:
            return tree
        put = _Put(dict(zip(names, given, strict=True)))
        changed = _with(changed, place, put.visit(copy.deepcopy(value)))
    return _with(changed, path)


class _Put(ast.NodeTransformer):
    """Puts arguments in the place of parameters."""

    def __init__(self, given: dict[str, ast.expr]) -> None:
        self.given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copy.deepcopy(self.given.get(node.id, node))


COARSE: tuple[Edit, ...] = (
    promoted_classes,
    without_statements,
    without_blocks,
    inlined_functions,
    without_parameters,
)
FINE: tuple[Edit, ...] = (
    smaller_expressions,
    without_parts,
    without_methods,
    plain_variables,
    inlined_names,
)
"""What is tried where the others have no more to take away."""
