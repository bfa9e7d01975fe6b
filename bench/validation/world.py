"""Steady states of the twin, counted."""

import json
from collections import Counter
from typing import Any

from sextant_twin._core import Host

SETTLED = 1e-6
"""Relative change of the last round below which a steady state is one."""
TALLY: Counter[str] = Counter()
"""Settings computed, and those of them that had not settled."""


def steady(host: Host, setting: dict[str, Any]) -> dict[str, Any]:
    """What `host` does with `setting` in steady state."""
    outcome: dict[str, Any] = json.loads(host.steady(json.dumps(setting)))
    TALLY["settings"] += 1
    TALLY["unsettled"] += outcome["residual"] > SETTLED
    return outcome
