"""Functions of numpy that are walked: as the Python code of numpy, or as that of our idioms."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lowerings.numpy.harness import Case, case, check, compiled, hold, model_of, values
from tests.lowerings.numpy.soak_functions import soak

F = values("float32", 4, 3)
D = values("float64", 4, 3)
I = values("int64", 4, 3)  # noqa: E741
J = values("int32", 4, 3)
B = values("bool", 4, 3)
V = values("float32", 5)
S = D[:3] @ D[:3].T + np.eye(3) * 5
PICKS = np.array([0, 2, 1, 0])

CASES = [
    case("np.absolute(x), np.amin(x,0), np.around(x,1), np.argmax(x,0)", x=F),
    case("np.argpartition(x,1)[:, :1].shape", x=F),
    case("np.sort(x[np.arange(4)[:,None], np.argpartition(x,2)[:,:2]])", x=F, resize=False),
    case("np.sort(np.partition(x,2)[:,:2])", x=F, resize=False),
    case("np.sort(x[np.argpartition(-x, 2)[:2]])", x=V, resize=False),
    case("np.array_equiv(x,x)", x=F),
    case(
        "np.bitwise_not(x), np.bitwise_or(x, x), np.bitwise_xor(x, 2), np.right_shift(x, 1)",
        x=J,
    ),
    case("np.block([[x,x],[x,x]])", x=F),
    case("np.broadcast_shapes(x.shape, (1,3))", x=F),
    case("np.choose(i, [x, x+1, x+2])", x=V[:4].copy(), i=PICKS),
    case("np.choose(i, x)", x=F, i=np.array([0, 3, 1])),
    case("i.choose([x, x+1, x+2])", x=V[:4].copy(), i=PICKS),
    case("np.conj(x), np.conjugate(x), np.real(x), np.imag(x), np.angle(x)", x=F),
    case("np.convolve(x, [1.,2.,3.])", x=V),
    case("np.convolve(x, y, 'same')", x=V, y=V[:3].copy()),
    case("np.correlate(x, y)", x=V, y=V[:3].copy()),
    case("np.cross(x,x[::-1])", x=F),
    case("np.deg2rad(x), np.rad2deg(x)", x=F),
    case("np.delete(x,1,0)", x=F),
    case("np.delete(x,n)", x=V, n=1),
    case("np.delete(x.T if n else x*2,0,1), np.insert(x.T if n else x*2,1,x[0,0],0)", x=F, n=1),
    case("x[[np.array([0,1])+n, [1,0]]], x[[np.arange(2)+n], 0]", x=F, n=1),
    case("np.delete(x,[0,2],1)", x=F),
    case("np.digitize(x,[0.,1.,2.])", x=V),
    case("np.dsplit(x,2)", x=values("float32", 2, 3, 4), resize=False),
    case("np.ediff1d(x)", x=V),
    case("np.empty_like(x).shape, np.ones_like(x)", x=F),
    case("np.histogram(x, bins=3, range=(-5,5))", x=V),
    case("np.histogram(x, [0.,1.,2.])", x=V),
    case("np.histogram(x, 4)", x=V),
    case("np.indices((2,3))*n", n=2),
    case("np.indices(x.shape)", x=F),
    case("np.insert(x,1,5.)", x=V),
    case("np.insert(x,n,5.,0)", x=F, n=1),
    case("np.interp(y,[0.,1.,2.],[3.,4.,1.])", y=D[0].copy()),
    case("np.intersect1d(x,y)", x=PICKS, y=np.array([1, 5, 2])),
    case("x[np.ix_([0,2],[1,2])]", x=F),
    case("x[np.ix_(i,[0,1])]", x=F, i=PICKS),
    case("np.kron(x,x)", x=F),
    case("np.lexsort((x[:,0],x[:,1]))", x=J),
    case("np.logspace(0,n,4)", n=2),
    case("np.geomspace(1,f,4)", f=8.0),
    case("np.nanmax(x), np.nanmin(x,0)", x=np.where(B, np.nan, D)),
    case("np.nanargmax(x,0)", x=D),
    case("np.nanstd(x), np.nanvar(x,0)", x=np.where(B, np.nan, D)),
    case("np.nancumsum(x)", x=np.where(B, np.nan, D)),
    case("np.place(x, x>0, 1.)\nreturn x", x=F),
    case("np.put(x,[0,2],9)\nreturn x", x=F),
    case("np.put_along_axis(x, i, 7., 0)\nreturn x", x=F, i=np.array([[0, 1, 2]])),
    case("np.putmask(x, x>0, -x)\nreturn x", x=F),
    case("np.copyto(x, 3.)\nreturn x", x=F),
    case("np.copyto(x, y, where=y>0)\nreturn x", x=F, y=F + 1),
    case("np.polyval([1.,2.,3.],x)", x=V),
    case("np.ravel_multi_index((i,i),(3,4))", i=np.array([0, 2])),
    case("np.unravel_index(i,(3,4))", i=np.array([5, 11])),
    case("np.unravel_index(np.argmax(x), x.shape)", x=F),
    case("np.resize(x,(2,5))", x=F),
    case("np.setdiff1d(x,y)", x=PICKS, y=np.array([1])),
    case("np.union1d(x,y)", x=PICKS, y=np.array([1, 7])),
    case("np.sinc(x)", x=V),
    case("np.trapz(x)", x=V),
    case("np.tril_indices(3)[0]*n", n=2),
    case("x[np.triu_indices(3)]", x=F),
    case("np.tril_indices(n)", n=3),
    case("np.triu_indices_from(x)", x=F),
    case("np.diag_indices(n)", n=3),
    case("np.linalg.matrix_power(x,3)", x=S),
    case("np.linalg.multi_dot([x,x,x])", x=S),
    case("np.gradient(x)", x=V),
    case("np.nan_to_num(x)", x=F),
    case("np.in1d(x,[1,2])", x=PICKS),
    case("np.mod(x,3), np.gcd(x,6), np.lcm(x,4)", x=J),
    case(
        "np.true_divide(x, 2), np.positive(x), np.logical_or(x, 1), np.greater(x, 1)",
        x=J,
    ),
    case("np.round_(x)", x=F),
    case("np.row_stack((x,x))", x=F),
    case("np.fromfunction(lambda i,j:i+j,(2,3))*n", n=2),
    case("np.apply_over_axes(np.sum,x,[0])", x=F),
    case("np.nanmedian(x)", x=D, symbolic=False),
    case("np.median(x,axis=1,keepdims=True)", x=D, symbolic=False),
    case("np.median(x)", x=D),
    case("np.fill_diagonal(x,0)\nreturn x", x=F),
    case("np.require(x)", x=F),
    case("np.hamming(5)*n, np.hanning(5), np.blackman(5), np.bartlett(5)", n=2),
    case("np.i0(x)", x=V),
    case("np.unwrap(x)", x=V),
    case("np.nonzero(x)[0].size", x=F),
    case("np.piecewise(x,[x<0,x>=0],[-1,1])", x=F),
    case("np.broadcast(x,x).shape", x=F),
    case("np.dot(x,x.T,out=None)", x=F),
    case("np.result_type(x,1.0)==np.float32, x*n", x=F, n=1),
    case("np.can_cast(x.dtype,np.float64), x*n", x=F, n=1),
    case("np.iinfo(x.dtype).max*n", x=J, n=1),
    case("[i for i in np.ndindex(2,3)], n", n=2),
    case("y = x.copy()\nfor i, j in np.ndindex(x.shape):\n    y[j % len(x), 0] = i\nreturn y", x=F),
    case("list(np.ndindex(n, len(x)))", {"n": 0}, {"n": -1}, x=V, n=2),
    case("[x[i] for i in np.ndindex(*x.shape)], list(np.ndindex())", x=V),
    case("x.put([0],5.)\nreturn x", x=F),
    case("x.flat[2], x.flat[1:3]", x=F),
    case("[v for v in x.flat]", x=V),
    case("np.max(x,where=x>0,initial=0)", x=F),
    case("np.sum(x,where=x>0)", x=F),
    case("np.std(x,dtype=np.float64)", x=F),
    case("np.cumsum(x,dtype=np.float64)", x=F),
    case("np.argmax(x,axis=1,keepdims=True)", x=F),
    case("np.median(x), np.median(x, (0, 1)), np.median(x, 0, keepdims=True)", x=J),
    case("np.average(x, 0, returned=True), np.average(x, weights=y, returned=True)", x=D, y=D + 9),
    case("np.linspace(0, n, 4, retstep=True), np.linspace(0, n, 1, retstep=True)", {"n": 0}, n=3),
    case("np.argmax(x, keepdims=True), np.argmin(x, keepdims=True)", x=F),
    case("np.sum(x, 0, where=y > 0, initial=3), np.prod(x, initial=2.0)", x=D, y=F),
    case("np.any(x, where=x > 1), np.all(x, 0, where=x < 1)", x=F),
    case("out = np.zeros(x.shape)\nnp.divide(x, y, out=out, where=y != 0)\nreturn out", x=D, y=J),
    case("np.sqrt(x, out=x, where=x > 0)\nreturn x", x=F),
    case("y = x.copy()\nnp.add(y, 1.5, out=y, casting='unsafe')\nreturn y", x=J),
    case("np.fmax.reduce(x), np.fmin.reduce(x, 1)", x=np.where(B, np.nan, D)),
    case(
        "np.einsum('...i,...i->...', x, x), np.einsum('...ij->...', x)", x=values("int32", 2, 3, 4)
    ),
    case("np.einsum('...ij,jk->...ik', x, x.T), np.einsum('b...,b->b...', x, x[:, 0])", x=F),
    case("[r for r in x], list(x)[n:]", {"n": 0}, x=values("uint8", 4, 3), n=2),
    case("np.percentile(x, f), np.quantile(x, 0.25, method='lower')", {"f": 101.0}, x=V, f=30.0),
    case("np.percentile(x, [10.0, 90.0], 0), np.quantile(x, 0.3, axis=1, keepdims=True)", x=F),
    case("y = x.copy()\ny[x.sum() > 0] = 7\nreturn y", {"x": -np.abs(F)}, x=np.abs(F)),
    case("np.cov(x, rowvar=False)", x=D, symbolic=False),
    case("(x @ x.T) * 0.1, (x / 3) @ x.T, np.dot(x, x.T) / 7", x=D),
    case("np.float64(x)", x=F, resize=False),
    case("s = slice(n, None) if n > 1 else slice(0, m)\nreturn x[s]", {"n": 1}, x=F, n=2, m=1),
]

STACK = np.stack([S, S * 2 + 1])
MATRICES = [
    *(
        case(code, x=array)
        for code in (
            "np.linalg.inv(x), np.linalg.det(x), np.linalg.cholesky(x)",
            "np.linalg.solve(x, x), np.linalg.solve(x, x[..., 0]), np.linalg.slogdet(x)",
        )
        for array in (S, STACK, S.astype("float32"), S.round().astype("int64"))
    ),
    case("np.linalg.matrix_power(x, -2), np.linalg.multi_dot([x, x, x])", x=S),
    case("np.linalg.solve(x, y)", x=STACK, y=S[None].copy(), resize=False),
    case("np.linalg.det(x)", {"x": np.zeros((3, 3))}, x=np.ones((3, 3))),
    case("np.linalg.det(x)", x=np.array([[0.0, 1, 2], [3, 0, 1], [1, 1, 0]])),
    case("np.linalg.cholesky(x)", {"x": -S}, x=S),
    case("np.linalg.inv(x)", {"x": np.zeros((3, 3))}, x=S),
]

#: What would fail in numpy fails in the model too, though nothing uses the result.
UNUSED = [
    "x + y",
    "x @ y.T",
    "np.maximum(x, y)",
    "x < y",
    "np.where(x > 0, x, y)",
    "x.reshape(2, -1)",
    "np.einsum('ij,ij->i', x, y)",
    "np.concatenate((x, y), 1)",
    "F.add(x, y)",
    "F.matmul(x, y, transb=True)",
    "F.linear(x, y)",
    "F.stack((x, y))",
]


def test_draws_of_the_soak() -> None:
    held, refused = soak(60, seed=1)
    assert held >= 60
    assert refused <= 3


@pytest.mark.parametrize("given", CASES + MATRICES, ids=lambda c: c.id)
def test_function(given: Case) -> None:
    check(given)


@pytest.mark.parametrize("code", UNUSED)
def test_what_nobody_uses_fails_where_numpy_fails(code: str) -> None:
    model = model_of(f"import chainer.functions as F\n{code}\nreturn x.shape[0]", ["x", "y"])
    made = compiled(model, {"x": F, "y": F}, symbolic=True)
    runs = [
        hold(model, made, {"x": np.ones(one, "f"), "y": np.ones(other, "f")})
        for one, other in (((4, 3), (4, 3)), ((4, 3), (2, 3)), ((3, 3), (3, 4)))
    ]
    assert runs[0]
    assert not all(runs)
