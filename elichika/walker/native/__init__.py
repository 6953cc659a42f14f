"""Code that is run now, by Python itself: which, with what arguments, at what cost."""
