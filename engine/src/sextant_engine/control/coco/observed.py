"""Whether measurements are acted on: late, doubled, disordered or absurd ones are not."""

from collections.abc import Mapping

from sextant_domain.laws.coco import CocoObservation

from sextant_engine.control.coco.state import SharedCores
from sextant_engine.control.measured_time import unbelievable_time

MOST_MPPS = 1e6
"""No chain is offered more: such a rate is a defect of whoever measured."""
MOST_USE = 1.05
"""Of a core: a clock and a counter that are read one after the other differ by so much at most."""


def unbelievable(
    observation: CocoObservation, host: SharedCores, before_s: float | None, now_s: float, late_s: float
) -> str | None:
    """Why nothing is done on an observation; None where it is believed. `before_s`: when the last one was measured."""
    return unbelievable_time(observation.at_s, before_s, now_s, late_s) or _of_figures(observation, host)


def _of_figures(observation: CocoObservation, host: SharedCores) -> str | None:
    elements = {name for names in host.chains.values() for name in names}
    lacking = sorted(elements - observation.use.keys())
    if lacking:
        return f"how busy {', '.join(lacking)} is was not measured"
    rates = {"offered": observation.offered_mpps, "carried": observation.carried_mpps}
    for what, measured in rates.items():
        unknown = sorted(host.chains.keys() - measured.keys())
        if unknown:
            return f"what of {', '.join(unknown)} is {what} was not measured"
        odd = _beyond(measured, MOST_MPPS)
        if odd is not None:
            return f"of {odd} {measured[odd]:g} Mpps are said to be {what}; 0 to {MOST_MPPS:g} are believed"
    odd = _beyond(observation.dropped_later_mpps, MOST_MPPS)
    if odd is not None:
        return f"behind {odd} {observation.dropped_later_mpps[odd]:g} Mpps are said to be dropped"
    odd = _beyond(observation.use, MOST_USE)
    if odd is not None:
        return f"{odd} is said to use {observation.use[odd]:g} of its core"
    core = next((core for core, share in sorted(observation.others.items()) if not 0 <= share <= MOST_USE), None)
    return None if core is None else f"others are said to use {observation.others[core]:g} of core {core}"


def _beyond(figures: Mapping[str, float], most: float) -> str | None:
    """The first of them that is not within 0 to `most`; NaN is not."""
    return next((name for name, figure in sorted(figures.items()) if not 0 <= figure <= most), None)
