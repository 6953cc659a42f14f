"""Ways to make a program smaller by what its functions and classes are called with.

As in `edits.py`, each takes a tree and yields steps that make another one.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from functools import partial

from elichika.reduction.trees import (
    FUNCTIONS,
    Path,
    Step,
    at,
    called_name,
    is_method,
    places,
    put,
)

__all__ = [
    "inlined_functions",
    "inlined_objects",
    "known_parameters",
    "promoted_classes",
    "renamed_classes",
    "without_parameter",
    "without_parameters",
]

CALLED = ("__call__", "forward")
"""What a call of an object runs."""


def without_parameters(tree: ast.Module) -> Iterator[Step]:
    """Drop parameters that the function does not read, with what calls of it pass for them."""
    for path, node in places(tree):
        if type(node) not in FUNCTIONS:
            continue
        read = {inner.id for inner in ast.walk(node) if type(inner) is ast.Name}
        for place, parameter in enumerate(node.args.args):
            if parameter.arg not in read and (place or not is_method(tree, path)):
                yield partial(_without_parameter, tree, path, place, is_method(tree, path))


def without_parameter(tree: ast.Module, name: str) -> Iterator[Step]:
    """Drop a parameter of this name from a function that does not read it."""
    for path, node in places(tree):
        if type(node) in FUNCTIONS:
            read = {inner.id for inner in ast.walk(node) if type(inner) is ast.Name}
            for place, one in enumerate(node.args.args):
                if one.arg == name not in read:
                    yield partial(_without_parameter, tree, path, place, is_method(tree, path))


def _without_parameter(tree: ast.Module, path: Path, place: int, method: bool) -> ast.Module:
    changed = copy.deepcopy(tree)
    function = at(changed, path)
    parameters = function.args
    gone = parameters.args.pop(place)
    first = len(parameters.args) + 1 - len(parameters.defaults)
    if place >= first:
        del parameters.defaults[place - first]
    name = function.name
    if name == "__init__":
        name = at(changed, path[:-1]).name
    for call in ast.walk(changed):
        if type(call) is ast.Call and called_name(call) == name:
            del call.args[place - method : place - method + 1]
            call.keywords = [one for one in call.keywords if one.arg != gone.arg]
    return ast.fix_missing_locations(changed)


def known_parameters(tree: ast.Module) -> Iterator[Step]:
    """Put the constant that the only call of a function has for a parameter in the place of it."""
    for path, node in places(tree):
        if type(node) not in FUNCTIONS:
            continue
        method = is_method(tree, path)
        name = at(tree, path[:-1]).name if node.name == "__init__" else node.name
        calls = [
            one for one in ast.walk(tree) if type(one) is ast.Call and called_name(one) == name
        ]
        for place, parameter in enumerate(node.args.args[method:], method):
            match calls:
                case [ast.Call(args=args)] if place - method < len(args):
                    value = args[place - method]
                    if type(value) is ast.Constant:
                        yield partial(_known, tree, path, {parameter.arg: value}, place, method)


def _is_call_of(node: ast.AST, name: str) -> bool:
    return type(node) is ast.Call and called_name(node) == name


def _known(
    tree: ast.Module, path: Path, given: dict[str, ast.expr], place: int, method: bool
) -> ast.Module:
    changed = copy.deepcopy(tree)
    function = at(changed, path)
    function.body = [_Put(given).visit(one) for one in function.body]
    return _without_parameter(changed, path, place, method)


def renamed_classes(tree: ast.Module) -> Iterator[Step]:
    """Give a class the name of the function that only makes an object of it."""
    classes = {node.name for node in tree.body if type(node) is ast.ClassDef}
    for index, node in enumerate(tree.body):
        match node:
            case ast.FunctionDef(
                name=name,
                args=ast.arguments(args=[]),
                body=[ast.Return(ast.Call(func=ast.Name(id=made), args=[], keywords=[]))],
            ) if made in classes:
                yield partial(_renamed, tree, index, made, name)


def _renamed(tree: ast.Module, index: int, old: str, new: str) -> ast.Module:
    changed = copy.deepcopy(tree)
    del changed.body[index]
    for node in ast.walk(changed):
        match node:
            case ast.ClassDef(name=name) if name == old:
                node.name = new
            case ast.Name(id=name) if name == old:
                node.id = new
    return changed


def inlined_objects(tree: ast.Module) -> Iterator[Step]:
    """Put what objects of a class give in the place of calls of them, and drop the class.

    Its `__call__` or `forward` has one `return`, and the objects are attributes.
    """
    for index, node in enumerate(tree.body):
        if type(node) is ast.ClassDef:
            for method in node.body:
                match method:
                    case ast.FunctionDef(name=name, body=[ast.Return(ast.expr() as value)]):
                        if name in CALLED:
                            names = [one.arg for one in method.args.args]
                            yield partial(_without_objects, tree, index, names, value)


def _without_objects(
    tree: ast.Module, index: int, names: Sequence[str], value: ast.expr
) -> ast.Module:
    owner = tree.body[index]
    assert type(owner) is ast.ClassDef
    made = {
        path: node.targets[0].attr
        for path, node in places(tree)
        if _sets_to_object(node, owner.name)
    }
    changed = tree
    for path, node in reversed(list(places(tree))):
        match node:
            case ast.Call(func=ast.Attribute(attr=attr)) if attr in made.values():
                given = dict(zip(names, [node.func, *node.args], strict=False))
                changed = put(changed, path, _Put(given).visit(copy.deepcopy(value)))
            case _ if path in made or path == (("body", index),):
                changed = put(changed, path)
    return changed


def _sets_to_object(node: ast.AST, name: str) -> bool:
    """Tell whether a statement sets an attribute to a new object of a class."""
    match node:
        case ast.Assign(targets=[ast.Attribute()], value=ast.Call(func=ast.Name(id=made))):
            return made == name
    return False


def promoted_classes(tree: ast.Module) -> Iterator[Step]:
    """Let a class that makes an object of another class be a function that gives this object."""
    classes = {node.name for node in tree.body if type(node) is ast.ClassDef}
    for index, node in enumerate(tree.body):
        if type(node) is ast.ClassDef:
            defaults = _defaults(node)
            for call in ast.walk(node):
                if type(call) is ast.Call and called_name(call) in classes - {node.name}:
                    made = _Put(defaults).visit(copy.deepcopy(call))
                    yield partial(put, tree, (("body", index),), _function(node.name, made))


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
    for path, node in places(tree):
        match node:
            case ast.FunctionDef(body=[ast.Return(ast.expr() as value) | ast.Expr(value)]):
                yield partial(_without_calls, tree, path, node, value)


def _without_calls(
    tree: ast.Module, path: Path, function: ast.FunctionDef, value: ast.expr
) -> ast.Module:
    """Return the tree itself where a call cannot be replaced."""
    names = [one.arg for one in function.args.args]
    changed = tree
    calls = [one for one in places(changed) if _is_call_of(one[1], function.name)]
    for place, call in reversed(calls):
        given: list[ast.expr] = list(call.args)
        if is_method(tree, path) and type(call.func) is ast.Attribute:
            given.insert(0, call.func.value)
        if len(given) != len(names) or call.keywords:
            return tree
        arguments = _Put(dict(zip(names, given, strict=True)))
        changed = put(changed, place, arguments.visit(copy.deepcopy(value)))
    return put(changed, path)


class _Put(ast.NodeTransformer):
    """Puts arguments in the place of parameters."""

    def __init__(self, given: dict[str, ast.expr]) -> None:
        self.given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copy.deepcopy(self.given.get(node.id, node))
