"""What a chain gains by lanes: over all of them, on whichever hosts, from what was measured before and after.

Each lane carries another part than the chain did, so no host alone can tell.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from sextant_domain.chains.traffic import wire_gbps
from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.plans.intents import LaneIntent
from sextant_domain.plans.operation import ChainOutcome, Operation, OperationKind, OperationState
from sextant_domain.plans.plan import PlanBody
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.modules.operations.limits import MEASURE_S, SETTLE_S
from sextant_backend.modules.operations.readings import Reading, Sample, reading_of
from sextant_backend.modules.plans import repository as plans
from sextant_backend.modules.plans import views as plan_views
from sextant_backend.modules.telemetry import repository as telemetry

GIVEN_UP_S = 120.0
"""After an operation: a host that has not reported by then is not waited for."""
WHERE_IT_ENTERS: Mapping[str, str] = {}


def outcome(session: Session, operation: Operation) -> ChainOutcome | None:
    """Of all lanes together; None of an operation of something else, and as long as some host has not reported for
    long enough since."""
    began, ended = operation.started_at, operation.finished_at
    completed = operation.kind is OperationKind.LANES and operation.state is OperationState.COMPLETED
    if not completed or began is None or ended is None:
        return None
    window, settled = timedelta(seconds=MEASURE_S), ended + timedelta(seconds=SETTLE_S)
    if not settled + window <= db_now(session) <= ended + timedelta(seconds=GIVEN_UP_S):
        return None
    plan = plans.get(session, operation.plan_id, body=True)
    body = None if plan is None else plan_views.body_of(plan)
    if body is None or not isinstance(body.intent, LaneIntent):
        return None
    intent = body.intent
    hosts = [base.host for base in body.base]
    newest = [telemetry.newest(session, host) for host in hosts]
    if any(found is None or found[0] < settled + window for found in newest):
        return None
    ran = {nf.chain for nf in body.before}
    sizes = _sizes(body, intent.chain)
    before = _readings(session, hosts, began - window, began)
    after = _readings(session, hosts, settled, settled + window)
    return together(intent.chain, before, after, {name for name in sizes if name in ran}, sizes, _exits(body))


def together(  # noqa: PLR0917 - before and after, and of which lanes
    chain: str,
    before: Sequence[Reading],
    after: Sequence[Reading],
    ran: Iterable[str],
    sizes: Mapping[str, float],
    exits: Mapping[str, str] = WHERE_IT_ENTERS,
) -> ChainOutcome | None:
    """Lanes as one chain; None where one of them was not measured. `ran`: those that there were before; `sizes`: by
    lane that there is now, its mean packet without FCS; `exits`: by lane that passes several hosts, the part that its
    packets leave with."""
    then, now = _sums(before, {name: sizes[name] for name in ran}, exits), _sums(after, sizes, exits)
    if then is None or now is None:
        return None
    return ChainOutcome(
        chain=chain,
        before_gbps=then[1],
        after_gbps=now[1],
        offered_before_gbps=then[0],
        offered_after_gbps=now[0],
        lost_packets=None,
    )


def _sums(
    readings: Sequence[Reading], sizes: Mapping[str, float], exits: Mapping[str, str]
) -> tuple[float, float] | None:
    """What these chains are offered and carry, Gbps on the wire."""
    chains = {name: one for reading in readings for name, one in reading.chains.items()}
    out = {name: exits.get(name, name) for name in sizes}
    if not sizes or not {*sizes, *out.values()} <= chains.keys():
        return None
    offered = sum(wire_gbps(chains[name].offered_mpps, size) for name, size in sizes.items())
    return offered, sum(wire_gbps(chains[out[name]].carried_mpps, size) for name, size in sizes.items())


def _sizes(body: PlanBody, of: str) -> dict[str, float]:
    return {
        chain.chain: chain.traffic.mean_packet_bytes
        for chain in _chains(body)
        if (chain.chain if chain.traffic.lane is None else chain.traffic.lane.of) == of
        if chain.path is None or chain.path.enters
    }


def _exits(body: PlanBody) -> dict[str, str]:
    return {chain.chain: chain.path.chains[-1] for chain in _chains(body) if chain.path is not None}


def _chains(body: PlanBody) -> Iterator[DesiredChain]:
    return (chain for order in body.target for chain in order.content.chains)


def _readings(session: Session, hosts: Sequence[str], after: datetime, until: datetime) -> list[Reading]:
    found = (telemetry.samples_between(session, host, after, until) for host in hosts)
    return [reading_of(until, None, (Sample(*one) for one in samples)) for samples in found]
