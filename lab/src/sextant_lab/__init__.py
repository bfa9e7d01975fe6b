"""Studies that need engine and twin together: placements and predictions on simulated servers."""

__version__ = "0.1.0"
