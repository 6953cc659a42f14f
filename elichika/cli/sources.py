"""SOURCE on the command line: `package.module:factory` or `file.py:factory(100, n=3)`."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import chainer

from elichika.errors import InputError, SourceFrame, meant
from elichika.values.words import a_value

__all__ = ["file_of", "load_object", "make_chain"]

MOST_NAMED = 5
"""Functions and classes of a file that a hint names."""


def load_object(source: str) -> Any:
    """Return the object that a SOURCE names.

    The working directory and the file's own folder are searched for what it imports.

    Raises:
        InputError: There is no such file, module or name, or importing it fails.
    """
    where, colon, name = source.rpartition(":")
    if not colon or not where or not name:
        raise InputError(
            f"SOURCE is file.py:name or package.module:name, not {source!r}.",
            hint=_factories(Path(source)),
        )
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    module = _from_file(Path(where)) if where.endswith(".py") else _from_name(where)
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise InputError(f"{where} has no {name}.", hint=meant(part, _public(found)))
        found = getattr(found, part)
    return found


def _factories(path: Path) -> str | None:
    """Return a hint that names the classes and functions at the top of a file."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None
    made = (ast.ClassDef, ast.FunctionDef)
    names = [str(vars(node)["name"]) for node in tree.body if type(node) in made]
    shown = ", ".join(f"{path}:{name}" for name in names[:MOST_NAMED])
    return f"name what makes the chain: {shown}" if shown else None


def _public(space: Any) -> list[str]:
    """Return the names that a SOURCE may mean."""
    return [name for name, value in vars(space).items() if name[0] != "_" and callable(value)]


def _from_file(path: Path) -> Any:
    if not path.is_file():
        beside = path.parent.glob("*.py") if path.parent.is_dir() else ()
        raise InputError(
            f"There is no file {path}.", hint=meant(path.name, [file.name for file in beside])
        )
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)
    name = f"elichika_source_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickle look their module up by name
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # whatever the user's module raises
        raise _failed(f"Importing {path}", error) from error
    return module


def _from_name(name: str) -> Any:
    if not all(part.isidentifier() for part in name.split(".")):
        raise InputError(f"There is no module {name}.")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
            raise InputError(f"There is no module {name}.") from None
        raise _failed(f"Importing {name}", error) from error
    except (Exception, SystemExit) as error:  # whatever the user's module raises
        raise _failed(f"Importing {name}", error) from error


def make_chain(source: str) -> tuple[chainer.Link, Any]:
    """Call the factory of a SOURCE.

    Returns:
        The chain, and the example inputs if the factory returns a pair.

    Raises:
        InputError: The factory is missing, fails, or makes no chain.
    """
    name, call = _split_call(source)
    factory = load_object(name)
    made = factory
    if call is not None or not isinstance(factory, chainer.Link):
        if not callable(factory):
            raise InputError(
                f"{name} is {a_value(factory)}, not a class or function that makes a chain."
            )
        args, options = _arguments(source, call)
        _check_parameters(name, factory, args, options)
        try:
            made = factory(*args, **options)
        except (Exception, SystemExit) as error:  # whatever the user's factory raises
            raise _failed(source, error) from error
    inputs = None
    if isinstance(made, tuple) and len(made) == 2:
        made, inputs = made
    if not isinstance(made, chainer.Link):
        raise InputError(f"{source} makes {type(made).__name__}, not a chainer.Link.")
    return made, inputs


def file_of(source: str) -> tuple[Path, str]:
    """Return the file of a SOURCE, and what stands after it.

    Raises:
        InputError: There is no such file.
    """
    name, call = _split_call(source)
    where, colon, inner = name.rpartition(":")
    if not colon or not where or not inner:
        raise InputError(
            f"SOURCE is file.py:name or package.module:name, not {source!r}.",
            hint=_factories(Path(source)),
        )
    path = Path(where if where.endswith(".py") else str(_from_name(where).__file__))
    if not path.is_file():
        raise InputError(f"There is no file {path}.")
    return path, inner + (call or "f")[1:]


def _split_call(source: str) -> tuple[str, str | None]:
    """Return a SOURCE without its arguments, and these: `f(100, n=3)`; None without any."""
    if not source.endswith(")"):
        if "(" in source.rpartition(":")[2]:
            raise InputError(
                f"SOURCE is not closed: {source!r}.", hint="its arguments end with a bracket"
            )
        return source, None
    name, _, rest = source.partition("(")
    return name, f"f({rest}"


def _arguments(source: str, call: str | None) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments in a SOURCE.

    Raises:
        InputError: One is no literal of Python.
    """
    if call is None:
        return [], {}
    try:
        tree: Any = ast.parse(call, mode="eval").body
        args = [ast.literal_eval(arg) for arg in tree.args]
        options = {keyword.arg: ast.literal_eval(keyword.value) for keyword in tree.keywords}
        if tree.func.id != "f" or None in options:
            raise ValueError("not one call")
    except (ValueError, SyntaxError, AttributeError, MemoryError, RecursionError):
        raise InputError(
            f"The arguments in {source} are not values such as (100, n=3, name='a').",
            hint="write a function that makes the chain, and name that",
        ) from None
    return args, options


def _taken(signature: inspect.Signature) -> str:
    """Return parameters as a call names them."""
    plain = [one.replace(annotation=one.empty) for one in signature.parameters.values()]
    return ", ".join(map(str, plain))


def _check_parameters(
    source: str, factory: Any, args: Sequence[Any], options: Mapping[str, Any]
) -> None:
    try:
        signature = inspect.signature(factory)
    except ValueError:  # built-in code without a signature
        return
    try:
        signature.bind(*args, **options)
    except TypeError as error:
        unknown = [name for name in options if name not in signature.parameters]
        given = "with these arguments" if args or options else "without arguments"
        near = None
        if unknown:
            taken = f"it takes {', '.join(signature.parameters) or 'no arguments'}"
            near = meant(unknown[0], signature.parameters) or taken
        _, dot, method = source.rpartition(":")[2].rpartition(".")
        if dot and next(iter(signature.parameters), None) == "self":
            place = source.removesuffix(f".{method}")
            near = f"name what makes the chain, {place}, and the method by --method {method}"
        raise InputError(
            f"{source}({_taken(signature)}) cannot be called {given}: {error}.",
            hint=near or f"give them: '{source}(…)', or name a function that makes the chain",
        ) from None


def _failed(what: str, error: BaseException) -> InputError:
    frames = [
        SourceFrame(frame.f_code.co_filename, line, frame.f_code.co_name)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if not _is_ours(frame.f_code.co_filename)
    ]
    text = " ".join(str(error).split())
    return InputError(f"{what} failed: {type(error).__name__}: {text}", frames)


def _is_ours(file: str) -> bool:
    return file.startswith("<frozen") or file == __file__ or "importlib" in Path(file).parts
