"""Writes `elichika/model/kernels.json`, the CUDA kernels of onnxruntime, from its sources.

`python -m benchmarks.write_kernels FOLDER`, a checkout of onnxruntime: `docs/OperatorKernels.md`
has the types of each kernel; which inputs and outputs lie in the memory of the CPU is in the
registrations of `onnxruntime/core/providers/cuda`.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

TARGET = Path("elichika/model/kernels.json")
SECTION = re.compile(r"## Operators implemented by CUDAExecutionProvider\n(.*?)\n## ", re.S)
DOMAIN = re.compile(r"^\|\*\*Operator Domain:\*\* \*([\w.]+)\*", re.M)
TYPES = re.compile(r"\*\*(\w+)\*\* = ([^<]*)")
REGISTERED = re.compile(
    r"ONNX_OPERATOR_\w*KERNEL_EX\(\s*\\?\s*(\w+)"
    r"|\.(Input|Output)MemoryType\(OrtMemTypeCPU\w*, ([\w:]+)\)"
)
LENGTHS = 4
"""The input `sequence_lens` of LSTM, GRU and RNN, which their registrations name."""


def kernels(text: str) -> dict[str, list[Any]]:
    """Return the kernels of ONNX's own operators: first and last version, types by parameter."""
    section = SECTION.search(text)
    if section is None:
        raise ValueError("there is no table of CUDA kernels")
    found: dict[str, list[Any]] = defaultdict(list)
    domain = name = ""
    for line in section[1].splitlines():
        here = DOMAIN.match(line)
        domain = here[1] if here else domain
        cells = line.split("|")
        if here or domain != "ai.onnx" or len(cells) != 6:
            continue
        name = cells[1] or name
        versions = [int(number) for number in re.findall(r"\d+", cells[3])]
        first, last = versions[0], versions[-1] if "+" not in cells[3] else None
        types = {
            parameter: sorted(re.findall(r"(?:seq\()?tensor\(\w+\)+", listed))
            for parameter, listed in TYPES.findall(cells[4])
        }
        found[name].append([first, last, types])
    return dict(found)


def on_cpu(sources: Path) -> dict[str, dict[str, list[int]]]:
    """Return which inputs and outputs of a kernel lie in the memory of the CPU."""
    found: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for path in sorted(sources.rglob("*.cc")):
        name = ""
        for match in REGISTERED.finditer(path.read_text(encoding="utf-8", errors="replace")):
            if match[1]:
                name = match[1]
            elif match[3].isdigit() or match[3].endswith("sequence_lens"):
                number = int(match[3]) if match[3].isdigit() else LENGTHS
                found[name][f"{match[2].lower()}s"].add(number)
    return {op: {kind: sorted(n) for kind, n in kinds.items()} for op, kinds in found.items()}


def main(folder: str) -> None:
    """Write the file."""
    root = Path(folder)
    table = kernels((root / "docs" / "OperatorKernels.md").read_text(encoding="utf-8"))
    memory = on_cpu(root / "onnxruntime" / "core" / "providers" / "cuda")
    reduced = memory.pop("name", {})
    for op in table:
        if op.startswith("Reduce"):
            memory.setdefault(op, reduced)
    data = {
        "onnxruntime": (root / "VERSION_NUMBER").read_text(encoding="utf-8").strip(),
        "kernels": dict(sorted(table.items())),
        "cpu": {op: kinds for op, kinds in sorted(memory.items()) if op in table},
    }
    TARGET.write_text(json.dumps(data, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
