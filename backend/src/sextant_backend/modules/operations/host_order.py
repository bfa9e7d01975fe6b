"""Which hosts of an operation wait for which others before they are ordered: pure.

A host that chains leave waits for the hosts they go to. In batches each host waits for all of the batch before, too: so
the first failure stops the operation, and no host of a later batch has been touched.
"""

from collections.abc import Mapping
from itertools import pairwise

from sextant_domain.plans.plan import PlanBody


def waits_of(body: PlanBody, hosts_at_once: int | None) -> dict[str, set[str]]:
    """Of every host of the plan. Nobody waits for a move where two hosts would wait for each other."""
    moves: dict[str, set[str]] = {base.host: set() for base in body.base}
    for change in body.changes:
        if change.source and change.target and change.source.host != change.target.host:
            moves[change.source.host].add(change.target.host)
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
