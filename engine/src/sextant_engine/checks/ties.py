"""The rule of ties. What stood apart before and stays apart is not this plan's doing."""

from collections.abc import Iterator
from itertools import combinations

from sextant_domain.hosts.desired import HostContent

from sextant_engine.checks.view import View

Pair = tuple[str, str]


def kept_together(view: View) -> list[str]:
    """No two tied NFs come to stand on different cores of a host, and what is put beside a tied NF is of its type (what
    a host is found to run is accepted as it is)."""
    if view.body.intent.kind == "align":
        return []
    types = {nf.nf_id: nf.nf_type for _, nf in view.nfs_after}
    new = {nf.nf_id for _, nf in view.newly_seated}
    wrong: list[str] = []
    for target in view.body.target:
        host = target.content.host_id
        cores = {nf.nf_id: nf.core for chain in target.content.chains for nf in chain.nfs}
        before = set(_apart(view, view.before[host])) if host in view.before else set()
        for one, other in sorted(set(_apart(view, target.content)) - before):
            where = f"stand on cores {cores[one]} and {cores[other]} of {host}"
            wrong.append(f"{one} and {other} are tied by {view.ties[one]} and {where}")
        for one, other in _pairs(view, target.content):
            if types[one] != types[other] and {one, other} & new:
                wrong.append(f"{one} is a {types[one]} and tied with {other}, a {types[other]}")
    return wrong


def _apart(view: View, content: HostContent) -> Iterator[Pair]:
    cores = {nf.nf_id: nf.core for chain in content.chains for nf in chain.nfs}
    return (pair for pair in _pairs(view, content) if cores[pair[0]] != cores[pair[1]])


def _pairs(view: View, content: HostContent) -> Iterator[Pair]:
    """NFs of one tie, by id."""
    members: dict[str, list[str]] = {}
    for chain in content.chains:
        for nf in chain.nfs:
            if nf.nf_id in view.ties:
                members.setdefault(view.ties[nf.nf_id], []).append(nf.nf_id)
    for nf_ids in members.values():
        yield from combinations(sorted(nf_ids), 2)
