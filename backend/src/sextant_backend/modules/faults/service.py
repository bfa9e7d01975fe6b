"""Order faults, and see which are not over."""

from sextant_domain.hosts.fault import ActiveFaults, FaultOrder
from sqlalchemy.orm import Session

from sextant_backend.agents.client import agent_for
from sextant_backend.agents.errors import AgentError, AgentFailed
from sextant_backend.kit.db import allow_idle
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.hosts import service as hosts


def active(session: Session, host_id: str) -> ActiveFaults:
    """As the agent says now. Raises NotFound, AgentFailed."""
    agent = agent_for(host_id, hosts.reach(session, host_id))
    session.rollback()  # no connection is held while the agent answers
    try:
        return agent.faults()
    except AgentError as error:
        raise AgentFailed(error) from error


def inject(session: Session, host_id: str, order: FaultOrder, actor: str) -> ActiveFaults:
    """Make something go wrong. Raises NotFound, AgentFailed; of what the agent refused nothing is audited."""
    agent = agent_for(host_id, hosts.reach(session, host_id))
    audit.record(session, actor, "host.fault", f"host/{host_id}", order.fault.model_dump(mode="json"))
    session.flush()
    allow_idle(session)  # the entry is committed once the agent has answered
    try:
        return agent.inject(order)
    except AgentError as error:
        raise AgentFailed(error) from error
