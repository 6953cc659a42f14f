"""Lists, tuples, dicts, sets and iterators of the walked program."""
