"""What in a chain cannot be compiled: all of it, in one run."""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import chainer

from elichika.call.boundary import assembled, declare_inputs
from elichika.call.entry import entry_of
from elichika.compiler import compile_model
from elichika.errors import BudgetError, ElichikaError, InputError
from elichika.model.report import Report
from elichika.process.configuration import configuration
from elichika.program.raised import Raised
from elichika.program.source import unsupported_syntax
from elichika.signature import read_inputs
from elichika.staging import initializer_names
from elichika.walker.limits import Limits
from elichika.walker.surveyor import Surveyor
from onnx_graph import ONNXGraph

__all__ = ["find_unsupported"]


def find_unsupported(
    chain: chainer.Link,
    inputs: Any,
    *,
    method: str | None = None,
    dynamic_axes: Any = None,
    static: Iterable[str] = (),
    train: bool = False,
    opset_version: int = 18,
    random: str | None = None,
    budgets: Mapping[str, Any] | None = None,
) -> list[ElichikaError]:
    """Return everything that keeps a chain from being compiled, each place once.

    Three searches come together here: the compiler, which stops at its first error; a walk that
    goes on after errors, and leaves out what depends on them; and the syntax of every method that
    may be called.

    Args:
        chain: The chain.
        inputs: Example inputs, as for `elichika.compile_model`; so are the options.
        method: What is called; the default is the chain itself.
        dynamic_axes: Names of sizes that may change.
        static: Names of arguments that stay at their example.
        train: Check for `chainer.config.train = True`.
        opset_version: Of the operators.
        random: Whether the model may draw random numbers.
        budgets: `max_unroll`, `max_unroll_nodes`, `max_nodes`, `max_seconds` and `max_depth`, as
            for `elichika.compile_model`; the seconds are those of each of the two walks.

    Raises:
        InputError: The inputs or options cannot be used.
    """
    names = tuple(static)
    found: list[ElichikaError] = []
    try:
        compile_model(
            chain,
            inputs,
            method=method,
            dynamic_axes=dynamic_axes,
            static=names,
            train=train,
            opset_version=opset_version,
            random=random,
            **budgets or {},
            verify=False,
            initialize=True,
        )
    except InputError:
        raise
    except BudgetError as error:  # another walk would take as long
        found.append(error)
    except ElichikaError as error:
        graph = ONNXGraph(opset=opset_version, random=random is not None)
        limits = Limits(**budgets or {})
        found += [error, *_survey(chain, inputs, method, dynamic_axes, names, train, graph, limits)]
    for function in _methods(chain, method):
        found += unsupported_syntax(function)
    places: dict[object, ElichikaError] = {}
    for one in found:
        users = [frame for frame in one.frames if not frame.library]
        last = users[-1] if users else None
        places.setdefault(one.message if last is None else (last.file, last.line, last.col), one)
    return list(places.values())


def _survey(
    chain: chainer.Link,
    inputs: Any,
    method: str | None,
    dynamic_axes: Any,
    static: tuple[str, ...],
    train: bool,
    graph: ONNXGraph,
    limits: Limits,
) -> list[ElichikaError]:
    """Walk on after errors."""
    with configuration(train):
        signature = read_inputs(
            entry_of(chain, method), inputs, dynamic_axes=dynamic_axes, static=static
        )
        walker = Surveyor(graph, initializer_names(chain, ()), Report(), limits)
        call = signature.rebuild(declare_inputs(walker, signature), partial(assembled, walker))
        walker.roots.extend([chain, *call.args, *call.kwargs.values()])

        def walked() -> None:
            called = chain if method is None else walker.get_attribute(chain, method)
            walker.call(called, list(call.args), dict(call.kwargs))

        try:
            limits.kept(walked)
        except (ElichikaError, Raised):  # of what is lost, or what the compiler said already
            pass
        except Exception:
            if not walker.findings:  # after one, the walk is on its own
                raise
    return walker.findings


def _methods(chain: chainer.Link, method: str | None) -> Iterator[types.FunctionType]:
    """Yield the user's methods that a call of the chain may reach, going by their names."""
    by_name: dict[str, list[types.FunctionType]] = {}
    seen: set[type] = set()
    for _, link in sorted(chain.namedlinks()):
        for cls in type(link).__mro__:
            if cls in seen or cls.__module__.partition(".")[0] == "chainer":
                continue
            seen.add(cls)
            for name, member in vars(cls).items():
                if inspect.isfunction(member):
                    by_name.setdefault(name, []).append(member)
    pending = [method, "forward", "__call__"] if method else ["forward", "__call__"]
    while pending:
        for function in by_name.pop(pending.pop(), []):
            yield function
            pending.extend(_names(function.__code__))


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)
