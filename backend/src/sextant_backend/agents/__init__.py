"""The backend's way to host agents: HTTP over mutual TLS (docs/contracts/agent.md)."""

from sextant_backend.agents.client import AgentClient, agent_for

__all__ = ["AgentClient", "agent_for"]
