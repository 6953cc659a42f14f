"""Objects and classes of the walked program: attributes, special methods, identity."""
