"""SOURCE on the command line: `package.module:factory` or `file.py:factory`."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
import traceback
from pathlib import Path
from typing import Any

import chainer

from elichika.errors import InputError, SourceFrame

__all__ = ["load_object", "make_chain"]


def load_object(source: str) -> Any:
    """Return the object that a SOURCE names.

    The working directory and the file's own folder are searched for what it imports.

    Raises:
        InputError: There is no such file, module or name, or importing it fails.
    """
    where, colon, name = source.rpartition(":")
    if not colon or not where or not name:
        raise InputError(f"SOURCE is package.module:factory or file.py:factory, not {source!r}.")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    module = _from_file(Path(where)) if where.endswith(".py") else _from_name(where)
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise InputError(f"{where} has no {name}.")
        found = getattr(found, part)
    return found


def _from_file(path: Path) -> Any:
    if not path.is_file():
        raise InputError(f"There is no file {path}.")
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
    factory = load_object(source)
    made = factory
    if not isinstance(factory, chainer.Link):
        if not callable(factory):
            raise InputError(f"{source} is {type(factory).__name__}, not a factory.")
        _check_parameters(source, factory)
        try:
            made = factory()
        except (Exception, SystemExit) as error:  # whatever the user's factory raises
            raise _failed(source, error) from error
    inputs = None
    if isinstance(made, tuple) and len(made) == 2:
        made, inputs = made
    if not isinstance(made, chainer.Link):
        raise InputError(f"{source} makes {type(made).__name__}, not a chainer.Link.")
    return made, inputs


def _check_parameters(source: str, factory: Any) -> None:
    try:
        inspect.signature(factory).bind()
    except ValueError:  # built-in code without a signature
        return
    except TypeError as error:
        raise InputError(
            f"{source} cannot be called without arguments: {error}.",
            hint="write a function that makes the chain with its arguments",
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
