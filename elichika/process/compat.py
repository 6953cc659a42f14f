"""Makes Chainer 7 importable, and right, where numpy, Python and setuptools dropped what it uses.

`import elichika` imports this module first, and this module imports Chainer. Each patch fills in
what is missing and leaves alone what is there; on Python 3.11 with numpy 1.26 and setuptools 65
only the names in `NUMPY_NAMES` are missing.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
import types
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from typing import Any

import numpy as np

__all__ = ["NUMPY_NAMES", "import_chainer"]

#: Names that numpy 1.24 dropped. Chainer's `resize_images` uses `float`; chainercv, chainercv2 and
#: user code of Chainer's time use the others. Each was an alias of Python's own type.
NUMPY_NAMES: dict[str, Any] = {
    "bool": bool,
    "int": int,
    "float": float,
    "complex": complex,
    "object": object,
    "str": str,
    "long": int,
}

#: numpy 2.0 dropped `np.sctypes`; Chainer's `as_strided` reads it when it is imported.
SCTYPES: dict[str, list[type]] = {
    "int": [np.int8, np.int16, np.int32, np.int64],
    "uint": [np.uint8, np.uint16, np.uint32, np.uint64],
    "float": [np.float16, np.float32, np.float64, np.longdouble],
    "complex": [np.complex64, np.complex128, np.clongdouble],
    "others": [bool, object, bytes, str, np.void],
}


#: Chainer's setup reads pkg_resources, which setuptools 81 dropped. The constraint holds where the
#: wheel is built, in either generation of pip, and leaves the environment's own setuptools alone.
INSTALL_CHAINER = (
    "echo 'setuptools<81' > build.txt && "
    "PIP_CONSTRAINT=build.txt PIP_BUILD_CONSTRAINT=build.txt "
    "pip wheel --use-pep517 --no-deps 'chainer>=7,<8' && pip install ./chainer-7*.whl"
)


def import_chainer() -> None:
    """Import Chainer, with what is missing supplied.

    Raises:
        ImportError: Chainer is not installed, or an import of it has failed in this process.
    """
    if "chainer" not in sys.modules and any(name.startswith("chainer.") for name in sys.modules):
        raise ImportError(
            "chainer was imported before elichika, and failed: it needs what this numpy "
            f"({np.__version__}), Python or setuptools no longer has, and elichika supplies. "
            "Start a new process, and import elichika before chainer."
        )
    _supply_numpy_names()
    with _modules_for_chainer(), warnings.catch_warnings():
        # Chainer's import reads pkg_resources, and setuptools warns of that.
        warnings.filterwarnings("ignore", "pkg_resources is deprecated")
        try:
            importlib.import_module("chainer")
        except ModuleNotFoundError as error:
            if error.name != "chainer":
                raise
            raise ImportError(
                f"elichika compiles models of Chainer, which is not installed: {INSTALL_CHAINER}"
            ) from error


def _supply_numpy_names() -> None:
    for name, value in {**NUMPY_NAMES, "sctypes": SCTYPES}.items():
        with warnings.catch_warnings():  # numpy warns of names that it is about to drop or change
            warnings.simplefilter("ignore")
            if not hasattr(np, name):
                setattr(np, name, value)


@contextmanager
def _modules_for_chainer() -> Iterator[None]:
    """Stand in for modules that Chainer imports, and hide them again from everybody else."""
    made: list[types.ModuleType] = []
    for name, make in (("numpy.distutils.system_info", _distutils), ("pkg_resources", _packages)):
        if not _is_there(name):
            made += make()
    sys.modules.update({module.__name__: module for module in made})
    try:
        yield
    finally:
        for module in made:
            del sys.modules[module.__name__]


def _is_there(name: str) -> bool:
    if name in sys.modules:
        return True
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # its package is missing
        return False


def _distutils() -> list[types.ModuleType]:
    """Make `numpy.distutils.system_info`, gone on Python 3.12: Chainer asks it for macOS's BLAS."""
    distutils = types.ModuleType("numpy.distutils")
    system_info = types.ModuleType("numpy.distutils.system_info")
    vars(system_info)["get_info"] = lambda name: {}
    vars(distutils)["system_info"] = system_info
    vars(np).setdefault("distutils", distutils)  # on macOS, Chainer reaches it as an attribute
    return [distutils, system_info]


class _DistributionNotFound(Exception):
    """A package is not installed."""


class _VersionConflict(Exception):
    """A package has another version; only to be named: Chainer merely warns of it."""


def _packages() -> list[types.ModuleType]:
    """Make `pkg_resources`, gone from setuptools 81: Chainer asks it for CuPy and iDeep."""
    module = types.ModuleType("pkg_resources")
    vars(module).update(
        DistributionNotFound=_DistributionNotFound,
        VersionConflict=_VersionConflict,
        require=_require,
    )
    return [module]


def _require(requirement: str) -> None:
    try:
        metadata.distribution(re.split(r"[^\w.-]", requirement, maxsplit=1)[0])
    except metadata.PackageNotFoundError as error:
        raise _DistributionNotFound(requirement) from error


import_chainer()
