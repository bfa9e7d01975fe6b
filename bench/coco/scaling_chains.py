"""The chain of CoCo's Fig. 4 in its arms: pure."""

import tomllib
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from sextant_domain.chains.chain import Egress, Execution, Ingress
from sextant_domain.chains.lane import Lane, lane_name
from sextant_domain.chains.match import Match
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import DesiredChain, DesiredNf
from sextant_engine.control.coco.state import SharedCores

SETTINGS: dict[str, Any] = tomllib.loads((Path(__file__).parent / "scaling.toml").read_text())
CHAIN = "msfc"
CORES: list[int] = SETTINGS["cores"]
FIRST, SECOND, NEW = CORES
LANES = (1, 1)


def msfc(mpps: float, execution: Execution) -> DesiredChain:
    """Fig. 4(a)."""
    nfs = [nf(f"{CHAIN}.{one['name']}", one["loops"], CORES[one["core"]]) for one in SETTINGS["elements"]]
    return chain(CHAIN, nfs, traffic(mpps), execution)


def pushed(before: DesiredChain, moves: Mapping[str, int]) -> DesiredChain:
    """With some elements on other cores."""
    return seated(before, [one.model_copy(update={"core": moves.get(one.nf_id, one.core)}) for one in before.nfs])


def copied(before: DesiredChain, overloaded: str) -> tuple[DesiredChain, DesiredChain]:
    """In two lanes, of which the second has that element on the new core, and all others where they stand already."""
    half = SETTINGS["mpps_after"] / len(LANES)
    first, second = (
        traffic(half).model_copy(update={"lane": Lane(of=CHAIN, number=number, weights=LANES)}) for number in (1, 2)
    )
    name = lane_name(CHAIN, 2)
    nfs = [
        one.model_copy(
            update={
                "nf_id": one.nf_id.replace(CHAIN, name, 1),
                "core": NEW if one.nf_id == overloaded else one.core,
            }
        )
        for one in before.nfs
    ]
    new = seated(before.model_copy(update={"chain": name, "traffic": second}), nfs, beside=before.nfs)
    return before.model_copy(update={"traffic": first}), new


def nf(nf_id: str, loops: int, core: int) -> DesiredNf:
    """An element by what it costs: a loop is a cycle."""
    config = {"loops": loops}
    return DesiredNf(nf_id=nf_id, nf_type="simple-forward", nf_version=1, config=config, core=core)


def chain(name: str, nfs: Sequence[DesiredNf], offered: Traffic, execution: Execution) -> DesiredChain:
    """Any."""
    made = DesiredChain(
        chain=name,
        nfs=tuple(nfs),
        ingress=Ingress(match=Match(dst_port=None)),
        egress=Egress(),
        traffic=offered,
        execution=execution,
    )
    return seated(made, nfs)


def traffic(mpps: float) -> Traffic:
    """Evenly spaced, as the paper says nothing else."""
    return Traffic(rate_mpps=mpps, packet_bytes=SETTINGS["packet_bytes"], flows=SETTINGS["flows"])


def seated(of: DesiredChain, nfs: Sequence[DesiredNf], beside: Sequence[DesiredNf] = ()) -> DesiredChain:
    """In slots of their cores that are free; `beside`: NFs that have the first ones."""
    used = {core: sum(one.core == core for one in beside) for core in CORES}
    placed = []
    for one in nfs:
        placed.append(one.model_copy(update={"slot": used[one.core]}))
        used[one.core] += 1
    return of.model_copy(update={"nfs": tuple(placed)})


def hops_of(of: DesiredChain) -> int:
    """Times that its packets change cores between elements; from the NIC and to it is no hop, as in the paper."""
    return sum(one.core != other.core for one, other in pairwise(of.nfs))


def shared(of: DesiredChain) -> SharedCores:
    """As the law sees it."""
    return SharedCores(
        cores={core: tuple(one.nf_id for one in of.nfs if one.core == core) for core in CORES},
        chains={of.chain: tuple(one.nf_id for one in of.nfs)},
        free_slots=dict.fromkeys(CORES, len(of.nfs)),
    )
