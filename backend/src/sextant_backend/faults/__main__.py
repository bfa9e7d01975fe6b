"""`python -m sextant_backend.faults`: one line a fault point, name and meaning, for harnesses."""

import sys

from sextant_backend.faults.points import FAULT_POINTS

for _name, _meaning in FAULT_POINTS.items():
    sys.stdout.write(f"{_name}\t{_meaning}\n")
