"""Chains that train another chain, or differentiate it, and the models that are made of them."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FunctionType
from typing import Any

import chainer
from chainer import links as L

from elichika.call.entry import STARRED, entry_of
from elichika.compiler import compile_model
from elichika.errors import InputError, concise, meant, no_link
from elichika.model.compiled import CompiledModel

__all__ = ["Gradients", "TrainingStep", "gradients", "training_step"]


class Around(chainer.Link):  # type: ignore[misc]
    """A link that runs another one, whose parameters and values it calls by the same names."""

    def __init__(self, chain: chainer.Link) -> None:
        super().__init__()
        self.chain = chain

    def params(self, include_uninit: bool = True) -> Iterator[chainer.Parameter]:
        yield from self.chain.params(include_uninit)

    def namedparams(self, include_uninit: bool = True) -> Iterator[tuple[str, chainer.Parameter]]:
        yield from self.chain.namedparams(include_uninit)

    def links(self, skipself: bool = False) -> Iterator[chainer.Link]:
        if not skipself:
            yield self
        yield from self.chain.links()

    def namedlinks(self, skipself: bool = False) -> Iterator[tuple[str, chainer.Link]]:
        if not skipself:
            yield "/", self
        yield from self.chain.namedlinks()

    def children(self) -> Iterator[chainer.Link]:
        yield from self.chain.children()

    def serialize(self, serializer: Any) -> None:
        self.chain.serialize(serializer)


class TrainingStep(Around):
    """What an updater of Chainer does in one iteration; a call returns the loss before it.

    Attributes:
        chain: What is trained.
        optimizer: What trains it; it is set up.
        lossfun: Gives the loss.
    """

    def __init__(self, chain: chainer.Link, optimizer: chainer.Optimizer, lossfun: Any) -> None:
        super().__init__(chain)
        self.optimizer = optimizer
        self.lossfun = lossfun

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Update once; return the loss, a Variable."""
        losses = []

        def lossfun(*args: Any, **kwargs: Any) -> Any:
            losses.append(self.lossfun(*args, **kwargs))
            return losses[-1]

        self.optimizer.update(lossfun, *args, **kwargs)
        return losses[0]


class Gradients(Around):
    """A chain that returns what another one gives, and the gradients of that by their names.

    Attributes:
        chain: What is differentiated.
        names: The arguments of its call that may be given by position.
        arguments: Those by which it is differentiated.
        parameters: Parameters by which it is, by their names.
    """

    def __init__(
        self,
        chain: chainer.Link,
        names: Sequence[str],
        arguments: Sequence[str],
        parameters: Mapping[str, chainer.Parameter],
    ) -> None:
        super().__init__(chain)
        self.names = list(names)
        self.arguments = list(arguments)
        self.parameters = dict(parameters)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the chain gives, and a dict of Variables and None."""
        positional, named = list(args), dict(kwargs)
        sources = {}
        for name in self.arguments:
            if name in named:
                sources[name] = named[name] = chainer.Variable(named[name])
            else:
                index = self.names.index(name)
                sources[name] = positional[index] = chainer.Variable(positional[index])
        sources.update(self.parameters)
        y = self.chain(*positional, **named)
        found = chainer.grad([y], list(sources.values()))
        return y, dict(zip(sources, found, strict=True))


@concise
def training_step(
    chain: chainer.Link,
    optimizer: chainer.Optimizer,
    inputs: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    lossfun: Callable[..., Any] | None = None,
    **options: Any,
) -> CompiledModel:
    """Compile what `optimizer.update(lossfun, *inputs)` does, and keep what it changes.

    Each call of the model is one step: it returns the loss before the update. Parameters, running
    statistics and what the optimizer keeps are the model's state, inputs and outputs of the file
    that are called after the parameter and the update rule: `l1/W`, `l1/W/adam/m`.

    Args:
        chain: What is trained. It stays as it is.
        optimizer: What trains it, after `optimizer.setup(chain)`. It stays as it is.
        inputs: Example inputs of the loss, as for `compile_model`.
        path: Where to write the `.onnx` file, if anywhere.
        lossfun: Gives the loss, a Variable with one element; by default a call of the chain does.
        **options: As for `compile_model`; `train` and `state` are True.

    Raises:
        InputError: The optimizer is not set up, or trains another chain.
        ElichikaError: As `compile_model` does.
    """
    _require_link(chain)
    if not isinstance(optimizer, chainer.Optimizer):
        raise InputError(f"a chainer.Optimizer is needed, not {type(optimizer).__name__}")
    name = type(optimizer).__name__
    if optimizer.target is None:
        raise InputError(f"This {name} is not set up.", hint="call `optimizer.setup(chain)` before")
    if not any(link is optimizer.target for link in chain.links()):
        raise InputError(
            f"This {name} trains a {type(optimizer.target).__name__}, which is not in the chain.",
            hint="call `optimizer.setup(chain)` with the chain that is to be trained",
        )
    step = TrainingStep(chain, optimizer, chain if lossfun is None else lossfun)
    _name_parameters(step, parameters_of(chain if lossfun is None else lossfun))
    options.setdefault("reweightable", True)
    return compile_model(step, inputs, path, train=True, state=True, **options)


@concise
def gradients(
    chain: chainer.Link,
    inputs: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    of: Sequence[str] | None = None,
    **options: Any,
) -> CompiledModel:
    """Compile a chain together with its gradients.

    A call of the model returns `(y, gradients)`: what the chain gives, and a dict of arrays of the
    shapes and dtypes of what they belong to, None where nothing of it goes into `y`. Where `y` has
    more than one element they are the gradients of its sum.

    Args:
        chain: What is differentiated; it returns one Variable. It stays as it is.
        inputs: Example inputs, as for `compile_model`.
        path: Where to write the `.onnx` file, if anywhere.
        of: Names of parameters, as `namedparams` has them (`/l1/W`), and of arguments that are
            arrays; all parameters by default.
        **options: As for `compile_model`.

    Raises:
        InputError: There is no parameter or argument of a name.
        ElichikaError: As `compile_model` does.
    """
    _require_link(chain)
    parameters = dict(sorted(chain.namedparams()))
    taken = parameters_of(chain)
    names = [parameter.name for parameter in taken if parameter.kind not in STARRED]
    chosen = list(parameters) if of is None else [of] if isinstance(of, str) else list(of)
    for name in chosen:
        if name not in parameters and name not in names:
            known = [*names, *parameters]
            raise InputError(
                f"{name!r} is neither an argument nor a parameter of the chain.",
                hint=meant(name, known) or f"the names are {', '.join(known)}",
            )
    wanted = {name: parameters[name] for name in chosen if name in parameters}
    link = Gradients(chain, names, [name for name in chosen if name in names], wanted)
    _name_parameters(link, taken)
    return compile_model(link, inputs, path, **options)


def _require_link(chain: Any) -> None:
    if not isinstance(chain, chainer.Link):
        raise no_link(chain)


def _name_parameters(link: Around, parameters: Sequence[inspect.Parameter]) -> None:
    """Let the `forward` of a link have the parameters of what it calls."""
    made = type(link)
    function: Any = made.forward
    named = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    named.__signature__ = inspect.Signature([own, *parameters])  # type: ignore[attr-defined]
    members = {"forward": named, "__module__": made.__module__}
    link.__class__ = type(made.__name__, (made,), members)


def parameters_of(function: Any) -> list[inspect.Parameter]:
    """Return the parameters of a call; a Classifier has those of its predictor, and labels."""
    if not isinstance(function, chainer.Link):
        return list(inspect.signature(function).parameters.values())
    entry = entry_of(function, None)
    if type(function) is L.Classifier and function.label_key == -1:
        inner = parameters_of(function.predictor)
        if all(p.kind is p.POSITIONAL_OR_KEYWORD for p in inner):
            label = "t" if all(p.name != "t" for p in inner) else "label"
            return [*inner, inspect.Parameter(label, inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    return list(inspect.signature(entry).parameters.values())
