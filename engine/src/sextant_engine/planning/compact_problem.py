"""A host with shared cores as CoCo's problem: NFs with the share of a core that they need, and cores with the time and
the slots that are left (CoCo, Sec. III-A).

Of a core 90 % may be needed, as CoCo's law has it.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sextant_domain.laws.coco import CocoParameters
from sextant_domain.plans.compact import HopDelays

from sextant_engine import native
from sextant_engine.host_state import HostState
from sextant_engine.planning.compact_elements import Elements, Impossible, Wanted, share_of
from sextant_engine.planning.time_sharing import SOURCE_AND_SINK_US
from sextant_engine.seats import Unit
from sextant_engine.stop import Stop

FULL = CocoParameters().full_percent / 100
MOVE_PRICE = CocoParameters().move_price
"""Hops of the fastest chain that a move counts as."""
MOST = 512
"""NFs, and cores, of a problem."""
UNTIED: Mapping[str, str] = {}
EVALUATIONS = 4_000_000
"""Steps after which a search ends with the best placement and a bound: about a second, and the same on any machine."""
_LEAST = 1e-9
"""Share of an NF without packets: the core wants more than 0."""


@dataclass(frozen=True, slots=True)
class Solved:
    """A placement of what was wanted."""

    cores: dict[str, int]
    """By NF id."""
    delayed: float
    """Of the hops of the chains that were wanted."""
    moves: int
    price: float
    """Of a move."""
    bound: float
    """Nothing costs less: delayed, and price times moves."""
    proven: bool

    @property
    def cost(self) -> float:
        """What was minimised."""
        return self.delayed + self.price * self.moves


def never_measured(host: HostState, wanted: Sequence[Wanted]) -> tuple[str, ...]:
    """NF types of these chains, and of those that run there, whose need is not known."""
    types = {nf_type for one in wanted for _, nf_type in one.nfs} | {nf.nf_type for nf in host.nfs()}
    return tuple(sorted(nf_type for nf_type in types if share_of(host, nf_type, 1.0) is None))


def others_of(host: HostState, offered_mpps: float) -> dict[int, float]:
    """By core, the share that everything but NFs takes, where chains of the host are offered so much together."""
    taken = {core: percent / 100 for core, percent in host.cores.other_work.items()}
    traffic = host.inventory.traffic_core
    if traffic is not None:
        taken[traffic] = taken.get(traffic, 0.0) + SOURCE_AND_SINK_US * offered_mpps
    return taken


def solve_compact(  # noqa: PLR0917 - a question and how it is answered
    host: HostState,
    wanted: Sequence[Wanted],
    algorithm: str,
    stop: Stop,
    ties: Mapping[str, str] = UNTIED,
    only: frozenset[int] | None = None,
) -> Solved | Impossible:
    """Cores for these chains; all others of the host stay. `algorithm`: of the core's verb `place`; `ties`: by NF, of
    those that have one; `only`: on these cores, which NFs that stand elsewhere then have to go to."""
    elements = Elements.of(host, wanted, ties)
    impossible = _without_a_search(host, wanted, elements)
    if impossible is not None:
        return impossible
    asked = Asked(host, wanted, elements, only)
    strict = _answer(asked, algorithm, stop, as_it_is=False)
    if only is None and isinstance(strict, Impossible) and any(one.homes is not None for one in wanted):
        relaxed = _answer(asked, algorithm, stop, as_it_is=True)  # cores that lack time already may go on so
        return relaxed if isinstance(relaxed, Solved) else strict
    return strict


def _without_a_search(host: HostState, wanted: Sequence[Wanted], elements: Elements) -> Impossible | None:
    if not host.inventory.shares_cores:
        return Impossible(
            f"every NF has a core of its own on {host.name}, and CoCo places NFs that share cores",
            f"let several NFs share a core of {host.name} (sextant hosts slots), or leave the algorithm to the engine",
        )
    unknown = never_measured(host, wanted)
    if unknown:
        names = ", ".join(unknown)
        return Impossible(
            f"no model in use says how much of a core of {host.name} is needed by {names}",
            f"profile {names} on a host of model {host.inventory.host_model}, and promote the model",
        )
    if sum(len(one.nfs) for one in wanted) > MOST or len(host.cores.layout.units) > MOST:
        return Impossible(f"CoCo's search takes up to {MOST} NFs and {MOST} cores of a host", "plan for fewer chains")
    for one in wanted:
        for nf_id, _ in one.nfs:
            need, with_whom = elements.needs[elements.of_nf[nf_id]], elements.partners(nf_id)
            if need > FULL and one.homes is None:
                at = f"at {one.rate_mpps:g} Mpps" if not with_whom else f"together with {', '.join(with_whom)}"
                return Impossible(
                    f"{nf_id} needs {100 * need:.0f} % of a core of {host.name} {at}, and NFs may have "
                    f"{100 * FULL:.0f} % of one",
                    f"offer {one.name} less than {FULL * one.rate_mpps / need:.3g} Mpps, or submit it in lanes"
                    if not with_whom
                    else f"offer the chains less, or submit {one.name} without the tie",
                )
    return elements.impossible(host, wanted)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of the core."""

    host: HostState
    wanted: Sequence[Wanted]
    elements: Elements
    only: frozenset[int] | None


def _answer(asked: Asked, algorithm: str, stop: Stop, *, as_it_is: bool) -> Solved | Impossible:
    host, problem = asked.host, _problem(asked, as_it_is=as_it_is)
    found = json.loads(
        native.solve_law(
            "coco",
            "place",
            json.dumps({**problem, "algorithm": algorithm}),
            seconds=stop.seconds,
            evaluations=stop.evaluations,
            progress=stop.progress,
        ).result
    )
    if "refused" in found:
        return Impossible(
            f"{host.name} has too little time or too few slots left on its cores: {found['refused']}",
            f"free cores of {host.name}, or offer the chains less",
        )
    return Solved(
        cores={nf_id: int(found["placement"][element]) for nf_id, element in asked.elements.of_nf.items()},
        delayed=found["delayed_bytes"],
        moves=found.get("moves", 0),
        price=problem["price"],
        bound=found["bound"],
        proven=found["status"] == "optimal",
    )


def _problem(asked: Asked, *, as_it_is: bool) -> dict[str, Any]:
    host, wanted, elements, only = asked.host, asked.wanted, asked.elements, asked.only
    units = [(unit, slots) for unit, slots in _open_units(host, wanted, elements) if only is None or unit.core in only]
    taken = _taken(host, wanted)
    homes = {name: core for name, core in elements.homes.items() if only is None or core in only}
    here: defaultdict[int, float] = defaultdict(float)
    for name, core in homes.items():
        if name not in elements.pinned:
            here[core] += elements.needs[name]
    delays = host.delays
    fastest = max((one.rate_mpps for one in wanted), default=0.0)
    return {
        "chains": [
            {"elements": [elements.of_nf[nf_id] for nf_id, _ in one.nfs], "rate": one.rate_mpps} for one in wanted
        ],
        "cpu": {name: max(need, _LEAST) for name, need in elements.needs.items()},
        "cores": [
            {
                "id": unit.core,
                "node": unit.node,
                "slots": slots,
                "room": min(1.0, max(0.0, FULL - taken[unit.core], here[unit.core] if as_it_is else 0.0)),
            }
            for unit, slots in units
        ],
        "t_d": delays.model_dump(exclude={"measured"}),
        "price": MOVE_PRICE * fastest * (delays.same_node or HopDelays().same_node) if homes else 0.0,
        **_only_what_is({"homes": homes, **_of_ties(elements, homes)}),
    }


def _of_ties(elements: Elements, homes: Mapping[str, int]) -> dict[str, Any]:
    """Of elements that are several NFs, or stay for others that do."""
    at_home = {name: count for name, count in elements.at_home.items() if name in homes}
    return {
        "nfs": {name: count for name, count in elements.counts.items() if count > 1},
        "nfs_at_home": {name: count for name, count in at_home.items() if (count, elements.counts[name]) != (1, 1)},
        "stays": sorted(elements.pinned),
    }


def _only_what_is(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Without those that are empty."""
    return {key: value for key, value in fields.items() if value}


def _taken(host: HostState, wanted: Sequence[Wanted]) -> defaultdict[int, float]:
    """By core, the share that everything but what is wanted takes."""
    names = {one.name for one in wanted}
    fixed = [chain for chain in host.chains.values() if chain.chain not in names]
    offered = sum(chain.traffic.rate_mpps for chain in fixed) + sum(one.rate_mpps for one in wanted)
    taken: defaultdict[int, float] = defaultdict(float, others_of(host, offered))
    for chain in fixed:
        for nf in chain.nfs:
            taken[nf.core] += share_of(host, nf.nf_type, chain.traffic.rate_mpps) or 0.0
    return taken


def _open_units(host: HostState, wanted: Sequence[Wanted], elements: Elements) -> list[tuple[Unit, int]]:
    """Cores that NFs may come to, and how many. Those that are kept for last only for what the others have no slots
    for: then all of these are filled; and for elements that stand there already."""
    moving = frozenset(nf_id for one in wanted if one.homes is not None for nf_id, _ in one.nfs)
    seats = host.seats(without=moving)
    count = sum(len(one.nfs) for one in wanted)
    pinned = elements.slots_pinned()
    found = [(unit, seats.free(unit)) for unit in seats.open_units() if not unit.spare]
    found += [(unit, pinned[unit.core]) for unit in seats.open_units() if unit.spare and unit.core in pinned]
    missing = count - sum(free for _, free in found)
    spare = sorted((unit for unit in seats.open_units() if unit.spare), key=lambda one: (one.last_choice, one.other))
    for unit in spare:
        if missing > 0 and unit.core not in pinned:
            found.append((unit, min(missing, seats.free(unit))))
            missing -= seats.free(unit)
    return sorted(found, key=lambda one: one[0].core)
