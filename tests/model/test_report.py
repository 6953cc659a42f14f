"""What the report says of each loop and branch, and what errors say of types that do not join."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import elichika
from tests.programs import f32
from tests.sources import module_of

HEAD = "import chainer\nclass Model(chainer.Chain):\n    def forward(self, x, n, c):\n"
LOOPS = """
y = x
for i in range(3):                  #6 loop unrolled (3 iterations)
    y = y + i
for i in range(n):                  #8 loop kept (its length is known at run time)
    y = y * 2
    for k in range(2):              #10 loop unrolled (2 iterations)
        y = y + k
for i in range(100):                #12 loop kept (100 iterations, over the limit)
    y = y + 1
while y.sum() < 10:                 #14 loop kept (its test is known at run time)
    y = y + 1
k = 0
while k < 3:                        #17 loop unrolled (3 iterations)
    k += 1
for row in x:                       #19 loop kept (its length is known at run time)
    if n > 1: break                 #20 branch kept (its test is known at run time)
return y
"""
BRANCHES = """
y = x
if c:                               #6 branch kept (its test is known at run time)
    y = y + 1
if x.ndim == 2:                     #8 branch decided (its test is always True)
    y = y * 2
    if n > 7: return y              #10 branch kept (its test is known at run time)
if x is None:                       #11 branch decided (its test is always False)
    y = y + 5
z = y if n > 2 else x               #13 branch kept (its test is known at run time)
if x.shape[1] > 2 and y is x: pass  #14 branch decided (its test is always False)
for i in range(4):                  #15 loop unrolled (4 iterations)
    if i % 2:                       #16 branch decided (its test is known each time it is reached)
        y = y + i
h = None
for i in range(n):                  #19 loop kept (its length is known at run time; YY)
    if h is None:                   #20 branch decided (XX)
        h = x * i
for i in range(100):                #22 loop unrolled (100 iterations)
    if i == 99: y = y + [1, 2, 3] + int("5" * (i % 3 + 1))  #23 branch decided (XX)
for i in [x]:                       #24 loop unrolled (1 iteration)
    y = y + i
return y
"""


def forward_of(lines: str, name: str) -> Any:
    """A chain whose forward is some lines; the first one is line 5 of its file."""
    body = "".join(f"        {line}\n" for line in lines.splitlines())
    return module_of(HEAD + body, f"{name}.py")["Model"]()


@pytest.mark.parametrize(("name", "lines"), [("loops", LOOPS), ("branches", BRANCHES)])
def test_report_names_every_loop_and_branch(name: str, lines: str) -> None:
    lines = lines.replace("XX", "its test is known each time it is reached")
    lines = lines.replace("YY", "its first iteration stands before it")
    model = elichika.compile_model(
        forward_of(lines, name), (f32(2, 3), 2, True), dynamic_axes={0: {0: "rows"}}, verify=False
    )
    expected = [f"{name}.py:{line.split('#')[1]}" for line in lines.splitlines() if "#" in line]
    expected = [entry.replace(" ", ": ", 1) for entry in expected]
    found = [line for line in str(model.report).splitlines() if line.startswith(name)]
    assert sorted(found) == sorted(expected)


CONFLICTS = {
    "s = x\nfor i in range(n):\n    s = (s, x[0])\nreturn s": (
        "`s` has no common type here: it nests deeper at each iteration of a loop; it is one of "
        "float32[rows, 3], (one of ..., float32[3]) (conflict.py:4) before the loop, "
        "(one of float32[rows, 3], (...), float32[3]) (conflict.py:6) after an iteration\n"
        '  File "conflict.py", line 7, in forward\n'
        "    return s\n"
        "           ^\n"
        "Hint: let each level be an object of a class or a dict, or hold the parts side by side in "
        "arrays or lists: `left[i]`, `right[i]`"
    ),
    "d = {}\nif c:\n    d['a'] = x\n    d['b'] = n\nelse:\n    d['b'] = n\n    d['a'] = x\n"
    "return d": (
        "this dict has no common form here: a dict whose keys come in another order on each "
        "side; it is a dict with the keys 'a', 'b' (conflict.py:7) if the condition holds, a dict "
        "with the keys 'b', 'a' (conflict.py:10) else\n"
        '  File "conflict.py", line 11, in forward\n'
        "    return d"
    ),
    "s = b'a'\nfor i in range(n):\n    s = s + b'b'\nreturn x if s == b'ab' else x * 2": (
        "`s` has no common type here: more than 8 different values; it is one of b'a', b'ab', "
        "b'abb', ... (conflict.py:4) before the loop, one of b'ab', b'abb', b'abbb', ... "
        "(conflict.py:6) after an iteration\n"
        '  File "conflict.py", line 7, in forward\n'
        "    return x if s == b'ab' else x * 2\n"
        "                ^"
    ),
}


@pytest.mark.parametrize("lines", CONFLICTS)
def test_conflict_names_both_types_and_where_they_come_from(lines: str) -> None:
    with pytest.raises(elichika.StagingError) as caught:
        elichika.compile_model(
            forward_of(lines, "conflict"),
            (np.ones((2, 3), np.float32), 2, True),
            dynamic_axes={0: {0: "rows"}},
            verify=False,
        )
    assert str(caught.value) == CONFLICTS[lines]


def test_an_order_that_numpy_leaves_open_is_noted() -> None:
    model = elichika.compile_model(
        forward_of("import numpy as np\nreturn np.argpartition(x, 1)[:, :1]", "parts"),
        (np.ones((2, 3), np.float32), 2, True),
        verify=False,
    )
    assert "order within the parts of a partition" in str(model.report)
