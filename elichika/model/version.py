"""The version of elichika, which the package's metadata and the models that it writes give too."""

__all__ = ["__version__"]

__version__ = "0.1.0"
