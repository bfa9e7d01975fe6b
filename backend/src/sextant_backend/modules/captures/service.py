"""Ask the host where packets of a chain leave."""

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.hosts.packet_capture import CaptureOrder, PacketCapture
from sqlalchemy.orm import Session

from sextant_backend.agents.client import agent_for
from sextant_backend.agents.errors import AgentError, AgentFailed
from sextant_backend.kit.errors import SextantError
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.chains import repository as chains_repository
from sextant_backend.modules.chains import service as chains
from sextant_backend.modules.hosts import service as hosts


class NotPlaced(SextantError):
    """No host has an order for the chain."""

    kind, status, title = "chain-not-placed", 409, "The chain runs nowhere"


def capture(session: Session, name: str, packets: int, actor: str) -> PacketCapture:
    """Of a chain over several hosts, whichever of its parts is named, on the last of them. Raises NotFound, NotPlaced,
    AgentFailed; of what the agent refused nothing is audited."""
    spec = ChainSpec.model_validate(chains.found(session, name).spec)
    last = name if spec.part is None else spec.part.names[-1]
    on = chains_repository.hosts_of(session, last)
    if not on:
        raise NotPlaced(f"No NF of {last} is placed, so no packet leaves it.")
    agent = agent_for(on[0], hosts.reach(session, on[0]))
    session.rollback()  # no connection is held while packets are awaited
    try:
        found = agent.capture(CaptureOrder(chain=last, packets=packets))
    except AgentError as error:
        raise AgentFailed(error) from error
    audit.record(session, actor, "chain.capture", f"chain/{name}", {"packets": packets, "host": on[0]})
    return found
