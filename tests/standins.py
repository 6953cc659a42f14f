"""Two compilers that do what naive exporters do; tests that pass under them see nothing.

`baked` returns what the example gave, whatever it is called with. `frozen` traces the example: it
computes on each input, but takes the branches and the trip counts that the example took. Both have
the interface of `elichika.compile_model`, and what they return can be called and verified.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import chainer
import gast
import numpy as np

from elichika.errors import ModelRuntimeError, SourceFrame, StagingError
from elichika.program.source import SourceUnavailable, read_source
from elichika.signature import OutputLeaf, OutputSignature, Signature, read_inputs
from elichika.verify.isolate import copied

__all__ = ["baked", "frozen"]


class Standin:
    """What a stand-in compiler makes: callable and verifiable."""

    decisions: tuple[bool, ...] = ()

    def __init__(self, signature: Signature, run: Callable[[Any], Any], chain: Any) -> None:
        self.signature = signature
        self._run = run
        self._chain = chain

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.call_with(self.signature.inputs.leaves(args, kwargs))

    @property
    def state(self) -> dict[str, Any]:
        return {}

    def reset(self) -> None:
        pass

    draws = False
    outside: tuple[Any, ...] = ()

    def call_with(
        self, leaves: list[Any], *, seconds: float | None = None, level: float | None = None
    ) -> Any:
        specs = self.signature.inputs.specs
        values = [spec.to_python(_host(leaf)) for spec, leaf in zip(specs, leaves, strict=True)]
        try:
            return _plain(self._run(self.signature.inputs.rebuild(values)))
        except Exception as error:  # whatever the program raises, a model fails
            raise ModelRuntimeError(f"{type(error).__name__}: {error}") from error

    def place_of_output(self, name: str) -> tuple[SourceFrame, ...]:
        return ()

    def verify(self, **options: Any) -> Any:
        from elichika.verify import verify

        return verify(self._chain, self, **options)


def baked(chain: Any, inputs: Any, path: Any = None, **options: Any) -> Standin:
    """Compile a chain to the constant that it gives on the example."""
    method, train = options.get("method", "forward"), options.get("train", False)
    signature = _inputs(chain, inputs, options)
    result = _called(getattr(copied(chain), method), signature.bound(), train)
    return _standin(chain, signature, result, lambda call: result, options)


def frozen(chain: Any, inputs: Any, path: Any = None, **options: Any) -> Standin:
    """Compile a chain to the path that it takes on the example.

    The `decisions` of what is returned are those that the program took, one for each test and turn.
    """
    method, train = options.get("method", "forward"), options.get("train", False)
    signature = _inputs(chain, inputs, options)
    decisions: list[bool] = []
    traced = _instrumented(copied(chain), _Recorder(decisions))
    result = _called(getattr(traced, method), signature.bound(), train)

    def replay(call: Any) -> Any:
        again = _instrumented(copied(chain), _Replayer(iter(decisions)))
        return _called(getattr(again, method), call, train)

    made = _standin(chain, signature, result, replay, options)
    made.decisions = tuple(decisions)
    return made


def _inputs(chain: Any, inputs: Any, options: Mapping[str, Any]) -> Any:
    names = ("dynamic_axes", "static", "input_names", "examples")
    kept = {name: options[name] for name in names if options.get(name) is not None}
    return read_inputs(getattr(chain, options.get("method", "forward")), inputs, **kept)


def _called(function: Any, call: Any, train: bool) -> Any:
    try:
        with (
            chainer.using_config("train", train),
            chainer.using_config("enable_backprop", False),
            np.errstate(all="ignore"),
        ):
            return function(*call.args, **call.kwargs)
    except ModelRuntimeError:
        raise
    except Exception as error:
        raise StagingError(f"{type(error).__name__}: {error}") from error


def _standin(
    chain: Any, inputs: Any, result: Any, run: Callable[[Any], Any], options: Mapping[str, Any]
) -> Standin:
    try:
        outputs = OutputSignature.from_structure(_leaves(result))
    except StagingError:  # constants only: these stand-ins return them as well
        outputs = OutputSignature((), _structure_of(result))
    method, train = options.get("method", "forward"), options.get("train", False)
    made = Standin(Signature(inputs, outputs, method, train), run, chain)
    if options.get("verify", True):
        made.verify(examples=options.get("examples") or ())
    return made


def _structure_of(result: Any) -> Any:
    from elichika.signature.structure import Constant

    return Constant(result)


def _leaves(result: Any) -> Any:
    """Return a result with an `OutputLeaf` for each tensor and number."""
    if isinstance(result, chainer.Variable):
        return OutputLeaf("variable", None, result.dtype)
    if isinstance(result, np.ndarray):
        return OutputLeaf("ndarray", None, result.dtype)
    if isinstance(result, np.generic):
        return OutputLeaf("numpy", None, result.dtype)
    if isinstance(result, (bool, int, float)):
        return OutputLeaf("python", None, np.asarray(result).dtype)
    return _mapped(result, _leaves)


def _plain(result: Any) -> Any:
    """Return a result with arrays for Variables."""
    if isinstance(result, chainer.Variable):
        return result.array.copy()
    return _mapped(result, _plain)


def _mapped(result: Any, function: Callable[[Any], Any]) -> Any:
    if isinstance(result, Mapping):
        return type(result)((key, function(item)) for key, item in result.items())  # type: ignore[call-arg]
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        return type(result)(*map(function, result))
    if isinstance(result, (tuple, list)):
        return type(result)(map(function, result))
    return result


def _host(leaf: Any) -> Any:
    if isinstance(leaf, list):
        return [_host(item) for item in leaf]
    return leaf.array if isinstance(leaf, chainer.Variable) else leaf


# Tracing


class _Recorder:
    """Takes decisions as Python does, and remembers them."""

    def __init__(self, decisions: list[bool]) -> None:
        self._decisions = decisions
        self._kept: list[Any] = []

    def keeps(self, value: Any, wanted: bool) -> bool:
        """Tell whether an operand of `and` or `or` is the result, which `kept` then gives."""
        keeps = self.decide(value) == wanted
        if keeps:
            self._kept.append(value)
        return keeps

    def kept(self) -> Any:
        """Return the operand."""
        return self._kept.pop()

    def decide(self, value: Any) -> bool:
        self._decisions.append(bool(value))
        return self._decisions[-1]

    def turns(self, items: Iterable[Any]) -> Iterator[Any]:
        """Yield the items; whether there is a next one is a decision."""
        iterator = iter(items)
        end = object()
        while True:
            item = next(iterator, end)
            if not self.decide(item is not end):
                return
            if item is end:
                raise ModelRuntimeError("there are fewer turns than in the example")
            yield item


class _Replayer(_Recorder):
    """Takes the decisions of the example, whatever the values are."""

    def __init__(self, decisions: Iterator[bool]) -> None:
        super().__init__([])
        self._left = decisions

    def decide(self, value: Any) -> bool:
        try:
            return next(self._left)
        except StopIteration:
            raise ModelRuntimeError("there are more decisions than in the example") from None


class _Instrument(ast.NodeTransformer):
    """Hands every test and every turn to the recorder."""

    def _decided(self, test: ast.expr) -> ast.expr:
        return _call("decide", test)

    def _test(self, node: Any) -> Any:
        self.generic_visit(node)
        node.test = self._decided(node.test)
        return node

    visit_If = visit_While = visit_IfExp = visit_Assert = _test

    def visit_For(self, node: ast.For) -> ast.For:
        self.generic_visit(node)
        node.iter = _call("turns", node.iter)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self.generic_visit(node)
        node.iter = _call("turns", node.iter)
        node.ifs = [self._decided(test) for test in node.ifs]
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.UnaryOp:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            node.operand = self._decided(node.operand)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        *firsts, result = node.values
        for value in reversed(firsts):
            wanted = ast.Constant(isinstance(node.op, ast.Or))
            result = ast.IfExp(_call("keeps", value, wanted), _call("kept"), result)
        return result

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Decide what Python decides: whether something is in something, and links of a chain."""
        self.generic_visit(node)
        if len(node.ops) == 1:
            decided = isinstance(node.ops[0], (ast.In, ast.NotIn))
            return self._decided(node) if decided else node
        links = zip([node.left, *node.comparators], node.ops, node.comparators, strict=False)
        if all(isinstance(middle, (ast.Name, ast.Constant)) for middle in node.comparators[:-1]):
            compares = [ast.Compare(left, [op], [right]) for left, op, right in links]
            return self.visit_BoolOp(ast.BoolOp(ast.And(), list(compares)))
        return node


def _call(name: str, *arguments: ast.expr) -> ast.expr:
    recorder = ast.Name("__recorder__", ast.Load())
    return ast.Call(ast.Attribute(recorder, name, ast.Load()), list(arguments), [])


def _instrumented(chain: Any, recorder: _Recorder) -> Any:
    """Return the chain, its own methods rewritten; Chainer's stay as they are."""
    for link in chain.links() if isinstance(chain, chainer.Link) else (chain,):
        classes = [c for c in type(link).__mro__ if c.__module__.partition(".")[0] != "chainer"]
        methods = {
            name: _rewritten(member, recorder)
            for cls in reversed(classes)
            for name, member in vars(cls).items()
            if isinstance(member, types.FunctionType)
        }
        if methods:
            link.__class__ = type(type(link).__name__, (type(link),), methods)
    return chain


def _rewritten(function: types.FunctionType, recorder: _Recorder) -> Any:
    try:
        tree = gast.gast_to_ast(read_source(function.__code__).tree)
    except SourceUnavailable:
        return function
    tree = _Instrument().visit(tree)
    names = function.__code__.co_freevars
    maker = ast.parse(f"def make(__recorder__, {', '.join(names)}): pass").body[0]
    assert isinstance(maker, ast.FunctionDef)
    if isinstance(tree, ast.Lambda):
        maker.body = [ast.Return(tree)]
    else:
        tree.decorator_list, tree.returns = [], None
        tree.args.defaults = [ast.Constant(None) for _ in tree.args.defaults]
        tree.args.kw_defaults = [d and ast.Constant(None) for d in tree.args.kw_defaults]
        maker.body = [tree, ast.Return(ast.Name(tree.name, ast.Load()))]
    module = ast.fix_missing_locations(ast.Module([maker], []))
    scope: dict[str, Any] = {}
    exec(compile(module, function.__code__.co_filename, "exec"), function.__globals__, scope)
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    made = scope["make"](recorder, *cells)
    made.__defaults__, made.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    return made
