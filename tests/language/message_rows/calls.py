"""Calls of the library."""

from __future__ import annotations

from tests.language.messages import Call

COMPILE_MORE = """\
model = elichika.compile_model(chain, (x, 2, {}))
model(x, 2, {})"""
EDITED = """\
import onnx

proto = onnx.load("model.onnx", load_external_data=False)
{}
onnx.save(proto, "model.onnx")
elichika.load("model.onnx"){}"""
DAMAGED = """\
for entry in proto.metadata_props:
    entry.value = '{'"""
READ = """\
from elichika.cli.inputs import read_examples

read_examples([{!r}])"""

CALLS: list[str] = [
    "elichika.compile_model(np.tanh, x)",
    "elichika.compile_model(chainer.Chain, x)",
    "elichika.compile_model(L.Linear(3, 2).forward, x)",
    "elichika.compile_model('model.py:Net', x)",
    "elichika.compile_model(chain, (x, np.datetime64(1, 's')))",
    "elichika.compile_model(chain, {1: x})",
    "elichika.compile_model(chain, {'x': {(1, 2): x}})",
    "elichika.compile_model(chain, np.ma.masked_array(x, x > 1))",
    "elichika.compile_model(chain, x.astype('>f4'))",
    "elichika.compile_model(chain, x, max_nodes=0)",
    "elichika.compile_model(chain, x, max_depth=0)",
    "elichika.compile_model(chain, x, max_unroll='a')",
    "elichika.compile_model(chain, x, train='no')",
    "model.run(x)",
    "loaded.verify(x, chain=chainer.Chain)",
    "elichika.compile_model(chain, x, providers=['Abacus'], verify=False)(x)",
    "elichika.compile_model(L.Linear(None, 3), x.astype('i'), initialize=True)",
    """
    chain.forward = np.tanh
    elichika.compile_model(chain, x)
    """,
    "elichika.compile_model(chain, x, dynamic_axes=3)",
    "elichika.compile_model(chain, x, dynamic_axes={'x': 'batch'})",
    "elichika.compile_model(chain, x, input_names=['a', 'b'])",
    "elichika.compile_model(chain, (x, 2), input_names=['a', 'a'])",
    "elichika.compile_model(chain, x, input_names={'z': 'a'})",
    "elichika.compile_model(chain, x, output_names=['a', 'b'])",
    "elichika.compile_model(chain, x, output_names=[''])",
    "elichika.compile_model(chain, x, output_names=['x'])",
    "elichika.compile_model(chain, x, output_names={'y': 'z'})",
    "elichika.compile_model(chain, x, examples=[(x, 2, 3, 4)])",
    "elichika.compile_model(chain, x, examples=[x.astype('d')])",
    "elichika.compile_model(chain, x, examples=[x[:1]], dynamic_axes={'x': {0: None}})",
    "elichika.compile_model(chain, x, examples=[x[0]])(None)",
    """
    chain = type("Chain", (chainer.Chain,), {"forward": lambda self, x, y=1j: x})()
    elichika.compile_model(chain, x, examples=[(x, 2)])
    """,
    "elichika.compile_model(chain, tuple('aaa'), examples=[tuple(3 * c) for c in 'bcdef'])",
    """
    model = elichika.compile_model(chain, (x, 2), examples=[(x, 2.5)])
    model.run({"x": x, "n_kind": 2, "n_int": 2, "n_float": 2.5})
    """,
    """
    with elichika.profile(chain) as calls:
        chain(x)
    elichika.compile_model(L.Linear(3, 5), calls)
    """,
    """
    with elichika.profile(chain) as calls:
        chain(x)
    elichika.compile_model(chain, calls, method='serialize')
    """,
    """
    with elichika.profile(chain) as calls:
        for number in range(300):
            chain(x, 1, str(number))
    elichika.compile_model(chain, calls)
    """,
    """
    with elichika.profile(chain) as calls:
        chain(x, 1, slice(3))
    calls.save('calls.npz')
    """,
    "elichika.load_calls()",
    """
    np.savez('calls.npz', x=x)
    elichika.load_calls('calls.npz')
    """,
    """
    np.savez('calls.npz', **{'elichika.calls': np.zeros(3, 'uint8')})
    elichika.load_calls('calls.npz')
    """,
    "model()",
    "model(x, 2 ** 62)",
    "model.run({'x': x})",
    "model.state = {'h': x}",
    "model(x, 2, 3)",
    "elichika.compile_model(chain, x)(x, 2)",
    COMPILE_MORE.format("'a'", "'b'"),
    COMPILE_MORE.format("(1.0, x)", "(x,)"),
    COMPILE_MORE.format("{'a': x}", "{'b': x}"),
    "Pair = collections.namedtuple('Pair', 'a b')\n" + COMPILE_MORE.format("Pair(x, x)", "(x, x)"),
    "model.verify(chain=L.Linear(5, 3))",
    "model.verify(chain=x)",
    "loaded.verify()",
    "loaded.verify(chain=chain)",
    """
    from elichika.model.testcase import write_testcase

    write_testcase(loaded, 'case')
    """,
    """
    from elichika.model.testcase import write_testcase

    write_testcase(model, 'model.onnx/case')
    """,
    """
    drops = chainer.Sequential(F.dropout)
    elichika.compile_model(drops, x, train=True, random='onnx', verify=False).on('reference')
    """,
    "elichika.load('other.onnx')",
    """
    open('other.onnx', 'w').write('no model')
    elichika.load('other.onnx')
    """,
    EDITED.format("del proto.metadata_props[:]", ""),
    EDITED.format(DAMAGED, ""),
    EDITED.format("proto.graph.node[0].op_type = 'Abacus'", "(x, 2)"),
    *map(
        READ.format,
        (
            "x",
            "x=float32[batch,3",
            "x=complex64[3]",
            "x=float32[3?]",
            "x=int64[3]<0",
            "x=(1, 2)<3",
            "x=uint8[3]<1000",
            "x=float32[a:2,a:3]",
        ),
    ),
    """
    from elichika.cli.inputs import read_examples

    read_examples(['float32[3]', 'x=float32[3]'])
    """,
    """
    from elichika.cli.inputs import read_examples

    read_examples(['x[0]=float32[3]', 'x[2]=float32[3]'])
    """,
    """
    from elichika.cli.inputs import read_examples

    read_examples(['x=3', 'x[0]=float32[3]'])
    """,
    """
    from elichika.cli.inputs import read_examples

    read_examples(['x[0]=3', 'x[0]=float32[3]'])
    """,
    """
    from elichika.cli.operators import named, operators

    named('F.rellu', {row.name: row for row in operators()})
    """,
    """
    from elichika.cli.inputs import read_examples

    np.savez('inputs.npz', **{'xs.1': x})
    read_examples([], 'inputs.npz')
    """,
    """
    from elichika.cli.inputs import read_examples

    read_examples(['x=float32(batch,3)'])
    """,
    """
    from elichika.cli.inputs import read_examples

    read_examples(['d={"a": float32[3]}'])
    """,
    """
    model = elichika.compile_model(chainer.links.Linear(3, 2), x)
    model.verify(chain=chainer.links.Linear(2))
    """,
    "elichika.compile_model(chain, x, limits=60)",
    "elichika.training_step(chain, chainer.optimizers.Adam(), x)",
    "elichika.training_step(chain, chainer.optimizers.Adam().setup(chainer.links.Linear(2)), x)",
    "elichika.training_step(chain, 'Adam', x)",
    "elichika.gradients(chain, x, of=['y'])",
    """
    from elichika.cli.training import compiler_of

    compiler_of(chain, 'Adm', [], False, False)
    """,
    """
    from elichika.cli.training import compiler_of

    compiler_of(chain, 'Adam', ['alhpa=0.1'], False, False)
    """,
    """
    from elichika.cli.training import compiler_of

    compiler_of(chain, 'Adam', ['alpha=high'], False, False)
    """,
    "elichika.compile_model(chain, x, state=True, reweightable=True).save_npz('a.npz', of='rule')",
    "elichika.compile_model(chain, x).converted('fp8')",
    "elichika.compile_model(chain, x).converted('fp16', 'quantize')",
    """
    chain = chainer.links.NStepRNNTanh(1, 3, 3, 0.0)
    elichika.compile_model(chain, (None, [x, x])).converted('fp16')
    """,
    """
    from elichika.cli.conversions import names_of

    names_of(simplify=False, fp16=False, quantize=False, tolerance=0.1)
    """,
]
ROWS = [Call(code) for code in CALLS]
