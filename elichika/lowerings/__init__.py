"""The lowerings; to import this package is to register all of them."""

from importlib import import_module
from pkgutil import iter_modules

from elichika.lowerings import chainer, numpy, python

for _package in (chainer, numpy, python):
    for _module in iter_modules(_package.__path__):
        import_module(f"{_package.__name__}.{_module.name}")
