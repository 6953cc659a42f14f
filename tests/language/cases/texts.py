"""Texts."""

from __future__ import annotations

CASES: dict[str, list[str]] = {
    "str": [
        "'a' if c else 'b'",
        "'abc'[1], 'abc'[::-1], n",
        "'a' in 'abc', n",
        "'a' + 'b' * 2, n",
        "f'{self.k}-{\"x\"!r:>4}', n",
        "('a' if c else 'b') == 'a'",
        "len('abc') * n",
        "[ch for ch in 'abc'], n",
        "{'a': n, 'b': f}['a' if c else 'b']",
        "'a' < 'b', n",
        "('a' if c else 'b') in ('a', 'z')",
        "'abc'[n] if 0 <= n < 3 else '-'",
    ],
    "str.capitalize": [
        "'aBc'.capitalize(), n",
    ],
    "str.casefold": [
        "'aBc'.casefold(), n",
    ],
    "str.center": [
        "'ab'.center(6, '-'), n",
    ],
    "str.count": [
        "'abca'.count('a'), n",
    ],
    "str.encode": [
        "'ab'.encode(), n",
    ],
    "str.endswith": [
        "'abc'.endswith('c'), n",
    ],
    "str.expandtabs": [
        "'a\\tb'.expandtabs(4), n",
    ],
    "str.find": [
        "'abcb'.find('b'), n",
    ],
    "str.format": [
        "'{}-{a:03d}'.format(1, a=2), n",
    ],
    "str.format_map": [
        "'{a}'.format_map({'a': 1}), n",
    ],
    "str.index": [
        "'abc'.index('c'), n",
    ],
    "str.isalnum": [
        "'a1'.isalnum(), n",
    ],
    "str.isalpha": [
        "'ab'.isalpha(), n",
    ],
    "str.isascii": [
        "'ab'.isascii(), n",
    ],
    "str.isdecimal": [
        "'12'.isdecimal(), n",
    ],
    "str.isdigit": [
        "'12'.isdigit(), n",
    ],
    "str.isidentifier": [
        "'a_b'.isidentifier(), n",
    ],
    "str.islower": [
        "'ab'.islower(), n",
    ],
    "str.isnumeric": [
        "'12'.isnumeric(), n",
    ],
    "str.isprintable": [
        "'ab'.isprintable(), n",
    ],
    "str.isspace": [
        "'  '.isspace(), n",
    ],
    "str.istitle": [
        "'Ab'.istitle(), n",
    ],
    "str.isupper": [
        "'AB'.isupper(), n",
    ],
    "str.join": [
        "'-'.join(['a', 'b']), n",
    ],
    "str.ljust": [
        "'ab'.ljust(4), n",
    ],
    "str.lower": [
        "'ABC'.lower(), n",
    ],
    "str.lstrip": [
        "'  ab'.lstrip(), n",
    ],
    "str.maketrans": [
        "'ab'.maketrans('a', 'b'), n",
    ],
    "str.partition": [
        "'a-b-c'.partition('-'), n",
    ],
    "str.removeprefix": [
        "'prefix'.removeprefix('pre'), n",
    ],
    "str.removesuffix": [
        "'a-py'.removesuffix('-py'), n",
    ],
    "str.replace": [
        "'aba'.replace('a', 'c'), n",
    ],
    "str.rfind": [
        "'abcb'.rfind('b'), n",
    ],
    "str.rindex": [
        "'abcb'.rindex('b'), n",
    ],
    "str.rjust": [
        "'ab'.rjust(4), n",
    ],
    "str.rpartition": [
        "'a-b-c'.rpartition('-'), n",
    ],
    "str.rsplit": [
        "'a b c'.rsplit(' ', 1), n",
    ],
    "str.rstrip": [
        "'ab  '.rstrip(), n",
    ],
    "str.split": [
        "'a,b'.split(','), n",
    ],
    "str.splitlines": [
        "'a\\nb'.splitlines(), n",
    ],
    "str.startswith": [
        "'abc'.startswith('ab'), n",
    ],
    "str.strip": [
        "' ab '.strip(), n",
    ],
    "str.swapcase": [
        "'aB'.swapcase(), n",
    ],
    "str.title": [
        "'ab cd'.title(), n",
    ],
    "str.translate": [
        "'ab'.translate({97: 'x'}), n",
    ],
    "str.upper": [
        "'ab'.upper(), n",
    ],
    "str.zfill": [
        "'7'.zfill(3), n",
    ],
}
