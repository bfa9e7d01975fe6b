"""Chains as the API shows them: with their newest figures, and what these say of the objectives."""

from collections.abc import Collection, Sequence

from sextant_domain.base import Provenance
from sextant_domain.chains.anti_affinity import together
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.console.live import ChainEvent, ChainGoneEvent
from sextant_domain.console.views import ChainState, ChainView, SloState, StandsWith, TiedNf
from sextant_domain.hosts.telemetry import ChainSample
from sqlalchemy.orm import Session

from sextant_backend.kit.outbox import publish
from sextant_backend.modules.chains import repository
from sextant_backend.modules.chains.models import ChainRow, PlacedNfRow
from sextant_backend.modules.telemetry import repository as telemetry
from sextant_backend.modules.telemetry.models import LatestChain

FRESH_S = 10.0
"""Older samples say nothing of an objective."""

SHORT = 0.98
"""A throughput objective counts as met from 98 % on: one interval's counters are not cut at packet borders."""


def views(session: Session, rows: Sequence[ChainRow]) -> list[ChainView]:
    """One view a row, with three further queries in all, two more where a chain has an anti-affinity group, one where
    an NF is tied, and one where a chain has quota bounds."""
    names = [row.name for row in rows]
    placed, samples = repository.placed_of(session, names), repository.samples_of(session, names)
    fresh = repository.fresh(session, names, FRESH_S)
    grouped = [row.name for row in rows if row.spec.get("anti_affinity")]
    broken = stands_with(session, {nf.host_id for name in grouped for nf in placed.get(name, [])})
    with_ties = [row.name for row in rows if any(nf.get("tied") for nf in row.spec["nfs"])]
    tied = tied_with(session, {nf.host_id for name in with_ties for nf in placed.get(name, [])})
    bounded = [row.name for row in rows if row.spec.get("quota_bounds")]
    quotas = telemetry.bounded_quotas(session, {nf.host_id for name in bounded for nf in placed.get(name, [])})
    return [
        _view(row, placed.get(row.name, []), samples.get(row.name), row.name in fresh).model_copy(
            update={
                "stands_with": tuple(broken.get(row.name, ())),
                "tied_with": tuple(tied.get(row.name, ())),
                "bounded_nfs": tuple(nf for nf in quotas.nfs if nf.chain == row.name),
                "quota_changes": tuple(one for one in quotas.changes if one.nf_id.split(".", 1)[0] == row.name),
            }
        )
        for row in rows
    ]


def tied_with(session: Session, hosts: Collection[str]) -> dict[str, list[TiedNf]]:
    """By chain: its NFs that are one element with NFs of other chains on one of these hosts."""
    if not hosts:
        return {}
    members: dict[tuple[str, str], list[PlacedNfRow]] = {}
    for nf, tie in repository.placed_with_ties(session, hosts):
        members.setdefault((nf.host_id, tie), []).append(nf)
    found: dict[str, list[TiedNf]] = {}
    for nfs in members.values():
        for nf in nfs:
            others = tuple(other.nf_id for other in nfs if other.chain != nf.chain)
            if others:
                found.setdefault(nf.chain, []).append(TiedNf(nf_id=nf.nf_id, others=others))
    return found


def stands_with(session: Session, hosts: Collection[str]) -> dict[str, list[StandsWith]]:
    """Chains that stand together on these hosts and must not, and with whom."""
    if not hosts:
        return {}
    placed = repository.placed_with_groups(session, hosts)
    groups = repository.groups_of(session, {chain for chains in placed.values() for chain in chains})
    found: dict[str, list[StandsWith]] = {}
    for host, nodes in sorted(placed.items()):
        there = {chain: groups[chain] for chain in nodes if chain in groups}
        for one, other, node in together(there, nodes):
            found.setdefault(one, []).append(StandsWith(chain=other, host=host, node=node))
            found.setdefault(other, []).append(StandsWith(chain=one, host=host, node=node))
    return found


def _view(row: ChainRow, placed: Sequence[PlacedNfRow], latest: LatestChain | None, fresh: bool) -> ChainView:
    spec = ChainSpec.model_validate(row.spec)
    sample = None if latest is None or not placed else ChainSample.model_validate(latest.sample)
    throughput, latency = slos(spec, ChainState(row.state), sample if fresh else None)
    return ChainView(
        spec=spec,
        state=ChainState(row.state),
        placement=tuple(nf.placed() for nf in placed),
        plan_id=row.plan_id,
        operation_id=row.operation_id,
        sample=sample,
        provenance=Provenance(latest.provenance) if latest is not None else Provenance.MEASURED,
        sampled_at=latest.taken_at if latest is not None and sample is not None else None,
        throughput_slo=throughput,
        latency_slo=latency,
        created_at=row.created_at,
        created_by=row.created_by,
        version=row.version,
    )


def slos(spec: ChainSpec, state: ChainState, sample: ChainSample | None) -> tuple[SloState | None, SloState | None]:
    """Throughput and latency by measurement, of a running chain only: one that is, or was in the sample's interval,
    paused on purpose misses nothing. What a firewall filters by its rules is no loss."""
    is_paused = spec.paused or (sample is not None and sample.paused)
    figures = sample if state is ChainState.RUNNING and not is_paused else None
    carried = None if figures is None else figures.delivered_mpps + figures.filtered_mpps
    p95_us = None if figures is None else figures.p95_us
    return judged(spec.slo.min_throughput_mpps, spec.slo.max_p95_ms, carried, p95_us)


def judged(
    least_mpps: float | None, most_ms: float | None, carried_mpps: float | None, p95_us: float | None
) -> tuple[SloState | None, SloState | None]:
    """The same of figures that count; None where there is no such objective."""
    throughput = latency = SloState.NO_DATA
    if carried_mpps is not None and least_mpps is not None:
        throughput = SloState.MET if carried_mpps >= SHORT * least_mpps else SloState.VIOLATED
    if p95_us is not None and most_ms is not None:
        latency = SloState.MET if p95_us <= most_ms * 1000 else SloState.VIOLATED
    return (None if least_mpps is None else throughput), (None if most_ms is None else latency)


def changed(session: Session, *rows: ChainRow) -> None:
    """Count a change of each and publish it to every console; as many queries for a thousand as for one."""
    for row in rows:
        row.version += 1
    session.flush()
    for shown in views(session, rows):
        publish(session, ChainEvent(chain=shown))


def gone(session: Session, row: ChainRow) -> None:
    """Publish to every console that the chain is gone."""
    row.version += 1
    publish(session, ChainGoneEvent(name=row.name))
