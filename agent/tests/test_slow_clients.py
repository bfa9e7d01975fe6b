"""200 clients that send a byte now and then, at an agent's port: they are closed, and the backend is served."""

from urllib.parse import urlsplit

from slow_world import all_are_closed, crowd

from .agent_process import AgentProcess
from .orders import HOST


def test_an_agent_closes_slow_clients_and_serves_the_backend(standing_agent: AgentProcess) -> None:
    """An agent answers on 64 connections; strangers have 16 of them, however many they open."""
    port = urlsplit(standing_agent.url).port
    assert port is not None
    kinds = {"header": 50, "body": 50, "handshake": 50, "silent": 50}
    clients = crowd(port, kinds, standing_agent.authority.context(), f"{HOST}.host.sextant", "/v1/faults")

    def meanwhile() -> None:
        assert standing_agent.get("/v1/health").status_code == 200

    assert all_are_closed(clients, meanwhile) > 8
    assert standing_agent.request("GET", "/v1/health", shown=None).status_code == 403, "refused, and told so"
