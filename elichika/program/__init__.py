"""The user's program: its source, and its canonical form."""
