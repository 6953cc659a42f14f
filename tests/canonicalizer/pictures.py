"""What each pass makes of small programs: pairs of before and after."""

from __future__ import annotations

from textwrap import dedent, indent

__all__ = ["PICTURES"]


def pair(before: str, after: str, start: str = "") -> tuple[str, str]:
    """The bodies of two programs; `start` comes first in both."""
    return program(start + dedent(before)), program(start + dedent(after))


def program(body: str) -> str:
    """A body as a function of the world."""
    return "def program(world):\n" + indent(body.strip("\n"), "    ")


RAISE_TWO = """
    raise ValueError(
        "too many values to unpack (expected 2)" if len({0}) > 2
        else f"not enough values to unpack (expected 2, got {{len({0})}})"
    )"""

PICTURES: dict[str, list[tuple[str, str]]] = {
    "Declarations": [
        pair(
            """
            'Docstring.'
            n: int = world.value('n')
            world.thing('a').x: int
            world.thing('b')[world.value('i')]: int
            if n:
                global g
                g = 1
            return n
            """,
            """
            'Docstring.'
            global g
            n = world.value('n')
            world.thing('a')
            world.thing('b')
            world.value('i')
            if n:
                g = 1
            return n
            """,
        ),
    ],
    "Matches": [
        pair(
            """
            match world.subject('s'):
                case 0 | 'a':
                    return 1
                case int(y) if y > 1:
                    return y
                case z:
                    return z, 2
            """,
            """
            subject = world.subject('s')
            if subject == 0 or subject == 'a':
                return 1
            elif isinstance(subject, int) and ((y := subject),) and y > 1:
                return y
            else:
                z = subject
                return (z, 2)
            """,
        ),
        pair(
            """
            match world.subject('s'):
                case [a, *_, b]:
                    return a, b
                case {'k': c}:
                    return c
            """,
            """
            subject = world.subject('s')
            from collections.abc import Mapping
            missing = object()
            from collections.abc import Sequence
            if (
                (isinstance(subject, Sequence) and not isinstance(subject, (str, bytes, bytearray))
                 and len(subject) >= 2)
                and ((items := [*subject]),)
                and ((a := items[0]), (b := items[-1]))
            ):
                return (a, b)
            elif (
                (isinstance(subject, Mapping) and len(subject) >= 1)
                and (value := subject.get('k', missing)) is not missing
                and ((c := value),)
            ):
                return c
            """,
        ),
    ],
    "Comprehensions": [
        pair(
            "return [world.value('a', x) for x in world.items('i') if x if world.test('t')]",
            """
            def listcomp(iterable):
                result = []
                for x in iterable:
                    if x:
                        if world.test('t'):
                            result.append(world.value('a', x))
                return result
            return listcomp(world.items('i'))
            """,
        ),
        pair(
            "return world.test('t') and {k: y for k, v in world.pairs('p') if (y := v)}, y",
            """
            if False:
                y = None
            def dictcomp(iterable):
                nonlocal y
                result = {}
                for k, v in iterable:
                    if (y := v):
                        result[k] = y
                return result
            return (world.test('t') and dictcomp(world.pairs('p')), y)
            """,
        ),
        pair(
            "return {world.value('k'): world.value('v') for x in world.items('i')}",
            """
            def dictcomp(iterable):
                result = {}
                for x in iterable:
                    entry = world.value('k')
                    result[entry] = world.value('v')
                return result
            return dictcomp(world.items('i'))
            """,
        ),
        pair(
            "return sum(x for x in world.items('i')), {x for x in world.items('j')}",
            """
            def generator(iterable):
                for x in iterable:
                    yield x
            def setcomp(iterable):
                result = set()
                for x in iterable:
                    result.add(x)
                return result
            return (sum(generator(iter(world.items('i')))), setcomp(world.items('j')))
            """,
        ),
        pair(
            "return (lambda a, b=world.value('b'): [a + b for _ in '12'])(1)",
            """
            def make_function(default):
                def function(a, b=default):
                    def listcomp(iterable):
                        result = []
                        for _ in iterable:
                            result.append(a + b)
                        return result
                    return listcomp('12')
                return function
            return make_function(world.value('b'))(1)
            """,
        ),
    ],
    "Asserts": [
        pair(
            "assert world.test('t'), world.value('m')\nassert not world.test('u')",
            """
            if not world.test('t'):
                raise AssertionError(world.value('m'))
            if world.test('u'):
                raise AssertionError
            """,
        ),
    ],
    "Augmented": [
        pair(
            """
            x = 1
            x += 2
            world.thing('a').x += world.value('v')
            world.x = world.thing('b')
            world.x[world.value('i'):x, 0] -= 1
            return x
            """,
            """
            x = 1
            x += 2
            base = world.thing('a')
            value = base.x
            value += world.value('v')
            base.x = value
            world.x = world.thing('b')
            base_1 = world.x
            start = world.value('i')
            value_1 = base_1[start:x, 0]
            value_1 -= 1
            base_1[start:x, 0] = value_1
            return x
            """,
        ),
    ],
    "Targets": [
        pair(
            """
            a, b = 1, world.value('b')
            a, b = b, a
            c = world.thing('c').x = world.value('v')
            return a, b, c
            """,
            """
            new_b = world.value('b')
            a = 1
            b = new_b
            new_a = b
            new_b_1 = a
            a = new_a
            b = new_b_1
            value = world.value('v')
            c = value
            world.thing('c').x = value
            return (a, b, c)
            """,
        ),
        pair(
            "a, b = world.row('r')\nreturn a, b",
            f"""
            items = [*world.row('r')]
            if len(items) != 2:{indent(RAISE_TWO.format("items"), " " * 12)}
            a = items[0]
            b = items[1]
            return (a, b)
            """,
        ),
        pair(
            "a, *b, world.x = world.row('r')\nreturn a, b",
            """
            items = [*world.row('r')]
            if len(items) < 2:
                raise ValueError(
                    f"not enough values to unpack (expected at least 2, got {len(items)})"
                )
            a = items[0]
            b = items[1:-1]
            world.x = items[-1]
            return (a, b)
            """,
        ),
        pair(
            """
            for world.x in world.items('i'):
                with world.manager('m') as world.y, world.manager('n'):
                    del world.x, world.y
            """,
            """
            for item in world.items('i'):
                world.x = item
                with world.manager('m') as value:
                    world.y = value
                    with world.manager('n'):
                        del world.x
                        del world.y
            """,
        ),
    ],
    "Compares": [
        pair(
            "return 0 < world.value('a') <= world.value('b') < 3",
            "return 0 < (value := world.value('a')) and value <= (value_1 := world.value('b'))"
            " and value_1 < 3",
        ),
        pair("return world is world is not None", "return world is world and world is not None"),
    ],
    "Negatives": [
        pair(
            "return -1, - -2, -True, -world.value('v')", "return (-1, 2, -True, -world.value('v'))"
        )
    ],
    "Yields": [
        pair(
            """
            def items():
                yield 1
                yield from world.items('i')
            return list(items())
            """,
            """
            def items():
                closed = False
                yield 1
                if closed:
                    return
                for item in world.items('i'):
                    yield item
                    if closed:
                        return
            return list(items())
            """,
        ),
        pair(
            """
            def items():
                try:
                    yield 1
                finally:
                    world.note('end')
                x = yield 2
            return list(items())
            """,
            """
            def items():
                try:
                    yield 1
                finally:
                    world.note('end')
                x = yield 2
            return list(items())
            """,
        ),
    ],
    "Finals": [
        pair(
            """
            for x in world.items('i'):
                try:
                    world.note(x)
                except ValueError:
                    world.note('caught')
                finally:
                    if world.test('t'):
                        continue
                world.note('rest')
            """,
            """
            for x in world.items('i'):
                try:
                    try:
                        world.note(x)
                    except ValueError:
                        world.note('caught')
                except:
                    if world.test('t'):
                        continue
                    raise
                else:
                    if world.test('t'):
                        continue
                world.note('rest')
            """,
        ),
    ],
    "Returns": [
        pair(
            """
            if world.test('t'):
                return 1
            world.note('rest')
            return 2
            """,
            """
            if world.test('t'):
                return_value = 1
            else:
                world.note('rest')
                return_value = 2
            return return_value
            """,
        ),
        pair(
            """
            if world.test('t'):
                if world.test('u'):
                    return
                world.note('a')
            world.note('rest')
            """,
            """
            returned = False
            if world.test('t'):
                if world.test('u'):
                    returned = True
                else:
                    world.note('a')
            if not returned:
                world.note('rest')
            return None
            """,
        ),
        pair(
            """
            for x in world.items('i'):
                for y in world.items('j'):
                    if world.test('t'):
                        return x, y
            world.note('rest')
            """,
            """
            returned = False
            return_value = None
            for x in world.items('i'):
                for y in world.items('j'):
                    if world.test('t'):
                        return_value = (x, y)
                        returned = True
                        break
                if returned:
                    break
            if not returned:
                world.note('rest')
                return_value = None
            return return_value
            """,
        ),
        pair(
            """
            with world.manager('m'):
                with world.manager('n'):
                    return world.value('v')
                world.note('swallowed')
            """,
            """
            returned = False
            return_value = None
            with world.manager('m'):
                left = False
                with world.manager('n'):
                    return_value = world.value('v')
                    left = True
                if left:
                    returned = True
                else:
                    world.note('swallowed')
            if not returned:
                return_value = None
            return return_value
            """,
        ),
        pair(
            """
            try:
                if world.test('t'):
                    return world.value('v')
            except Exception:
                world.note('caught')
            else:
                world.note('else')
            finally:
                world.note('finally')
            """,
            """
            returned = False
            return_value = None
            try:
                if world.test('t'):
                    return_value = world.value('v')
                    returned = True
            except Exception:
                world.note('caught')
            else:
                if not returned:
                    world.note('else')
            finally:
                world.note('finally')
            if not returned:
                return_value = None
            return return_value
            """,
        ),
    ],
    "Continues": [
        pair(
            """
            for x in world.items('i'):
                if world.test('t'):
                    continue
                world.note(x)
            """,
            """
            for x in world.items('i'):
                if not world.test('t'):
                    world.note(x)
            """,
        ),
        pair(
            """
            while world.test('w'):
                if world.test('t'):
                    if world.test('u'):
                        continue
                    world.note(1)
                else:
                    world.note(2)
                world.note(3)
            """,
            """
            while world.test('w'):
                skip = False
                if world.test('t'):
                    if world.test('u'):
                        skip = True
                    else:
                        world.note(1)
                else:
                    world.note(2)
                if not skip:
                    world.note(3)
            """,
        ),
        pair(
            """
            for x in world.items('i'):
                for y in world.items('j'):
                    if world.test('t'):
                        break
                else:
                    continue
                world.note(x)
            """,
            """
            for x in world.items('i'):
                skip = False
                for y in world.items('j'):
                    if world.test('t'):
                        break
                else:
                    skip = True
                if not skip:
                    world.note(x)
            """,
        ),
    ],
    "Breaks": [
        pair(
            """
            while world.test('w'):
                if world.test('t'):
                    break
                world.note('rest')
            else:
                world.note('else')
            """,
            """
            done = False
            while not done and world.test('w'):
                if world.test('t'):
                    done = True
                else:
                    world.note('rest')
            if not done:
                world.note('else')
            """,
        ),
        pair(
            """
            for x in world.items('i'):
                while True:
                    if world.test('t'):
                        break
                if x:
                    break
            else:
                world.note('else')
            for x in world.items('i'):
                world.note(x)
            else:
                world.note('else')
            """,
            """
            done_1 = False
            for x in world.items('i'):
                done = False
                while not done:
                    if world.test('t'):
                        done = True
                if x:
                    done_1 = True
                if done_1:
                    break
            if not done_1:
                world.note('else')
            for x in world.items('i'):
                world.note(x)
            world.note('else')
            """,
        ),
    ],
    "Returns, Kinds": [
        pair(
            """
            return
            yield world.value('v')
            """,
            """
            if False:
                yield
            return None
            """,
        ),
        pair(
            """
            'Docstring.'
            x = 1
            def inner():
                return x
                x = 2
            return inner()
            """,
            """
            'Docstring.'
            x = 1
            def inner():
                if False:
                    x = None
                return_value = x
                return return_value
            return inner()
            """,
        ),
    ],
    "Targets, Kinds": [
        pair(
            """
            class A:
                'Docstring.'
                x = y = world.value('v')
            return A.x, A.y
            """,
            """
            class A:
                'Docstring.'
                value = None
                value = world.value('v')
                x = value
                y = value
                del value
            return (A.x, A.y)
            """,
        ),
    ],
}
