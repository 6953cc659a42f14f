"""The page of a report in a real browser, headless Chromium: `make browser`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import elichika
from tests.page.browser import CHROMIUM
from tests.page.browser import Browser as Served
from tests.page.test_report_page import LOOP, PROGRAM, STEP
from tests.programs import f32
from tests.sources import module_of

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM, reason="needs chromium, a package of Debian"),
]

WRAPPER = """<!doctype html><body style="margin:0">
<iframe src="REPORT" style="border:0;width:WIDTHpx;height:900px"></iframe>
<script>
window.alarms = 0;
window.alert = () => { window.alarms += 1; };
const frame = document.querySelector("iframe");
const begun = performance.now();
frame.onload = async () => {
  const page = frame.contentDocument, view = frame.contentWindow;
  const line = (text) => [...page.querySelectorAll(".line")].find((one) => one.textContent.includes(text));
  const lit = (kind) => [...page.querySelectorAll(`.${kind}.lit`)].map((one) => one.textContent);
  const key = (name) => page.activeElement.dispatchEvent(new view.KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
  const over = (item) => item.dispatchEvent(new view.MouseEvent("mouseover", { bubbles: true }));
  const found = { seconds: (performance.now() - begun) / 1000 };
  try { (() => { ACT })(); } catch (error) { found.error = String(error); }
  await fetch("ANSWER", { method: "POST", body: JSON.stringify(found) });
};
</script>"""


class Browser(Served):
    def find(self, act: str, report: str = "report.html", width: int = 1600) -> dict[str, Any]:
        """Act on a page, in JavaScript that writes to `found`; return that."""
        text = WRAPPER.replace("REPORT", report).replace("WIDTH", str(width))
        return self.answer(text.replace("ACT", act))


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    folder = tmp_path_factory.mktemp("pages")
    chain = module_of(PROGRAM, "shown.py")["Net"]()
    axes = {"x": {0: "rows"}}
    model = elichika.compile_model(chain, (f32(2, 3), 3), dynamic_axes=axes)
    model.report.save_html(folder / "report.html", profile=(f32(2, 3), 3))
    made = Browser(folder)
    yield made
    made.close()


def test_pointing_at_a_line_lights_its_operators(browser: Browser) -> None:
    found = browser.find(
        f'over(line("{STEP}")); found.groups = lit("group"); found.lines = lit("line");'
        f'over(line("return {{")); found.after = lit("line");'
    )
    assert found["groups"]
    assert any("Tanh" in text for text in found["groups"])
    assert len(found["lines"]) == 1
    assert len(found["after"]) == 1 and "return {" in found["after"][0]


def test_pointing_at_operators_lights_their_lines(browser: Browser) -> None:
    found = browser.find(
        'const tanh = [...page.querySelectorAll(".row")].find((row) => row.textContent.includes("Tanh("));'
        'over(tanh); found.lines = lit("line"); found.color = view.getComputedStyle(tanh).backgroundColor;'
        'const other = [...page.querySelectorAll(".row")].find((row) => row.textContent.includes("Gemm("));'
        "found.other = view.getComputedStyle(other).backgroundColor;"
    )
    for text in (STEP, "y = step(y, i)"):
        assert any(text in line for line in found["lines"])
    assert len(found["lines"]) == 2
    assert found["color"] != found["other"]


def test_the_keyboard_goes_through_both_sides(browser: Browser) -> None:
    found = browser.find(
        "const stops = (id) => page.querySelectorAll(`#${id} [tabindex='0']`).length;"
        'found.stops = [stops("source"), stops("operators")];'
        "page.querySelector('#source [tabindex=\"0\"]').focus();"
        "found.first = page.activeElement.textContent; key('ArrowDown');"
        "found.second = page.activeElement.textContent; found.lit = lit('group').length;"
        "key('Enter'); found.other = page.activeElement.className;"
        "found.back = lit('line'); key('End'); key('ArrowDown'); found.end = page.activeElement.className;"
        'found.stopsAfter = [stops("source"), stops("operators")];'
    )
    assert found["stops"] == found["stopsAfter"] == [1, 1]
    assert "self.first(x)" in found["first"]
    assert LOOP in found["second"]
    assert found["lit"]
    assert "group" in found["other"] and "group" in found["end"]
    assert any(LOOP in line for line in found["back"])


def test_going_to_operators_opens_their_box(browser: Browser) -> None:
    found = browser.find(
        'const box = page.querySelector("details.Loop"); box.open = false;'
        f'line("{STEP}").focus(); found.open = box.open;'
    )
    assert found["open"]


def test_texts_of_the_program_do_nothing(browser: Browser) -> None:
    found = browser.find(
        "found.alarms = window.alarms; found.scripts = page.scripts.length;"
        "const script = page.createElement('script'); script.textContent = 'window.ran = true';"
        "page.body.append(script); found.ran = view.ran === true;"
        "const image = page.createElement('img'); image.src = 'data:,'; page.body.append(image);"
    )
    assert found["alarms"] == 0
    assert found["scripts"] == 1
    assert not found["ran"]


@pytest.mark.parametrize("width", [400, 1600])
def test_nothing_is_wider_than_the_window(browser: Browser, width: int) -> None:
    found = browser.find(
        "found.wide = page.documentElement.scrollWidth; found.view = view.innerWidth;"
        "const sides = [...page.querySelectorAll('.side')].map((one) => one.getBoundingClientRect().top);"
        "found.beside = sides[0] === sides[1];",
        width=width,
    )
    assert found["view"] == width
    assert found["wide"] <= width
    assert found["beside"] == (width == 1600)


def test_a_long_page_opens_soon(browser: Browser) -> None:
    lines = "".join(f"        x = F.tanh(x) * {i}.5\n" for i in range(2250))
    text = "import chainer\nfrom chainer import functions as F\nclass Long(chainer.Chain):\n"
    text += f"    def forward(self, x):\n{lines}        return x\n"
    chain = module_of(text, "long.py")["Long"]()
    model = elichika.compile_model(chain, f32(2, 3), verify=False)
    model.report.save_html(browser.folder / "long.html")
    found = browser.find(
        "const start = performance.now();"
        "over(line('* 2000.5')); found.lit = lit('group').length; page.body.offsetHeight;"
        "found.lighting = (performance.now() - start) / 1000;",
        report="long.html",
    )
    print(found)
    assert found["lit"] == 1
    assert found["seconds"] < 5
    assert found["lighting"] < 1
