"""For every suite: random examples have no deadline, nor are they too slow to make, since a machine that is busy is no
mistake of the code. Cycles are not searched for while tests are collected, nor later among what was imported for them:
that was a fifth of the CPU time of the backend's tests."""

import gc
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("sextant", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("sextant")
gc.disable()  # the conftest.py of a package, which imports it, comes after this one


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
