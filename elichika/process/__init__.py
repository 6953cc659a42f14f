"""What a compile needs of the process it runs in: an importable Chainer, and deadlines."""
