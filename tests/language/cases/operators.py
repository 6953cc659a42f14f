"""operator and math."""

from __future__ import annotations

CASES: dict[str, list[str]] = {
    "operator.abs": [
        "operator.abs(n)",
    ],
    "operator.add": [
        "operator.add(n, f)",
    ],
    "operator.and_": [
        "operator.and_(n, 6)",
    ],
    "operator.concat": [
        "operator.concat([n], [f])",
    ],
    "operator.contains": [
        "operator.contains([1, 3], n)",
    ],
    "operator.countOf": [
        "operator.countOf([1, 3, 1], 1) + (n)",
    ],
    "operator.eq": [
        "operator.eq(n, 3)",
    ],
    "operator.floordiv": [
        "operator.floordiv(n, 2)",
    ],
    "operator.ge": [
        "operator.ge(n, 3)",
    ],
    "operator.getitem": [
        "operator.getitem(x, 0)",
    ],
    "operator.gt": [
        "operator.gt(n, f)",
    ],
    "operator.index": [
        "operator.index(n)",
    ],
    "operator.indexOf": [
        "operator.indexOf([1, 3], 3) + (n)",
    ],
    "operator.inv": [
        "operator.inv(n)",
    ],
    "operator.invert": [
        "operator.invert(n)",
    ],
    "operator.is_": [
        "operator.is_(n, None)",
    ],
    "operator.is_not": [
        "operator.is_not(n, None)",
    ],
    "operator.le": [
        "operator.le(n, f)",
    ],
    "operator.length_hint": [
        "operator.length_hint([1, 2]) + (n)",
    ],
    "operator.lshift": [
        "operator.lshift(n, 2)",
    ],
    "operator.lt": [
        "operator.lt(n, f)",
    ],
    "operator.matmul": [
        "operator.matmul(x, x.T)",
    ],
    "operator.mod": [
        "operator.mod(n, 3)",
    ],
    "operator.mul": [
        "operator.mul(x, n)",
    ],
    "operator.ne": [
        "operator.ne(n, 3)",
    ],
    "operator.neg": [
        "operator.neg(f)",
    ],
    "operator.not_": [
        "operator.not_(c)",
    ],
    "operator.or_": [
        "operator.or_(n, 8)",
    ],
    "operator.pos": [
        "operator.pos(n)",
    ],
    "operator.pow": [
        "operator.pow(f, 2)",
    ],
    "operator.rshift": [
        "operator.rshift(n, 1)",
    ],
    "operator.sub": [
        "operator.sub(x, f)",
    ],
    "operator.truediv": [
        "operator.truediv(n, 4)",
    ],
    "operator.truth": [
        "operator.truth(n)",
    ],
    "operator.xor": [
        "operator.xor(n, 5)",
    ],
    "operator.setitem": [
        """
        a = [n, f]
        operator.setitem(a, 0, x)
        return a
        """,
    ],
    "operator.delitem": [
        """
        a = [n, f]
        operator.delitem(a, 0)
        return a
        """,
    ],
    "operator.iadd": [
        "operator.iadd([n], [f])",
        """
        y = x.copy()
        z = operator.iadd(y, n)
        return y, z
        """,
    ],
    "operator.imul": [
        "operator.imul(n, 3)",
    ],
    "operator.isub": [
        """
        y = x.copy()
        operator.isub(y, 1)
        return y
        """,
    ],
    "operator.attrgetter": [
        "operator.attrgetter('k')(self) + n",
        "operator.attrgetter('T')(x)",
        "operator.attrgetter('a.b')(Box(Box(n)))",
    ],
    "operator.itemgetter": [
        "operator.itemgetter(1)((n, f))",
        "operator.itemgetter(0, -1)([n, 1, f])",
        "sorted([(2, n), (1, f)], key=operator.itemgetter(0))",
    ],
    "operator.methodcaller": [
        "operator.methodcaller('sum', axis=0)(x)",
        "operator.methodcaller('upper')('a'), n",
    ],
    "operator.call": [
        "operator.call(max, n, 2)",
    ],
    "math.acos": [
        "math.acos(f / 10)",
    ],
    "math.acosh": [
        "math.acosh(abs(f) + 1)",
    ],
    "math.asin": [
        "math.asin(f / 10)",
    ],
    "math.asinh": [
        "math.asinh(f)",
    ],
    "math.atan": [
        "math.atan(f)",
    ],
    "math.atan2": [
        "math.atan2(f, n)",
    ],
    "math.atanh": [
        "math.atanh(f / 10)",
    ],
    "math.cbrt": [
        "math.cbrt(f)",
    ],
    "math.ceil": [
        "math.ceil(f)",
    ],
    "math.comb": [
        "math.comb(5, 2) + (n)",
    ],
    "math.copysign": [
        "math.copysign(f, -1.0)",
    ],
    "math.cos": [
        "math.cos(f)",
    ],
    "math.cosh": [
        "math.cosh(f)",
    ],
    "math.degrees": [
        "math.degrees(f)",
    ],
    "math.dist": [
        "math.dist((1.0, 2.0), (3.0, 4.0)) + (n)",
    ],
    "math.erf": [
        "math.erf(f)",
    ],
    "math.erfc": [
        "math.erfc(f)",
    ],
    "math.exp": [
        "math.exp(f)",
    ],
    "math.exp2": [
        "math.exp2(f)",
    ],
    "math.expm1": [
        "math.expm1(f)",
    ],
    "math.fabs": [
        "math.fabs(n)",
    ],
    "math.factorial": [
        "math.factorial(4) + (n)",
    ],
    "math.floor": [
        "math.floor(f)",
    ],
    "math.fmod": [
        "math.fmod(f, 2)",
    ],
    "math.frexp": [
        "math.frexp(8.0) + (n,)",
    ],
    "math.fsum": [
        "math.fsum([n, f, 0.5])",
    ],
    "math.gamma": [
        "math.gamma(4.0) + (n)",
    ],
    "math.gcd": [
        "math.gcd(12, 8) + (n)",
    ],
    "math.hypot": [
        "math.hypot(f, n)",
    ],
    "math.isclose": [
        "math.isclose(f, 2.5)",
    ],
    "math.isfinite": [
        "math.isfinite(f)",
    ],
    "math.isinf": [
        "math.isinf(f)",
    ],
    "math.isnan": [
        "math.isnan(f)",
    ],
    "math.isqrt": [
        "math.isqrt(17) + (n)",
    ],
    "math.lcm": [
        "math.lcm(4, 6) + (n)",
    ],
    "math.ldexp": [
        "math.ldexp(f, 3)",
    ],
    "math.lgamma": [
        "math.lgamma(4.0) + (n)",
    ],
    "math.log": [
        "math.log(abs(f) + 1)",
    ],
    "math.log10": [
        "math.log10(abs(f) + 1)",
    ],
    "math.log1p": [
        "math.log1p(abs(f))",
    ],
    "math.log2": [
        "math.log2(abs(f) + 1)",
    ],
    "math.modf": [
        "math.modf(2.5) + (n,)",
    ],
    "math.nextafter": [
        "math.nextafter(1.0, 2.0) + (n)",
    ],
    "math.perm": [
        "math.perm(5, 2) + (n)",
    ],
    "math.pow": [
        "math.pow(abs(f), n)",
    ],
    "math.prod": [
        "math.prod([n, f, 2])",
    ],
    "math.radians": [
        "math.radians(f)",
    ],
    "math.remainder": [
        "math.remainder(f, 2)",
    ],
    "math.sin": [
        "math.sin(f)",
    ],
    "math.sinh": [
        "math.sinh(f)",
    ],
    "math.sqrt": [
        "math.sqrt(abs(f))",
    ],
    "math.tan": [
        "math.tan(f)",
    ],
    "math.tanh": [
        "math.tanh(f)",
    ],
    "math.trunc": [
        "math.trunc(f)",
    ],
    "math.ulp": [
        "math.ulp(1.0) + (n)",
    ],
    "math.pi": [
        "math.pi * f",
    ],
    "math.e": [
        "math.e * f",
    ],
    "math.inf": [
        "f < math.inf, -math.inf < n",
    ],
    "math.nan": [
        "math.isnan(math.nan * f)",
    ],
    "math.tau": [
        "math.tau * n",
    ],
    "math.*": [
        "math.floor(f / 2) + math.ceil(n / 2)",
        "math.sqrt(x.shape[1]) * n",
        "math.log(abs(n) + 2, 2)",
        "math.sqrt(len(x))",
        "math.ceil(len(x) / 2)",
        "math.exp(-abs(f)) + math.log(abs(f) + 3, 10)",
    ],
}
