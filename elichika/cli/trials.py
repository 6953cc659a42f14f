"""Programs that are tried one after the other, in processes of their own.

A program may be anything: it may crash, have no end, or register lowerings. Where the system can,
a process is a fork of this one, which has loaded everything; elsewhere it is a new one.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import random
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from elichika.cli.run import Run
from elichika.cli.subject import Subject
from elichika.compiler import compile_model
from elichika.errors import ElichikaError, InputError
from elichika.reduction.common import common_chain, refused_chain
from elichika.reduction.fault import Fault, fault_of
from elichika.reduction.search import Search
from elichika.verify import VerificationReport  # noqa: F401  loaded before the processes begin

__all__ = ["Question", "Trials"]

LEAST, TIMES = 20.0, 5.0
"""Seconds that a program may take, or so many times what the whole one took."""
LONGEST = 600.0
MOST = 200
"""Programs that one process runs: what each leaves behind takes memory."""
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
    """Runs programs, many of them one after the other in one process.

    That is fast, but what one leaves behind there, such as a lowering, may show in a later one. So
    what was found in this way has to be tried `alone`, in a process that is new.

    Attributes:
        most: How many programs a process runs.
        longest: Seconds that each may take.
        verify: What model and chain are compared on: no more than the fault needs.
        count: How many programs were run.
        path: The file of the last one.
    """

    def __init__(self, question: Question, folder: Path) -> None:
        self.question, self.folder, self.path = question, folder, folder
        self.longest, self.verify, self.count, self.most = LONGEST, ALL, 0, MOST
        can_fork = "fork" in multiprocessing.get_all_start_methods() and sys.platform != "darwin"
        self.context: Any = multiprocessing.get_context("fork" if can_fork else "spawn")
        self._worker: _Worker | None = None
        if can_fork:
            _warm()

    def __enter__(self) -> Trials:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def first(self, source: str) -> Fault | None:
        """Run the whole program, and find out what the others need.

        Raises:
            InputError: Its inputs cannot be used.
        """
        start = time.monotonic()
        self._end()
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
            shown = self.alone(source, self.question.inputs)
            if shown is not None and shown.kind == found.kind:
                return self.verify
        return ALL

    def __call__(self, source: str, inputs: tuple[str, ...]) -> Fault | None:
        """Return how a program goes wrong on these inputs, if it does."""
        found = self._run(source, inputs)
        return found if type(found) is Fault else None

    def alone(self, source: str, inputs: tuple[str, ...]) -> Fault | None:
        """Return how a program goes wrong in a process of its own."""
        self._end()
        return self(source, inputs)

    def smallest(
        self, found: Fault, sources: Sequence[str], seconds: float
    ) -> tuple[str, tuple[str, ...], Fault]:
        """Return the smallest program that shows a fault, with its inputs and the fault there.

        Args:
            found: The fault.
            sources: Programs to begin with; the last one shows it.
            seconds: How long to search, twice where programs were in each other's way.

        Raises:
            InputError: It is not there each time.
        """
        for self.most in (MOST, 1):
            search = Search(self, found.kind, self.question.inputs, time.monotonic() + seconds)
            start = next((one for one in sources if search.keeps(one)), sources[-1])
            small = search.smallest(start)
            last = self.alone(small, search.inputs)
            if last is not None and last.kind == found.kind:
                return small, search.inputs, last
        raise InputError(f"The fault comes and goes: {found.text}")

    def _run(self, source: str, inputs: tuple[str, ...]) -> Fault | str | None:
        """Return the fault of a program, or what is wrong with its inputs."""
        self.count += 1
        self.path = path = self.folder / str(self.count) / "model.py"
        path.parent.mkdir()
        path.write_text(source, encoding="utf-8")
        if self._worker is None:
            self._worker = _Worker(self.context)
        worker = self._worker
        asked = path, replace(self.question, inputs=inputs), self.verify, self.longest
        found = worker.answer(asked, self.longest)
        if not worker.lives or worker.runs >= self.most:
            self._end()
        return found

    def _end(self) -> None:
        if self._worker is not None:
            self._worker.end()
        self._worker = None


class _Worker:
    """A process that runs programs.

    Attributes:
        runs: How many it was given.
        lives: Whether it can take another one.
    """

    def __init__(self, context: Any) -> None:
        self.runs, self.lives = 0, True
        self._ours, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def answer(self, asked: Any, seconds: float) -> Fault | str | None:
        """Return what is wrong with a program; None, too, where it takes too long."""
        self.runs += 1
        self.lives = False
        try:
            self._ours.send(asked)
            if not self._ours.poll(seconds):
                return None
            found: Fault | str | None = self._ours.recv()
        except (EOFError, OSError):
            self._process.join()
            ended = f"the process ends with {self._process.exitcode}"
            return Fault(ended, "the process ends")
        self.lives = True
        return found

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()
        self._ours.close()


def _serve(answers: Connection) -> None:
    """Run the programs that are asked for; each draws the same random numbers."""
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    places, drawn, also_drawn = list(sys.path), np.random.get_state(), random.getstate()
    while True:
        try:
            asked = answers.recv()
        except EOFError:
            os._exit(0)
        sys.path[:] = places
        np.random.set_state(drawn)
        random.setstate(also_drawn)
        answers.send(_tried(*asked))


def _warm() -> None:
    """Compile what most programs have, so that forks of this process have read it already.

    The program itself is never run here: what it registers or replaces would stay.
    """
    for make in (common_chain, refused_chain):
        with suppress(ElichikaError):
            compile_model(*make(), dynamic_axes="batch", verify=False)
    gc.collect()
    gc.freeze()  # a collection in a fork would copy all of it


def _tried(path: Path, question: Question, verify: int, seconds: float) -> Fault | str | None:
    """Compile a program; return what is wrong."""
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
        return str(error)
    except Exception as error:
        return fault_of(error)
    return None
