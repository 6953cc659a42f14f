"""One call of a chain: what it runs, what goes in, what comes out, and what it leaves behind."""
