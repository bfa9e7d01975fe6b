"""Who follows what (`domain_events.py`): every process that serves or works calls `connect` when it starts."""

from sextant_backend.domain_events import (
    AlertsChanged,
    BatchesStored,
    ChainRemoved,
    HostOrdered,
    HostRenumbered,
    HostsLeave,
    ModelsPromoted,
    OperationEnded,
    RecommendationMade,
    follow,
)
from sextant_backend.modules.control import event_handlers as policies
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.notifications import queueing
from sextant_backend.modules.operations import service as operations
from sextant_backend.modules.plans import event_handlers, model_waits
from sextant_backend.modules.profiling import service as profiling
from sextant_backend.modules.races import tasks


def connect() -> None:
    """Harmless to repeat. Followers of one event are called in this order."""
    follow(BatchesStored, hosts.heard)
    follow(HostsLeave, operations.refuse_leaving)
    follow(HostsLeave, profiling.refuse_leaving)
    follow(HostsLeave, policies.hosts_leave)
    follow(HostRenumbered, operations.refuse_renumbering)
    follow(HostRenumbered, event_handlers.host_renumbered)
    follow(ChainRemoved, event_handlers.chain_removed)
    follow(ChainRemoved, policies.chain_removed)
    follow(HostOrdered, event_handlers.host_ordered)
    follow(OperationEnded, event_handlers.operation_ended)
    follow(OperationEnded, policies.operation_ended)
    follow(ModelsPromoted, model_waits.go_on)
    follow(RecommendationMade, tasks.begin)
    follow(AlertsChanged, queueing.alerts_changed)
