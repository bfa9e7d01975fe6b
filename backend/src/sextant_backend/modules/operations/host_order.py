"""Which hosts of an operation wait for which others before they are ordered: pure.

A host that chains leave waits for the hosts they go to; lanes get other weights once new ones run, and those that are
too many leave last. In batches each host waits for all of the batch before, too: so
the first failure stops the operation, and no host of a later batch has been touched.
"""

from collections.abc import Iterable, Mapping
from itertools import pairwise

from sextant_domain.plans.intents import LaneIntent
from sextant_domain.plans.plan import ChangeKind, PlanBody


def waits_of(body: PlanBody, hosts_at_once: int | None) -> dict[str, set[str]]:
    """Of every host of the plan. Nobody waits for a move where two hosts would wait for each other."""
    moves: dict[str, set[str]] = {base.host: set() for base in body.base}
    for change in body.changes:
        if change.source and change.target and change.source.host != change.target.host:
            moves[change.source.host].add(change.target.host)
    if isinstance(body.intent, LaneIntent):
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


def _of_lanes(body: PlanBody, hosts: Iterable[str]) -> dict[str, set[str]]:
    """Where lanes start first, then where others are left, then where they only leave: no flow is without a lane."""
    start = {change.target.host for change in body.changes if change.kind is ChangeKind.START and change.target}
    change = {one.host for one in body.adjustments} - start
    return {host: set() if host in start else start if host in change else start | change for host in hosts}


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
