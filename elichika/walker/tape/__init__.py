"""The tape: which function, branch, loop or list made which Variable, for `backward` to go back."""
