"""The rule of plans by CoCo: what is said of shared cores follows from the orders, the models and the rates alone."""

from collections.abc import Iterator
from itertools import pairwise

from sextant_domain.laws.coco import CocoParameters
from sextant_domain.plans.algorithm_kinds import OF_COCO
from sextant_domain.plans.compact import CompactEvidence, HopDelays

from sextant_engine.checks.needs import moved_of, needs_of
from sextant_engine.checks.view import View

CLOSE = 1e-6
"""Relative, of delayed bytes; of a percentage absolute."""


def as_said(view: View) -> list[str]:
    """On hosts that were placed by CoCo: hops, delayed bytes, moves and needs are as said, nothing that is seated fills
    its core beyond what may be needed, and no bound is above what was reached."""
    solving = view.body.evidence.solving
    said = {one.host: one for one in view.body.evidence.hosts if one.compact is not None}
    if solving is None or solving.algorithm not in OF_COCO:
        return [f"{host}: was not placed by CoCo" for host in sorted(said)]
    seated = {host for host, _ in view.newly_seated} - view.forced_hosts
    wrong = [f"{host}: nothing is said of its shared cores" for host in sorted(seated - said.keys())]
    for host, one in sorted(said.items()):
        if one.compact is not None and view.body.target and host in view.after:
            wrong += [f"{host}: {text}" for text in _of_host(view, host, one.compact, one.status == "optimal")]
    return wrong


def _of_host(view: View, host: str, said: CompactEvidence, optimal: bool) -> Iterator[str]:
    hops = [
        (chain.chain, one.nf_id, other.nf_id, chain.traffic.rate_mpps, _distance(view, host, one.core, other.core))
        for chain in view.after[host].chains
        for one, other in pairwise(chain.nfs)
    ]
    if sorted(hops) != sorted((hop.chain, hop.source, hop.target, hop.rate_mpps, hop.distance) for hop in said.hops):
        yield "the hops are not those of the orders"
    known = {one.host_model: one.delays for one in view.snapshot.hops}
    if said.delays != known.get(view.hosts[host].inventory.host_model, HopDelays()):
        yield "what a hop costs is not what was measured, or assumed, of its model"
    delays = said.delays.model_dump()
    delayed = sum(rate * delays[distance] for _, _, _, rate, distance in hops)
    if not _near(delayed, said.delayed):
        yield f"{delayed:.6g} are delayed, not {said.delayed:.6g}"
    moved = moved_of(view, host)
    if moved != said.moves or not _near(said.cost, said.delayed + said.move_price * moved):
        yield f"{moved} NFs move, which costs {said.move_price:.6g} each, not {said.cost - said.delayed:.6g} altogether"
    if said.bound > said.cost + CLOSE * max(1.0, abs(said.cost)):
        yield f"the bound is {said.bound:.6g}, above what is reached"
    if optimal and not _near(said.bound, said.cost):
        yield f"the bound is {said.bound:.6g}, which does not prove it"
    if said.full_percent != CocoParameters().full_percent:
        yield f"{said.full_percent:g} % of a core may not be needed"
    yield from _cores(view, host, said)


def _cores(view: View, host: str, said: CompactEvidence) -> Iterator[str]:
    needs, before = needs_of(view, host, view.after[host]), needs_of(view, host, view.before[host])
    listed = {core.core: core for core in said.cores}
    if needs is None or before is None:
        yield "an NF stands there whose throughput alone was never measured"
        return
    for core in sorted((needs.keys() | before.keys()) - listed.keys()):
        yield f"nothing is said of core {core}"
    for core, one in sorted(listed.items()):
        if abs(one.nfs_percent - needs[core]) > CLOSE or abs(one.before_percent - before[core]) > CLOSE:
            yield f"core {core} needs {needs[core]:.6g} % of its time, before {before[core]:.6g} %, not what is said"
    other = {work.core: work.percent for work in view.hosts[host].other_work}
    for core in sorted({nf.core for at, nf in view.newly_seated if at == host}):
        taken = max(other.get(core, 0.0), listed[core].others_percent if core in listed else 0.0)
        if needs[core] + taken > said.full_percent + CLOSE and needs[core] > before[core] + CLOSE:
            yield f"core {core} needs {needs[core] + taken:.4g} % of its time, of which it has {said.full_percent:g} %"
        found = view.core(host, core)
        if found is None or _alone(view, host):
            yield f"core {core} is shared by nobody"


def _alone(view: View, host: str) -> bool:
    inventory = view.inventory(host)
    return inventory is None or all(core.slots <= 1 for core in inventory.cores)


def _distance(view: View, host: str, core: int, other: int) -> str:
    if core == other:
        return "same_core"
    one, two = view.core(host, core), view.core(host, other)
    return "same_node" if one is not None and two is not None and one.node == two.node else "other_node"


def _near(one: float, other: float) -> bool:
    return abs(one - other) <= CLOSE * max(1.0, abs(one), abs(other))
