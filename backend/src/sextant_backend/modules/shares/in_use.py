"""What control laws go by: of each host model, the lines of the NF types whose shares are promoted, and its hops."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sextant_domain.hosts.measured_shares import HopDelay, ShareLine
from sextant_domain.plans.compact import HopDelays
from sqlalchemy.orm import Session

from sextant_backend.modules.shares import repository


@dataclass(frozen=True, slots=True)
class PromotedLine:
    """Of an NF type on a host model."""

    shares_id: int
    nf_version: int
    """Of the NF type that was measured."""
    line: ShareLine


@dataclass(frozen=True, slots=True)
class Promoted:
    """Of some host models."""

    lines: Mapping[str, Mapping[str, PromotedLine]]
    """By host model and NF type."""
    delays: Mapping[str, HopDelays]
    """By host model of which hops were measured."""


def promoted(session: Session, host_models: Collection[str]) -> Promoted:
    """One query, which reads a few numbers a version and no points; none without a host model."""
    lines: dict[str, dict[str, PromotedLine]] = defaultdict(dict)
    hops: dict[str, list[HopDelay]] = defaultdict(list)
    for one in repository.in_use(session, host_models):
        hops[one.host_model] += map(HopDelay.model_validate, one.hops or ())
        if one.line is not None:  # else it is promoted for its hops
            line = ShareLine.model_validate(one.line)
            lines[one.host_model][one.nf_type] = PromotedLine(one.shares_id, one.nf_version, line)
    means = ((model, HopDelays.mean_of(found)) for model, found in hops.items())
    return Promoted(lines, {model: mean for model, mean in means if mean is not None})
