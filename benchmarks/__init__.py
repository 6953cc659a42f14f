"""Measurements and the demonstration; run with `make demo` and `make bench`."""
