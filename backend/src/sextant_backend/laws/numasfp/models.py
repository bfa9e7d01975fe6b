"""The table of what NUMASFP's law says of each host."""

from sqlalchemy.orm import Mapped

from sextant_backend.laws.paced.rows import LawHostRow


class NumasfpHostRow(LawHostRow):
    """Of one host; `seen`: `evaluation.seen` as JSON."""

    __tablename__ = "numasfp_hosts"

    violated: Mapped[int]
    """Chains that have carried less than they are offered for longer than the published algorithm waits."""
    offered_gbps: Mapped[float | None]
    carried_gbps: Mapped[float | None]
    short_gbps: Mapped[float]
    """What is offered and not carried; 0 where nothing was measured lately."""
    budget_left: Mapped[int]
