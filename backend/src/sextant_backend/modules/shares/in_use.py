"""What control laws and plans go by: of each host model, the lines of the NF types whose shares are promoted, and what
handing packets on costs there."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from statistics import fmean

from sextant_domain.hosts.measured_shares import HopDelay, ShareLine
from sextant_domain.plans.compact import HopDelays
from sextant_domain.plans.snapshot import ModelHops
from sqlalchemy.orm import Session

from sextant_backend.modules.shares import repository


@dataclass(frozen=True, slots=True)
class PromotedLine:
    """Of an NF type on a host model."""

    shares_id: int
    nf_version: int
    """Of the NF type that was measured."""
    line: ShareLine


def promoted_lines(session: Session, host_models: Collection[str]) -> Mapping[str, Mapping[str, PromotedLine]]:
    """By host model and NF type. One query, which reads a few numbers a line and no points; none without a host
    model."""
    found: dict[str, dict[str, PromotedLine]] = defaultdict(dict)
    for host_model, nf_type, shares_id, nf_version, line in repository.lines_in_use(session, host_models):
        found[host_model][nf_type] = PromotedLine(shares_id, nf_version, ShareLine.model_validate(line))
    return found


def promoted_hops(session: Session, host_models: Collection[str]) -> tuple[ModelHops, ...]:
    """By host model, of those for which a hop to another core of the node was measured; the mean over the NF types
    whose promoted shares hold it. One query."""
    by_model: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for host_model, hops in repository.hops_in_use(session, host_models):
        for hop in map(HopDelay.model_validate, hops):
            by_model[host_model][hop.distance].append(hop.us)
    return tuple(
        ModelHops(host_model=name, delays=_delays({distance: fmean(us) for distance, us in found.items()}))
        for name, found in sorted(by_model.items())
        if "same_node" in found
    )


def _delays(us: Mapping[str, float]) -> HopDelays:
    """A hop that makes packets quicker costs nothing: CoCo's t_d is a cost. One to another node that was not measured,
    since the host has no such cores, costs what one on the node does."""
    same_node = max(0.0, us["same_node"])
    return HopDelays(
        same_core=max(0.0, us.get("same_core", 0.0)),
        same_node=same_node,
        other_node=max(0.0, us.get("other_node", same_node)),
        measured=True,
    )
