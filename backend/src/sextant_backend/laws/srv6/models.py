"""The table of what SRv6-INT's global loop says of each host."""

from sqlalchemy.orm import Mapped

from sextant_backend.laws.paced.rows import LawHostRow


class Srv6HostRow(LawHostRow):
    """Of one host, and the chains whose first lane it runs; `seen`: `evaluation.Seen` as JSON."""

    __tablename__ = "srv6_hosts"

    lanes: Mapped[int]
    """Of these chains, on whichever hosts."""
    saturated: Mapped[int]
    """Chains of which an NF needs more than its host has."""
    offered_mpps: Mapped[float]
    """To all of them; 0 where nothing was measured lately."""
