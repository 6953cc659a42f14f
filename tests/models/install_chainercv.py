"""Puts chainercv into this environment: its Python code, without the extension for GPUs.

The source of its last release ships C code that Cython made for Python 3.7 and no compiler of
today takes; nothing but suppression on a GPU needs it.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from pathlib import Path

NAME = "chainercv-0.13.1"
STUB = """def _nms_gpu_post(*args):
    raise NotImplementedError("the extension of chainercv for GPUs is not built here")
"""


def main() -> None:
    """Download the pinned source and unpack it."""
    target = Path(sysconfig.get_paths()["purelib"])
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        pip += ["--no-binary", ":all:", "--no-build-isolation", "--dest", folder]
        subprocess.run([*pip, NAME.replace("-", "==")], check=True)
        with tarfile.open(Path(folder) / f"{NAME}.tar.gz") as archive:
            archive.extractall(folder, filter="data")
        for part in ("chainercv", "chainercv.egg-info"):
            if not (target / part).exists():
                (Path(folder) / NAME / part).rename(target / part)
    (target / "chainercv/utils/bbox/_nms_gpu_post.py").write_text(STUB)


if __name__ == "__main__":
    main()
