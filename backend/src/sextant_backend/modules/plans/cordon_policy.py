"""What a plan would put on hosts that were cordoned since it was made: pure."""

from collections.abc import Iterator, Mapping

from sextant_domain.hosts.desired import DesiredHostConfig
from sextant_domain.plans.plan import PlanBody


def put_on_cordoned(
    body: PlanBody, present: Mapping[str, DesiredHostConfig], reasons: Mapping[str, str]
) -> Iterator[tuple[str, list[str]]]:
    """Each cordoned host (`reasons`: why, by host) with the NFs that would start or move there."""
    for target in body.target:
        host = target.content.host_id
        if host not in reasons:
            continue
        chains = present[host].content.chains if host in present else ()
        stand = {(nf.nf_id, nf.core, nf.slot) for chain in chains for nf in chain.nfs}
        nfs = [nf for chain in target.content.chains for nf in chain.nfs]
        put = [nf.nf_id for nf in nfs if (nf.nf_id, nf.core, nf.slot) not in stand]
        if put:
            yield host, put
