"""Fault points: named places where a test can kill, stop or fail this process (docs/guides/faults.md).

Import `fault_point` from here; `python -m sextant_backend.faults` prints every name.
"""

from sextant_backend.faults.act import InjectedFaultError, fault_point, replaced
from sextant_backend.faults.points import FAULT_POINTS

__all__ = ["FAULT_POINTS", "InjectedFaultError", "fault_point", "replaced"]
