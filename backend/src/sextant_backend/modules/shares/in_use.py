"""What control laws go by: of each host model, the lines of the NF types whose shares are promoted."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sextant_domain.hosts.measured_shares import ShareLine
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
        if line is None:  # promoted for its hops
            continue
        found[host_model][nf_type] = PromotedLine(shares_id, nf_version, ShareLine.model_validate(line))
    return found
