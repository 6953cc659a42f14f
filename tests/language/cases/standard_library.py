"""typing, six, contextlib, enum, re, and what else models import."""

from __future__ import annotations

CASES: dict[str, list[str]] = {
    "typing.cast": [
        "typing.cast(int, n) + 1",
        "typing.cast('np.ndarray', x) * 2",
    ],
    "typing.NamedTuple": [
        "Typed(n).b, Typed(n, x).a",
    ],
    "typing.TYPE_CHECKING": [
        "1 if typing.TYPE_CHECKING else n",
    ],
    "six.moves": [
        "[i * n for i in six.moves.range(3)]",
        "list(six.moves.zip((n, f), 'ab'))",
        "list(six.moves.map(abs, (n, f)))",
        "sum(i for i in six.moves.range(n))",
        "six.moves.reduce(lambda a, b: a + b, (n, f))",
    ],
    "six": [
        "[v for _, v in six.iteritems({'a': n, 'b': f})]",
        "list(six.itervalues({'a': n}))",
        "isinstance('a', six.string_types), isinstance(n, six.integer_types)",
        "six.next(iter((n, f)))",
    ],
    "contextlib": [
        """
        with chainer.no_backprop_mode():
            y = x * n
        return y
        """,
        """
        with contextlib.suppress(KeyError):
            n = {'a': 1}['b']
        return n
        """,
        """
        k = 0
        with contextlib.suppress(KeyError, IndexError):
            k = 1
            [1][4]
            k = 2
        return k + n
        """,
        """
        with contextlib.suppress(ValueError):
            for i in range(3):
                if i == 1:
                    raise ValueError
                n += 1
        return n
        """,
        """
        with contextlib.suppress(ValueError):
            return n + 1
        return n
        """,
        """
        with contextlib.nullcontext(n) as m:
            y = x * m
        return y
        """,
        """
        with contextlib.ExitStack() as stack:
            y = x * n
        return y
        """,
        """
        with tagged(n) as m:
            y = m + 1
        return y
        """,
    ],
    "enum": [
        "Color.RED.value + n",
        "Color(2) is Color.BLUE, n",
        "(Color.RED if c else Color.BLUE).value",
        "(Color.RED if c else Color.BLUE) is Color.RED",
        "Color.RED.name, n",
    ],
    "string": [
        "string.ascii_lowercase[:3], n",
    ],
    "re": [
        "bool(re.match('a+', 'aab')), n",
    ],
    "warnings": [
        """
        warnings.warn('careful') if False else None
        return n
        """,
    ],
    "logging": [
        """
        logging.getLogger('a').debug('n is %s', n)
        return x
        """,
        """
        logging.getLogger('a').debug('text')
        return n
        """,
    ],
    "numbers": [
        "isinstance(n, numbers.Integral), isinstance(f, numbers.Number)",
    ],
    "abc": [
        "Square(n).area()",
    ],
}
