"""Which hosts of an operation wait for which others before they are ordered: pure.

A host that chains leave waits for the hosts they go to, until these are complete, or, where they have an order in
between that runs those chains already, until that is ready. Of a chain over several hosts, the host that packets go to
is ordered before the one that they come from, and after it where the chain stops: no packet meets half of a path. So it
is where more packets enter, and where fewer do: no part is said to bear less than comes. Lanes
get other weights once new ones run, and those that are too many leave last; among hosts that do the same of these,
paths go as above. In batches each host waits for all of the batch before, too: so the first failure stops the
operation, and no host of a later batch has been touched, but for orders in between, which take nothing away.
"""

import json
from collections.abc import Iterator, Mapping
from itertools import pairwise

from sextant_domain.chains.chain import OF_WHOLE
from sextant_domain.chains.part import neighbours
from sextant_domain.plans.intents import LaneIntent, RestoreIntent
from sextant_domain.plans.plan import Adjustment, ChangeKind, PlanBody


def waits_of(body: PlanBody, hosts_at_once: int | None) -> dict[str, set[str]]:
    """Of every host of the plan, those that must be complete before. Nobody waits for a chain that is interrupted, or
    for any move of a plan of an earlier version in which two hosts would wait for each other."""
    between = _between(body)
    moves: dict[str, set[str]] = {base.host: set() for base in body.base}
    for home, goal in _moves(body):
        if goal not in between:
            moves[home].add(goal)
    for host, other in _along_paths(body):
        moves[host] |= {other} - {host}
    if _divides_flows(body):
        moves = _of_lanes(body, moves)
    order = _sorted(moves)
    if order is None:
        moves = {host: set() for host in moves}
        order = sorted(moves)
    size = hosts_at_once or len(order) or 1
    batches = [order[begin : begin + size] for begin in range(0, len(order), size)]
    for before, batch in pairwise(batches):
        for host in batch:
            moves[host] |= set(before)
    return moves


def ready_waits_of(body: PlanBody) -> dict[str, set[str]]:
    """Of every host of the plan, those whose order in between must be ready before."""
    between = _between(body)
    waits: dict[str, set[str]] = {base.host: set() for base in body.base}
    for home, goal in _moves(body):
        if goal in between:
            waits[home].add(goal)
    return waits


def _between(body: PlanBody) -> set[str]:
    return set() if body.handover is None else {order.content.host_id for order in body.handover.between}


def _moves(body: PlanBody) -> Iterator[tuple[str, str]]:
    """From host to host, of chains that are not interrupted."""
    loss = None if body.handover is None else body.handover.interrupts
    stopped = set() if loss is None else {one.chain for one in loss.chains}
    for change in body.changes:
        home, goal = change.source, change.target
        if home and goal and home.host != goal.host and change.chain not in stopped:
            yield home.host, goal.host


def _along_paths(body: PlanBody) -> Iterator[tuple[str, str]]:
    """Host, and the one that it waits for, of parts that start and of those that stop."""
    starting = {change.chain: change.target.host for change in body.changes if change.target and not change.source}
    stopping = {change.chain: change.source.host for change in body.changes if change.source and not change.target}
    for first, second in neighbours(starting):
        yield starting[first], starting[second]
    for first, second in neighbours(stopping):
        yield stopping[second], stopping[first]
    adjusted = {one.chain: one.host for one in body.adjustments if one.field.partition(".")[0] in OF_WHOLE}
    less = {one.chain for one in body.adjustments if _is_less(one)}
    for first, second in neighbours(adjusted):
        source, behind = adjusted[first], adjusted[second]
        yield (behind, source) if first in less else (source, behind)


def _is_less(one: Adjustment) -> bool:
    """Fewer packets enter, or none any more."""
    before, after = json.loads(one.before), json.loads(one.after)
    return (one.field == "traffic.rate_mpps" and after < before) or (one.field == "paused" and after)


def _divides_flows(body: PlanBody) -> bool:
    """Lanes start or leave by it, or that is undone."""
    if isinstance(body.intent, RestoreIntent):
        return any(one.field.startswith("traffic.lane") for one in body.adjustments)
    return isinstance(body.intent, LaneIntent)


def _of_lanes(body: PlanBody, waits: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Where lanes start first, then where others are left, then where they leave: no flow is without a lane. `waits`:
    along paths, which counts among hosts of one of the three."""
    start = {change.target.host for change in body.changes if change.kind is ChangeKind.START and change.target}
    stop = {change.source.host for change in body.changes if change.kind is ChangeKind.STOP and change.source}
    turn = {host: 0 if host in start else 2 if host in stop else 1 for host in waits}
    return {
        host: {other for other in waits if turn[other] < turn[host]}
        | {other for other in others if turn[other] == turn[host]}
        for host, others in waits.items()
    }


def _sorted(waits: Mapping[str, set[str]]) -> list[str] | None:
    """Each host after those it waits for, by name where nothing else decides; None where they wait in a circle."""
    left, order = dict(waits), []
    while left:
        free = sorted(host for host, others in left.items() if not others & left.keys())
        if not free:
            return None
        order += free
        left = {host: others for host, others in left.items() if host not in free}
    return order
