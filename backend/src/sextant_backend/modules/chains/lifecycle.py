"""How a chain's state follows what its hosts were ordered to run."""

from collections.abc import Iterable, Mapping, Sequence

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.console.views import ChainState
from sextant_domain.hosts.desired import ChainResources, DesiredChain, DesiredHostConfig, DesiredNf
from sqlalchemy.orm import Session

from sextant_backend.domain_events import ChainRemoved, announce
from sextant_backend.kit.db import db_now
from sextant_backend.modules.chains import repository, views
from sextant_backend.modules.chains.models import ChainRow, PlacedNfRow


def mirror(session: Session, desired: DesiredHostConfig, node_of: Mapping[int, int], plan_id: int) -> None:
    """Make the placed NFs of a host what its order says; an NF that stays on its seat keeps its `since`.

    `node_of` gives the NUMA node of every core.
    """
    host = desired.content.host_id
    nfs = {nf.nf_id: (chain, position, nf) for chain in desired.content.chains for position, nf in enumerate(chain.nfs)}
    repository.remove_placed(session, host, nfs)
    for nf_id, (chain, position, nf) in nfs.items():
        row = session.get(PlacedNfRow, nf_id, populate_existing=True)
        if row is not None and (row.host_id, row.core, row.slot, row.nf_type) == (host, nf.core, nf.slot, nf.nf_type):
            row.position, row.nf_version = position, nf.nf_version
            _give(row, chain, nf)
            continue
        row = row or PlacedNfRow(nf_id=nf_id)
        row.chain, row.position, row.nf_type, row.nf_version = chain.chain, position, nf.nf_type, nf.nf_version
        row.host_id, row.node, row.core, row.slot = host, node_of.get(nf.core, 0), nf.core, nf.slot
        _give(row, chain, nf)
        row.plan_id, row.since = plan_id, db_now(session)
        session.add(row)
    session.flush()


def _give(row: PlacedNfRow, chain: DesiredChain, nf: DesiredNf) -> None:
    shared = chain.resources or ChainResources()
    row.chain_llc_ways, row.chain_memory_bandwidth_percent = shared.llc_ways, shared.memory_bandwidth_percent
    row.llc_ways, row.memory_bandwidth_percent = nf.llc_ways, nf.memory_bandwidth_percent
    row.cpu_share, row.cpu_quota_percent = nf.cpu_share, nf.cpu_quota_percent


def follow_order(session: Session, desired: DesiredHostConfig) -> None:
    """The specifications of a host's chains get the settings of its order and, where they name a host, that host, in
    the transaction that books the order: what is stored and what was ordered never differ, also where an order is
    undone."""
    ordered = {chain.chain: chain.settings for chain in desired.content.chains}
    host = desired.content.host_id
    stored = {spec.name: spec for spec in repository.specs(session, ordered)}
    wanted = {name: spec.with_settings(ordered[name]).moved_to(host) for name, spec in stored.items()}
    rows = repository.living_of(session, [name for name, spec in stored.items() if spec != wanted[name]])
    for row in rows:
        row.spec = wanted[row.name].model_dump(mode="json")
    views.changed(session, *rows)


def name_plan(session: Session, names: Iterable[str], plan_id: int) -> None:
    """A plan names these chains: it is their newest one."""
    rows = repository.living_of(session, names)
    for row in rows:
        row.plan_id = plan_id
    views.changed(session, *rows)


def begin(session: Session, states: Mapping[str, ChainState], operation_id: int, plan_id: int) -> None:
    """An operation has taken these chains up."""
    rows = repository.living_of(session, states)
    for row in rows:
        row.state, row.operation_id, row.plan_id = states[row.name].value, operation_id, plan_id
    views.changed(session, *rows)


def settle(session: Session, names: Iterable[str]) -> None:
    """The chains run where NFs of theirs are ordered, and wait otherwise."""
    names = list(names)
    placed = repository.placed_of(session, names)
    rows = repository.living_of(session, names)
    for row in rows:
        row.state = (ChainState.RUNNING if row.name in placed else ChainState.SUBMITTED).value
    views.changed(session, *rows)


def forget_unplaced_lanes(session: Session, names: Sequence[str]) -> None:
    """Of these chains, lanes that run nowhere go, but for a first one: nobody asked for them by name."""
    placed = repository.placed_of(session, names)
    for row in repository.living_of(session, set(names) - placed.keys()):
        lane = ChainSpec.model_validate(row.spec).traffic.lane
        if lane is not None and lane.number > 1:
            bury(session, row)


def remove(session: Session, name: str) -> None:
    """The chain is off its hosts: free its name."""
    for row in repository.living_of(session, [name]):
        bury(session, row)


def bury(session: Session, row: ChainRow) -> None:
    """As `remove`, of a locked row."""
    row.deleted_at = db_now(session)
    views.gone(session, row)
    announce(session, ChainRemoved(row.name))
