"""What elements need of their cores, and cores of themselves.

A chain that carries less than it is offered would take more of every core that it stands on, in proportion: that is
CoCo's f (Eq. 2) through the origin, with the slope that was measured in the same second.
"""

from collections.abc import Mapping

from sextant_domain.laws.coco import CocoObservation

from sextant_engine.control.coco.state import SharedCores


def needs(observation: CocoObservation, host: SharedCores, lost_percent: float) -> dict[str, float]:
    """By element, the share of a core that it would use if its chain carried all that it is offered. A chain that
    loses less than `lost_percent`, or carries nothing at all, from which no cost a packet follows, counts as it is."""
    found: dict[str, float] = {}
    for chain, elements in host.chains.items():
        offered, carried = observation.offered_mpps[chain], observation.carried_mpps[chain]
        short = carried > 0 and offered - carried > offered * lost_percent / 100
        grows = offered / carried if short else 1.0
        found |= {name: observation.use[name] * grows for name in elements}
    return found


def core_loads(need: Mapping[str, float], others: Mapping[int, float], host: SharedCores) -> dict[int, float]:
    """By core that holds an element, the sum of what is needed there."""
    return {
        core: sum(need[name] for name in elements) + others.get(core, 0.0)
        for core, elements in host.cores.items()
        if elements
    }
