"""A program made small that still shows a fault: delta debugging over its syntax tree."""
