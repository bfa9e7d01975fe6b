"""What becomes of policies when chains and hosts go, and when laws may go on. Every process follows events, and most
know no law."""

from sextant_domain.laws.automation import PolicyScope
from sqlalchemy.orm import Session

from sextant_backend.domain_events import ChainRemoved, HostsLeave, OperationEnded
from sextant_backend.kit import outbox
from sextant_backend.kit.tasks import TaskName
from sextant_backend.modules.control import policy_table


def chain_removed(session: Session, removed: ChainRemoved) -> None:
    """Another chain of that name has no policy of its own."""
    policy_table.forget(session, PolicyScope.CHAIN, [removed.name])


def hosts_leave(session: Session, leaving: HostsLeave) -> None:
    """Their policies and what is remembered of them go with them."""
    policy_table.forget(session, PolicyScope.HOST, leaving.host_ids)
    policy_table.forget_hosts(session, leaving.host_ids)


def operation_ended(session: Session, _ended: OperationEnded) -> None:
    """While it ran the laws left its hosts alone: what these reported early meanwhile is looked at now."""
    outbox.ring(session, TaskName.CONTROL_EARLY)
