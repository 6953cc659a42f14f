"""What changes in place while it is known: every branch and turn must keep to its own changes."""

from __future__ import annotations

CASES: dict[str, list[str]] = {
    "in place": [
        "y = np.array([3, 1, 2])\nif c:\n    y.sort()\nreturn y * n",
        "y = np.array([3, 1, 2])\nfor i in range(n):\n    y.sort()\nreturn y * n",
        "y = np.array([3, 1, 2])\nfor i in range(n):\n    y[0] = 1\nreturn y * n",
        "y = np.array([3, 1, 2])\nfor i in range(n):\n    y += 1\nreturn y",
        "y = np.zeros(3)\nif c:\n    y.fill(2)\nreturn y * n",
        "y = np.zeros(3)\nif c:\n    np.add(y, 1, out=y)\nreturn y * n",
        "y = np.zeros(3)\nif c:\n    np.add.at(y, [0, 0], 1)\nreturn y * n",
        "y = np.zeros(3)\nif c:\n    np.copyto(y, 1)\nreturn y * n",
        "y = np.zeros(3)\nif c:\n    y[1:] = 4\nreturn y * n",
        "d = {'a': n}\nkeys = d.keys()\nvalues = d.values()\nd['b'] = n\nreturn len(keys), sum(values)",
        "d = {'a': 1, 'b': 2}\nfor key in list(d):\n    d[key + 'c'] = n\nreturn len(d) + n",
        "b = Box(n)\nb.__dict__['a'] = 5\nreturn b.a + n",
        "self.__dict__['q'] = n\nreturn self.q",
        "Box.shared = n\nreturn Box(1).shared",
        "nan = float('nan')\nreturn nan in [nan, n], nan in [n], n",
        "nan = f * float('nan')\nreturn nan in [nan], nan == nan, [nan] == [nan], n",
        "it = itertools.combinations('abc', 2)\nif c:\n    k = len(list(it))\nelse:\n    k = len(list(it)) + 10\nreturn k * n",
        "a = 'a b'.split()\nif c:\n    a.append('q')\nreturn len(a) * n",
        "y = np.zeros(3) if c else np.ones(3)\nreturn y",
        "if c:\n    y = np.zeros(3)\n    y[0] = n\nelse:\n    y = np.ones(3)\nreturn y",
        "if c:\n    y = np.zeros(3)\n    y[0] = 4\nelse:\n    y = np.ones(3)\n    y += 1\nreturn y * n",
        "y = None\nfor i in range(n):\n    y = np.zeros(2)\n    y[0] = i\nreturn y",
        "y = np.zeros(2)\nfor i in range(n):\n    y = np.ones(2)\n    y[0] = 5\nreturn y",
        "y = np.zeros(2)\nz = y\nfor i in range(n):\n    z = y + 1\nz += 1\nreturn y, z",
        "y = np.zeros(2)\nz = y if c else np.ones(2)\nz += 1\nreturn y, z",
        "out = []\nfor i in range(n):\n    y = np.zeros(2)\n    y[0] = i\n    out.append(y)\nreturn out",
        "b = Box(0)\nif c:\n    b.a = np.zeros(2)\n    b.a[1] = n\nelse:\n    b.a = np.ones(2)\nb.a[0] = 7\nreturn b.a",
        "self.w = np.zeros(2)\nif c:\n    self.w[0] = n\nreturn self.w",
        "l2 = 'a b'.split() if c else 'c d e'.split()\nl2.append('x')\nreturn len(l2) * n",
        "a = [1, 2]\nb = sorted(a) if c else a\nb.append(3)\nreturn len(a) * n, len(b)",
        "y = np.zeros(2)\nys = [y, y]\nif c:\n    ys[0][0] = n\nreturn ys[1]",
        "y = {'a': np.zeros(2)}\nif c:\n    y['a'][0] = n\nreturn y['a'] + 0",
        "q = collections.Counter('ab')\nq.update('ab')\nreturn q['a'] * n",
        "import heapq\nh = [3, 1, 2]\nheapq.heapify(h)\nreturn h[0] * n",
    ],
}

#: What is refused by name, since what it changes is not followed.
REFUSED: dict[str, str] = {
    "y = np.zeros(3)\ny.shape = (3, 1)\nreturn y * n": "assignment to `shape` of ndarray is not supported",
    "y = np.zeros(3)\ny.itemset(0, 4)\nreturn y * n": "`ndarray.itemset` changes a ndarray in a way that is not followed",
    "b = bytearray(b'ab')\nb.append(3)\nreturn len(b) * n": "`bytearray.append` changes a bytearray in a way that is not followed",
    "b = Box(n)\nb.__dict__.update(a=5)\nreturn b.a + n": "`__dict__.update` is not supported",
    "d = {'a': 1}\nfor key in d:\n    d['c'] = n\nreturn len(d)": "RuntimeError: dictionary changed size during iteration",
}
