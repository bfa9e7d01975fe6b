"""The path that all parts of a chain over several hosts are ordered with.

Each part is pinned to its host, so the path follows from the parts' specifications and from what their hosts say of
each other; where its NFs stand on their hosts is each part's own affair.
"""

from collections.abc import Iterator, Sequence

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.hosts.path import ChainPath, PathPlace, PathSegment, sid_of
from sextant_domain.hosts.way import Obstacle, mtu_of

from sextant_engine.planning.draft import PlanDraft


def path_of(draft: PlanDraft, spec: ChainSpec) -> ChainPath | tuple[str, str] | None:
    """What a part is ordered with; why there is no such path, and what helps; None of a chain that is all of one."""
    part = spec.part
    if part is None:
        return None
    parts = [draft.fleet.specs.get(name) for name in part.names]
    whole = [one for one in parts if one is not None and one.part is not None and one.part.tag == part.tag]
    if part.tag is None or len(whole) != part.count:
        return f"not all {part.count} parts of {part.of} are submitted together", f"delete {part.of} and submit it anew"
    places = {name: host.inventory.path_place for name, host in draft.hosts.items()}
    mtu = mtu_of(whole, places)
    if isinstance(mtu, Obstacle):
        return mtu.reason, mtu.relax
    found = [place for one in whole if (place := places[one.ingress.host or ""]) is not None]
    return ChainPath(
        tag=part.tag,
        source=found[0].source,
        segments=tuple(_segments(whole, found, part.tag)),
        mtu=mtu,
        enters=part.enters,
        leaves=part.leaves,
    )


def _segments(parts: Sequence[ChainSpec], places: Sequence[PathPlace], tag: int) -> Iterator[PathSegment]:
    number = 0
    for spec, place in zip(parts, places, strict=True):
        for position in range(len(spec.nfs)):
            number += 1
            yield PathSegment(sid=sid_of(place.locator, tag, number), nf_id=spec.nf_id(position))
    yield PathSegment(sid=sid_of(places[-1].locator, tag, number + 1))
