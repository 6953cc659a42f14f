"""The compiled model: the object, its file, its runs and what can be seen of it."""
