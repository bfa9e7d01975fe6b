"""For every suite: random examples have no deadline, nor are they too slow to make, since a machine that is busy is no
mistake of the code."""

from hypothesis import HealthCheck, settings

settings.register_profile("sextant", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("sextant")
