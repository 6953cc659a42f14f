"""Calls of `chainer.functions.activation` and of its noise."""

from tests.lowerings.chainer.cases import alone, case, drawn, f32, refused, weight, whole

LARGE = [{"x": f32(3, 4, low=-100, high=100)}]

ACTIVATION = {
    "clipped_relu": [
        case("F.clipped_relu(x)", "F.clipped_relu(x, z=1.0)", x=f32(3, 4), others=LARGE)
    ],
    "crelu": [
        case("F.crelu(x)", "F.crelu(x, axis=0)", "F.crelu(x, axis=-1)", x=f32(2, 3, 4)),
    ],
    "elu": [case("F.elu(x)", "F.elu(x, alpha=-0.7)", "F.elu(x, 2)", x=f32(3, 4))],
    "hard_sigmoid": [case("F.hard_sigmoid(x)", x=f32(3, 4), others=LARGE)],
    "leaky_relu": [
        case(
            "F.leaky_relu(x)",
            "F.leaky_relu(x, slope=-0.3)",
            "F.leaky_relu(x, slope=1.5)",
            "F.leaky_relu(x, 0)",
            x=f32(2, 3, 4),
        )
    ],
    "log_softmax": [
        case("F.log_softmax(x)", "F.log_softmax(x, axis=0)", "F.log_softmax(x, -1)", x=f32(2, 3, 4))
    ],
    "relu": [case("F.relu(x)", x=f32(3, 4)), case("F.relu(x)", x=f32())],
    "relu6": [case("F.relu6(x)", x=f32(3, 4), others=LARGE)],
    "rrelu": [
        whole("F.rrelu(x, return_r=True)", "F.rrelu(x, r=x.array, return_r=True)", x=f32(3, 4)),
        whole(
            "F.rrelu(x, r=r.array)",
            "F.rrelu(x, r=r.array, return_r=True)",
            train=True,
            x=f32(3, 4),
            r=f32(3, 4, seed=3),
        ),
        case("F.rrelu(x)", "F.rrelu(x, l=0.1, u=0.9)", x=f32(3, 4)),
        drawn("F.rrelu(x)", "F.rrelu(x, 0.2, 0.6, return_r=True)", x=f32(3, 4)),
        refused("F.rrelu(x)", "random", train=True, x=f32(3, 4)),
    ],
    "selu": [case("F.selu(x)", "F.selu(x, alpha=1.5, scale=0.5)", x=f32(3, 4))],
    "sigmoid": [case("F.sigmoid(x)", x=f32(3, 4), others=LARGE)],
    "softmax": [
        case("F.softmax(x)", "F.softmax(x, axis=0)", "F.softmax(x, axis=-1)", x=f32(2, 3, 4)),
        case("F.softmax(x)", x=f32(3, 4), others=LARGE),
    ],
    "softplus": [case("F.softplus(x)", "F.softplus(x, beta=2.5)", x=f32(3, 4), others=LARGE)],
    "tanh": [case("F.tanh(x)", x=f32(3, 4), others=LARGE)],
    "maxout": [
        case("F.maxout(x, 2)", "F.maxout(x, 3)", "F.maxout(x, 1)", x=f32(3, 6), axes=(0,)),
        whole("F.maxout(x, 2, axis=2)", x=f32(2, 3, 4), axes=(0,)),
        whole("F.maxout(x, 2)", x=f32(2, 4, 3, 5), axes=(0,)),
    ],
    "prelu": [
        case("F.prelu(x, self.W)", x=f32(2, 3, 4), W=weight(3), axes=(0, 2)),
        case("F.prelu(x, self.W)", x=f32(2, 3, 4), W=weight(3, 4), axes=(0,)),
        whole("F.prelu(x, W)", x=f32(2, 3), W=f32()),
        alone("F.prelu(x, self.W)", x=f32(2, 3, 4), W=weight()),
    ],
    "swish": [
        whole("F.swish(x, beta)", x=f32(2, 3, 4), beta=f32(3)),
        whole("F.swish(x, beta)", x=f32(2, 3), beta=f32()),
        alone("F.swish(x, self.beta)", x=f32(2, 3, 4), beta=weight(3)),
    ],
}

NOISE = {
    "dropout": [
        whole("F.dropout(x, return_mask=True)", x=f32(3, 4)),
        whole("F.dropout(x, mask=m.array, return_mask=True)", train=True, x=f32(3, 4), m=f32(3, 4)),
        whole("F.dropout(x)", "F.dropout(x, ratio=0.9)", x=f32(3, 4)),
        whole("F.dropout(x, 0.0)", train=True, x=f32(3, 4)),
        whole("F.dropout(x, mask=x.array > 0)", train=True, x=f32(3, 4)),
        drawn("F.dropout(x)", "F.dropout(x, 0.3, return_mask=True)", x=f32(3, 4)),
        refused("F.dropout(x)", "random", train=True, x=f32(3, 4)),
    ],
    "gaussian": [
        whole(
            "F.gaussian(x, y, eps=e.array)", x=f32(2, 3), y=f32(2, 3, seed=1), e=f32(2, 3, seed=2)
        ),
        whole("F.gaussian(x, y, eps=x.array, return_eps=True)", x=f32(2, 3), y=f32(2, 3, seed=1)),
        alone("F.gaussian(x, y, eps=np.ones((2, 3), x.dtype))", x=f32(2, 3), y=f32(2, 3, seed=1)),
        drawn("F.gaussian(x, y)", "F.gaussian(x, y, return_eps=True)", x=f32(2, 3), y=f32(2, 3)),
        refused("F.gaussian(x, y)", "random", x=f32(2, 3), y=f32(2, 3)),
    ],
    "gumbel_softmax": [
        drawn("F.gumbel_softmax(x)", "F.gumbel_softmax(x, tau=0.5, axis=-1)", x=f32(2, 3)),
        drawn("F.gumbel_softmax(x, 0.3, 2)", x=f32(2, 3, 4)),
        refused("F.gumbel_softmax(x)", "random", x=f32(2, 3)),
    ],
    "simplified_dropconnect": [
        whole(
            "F.simplified_dropconnect(x, self.W, mask=m.array, use_batchwise_mask=False)",
            "F.simplified_dropconnect(x, self.W, None, 0.2, True, m.array, False)",
            x=f32(2, 3),
            W=weight(4, 3),
            m=f32(4, 3, seed=2),
            axes=(0,),
        ),
        whole(
            "F.simplified_dropconnect(x, self.W, self.b, train=False)",
            "F.simplified_dropconnect(x, self.W, None, ratio=0.2, train=False)",
            x=f32(2, 3),
            W=weight(4, 3),
            b=weight(4),
            axes=(0,),
        ),
        whole(
            "F.simplified_dropconnect(x, self.W, self.b, mask=m.array)",
            x=f32(2, 3),
            W=weight(4, 3),
            b=weight(4),
            m=f32(2, 4, 3, seed=3),
            axes=None,
        ),
        drawn(
            "F.simplified_dropconnect(x, self.W)",
            "F.simplified_dropconnect(x, self.W, ratio=0.2, use_batchwise_mask=False)",
            x=f32(2, 3),
            W=weight(4, 3),
            axes=(0,),
        ),
        refused("F.simplified_dropconnect(x, self.W)", "random", x=f32(2, 3), W=weight(4, 3)),
    ],
    "zoneout": [
        whole("F.zoneout(x, y)", "F.zoneout(x, y, ratio=0.2)", x=f32(2, 3), y=f32(2, 3, seed=1)),
        drawn("F.zoneout(x, y)", "F.zoneout(x, y, 0.2)", x=f32(2, 3), y=f32(2, 3, seed=1)),
        refused("F.zoneout(x, y)", "random", train=True, x=f32(2, 3), y=f32(2, 3)),
    ],
}
