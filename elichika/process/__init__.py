"""What a compile needs of the process: an importable Chainer, what it runs under, deadlines."""
