"""A model in onnxruntime: loaded when first needed, stopped at a deadline, failing in our terms."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from elichika.errors import InputError, ModelRuntimeError
from elichika.model.files import temporary_folder
from elichika.model.source_map import SourceMap, kernel_message
from onnx_graph.runtime import RuntimeMissing, runtime

__all__ = ["DeadlineError", "Providers", "Session", "require_runtime"]

Providers = Sequence[str | tuple[str, Mapping[str, Any]]]
CPU = ("CPUExecutionProvider",)
CUDA = "CUDAExecutionProvider"
OPTION = "session.name_based_layer_assignment"
"""Of onnxruntime 1.30 and later: `cpu(part of a name, ...)`; older ones leave it unread."""
FATAL = 4


class DeadlineError(Exception):
    """A run was stopped because it took too long."""


def require_runtime() -> Any:
    """Return the module `onnxruntime`.

    Raises:
        InputError: It is not installed.
    """
    try:
        return runtime()
    except RuntimeMissing as error:
        raise InputError(f"{error}.") from None


_SESSIONS: weakref.WeakSet[Session] = weakref.WeakSet()
_LEFT: list[Any] = []


def _leave_all() -> None:
    for session in list(_SESSIONS):
        session.leave()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_all)


class Session:
    """A lazily created `onnxruntime.InferenceSession`."""

    def __init__(
        self,
        source_map: Callable[[], SourceMap],
        *,
        write: Callable[[Path], None] | None = None,
        path: str | os.PathLike[str] | None = None,
        providers: Providers | None = None,
        threads: int = 0,
        optimize: bool = True,
        profile: Path | None = None,
        kept_on_cpu: Callable[[], str] | None = None,
    ) -> None:
        """Remember where the model is; nothing is loaded yet.

        Args:
            source_map: Returns where its nodes come from; asked only when a run fails.
            write: Writes the model to a path, for a model that is not in a file yet.
            path: The file of a model that is.
            providers: For onnxruntime; the CPU by default.
            threads: Of one operator; 0 is one for each core.
            optimize: Whether onnxruntime rewrites it to run faster, which takes time as well.
            profile: How the file begins that onnxruntime writes its profile to.
            kept_on_cpu: Returns the setting that says which nodes are not for a GPU.
        """
        self._profile = profile
        self._kept_on_cpu = kept_on_cpu
        self._optimize = optimize
        self._write = write
        self._path = path
        self._source_map = source_map
        self._providers = list(providers or CPU)
        self._threads = threads
        self._session: Any = None
        self._lock = threading.Lock()
        _SESSIONS.add(self)

    def leave(self) -> None:
        """Forget the session of the process that this one was forked from, and never end it.

        Its threads are not here: onnxruntime would end this process with it.
        """
        _LEFT.append(self._session)
        self._session, self._lock = None, threading.Lock()

    @property
    def inference(self) -> Any:
        """The session itself.

        Raises:
            InputError: A provider does not exist here, or the file holds no model.
        """
        with self._lock:
            if self._session is None:
                self._session = self._create(optimize=self._optimize)
            return self._session

    def _create(self, *, optimize: bool) -> Any:
        onnxruntime = require_runtime()
        available = onnxruntime.get_available_providers()
        names = [one if isinstance(one, str) else one[0] for one in self._providers]
        for name in names:
            if name not in available:
                shown = ", ".join(available)
                raise InputError(f"onnxruntime has no provider {name} here; it has {shown}.")
        options = onnxruntime.SessionOptions()
        options.log_severity_level = FATAL  # what fails is raised, not printed
        options.intra_op_num_threads = self._threads
        if self._profile is not None:
            options.enable_profiling = True
            options.profile_file_prefix = os.fspath(self._profile)
        if CUDA in names and self._kept_on_cpu is not None:
            options.add_session_config_entry(OPTION, self._kept_on_cpu())
        if not optimize:
            level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
            options.graph_optimization_level = level
        if self._path is not None:
            return self._load(self._path, options)
        assert self._write is not None
        with temporary_folder() as folder:
            path = folder / "model.onnx"
            self._write(path)
            return self._load(path, options)

    def _load(self, path: str | os.PathLike[str], options: Any) -> Any:
        try:
            return runtime().InferenceSession(os.fspath(path), options, providers=self._providers)
        except Exception as error:
            if self._path is None:
                found = self._source_map().error(error)
                raise found or ModelRuntimeError(
                    f"onnxruntime cannot load the model: {kernel_message(str(error))}"
                ) from error
            reason = " ".join(str(error).split())
            raise InputError(f"onnxruntime cannot load {path}: {reason}") from None

    def run(self, feeds: Mapping[str, Any], *, seconds: float | None = None) -> list[Any]:
        """Return all outputs, in the model's order.

        Args:
            feeds: Arrays and lists of arrays by input name.
            seconds: How long it may take; the run is stopped between two nodes.

        Raises:
            ModelRuntimeError: A node failed; with the user's frames.
            DeadlineError: It took longer than `seconds`.
        """
        session = self._session or self.inference
        try:
            return _run(session, feeds, seconds)
        except DeadlineError:
            raise
        except Exception as error:
            found = self._source_map().error(error)
            if found is None:  # fused or inserted nodes carry no place: ask the plain model
                found = self._error_without_fusions(feeds, seconds)
            if found is None:
                found = ModelRuntimeError(f"onnxruntime failed: {kernel_message(str(error))}")
            raise found from error

    def run_bound(self, binding: Any) -> None:
        """Run on what is bound.

        Raises:
            ModelRuntimeError: A node failed; with the user's frames where it is told.
        """
        try:
            self.inference.run_with_iobinding(binding)
        except Exception as error:
            found = self._source_map().error(error)
            said = f"onnxruntime failed: {kernel_message(str(error))}"
            raise found or ModelRuntimeError(said) from error

    def _error_without_fusions(
        self, feeds: Mapping[str, Any], seconds: float | None
    ) -> ModelRuntimeError | None:
        try:
            _run(self._create(optimize=False), feeds, seconds)
        except DeadlineError:
            return None
        except Exception as error:
            return self._source_map().error(error)
        return None


def _run(session: Any, feeds: Mapping[str, Any], seconds: float | None) -> list[Any]:
    if seconds is None:
        return list(session.run(None, dict(feeds)))
    options = runtime().RunOptions()
    options.log_severity_level = FATAL
    stopped = threading.Event()

    def stop() -> None:
        stopped.set()
        options.terminate = True

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        return list(session.run(None, dict(feeds), options))
    except Exception:
        if stopped.is_set():
            raise DeadlineError(f"stopped after {seconds:.1f} s") from None
        raise
    finally:
        timer.cancel()
