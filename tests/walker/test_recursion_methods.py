"""Methods that call themselves on objects which the data choose, or by names that change."""

from __future__ import annotations

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import TOKEN_AXES, TOKENS, Table, hold

case = Table(TOKENS, TOKEN_AXES)


class Node:
    def __init__(self, op, left=None, right=None):
        self.op, self.left, self.right = op, left, right

    def value(self):
        if self.left is None:
            return self.op
        a, b = self.left.value(), self.right.value()
        return a + b if self.op == 0 else a * b

    def __len__(self):
        return 1 if self.left is None else len(self.left) + len(self.right)

    def __call__(self, x):
        if self.left is None:
            return x + self.op
        return np.tanh(self.left(x) - self.right(x) * self.op)


def built(s):
    held = []
    for value in s.tolist():
        if value < 2 and len(held) > 1:
            right = held.pop()
            held.append(Node(value, held.pop(), right))
        else:
            held.append(Node(value))
    return held


@case()
def a_tree_built_on_a_stack(self, s, n):
    return [tree.value() for tree in built(s)]


@case()
def the_length_of_a_tree(self, s, n):
    return [len(tree) for tree in built(s)]


@case()
def a_tree_that_is_called(self, s, n):
    x = np.arange(3, dtype=np.float32) / 4
    for tree in built(s):
        x = tree(x)
    return x


@case()
def a_class_of_the_program_itself(self, s, n):
    class Cell:
        def __init__(self, value, after):
            self.value, self.after = value, after

        def total(self, k):
            return self.value * k if self.after is None else self.value + self.after.total(k + 1)

    head = None
    for value in s.tolist():
        head = Cell(value, head)
    return 0 if head is None else head.total(n)


class Leaf:
    def __init__(self, value):
        self.value = value

    def total(self, depth=0):
        return self.value * depth


class Sum:
    def __init__(self, left, right):
        self.left, self.right = left, right

    def total(self, depth=0):
        return self.left.total(depth + 1) + self.right.total(depth=depth + 1)


class Negative(Sum):
    def total(self, depth=0):
        return -super().total(depth)


@case()
def one_of_several_classes(self, s, n):
    held = []
    for value in s.tolist():
        if value < 2 and len(held) > 1:
            right, left = held.pop(), held.pop()
            held.append(Sum(left, right) if value else Negative(left, right))
        else:
            held.append(Leaf(value))
    return [one.total() for one in held]


class Search:
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None

    def insert(self, key):
        if key < self.key:
            if self.left is None:
                self.left = Search(key)
            else:
                self.left.insert(key)
        elif key > self.key:
            if self.right is None:
                self.right = Search(key)
            else:
                self.right.insert(key)

    def walk(self, out):
        if self.left is not None:
            self.left.walk(out)
        out.append(self.key)
        if self.right is not None:
            self.right.walk(out)

    def height(self):
        return 1 + max(self.left.height(), self.right.height())


@case()
def a_search_tree(self, s, n):
    root, out = None, []
    for value in s.tolist():
        if root is None:
            root = Search(value)
        else:
            root.insert(value)
    if root is not None:
        root.walk(out)
    return out


class Segment:
    def __init__(self, low, high):
        self.low, self.high, self.total = low, high, 0
        self.left = self.right = None
        if high - low > 1:
            middle = (low + high) // 2
            self.left, self.right = Segment(low, middle), Segment(middle, high=high)

    def add(self, i, value):
        self.total += value
        if self.left is not None:
            (self.left if i < self.left.high else self.right).add(i, value)

    def over(self, a, b):
        if b <= self.low or self.high <= a:
            return 0
        if a <= self.low and self.high <= b:
            return self.total
        return self.left.over(a, b) + self.right.over(a, b)


@case()
def a_class_that_makes_its_parts(self, s, n):
    if len(s) == 0:
        return 0
    tree = Segment(0, len(s))
    for i, value in enumerate(s.tolist()):
        tree.add(i, value)
    return tree.over(0, n), tree.over(n, 9), tree.total


class Trie:
    def __init__(self):
        self.inside, self.end = {}, False

    def insert(self, word, i=0):
        if i == len(word):
            self.end = True
        else:
            if word[i] not in self.inside:
                self.inside[word[i]] = Trie()
            self.inside[word[i]].insert(word, i + 1)

    def count(self):
        return int(self.end) + sum(one.count() for one in self.inside.values())

    def words(self, prefix, out):
        if self.end:
            out.append(prefix)
        for letter, one in self.inside.items():
            one.words(prefix * 10 + letter, out)


@case()
def a_trie_by_letters(self, s, n):
    root, out = Trie(), []
    letters = s.tolist()
    for i in range(len(letters)):
        root.insert(letters[i : i + n])
    root.words(0, out)
    return root.count(), out


@case()
def neighbours_in_a_dict(self, s, n):
    near, seen = {}, []
    letters = s.tolist()
    for a, b in zip(letters, letters[1:]):
        near.setdefault(a, {})[b] = a + b

    def visit(a, depth):
        if a in seen or depth > n:
            return 0
        seen.append(a)
        return sum(w + visit(b, depth + 1) for b, w in near.get(a, {}).items())

    return [visit(a, 0) for a in letters], seen


@case()
def values_that_change_in_a_loop(self, s, n):
    held = {1: 2, 5: 1}

    def total(k):
        if k <= 0:
            return 0
        found = 0
        for key, value in held.items():
            held[5] = held[5] + n
            found += value * key + total(k - 1)
        return found

    return total(3), held


class Link:
    def __init__(self, value, after=None):
        self.value, self.after = value, after

    def total(self, seen):
        seen.append(self.value)
        return self.value + (self.after.total(seen) if self.after else 0)

    def push(self, value):
        if self.after is None:
            self.after = type(self)(value)
        else:
            self.after.push(value)

    def values(self):
        return [self.value] if self.after is None else [self.value, *self.after.values()]


class Other(Link):
    def length(self):
        return 1 if self.after is None else self.after.length() + 1


@case()
def either_of_two_classes(self, s, n):
    head, seen = None, []
    for value in s.tolist():
        head = Link(value, head) if value % 2 else Other(value, head)
    return (0 if head is None else head.total(seen)), seen


@case()
def pushed_to_the_end(self, s, n):
    head = Link(n)
    for value in s.tolist():
        head.push(value)
    return head.values()


@case()
def one_that_has_no_such_method(self, s, n):
    head = Other(n)
    for value in s.tolist():
        head = Other(value, head) if value != 3 else Link(value, head)
    return head.length()


class Hidden:
    def __init__(self, value, after):
        self.__value, self.after = value, after

    def total(self):
        return self.__value + (self.after.total() if self.after else 0)

    def __len__(self):
        return self.__value - 1 if self.after is None else len(self.after) + 1


class AlsoHidden(Hidden):
    def __init__(self, value, after):
        super().__init__(value, after)
        self.__value = value * 100

    def total(self):
        return self.__value - (self.after.total() if self.after else 0)


@case()
def private_names_of_two_classes(self, s, n):
    head = None
    for value in s.tolist():
        head = Hidden(value, head) if value % 2 else AlsoHidden(value, head)
    return 0 if head is None else head.total()


@case([*TOKENS, (np.array([0]), 1)], TOKEN_AXES)
def a_length_below_zero(self, s, n):
    head = None
    for value in s.tolist():
        head = Hidden(value, head)
    return 0 if head is None else len(head)


class Base:
    def __init__(self):
        self.__by = 3

    def down(self, n):
        return self.__by if n <= 0 else self.step(n - 1) + self.__by


class Derived(Base):
    def __init__(self):
        super().__init__()
        self.__by = 10

    def step(self, n):
        return self.__by + self.down(n - 1)


@case()
def private_names_above_and_below(self, s, n):
    return Derived().step(n), Derived().down(n)


class Above:
    def base(self):
        return self.value * 10


class Deep(Above):
    def __init__(self, value, after):
        self.value, self.after = value, after

    def total(self):
        return super().base() + (self.after.total() if self.after else 0)


def test_super_of_what_the_data_choose_is_refused() -> None:
    def forward(self, s, n):
        head = None
        for value in s.tolist():
            head = Deep(value, head)
        return 0 if head is None else head.total()

    with pytest.raises(REFUSED):
        compiled(Program(forward, TOKENS, TOKEN_AXES))


class Even:
    def __init__(self, value, other):
        self.value, self.other = value, other

    def even(self, k):
        return self.value if self.other is None or k <= 0 else self.value + self.other.odd(k - 1)


class Odd(Even):
    def odd(self, k):
        return self.value if self.other is None or k <= 0 else self.value * self.other.even(k - 1)


@case()
def two_classes_call_each_other(self, s, n):
    one = other = None
    for value in s.tolist():
        one, other = Even(value, other), Odd(value + 1, one)
    return -1 if one is None or other is None else (one.even(n), other.odd(n))


class Walks:
    def walk(self, n):
        return 0 if n <= 0 else self.step(n) + 1

    def step(self, n):
        return 1 + self.walk(n - 1)

    def down(self, n, total):
        if n <= 0:
            return total
        return self.down(n - 1, total * 2)


class Jumps(Walks):
    def step(self, n):
        return 2 + self.walk(n - 2)

    def down(self, n, total):
        return super().down(n, total + 1)


@case()
def a_method_that_a_class_overrides(self, s, n):
    return [one.walk(n) for one in (Walks(), Jumps())]


@case()
def one_of_two_that_override(self, s, n):
    both = [Walks(), Jumps()]
    return [both[value % 2].walk(value) for value in s.tolist()]


@case()
def a_last_call_that_a_class_overrides(self, s, n):
    return Walks().down(n, n), Jumps().down(n, n), Walks().down(n, 1)


class Steps:
    by = 2

    @classmethod
    def down(cls, n):
        return 0 if n <= 0 else cls.by + cls.down(n - 1)

    @staticmethod
    def plain(n):
        return 0 if n <= 0 else 1 + Steps.plain(n - 1)


class Strides(Steps):
    by = 5

    @staticmethod
    def plain(n):
        return 0 if n <= 0 else 2 + Steps.plain(n - 1)


@case()
def class_and_static_methods(self, s, n):
    both = (Steps, Strides)
    return [one.down(n) for one in both], [one.plain(n) for one in both], Strides().down(n)


@case()
def a_name_that_changes_its_meaning(self, s, n):
    def one(k, total):
        return total if k <= 0 else go(k - 1, total + 1)

    def ten(k, total):
        return total if k <= 0 else go(k - 1, total + 10)

    out = []
    for function in (one, ten):
        go = function
        out += [one(n, 0), ten(n, 0)]
    return out


@case()
def a_default_that_changes(self, s, n):
    out = []
    for step in (1, 2):

        def down(k, total=0, by=step):
            return total if k <= 0 else down(k - by, total + by * 10 + 1)

        out.append(down(n))
    return out


class Branch:
    def __init__(self, v):
        self.v, self.kids = v, []

    def size(self):
        return 1 + sum(kid.size() for kid in self.kids)

    def height(self, below=0):
        return 1 + max((kid.height(below=below) for kid in self.kids), default=below)

    def leaves(self, path, out):
        path = path * 3 + self.v
        if not self.kids:
            out.append(path)
        for kid in self.kids:
            kid.leaves(path, out)


class Shown(Branch):
    def size(self):
        total = 2
        for kid in self.kids:
            total += kid.size() * self.v % 100
        return total


def branches(s, cls):
    root = Branch(0)
    stack = [root]
    for v in s.tolist():
        if v <= 0 and len(stack) > 1:
            stack.pop()
        else:
            kid = cls(v) if v % 2 else Branch(v)
            stack[-1].kids.append(kid)
            stack.append(kid)
    return root


@case()
def children_in_lists(self, s, n):
    root, out = branches(s, Branch), []
    root.leaves(1, out)
    return root.size(), root.height(), out


@case()
def children_of_two_classes(self, s, n):
    return branches(s, Shown).size()


class Chained:
    def __init__(self, value, after):
        self.value, self.after = value, after

    @property
    def last(self):
        return self.value if self.after is None else self.after.last

    @property
    def is_last(self):
        return self.after is None

    @property
    def size(self):
        return 1 if self.is_last else 1 + self.after.size


@case()
def properties(self, s, n):
    chain = Chained(n, None)
    for v in s.tolist():
        chain = Chained(v, chain)
    return chain.size, chain.last, chain.is_last


def halved(n):
    return 1 if n <= 0 else 2 * STEPS[n % 2](n // 2)


def one_less(n):
    return 3 if n <= 0 else 1 + by_name(n - 1)


def by_name(n):
    named = {"half": halved, "less": one_less}
    return named["half" if n % 3 else "less"](n)


STEPS = [one_less, halved]


@case()
def tables_of_functions(self, s, n):
    return STEPS[n % 2](n), by_name(n + len(s))


@case()
def tables_of_functions_inside(self, s, n):
    at = 0

    def added():
        return read() + read()

    def less():
        return read() - read()

    handlers = [added, less]

    def read():
        nonlocal at
        if at >= len(s):
            return n
        token = abs(int(s[at]))
        at += 1
        if token % 3 == 0:
            return token
        if token > 3:
            handlers[0] = less
        run = handlers[token % 2]
        return run() if at % 2 else {1: less, 2: added}.get(token % 3, less)()

    return read(), at


@case()
def one_of_two_functions(self, s, n):
    def up(k):
        return 1 + turn(k - 1)

    def down(k):
        return 2 * (down if k % 3 else up)(k - 2) if k > 0 else k

    def turn(k):
        step = up
        if k % 2:
            step = down
        return step(k) if k > len(s) else s.sum()

    return turn(n)


class Bag:
    """Items, and bags of others; what `in` makes of other things than bools."""

    def __init__(self, items, bags):
        self.items, self.bags = items, bags

    def __contains__(self, k):
        if k in self.items:
            return "here"
        for bag in self.bags:
            if k in bag:
                return bag.__contains__(k)
        return None

    def __iter__(self):
        yield from self.items
        for bag in self.bags:
            yield from bag


class Behind:
    """A key, and others behind it."""

    def __init__(self, key, others):
        self.key, self.others = key, others

    def __contains__(self, key):
        return key == self.key or (self.others is not None and key in self.others)


@case()
def membership(self, s, n):
    chained = Behind(2, None)
    for i in range(n):
        chained = Behind(i * n, chained)
    return n in chained, 2 not in chained, 3 in chained


@case()
def membership_and_iteration(self, s, n):
    bag = Bag([n, 2], [])
    for i in range(n):
        bag = Bag([i, i * n], [bag])
    total = 0
    for v in bag:
        if v > 4:
            break
        total = total * 3 + v
    return n in bag, 2 not in bag, 3 in bag, total


class Properties:
    """Calls methods of what its properties give."""

    def __init__(self, v, n):
        self.v, self.n = v, n

    @property
    def after(self):
        return self.n

    @property
    def last(self):
        return self if self.n is None else self.n.last

    def total(self, k):
        return self.v if self.n is None else self.v + self.after.total(k + 1) * k

    def more(self, k):
        if self.n is None:
            return self.v
        return self.v + self.n.last.more(k) + self.after.more(k + 1)


@case()
def methods_of_what_properties_give(self, s, n):
    made = None
    for v in s.tolist():
        made = Properties(v, made)
    return (made.total(2), made.more(2)) if made is not None else n


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_methods(program):
    hold(program)
