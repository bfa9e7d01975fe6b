"""From profiles to performance models: metric, coefficients, curves, intervals, and how they held on what was held out.

The only part of the engine that loads NumPy and SciPy: nothing that plans or serves requests imports it.
"""
