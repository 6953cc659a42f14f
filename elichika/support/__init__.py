"""What of Chainer compiles: a table of calls, and the check that each gives what Chainer gives."""
