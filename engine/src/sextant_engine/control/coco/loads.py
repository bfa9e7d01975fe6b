"""What elements need of their cores, and cores of themselves.

A chain that carries less than it is offered would take more of every core that it stands on, by CoCo's f (Eq. 2).
Only what is dropped behind an element it has had in hand already. Where f was measured of an element's type the
second's use grows as the line does, with its slope and its intercept. Else f is the line through the origin with the
slope of the same second.
"""

from collections.abc import Mapping, Sequence

from sextant_domain.laws.coco import CocoObservation

from sextant_engine.control.coco.scheduler import Curve
from sextant_engine.control.coco.state import SharedCores

_WORTH_TELLING = 0.25
"""Of a core: source, sink and a console take less. More of other work is why a core lacks time, or room."""

NO_CURVES: Mapping[str, Curve] = {}


def needs(
    observation: CocoObservation, host: SharedCores, lost_percent: float, curves: Mapping[str, Curve] = NO_CURVES
) -> dict[str, float]:
    """By element, the share of a core that it would use if its chain carried all that it is offered. A chain that
    loses less than `lost_percent` counts as it is. `curves`: f of elements, where it was measured. Where nothing at all
    is carried, f alone says what a packet costs; without one such an element counts as it is, too."""
    found: dict[str, float] = {}
    for chain, elements in host.chains.items():
        offered, carried = observation.offered_mpps[chain], observation.carried_mpps[chain]
        short = offered - carried > offered * lost_percent / 100
        for name in elements:
            use, curve = observation.use[name], curves.get(name)
            took = min(offered, carried + observation.dropped_later_mpps.get(name, 0.0))
            if not short or (took <= 0 and curve is None):
                found[name] = use
            elif curve is None:
                found[name] = use * offered / took
            elif took <= 0:
                found[name] = max(use, curve.share(offered))
            else:
                found[name] = use * curve.share(offered) / curve.share(took)
    return found


def dropped_later(elements: Sequence[str], drops: Mapping[str, float]) -> dict[str, float]:
    """By element, what those behind it drop; left out where they drop nothing. `elements`: of a chain, as packets pass;
    `drops`: by element."""
    found: dict[str, float] = {}
    behind = 0.0
    for name in reversed(elements):
        if behind > 0:
            found[name] = behind
        behind += drops.get(name, 0.0)
    return found


def core_loads(need: Mapping[str, float], others: Mapping[int, float], host: SharedCores) -> dict[int, float]:
    """By core that holds an element, the sum of what is needed there."""
    return {
        core: sum(need[name] for name in elements) + others.get(core, 0.0)
        for core, elements in host.cores.items()
        if elements
    }


def told_others(others: Mapping[int, float]) -> str:
    """'; other work uses 62 % of core 0 and 30 % of core 1', as far as that matters. `others`: by core, the share."""
    told = [f"{100 * share:.0f} % of core {core}" for core, share in sorted(others.items()) if share > _WORTH_TELLING]
    return f"; other work uses {' and '.join(told)}" if told else ""
