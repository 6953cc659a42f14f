"""`elichika profile`: run a script, and keep what it calls a chain with."""

from __future__ import annotations

import os
import runpy
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elichika.cli.options import Json, Verbose
from elichika.cli.run import Run
from elichika.errors import InputError, meant

if TYPE_CHECKING:
    from elichika.recording.calls import Calls
    from elichika.signature import InputSignature

__all__ = ["as_options", "profile", "recorded_calls"]


def profile(
    script: Annotated[Path, typer.Argument(metavar="SCRIPT", help="The Python script to run.")],
    chain: Annotated[
        str,
        typer.Option(
            metavar="SOURCE",
            help="The chain: file.py:Net, or module:build for a function that makes it.",
        ),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="The .npz file to write.")
    ],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="ARGS", help="For the script, after --.")
    ] = None,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Run a script and record what it calls a chain with, for export --examples.

    The calls of all chains of the class are recorded as those of one. What the script writes to
    standard output goes to standard error.
    """
    with Run(as_json) as run:
        from elichika import compile_model  # noqa: F401  before Chainer
        from elichika.model.files import require_writable
        from elichika.recording.recorder import profile_made

        require_writable(output)
        with profile_made(_matches(chain, script)) as calls:
            _run(script, arguments or ())
        if not list(calls):
            raise InputError(f"{script} called no {chain}.", hint=_meant(chain))
        calls.save(output)
        run.show("calls", str(output))
        for path, method in calls:
            found = calls.recorded[path, method]
            run.show(f"{path}.{method}", str(found))


def recorded_calls(files: Sequence[Path] | None) -> Calls | None:
    """Return the calls of `--examples`.

    Raises:
        InputError: They cannot be read.
    """
    from elichika.recording.files import load_calls

    return load_calls(*files) if files else None


def as_options(signature: InputSignature) -> list[str]:
    """Return the `--input`s that say what examples showed, as far as they can."""
    from elichika.signature.inputs import show_path

    if signature.tags:
        return ["no --input says that an argument is of several kinds: --examples does"]
    found = []
    for spec in signature.specs:
        sizes = ",".join("3" if dim is None else str(dim) for dim in spec.dims)
        array = f"{spec.dtype}[{sizes}]"
        shown = repr(spec.example) if spec.python_type is not None else array
        if spec.kind == "list" and spec.python_type is None:
            shown = f"[{array},{array}]"
        found.append(f"--input '{show_path(spec.path)}={shown}'")
    return found


def _meant(source: str) -> str | None:
    """Return a hint that names a class of chains that is there."""
    import chainer

    found: list[type] = [chainer.Link]
    for cls in found:
        found.extend(cls.__subclasses__())
    name = source.rpartition(":")[2]
    others = [cls.__name__ for cls in found if cls.__module__.partition(".")[0] != "chainer"]
    return None if name in others else meant(name, others)


def _matches(source: str, script: Path) -> Callable[[Any], bool]:
    """Return what tells whether a link is of the class, or of the function, that a SOURCE names.

    Raises:
        InputError: It names none.
    """
    where, colon, name = source.rpartition(":")
    if not colon or not where or not name.isidentifier():
        raise InputError(f"--chain is file.py:Net or package.module:Net, not {source!r}.")
    file = os.path.realpath(where)

    def is_there(module: str, path: str) -> bool:
        if not where.endswith(".py"):
            return module == where
        return os.path.realpath(script if module == "__main__" else path) == file

    def matches(link: Any) -> bool:
        cls = type(link)
        if cls.__name__ == name:
            module: Any = sys.modules.get(cls.__module__)
            return is_there(cls.__module__, getattr(module, "__file__", None) or "")
        frame = sys._getframe()
        while frame.f_back is not None:
            frame = frame.f_back
            code = frame.f_code
            if code.co_name == name and is_there(frame.f_globals["__name__"], code.co_filename):
                return True
        return False

    return matches


def _run(script: Path, arguments: Sequence[str]) -> None:
    """Run a script as Python would.

    Raises:
        InputError: There is none, or it fails.
    """
    if not script.is_file():
        raise InputError(f"There is no file {script}.")
    kept = sys.argv, list(sys.path), sys.stdout
    sys.argv = [str(script), *arguments]
    sys.path.insert(0, str(script.resolve().parent))
    sys.stdout = sys.stderr
    try:
        runpy.run_path(str(script), run_name="__main__")
    except SystemExit as end:
        if end.code not in (None, 0):
            raise InputError(f"{script} ended with {end.code!r}.") from None
    except Exception as error:  # whatever the script raises
        lines = traceback.format_exception_only(error)
        raise InputError(f"{script} failed: {lines[-1].strip()}") from error
    finally:
        sys.argv, sys.path[:], sys.stdout = kept
