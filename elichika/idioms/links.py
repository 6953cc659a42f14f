"""What links of Chainer do with names that they keep in sets, in an order of their own."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np


def copy_params(link: Any, source: Any, copy_persistent: bool = True) -> None:
    """Do what `Link.copyparams` does."""
    for name in sorted(link._params):
        getattr(link, name).copydata(getattr(source, name))
    if not copy_persistent:
        return
    for name in sorted(link._persistent):
        held, given = getattr(link, name), getattr(source, name)
        if type(held) is type(given) is np.ndarray:
            np.copyto(held, given)
        else:
            setattr(link, name, copy.deepcopy(given))


def copy_params_of_chain(chain: Any, source: Any, copy_persistent: bool = True) -> None:
    """Do what `Chain.copyparams` does."""
    copy_params(chain, source, copy_persistent)
    for name in sorted(chain._children):
        getattr(chain, name).copyparams(getattr(source, name), copy_persistent)
