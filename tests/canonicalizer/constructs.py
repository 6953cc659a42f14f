"""Every construct of Python 3.10 to 3.13: what the canonicalizer makes of it.

An example is the body of a function. A *kept* one comes back as it is; a *rewritten* one comes
back in other words, without the nodes that the row names and the canonical grammar lacks; a
*refused* one raises, with a reason that has the words of `why` in it.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["KEPT", "NOT_SYNTAX", "REFUSED", "REWRITTEN", "ROWS", "Row"]

KEPT, REWRITTEN, REFUSED = "kept", "rewritten", "refused"


@dataclass(frozen=True)
class Row:
    """One construct."""

    construct: str
    nodes: str  # the types of gast nodes that say it
    verdict: str
    example: str
    why: str = ""
    since: tuple[int, int] = (3, 10)


#: Types that no program of Python 3 holds, or that hold a program and are none themselves.
NOT_SYNTAX = {
    "AugLoad", "AugStore", "Exec", "Expression", "FunctionType", "Interactive", "Print", "Repr",
    "Suite", "TypeIgnore",
}  # fmt: skip

STATEMENTS = [
    Row("assignment to a name, attribute, item or slice", "Assign Name Attribute Subscript Slice "
        "Store Load", KEPT, "x = y\no.x = y\no[0] = y\no[1:2, ::3] = y"),
    Row("chained assignment", "Assign", REWRITTEN, "a = o.b = f()"),
    Row("assignment to a tuple or list, nested, with a star", "Assign Tuple List Starred",
        REWRITTEN, "a, [b, *c] = f()"),
    Row("swap", "Assign Tuple", REWRITTEN, "a, b = b, a"),
    Row("augmented assignment to a name", "AugAssign", KEPT, "x += 1"),
    Row("augmented assignment to an attribute, item or slice", "AugAssign", REWRITTEN,
        "f().x += g()\no[i:j()] *= 2"),
    Row("annotated assignment in a function", "AnnAssign", REWRITTEN, "x: int = f()\ny: int"),
    Row("annotated assignment in a class", "AnnAssign", KEPT,
        "class A:\n    x: int = 1\n    y: int"),
    Row("`del` of one name, attribute or item", "Delete Del", KEPT, "del x\ndel o.x\ndel o[0]"),
    Row("`del` of several", "Delete", REWRITTEN, "del x, (o.x, o[0])"),
    Row("expression alone", "Expr", KEPT, "f()"),
    Row("`pass`", "Pass", KEPT, "pass"),
    Row("`import`, `from … import`", "Import ImportFrom alias", KEPT,
        "import a.b as c\nfrom a import b"),
    Row("`global`, `nonlocal` at the start", "Global Nonlocal", KEPT,
        "global x\ny = 0\n\ndef g():\n    nonlocal y\n    y = x"),
    Row("`global`, `nonlocal` further down", "Global", REWRITTEN, "f()\nglobal x\nx = 1"),
    Row("`assert`", "Assert", REWRITTEN, "assert x > 0, f()"),
    Row("`raise`, `raise … from`", "Raise", KEPT, "raise A from b"),
]  # fmt: skip

FLOW = [
    Row("`if`, `elif`, `else`", "If", KEPT, "if a:\n    f()\nelif b:\n    g()\nelse:\n    h()"),
    Row("`for` over a name", "For", KEPT, "for x in xs:\n    f(x)"),
    Row("`for` over tuples, attributes or items", "For", REWRITTEN,
        "for i, o.x in xs:\n    f(i)"),
    Row("`for … else`", "For", REWRITTEN,
        "for x in xs:\n    if x:\n        break\nelse:\n    f()"),
    Row("`while`", "While", KEPT, "while f(x):\n    x = g(x)"),
    Row("`while … else`", "While", REWRITTEN,
        "while f():\n    if x:\n        break\n    g()\nelse:\n    h()"),
    Row("`continue`", "Continue", REWRITTEN,
        "for x in xs:\n    if x:\n        continue\n    f(x)"),
    Row("`break` in a `while`", "Break", REWRITTEN,
        "while f():\n    if g():\n        break\n    h()"),
    Row("`break` in a `for`", "Break", REWRITTEN,
        "for x in xs:\n    if f(x):\n        break\n    g(x)"),
    Row("`if done: break` at the end of a `for`", "Break", KEPT,
        "for x in xs:\n    done = f(x)\n    if done:\n        break"),
    Row("`return` at the end", "Return", KEPT, "x = f()\nreturn x"),
    Row("`return` elsewhere", "Return", REWRITTEN,
        "if f():\n    return 1\ng()\nreturn 2"),
    Row("`return` out of loops", "Return", REWRITTEN,
        "for x in xs:\n    while f(x):\n        return x\ng()"),
    Row("`with` of one, kept in a name if at all", "With withitem", KEPT,
        "with f() as x:\n    g(x)"),
    Row("`with` of several, or kept in another target", "With withitem", REWRITTEN,
        "with f() as x, g() as (y, z):\n    h()"),
    Row("`try`, `except`, `else`, `finally`", "Try ExceptHandler", KEPT,
        "try:\n    f()\nexcept (A, B) as e:\n    g(e)\nexcept C:\n    raise\nelse:\n    h()\n"
        "finally:\n    i()"),
    Row("jumps out of `with` and `try`", "With Try Return", REWRITTEN,
        "with f():\n    if x:\n        return 1\n"
        "    try:\n        return g()\n    finally:\n        h()"),
    Row("`return`, `break`, `continue` that leave a `finally`", "Try", REWRITTEN,
        "try:\n    f()\nfinally:\n    return 1"),
    Row("the same where what it guards leaves the `try`, too", "Try", REFUSED,
        "try:\n    return f()\nfinally:\n    return 1", "its `try` leaves, too"),
    Row("`try … except*`", "TryStar", REFUSED, "try:\n    f()\nexcept* A:\n    pass", "`except*`",
        (3, 11)),
    Row("`match` with values, captures, `as`, `|`, guards", "Match match_case MatchValue "
        "MatchSingleton MatchAs MatchOr", REWRITTEN,
        "match f():\n    case 0 | -1:\n        a()\n    case None:\n        b()\n"
        "    case int() as x if x > 2:\n        c(x)\n    case _:\n        d()"),
    Row("`match` with sequences", "Match MatchSequence MatchStar", REWRITTEN,
        "match f():\n    case [a, *b]:\n        g(a, b)"),
    Row("`match` with mappings", "Match MatchMapping", REWRITTEN,
        "match f():\n    case {'k': a, **b}:\n        g(a, b)"),
    Row("`match` with classes, by attribute", "Match MatchClass", REWRITTEN,
        "match f():\n    case A(x=1, y=a):\n        g(a)"),
    Row("`match` with `int(x)` and its like", "Match MatchClass", REWRITTEN,
        "match f():\n    case int(x) | str(x):\n        g(x)"),
    Row("`match` with classes, by position", "MatchClass", REFUSED,
        "match f():\n    case A(1):\n        g()", "`__match_args__`"),
    Row("`match` with several keys, one of them a name", "MatchMapping", REFUSED,
        "match f():\n    case {A.k: 1, 'b': 2}:\n        g()", "a named key"),
]  # fmt: skip

DEFINITIONS = [
    Row("function, with parameters of all kinds", "FunctionDef arguments Param", KEPT,
        "@d\ndef g(a, /, b=1, *c, e: int=2, **h) -> int:\n    'Doc.'\n    return a"),
    Row("`lambda`", "Lambda", KEPT, "g = lambda a, *b, c=1: a + c"),
    Row("`lambda` with a comprehension in it", "Lambda", REWRITTEN,
        "g = lambda a: [b for b in a]"),
    Row("class", "ClassDef", KEPT,
        "@d\nclass A(B, m=C):\n    x = 1\n\n    def f(self):\n        pass"),
    Row("value of a `yield`", "Yield", KEPT, "x = yield\ny = yield x"),
    Row("generator", "Yield", REWRITTEN, "yield x"),
    Row("value of a `yield from`", "YieldFrom", KEPT, "x = yield from f()"),
    Row("`yield from`", "YieldFrom", REWRITTEN, "yield from f()"),
    Row("`async def`", "AsyncFunctionDef", REFUSED, "async def g():\n    pass", "`async def`"),
    Row("`await`", "Await", REFUSED, "async def g():\n    await f()", "`async def`"),
    Row("`async for`", "AsyncFor", REFUSED, "async def g():\n    async for x in y:\n        pass",
        "`async def`"),
    Row("`async with`", "AsyncWith", REFUSED, "async def g():\n    async with x:\n        pass",
        "`async def`"),
    Row("asynchronous comprehension", "comprehension", REFUSED,
        "async def g():\n    return [x async for x in y]", "asynchronous"),
    Row("type parameters (`def f[T]`, `class A[T]`)", "TypeVar", REFUSED,
        "def g[T](x: T) -> T:\n    return x", "type parameters", (3, 12)),
    Row("type parameters (`**P`, `*Ts`)", "ParamSpec TypeVarTuple", REFUSED,
        "def g[**P, *Ts](x: Ts) -> P:\n    return x", "type parameters", (3, 12)),
    Row("`type` statement", "TypeAlias", REFUSED, "type X = int", "`type` statement", (3, 12)),
]  # fmt: skip

EXPRESSIONS = [
    Row("constant", "Constant", KEPT, "f(1, 2.5, 3j, 'a', b'b', None, True, ...)"),
    Row("negative number", "UnaryOp USub", REWRITTEN, "f(-1)"),
    Row("unary operators", "UnaryOp Not Invert UAdd USub", KEPT, "f(not a, ~a, +a, -a)"),
    Row("binary operators", "BinOp Add Sub Mult Div FloorDiv Mod Pow MatMult LShift RShift BitAnd "
        "BitOr BitXor", KEPT,
        "f(a + b - c, a * b / c // d % e ** f, a @ b, a << b >> c, a & b | c ^ d)"),
    Row("`and`, `or`, lazy", "BoolOp And Or", KEPT, "f(a and b or c)"),
    Row("conditional expression, lazy", "IfExp", KEPT, "f(a if b else c)"),
    Row("comparison", "Compare Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn", KEPT,
        "f(a == b, a != b, a < b, a <= b, a > b, a >= b, a is b, a is not b, a in b, a not in b)"),
    Row("chained comparison", "Compare", REWRITTEN, "f(a < g() <= b)"),
    Row("call", "Call keyword Starred", KEPT, "f(a, *b, c=d, **e)"),
    Row("displays", "List Tuple Set Dict", KEPT, "f([a, *b], (a,), {a, *b}, {a: b, **c})"),
    Row("list, set and dict comprehension", "ListComp SetComp DictComp comprehension",
        REWRITTEN,
        "a = [f(x) for x in xs if x]\nb = {x for x, y in xs}\nc = {x: y for x in xs}"),
    Row("generator expression", "GeneratorExp", REWRITTEN, "g(f(x) for x in xs for y in x)"),
    Row("comprehension that holds `super()`", "ListComp", REFUSED, "[super().f(x) for x in xs]",
        "`super()`"),
    Row("comprehension over `super()`", "ListComp", REWRITTEN, "[f(x) for x in super().f(a)]"),
    Row("walrus", "NamedExpr", KEPT, "f((a := g()), a)"),
    Row("walrus in a comprehension", "NamedExpr ListComp", REWRITTEN, "[(y := x) for x in xs]"),
    Row("f-string", "JoinedStr FormattedValue", KEPT, "f(f'{a!r:>{b}} {c}')"),
    Row("template string", "TemplateStr Interpolation", REFUSED, "f(t'{a}')", "a template string",
        (3, 14)),
    Row("whole module", "Module", KEPT, "pass"),
]  # fmt: skip

ROWS = {
    "Statements": STATEMENTS,
    "Control flow": FLOW,
    "Definitions": DEFINITIONS,
    "Expressions": EXPRESSIONS,
}
