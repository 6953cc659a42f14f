"""The page of a report: lines beside operators, loops and branches as boxes, what was verified."""

from __future__ import annotations

import copy
import pickle
import re
from pathlib import Path
from typing import Any

import chainer
import numpy as np
import pytest

import elichika
from elichika import InputError
from elichika.model.report import Report
from tests.page.parsed import Element, parsed
from tests.programs import f32
from tests.sources import module_of

PROGRAM = """
import chainer
from chainer import functions as F, links as L


class Net(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.first = L.Linear(3, 4)

    def forward(self, x, n):
        y = self.first(x)
        for i in range(n):
            y = step(y, i)
        for k in range(2):
            y = y + k
        if F.sum(y).array > 1e9:
            y = F.normalize(y)
        return {"y": y, "one": F.softmax(x[:, :1])}


def step(y, i):
    "<script>alert('&')</script>"
    return F.tanh(y) * 0.5 + i
"""
LOOP, STEP = "for i in range(n):", "return F.tanh(y) * 0.5 + i"


@pytest.fixture(scope="module")
def model() -> Any:
    chain = module_of(PROGRAM, "shown.py")["Net"]()
    axes = {"x": {0: "rows"}}
    return elichika.compile_model(chain, (f32(2, 3), 3), dynamic_axes=axes)


@pytest.fixture(scope="module")
def page(model: Any) -> Element:
    return parsed(model.report.to_html())


def line_of(page: Element, text: str) -> Element:
    (found,) = [one for one in page.all(class_="line") if text in one.text]
    return found


def groups_of(page: Element, line: Element) -> list[Element]:
    index = line.attributes["data-line"]
    groups = page.all("div", class_="group")
    return [one for one in groups if index in one.attributes["data-of"].split()]


def own_rows(group: Element) -> str:
    rows = [c for c in group.children if isinstance(c, Element) and c.has("class_", "row")]
    return " ".join(row.text for row in rows)


def test_each_line_lies_beside_its_operators(page: Element) -> None:
    assert "Loop" in " ".join(map(own_rows, groups_of(page, line_of(page, LOOP))))
    inner = groups_of(page, line_of(page, STEP))
    assert "Tanh" in " ".join(map(own_rows, inner))
    caller = groups_of(page, line_of(page, "y = step(y, i)"))
    assert all(group in caller for group in inner)
    assert "Tanh" not in " ".join(map(own_rows, groups_of(page, line_of(page, "y = y + k"))))


def test_every_operator_is_there_once(model: Any, page: Element) -> None:
    rows = [row.text for row in page.all(class_="row")]
    assert len(rows) == model.report.shown.storage.nodes
    assert len({row.split(" = ")[0] for row in rows}) == len(rows)


def test_lines_say_what_became_of_them(page: Element) -> None:
    def notes(text: str) -> list[str]:
        return [note.text for note in line_of(page, text).all(class_="note")]

    assert notes(LOOP) == ["loop kept: its length is known at run time"]
    assert notes("for k in range(2)") == ["loop unrolled: 2 iterations"]
    assert notes("if F.sum(y)") == ["branch kept: its test is known at run time"]
    assert notes("y = F.normalize(y)") == ["no verified input reached this"]
    assert notes("return {") == []


def test_loops_and_branches_are_boxes_within_boxes(page: Element) -> None:
    (loop,) = page.all("details", class_="Loop")
    assert "Tanh" in loop.text and "Softmax" not in loop.text
    (carried,) = loop.all(class_="carried")
    assert "float32[rows, 4]" in carried.text
    arms = [arm for arm in page.all("details", class_="If")]
    titles = [next(arm.all("summary")).text.split(" · ")[0] for arm in arms]
    assert sorted(titles) == ["If else", "If then"]


def test_a_softmax_that_never_moves_is_weak(model: Any, page: Element) -> None:
    (weak,) = page.all(class_="weak")
    assert "result['one']" in weak.text
    found = model.report.verification
    assert list(found.still) == ["['one']"]
    assert len(list(page.all("circle"))) == len(found.agreed) == len(found.errors)
    assert max(found.errors.values()) == found.worst


def test_sizes_and_parameters(page: Element) -> None:
    assert "float32[rows, 3]" in page.text
    rows = [[cell.text for cell in row.all("td")] for row in page.all("tr")]
    assert ["/first", "1", "2", "64"] in rows


def test_texts_of_the_program_are_texts(model: Any) -> None:
    html = model.report.to_html()
    assert html.count("<script>") == 1
    assert "&lt;script&gt;alert(" in html
    assert "default-src 'none'" in html
    assert not re.search(r"src\s*=", html)
    assert all(link.attributes["href"].startswith("#") for link in parsed(html).all("a"))


def test_names_of_layers_and_outputs_are_texts() -> None:
    bad = "<img src=x onerror=alert(1)>"

    class Named(chainer.Chain):
        def forward(self, x: Any) -> Any:
            return x + 1

    model = elichika.compile_model(Named(), f32(2), verify=False, input_names=["x"])
    model.report.note(None, bad)
    html = model.report.to_html()
    assert bad not in html
    assert "&lt;img src=x" in html


def test_profile(model: Any) -> None:
    page = parsed(model.report.to_html(profile=(f32(5, 3), 4)))
    assert list(line_of(page, LOOP).all(class_="bar"))
    (table,) = [one for one in page.all("section") if one.has("aria-labelledby", "time")]
    assert "/first" in table.text and "forward itself" in table.text


def test_the_loop_takes_longer_with_more_turns(model: Any) -> None:
    shown = model.report.shown
    few, many = (shown._profile((f32(400, 3), turns)) for turns in (1, 400))
    (tanh,) = [name for name in many.nodes if "Tanh" in name]
    assert many.nodes[tanh] > 20 * few.nodes[tanh]


def test_inputs_that_do_not_fit(model: Any) -> None:
    with pytest.raises(InputError):
        model.report.to_html(profile=(f32(5, 4), 4))


def test_a_model_from_a_file(model: Any, tmp_path: Path) -> None:
    model.save(tmp_path / "net.onnx")
    loaded = elichika.load(tmp_path / "net.onnx")
    loaded.report.save_html(tmp_path / "report.html")
    page = parsed((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert next(page.all("h1")).text == "net.onnx"
    assert "not verified" in page.text
    assert len(list(page.all(class_="row"))) == model.report.shown.storage.nodes


def test_copies_have_their_own_page(model: Any) -> None:
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert other.report.shown is not model.report.shown
        assert list(parsed(other.report.to_html()).all("details", class_="Loop"))
    assert copy.deepcopy(model.report).shown is None


def test_notebooks(model: Any) -> None:
    frame = next(parsed(model.report._repr_html_()).all("iframe"))
    assert frame.attributes["sandbox"] == "allow-scripts"
    assert frame.attributes["srcdoc"] == model.report.to_html()
    alone = Report(notes=[("", "<b>")])
    assert alone._repr_html_() == "<pre>&lt;b&gt;</pre>"
    with pytest.raises(
        InputError,
        match=re.escape("This report has no model: a page is made of the one of a model."),
    ):
        alone.to_html()


def test_a_program_that_leaves_nothing() -> None:
    chain = module_of(
        "import chainer\nclass Same(chainer.Chain):\n    def forward(self, x):\n        return x\n",
        "same.py",
    )["Same"]()
    for inputs in (f32(2, 3), np.float32(3), np.zeros((0, 2), np.float32)):
        page = parsed(elichika.compile_model(chain, inputs).report.to_html(profile=inputs))
        assert "return x" in page.text


def test_a_page_of_many_operators_is_small() -> None:
    lines = "".join(f"        x = F.tanh(x) * {i}.5\n" for i in range(2250))
    text = "import chainer\nfrom chainer import functions as F\nclass Long(chainer.Chain):\n"
    text += f"    def forward(self, x):\n{lines}        return x\n"
    chain = module_of(text, "long.py")["Long"]()
    model = elichika.compile_model(chain, f32(2, 3), verify=False)
    html = model.report.to_html()
    assert len(list(parsed(html).all(class_="row"))) >= 4500
    assert len(html.encode()) < 3e6
