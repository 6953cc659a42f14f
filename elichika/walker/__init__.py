"""The abstract run of a canonical program; `walker.py` puts its parts together."""
