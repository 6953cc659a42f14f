"""The whole text of each error in `docs/errors.md`, and where errors point."""

from __future__ import annotations

import pytest

from tests.language import mistakes

DOCUMENT = mistakes.PATH.read_text()


@pytest.mark.parametrize("mistake", mistakes.MISTAKES, ids=lambda m: m.title)
def test_text(mistake: mistakes.Mistake) -> None:
    assert mistakes.section(mistake) in DOCUMENT, "run `make docs` and read what changed"


def test_document_holds_nothing_else() -> None:
    assert DOCUMENT.count("\n## ") == len(mistakes.MISTAKES) >= 40
