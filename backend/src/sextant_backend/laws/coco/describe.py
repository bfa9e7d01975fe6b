"""How the console describes what CoCo's law does and recommends."""

from collections.abc import Mapping

from sextant_engine.control.coco.state import FewerLanes, NewLanes

from sextant_backend.laws.coco.memory import Pending

TITLE = "CoCo"
SUMMARY = (
    "Where NFs share cores and one grows, pushes its neighbours in the chain aside to the core next door, or carries "
    "the chain in another lane; where a lane less has done for long, one goes."
)
WHEN_OFF = "an operator moves NFs off a core that is overloaded"
BY_ITSELF = (
    "It pushes neighbours aside, or starts lanes, once a core has been overloaded for its hold time, and ends a lane "
    "that was not needed for long, one change at a time."
)


def offered_again(gain: str) -> str:
    """Of a push that an operator dismissed."""
    return f"offered again once {gain} are lost"


def moved(moves: Mapping[str, int]) -> str:
    """'edge.firewall to core 1 and edge.nids to core 2'."""
    told = [f"{nf_id} to core {core}" for nf_id, core in sorted(moves.items())]
    return told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}"


def why_push(element: str, core: int, lacks: float, freed: float, moves: Mapping[str, int]) -> str:
    """Because of a push. `lacks`, `freed`: shares of the core."""
    return (
        f"core {core} lacks {100 * lacks:.0f} % of its time, since {element} has grown; {moved(moves)} frees"
        f" {100 * freed:.0f} % of it"
    )


def why_lanes(element: str, core: int, lacks: float, lanes: NewLanes) -> str:
    """Because of lanes. `lacks`: share of the core."""
    starts = ", ".join(
        f"{nf_id} on core {at}{'' if (host := lanes.host_of(nf_id)) is None else f' of {host}'}"
        for nf_id, at in sorted(lanes.seats.items())
    )
    nowhere = (
        ", nobody can go aside, and this host has no room for another lane"
        if lanes.hosts
        else ", and nobody can go aside"
    )
    return (
        f"core {core} lacks {100 * lacks:.0f} % of its time, since {element} has grown{nowhere};"
        f" {lanes.chain} in {len(lanes.weights)} lanes ({starts}) frees {100 * lanes.freed:.0f} % of it"
    )


def in_lanes(chain: str, count: int) -> str:
    """'web in 2 lanes'."""
    return f"{chain} in {'one lane' if count == 1 else f'{count} lanes'}"


def why_fewer(fewer: FewerLanes) -> str:
    """Because of a lane less."""
    leaves = ", ".join(f"{nf_id} on core {core}" for nf_id, core in sorted(fewer.leaves.items()))
    loads = ", ".join(f"{100 * load:.0f} % of core {core}" for core, load in sorted(fewer.loads.items()))
    return (
        f"{in_lanes(fewer.chain, len(fewer.weights))} would have done for long: {leaves} would go, which frees"
        f" {100 * fewer.freed:.0f} % of a core, and the lanes that stay would need {loads}"
    )


def no_more(pending: Pending) -> str:
    """Why there is no reason for it any more."""
    if pending.leaves:
        return f"{in_lanes(pending.chain or '', pending.lanes)} would not do any more"
    return f"core {pending.core} is not overloaded any more"


def recommended(pending: Pending) -> str:
    """What waits for an answer."""
    if pending.chain is None:
        return "a push is recommended"
    are = "one lane of {} is" if pending.lanes == 1 else f"{pending.lanes} lanes of {{}} are"
    return f"{are.format(pending.chain)} recommended"
