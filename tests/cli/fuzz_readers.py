"""Feeds damaged and hostile files to all that reads files: `python -m tests.cli.fuzz_readers 5000`.

Each file goes to one command in a forked process with little memory and time. The command has to
end with one of its exit codes and no traceback, and to write nothing. Linux only: it forks.
"""

from __future__ import annotations

import gc
import io
import json
import os
import random
import resource
import signal
import sys
import tempfile
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import chainer
import numpy as np
import onnx
from typer.testing import CliRunner

import elichika
from elichika.call.streams import STATE_KEY
from elichika.cli import app
from elichika.model.source_map import SOURCE_MAP_KEY
from elichika.signature import SIGNATURE_KEY
from tests.cli.programs import Steps, seeded

SOURCE = "tests.cli.programs"
SECONDS = 20
"""Of the processor; of the clock, where others work as well, it may be more."""
MEMORY = 3 * 2**30
"""Above what the process has when it forks."""
LINES = 12
"""Of an error: the message, places and a hint."""

Bytes = Callable[[random.Random, bytes], bytes]


# Damage of any file


def truncated(draw: random.Random, data: bytes) -> bytes:
    return data[: draw.randrange(len(data))]


def flipped(draw: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 8, 64))):
        changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def overwritten(draw: random.Random, data: bytes) -> bytes:
    start, size = draw.randrange(len(data)), draw.choice((1, 4, 8, 100))
    return data[:start] + draw.randbytes(size) + data[start + size :]


def moved(draw: random.Random, data: bytes) -> bytes:
    a, b = sorted(draw.randrange(len(data)) for _ in range(2))
    return draw.choice((data[:a] + data[b:], data[:b] + data[a:], data[a:] + data[:a]))


def noise(draw: random.Random, data: bytes) -> bytes:
    return draw.randbytes(draw.choice((0, 1, 10, 1000)))


ANY: tuple[Bytes, ...] = (truncated, flipped, flipped, overwritten, overwritten, moved, noise)


# Damage of archives


def _entries(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _archive(entries: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return file.getvalue()


def _npy(array: np.ndarray, **options: bool) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, array, **options)
    return file.getvalue()


def damaged_entry(draw: random.Random, data: bytes) -> bytes:
    entries = _entries(data)
    name = draw.choice(sorted(entries))
    entries[name] = draw.choice(ANY)(draw, entries[name])
    return _archive(entries)


def bomb(draw: random.Random, data: bytes) -> bytes:
    """An entry that is much larger than its archive."""
    entries = _entries(data)
    size = draw.choice((10**6, 3 * 10**7))
    head = _npy(np.zeros(1, np.float32)).replace(b"(1,)", f"({size // 4},)".encode())
    entries[draw.choice(sorted(entries))] = head + bytes(size)
    return _archive(entries)


def claims(draw: random.Random, data: bytes) -> bytes:
    """A header that promises more than there is."""
    entries = _entries(data)
    shape = draw.choice(("(99999999999,)", "(2**40, 2)", "(-1,)", "(9999999, 9999999, 99)", "()"))
    head = _npy(np.zeros(1, np.float32))
    entries[draw.choice(sorted(entries))] = head.replace(b"(1,)", shape.encode())
    return _archive(entries)


def pickled(draw: random.Random, data: bytes) -> bytes:
    entries = _entries(data)
    held = np.array([print, {"a": [1]}], object)
    entries[draw.choice(sorted(entries))] = _npy(held, allow_pickle=True)
    return _archive(entries)


def odd_types(draw: random.Random, data: bytes) -> bytes:
    entries = _entries(data)
    kinds = ("S5", "U3", "datetime64[s]", "complex64", "V4", ">f4", "f2", "?", [("a", "f4")])
    entries[draw.choice(sorted(entries))] = _npy(np.zeros((2, 4), draw.choice(kinds)))
    return _archive(entries)


def odd_names(draw: random.Random, data: bytes) -> bytes:
    entries = _entries(data)
    name = draw.choice(sorted(entries))
    other = draw.choice(("../../x.npy", "ü\udcff.npy", "x.-1.npy", "x.99.npy", "x/"))
    entries[other.encode("utf-8", "replace").decode()] = entries.pop(name)
    return _archive(entries)


ARCHIVES: tuple[Bytes, ...] = (
    *ANY, damaged_entry, damaged_entry, bomb, claims, pickled, odd_types, odd_names,
)  # fmt: skip


# Damage of models


def deep(draw: random.Random, data: bytes) -> bytes:
    """Subgraphs in subgraphs: protobuf adds them to the graph before."""
    inner = b""
    for _ in range(draw.choice((5, 20, 40, 90, 2000))):
        attribute = _field(1, b"then_branch") + _field(6, inner) + b"\xa0\x01\x05"
        inner = _field(1, _field(4, b"If") + _field(5, attribute))
    return data + _field(7, inner)


def _field(number: int, content: bytes) -> bytes:
    """Encode a field of protobuf that has a length."""
    size, length = len(content), b""
    while size > 0x7F:
        length += bytes([size & 0x7F | 0x80])
        size >>= 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + content


def metadata(draw: random.Random, data: bytes) -> bytes:
    model = onnx.load_model_from_string(data)
    for entry in model.metadata_props:
        if draw.random() < 0.6:
            entry.value = _damaged_json(draw, entry.value)
    return bytes(model.SerializeToString())


def _damaged_json(draw: random.Random, text: str) -> str:
    kind = draw.randrange(4)
    if kind == 0:
        return draw.choice(("", "[]", "{}", "3", "null", "[" * 100_000, '{"nodes":3}', "\ud7ff"))
    if kind == 1:
        return text[: draw.randrange(len(text) + 1)]
    place = draw.randrange(max(len(text), 1))
    if kind == 2:
        return text[:place] + draw.choice('019-"[]{},x') + text[place + 1 :]
    try:
        return json.dumps(_without_one(draw, json.loads(text)))
    except ValueError:
        return text


def _without_one(draw: random.Random, data: object) -> object:
    """Change one entry of JSON data, anywhere."""
    if isinstance(data, (dict, list)) and data and draw.random() < 0.8:
        keys = list(data) if isinstance(data, dict) else list(range(len(data)))
        key = draw.choice(keys)
        data[key] = _without_one(draw, data[key])  # type: ignore[call-overload, index]
        return data
    return draw.choice((None, -1, 10**30, 1.5, "", "object", [], {}, [[]], True))


def graph(draw: random.Random, data: bytes) -> bytes:
    """A well-formed protobuf that is no sound model."""
    model = onnx.load_model_from_string(data)
    nodes = model.graph.node
    kind = draw.randrange(7)
    if kind == 0:
        del nodes[draw.randrange(len(nodes))]
    elif kind == 1:
        draw.choice(nodes).op_type = draw.choice(("Add", "Loop", "NoSuch", "", "If", "Scan"))
    elif kind == 2:
        node = draw.choice(nodes)
        node.input.append(draw.choice(("", "nowhere", *node.output)))
    elif kind == 3:
        for tensor in model.graph.initializer:
            tensor.dims[:] = draw.choice(([2**40, 2**40], [-1], [], [0], [7, 7]))
    elif kind == 4:
        tensor = draw.choice(model.graph.initializer)
        tensor.data_location = onnx.TensorProto.EXTERNAL
        place = draw.choice(("../../../etc/passwd", "/etc/passwd", "x", ""))
        tensor.external_data.add(key="location", value=place)
        tensor.external_data.add(key="offset", value=draw.choice(("0", "-5", "x")))
        tensor.ClearField("raw_data")
    elif kind == 5:
        model.opset_import[0].version = draw.choice((0, -1, 7, 99, 2**60))
        model.ir_version = draw.choice((0, 3, 8, 99))
    else:
        port = draw.choice([*model.graph.input, *model.graph.output])
        port.type.tensor_type.elem_type = draw.choice((0, 1, 7, 8, 16, 99))
    return bytes(model.SerializeToString())


MODELS: tuple[Bytes, ...] = (*ANY, deep, metadata, metadata, metadata, graph, graph, graph)


# Texts for `explain`


def text(draw: random.Random, data: bytes) -> bytes:
    return draw.choice(
        (
            draw.randbytes(300),
            b"\xff\xfe" + data,
            data * 2000,
            b"running Add node. Name:'" * 3000,
            data.replace(b"Name:'", b"Name:'" + b"a" * 10_000),
            truncated(draw, data),
        )
    )


# The commands


def _state_model(folder: Path) -> bytes:
    path = folder / "steps.onnx"
    x = np.ones((2, 4), np.float32)
    axes = {"x": {0: "batch"}}
    elichika.compile_model(Steps(), (x, 2), path, dynamic_axes=axes, state=True, verify=False)
    data = path.read_bytes()
    path.unlink()
    keys = {entry.key for entry in onnx.load_model_from_string(data).metadata_props}
    assert {SIGNATURE_KEY, SOURCE_MAP_KEY, STATE_KEY} <= keys
    return data


def _plain_model(folder: Path) -> bytes:
    path = folder / "plain.onnx"
    elichika.compile_model(seeded(), np.ones((2, 4), np.float32), path, verify=False)
    data = path.read_bytes()
    path.unlink()
    return data


def subjects(folder: Path) -> Sequence[tuple[str, bytes, tuple[Bytes, ...], list[str]]]:
    """Return each kind of file: its name, a good one, what damages it, what reads it."""
    chainer.serializers.save_npz(folder / "w.npz", seeded())
    weights = (folder / "w.npz").read_bytes()
    np.savez(folder / "w.npz", x=np.ones((2, 4), np.float32))
    inputs = (folder / "w.npz").read_bytes()
    (folder / "w.npz").unlink()
    model, plain = _state_model(folder), _plain_model(folder)
    error = b"while running Add node. Name:'programs.py:3/Add#3' Status Message: no"
    net, steps = f"{SOURCE}:seeded", f"{SOURCE}:Steps"
    x = ["--input", "x=float32[batch,4]"]
    (folder / "good.onnx").write_bytes(model)
    good = str(folder / "good.onnx")
    return (
        ("weights", weights, ARCHIVES, ["check", net, *x, "--weights", "FILE"]),
        ("inputs", inputs, ARCHIVES, ["check", net, "--inputs", "FILE"]),
        ("inspect", model, MODELS, ["inspect", "FILE"]),
        ("inspect as JSON", model, MODELS, ["inspect", "FILE", "--json"]),
        ("explain", model, MODELS, ["explain", "FILE", "--error", "ERROR"]),
        ("text", error, (text,), ["explain", good, "--error", "FILE"]),
        ("verify", plain, MODELS, ["verify", "FILE", net, *x]),
        ("verify with state", model, MODELS, ["verify", "FILE", steps, *x, "--input", "n=2"]),
    )


def mutants(seed: int, folder: Path) -> Iterator[tuple[str, bytes, list[str]]]:
    """Yield files without end: what was done, the bytes, the command."""
    error = folder / "error.txt"
    error.write_text("running Loop node. Name:'Loop#1' Status Message: x")
    kinds = subjects(folder)
    number = seed
    while True:
        draw = random.Random(number)
        name, data, damages, command = draw.choice(kinds)
        damage = draw.choice(damages)
        words = [str(error) if word == "ERROR" else word for word in command]
        yield f"{name}/{damage.__name__}/{number}", damage(draw, data), words
        number += 1


def judge(data: bytes, command: list[str], folder: Path) -> str:
    """Run a command on a file in a process of its own; return what is wrong, or the exit code."""
    file = folder / "FILE"
    file.write_bytes(data)
    before = sorted(path.name for path in folder.iterdir())
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        os.write(writing, _in_child(command, file).encode("utf-8", "replace")[:60_000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return f"ended by {signal.Signals(os.WTERMSIG(status)).name}"
    if sorted(path.name for path in folder.iterdir()) != before or file.read_bytes() != data:
        return "wrote something"
    return said


def _in_child(command: list[str], file: Path) -> str:
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    signal.alarm(6 * SECONDS)
    try:
        words = [str(file) if word == "FILE" else word for word in command]
        result = CliRunner().invoke(app, words)
    except BaseException:
        return traceback.format_exc()
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        return "".join(traceback.format_exception(result.exception))
    if result.exit_code not in (0, 1, 2, 3):
        return f"exit code {result.exit_code}: {result.stderr}"
    if "--json" in command:
        json.loads(result.stdout)
    elif result.exit_code and not 1 <= len(result.stderr.strip().splitlines()) <= LINES:
        return f"no short error: {result.stderr!r}"
    if "Traceback" in result.stderr or "internal error" in result.stderr:
        return result.stderr
    return str(result.exit_code)


def run(
    count: int, seed: int = 0, report: Callable[[str, str], None] | None = None
) -> Counter[str]:
    """Try `count` files; return how often each outcome was, findings under their mutant's name."""
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        stream = mutants(seed, folder)
        gc.freeze()  # a child that collects would copy all that it looks at
        for _ in range(count):
            what, data, command = next(stream)
            outcome = judge(data, command, folder)
            wrong = outcome not in ("0", "1", "2", "3")
            outcomes[what if wrong else f"exit code {outcome}"] += 1
            if wrong and report is not None:
                report(what, outcome)
    return outcomes


def main() -> int:
    """Fuzz; print findings and outcomes."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    found = run(count, seed, lambda what, text: print(f"{what}: {text}", flush=True))
    codes = {name: times for name, times in found.items() if name.startswith("exit code")}
    print(f"{count} files: {codes}, {count - sum(codes.values())} findings")
    return int(sum(codes.values()) != count)


if __name__ == "__main__":
    sys.exit(main())
