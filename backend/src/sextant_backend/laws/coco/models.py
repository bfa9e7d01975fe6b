"""The table of what CoCo's law says of each host."""

from sqlalchemy.orm import Mapped

from sextant_backend.laws.paced.rows import LawHostRow


class CocoHostRow(LawHostRow):
    """Of one host; `seen`: `evaluation.Seen` as JSON."""

    __tablename__ = "coco_hosts"

    overloaded: Mapped[int]
    """Cores that need more time than they have."""
    fullest_percent: Mapped[float | None]
    """What the core needs that needs most; None where nothing was measured lately."""
    short_mpps: Mapped[float]
    """What reaches NFs and is dropped by them; 0 where nothing was measured lately."""
