"""Parsing in several threads at once."""

import ast
import gc
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import canonicalizer.text
from canonicalizer.parsing import parse


def test_threads_parse_at_once() -> None:
    """A collection that starts while a tree is built hands over to another thread that builds."""
    source = Path(canonicalizer.text.__file__).read_text()
    expected = ast.dump(ast.parse(source))

    def hand_over(phase: str, info: dict[str, int]) -> None:
        time.sleep(1e-4)

    gc.callbacks.append(hand_over)
    try:
        with ThreadPoolExecutor(3) as pool:
            trees = list(pool.map(parse, [source] * 60))
    finally:
        gc.callbacks.remove(hand_over)
    assert {ast.dump(tree) for tree in trees} == {expected}
