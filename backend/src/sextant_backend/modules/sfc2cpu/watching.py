"""Watches networks that are in force: on each host whose cores one assigned, what comes out of its chains beside what a
plan by round robin would have predicted at the rates that were measured. Who is worse is reverted.

A host is watched as long as the last plan that placed or moved NFs there was a network's, and samples are of after it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from statistics import fmean
from typing import Any

from sextant_domain.plans.algorithms import Algorithm
from sextant_domain.studies.networks import NetworkVerdict, WatchedHost
from sextant_engine.control.networks.verdict import SPAN, Span, Watched, judged
from sextant_engine.fleet_view import FleetView
from sextant_engine.host_state import HostState
from sextant_engine.seats import shared_cores
from sqlalchemy.orm import Session

from sextant_backend.modules.hosts import repository as hosts
from sextant_backend.modules.networks import repository
from sextant_backend.modules.networks.models import PromotionRow
from sextant_backend.modules.plans import repository as plans
from sextant_backend.modules.sfc2cpu import promotion
from sextant_backend.modules.snapshots import service as snapshots
from sextant_backend.modules.telemetry import repository as telemetry

EVERY_S = 10.0
LEAST_SECONDS = 8
"""Of a span, with samples of every chain of the host; of less nothing is said."""
LOOKED_BACK = timedelta(minutes=2)
"""Of spans that nobody has judged: a watch that was away for longer begins with these."""


def evaluate(session: Session) -> int:
    """One round over all hosts; returns how many networks were reverted."""
    in_force = repository.in_force(session)
    if not in_force:
        return 0
    repository.lock(session)
    in_force = repository.in_force(session)
    since = min((one.promoted_at for one in in_force), default=None)
    names = hosts.up_with_shared_cores(session)
    assigned = {} if since is None else plans.last_that_assigned(session, names, since)
    by_network = {name: one for name, one in assigned.items() if one.algorithm == Algorithm.NETWORK}
    states = _states(session, sorted(by_network))
    return sum(_judge(session, row, by_network, states) for row in in_force)


def _states(session: Session, names: Sequence[str]) -> Mapping[str, HostState]:
    """With what is known of their NFs."""
    return FleetView.of(snapshots.narrow(session, names)).hosts if names else {}


def _judge(
    session: Session,
    row: PromotionRow,
    by_network: Mapping[str, plans.Assigned],
    states: Mapping[str, HostState],
) -> bool:
    """A promotion; True: it is reverted."""
    watched: dict[str, Any] = {}
    for name, plan in sorted(by_network.items()):
        state = states.get(name)
        if state is None or shared_cores(state.cores.layout) != row.cores or plan.decided_at < row.promoted_at:
            continue
        kept = row.watched.get(name)
        found, is_worse = _of_host(session, state, plan, None if kept is None else WatchedHost.model_validate(kept))
        if found is not None:
            watched[name] = found.model_dump(mode="json")
        if is_worse and found is not None and found.at is not None:
            row.watched = {**row.watched, **watched}
            verdict = NetworkVerdict(
                host=name, served=found.served or 0.0, round_robin=found.round_robin or 0.0, at=found.at
            )
            promotion.revert_worse(session, row, verdict)
            return True
    if row.watched != watched:
        row.watched = watched
    return False


def _of_host(
    session: Session, state: HostState, plan: plans.Assigned, kept: WatchedHost | None
) -> tuple[WatchedHost | None, bool]:
    """What is known of it now, and whether the network is not kept."""
    newest = telemetry.newest(session, state.name)
    if newest is None:
        return kept, False
    until = newest[0]
    if kept is None or kept.plan != plan.id:
        return WatchedHost(plan=plan.id, since=until), False
    known = None if kept.at is None else Span(kept.at, kept.served or 0.0, kept.round_robin or 0.0)
    watched, is_worse = Watched(kept.since, kept.worse, known), False
    for span in _spans(session, state, kept, until):
        watched, is_worse = judged(watched, span)
        if is_worse:
            break
    last = watched.newest
    if last is None:
        return kept, False
    at = {"at": last.at, "served": last.served, "round_robin": last.round_robin}
    return kept.model_copy(update={"worse": watched.worse, **at}), is_worse


def _spans(session: Session, state: HostState, kept: WatchedHost, until: datetime) -> Iterator[Span]:
    """Whole ones that nobody has judged."""
    from sextant_engine.planning.round_robin import served_mpps  # the Rust core, which only this needs

    begin = max(kept.since, until - LOOKED_BACK, *([] if kept.at is None else [kept.at + SPAN]))
    rows = telemetry.samples_between(session, state.name, begin, until)
    chains = {name for name, chain in state.chains.items() if chain.traffic.rate_mpps > 0}
    for at, rates, carried in whole_spans([row[:4] for row in rows], chains, begin, until):
        best, asked = served_mpps(state, rates), sum(rates.values())
        if best is not None and asked > 0:
            yield Span(at, min(1.0, carried / asked), min(1.0, best / asked))


def whole_spans(
    rows: Iterable[tuple[datetime, str, float, float]], chains: Collection[str], begin: datetime, until: datetime
) -> Iterator[tuple[datetime, dict[str, float], float]]:
    """Of samples (time; chain; offered, carried in Mpps): spans within `begin` and `until` in which every chain was
    measured for so many seconds; what each was offered, and what all of them carried. Pure."""
    seconds: defaultdict[datetime, defaultdict[str, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    for at, chain, offered, carried in rows:
        seconds[_begin_of(at)][chain].append((offered, carried))
    for at, measured in sorted(seconds.items()):
        whole = all(len(measured.get(chain, ())) >= LEAST_SECONDS for chain in chains)
        if at < begin or at + SPAN > until or not whole or not chains:
            continue
        rates = {chain: fmean(offered for offered, _ in measured[chain]) for chain in chains}
        yield at, rates, sum(fmean(went for _, went in measured[chain]) for chain in chains)


def _begin_of(at: datetime) -> datetime:
    seconds = SPAN.total_seconds()
    return datetime.fromtimestamp(at.timestamp() // seconds * seconds, UTC)
