"""Studies that need engine and twin together: placements and predictions on simulated servers."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy is loaded: its matrices here are small

__version__ = "0.1.0"
