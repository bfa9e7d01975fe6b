"""A host with shared cores as a problem of sfc2cpu's assigners: VNFs that ask for parts of cores, and cores with slots.

An NF's load is what CoCo's f says, too: rate / throughput alone; `calibrated` adds what it costs beside others, as it
was fitted on the host. What a core does beside NFs is a VNF of its own, which stays. What runs stays, unless it is
named as movable and the plan may make moves.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sextant_domain.hosts.desired import DesiredNf

from sextant_engine import native
from sextant_engine.host_state import HostState
from sextant_engine.planning import promoted_network
from sextant_engine.planning.compact_elements import Impossible, Wanted, share_of
from sextant_engine.planning.compact_problem import MOST, never_measured, others_of
from sextant_engine.planning.fitted_cost import ALL_ELSE, alone_us, question_of, refused
from sextant_engine.planning.promoted_network import network_of
from sextant_engine.seats import Unit
from sextant_engine.stop import Stop

CALIBRATED, NETWORK = "calibrated", "network"
USABLE = 0.97
"""Part of a core's time that switches between its NFs leave (the paper's gamma; its range is .95 to 1)."""
STEPS = 1_000_000
"""Of a search, which then ends with a bound: less than a second."""
_CLOCK_HZ = 1e6
"""A cycle is a microsecond: what an NF takes for a packet is known as time."""
_LEAST_PPS = 1e-3
"""A VNF without packets, and all else on a core as one: the core wants more than 0."""


@dataclass(frozen=True, slots=True)
class AssignedCores:
    """What an assigner found for a host."""

    cores: Mapping[str, int]
    """By NF that was to be placed."""
    moves: int
    among: frozenset[int]
    """Cores that newcomers might have got, or that hold NFs."""
    max_load: float
    served_mpps: float
    bound: float
    """No assignment with so many moves has a lower greatest load; of `throughput` and `calibrated`: none serves more
    Mpps."""
    proven: bool
    offered_mpps: float
    most_moves: int
    guessed: tuple[str, ...] = ()
    """NF types that the fitted costs do not know."""


@dataclass(frozen=True, slots=True)
class _Vnf:
    name: str
    us: float
    """Of a packet."""
    rate_mpps: float
    kind: str
    core: int | None
    """None: it is new."""
    stays: bool


def solve_assigned(  # noqa: PLR0917 - a question and how it is answered
    host: HostState,
    wanted: Sequence[Wanted],
    assigner: str,
    seed: int,
    stop: Stop,
    most_moves: int,
    ties: Mapping[str, str],
) -> AssignedCores | Impossible:
    """Cores for these chains. `most_moves`: of their NFs that run; `ties`: by NF, of those that have one."""
    fitted, network = assigner == CALIBRATED, None
    impossible = _without_an_assigner(host, wanted, ties) or (refused(host) if fitted else None)
    if impossible is None and assigner == NETWORK:
        network, impossible = network_of(host), promoted_network.refused(host)
    if impossible is not None:
        return impossible
    chains = tuple(_chains(host, wanted, ties, fitted=fitted))
    slots = _slots(host, wanted)
    if network is not None:
        slots = dict.fromkeys((unit.core for unit in host.cores.layout.units if unit.blocked is None), 0) | slots
    vnfs = [vnf for chain in chains for vnf in chain] + list(_others(host, wanted, slots))
    if len(vnfs) > MOST or len(slots) > MOST:
        return Impossible(
            f"sfc2cpu's assigners take up to {MOST} NFs and {MOST} cores of a host", "plan for fewer chains"
        )
    new = sum(vnf.core is None for vnf in vnfs)
    free = sum(room for room in slots.values())
    if new > free:
        return Impossible(
            f"{host.name} has {free} free slots on its shared cores, and {new} NFs are to be placed",
            f"free slots of {host.name}, or let more NFs share a core (sextant hosts slots)",
        )
    unknown = None if network is None else promoted_network.unsuited(network, len(vnfs), len(slots), host.name)
    if unknown is not None:
        return unknown
    question = _question(host, chains, vnfs, slots) | {"assigner": assigner, "seed": seed, "max_moves": most_moves}
    if fitted and host.cost is not None:
        question["model"] = question_of(host.cost)
    if network is not None:
        question = promoted_network.question_of(network, question, _CLOCK_HZ)
    found = _answer(question, stop)
    placed = {nf_id for one in wanted for nf_id, _ in one.nfs}
    rates = [chain[0].rate_mpps for chain in chains]
    return AssignedCores(
        cores={vnf.name: int(core) for vnf, core in zip(vnfs, found["cores"], strict=True) if vnf.name in placed},
        moves=found["moves"],
        among=frozenset(slots),
        max_load=found["max_load"],
        served_mpps=min(sum(rates), found["system_mpps"]),
        bound=found["bound"],
        proven=found["status"] == "optimal",
        offered_mpps=sum(rates),
        most_moves=most_moves,
        guessed=tuple(found.get("unknown_kinds", ())),
    )


def _answer(question: Mapping[str, Any], stop: Stop) -> Any:
    limits = replace(stop, evaluations=STEPS)
    return json.loads(
        native.solve_law(
            "sfc2cpu",
            "solve",
            json.dumps(question),
            seconds=limits.seconds,
            evaluations=limits.evaluations,
            progress=limits.progress,
        ).result
    )


def _without_an_assigner(host: HostState, wanted: Sequence[Wanted], ties: Mapping[str, str]) -> Impossible | None:
    if not host.inventory.shares_cores:
        return Impossible(
            f"every NF has a core of its own on {host.name}, and sfc2cpu assigns NFs that share cores",
            f"let several NFs share a core of {host.name} (sextant hosts slots), or leave the algorithm to the engine",
        )
    unknown = never_measured(host, wanted)
    if unknown:
        names = ", ".join(unknown)
        return Impossible(
            f"no model in use says how much of a core of {host.name} is needed by {names}",
            f"profile {names} on a host of model {host.inventory.host_model}, and promote the model",
        )
    tied = sorted(nf_id for one in wanted if one.homes is None for nf_id, _ in one.nfs if nf_id in ties)
    if tied:
        return Impossible(
            f"{tied[0]} is one of tied NFs, of which sfc2cpu's assigners know nothing",
            "ask for coco, which keeps tied NFs together, or leave the algorithm to the engine",
        )
    return None


def _chains(
    host: HostState, wanted: Sequence[Wanted], ties: Mapping[str, str], *, fitted: bool
) -> Iterator[tuple[_Vnf, ...]]:
    """All chains of the host, newcomers last, in the order in which they came."""
    movable = {one.name for one in wanted if one.homes is not None}

    def us(kind: str) -> float:
        return alone_us(host, kind) if fitted else share_of(host, kind, 1.0) or 0.0

    for name in sorted(host.chains):
        chain = host.chains[name]
        rate = chain.traffic.rate_mpps
        yield tuple(
            _Vnf(nf.nf_id, us(nf.nf_type), rate, nf.nf_type, _unit(host, nf), name not in movable or nf.nf_id in ties)
            for nf in chain.nfs
        )
    for one in wanted:
        if one.homes is None:
            yield tuple(_Vnf(nf_id, us(kind), one.rate_mpps, kind, core=None, stays=False) for nf_id, kind in one.nfs)


def _unit(host: HostState, nf: DesiredNf) -> int:
    unit = host.cores.layout.unit_of.get(nf.core)
    return nf.core if unit is None else unit.core


def _others(host: HostState, wanted: Sequence[Wanted], slots: Mapping[int, int]) -> Iterator[_Vnf]:
    """What takes time of these cores and is no NF, if all chains carry what they are offered."""
    new = sum(one.rate_mpps for one in wanted if one.homes is None)
    offered = sum(chain.traffic.rate_mpps for chain in host.chains.values()) + new
    for core, share in sorted(others_of(host, offered).items()):
        if core in slots and share > 0:
            yield _Vnf(f"all else on core {core}", share * _CLOCK_HZ / _LEAST_PPS, 0.0, ALL_ELSE, core, stays=True)


def _slots(host: HostState, wanted: Sequence[Wanted]) -> dict[int, int]:
    """By core that newcomers may get, or that holds NFs: slots that newcomers may get. Cores that are kept for last
    take only what the others have no slots for."""
    seats = host.seats()
    found = {unit.core: seats.free(unit) for unit in seats.open_units() if not unit.spare}
    missing = sum(len(one.nfs) for one in wanted if one.homes is None) - sum(found.values())
    for unit in sorted((unit for unit in seats.open_units() if unit.spare), key=_last):
        if missing > 0:
            found[unit.core] = min(missing, seats.free(unit))
            missing -= found[unit.core]
    return found | dict.fromkeys(sorted({_unit(host, nf) for nf in host.nfs()} - found.keys()), 0)


def _last(unit: Unit) -> tuple[bool, float, int]:
    return unit.last_choice, unit.other, unit.core


def _question(
    host: HostState, chains: Sequence[Sequence[_Vnf]], vnfs: Sequence[_Vnf], slots: Mapping[int, int]
) -> dict[str, Any]:
    standing = [vnf.core for vnf in vnfs if vnf.core is not None]
    indices = {vnf.name: index for index, vnf in enumerate(vnfs)}
    members = [[indices[vnf.name] for vnf in chain] for chain in chains]
    alone = [[index] for index in range(sum(map(len, chains)), len(vnfs))]
    return {
        "vnfs": [
            {
                "cycles": vnf.us,
                "rate_pps": max(vnf.rate_mpps * 1e6, _LEAST_PPS),
                "kind": vnf.kind if vnf.rate_mpps > 0 else ALL_ELSE,
            }
            for vnf in vnfs
        ],
        "chains": members + alone,
        "clock_hz": _CLOCK_HZ,
        "gamma": USABLE,
        "cores": [
            {"id": core, "socket": host.node_of(core), "slots": room + standing.count(core)}
            for core, room in sorted(slots.items())
        ],
        "placed": {str(index): vnf.core for index, vnf in enumerate(vnfs) if vnf.core is not None},
        "stays": [index for index, vnf in enumerate(vnfs) if vnf.stays],
    }
