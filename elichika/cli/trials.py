"""Programs that are tried one after the other, each in a process of its own.

A program may be anything: it may crash, have no end, or register lowerings. Where the system can,
its process is a fork of this one, which has loaded everything; elsewhere it is a new one.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from elichika.cli.run import Run
from elichika.cli.subject import Subject
from elichika.compiler import compile_model
from elichika.errors import InputError
from elichika.reduction.fault import Fault, fault_of
from elichika.verify import VerificationReport  # noqa: F401  loaded before the processes begin

__all__ = ["Question", "Trials"]

LEAST, TIMES = 20.0, 5.0
"""Seconds that a program may take, or so many times what the whole one took."""
LONGEST = 600.0
NOTHING, EXAMPLE, ALL = range(3)
"""What model and chain are compared on; all inputs are those derived from the example, too."""


@dataclass(frozen=True)
class Question:
    """What is asked of each program: the options of the command."""

    name: str
    inputs: tuple[str, ...]
    inputs_file: Path | None
    weights: Path | None
    weights_path: str
    options: Mapping[str, Any]
    state: bool
    initialize: bool


class Trials:
    """Runs programs.

    Attributes:
        longest: Seconds that each may take.
        verify: What model and chain are compared on: no more than the fault needs.
        count: How many programs were run.
        path: The file of the last one.
    """

    def __init__(self, question: Question, folder: Path) -> None:
        self.question, self.folder, self.path = question, folder, folder
        self.longest, self.verify, self.count = LONGEST, ALL, 0
        can_fork = "fork" in multiprocessing.get_all_start_methods() and sys.platform != "darwin"
        self.context: Any = multiprocessing.get_context("fork" if can_fork else "spawn")

    def first(self, source: str) -> Fault | None:
        """Run the whole program, and find out what the others need.

        Raises:
            InputError: Its inputs cannot be used.
        """
        start = time.monotonic()
        found = self._run(source, self.question.inputs)
        self.longest = max(LEAST, TIMES * (time.monotonic() - start))
        if type(found) is str:
            raise InputError(found)
        assert found is None or type(found) is Fault
        if found is not None:
            self.verify = self._least(source, found)
        return found

    def _least(self, source: str, found: Fault) -> int:
        """Return the least that shows a fault: a comparison on all inputs takes seconds."""
        for self.verify in (NOTHING, EXAMPLE):
            shown = self(source, self.question.inputs)
            if shown is not None and shown.kind == found.kind:
                return self.verify
        return ALL

    def __call__(self, source: str, inputs: tuple[str, ...]) -> Fault | None:
        """Return how a program goes wrong on these inputs, if it does."""
        found = self._run(source, inputs)
        return found if type(found) is Fault else None

    def _run(self, source: str, inputs: tuple[str, ...]) -> Fault | str | None:
        """Return the fault of a program, or what is wrong with its inputs."""
        self.count += 1
        self.path = path = self.folder / str(self.count) / "model.py"
        path.parent.mkdir()
        path.write_text(source, encoding="utf-8")
        ours, theirs = self.context.Pipe(duplex=False)
        process = self.context.Process(
            target=_tried,
            args=(theirs, path, replace(self.question, inputs=inputs), self.verify, self.longest),
        )
        process.start()
        theirs.close()
        try:
            found: Fault | str | None = ours.recv() if ours.poll(self.longest) else None
        except EOFError:
            process.join()
            found = Fault(f"the process ends with {process.exitcode}", "the process ends")
        finally:
            process.kill()
            process.join()
            ours.close()
        return found


def _tried(answer: Connection, path: Path, question: Question, verify: int, seconds: float) -> None:
    """Compile a program, and send what is wrong."""
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    found: Fault | str | None = None
    try:
        given = (question.weights, question.weights_path, list(question.inputs))
        subject = Subject.read(
            Run(as_json=True), f"{path}:{question.name}", *given, question.inputs_file
        )
        model = compile_model(
            subject.chain,
            subject.inputs,
            dynamic_axes=subject.dynamic_axes,
            state=question.state,
            initialize=question.initialize,
            verify=verify == ALL,
            max_seconds=seconds,
            **question.options,
        )
        if verify == EXAMPLE:
            model.verify(derive=False)
    except InputError as error:
        found = str(error)
    except Exception as error:
        found = fault_of(error)
    answer.send(found)
    answer.close()
    os._exit(0)
