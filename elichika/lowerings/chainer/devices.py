"""Moving arrays, Variables and links to devices: all are on the host, and stay there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import chainer
import numpy as np
from chainer.backend import CpuDevice
from chainer.backends._chainerx import from_chx
from chainer.device_resident import DeviceResident

from elichika import idioms
from elichika.registry import always, lowers
from elichika.values.kinds import is_array, is_listed, is_number

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


@lowers(chainer.backends.cuda.to_gpu, from_chx)
def to_device(w: LoweringContext, array: Any, *args: Any, **kwargs: Any) -> Any:
    """All arrays are on the host."""
    return array


@lowers(chainer.backend.Device.send)
def send(w: LoweringContext, device: Any, arrays: Any) -> Any:
    """All arrays are on the host."""
    return to_cpu(w, arrays)


@lowers(chainer.backends.cuda.to_cpu)
def to_cpu(w: LoweringContext, arrays: Any, stream: Any = None) -> Any:
    """All arrays are on the host; numbers become arrays."""
    arrays = w.narrow(arrays)
    if is_listed(arrays):
        if w.is_dynamic(arrays):
            sent = w.call(idioms.lists.keys_of, [arrays, np.asarray], {})
        else:
            sent = w.new_list([to_cpu(w, array) for array in w.static_items(arrays)])
        return w.call(w.type_of(arrays), [sent], {})
    if arrays is None or is_array(arrays):
        return arrays
    if not is_number(arrays):
        kind = w.type_of(arrays)
        w.raise_static(
            TypeError(f"Array cannot be converted into an numpy.ndarray\nActual type: {kind}.")
        )
    return w.call(np.asarray, [arrays], {})


@lowers(chainer.Variable.to_device)
def variable_to_device(w: LoweringContext, variable: Any, device: Any) -> None:
    """Has no effect: the array is on the host, and no other device can be meant."""
    _require_host(w, device)


def _require_host(w: LoweringContext, device: Any) -> None:
    """Let Chainer tell what a device is; refuse all but the processor."""
    found = w.call(chainer.get_device, [device], {})
    if found != CpuDevice():
        w.refuse(f"arrays of the device {found} are not compiled", "compile the chain on the CPU")


_ACCEPT = {
    DeviceResident.device_resident_accept,
    chainer.Link.device_resident_accept,
    chainer.Chain.device_resident_accept,
    chainer.ChainList.device_resident_accept,
}


@lowers(DeviceResident.to_device)
@always
def link_to_device(w: LoweringContext, link: Any, device: Any) -> Any:
    """All parameters are on the host; each link may say what else it moves."""
    _require_host(w, device)
    return _moved(w, link, {one: one._overridden_to_methods for one in _links(link)})


@lowers(DeviceResident.to_cpu)
@always
def link_to_cpu(w: LoweringContext, link: Any) -> Any:
    """All parameters are on the host; each link but this one may say what else it moves."""
    others = [one for one in _links(link) if one is not link]
    return _moved(w, link, {one: one._overridden_to_methods for one in others})


@lowers(DeviceResident.to_gpu, DeviceResident.from_chx)
@always
def link_on_host(w: LoweringContext, link: Any, device: Any = None) -> Any:
    """All parameters are on the host, and stay there."""
    return _moved(w, link, {})


def _links(link: Any) -> list[Any]:
    return list(link.links()) if hasattr(link, "links") else [link]


def _moved(w: LoweringContext, link: Any, methods: dict[Any, tuple[str, ...]]) -> Any:
    """Return a link after what its links say of `to_cpu` themselves, as Chainer 1 had it."""
    for one in _links(link):
        own = type(one).device_resident_accept
        if own not in _ACCEPT and not own.__module__.startswith("chainer.links."):
            name = type(one).__name__
            w.refuse(
                f"`device_resident_accept` of `{name}` itself is not compiled",
                "move the chain before it is compiled",
            )
        if "to_cpu" in methods.get(one, ()):
            w.call(w.get_attribute(one, "to_cpu"), [], {})
    return link


@lowers(chainer.Variable.to_cpu, chainer.Variable.to_gpu)
def no_effect(w: LoweringContext, *args: Any, **kwargs: Any) -> None:
    """Has no effect on values."""
