"""Lowerings of Python's builtins, of the methods of its types, and of its library."""
