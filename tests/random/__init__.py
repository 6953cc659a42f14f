"""Models that draw their own random numbers."""
