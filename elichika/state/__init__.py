"""The state of the walked program: locations, versions, what they may share, and how they join."""
