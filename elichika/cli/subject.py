"""What a command is about: a chain, with its weights and example inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any

from chainer import Link

from elichika.call.entry import STARRED, entry_of
from elichika.cli.initial import Initial
from elichika.cli.inputs import by_position, read_examples
from elichika.cli.run import Run
from elichika.cli.sources import make_chain
from elichika.errors import ElichikaError, InputError
from elichika.model.snapshots import load_weights

__all__ = ["Subject"]


@dataclass
class Subject:
    """The chain of a command, with its weights and example inputs.

    Attributes:
        chain: The chain.
        inputs: What it is called with.
        dynamic_axes: The names of their axes.
        initial: What its initializers drew.
        unnamed: The options that give the same without names, where inputs were given by name.
    """

    chain: Link
    inputs: Any
    dynamic_axes: Any
    initial: Initial
    unnamed: str | None = None

    @classmethod
    def read(
        cls,
        run: Run,
        source: str,
        weights: Path | None,
        weights_path: str,
        inputs: list[str] | None,
        inputs_file: Path | None,
        otherwise: Callable[[], Any] | None = None,
    ) -> Subject:
        """Make the chain of a SOURCE, load its weights and read its inputs.

        Args:
            run: The command.
            source: Names what makes the chain.
            weights: A snapshot, if any.
            weights_path: Where in it the chain is.
            inputs: What `--input` describes.
            inputs_file: Holds arrays.
            otherwise: Gives inputs where there are no others.

        Raises:
            InputError: One of these cannot be used.
        """
        examples = read_examples(inputs or (), inputs_file)
        initial = Initial()
        with run.working(f"making {source}"):
            with initial.noted():
                chain, own = make_chain(source)
            if weights is not None:
                load_weights(chain, weights, weights_path)
            elif weights_path:
                raise InputError("--weights-path is for --weights.")
            initial.made(chain)
        if examples.given:
            unnamed = by_position(inputs or ()) if examples.inputs else None
            return cls(chain, examples.given, examples.dynamic_axes or None, initial, unnamed)
        if own is None and otherwise is not None:
            own = otherwise()
        if own is None:
            raise InputError(
                "There are no example inputs.",
                hint="pass --input x=float32[batch,3], --inputs file.npz, or return (chain, inputs)"
                " from the factory",
            )
        return cls(chain, own, None, initial)

    @contextmanager
    def explained(self, method: str | None) -> Iterator[None]:
        """Add to an error that inputs by name may not be what the chain takes."""
        try:
            yield
        except ElichikaError as error:
            parameters = signature(entry_of(self.chain, method)).parameters.values()
            if self.unnamed is not None and all(one.kind in STARRED for one in parameters):
                taken = ", ".join(map(str, parameters))
                error.hint = (
                    f"the chain takes ({taken}): give its inputs in order and without names, as in "
                    + (self.unnamed or "--input 'float32[batch,3]'")
                )
            raise

    def random_parameters(self) -> list[str]:
        """Return the parameters that hold what their initializers drew."""
        return self.initial.held_by(self.chain)
