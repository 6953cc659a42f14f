"""How each staged function of numpy is called: templates whose holes are drawn.

    <A> <B>       the first array as it stands or seen otherwise; another operand of any kind
    <axis>        an axis, from the front or the back; <axis?> also none, `None` or left out
    <axes?>       the same, or a tuple of axes
    <order>       all axes in some order
    <keep?>       `keepdims`; <dtype?> `dtype`; <where?> `where`; <type> the name of a dtype
    <k> <c>       a small number, a small count

Around them are the arrays `x` and `y` of one shape, the square matrices `a` and `s`, the vectors
`v` and `w`, the index array `i` into axis 0, the bool `b` of that axis, and the ints `n` (any) and
`m` (not less than zero).
"""

from __future__ import annotations

from dataclasses import dataclass


def _words(text: str) -> list[str]:
    return text.split()


UNARY = _words("""
    abs absolute angle arccos arccosh arcsin arcsinh arctan arctanh cbrt ceil conj conjugate cos
    cosh deg2rad degrees exp exp2 expm1 fabs fix floor i0 imag isfinite isinf isnan isneginf
    isposinf log log10 log1p log2 logical_not nan_to_num negative positive rad2deg radians real
    reciprocal rint sign signbit sin sinc sinh sqrt square tan tanh trunc bitwise_not
""")
BINARY = _words("""
    add arctan2 bitwise_and bitwise_or bitwise_xor copysign divide divmod equal float_power
    floor_divide fmax fmin fmod gcd greater greater_equal heaviside hypot lcm left_shift less
    logaddexp logical_and logical_or logical_xor maximum minimum mod multiply power remainder
    right_shift subtract true_divide
""")
REDUCED = _words("""
    all any amax amin max min prod sum mean std var nansum nanprod nanmax nanmin nanmean nanstd
    nanvar
""")
#: Functions that are no ufuncs and take no `out`, or whose `out` is not followed.
WITHOUT_OUT = {"angle", "i0", "imag", "nan_to_num", "real", "sinc", "divmod"}


@dataclass(frozen=True)
class Row:
    """How one function is called.

    Attributes:
        name: The function, as the table of `docs/language.md` has it.
        calls: Templates.
        ranks: Of `x` and `y`.
        kinds: Of their dtypes, as `numpy.dtype.kind` has them.
        lax: `empty` where the model may fail if the result is empty (numpy checks no indices then),
            `always` where numpy's result is that of undefined behaviour of C.
    """

    name: str
    calls: tuple[str, ...]
    ranks: tuple[int, ...] = (0, 1, 2, 3, 4)
    kinds: str = "buif"
    lax: str = ""


def _row(name: str, *calls: str, ranks: str = "01234", kinds: str = "buif", lax: str = "") -> Row:
    return Row(name, calls, tuple(map(int, ranks)), kinds, lax)


def _elementwise() -> list[Row]:
    rows = []
    for name in UNARY:
        out = () if name in WITHOUT_OUT else (f"np.{name}(<A>, out=<out>)",)
        calls = f"np.{name}(<A>)", f"np.{name}(<A>)", *out
        if name == "sinc":  # of whole numbers: rounding errors only
            calls = ("np.sinc(<A> + 0.25)",)
        rows.append(_row(name, *calls, lax="always" if name == "reciprocal" else ""))
    for name in BINARY:
        out = () if name in WITHOUT_OUT else (f"np.{name}(x, y, out=<out>)",)
        calls = f"np.{name}(<A>, <B>)", f"np.{name}(<B>, <A>)", f"np.{name}(x, y)"
        rows.append(_row(name, *calls, *out))
    return rows


def _reductions() -> list[Row]:
    rows = []
    for name in REDUCED:
        calls = [f"np.{name}(<A><axes?><keep?>)"] * 2
        calls.append(f"np.{name}(<A><axes?><keep?>, out=<out>)")
        if name in ("sum", "prod", "mean", "std", "var", "nansum", "nanmean"):
            calls.append(f"np.{name}(<A><axes?><dtype?><keep?>)")
        if name in ("sum", "prod", "max", "min", "amax", "amin"):
            calls.append(f"np.{name}(<A><axes?><keep?>, initial=<k>)")
            calls.append(f"np.{name}(<A><axes?><keep?>, initial=<k>, where=<A> > 1)")
        if name in ("all", "any", "mean", "std", "var", "sum"):
            calls.append(f"np.{name}(<A><axes?><keep?>, where=<A> > 0)")
        if name in ("std", "var", "nanstd", "nanvar"):
            calls.append(f"np.{name}(<A><axes?><keep?>, ddof=<c>)")
        rows.append(_row(name, *calls))
    return rows


CREATION = [
    _row("arange", "np.arange(n)", "np.arange(n, 5)", "np.arange(0, n, 2)", "np.arange(5, n, -1)"),
    _row("arange", "np.arange(n, dtype='<type>')", "np.arange(0, 2, 0.5) * n", "np.arange(m) + x"),
    _row(
        "array", "np.array(x)", "np.array([x, y])", "np.array(x, '<type>')", "np.array([n, m, 2])"
    ),
    _row("array", "np.array(x, ndmin=3)", "np.array([[n, 1.5], [m, 2]])", "np.array(n, '<type>')"),
    _row("asarray", "np.asarray(x)", "np.asarray([n, 2.5])", "np.asarray(x, dtype='<type>')"),
    _row("ascontiguousarray", "np.ascontiguousarray(<A>)", "np.ascontiguousarray(x, '<type>')"),
    _row("copy", "np.copy(<A>)"),
    _row("require", "np.require(x, '<type>')", "np.require(x, requirements='C')"),
    _row("empty", "np.empty(x.shape, '<type>').shape", "np.empty((m, 2)).shape"),
    _row(
        "empty_like", "np.empty_like(<A>).shape", "np.empty_like(x, '<type>').dtype == x.dtype, x"
    ),
    _row("zeros", "np.zeros(m)", "np.zeros((m, 2), '<type>')", "np.zeros(x.shape, x.dtype)"),
    _row("ones", "np.ones(m)", "np.ones((2, m), '<type>')", "np.ones(x.shape, x.dtype)"),
    _row("full", "np.full(m, n)", "np.full((2, m), 1.5, '<type>')", "np.full(x.shape, x[:1])"),
    _row("full", "np.full(x.shape, n)", "np.full((2,) + x.shape, x)", "np.full((), n)"),
    _row("zeros_like", "np.zeros_like(<A>)", "np.zeros_like(x, '<type>')", "np.zeros_like(n)"),
    _row(
        "ones_like", "np.ones_like(<A>)", "np.ones_like(x, dtype='<type>')", "np.ones_like(1.5) * n"
    ),
    _row(
        "full_like", "np.full_like(<A>, n)", "np.full_like(x, <k>, '<type>')", "np.full_like(x, y)"
    ),
    _row("eye", "np.eye(m)", "np.eye(m, 3, <k>)", "np.eye(3, m, n)", "np.eye(m, dtype='<type>')"),
    _row("identity", "np.identity(m)", "np.identity(m, '<type>')"),
    _row("tri", "np.tri(m)", "np.tri(m, 3, <k>)", "np.tri(3, m, n, '<type>')"),
    _row("linspace", "np.linspace(0, n, 5)", "np.linspace(n, 1, m)", "np.linspace(x, y, 3)"),
    _row(
        "linspace",
        "np.linspace(0, n, <c>, endpoint=False)",
        "np.linspace(0, 5, 4, dtype='<type>') * n",
    ),
    _row("linspace", "np.linspace(0, n, m, retstep=True)", "np.linspace(x, 1, 4, axis=-1)"),
    _row("logspace", "np.logspace(0, n / 4, 4)", "np.logspace(0, 1, m)"),
    _row("geomspace", "np.geomspace(1, m + 1, 4)", "np.geomspace(2, 32, m + 1)"),
    _row("indices", "np.indices(x.shape)", "np.indices((m, 2))", "np.indices((2, m), '<type>')"),
    _row("fromfunction", "np.fromfunction(lambda r, s: r * n + s, (2, 3))"),
    _row(
        "meshgrid",
        "np.meshgrid(v, w)",
        "np.meshgrid(v, w, indexing='ij')",
        "np.meshgrid(v, [1, 2], i)",
    ),
    _row("meshgrid", "np.meshgrid(v, w, sparse=True)", "np.meshgrid(np.arange(m), v)"),
    _row("bartlett", "np.bartlett(m)"),
    _row("blackman", "np.blackman(m)"),
    _row("hamming", "np.hamming(m)"),
    _row("hanning", "np.hanning(m)"),
    _row("diag", "np.diag(v)", "np.diag(v, <k>)", "np.diag(a)", "np.diag(a, <k>)", "np.diag(v, n)"),
    _row("diag_indices", "np.diag_indices(m)", "np.diag_indices(2, 3), n"),
    _row(
        "tril_indices", "np.tril_indices(m)", "np.tril_indices(m, <k>)", "np.tril_indices(3, n, 4)"
    ),
    _row(
        "triu_indices", "np.triu_indices(m)", "np.triu_indices(m, <k>)", "np.triu_indices(3, n, 4)"
    ),
    _row("triu_indices_from", "np.triu_indices_from(a)", "np.triu_indices_from(a, <k>)"),
    _row("ix_", "a[np.ix_(i, i)]", "np.ix_(i, b)", "a[np.ix_(b, i)]", lax="empty"),
]

SHAPES = [
    _row("shape", "np.shape(<A>)", "np.shape(n)", "np.shape([[n, 1]])"),
    _row("ndim", "np.ndim(<A>), n", "np.ndim([n])"),
    _row("size", "np.size(<A>)", "np.size(x, <axis>)", "np.size(n)"),
    _row(
        "reshape", "np.reshape(<A>, -1)", "np.reshape(x, (x.size, 1))", "x.reshape(x.shape[::-1])"
    ),
    _row(
        "reshape", "np.reshape(x, (m, -1))", "np.reshape(x, (2, -1))", "np.reshape(x, x.shape, 'F')"
    ),
    _row("reshape", "np.reshape(<A>, -1, order='F')"),
    _row("ravel", "np.ravel(<A>)", "np.ravel(<A>, 'F')"),
    _row("transpose", "np.transpose(<A>)", "np.transpose(x, <order>)"),
    _row("swapaxes", "np.swapaxes(<A>, <axis>, <axis>)"),
    _row("moveaxis", "np.moveaxis(<A>, <axis>, <axis>)"),
    _row("rollaxis", "np.rollaxis(<A>, <axis>)", "np.rollaxis(x, <axis>, <axis>)"),
    _row(
        "expand_dims",
        "np.expand_dims(<A>, 0)",
        "np.expand_dims(x, -1)",
        "np.expand_dims(x, (0, 2))",
    ),
    _row(
        "squeeze", "np.squeeze(x[None])", "np.squeeze(x[None], 0)", "np.squeeze(x[..., None], -1)"
    ),
    _row("squeeze", "np.squeeze(x, <axis>)", "np.squeeze(x[None, ..., None], (0, -1))"),
    _row("atleast_1d", "np.atleast_1d(<A>)", "np.atleast_1d(n, x)"),
    _row("atleast_2d", "np.atleast_2d(<A>)", "np.atleast_2d(n)"),
    _row("atleast_3d", "np.atleast_3d(<A>)", "np.atleast_3d(v)"),
    _row("broadcast_to", "np.broadcast_to(x, (2, *x.shape))", "np.broadcast_to(n, (m, 2))"),
    _row("broadcast_to", "np.broadcast_to(v[:1], (m,))", "np.broadcast_to(x, y.shape)"),
    _row("broadcast_arrays", "np.broadcast_arrays(x, n)", "np.broadcast_arrays(x, y[:1])"),
    _row(
        "broadcast_shapes",
        "np.broadcast_shapes(x.shape, (1,))",
        "np.broadcast_shapes((m, 1), (3,))",
    ),
    _row("flip", "np.flip(<A>)", "np.flip(x, <axis>)", "np.flip(x, (0, 1))"),
    _row("fliplr", "np.fliplr(<A>)"),
    _row("flipud", "np.flipud(<A>)"),
    _row("rot90", "np.rot90(<A>)", "np.rot90(x, <k>)", "np.rot90(x, <k>, (<axis>, <axis>))"),
    _row(
        "roll",
        "np.roll(<A>, <k>)",
        "np.roll(x, n)",
        "np.roll(x, n, <axis>)",
        "np.roll(x, <k>, <axis>)",
    ),
    _row("roll", "np.roll(x, (1, n), (0, 1))", "np.roll(x, 2, (0, -1))"),
    _row(
        "repeat",
        "np.repeat(<A>, 2)",
        "np.repeat(x, m)",
        "np.repeat(x, <c>, <axis>)",
        "np.repeat(x, n, <axis>)",
    ),
    _row("repeat", "np.repeat(x, i, 0)", "np.repeat(v, [2] * len(v))", "np.repeat(x, [m], <axis>)"),
    _row("tile", "np.tile(<A>, 2)", "np.tile(x, m)", "np.tile(x, (2, 1))", "np.tile(x, (m, 1, 2))"),
    _row("tile", "np.tile(x, n)", "np.tile(x, ())", lax="empty"),
    _row("resize", "np.resize(x, (2, 3))", "np.resize(x, m)", "np.resize(x, (m, 2))"),
    _row(
        "pad",
        "np.pad(x, 1)",
        "np.pad(x, m)",
        "np.pad(x, ((1, m),) * x.ndim)",
        "np.pad(x, (0, 2), 'edge')",
    ),
    _row(
        "pad", "np.pad(x, 1, 'reflect')", "np.pad(x, m, 'symmetric')", "np.pad(x, (1, m), 'wrap')"
    ),
    _row("pad", "np.pad(x, 1, constant_values=n)", "np.pad(x, n, constant_values=(1, 2))"),
    _row("pad", "np.pad(x, 1, 'maximum')", "np.pad(x, 1, 'mean')", "np.pad(x, 2, 'linear_ramp')"),
]

JOINING = [
    _row("concatenate", "np.concatenate((x, y), <axis>)", "np.concatenate([x, x[:1], y])"),
    _row(
        "concatenate", "np.concatenate((x, y), axis=None)", "np.concatenate((x, y), dtype='<type>')"
    ),
    _row("concatenate", "np.concatenate((x, [n]), None)", "np.concatenate((x, x.T))"),
    _row("stack", "np.stack((x, y), <axis>)", "np.stack([x, x, y])", "np.stack((x, y), -1)"),
    _row("stack", "np.stack([n, m])", "np.stack((x, y[:1]))"),
    _row("vstack", "np.vstack((<A>, <A>))", "np.vstack([x, y, x])"),
    _row("row_stack", "np.row_stack((x, y))"),
    _row("hstack", "np.hstack((<A>, <A>))", "np.hstack([x, y, x])"),
    _row("dstack", "np.dstack((x, y))"),
    _row("column_stack", "np.column_stack((x, y))", "np.column_stack((v, v))"),
    _row(
        "append",
        "np.append(x, y)",
        "np.append(x, n)",
        "np.append(x, y, <axis>)",
        "np.append([], x)",
    ),
    _row("block", "np.block([x, y])", "np.block([[a, a], [a, a * n]])"),
    _row("split", "np.split(x, 2)", "np.split(x, 1, <axis>)", "np.split(x, [1, m], <axis>)"),
    _row(
        "array_split",
        "np.array_split(x, 2, <axis>)",
        "np.array_split(x, 3)",
        "np.array_split(x, [n])",
    ),
    _row("vsplit", "np.vsplit(x, [1])", "np.vsplit(x, 1)"),
    _row("hsplit", "np.hsplit(x, [1])", "np.hsplit(x, 1)"),
    _row("dsplit", "np.dsplit(x, [1])", "np.dsplit(x, 1)"),
    _row("insert", "np.insert(x, 0, n)", "np.insert(x, 1, 5, <axis>)", "np.insert(v, m, n)"),
    _row("insert", "np.insert(v, [0, 1], [n, 7])", "np.insert(x, n, 1, 0)"),
    _row("delete", "np.delete(x, 0)", "np.delete(x, n, <axis>)", "np.delete(x, [0, -1], 0)"),
    _row(
        "delete",
        "np.delete(x, m, 0)",
        "np.delete(x, slice(0, m), 0)",
        "np.delete(v, i)",
        lax="empty",
    ),
]

REDUCTIONS = [
    _row("argmax", "np.argmax(<A><axis?>)", "np.argmax(<A><axis?>, keepdims=True)"),
    _row("argmin", "np.argmin(<A><axis?>)", "np.argmin(<A><axis?>, keepdims=True)"),
    _row("nanargmax", "np.nanargmax(<A><axis?>)"),
    _row("ptp", "np.ptp(<A><axes?><keep?>)"),
    _row("median", "np.median(<A><axes?><keep?>)", ranks="1234"),
    _row("nanmedian", "np.nanmedian(<A><axes?><keep?>)", ranks="1234"),
    _row("percentile", "np.percentile(x, 30<axis?>)", "np.percentile(<A>, [20, 75]<axis?><keep?>)"),
    _row("quantile", "np.quantile(x, 0.3, -1)", "np.quantile(<A>, 0.5<axis?>) + np.float64(0)"),
    _row("quantile", "np.quantile(x, 0.4<axis?>, method='lower')", "np.quantile(x, [0.0, 1.0])"),
    _row("average", "np.average(<A><axes?>)", "np.average(x<axis?>, weights=abs(y) + 1)"),
    _row(
        "average",
        "np.average(x, weights=y)",
        "np.average(x, 0, b + 1.0)",
        "np.average(x<axes?><keep?>)",
    ),
    _row("average", "np.average(x<axis?>, weights=np.ones(x.shape), returned=True)"),
    _row("count_nonzero", "np.count_nonzero(<A><axes?><keep?>)"),
    _row("cumsum", "np.cumsum(<A><axis?>)", "np.cumsum(x<axis?>, dtype='<type>')"),
    _row("cumprod", "np.cumprod(<A><axis?>)", "np.cumprod(x<axis?>, dtype='<type>')"),
    _row("nancumsum", "np.nancumsum(<A><axis?>)"),
    _row("diff", "np.diff(<A>)", "np.diff(x, <c>, <axis>)", "np.diff(x, axis=<axis>, prepend=n)"),
    _row("diff", "np.diff(x, append=y[..., :1])", "np.diff(v, n=2, append=[n])"),
    _row("ediff1d", "np.ediff1d(<A>)", "np.ediff1d(x, to_end=<k>)", "np.ediff1d(x, to_begin=[1])"),
    _row(
        "gradient",
        "np.gradient(x)",
        "np.gradient(x, axis=<axis>)",
        "np.gradient(x, 2)",
        ranks="123",
    ),
    _row(
        "trapz",
        "np.trapz(<A>)",
        "np.trapz(x, axis=<axis>)",
        "np.trapz(x, dx=2)",
        "np.trapz(v, v * 2)",
    ),
    _row(
        "apply_over_axes",
        "np.apply_over_axes(np.sum, x, [0])",
        "np.apply_over_axes(np.max, x, <axis>)",
    ),
    _row("trace", "np.trace(<A>)", "np.trace(x, <k>)", "np.trace(x, 0, <axis>, <axis>)"),
    _row(
        "diagonal", "np.diagonal(<A>)", "np.diagonal(x, <k>)", "np.diagonal(x, <k>, <axis>, <axis>)"
    ),
    _row(
        "cov", "np.cov(x)", "np.cov(x, rowvar=False)", "np.cov(v, w[:len(v)])", "np.cov(x, ddof=0)"
    ),
    _row("histogram", "np.histogram(x, bins=3, range=(-5, 5))", "np.histogram(x, [0, 1, 4])"),
    _row(
        "histogram",
        "np.histogram(x)",
        "np.histogram(x, 4)",
        "np.histogram(x, [-3, 0, 9], weights=y)",
    ),
    _row("bincount", "np.bincount(i)", "np.bincount(i, minlength=m)", "np.bincount(x)"),
    _row("bincount", "np.bincount(i, weights=b)", "np.bincount(i, i * 0.5)"),
]

SORTING = [
    _row("sort", "np.sort(<A>)", "np.sort(x, <axis>)", "np.sort(x, None)", "np.sort(x, axis=0)"),
    _row("argsort", "np.argsort(x, <axis>, kind='stable')", "np.argsort(x, None, 'stable')"),
    _row("partition", "np.sort(np.partition(v, 1)[:2])", "np.partition(x, 0)[..., 0]"),
    _row("argpartition", "v[np.argpartition(v, 0)[0]]", "x[np.argpartition(x, 0, 0)[:1], 0]"),
    _row("lexsort", "np.lexsort((x, y))", "np.lexsort((x, y), <axis>)", "np.lexsort((v, v > 1))"),
    _row(
        "searchsorted",
        "np.searchsorted(np.arange(5), <A>)",
        "np.searchsorted([0, 1, 3], x, 'right')",
    ),
    _row("searchsorted", "np.searchsorted(np.sort(v), n)", "np.searchsorted(np.sort(v), x)"),
    _row("digitize", "np.digitize(<A>, [0, 2, 4])", "np.digitize(x, [4, 2, 0], right=True)"),
    _row(
        "unique",
        "np.unique(<A>)",
        "np.unique(x, return_counts=True)",
        "np.unique(x, return_index=True)",
    ),
    _row("unique", "np.unique(x, return_inverse=True)[1].ravel()", "np.unique(x, axis=<axis>)"),
    _row("intersect1d", "np.intersect1d(x, y)", "np.intersect1d(i, [0, 2])"),
    _row("union1d", "np.union1d(x, y)", "np.union1d(x, [n])"),
    _row("setdiff1d", "np.setdiff1d(x, y)", "np.setdiff1d(x, [1, n])"),
    _row("in1d", "np.in1d(x, y)", "np.in1d(x, [0, 1], invert=True)"),
    _row(
        "isin",
        "np.isin(<A>, y)",
        "np.isin(x, [n, 2])",
        "np.isin(x, n)",
        "np.isin(x, y, invert=True)",
    ),
    _row(
        "where",
        "np.where(x > y, x, y)",
        "np.where(<A>, n, 0)",
        "np.where(x)",
        "np.where(x > 1, x, <B>)",
    ),
    _row("where", "np.where(b, 1, 0)", "np.where(n > 1, x, y)", "np.where(x > 0, <B>, <B>)"),
    _row("nonzero", "np.nonzero(<A>)"),
    _row("flatnonzero", "np.flatnonzero(<A>)"),
    _row("argwhere", "np.argwhere(<A>)", "np.argwhere(x > 1)"),
    _row("extract", "np.extract(x > 0, x)", "np.extract(x, y)"),
    _row("select", "np.select([x > 2, x > 0], [x, y], 7)", "np.select([x > n, x < 0], [x, 0])"),
    _row("piecewise", "np.piecewise(x, [x < 0, x > 1], [-1, lambda t: t * 2])"),
    _row("piecewise", "np.piecewise(x, [x > n], [1, 2])"),
    _row("choose", "np.choose(x > 1, [x, y])", "np.choose(abs(n), [x, y, x], mode='wrap')"),
    _row("choose", "np.choose(i, [v[:1], 5, n], mode='clip')", "np.choose(i, [1, n, 3])"),
    _row(
        "clip",
        "np.clip(<A>, 0, 2)",
        "np.clip(x, n, None)",
        "np.clip(x, None, y)",
        "np.clip(x, n, m)",
    ),
    _row("clip", "np.clip(x, 0, 2, out=<out>)", "np.clip(x, 0.5, 2.5)"),
]

INDEXING = [
    _row(
        "take",
        "np.take(x, i)",
        "np.take(x, i, 0)",
        "np.take(x, n, <axis>)",
        "np.take(x, [0, -1], <axis>)",
        lax="empty",
    ),
    _row("take", "np.take(x, n, mode='wrap')", "np.take(x, [n, m], 0, mode='clip')", lax="empty"),
    _row("take_along_axis", "np.take_along_axis(x, np.argsort(x, <axis>, kind='stable'), <axis>)"),
    _row("take_along_axis", "np.take_along_axis(x, np.argsort(x, None, kind='stable'), None)"),
    _row(
        "compress",
        "np.compress(b, x, 0)",
        "np.compress([True, False], x, <axis>)",
        "np.compress(b, x)",
        lax="empty",
    ),
    _row(
        "put",
        "z = x.copy()\nnp.put(z, [0, -1], [n, 3])\nreturn z",
        "z = x.copy()\nnp.put(z, i, n)\nreturn z",
        lax="empty",
    ),
    _row(
        "put_along_axis",
        "z = x.copy()\nnp.put_along_axis(z, np.argsort(x, 0, kind='stable'), n, 0)\nreturn z",
    ),
    _row(
        "putmask",
        "z = x.copy()\nnp.putmask(z, x > 1, y)\nreturn z",
        "z = x.copy()\nnp.putmask(z, x > 0, [n, 9])\nreturn z",
    ),
    _row("place", "z = x.copy()\nnp.place(z, x > 1, [n, 7])\nreturn z"),
    _row(
        "copyto",
        "z = x.copy()\nnp.copyto(z, y)\nreturn z",
        "z = x.copy()\nnp.copyto(z, n, where=x > 1)\nreturn z",
    ),
    _row("copyto", "z = x.copy()\nnp.copyto(z, y, casting='unsafe')\nreturn z"),
    _row(
        "fill_diagonal",
        "z = x.copy()\nnp.fill_diagonal(z, n)\nreturn z",
        "z = a.copy()\nnp.fill_diagonal(z, <k>)\nreturn z",
    ),
    _row(
        "unravel_index",
        "np.unravel_index(i, x.shape)",
        "np.unravel_index(m, (2, 3))",
        "np.unravel_index(np.arange(x.size), x.shape)",
        lax="empty",
    ),
    _row(
        "ravel_multi_index",
        "np.ravel_multi_index((i, i), (4, 5))",
        "np.ravel_multi_index((n, m), (3, 4))",
        lax="empty",
    ),
    _row("tril", "np.tril(<A>)", "np.tril(x, <k>)", "np.tril(x, n)"),
    _row("triu", "np.triu(<A>)", "np.triu(x, <k>)", "np.triu(x, n)"),
]

ALGEBRA = [
    _row("dot", "np.dot(x, y)", "np.dot(<A>, n)", "np.dot(a, v)", "np.dot(x, y.T)", "np.dot(v, v)"),
    _row(
        "matmul", "np.matmul(x, y)", "x @ y.swapaxes(-1, -2)", "a @ v", "v @ a", "np.matmul(a, a)"
    ),
    _row("inner", "np.inner(x, y)", "np.inner(x, n)", "np.inner(a, v)"),
    _row("outer", "np.outer(x, y)", "np.outer(x, [1, 2])", "np.outer(v, w)"),
    _row("vdot", "np.vdot(x, y)", "np.vdot(v, [1, 2])"),
    _row("kron", "np.kron(x, y)", "np.kron(a, v)", "np.kron(n, x)", ranks="012"),
    _row("cross", "np.cross(x, y)", "np.cross(x, y, axis=0)"),
    _row(
        "tensordot",
        "np.tensordot(x, y, 0)",
        "np.tensordot(x, y, x.ndim)",
        "np.tensordot(a, a, 1)",
        ranks="0123",
    ),
    _row("tensordot", "np.tensordot(x, y, (<axis>, <axis>))", "np.tensordot(x, y, ([0], [0]))"),
    _row(
        "einsum",
        "np.einsum('...i,...i->...', x, y)",
        "np.einsum('ij,j', a, v)",
        "np.einsum('ii', a)",
    ),
    _row(
        "einsum",
        "np.einsum('...ij->...ji', x)",
        "np.einsum('i...->...', x)",
        "np.einsum('ii->i', a)",
    ),
    _row(
        "einsum",
        "np.einsum('ij,jk->ik', a, a)",
        "np.einsum('i,j->ij', v, w)",
        "np.einsum('ij->', a)",
    ),
    _row(
        "convolve",
        "np.convolve(v, w)",
        "np.convolve(v, [1, n], 'same')",
        "np.convolve(v, w, 'valid')",
    ),
    _row(
        "correlate",
        "np.correlate(v, w)",
        "np.correlate(v, [1, n], 'full')",
        "np.correlate(v, w, 'same')",
    ),
    _row("polyval", "np.polyval([1, n, 2], x)", "np.polyval(v, n)", "np.polyval([], x)"),
    _row("interp", "np.interp(v, [0, 1, 2], [3, 4, 1])", "np.interp(n, [0, 2], [1, 5])"),
    _row(
        "interp",
        "np.interp(x, [0, 1, 3], [n, 4, 1])",
        "np.interp(v, [0, 1], [1, 2], left=n, right=-1)",
    ),
    _row("unwrap", "np.unwrap(x)", "np.unwrap(x, axis=<axis>)", "np.unwrap(v, discont=4)"),
    _row(
        "linalg.norm",
        "np.linalg.norm(<A>)",
        "np.linalg.norm(x, axis=<axis>)",
        "np.linalg.norm(x, 1, <axis>, True)",
    ),
    _row(
        "linalg.norm",
        "np.linalg.norm(a, 'fro')",
        "np.linalg.norm(a, 1)",
        "np.linalg.norm(a, np.inf)",
    ),
    _row(
        "linalg.norm", "np.linalg.norm(v, 3)", "np.linalg.norm(v, 0)", "np.linalg.norm(v, -np.inf)"
    ),
    _row(
        "linalg.norm",
        "np.linalg.norm(x, axis=(0, 1))",
        "np.linalg.norm(x, -np.inf, <axis>)",
        "np.linalg.norm(x, ord=-1, axis=(0, -1))",
    ),
    _row(
        "linalg.det", "np.linalg.det(s)", "np.linalg.det(s[None])", "np.linalg.det(s[:1, :1] * n)"
    ),
    _row("linalg.slogdet", "np.linalg.slogdet(s)", "np.linalg.slogdet(s[None])"),
    _row("linalg.inv", "np.linalg.inv(s)", "np.linalg.inv(s[None])"),
    _row("linalg.solve", "np.linalg.solve(s, s[0])", "np.linalg.solve(s, s[:, :2])"),
    _row("linalg.cholesky", "np.linalg.cholesky(s)", "np.linalg.cholesky(s[None])"),
    _row(
        "linalg.matrix_power",
        "np.linalg.matrix_power(s, <c>)",
        "np.linalg.matrix_power(s, -1)",
        "np.linalg.matrix_power(a, 3)",
    ),
    _row(
        "linalg.multi_dot", "np.linalg.multi_dot([s, s, s[:, 0]])", "np.linalg.multi_dot((a, a, v))"
    ),
]

ASKING = [
    _row("allclose", "np.allclose(x, y)", "np.allclose(x, x)", "np.allclose(x, n)"),
    _row("isclose", "np.isclose(x, y)", "np.isclose(x, n)", "np.isclose(x, y, atol=1)"),
    _row(
        "array_equal",
        "np.array_equal(x, y)",
        "np.array_equal(x, x.copy())",
        "np.array_equal(x, x.T)",
    ),
    _row("array_equiv", "np.array_equiv(x, y)", "np.array_equiv(x, x[:1])", "np.array_equiv(x, n)"),
    _row("can_cast", "np.can_cast(x.dtype, '<type>'), n", "np.can_cast('<type>', 'float32'), n"),
    _row(
        "result_type", "np.result_type(x, y) == np.float64, n", "np.result_type(x, n) == x.dtype, n"
    ),
    _row("modf", "np.modf(<A>)"),
    _row(
        "round", "np.round(<A>)", "np.round(x, 1)", "np.round(x / 4, <k>)", "np.round(x, out=<out>)"
    ),
    _row("around", "np.around(<A>)", "np.around(x / 4, 2)"),
    _row("round_", "np.round_(<A>, 1)"),
    _row("bitwise_not", "~x"),
    _row(
        "add",
        "np.add.reduce(x)",
        "np.add.accumulate(x)",
        "np.add.outer(v, w)",
        "np.add(x, y, dtype='<type>')",
    ),
    _row("add", "np.add(x, y, where=x > 0, out=<out>)", "np.add.reduce(x<axes?><keep?>)"),
    _row("multiply", "np.multiply.reduce(x, <axis>)", "np.multiply.outer(x, v)"),
    _row("maximum", "np.maximum.reduce(x, <axis>)", "np.maximum.accumulate(x)"),
    _row("logical_and", "np.logical_and.reduce(x<axes?><keep?>)"),
]

METHODS = [
    _row(f"ndarray.{name}", f"<A>.{name}(<axes!><keep?>)")
    for name in ("sum", "prod", "mean", "std", "var", "max", "min", "any", "all", "ptp")
] + [
    _row("ndarray.argmax", "x.argmax()", "x.argmax(<axis>)"),
    _row("ndarray.argmin", "x.argmin()", "x.argmin(<axis>, keepdims=True)"),
    _row("ndarray.argsort", "x.argsort(<axis>, 'stable')"),
    _row(
        "ndarray.astype",
        "x.astype('<type>')",
        "<A>.astype('<type>', copy=False)",
        "x.astype(y.dtype)",
    ),
    _row("ndarray.choose", "(x > 1).choose([x, y])"),
    _row("ndarray.clip", "x.clip(0, 2)", "x.clip(n)", "x.clip(max=n)"),
    _row("ndarray.copy", "<A>.copy()"),
    _row("ndarray.cumsum", "x.cumsum(<axis>)", "x.cumsum(dtype='<type>')"),
    _row("ndarray.cumprod", "x.cumprod(<axis>)"),
    _row("ndarray.diagonal", "x.diagonal(<k>)"),
    _row("ndarray.dot", "x.dot(y)", "a.dot(v)"),
    _row("ndarray.fill", "z = x.copy()\nz.fill(n)\nreturn z"),
    _row("ndarray.flatten", "<A>.flatten()", "x.flatten('F')"),
    _row("ndarray.item", "x[:1].item()", "v.item(0)", "x.item(n)"),
    _row("ndarray.nonzero", "<A>.nonzero()"),
    _row("ndarray.put", "z = x.copy()\nz.put([0], n)\nreturn z", lax="empty"),
    _row("ndarray.ravel", "<A>.ravel()"),
    _row("ndarray.repeat", "x.repeat(2)", "x.repeat(m, <axis>)"),
    _row("ndarray.round", "x.round()", "(x / 4).round(1)"),
    _row(
        "ndarray.sort", "z = x.copy()\nz.sort(<axis>)\nreturn z", "z = x.copy()\nz.sort()\nreturn z"
    ),
    _row("ndarray.squeeze", "x[None].squeeze()", "x.squeeze()", "x[..., None].squeeze(-1)"),
    _row("ndarray.swapaxes", "x.swapaxes(<axis>, <axis>)"),
    _row("ndarray.take", "x.take(i, 0)", "x.take(n)", lax="empty"),
    _row("ndarray.trace", "x.trace(<k>)"),
    _row("ndarray.transpose", "x.transpose(<order>)", "x.transpose()", "x.transpose(None)"),
]

ROWS: tuple[Row, ...] = (
    *_elementwise(),
    *_reductions(),
    *CREATION,
    *SHAPES,
    *JOINING,
    *REDUCTIONS,
    *SORTING,
    *INDEXING,
    *ALGEBRA,
    *ASKING,
    *METHODS,
)
