"""Arithmetic: of Python, of numpy, and the operators that onnxruntime lacks."""
