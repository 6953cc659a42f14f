"""Chooses the packages to install; everything else is declared in pyproject.toml.

`models`, `tests` and `benchmarks` stay out: installed, they would shadow a user's
own packages of these names.
"""

from setuptools import find_packages, setup

ROOTS = ("elichika", "canonicalizer", "onnx_graph")

packages = find_packages(include=[pattern for root in ROOTS for pattern in (root, f"{root}.*")])

setup(
    packages=packages,
    py_modules=["elichika_command"],
    package_data={
        **{root: ["py.typed"] for root in ROOTS},
        "elichika.cli": ["operators.json"],
        "elichika.model": ["kernels.json"],
        "elichika.page": ["templates/*"],
    },
    license="MIT",
)
