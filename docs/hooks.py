"""Hooks of the site: the sources of models, which pages link to beside `docs/`, go into it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]


def on_files(files: Files, config: Any) -> Files:
    """Add the sources of the models."""
    for path in sorted((ROOT / "models").glob("*.py")):
        files.append(File.generated(config, f"models/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Let links that are right in the repository be right in the site."""
    return markdown.replace("](../models/", "](models/")
