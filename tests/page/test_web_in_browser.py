"""`elichika web` in a real browser, headless Chromium: `make browser`.

Another page of the same server holds the page in a frame, waits until the model is loaded, acts,
and sends what it found to the server.
"""

# ruff: noqa: E501

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import chainer
import numpy as np
import pytest
from chainer import functions as F
from chainer import links as L
from typer.testing import CliRunner

import elichika
from elichika.cli import app
from models.detectors import DETECTORS
from models.digits import train
from tests.page.browser import CHROMIUM, FLAGS
from tests.page.browser import Browser as Served

PACKAGE = Path("build/web/node_modules/onnxruntime-web").absolute()
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM, reason="needs chromium, a package of Debian"),
    pytest.mark.skipif(not PACKAGE.is_dir(), reason="needs onnxruntime-web: make browser"),
]

WRAPPER = """<!doctype html><body style="margin:0">
<iframe src="SITE/index.html" style="border:0;width:WIDTHpx;height:1400px"></iframe>
<script>
window.alarms = 0;
window.alert = () => { window.alarms += 1; };
const frame = document.querySelector("iframe");
frame.onload = async () => {
  const page = frame.contentDocument, view = frame.contentWindow, found = {};
  const one = (what) => page.querySelector(what), all = (what) => [...page.querySelectorAll(what)];
  const said = () => one("#said").textContent;
  const until = async (what) => { for (let i = 0; i < 1200; i++) { if (what()) return; await new Promise((go) => setTimeout(go, 50)); } throw new Error("waited in vain; " + said()); };
  const run = async () => { const before = said(); one("#said").textContent = "…"; one("#run").click(); await until(() => said() !== "…"); };
  const enter = (index, text) => { all("[data-input]")[index].querySelector(".value").value = text; };
  const shown = (index) => all("[data-output]")[index].querySelector(".shown").textContent;
  const key = (item, name) => item.dispatchEvent(new view.KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
  const point = (item, kind, x, y) => { const box = item.getBoundingClientRect(); item.dispatchEvent(new view.PointerEvent(kind, { clientX: box.left + x * box.width, clientY: box.top + y * box.height, buttons: 1, bubbles: true })); };
  const draw = async (lines) => { const pad = one(".pixels"); one("#said").textContent = "…"; for (const line of lines) { line.forEach(([x, y], at) => point(pad, at ? "pointermove" : "pointerdown", x, y)); point(pad, "pointerup", 0, 0); } await until(() => said().endsWith(" ms")); };
  const grey = () => { const pad = one(".pixels"); return [...pad.getContext("2d").getImageData(0, 0, pad.width, pad.height).data].filter((_, at) => at % 4 === 0); };
  const bars = () => all(".bar-row").map((row) => [row.children[0].textContent, Number(row.children[2].textContent)]);
  try { await until(() => said() === "Ready."); await (async () => { ACT })(); } catch (error) { found.error = String(error); }
  found.said = said();
  await fetch("ANSWER", { method: "POST", body: JSON.stringify(found) });
};
</script>"""


class Browser(Served):
    def write(self, model: Any, name: str, *options: str) -> None:
        """Write the page of a model."""
        path = self.folder / f"{name}.onnx"
        model.save(path)
        given = ["web", str(path), "-o", str(self.folder / name), "--onnxruntime-web", str(PACKAGE)]
        result = CliRunner().invoke(app, [*given, *options])
        assert result.exit_code == 0, result.output

    def find(self, site: str, act: str, width: int = 1600) -> dict[str, Any]:
        """Act on a page, in JavaScript that writes to `found`; return that."""
        text = WRAPPER.replace("SITE", site).replace("WIDTH", str(width))
        return self.answer(text.replace("ACT", act))


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    made = Browser(tmp_path_factory.mktemp("sites"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def digits(browser: Browser) -> Any:
    chain = train("cnn", browser.folder / "digits.npz", n_epochs=5)
    x = np.zeros((2, 1, 8, 8), np.float32)
    browser.write(elichika.compile_model(chain, x, dynamic_axes={"x": {0: "batch"}}), "digits")
    return chain


STROKES = {
    1: "[[[0.5, 0.1], [0.5, 0.5], [0.5, 0.9]]]",
    7: "[[[0.25, 0.1], [0.75, 0.1], [0.55, 0.5], [0.4, 0.95]]]",
    0: "[[[0.5, 0.08], [0.3, 0.25], [0.27, 0.5], [0.3, 0.75], [0.5, 0.92], [0.7, 0.75], [0.73, 0.5], [0.7, 0.25], [0.5, 0.08]]]",
}


@pytest.mark.parametrize("digit", STROKES)
def test_a_drawn_digit_is_what_chainer_says(digit: int, digits: Any, browser: Browser) -> None:
    found = browser.find(
        "digits",
        f"await draw({STROKES[digit]}); found.bars = bars(); found.pixels = grey();"
        "one('.softmax').click(); found.shares = bars();",
    )
    x = np.array(found["pixels"], np.float32).reshape(1, 1, 8, 8) / 255
    assert 5 < (x > 0.5).sum() < 40
    with chainer.using_config("train", False):
        logits = digits(x).array[0]
    names, values = zip(*found["bars"], strict=True)
    order = [int(name) for name in names]
    assert order[0] == logits.argmax() == digit
    np.testing.assert_allclose(values, logits[order], atol=0.1)  # pixels are rounded to bytes
    shares = F.softmax(logits[None]).array[0][order]
    np.testing.assert_allclose([share for _, share in found["shares"]], shares, atol=0.02)


def test_a_digit_is_drawn_with_keys(digits: Any, browser: Browser) -> None:
    found = browser.find(
        "digits",
        "const pad = one('.pixels'); pad.focus(); found.before = bars();"
        "for (const name of ['ArrowUp', 'ArrowUp', 'ArrowLeft', ' ']) key(pad, name);"
        "await until(() => bars().length); found.pixels = grey();"
        "key(pad, 'Delete'); found.after = grey(); found.tab = pad.tabIndex;",
    )
    drawn = np.array(found["pixels"]).reshape(8, 8)
    assert found["before"] == [] and found["tab"] == 0
    assert [tuple(place) for place in np.argwhere(drawn)] == [(2, 3)]
    assert not any(found["after"])


def test_a_file_is_an_image(digits: Any, browser: Browser) -> None:
    found = browser.find(
        "digits",
        "const drawing = new OffscreenCanvas(16, 16), pen = drawing.getContext('2d');"
        "pen.fillStyle = 'white'; pen.fillRect(0, 0, 8, 16);"
        "const held = new view.DataTransfer(); held.items.add(new view.File([await drawing.convertToBlob()], 'half.png', { type: 'image/png' }));"
        "const field = one('.file'); field.files = held.files; field.dispatchEvent(new view.Event('change'));"
        "await until(() => grey().some((value) => value)); found.pixels = grey();"
        "await until(() => bars().length); found.bars = bars();",
    )
    x = np.array(found["pixels"], np.float32).reshape(8, 8) / 255
    assert (x[:, :4] == 1).all() and not x[:, 4:].any()
    with chainer.using_config("train", False):
        assert found["bars"][0][0] == str(digits(x[None, None]).array.argmax())


def test_several_files_are_a_batch(digits: Any, browser: Browser) -> None:
    found = browser.find(
        "digits",
        "const held = new view.DataTransfer();"
        "for (const [width, height] of [[8, 16], [16, 8], [16, 16]]) {"
        "const drawing = new OffscreenCanvas(16, 16), pen = drawing.getContext('2d'); pen.fillStyle = 'black'; pen.fillRect(0, 0, 16, 16);"
        "pen.fillStyle = 'white'; pen.fillRect(0, 0, width, height);"
        "held.items.add(new view.File([await drawing.convertToBlob()], 'part.png', { type: 'image/png' })); }"
        "const field = one('.file'); field.files = held.files; field.dispatchEvent(new view.Event('change'));"
        "await until(() => bars().length > 20); found.bars = bars(); found.told = one('.others').textContent;"
        "found.rows = all('.row-title').map((row) => row.textContent);"
        "key(one('.pixels'), 'Delete'); await until(() => bars().length <= 20); found.after = one('.others').textContent;",
    )
    x = np.ones((3, 1, 8, 8), np.float32)
    x[0, :, :, 4:] = x[1, :, 4:] = 0
    with chainer.using_config("train", False):
        logits = digits(x).array
    assert found["told"] == "and 2 more images" and found["after"] == ""
    assert found["rows"] == ["row 0", "row 1", "row 2"]
    for row in range(3):
        best = found["bars"][10 * row]
        assert best[0] == str(logits[row].argmax())
        np.testing.assert_allclose(best[1], logits[row].max(), rtol=2e-3)


class Listener(chainer.Chain):
    """Remembers what it was told, and how often."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.lstm = L.LSTM(3, 2)
        self.calls = 0

    def forward(self, x: Any) -> Any:
        assert self.calls < 3, "asked too often"
        self.calls += 1
        return {"h": self.lstm(x), "calls": self.calls}


def test_a_stateful_model_steps(browser: Browser) -> None:
    x = np.array([[1, -2, 0.5]], np.float32)
    model = elichika.compile_model(Listener(), x, state=True)
    browser.write(model, "listener")
    found = browser.find(
        "listener",
        "found.steps = [];"
        "const step = async () => { enter(0, '1 -2, 0.5'); await run(); found.steps.push([bars(), shown(1), one('#calls').textContent]); };"
        "await step(); await step(); await step(); one('#run').click(); await until(() => one('#said.wrong')); found.failed = said();"
        "one('#reset').click(); found.reset = one('#calls').textContent; await step();",
    )
    model.reset()
    for at, (bars, calls, counted) in enumerate(found["steps"]):
        if at == 3:
            model.reset()
        expected = model(x)
        assert calls == str(expected["calls"]) and counted.startswith(calls)
        order = [int(name) for name, _ in bars]
        np.testing.assert_allclose([v for _, v in bars], expected["h"][0][order], rtol=1e-3)
    assert "asked too often" in found["failed"] and "test_web_in_browser.py:" in found["failed"]
    assert found["reset"] == "no call yet"


class Reader(chainer.Chain):
    """Takes words, a bool and a number; gives words and classes."""

    def forward(self, ids: Any, back: Any, k: Any) -> Any:
        sums = F.sum(ids.astype("f"), axis=1, keepdims=True)
        text = ids[:, ::-1] if back else ids
        return {"text": text, "scores": F.concat([sums, k * sums]), "first": ids[0, 0] * k}


def test_words_numbers_and_mistakes(browser: Browser, tmp_path: Path) -> None:
    evil = "<img src=x onerror=top.alert()>"
    (tmp_path / "words.txt").write_text(
        f"the\ncat\nsat\n{evil}\n</script><script>top.alert()</script>\n"
    )
    (tmp_path / "labels.txt").write_text(f"{evil}\nsecond\n")
    ids = np.array([[0, 1, 2]], np.int64)
    axes = {"ids": {0: "batch", 1: "time"}}
    model = elichika.compile_model(Reader(), (ids, True, 2), dynamic_axes=axes)
    files = ("--vocabulary", str(tmp_path / "words.txt"), "--labels", str(tmp_path / "labels.txt"))
    browser.write(model, "reader", *files, "--title", evil)
    found = browser.find(
        "reader",
        "const results = []; const step = async () => { await run(); results.push([said().endsWith(' ms'), shown(0), bars(), shown(2)]); };"
        "enter(0, 'sat cat the\\ncat cat cat'); enter(2, '3'); await step();"
        "one('[type=checkbox].value').click(); enter(0, 'the sat'); await step();"
        f"enter(0, '{evil.split()[0]} dog'); await run(); found.unknown = said();"
        "enter(0, 'the cat\\nsat'); await run(); found.ragged = said();"
        "enter(0, 'the'); enter(2, '1.5'); await run(); found.broken = said();"
        "enter(2, '9007199254740993'); await run(); found.large = said();"
        "found.results = results; found.alarms = window.alarms; found.title = page.title; found.scripts = page.scripts.length;",
    )
    (fine, text, bars, first), (_, other, *_) = found["results"]
    assert fine and text == "sat cat the\ncat cat cat" and first == "6"
    assert bars == [["second", 9], [evil, 3]] * 2
    assert other == "sat the"
    assert found["unknown"] == 'ids: the vocabulary does not have "<img".'
    assert found["ragged"] == "ids: rows have unlike lengths."
    assert found["broken"] == "k: 1.5 is not a whole number."
    assert found["large"] == "k: 9007199254740993 has more digits than a number of a page."
    assert found["alarms"] == 0 and found["title"] == evil and found["scripts"] == 2


class Corners(chainer.Chain):
    """Finds a box in an image: the corners of the quarter that is drawn."""

    def forward(self, image: Any) -> Any:
        bbox = np.array([[2, 3, 10, 12]], np.float32) + F.max(image).array
        return {"bboxes": bbox, "labels": np.array([1]), "scores": F.max(image).array.reshape(1)}


def test_boxes_are_drawn_over_the_image(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "labels.txt").write_text("cat\ndog\n")
    image = np.zeros((1, 3, 16, 16), np.float32)
    axes = {"image": {2: "height", 3: "width"}}
    model = elichika.compile_model(Corners(), image, dynamic_axes=axes)
    browser.write(model, "corners", "--labels", str(tmp_path / "labels.txt"))
    found = browser.find(
        "corners",
        "one('.range').value = '0 255'; one('.height').value = 20; one('.width').value = 40; one('.width').dispatchEvent(new view.Event('change'));"
        "await until(() => shown(0)); found.size = [one('.pixels').width, one('.pixels').height];"
        "const over = one('.over'), data = over.getContext('2d').getImageData(0, 0, over.width, over.height).data;"
        "found.over = [over.width, over.height]; found.lit = [];"
        "for (let at = 0; at < data.length; at += 4) if (data[at + 3]) found.lit.push(at / 4);",
    )
    width, height = found["over"]
    rows, columns = np.divmod(np.array(found["lit"]), width)
    assert found["size"] == [40, 20] and (width, height) == (640, 320)
    assert abs(rows.max() - 10 * 16) <= 3 and abs(columns.min() - 3 * 16) <= 3
    assert abs(columns.max() - 12 * 16) <= 30


@pytest.mark.parametrize("width", [400, 1600])
def test_nothing_is_wider_than_the_window(width: int, digits: Any, browser: Browser) -> None:
    found = browser.find(
        "digits",
        f"await draw({STROKES[1]}); found.wide = page.documentElement.scrollWidth;"
        "found.beside = one('form').getBoundingClientRect().top === one('main > section').getBoundingClientRect().top;",
        width=width,
    )
    assert found["wide"] <= width
    assert found["beside"] == (width == 1600)


class Lists(chainer.Chain):
    """Takes sentences of unlike lengths and arrays of unlike sizes."""

    def forward(self, sentences: Any, parts: Any, weights: Any) -> Any:
        turned = [ids[::-1] for ids in sentences]
        sums = [F.sum(part, axis=0) * weight for part, weight in zip(parts, weights, strict=False)]
        return {"turned": turned, "sums": sums, "lengths": [len(ids) for ids in sentences]}


def test_lists_are_lines(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("the\ncat\nsat\n")
    ids = [np.array(row, np.int32) for row in ([0, 1, 2], [1])]
    parts = [np.ones((2, 3), np.float32), np.ones((4, 3), np.float32)]
    model = elichika.compile_model(Lists(), (ids, parts, [0.5, 2.0]))
    words = tmp_path / "words.txt"
    given = [f"--vocabulary={name}={words}" for name in ("sentences", "turned")]
    browser.write(model, "lists", *given)
    found = browser.find(
        "lists",
        "const step = async () => { await run(); return [shown(0), bars().map(([, value]) => value), shown(2), said()]; };"
        "enter(0, 'sat cat\\n\\nthe cat sat'); enter(1, '[[[1, 2, 3]], [[1, 1, 1], [2, 2, 2.5]]]'); enter(2, '2 -1'); found.first = await step();"
        "enter(0, ''); enter(1, 'zeros 2 3'); enter(2, '1'); found.second = await step();"
        "enter(1, '[[[1, 2]]]'); await run(); found.wrong = said();",
    )
    text, sums, lengths, said = found["first"]
    assert text == "cat sat" + "" + "sat cat the" and lengths == "[3]: 2, 0, 3"
    assert sums == [6, 4, 2, -3, -3, -3.5] and said.endswith(" ms")
    assert found["second"][:3] == ["an empty list", [0, 0, 0], "an empty list"]
    assert found["wrong"] == "parts has size 2 on axis 1, and needs 3."


class Halves(chainer.Chain):
    """Computes in float16."""

    def forward(self, x: Any, k: Any) -> Any:
        return {"y": F.tanh(x) * np.float16(1.5), "z": x * k}


def test_float16(browser: Browser) -> None:
    x = np.array([[0.1, 65504, -6e-8, -np.inf, 1 / 3]], np.float16)
    model = elichika.compile_model(Halves(), (x, np.float16(2)), dynamic_axes="batch")
    browser.write(model, "halves")
    numbers = "0.1 65504 -6e-8 -1e9 0.333333333"
    found = browser.find(
        "halves",
        f"enter(0, '{numbers}'); enter(1, '0.5'); await run(); found.z = bars().slice(5); found.y = bars().slice(0, 5);",
    )
    expected = model(x, np.float16(0.5))
    for name in "yz":
        order = [int(at) for at, _ in found[name]]
        shown = np.array([float(v) if v is not None else -np.inf for _, v in found[name]])
        np.testing.assert_allclose(shown, expected[name][0][order].astype(float), rtol=1e-3)


def test_a_page_of_one_file(browser: Browser) -> None:
    model = elichika.compile_model(Listener(), np.zeros((1, 3), np.float32), state=True)
    model.save(browser.folder / "one.onnx")
    path = browser.folder / "one" / "index.html"
    path.parent.mkdir()
    given = ["web", str(browser.folder / "one.onnx"), "-o", str(path)]
    result = CliRunner().invoke(app, [*given, "--onnxruntime-web", str(PACKAGE)])
    assert result.exit_code == 0, result.output
    assert [one.name for one in path.parent.iterdir()] == ["index.html"]
    found = browser.find(
        "one", "enter(0, '1 -2 0.5'); await run(); found.bars = bars(); found.calls = shown(1);"
    )
    expected = model(np.array([[1, -2, 0.5]], np.float32))
    order = [int(name) for name, _ in found["bars"]]
    np.testing.assert_allclose([v for _, v in found["bars"]], expected["h"][0][order], rtol=1e-3)
    shown = (opened(browser.folder, path.as_uri()) for _ in range(5))
    assert any("Ready." in text for text in shown)


def opened(folder: Path, address: str) -> str:
    """Return what a page of the disk is after a time, which a slow machine may use up elsewhere."""
    done = subprocess.run(
        [
            *(CHROMIUM, *FLAGS, "--dump-dom"),
            *("--virtual-time-budget=60000", f"--user-data-dir={folder / 'profile'}", address),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout


@pytest.mark.skipif(not shutil.which("node"), reason="needs node")
def test_float16_without_a_browsers_own() -> None:
    source = Path("elichika/page/templates/web_values.js").read_text(encoding="utf-8")
    script = f"{source}\nconst given = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
    script += "console.log(JSON.stringify([given.map(halfBits), Array.from({ length: 65536 }, (_, at) => halfBits(ofHalfBits(at)))]));"
    random = np.random.RandomState(0)
    numbers = np.concatenate(
        [
            random.normal(size=2000) * 10.0 ** random.uniform(-9, 6, 2000),
            [0.0, 65519.9, 65520, 1e300],
        ]
    )
    numbers = np.concatenate([numbers, -numbers, 1 + np.arange(9) / 2048])
    done = subprocess.run(
        ["node", "-e", script], input=json.dumps(numbers.tolist()), capture_output=True, text=True
    )
    bits, back = json.loads(done.stdout)
    with np.errstate(over="ignore"):
        expected = numbers.astype(np.float16).view(np.uint16)
    np.testing.assert_array_equal(bits, expected)
    every = np.arange(65536, dtype=np.uint16)
    number = ~np.isnan(every.view(np.float16))
    np.testing.assert_array_equal(np.array(back)[number], every[number])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(find_spec("chainercv") is None, reason="needs chainercv: make detectors")
def test_a_detector_finds_what_chainercv_finds(browser: Browser, tmp_path: Path) -> None:
    detectors = {model.name: model for model in DETECTORS}
    chain, images = detectors["SSD300"].build(), detectors["SSD300"].inputs()
    (tmp_path / "classes.txt").write_text("cat\ndog\ncow\nowl\nbee\n")
    model = elichika.compile_model(chain, images, method="predict", verify=False)
    told = ("--image=imgs=0:255", f"--boxes={model.signature.outputs.specs[0].name}")
    browser.write(model, "detector", *told, "--labels", str(tmp_path / "classes.txt"))
    found = browser.find(
        "detector",
        "const drawing = new OffscreenCanvas(180, 120), pen = drawing.getContext('2d'), noise = pen.createImageData(180, 120);"
        "let seed = 1; noise.data.forEach((_, at) => { seed = (seed * 16807) % 2147483647; noise.data[at] = at % 4 === 3 ? 255 : seed % 256; }); pen.putImageData(noise, 0, 0);"
        "const held = new view.DataTransfer(); held.items.add(new view.File([await drawing.convertToBlob()], 'noise.png', { type: 'image/png' }));"
        "one('#said').textContent = '…'; const field = one('.file'); field.files = held.files; field.dispatchEvent(new view.Event('change'));"
        "await until(() => said().endsWith(' ms')); const pad = one('.pixels'); found.size = [pad.width, pad.height];"
        "found.pixels = [...pad.getContext('2d').getImageData(0, 0, pad.width, pad.height).data];"
        "found.shown = [shown(0), shown(1), shown(2)]; found.range = one('.range').value;"
        "const over = one('.over'), data = over.getContext('2d').getImageData(0, 0, over.width, over.height).data;"
        "found.lit = data.filter((value, at) => at % 4 === 3 && value).length;",
    )
    assert found["size"] == [180, 120] and found["range"] == "0 255"
    pixels = np.array(found["pixels"], np.float32).reshape(120, 180, 4)[:, :, :3]
    with chainer.using_config("train", False):
        (boxes,), (labels,), (scores,) = chain.predict([pixels.transpose(2, 0, 1)])
    assert len(boxes) > 20
    for shown, expected in zip(found["shown"], (boxes, labels, scores), strict=True):
        size, _, numbers = shown.partition("]: ")
        assert size == "[" + ", ".join(map(str, expected.shape))
        values = [float(number) for number in numbers.split(", and")[0].split(", ")]
        few = expected.reshape(-1)[: len(values)]
        np.testing.assert_allclose(values, few, rtol=2e-3, atol=2e-3 * np.abs(few).max())
    assert found["lit"] > 1000
