"""A peer whose last connection ends and that does not come back is reported at once; one that comes back is not."""

import asyncio
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from console_world import an_inventory, serving, wait_until
from pki_world import Authority
from sextant_backend.fleet.app import fleet_app
from sextant_backend.fleet.presence import Presence, mark_gone
from sextant_backend.fleet.tls import Peer, PeerCertificateProtocol, server_context
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import repository
from sextant_backend.modules.hosts import service as hosts
from sextant_domain.hosts.host import HostStatus
from sqlalchemy.orm import Session

from agent.tests.pauses import watched

EDGE, OTHER = Peer("host", "edge-1"), Peer("host", "edge-2")
SOON = timedelta(seconds=2)


@pytest.mark.parametrize(
    ("steps", "gone"),
    [
        (lambda all_: (all_.came(EDGE), all_.went(EDGE)), [EDGE]),
        (lambda all_: (all_.came(EDGE), all_.came(EDGE), all_.went(EDGE)), []),
        (lambda all_: (all_.came(EDGE), all_.came(EDGE), all_.went(EDGE), all_.went(EDGE)), [EDGE]),
        (lambda all_: (all_.came(EDGE), all_.went(EDGE), all_.came(EDGE)), []),
        (lambda all_: (all_.came(EDGE), all_.went(EDGE), all_.came(OTHER)), [EDGE]),
        (lambda all_: (all_.came(EDGE), all_.went(EDGE), all_.came(EDGE), all_.went(EDGE)), [EDGE]),
        (lambda all_: (all_.came(EDGE), all_.went(EDGE), all_.close()), []),
    ],
    ids=["ends", "one of two", "both", "comes back", "another comes", "comes back and ends", "the listener ends"],
)
def test_whose_last_connection_ended(steps: Callable[[Presence], object], gone: list[Peer]) -> None:
    async def play() -> list[Peer]:
        ended: list[Peer] = []
        presence = Presence(lambda peer, _at: ended.append(peer), grace_s=0.0)
        steps(presence)
        await asyncio.sleep(0.05)
        await asyncio.get_running_loop().shutdown_default_executor()
        return ended

    assert asyncio.run(play()) == gone


def test_a_killed_agent_is_stale_within_two_seconds_by_the_stamps(session: Session, tmp_path: Path) -> None:
    """Its connection ends as the kernel ends a killed process's; the host says since when, and why. It reports: up.
    Pauses of the machine, in which the listener could not look either, are left out."""
    authority = Authority(tmp_path, "fleet")
    authority.issue("backend", ["urn:sextant:role:backend"], ["fleet.sextant"])
    issued = authority.issue("edge-1", ["urn:sextant:host:edge-1"], ["edge-1.host.sextant"])
    hosts.enrol(session, "edge-1", {})
    session.commit()
    app, context = fleet_app(), server_context(authority.folder)
    app.state.presence = Presence(mark_gone)
    body = {"inventory": an_inventory().model_dump(mode="json"), "agent_url": "https://127.0.0.1:1"}
    with serving(app, http=PeerCertificateProtocol, ssl_context_factory=lambda _c, _d: context) as port:

        def report() -> httpx.Client:
            client = httpx.Client(base_url=f"https://127.0.0.1:{port}", verify=authority.client(issued), timeout=60)
            answer = client.post("/fleet/v1/register", json=body, extensions={"sni_hostname": "fleet.sextant"})
            assert answer.status_code == 204
            return client

        agent = report()
        assert _status() == (HostStatus.UP, "it reports")
        with watched() as pauses:
            moment = datetime.now(UTC)
            agent.close()
            wait_until(lambda: _status()[0] is HostStatus.STALE, limit_s=60)
            assert _status()[1].startswith("its agent's connection ended at ")
            assert pauses.awake(moment, _since()) <= SOON
        with closing(report()):  # while its connection lasts: soon after it the host is stale again
            assert _status()[0] is HostStatus.UP


def _status() -> tuple[HostStatus, str]:
    with session_scope() as own:
        host = repository.get(own, "edge-1")
        assert host is not None
        return HostStatus(host.status), host.status_reason


def _since() -> datetime:
    with session_scope() as own:
        host = repository.get(own, "edge-1")
        assert host is not None
        return host.status_since
