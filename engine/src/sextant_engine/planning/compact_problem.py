"""A host with shared cores as CoCo's problem: NFs with the share of a core that they need, and cores with the time and
the slots that are left (CoCo, Sec. III-A).

f(v) is v / the throughput alone, an NF's time for a packet: the line through the origin. What an NF takes without
packets was never measured, and counts as nothing. Of a core 90 % may be needed, as CoCo's law has it.
"""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.laws.coco import CocoParameters
from sextant_domain.plans.compact import HopDelays

from sextant_engine import native
from sextant_engine.host_state import HostState
from sextant_engine.planning.time_sharing import SOURCE_AND_SINK_US, ideal_of
from sextant_engine.seats import Unit
from sextant_engine.stop import Stop

FULL = CocoParameters().full_percent / 100
MOVE_PRICE = CocoParameters().move_price
"""Hops of the fastest chain that a move counts as."""
MOST = 512
"""NFs, and cores, of a problem."""
EVALUATIONS = 4_000_000
"""Steps after which a search ends with the best placement and a bound: about a second, and the same on any machine."""
_LEAST = 1e-9
"""Share of an NF without packets: the core wants more than 0."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A chain that is placed."""

    name: str
    rate_mpps: float
    nfs: tuple[tuple[str, str], ...]
    """NF id and type."""
    homes: tuple[int | None, ...] | None
    """Cores that its NFs need not leave, None of one that cannot stay; None for all: the chain is new on the host."""

    @classmethod
    def new(cls, spec: ChainSpec) -> "Wanted":
        """One that waits."""
        nfs = tuple((spec.nf_id(position), nf.type) for position, nf in enumerate(spec.nfs))
        return cls(spec.name, spec.traffic.rate_mpps, nfs, None)

    @classmethod
    def running(cls, chain: DesiredChain, before: DesiredChain | None) -> "Wanted":
        """One that runs and may move. An NF that the plan has moved already could not stay, and may go anywhere."""
        nfs = tuple((nf.nf_id, nf.nf_type) for nf in chain.nfs)
        then = {nf.nf_id: nf.core for nf in before.nfs} if before is not None else {}
        homes = tuple(nf.core if then.get(nf.nf_id) == nf.core else None for nf in chain.nfs)
        return cls(chain.chain, chain.traffic.rate_mpps, nfs, homes)


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


@dataclass(frozen=True, slots=True)
class Impossible:
    """Why a host cannot hold what is wanted."""

    why: str
    relax: str


def share_of(host: HostState, nf_type: str, rate_mpps: float) -> float | None:
    """CoCo's f: the share of a core that an NF needs at a rate; None where its throughput alone was never measured. On
    a host of several nodes that of the slower distance counts, wherever it will stand."""
    model = host.models.get(nf_type)
    if model is None or not model.ideal_known:
        return None
    distances = (True,) if len(host.inventory.nodes) == 1 else (True, False)
    return rate_mpps / min(ideal_of(model, local) for local in distances)


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


def solve_compact(
    host: HostState, wanted: Sequence[Wanted], algorithm: str, stop: Stop, only: frozenset[int] | None = None
) -> Solved | Impossible:
    """Cores for these chains; all others of the host stay. `algorithm`: of the core's verb `place`; `only`: on these
    cores, which NFs that stand elsewhere then have to go to."""
    impossible = _without_a_search(host, wanted)
    if impossible is not None:
        return impossible
    strict = _answer(host, wanted, algorithm, stop, as_it_is=False, only=only)
    if only is None and isinstance(strict, Impossible) and any(one.homes is not None for one in wanted):
        relaxed = _answer(
            host, wanted, algorithm, stop, as_it_is=True, only=None
        )  # cores that lack time already may go on so
        return relaxed if isinstance(relaxed, Solved) else strict
    return strict


def _without_a_search(host: HostState, wanted: Sequence[Wanted]) -> Impossible | None:
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
        for nf_id, nf_type in one.nfs:
            need = share_of(host, nf_type, one.rate_mpps) or 0.0
            if need > FULL and one.homes is None:
                return Impossible(
                    f"{nf_id} needs {100 * need:.0f} % of a core of {host.name} at {one.rate_mpps:g} Mpps, and NFs may "
                    f"have {100 * FULL:.0f} % of one",
                    f"offer {one.name} less than {FULL * one.rate_mpps / need:.3g} Mpps, or submit it in lanes",
                )
    return None


def _answer(
    host: HostState,
    wanted: Sequence[Wanted],
    algorithm: str,
    stop: Stop,
    *,
    as_it_is: bool,
    only: frozenset[int] | None,
) -> Solved | Impossible:
    asked = _asked(host, wanted, as_it_is=as_it_is, only=only)
    found = json.loads(
        native.solve_law(
            "coco",
            "place",
            json.dumps({**asked, "algorithm": algorithm}),
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
        cores={name: int(core) for name, core in found["placement"].items()},
        delayed=found["delayed_bytes"],
        moves=found.get("moves", 0),
        price=asked["price"],
        bound=found["bound"],
        proven=found["status"] == "optimal",
    )


def _asked(host: HostState, wanted: Sequence[Wanted], *, as_it_is: bool, only: frozenset[int] | None) -> dict[str, Any]:
    units = [(unit, slots) for unit, slots in _open_units(host, wanted) if only is None or unit.core in only]
    needs = {nf_id: share_of(host, kind, one.rate_mpps) or 0.0 for one in wanted for nf_id, kind in one.nfs}
    names = {one.name for one in wanted}
    fixed = [chain for chain in host.chains.values() if chain.chain not in names]
    offered = sum(chain.traffic.rate_mpps for chain in fixed) + sum(one.rate_mpps for one in wanted)
    taken: defaultdict[int, float] = defaultdict(float, others_of(host, offered))
    for chain in fixed:
        for nf in chain.nfs:
            taken[nf.core] += share_of(host, nf.nf_type, chain.traffic.rate_mpps) or 0.0
    homes = {
        nf_id: core
        for one in wanted
        for (nf_id, _), core in zip(one.nfs, one.homes or (), strict=one.homes is not None)
        if core is not None and (only is None or core in only)
    }
    here: defaultdict[int, float] = defaultdict(float)
    for nf_id, core in homes.items():
        here[core] += needs[nf_id]
    delays = host.delays
    fastest = max((one.rate_mpps for one in wanted), default=0.0)
    return {
        "chains": [{"elements": [nf_id for nf_id, _ in one.nfs], "rate": one.rate_mpps} for one in wanted],
        "cpu": {nf_id: max(need, _LEAST) for nf_id, need in needs.items()},
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
        **({"homes": homes} if homes else {}),
    }


def _open_units(host: HostState, wanted: Sequence[Wanted]) -> list[tuple[Unit, int]]:
    """Cores that NFs may come to, and how many. Those that are kept for last only for what the others have no slots
    for: then all of these are filled."""
    moving = frozenset(nf_id for one in wanted if one.homes is not None for nf_id, _ in one.nfs)
    seats = host.seats(without=moving)
    count = sum(len(one.nfs) for one in wanted)
    found = [(unit, seats.free(unit)) for unit in seats.open_units() if not unit.spare]
    missing = count - sum(free for _, free in found)
    spare = sorted((unit for unit in seats.open_units() if unit.spare), key=lambda one: (one.last_choice, one.other))
    for unit in spare:
        if missing > 0:
            found.append((unit, min(missing, seats.free(unit))))
            missing -= seats.free(unit)
    return sorted(found, key=lambda one: one[0].core)
