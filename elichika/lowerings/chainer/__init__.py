"""Lowerings of Chainer, in files named after the groups of `chainer.functions`."""
