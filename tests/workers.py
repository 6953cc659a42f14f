"""Processes that outlive what they run: one that dies or hangs is reported and replaced."""

from __future__ import annotations

import multiprocessing
import resource
import threading
from collections.abc import Callable, Iterable, Iterator
from queue import Queue
from typing import Any

__all__ = ["Died", "results"]

MEMORY = 8 * 2**30
"""Bytes of address space that a process may have."""


class Died(Exception):
    """The process that ran a task ended, or did not answer in time."""


def results(
    function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]], jobs: int, seconds: float
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield each task with what the function gives for it, or `Died`, in the order of completion.

    Args:
        function: A function of a module; its results are pickled.
        tasks: The arguments of each call.
        jobs: The number of processes.
        seconds: How long one call may take.
    """
    waiting: Queue[Any] = Queue()
    done: Queue[Any] = Queue()
    count = 0
    for task in tasks:
        waiting.put(task)
        count += 1
    for _ in range(jobs):
        waiting.put(None)
        threading.Thread(
            target=_serve, args=(function, waiting, done, seconds), daemon=True
        ).start()
    for _ in range(count):
        yield done.get()


def _serve(function: Any, waiting: Queue[Any], done: Queue[Any], seconds: float) -> None:
    """Keep one process busy until there are no more tasks."""
    process = None
    while (task := waiting.get()) is not None:
        if process is None:
            process, pipe = _started(function)
        try:
            pipe.send(task)
            if not pipe.poll(seconds):
                raise EOFError(f"no answer within {seconds:.0f} s")
            answer = pipe.recv()
        except (EOFError, OSError) as error:
            process.kill()
            process.join()
            answer = Died(str(error) or f"the process ended with {process.exitcode}")
            process = None
        done.put((task, answer))
    if process is not None:
        pipe.send(None)
        process.join()


def _started(function: Any) -> tuple[Any, Any]:
    context = multiprocessing.get_context("spawn")
    mine, other = context.Pipe()
    process = context.Process(target=_work, args=(function, other), daemon=True)
    process.start()
    other.close()
    return process, mine


def _work(function: Any, pipe: Any) -> None:
    """Answer tasks until there are no more; a random program that takes all memory fails."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    while (task := pipe.recv()) is not None:
        pipe.send(function(*task))
