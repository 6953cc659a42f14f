"""The recipes of CONTRIBUTING.md work as it prints them; the places that it names exist.

A recipe is carried out on a copy of the repository: once whole, and once without what it puts into
the product, where its tests must fail.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[1]
PRODUCT = ("canonicalizer/", "elichika/", "onnx_graph/")
BLOCK = re.compile(r'^```(python|diff) title="([^"]+)"\n(.*?)^```$', re.M | re.S)
COMMAND = re.compile(r"^\$ \.venv/bin/pytest (\S+)(?: -k (\S+))?$", re.M)


@dataclass(frozen=True)
class Block:
    """What a recipe shows of a file: its text, all of it or a part, or a change of it."""

    kind: str
    path: str
    text: str

    @property
    def in_product(self) -> bool:
        return self.path.startswith(PRODUCT)

    def put_into(self, root: Path) -> None:
        """Write a new file, change one, or see that a part is there."""
        path = root / self.path
        if self.kind == "diff":
            self._replace(path, self._side(" -"), self._side(" +"))
        elif path.exists():
            assert self.text in path.read_text(), f"{self.path} is not as CONTRIBUTING.md shows it"
        else:
            path.write_text(self.text)

    def leave_out_of(self, root: Path) -> None:
        """Take a part that is there out of its file."""
        path = root / self.path
        if self.kind == "python" and path.exists():
            self._replace(path, self.text, "")

    def _side(self, marks: str) -> str:
        lines = self.text.splitlines(keepends=True)
        return "".join(line[1:] for line in lines if line[0] in marks)

    def _replace(self, path: Path, old: str, new: str) -> None:
        text = path.read_text()
        assert text.count(old) == 1, f"{self.path} has {text.count(old)} times: {old}"
        path.write_text(text.replace(old, new))


@dataclass(frozen=True)
class Recipe:
    """A section of CONTRIBUTING.md."""

    title: str
    blocks: list[Block]
    tests: list[tuple[str, str]]
    """The files that its commands run, each with a word of the names of its tests."""

    @property
    def changes_product(self) -> bool:
        return any(block.in_product for block in self.blocks)


def recipes() -> Iterator[Recipe]:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    for section in re.split(r"^## ", text, flags=re.M):
        title, _, body = section.partition("\n")
        if title.startswith("Recipe: "):
            blocks = [Block(*match.groups()) for match in BLOCK.finditer(body)]
            tests = [(path, word or "") for path, word in COMMAND.findall(body)]
            yield Recipe(title.removeprefix("Recipe: "), blocks, tests)


RECIPES = list(recipes())


def copy_of_the_repository(root: Path) -> Path:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "*.py", "*.toml", "*.md", "*.txt"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).exists():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, root / name)
    return root


def run_python(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300)


Outcomes = dict[tuple[str, str], bool]


def outcomes(root: Path) -> Outcomes:
    """Run the tests of all recipes; return whether each passed, by its module and name."""
    tests = [test for recipe in RECIPES for test in recipe.tests]
    files = sorted({path for path, _ in tests if (root / path).exists()})
    words = " or ".join(word or Path(path).stem for path, word in tests)
    options = ["--continue-on-collection-errors", "-q", "-p", "no:cacheprovider", "-k", words]
    run_python(root, "-m", "pytest", *options, "--junitxml=outcomes.xml", *files)
    found: Outcomes = {}
    for item in ElementTree.parse(root / "outcomes.xml").iter("testcase"):
        name = item.get("classname") or item.get("name") or ""
        passed = item.find("failure") is None and item.find("error") is None
        found[name, item.get("name") or ""] = passed
    return found


def of(recipe: Recipe, found: Outcomes) -> list[bool]:
    """Return how the tests of one recipe came out."""
    return [
        passed
        for path, word in recipe.tests
        for (module, name), passed in found.items()
        if module == module_of(path) and word in name
    ]


def module_of(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


def names(recipes: list[Recipe]) -> list[str]:
    return [recipe.title for recipe in recipes]


def test_every_recipe_is_here() -> None:
    assert len(RECIPES) == 6
    for recipe in RECIPES:
        assert recipe.blocks and recipe.tests, recipe.title


def test_recipes_pass_their_tests(tmp_path: Path) -> None:
    root = copy_of_the_repository(tmp_path)
    for recipe in RECIPES:
        for block in recipe.blocks:
            block.put_into(root)
    found = outcomes(root)
    passed = [recipe for recipe in RECIPES if of(recipe, found) and all(of(recipe, found))]
    assert names(passed) == names(RECIPES)
    assert_linted(root)
    assert_the_example_does_not_decide(root)


def assert_linted(root: Path) -> None:
    paths = sorted({block.path for recipe in RECIPES for block in recipe.blocks})
    for command in (["check"], ["format", "--check"]):
        run = run_python(root, "-m", "ruff", *command, "--no-cache", *paths)
        assert run.returncode == 0, run.stdout


def assert_the_example_does_not_decide(root: Path) -> None:
    """The program of control flow fails under a compiler that takes the branches of the example."""
    (recipe,) = (one for one in RECIPES if not one.changes_product)
    ((path, name),) = recipe.tests
    code = f"""
from {module_of(path)} import case
from tests import programs, standins
(program,) = (one for one in case.programs if one.name == {name!r})
programs.check(program, programs.compiled(program, standins.frozen))
"""
    assert "AssertionError" in run_python(root, "-W", "ignore", "-c", code).stderr


def test_their_tests_fail_without_the_product(tmp_path: Path) -> None:
    root = copy_of_the_repository(tmp_path)
    for recipe in RECIPES:
        for block in recipe.blocks:
            if block.in_product:
                block.leave_out_of(root)
            else:
                block.put_into(root)
    found = outcomes(root)
    changing = [recipe for recipe in RECIPES if recipe.changes_product]
    failed = [recipe for recipe in changing if of(recipe, found) and not any(of(recipe, found))]
    assert names(failed) == names(changing)


def test_the_places_of_tests_are_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    section = text[text.index("\n## Where a test goes\n") : text.index("\n## Pages\n")]
    named = re.findall(r"`((?:tests|elichika|models)/[^`]*)`", section)
    assert len(named) > 20
    assert [path for path in named if not list(ROOT.glob(path.rstrip("/")))] == []
    folders = {path.name for path in (ROOT / "tests").iterdir() if (path / "__init__.py").is_file()}
    assert folders - {path.split("/")[1] for path in named if path.startswith("tests/")} == set()
