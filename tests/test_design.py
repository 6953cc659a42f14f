"""The map of packages in `docs/design.md` is what the imports are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "elichika"
ROW = re.compile(r"^\| `(\w+)` \| (.*) \| ?(.*?) ?\|$", re.MULTILINE)
BELOW = {("model", "verify")}
"""What the page says is imported from further down."""
AROUND = {"__init__", "__main__"}


def mapped() -> dict[str, set[str]]:
    """Return what each package may import of `elichika/`, in the order of the page."""
    page = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    return {name: set(re.findall(r"`(\w+)`", listed)) for name, _, listed in ROW.findall(page)}


def imported(path: Path) -> Iterator[str]:
    """Yield what a file imports of `elichika/` when it runs, by the name of the package."""
    todo: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            todo += node.orelse
            continue
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            todo += ast.iter_child_nodes(node)
            continue
        parts = [name.split(".") for name in names]
        yield from (found[1] for found in parts if found[0] == "elichika" and len(found) > 1)


def test_the_map_has_every_package() -> None:
    files = {path.stem for path in PACKAGE.glob("*.py")} - AROUND
    assert set(mapped()) == {*files, *(path.parent.name for path in PACKAGE.glob("*/__init__.py"))}


def test_packages_import_what_the_map_says() -> None:
    packages = mapped()
    for name, allowed in packages.items():
        folder = PACKAGE / name
        files = folder.rglob("*.py") if folder.is_dir() else [folder.with_suffix(".py")]
        found = {one for file in files for one in imported(file)} & set(packages)
        assert found - {name} == allowed, name


def test_packages_import_what_stands_above_them() -> None:
    order = list(mapped())
    later = {
        (name, other)
        for name, allowed in mapped().items()
        for other in allowed
        if order.index(other) > order.index(name)
    }
    assert later == BELOW
