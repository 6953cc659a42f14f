"""Whether the text of a file is what a function was made of.

A file may be edited after it was imported: in a notebook, an editor beside a session. What its text
says then is not what the function does.
"""

from __future__ import annotations
import __future__

import ast
import functools
import types
from collections.abc import Iterator

__all__ = ["MARK", "is_compiled_from"]

MARK = "@elichika"
"""What the names begin with that we write into functions which tell how they run."""
#: What pytest writes into functions whose `assert` it explains, and we.
_REWRITTEN = ("@py", MARK)
#: What of a code object says what it does, beside its constants.
_PARTS = ("co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_argcount")
_FEATURES = functools.reduce(
    int.__or__, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)


def is_compiled_from(code: types.CodeType, text: str) -> bool:
    """Tell whether a function is what Python makes of the text of its file.

    Args:
        code: That of the function; what pytest rewrote is taken for unchanged.
        text: All of the file.
    """
    if any(name.startswith(_REWRITTEN) for name in (*code.co_names, *code.co_varnames)):
        return True
    place = code.co_name, code.co_firstlineno
    try:
        for whole in (True, False):
            made = _codes(text, code.co_filename, code.co_flags & _FEATURES, whole)
            if any(_is_same(code, one) for one in made.get(place, ())):
                return True
    except (SyntaxError, ValueError):
        pass
    return False


@functools.lru_cache(maxsize=64)
def _codes(
    text: str, file: str, flags: int, whole: bool
) -> dict[tuple[str, int], list[types.CodeType]]:
    """Return the functions of a text by their names and first lines.

    Args:
        text: All of a file, or the cell of a notebook.
        file: Its name.
        flags: What it is compiled with.
        whole: Whether it is compiled as one, as files are; IPython compiles the statements of a
            cell one by one, and Python calls `F.relu` in another way where it sees F imported.
    """
    found: dict[tuple[str, int], list[types.CodeType]] = {}
    flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # a notebook's cell may have it
    tree = compile(text, file, "exec", flags | ast.PyCF_ONLY_AST, dont_inherit=True)
    for unit in (tree,) if whole else (ast.Module([one], []) for one in tree.body):
        for code in _inside(compile(unit, file, "exec", flags, dont_inherit=True)):
            found.setdefault((code.co_name, code.co_firstlineno), []).append(code)
    return found


def _inside(code: types.CodeType) -> Iterator[types.CodeType]:
    todo = [code]
    while todo:
        code = todo.pop()
        yield code
        todo += [held for held in code.co_consts if isinstance(held, types.CodeType)]


def _is_same(a: types.CodeType, b: types.CodeType) -> bool:
    if any(getattr(a, part) != getattr(b, part) for part in _PARTS):
        return False
    return len(a.co_consts) == len(b.co_consts) and all(
        map(_is_same_constant, a.co_consts, b.co_consts)
    )


def _is_same_constant(a: object, b: object) -> bool:
    if isinstance(a, types.CodeType) and isinstance(b, types.CodeType):
        return _is_same(a, b)
    if isinstance(a, frozenset):  # its text has no fixed order
        return type(a) is type(b) and a == b
    return type(a) is type(b) and repr(a) == repr(b)  # nan, -0.0, 1 and True in tuples
