"""Imports Chainer by way of elichika: on newer numpy it does not import by itself."""

import elichika.process.compat  # noqa: F401
