"""A plan in the making. It never leaves this folder: a `FleetView` comes in, a `PlanBody` goes out."""

from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.plans.evidence import HostEvidence, Solving
from sextant_domain.plans.plan import Rejection

from sextant_engine.fleet_view import FleetView
from sextant_engine.host_state import HostState
from sextant_engine.planning.found import FleetFound
from sextant_engine.planning.progress import Progress


class PlanDraft:
    """What the plan would change, and what it says about it."""

    def __init__(self, fleet: FleetView, solving: Solving, progress: Progress) -> None:
        self.fleet = fleet
        self.solving = solving
        self.progress = progress
        self.hosts: dict[str, HostState] = dict(fleet.hosts)
        """As the plan would have them; `put` and `drop` replace the view of a host as a whole."""
        self.reasons: dict[str, str] = {}
        """NF id -> why it stands, moves or stops."""
        self.rejected: list[Rejection] = []
        self.warnings: list[str] = []
        self.stuck: set[str] = set()
        """Hosts with NFs that cannot stay and find no seat: nothing is optimised there."""
        self.kept: frozenset[str] = frozenset()
        """Chains that stay where they run, though others of their hosts may move."""
        self.closed: dict[str, str] = {}
        """Hosts that this plan puts no chain on, and why: those that are drained."""
        self.reordered: set[str] = set()
        """Hosts that are ordered anew although their order stays the same."""
        self.found: FleetFound | None = None
        """What the core found; None where it was not asked."""
        self.on_shared: dict[str, HostEvidence] = {}
        """By host, where an algorithm chose cores that NFs share."""

    def put(self, host: str, chain: DesiredChain) -> None:
        """Add a chain to a host, or replace it there."""
        self.hosts[host] = self.hosts[host].with_chain(chain)

    def drop(self, host: str, chain: str) -> None:
        """Take a chain away."""
        self.hosts[host] = self.hosts[host].without_chain(chain)

    def hosts_of(self, chain: str) -> list[HostState]:
        """Hosts that hold a chain."""
        return [host for host in self.hosts.values() if chain in host.chains]

    def seconds_left(self) -> float:
        """What the time limit leaves for the search."""
        return max(0.0, self.solving.time_limit_s - self.progress.elapsed())

    def warn(self, text: str) -> None:
        """Add a warning, once."""
        if text not in self.warnings:
            self.warnings.append(text)
