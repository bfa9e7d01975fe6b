"""The backend's way to host agents: HTTP over mutual TLS (docs/contracts/agent.md)."""

from sextant_backend.agents.client import AgentClient, agent_for
from sextant_backend.agents.reach import Reach

__all__ = ["AgentClient", "Reach", "agent_for"]
