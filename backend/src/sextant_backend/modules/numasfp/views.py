"""Hosts as NUMASFP's law sees them, as the API shows them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sextant_domain.base import Provenance
from sextant_domain.chains.traffic import wire_gbps
from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.hosts.host import NumaNode
from sextant_domain.hosts.levels import NODE_KINDS, NodeKind
from sextant_domain.laws.numasfp import NumasfpParameters
from sextant_domain.laws.numasfp_view import (
    NumasfpChain,
    NumasfpHost,
    NumasfpHostRow,
    NumasfpMove,
    NumasfpNode,
    NumasfpTable,
)
from sextant_domain.laws.recommendation import PolicyMode
from sextant_domain.plans.operation import MoveOutcome
from sextant_engine.seats import CoreLayout

from sextant_backend.laws.host_reading import HostRead
from sextant_backend.laws.numasfp import describe, models
from sextant_backend.laws.numasfp.members import HostMembers
from sextant_backend.laws.numasfp.memory import Kept
from sextant_backend.modules.control.law_on_host import LawNow
from sextant_backend.modules.levels.in_use import PromotedTable
from sextant_backend.modules.telemetry.repository import HostControls


@dataclass(frozen=True)
class Known:
    """What is known of a host."""

    law: LawNow[Kept, NumasfpParameters]
    table: PromotedTable | None
    controls: HostControls | None
    last_outcome: MoveOutcome | None


def row(one: models.NumasfpHostRow, recommendation_id: int | None) -> NumasfpHostRow:
    """A host in the list."""
    return NumasfpHostRow(
        host=one.host_id,
        mode=PolicyMode(one.mode),
        chains=one.chains,
        violated=one.violated,
        offered_gbps=one.offered_gbps,
        carried_gbps=one.carried_gbps,
        budget_left=one.budget_left,
        reason=one.reason,
        evaluated_at=one.evaluated_at,
        provenance=None if one.provenance is None else Provenance(one.provenance),
        recommendation_id=recommendation_id,
    )


def host(members: HostMembers | None, known: Known) -> NumasfpHost:
    """A host. `members`: None where no levels are promoted for its model."""
    law, read, seen = known.law, known.law.read, known.law.seen
    return NumasfpHost(
        host=read.inventory.host_id,
        mode=law.mode,
        stopped=law.stopped,
        provenance=None if law.rates is None else law.rates.provenance,
        evaluated_at=None if law.row is None else law.row.evaluated_at,
        reason=_reason(read, members, known),
        table=None if known.table is None else _table(known.table),
        nodes=tuple(_node(read, node) for node in read.inventory.nodes),
        chains=tuple(_chain(read, chain, members, known, seen) for chain in read.content.chains),
        moves=tuple(_moves(read, members, known)),
        budget_moves=law.parameters.budget_moves,
        budget_s=law.parameters.budget_s,
        margin_gbps=seen.get("margin_gbps"),
        gain_gbps=seen.get("gain_gbps"),
        held_intervals=seen.get("held", 0),
        hold_intervals=law.parameters.hold_intervals,
        following_published=seen.get("following", False),
        transfers=() if known.controls is None else known.controls.transfers,
        recommendation_id=law.recommendation_id,
        last_outcome=known.last_outcome,
    )


def _reason(read: HostRead, members: HostMembers | None, known: Known) -> str:
    if members is None:
        return (
            f"no levels are promoted for {read.inventory.host_model}: profile NF types there, and promote what is found"
        )
    if known.law.row is None:
        return "it has not been evaluated yet" if read.content.chains else "no chain runs here"
    text = known.law.row.reason
    return text if members.undivided is None else f"{text}; placement only: {members.undivided}"


def _table(table: PromotedTable) -> NumasfpTable:
    return NumasfpTable(
        version=table.version,
        digest=table.digest,
        nf_types=tuple(sorted(table.table.types)),
        provenance=table.provenance,
    )


def _node(read: HostRead, node: NumaNode) -> NumasfpNode:
    layout = CoreLayout.of(read.inventory)
    cores = sum(unit.capacity for unit in layout.units if unit.node == node.id and unit.blocked is None)
    ways = node.llc.ways if node.llc is not None and node.llc.ways else 1
    return NumasfpNode(node=node.id, cores=cores, ways=ways - 1)


def _chain(
    read: HostRead, chain: DesiredChain, members: HostMembers | None, known: Known, seen: dict[str, Any]
) -> NumasfpChain:
    node_of = {core.id: core.node for core in read.inventory.cores}
    nodes = {node_of.get(nf.core) for nf in chain.nfs}
    node = next(iter(nodes)) if len(nodes) == 1 else None
    arrives = read.inventory.arrival_node(chain.ingress.port)
    rate = None if known.law.rates is None else known.law.rates.mpps.get(chain.chain)
    frame_bytes = chain.traffic.mean_packet_bytes
    offered, carried = (None, None) if rate is None else (describe.shown(wire_gbps(one, frame_bytes)) for one in rate)
    control = None if known.controls is None else known.controls.controls.get(chain.chain)
    has = chain.resources
    return NumasfpChain(
        chain=chain.chain,
        node=node,
        local=None if node is None else node == arrives,
        nfs=len(chain.nfs),
        rate_gbps=offered,
        forecast_gbps=seen.get("forecast", {}).get(chain.chain),
        carried_gbps=carried,
        llc_ways=control.llc_ways if control is not None else (has and has.llc_ways),
        memory_bandwidth_percent=(
            control.memory_bandwidth_percent if control is not None else (has and has.memory_bandwidth_percent)
        ),
        bounds=chain.bounds,
        control=None if control is None else control.state,
        violations=seen.get("violations", {}).get(chain.chain, 0),
        in_full=seen.get("in_full", {}).get(chain.chain),
        note=_note(chain, members, offered) or (None if control is None else control.note),
    )


def _note(chain: DesiredChain, members: HostMembers | None, offered: float | None) -> str | None:
    if members is None:
        return None
    if chain.chain in members.notes:
        return members.notes[chain.chain]
    most = max(_highest(chain, members, kind) for kind in NODE_KINDS)
    return describe.clamped(offered, most) if offered is not None and offered > most else None


def _highest(chain: DesiredChain, members: HostMembers, kind: NodeKind) -> float:
    """Level that every NF of the chain has on that kind of node; 0 where one has none."""
    levels = [members.table.types[nf.nf_type].on(kind) for nf in chain.nfs]
    return min((of_type[-1].gbps if of_type else 0.0 for of_type in levels), default=0.0)


def _moves(read: HostRead, members: HostMembers | None, known: Known) -> Iterable[NumasfpMove]:
    """Newest first. A chain that moved again afterwards went to where its next move left from."""
    node_of = {core.id: core.node for core in read.inventory.cores}
    went_to = {chain.chain: node_of.get(chain.nfs[0].core) for chain in read.content.chains if chain.nfs}
    for move in reversed(known.law.kept.moves):
        if members is None or known.law.now.timestamp() - move.at_s >= known.law.parameters.budget_s:
            continue
        left = members.node_named(move.left)
        yield NumasfpMove(
            at=datetime.fromtimestamp(move.at_s, UTC),
            chain=move.chain,
            from_node=left,
            to_node=went_to.get(move.chain),
        )
        went_to[move.chain] = left
