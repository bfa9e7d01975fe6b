"""For every suite: random examples have no deadline, since a machine that is busy is no mistake of the code."""

from hypothesis import settings

settings.register_profile("sextant", deadline=None)
settings.load_profile("sextant")
