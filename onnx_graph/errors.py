"""The error that the graph raises at the emitting call."""


class GraphError(Exception):
    """A node cannot be emitted: wrong operand, hidden value, unknown symbol, bad body."""


class NotKeptError(Exception):
    """A value of a closed body is read from outside, and cannot be given there."""
