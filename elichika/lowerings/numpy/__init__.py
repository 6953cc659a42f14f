"""Lowerings of numpy, in files named after the groups of its routines."""
