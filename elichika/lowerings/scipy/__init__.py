"""Functions of scipy, of those packages of it that the program has imported."""
