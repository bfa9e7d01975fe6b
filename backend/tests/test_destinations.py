"""A host says where its agent is: taken only where orders may go, and judged again by what it resolves to."""

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_peer import AgentPeer
from console_world import an_inventory
from enrolment_world import REGISTER, Listener, a_key, a_token, listening
from fleet_world import _environment
from sextant_backend.agents import destinations
from sextant_backend.agents.client import AgentClient
from sextant_backend.agents.errors import AgentError
from sextant_backend.agents.reach import Reach
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.settings import Settings
from sextant_run.pki.store import Store

NEVER = {
    "https://169.254.169.254": "a cloud's metadata service",
    "https://[::ffff:169.254.169.254]:443": "a cloud's metadata service",
    "https://[64:ff9b::a9fe:a9fe]": "a cloud's metadata service",
    "https://[2002:a9fe:a9fe::1]": "a cloud's metadata service",
    "https://[fd00:ec2::254]": "a cloud's metadata service",
    "https://100.100.100.200": "a cloud's metadata service",
    "https://169.254.7.7:9443": "link-local",
    "https://[fe80::1]:9443": "link-local",
    "https://[::ffff:a9fe:707]:9443": "link-local",
    "https://224.0.0.1": "multicast",
    "https://[ff02::1]": "multicast",
    "https://0.0.0.0:9443": "unspecified",
    "https://0.1.2.3:9443": "unspecified",
    "https://[::]:9443": "unspecified",
    "https://[::ffff:0.0.0.0]:9443": "unspecified",
    "https://255.255.255.255": "reserved",
    "https://198.51.100.7:9443": "SEXTANT_AGENT_NETWORKS",
    "https://[2001:db8::7]:9443": "SEXTANT_AGENT_NETWORKS",
    "https://[::ffff:198.51.100.7]:9443": "SEXTANT_AGENT_NETWORKS",
    "https://10.0.2.7:port": "must read https://HOST:PORT",
    "https://10.0.2.7:0": "must read https://HOST:PORT",
    "https://10.0.2.7:9443:1": "must read https://HOST:PORT",
    "https://10.0.2": "must read https://HOST:PORT",
    "https://fd00::7": "must read https://HOST:PORT",
}
NO_URL = [
    "http://10.0.2.7:9443",
    "https://ada:pw@10.0.2.7",
    "https://10.0.2.7/path",
    "https://10.0.2.7?a=b",
    "file:///x",
]
FINE = ["https://10.0.2.7:9443", "https://[fd12::7]:9443", "https://edge-7.lab:9443", "https://127.0.0.1:9443"]


@pytest.fixture
def fleet(clean: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    with listening(tmp_path, monkeypatch) as listener:
        yield listener


def _body(url: str, host: str = "edge-7") -> dict[str, Any]:
    return {"inventory": an_inventory(host).model_dump(mode="json"), "agent_url": url}


def _stored(host: str = "edge-7") -> str | None:
    with session_scope() as session:
        return hosts.reach(session, host).url


def test_a_host_registers_only_where_an_agent_may_be(fleet: Listener) -> None:
    agent, _ = fleet.admitted("edge-7")
    for url in FINE:
        assert agent.post(REGISTER, json=_body(url)).status_code == 204, url
        assert _stored() == url
    for url, cause in {**NEVER, **dict.fromkeys(NO_URL, "")}.items():
        answer = agent.post(REGISTER, json=_body(url))
        assert answer.status_code == 422, url
        (error,) = answer.json()["errors"]
        assert error["field"] == "agent_url" and cause in error["message"], (url, error)
    assert _stored() == FINE[-1]


def test_a_refusal_says_what_to_do(fleet: Listener) -> None:
    agent, _ = fleet.admitted("edge-7")
    problem = agent.post(REGISTER, json=_body("https://198.51.100.7:9443")).json()
    assert problem["detail"].startswith("No order will be sent to https://198.51.100.7:9443: 198.51.100.7 is in none")
    steps = " ".join(step["label"] for step in problem["next_actions"])
    assert "SEXTANT_AGENT_URL" in steps and "SEXTANT_AGENT_NETWORKS" in steps


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("https://127.0.0.1:8400", "console"),
        ("https://[::ffff:127.0.0.1]:8400", "console"),
        ("https://127.9.9.9:8400", "console"),
        ("https://[::1]:8400", "console"),
        ("https://127.0.0.1:6399", "queue"),
        ("https://10.0.0.4", "fleet listener"),
    ],
)
def test_no_agent_is_where_this_installation_listens(clean: Settings, url: str, what: str) -> None:
    with (
        _environment(
            SEXTANT_CONSOLE_URL="http://127.0.0.1:8400",
            SEXTANT_FLEET_URL="https://10.0.0.4",
            REDIS_URL="redis://:secret@127.0.0.1:6399/0",
        ),
        pytest.raises(destinations.ForbiddenDestination, match=f"is the {what} of this installation$"),
    ):
        destinations.check_url(url)


@pytest.mark.parametrize(
    ("database", "port"),
    [("localhost", 5432), ("[::1]:6000", 6000), ("/sextant?host=/run/postgresql&host=127.0.0.1:5433", 5433)],
)
def test_no_agent_is_at_the_database(clean: Settings, database: str, port: int) -> None:
    with _environment(DATABASE_URL=f"postgresql+psycopg://sextant:secret@{database}"):
        with pytest.raises(destinations.ForbiddenDestination) as caught:
            destinations.check_url(f"https://127.0.0.1:{port}")
        destinations.check_url(f"https://127.0.0.1:{port + 1}")
    assert str(caught.value) == f"127.0.0.1 port {port} is the database of this installation"


def test_no_agent_is_at_the_fleet_listener(fleet: Listener) -> None:
    agent, _ = fleet.admitted("edge-7")
    answer = agent.post(REGISTER, json=_body(fleet.url))
    assert "is the fleet listener of this installation" in answer.json()["errors"][0]["message"]


def test_a_token_stays_good_where_the_agents_address_is_refused(fleet: Listener) -> None:
    token = a_token("edge-7")
    refused = fleet.enrol(token, agent_url="https://169.254.169.254")
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "agent_url")
    assert fleet.enrol(token, agent_url="https://10.0.2.7:9443").status_code == 201


def test_a_gateways_other_hosts_register_all_the_same(fleet: Listener) -> None:
    key = a_key()
    issued = fleet.enrol(a_token("demo-*", count=3), key).json()
    gateway = fleet.client(issued["gateway"]["certificate"], key)
    urls = {"demo-1": "https://10.0.2.9:9443", "demo-2": "https://[fe80::9]:9443", "demo-3": "https://10.0.2.9:9443"}
    answers = [gateway.post(REGISTER, json=_body(url, host)).status_code for host, url in urls.items()]
    assert answers == [204, 422, 204]
    assert [_stored(host) for host in urls] == ["https://10.0.2.9:9443", None, "https://10.0.2.9:9443"]


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[tuple[AgentPeer, Store]]:
    """An agent of edge-7 on 127.0.0.1."""
    store = Store(tmp_path / "pki")
    store.renew(("edge-7",))
    made = AgentPeer("edge-7", store.host("edge-7").folder)
    made.start()
    yield made, store
    made.stop()


class Names:
    """The name server: gives the answers that it was given, and counts."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *answers: str) -> None:
        self.answers, self.asked = list(answers), 0
        self._real = socket.getaddrinfo
        monkeypatch.setattr(destinations.socket, "getaddrinfo", self._addresses)

    def _addresses(self, host: str, port: int | None, *args: Any, **more: Any) -> Any:
        if host != "edge-7.lab":
            return self._real(host, port, *args, **more)
        self.asked += 1
        said = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return [entry for one in said.split() for entry in self._real(one, port, *args, **more)]


def test_a_name_is_judged_by_what_it_stands_for_when_it_is_connected_to(
    clean: Settings, peer: tuple[AgentPeer, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    """DNS rebinding: first the agent's address; for the next connection another one. Once a connection is asked for."""
    agent, store = peer
    names = Names(monkeypatch, "127.0.0.1", "169.254.169.254")
    url = agent.url.replace("127.0.0.1", "edge-7.lab")
    client = AgentClient("edge-7", Reach(url), store.backend.folder)
    assert client.desired().generation == 0
    assert names.asked == 1, "what was judged is what was connected to"
    agent.stop()
    agent.start()
    with pytest.raises(AgentError) as caught:
        AgentClient("edge-7", Reach(url), store.backend.folder).desired()
    problem = caught.value.problem
    assert problem.type == "urn:sextant:problem:agent-address-forbidden" and caught.value.definitive
    assert "nothing was sent to" in problem.detail and "169.254.169.254 is a cloud's metadata" in problem.detail
    assert "SEXTANT_AGENT_URL" in problem.next_actions[0].label


def test_of_several_addresses_those_are_tried_that_may_be(
    clean: Settings, peer: tuple[AgentPeer, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A forbidden one, one of this machine where nobody listens, then the agent's."""
    agent, store = peer
    Names(monkeypatch, "169.254.169.254 127.0.0.2 127.0.0.1")
    url = agent.url.replace("127.0.0.1", "edge-7.lab")
    assert AgentClient("edge-7", Reach(url), store.backend.folder).desired().generation == 0


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "edge-7.lab", "0x7f000001"])
def test_nothing_reaches_the_consoles_own_listeners(
    clean: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """However the address came into the database: by its name, by its number, before the setting was there."""
    store = Store(tmp_path / "pki")
    store.renew(("edge-7",))
    Names(monkeypatch, "127.0.0.1")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        listener.setblocking(False)
        with _environment(SEXTANT_CONSOLE_URL=f"http://127.0.0.1:{port}"), pytest.raises(AgentError) as caught:
            AgentClient("edge-7", Reach(f"https://{name}:{port}"), store.backend.folder).desired()
        assert "is the console of this installation" in caught.value.problem.detail
        with pytest.raises(BlockingIOError):
            listener.accept()


def test_an_operator_says_where_agents_may_be(clean: Settings, peer: tuple[AgentPeer, Store]) -> None:
    agent, store = peer
    with _environment(SEXTANT_AGENT_NETWORKS="10.0.0.0/8, fc00::/7"), pytest.raises(AgentError) as caught:
        AgentClient("edge-7", Reach(agent.url), store.backend.folder).desired()
    assert "127.0.0.1 is in none of the networks that SEXTANT_AGENT_NETWORKS allows" in caught.value.problem.detail
    with _environment(SEXTANT_AGENT_NETWORKS="127.0.0.1/32"):
        assert AgentClient("edge-7", Reach(agent.url), store.backend.folder).desired().generation == 0
