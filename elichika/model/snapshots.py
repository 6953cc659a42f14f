"""Weights from Chainer's `.npz` snapshots, without pickle, and all or nothing."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import chainer
import numpy as np

from elichika.errors import InputError
from elichika.model.archives import MOST_BYTES, open_archive, read_array

__all__ = ["entries_of", "load_weights", "read_snapshot"]

LARGEST_LIST = 3
HEADER, WIDEST, SPARE = 2**16, 16, 16


def load_weights(chain: chainer.Link, path: str | os.PathLike[str], prefix: str = "") -> None:
    """Load a file of `chainer.serializers.save_npz` into a chain, which is changed in place.

    Parameters that have no size yet take theirs from the file. Nothing is unpickled.

    Args:
        chain: What was saved, or another chain of the same form.
        path: The snapshot.
        prefix: Where in the file the chain is: `updater/model:main` in the snapshot of a trainer.

    Raises:
        InputError: The file is missing or no snapshot, or does not fit the chain; then nothing has
            been changed.
    """
    wanted = entries_of(chain)
    known = {name.lstrip("/") for name, _ in chain.namedparams()}
    with _opened(path, prefix, wanted, known) as (file, start):
        # Fits: the keys are there, with sizes and types that go in.
        deserializer: Any = chainer.serializers.NpzDeserializer(file, path=start)
        deserializer.load(chain)


def read_snapshot(
    path: str | os.PathLike[str], prefix: str, wanted: Mapping[str, Any], known: Collection[str]
) -> dict[str, np.ndarray[Any, Any]]:
    """Read what a model takes of a snapshot; None is wanted where any contents will do.

    Names in `known` may be there besides.

    Raises:
        InputError: The file is missing or no snapshot, or does not fit the model.
    """
    with _opened(path, prefix, wanted, known, "the model") as (file, start):
        return {key: file[start + key] for key in wanted}


@contextmanager
def _opened(
    path: str | os.PathLike[str],
    prefix: str,
    wanted: Mapping[str, Any],
    known: Collection[str],
    holder: str = "the chain",
) -> Iterator[tuple[_Checked, str]]:
    """Open a snapshot that fits; give what it holds, and what the names of its entries begin with.

    Args:
        path: The snapshot.
        prefix: Where in it.
        wanted: What it has to hold, as arrays of these shapes and dtypes.
        known: What it may hold besides.
        holder: What takes the weights, for messages.
    """
    with open_archive(path, ".npz snapshot") as stored:
        start = f"{prefix.strip('/')}/" if prefix.strip("/") else ""
        most = {start + key: _room(value) for key, value in wanted.items() if value is not None}
        file = _Checked(stored, os.fspath(path), most)
        _check(wanted, known, file, start, holder)
        yield file, start


class _Checked(Mapping[str, Any]):
    """The arrays of a snapshot; an entry that needs pickle is None, as which Chainer saves it."""

    def __init__(self, stored: Any, path: str, most: Mapping[str, int]) -> None:
        """Take what `open_archive` gave; `most` bounds the bytes of entries whose size is known."""
        self.path = path
        self._stored = stored
        self._most = most
        self._names = set(stored.files)

    def __getitem__(self, key: str) -> np.ndarray[Any, Any]:
        array = read_array(self._stored, key, self.path, self._most.get(key, MOST_BYTES))
        return np.array(None) if array is None else array

    def __contains__(self, key: object) -> bool:
        return key in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._stored.files)

    def __len__(self) -> int:
        return len(self._names)


def _room(value: np.ndarray[Any, Any]) -> int:
    """Return how many bytes the file of an array may have: a header, and any type of number.

    An array of another shape within reach is still read, so that the error can say it.
    """
    return HEADER + SPARE * WIDEST * value.size


def _check(
    wanted: Mapping[str, Any], known: Collection[str], file: _Checked, start: str, holder: str
) -> None:
    missing = [key for key in wanted if start + key not in file]
    if missing:
        raise InputError(
            _missing(missing, wanted, file, start, holder), hint=_hint(wanted, file, start)
        )
    for key, value in wanted.items():
        stored = file[start + key]
        if stored.dtype == object:
            if isinstance(value, np.ndarray):
                raise InputError(f"{key} was not initialized when {file.path} was saved.")
            continue
        if not isinstance(value, np.ndarray):
            continue
        if stored.shape != value.shape:
            raise InputError(
                f"{key} has shape {value.shape} in {holder} and {stored.shape} in {file.path}."
            )
        if not np.can_cast(stored.dtype, value.dtype, "same_kind"):
            raise InputError(
                f"{key} has dtype {value.dtype} in {holder} and {stored.dtype} in {file.path}."
            )
    more = [key[len(start) :] for key in file if key.startswith(start)]
    unknown = [key for key in more if key not in known and key not in wanted]
    if unknown and start + "predictor/" not in file:
        raise InputError(
            f"{file.path} holds {_some(unknown)}, which {holder} does not have.",
            hint="these are the weights of another network",
        )


def entries_of(chain: chainer.Link) -> dict[str, Any]:
    """Return what the chain would save, by key; None for what is not initialized."""
    serializer: Any = chainer.serializers.DictionarySerializer()
    serializer.save(chain)
    return {
        key: None if value.dtype == object else value
        for key, value in sorted(serializer.target.items())  # Chainer's own order is a set's
    }


def _missing(
    missing: list[str], wanted: Mapping[str, Any], file: _Checked, start: str, holder: str
) -> str:
    where = f"{file.path} at {start}" if start else file.path
    if len(missing) == len(wanted):
        return f"{where} holds none of {holder}'s parameters, such as {missing[0]}."
    return f"{where} does not hold {_some(missing)}."


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:LARGEST_LIST])
    rest = len(names) - LARGEST_LIST
    return f"{shown} and {rest} more" if rest > 0 else shown


def _hint(wanted: Mapping[str, Any], file: _Checked, start: str) -> str | None:
    """Find a place in the file that holds all that is wanted."""
    first = next(iter(wanted))
    for key in sorted(file):
        prefix = key[: -len(first)]
        if (
            key.endswith("/" + first)
            and prefix != start
            and all(prefix + k in file for k in wanted)
        ):
            return f"it is at {prefix}: pass --weights-path {prefix.rstrip('/')}"
    return None
