"""`chainer.grad` where how many outputs or inputs there are is known only when the model runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from elichika import idioms
from elichika.lowerings.chainer.backprop import along_pairs, sweep_all
from elichika.registry import always, lowers
from elichika.values.tape import VariableNode

if TYPE_CHECKING:
    from elichika.lowerings.python.context import ContainerContext


@lowers(idioms.gradients.along_lists)
@always
def along_lists(w: ContainerContext, outputs: Any, seeds: Any, inputs: Any) -> Any:
    """Go back from Variables to Variables, of which the one or the other are in a list.

    The gradients of what is in a list are those that `backward` would give with `retain_grad`, in
    another location.
    """
    if w.is_dynamic(outputs):
        pairs = [(_of_list(w, outputs), seeds)]
        _require_distinct(w, pairs[0][0])
    else:
        starts = [w.tape.node(y) for y in w.static_items(outputs)]
        pairs = list(zip(starts, w.static_items(seeds), strict=True))
    if not w.is_dynamic(inputs):
        ends = [w.tape.node(x) for x in w.static_items(inputs)]
        return along_pairs(w, pairs, ends, [None] * len(ends), False, None)
    w.tape.totals.ask()
    wanted = _of_list(w, inputs)
    with w.tape.totals.sweeping(True, "wanted"):
        w.tape.totals.forget(wanted)
        sweep_all(w, pairs, True, None)
        return w.call(idioms.gradients.gradient, [wanted, "grad"], {})


def _require_distinct(w: ContainerContext, outputs: VariableNode) -> None:
    """Refuse a list that may hold a Variable twice: of its two seeds Chainer takes the last."""
    w.tape.totals.ask()
    if w.tape.totals.each_turn(outputs) is None:
        w.refuse(
            "whether a Variable is twice in this list of outputs is known only when the model runs",
            "make the list by one `append` in each iteration of a loop, or add the outputs up",
        )


def _of_list(w: ContainerContext, variables: Any) -> VariableNode:
    """Return the node of a list of dynamic length."""
    node: VariableNode | None = w.items_of(variables).node
    if node is None or node.requires_grad is None:
        w.tape.refuse_unknown()
    return node
