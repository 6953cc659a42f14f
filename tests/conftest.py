"""Imports Chainer by way of elichika: on newer numpy it does not import by itself."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import elichika.process.compat  # noqa: F401
import onnx_graph.passes

SLOW = frozenset((Path(__file__).parent / "slow.txt").read_text().splitlines())

os.environ.pop("COLUMNS", None)  # of the terminal that the tests run in


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of `slow.txt`: whole functions, or single rows of one."""
    for item in items:
        if not SLOW.isdisjoint({item.nodeid, item.nodeid.split("[")[0]}):
            item.add_marker("slow")


@pytest.fixture(autouse=True, scope="session")
def passes_come_to_an_end() -> Iterator[None]:
    """Make an error of rounds of passes that run out, of which users find a note in the log."""

    def unfinished(last: Mapping[str, int]) -> None:
        raise AssertionError(f"the passes are not done: {last}")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(onnx_graph.passes, "unfinished", unfinished)
        yield
