"""Mutual TLS, over real sockets: who is answered, who is not, and certificates renewed while all goes on."""

import json
import os
import ssl
import threading
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
from cryptography.x509 import DNSName, GeneralName
from cryptography.x509 import UniformResourceIdentifier as Uri
from sextant_agent.api.app import create_api
from sextant_agent.identity.tls import CertificateProblem, TlsCredentials
from starlette.routing import Route

from .agent_process import AgentProcess
from .fleet import FleetListener
from .orders import HOST, order
from .pki import BACKEND, Authority, host_names
from .waiting import wait_for

REFUSED = "urn:sextant:problem:peer-not-authorised"


def routes() -> list[tuple[str, str]]:
    """Every door there is, asked of the application itself, so that a new one cannot be forgotten."""
    found = create_api(lambda _: SimpleNamespace()).routes  # type: ignore[arg-type]
    doors = [
        (method, route.path) for route in found if isinstance(route, Route) for method in sorted(route.methods or ())
    ]
    assert all(isinstance(route, Route) for route in found), "a mount or a web socket: extend this walk"
    return doors


def filled(path: str) -> str:
    """The path with ids of things that are not there."""
    return path.replace("{digest}", f"sha256:{'0' * 64}").replace("{key}", "job-1")


def test_the_routes_are_those_of_the_contract() -> None:
    assert sorted(routes()) == [
        ("DELETE", "/v1/profiles/{key}"),
        ("GET", "/metrics"),
        ("GET", "/v1/actual"),
        ("GET", "/v1/artefacts"),
        ("GET", "/v1/desired"),
        ("GET", "/v1/faults"),
        ("GET", "/v1/health"),
        ("GET", "/v1/inventory"),
        ("GET", "/v1/profiles"),
        ("GET", "/v1/profiles/{key}"),
        ("POST", "/v1/captures"),
        ("POST", "/v1/faults"),
        ("POST", "/v1/profiles"),
        ("PUT", "/v1/artefacts/{digest}"),
        ("PUT", "/v1/desired"),
    ]


NOBODYS = ("none", "viewer", "operator", "admin", "expired token")
"""Who shows no certificate, but what the console would take, or would have: nobody here, whatever it is."""


@pytest.mark.parametrize("who", [*NOBODYS, "other", "host"])
def test_every_route_refuses_and_audits_whoever_is_not_the_backend(standing_agent: AgentProcess, who: str) -> None:
    """No certificate, another host's, the agent's own: 403 everywhere, unknown addresses and methods included."""
    agent = standing_agent
    before, already = agent.metric("sextant_agent_refused_peers_total"), len(agent.log.read_text())
    known = [(method, filled(path)) for method, path in routes()]
    doors = [*known, ("GET", "/nowhere"), ("DELETE", "/v1/desired"), ("GET", "/docs"), ("GET", "/openapi.json")]
    body = order(1).model_dump_json()
    shown = None if who in NOBODYS else who
    sent = {} if shown or who == "none" else {"Authorization": f"Bearer sxt_of-{who}", "Cookie": "sextant_session=x"}
    for method, path in doors:
        answer = agent.request(method, path, shown=shown, headers=sent, content=body if method == "PUT" else None)
        assert (answer.status_code, answer.json()["type"]) == (403, REFUSED), (method, path)
    lines = [json.loads(line) for line in agent.log.read_text()[already:].splitlines() if '"audit"' in line]
    audited = {(line["method"], line["path"]) for line in lines if line["action"] == "peer.refused"}
    assert audited == set(doors)
    assert agent.get("/v1/desired").json()["generation"] == 0
    assert agent.metric("sextant_agent_refused_peers_total") == before + len(doors)


FORGED: dict[str, tuple[tuple[GeneralName, ...], str]] = {
    "two URIs": ((Uri(BACKEND[0]), Uri("urn:sextant:host:edge-2")), f"{BACKEND[0]}, urn:sextant:host:edge-2"),
    "the same URI twice": ((Uri(BACKEND[0]), Uri(BACKEND[0])), f"{BACKEND[0]}, {BACKEND[0]}"),
    "a name, no URI": ((DNSName("fleet.sextant"),), "no certificate"),
    "nothing at all": ((), "no certificate"),
    "another scheme": ((Uri("https://sextant/role/backend"), DNSName("fleet.sextant")), "https://sextant/role/backend"),
    "nearly the URI": ((Uri("URN:sextant:role:backend"), DNSName("fleet.sextant")), "URN:sextant:role:backend"),
}


@pytest.mark.parametrize("forged", FORGED)
def test_an_identity_is_exactly_one_uri(standing_agent: AgentProcess, forged: str) -> None:
    names, shown = FORGED[forged]
    standing_agent.authority.forge("forged", *names)
    answer = standing_agent.request("GET", "/v1/health", shown="forged")
    assert (answer.status_code, answer.json()["type"]) == (403, REFUSED)
    assert shown in answer.json()["detail"]


def test_a_dns_name_beside_the_uri_is_as_certificates_are_issued(standing_agent: AgentProcess) -> None:
    standing_agent.authority.forge("forged", Uri(BACKEND[0]), DNSName("fleet.sextant"))
    assert standing_agent.request("GET", "/v1/health", shown="forged").status_code == 200


def test_a_certificate_of_another_authority_gets_through_no_door(standing_agent: AgentProcess, tmp_path: Path) -> None:
    """At the handshake: no request is read, whatever it is. So was the authority revoked that is no longer trusted."""
    stranger = Authority(tmp_path / "stranger")
    stranger.issue("backend", BACKEND)
    cut_off_everywhere(standing_agent, "backend", stranger)


def test_an_expired_certificate_gets_through_no_door(standing_agent: AgentProcess) -> None:
    standing_agent.authority.issue("expired", BACKEND, life=timedelta(minutes=-5))
    cut_off_everywhere(standing_agent, "expired")


def cut_off_everywhere(agent: AgentProcess, shown: str, authority: Authority | None = None) -> None:
    for method, path in routes():
        with agent.client(shown, authority=authority) as client, pytest.raises(httpx.TransportError):
            client.request(method, filled(path), extensions={"sni_hostname": f"{HOST}.host.sextant"})


def test_the_client_refuses_an_agent_of_another_name(standing_agent: AgentProcess) -> None:
    with standing_agent.client() as client, pytest.raises(httpx.ConnectError, match="Hostname mismatch"):
        client.get("/v1/health", extensions={"sni_hostname": "edge-2.host.sextant"})


def test_tls_1_2_is_refused(standing_agent: AgentProcess) -> None:
    agent = standing_agent
    context = agent.authority.context("backend")
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    with httpx.Client(verify=context, base_url=agent.url, trust_env=False) as client, pytest.raises(httpx.ConnectError):
        client.get("/v1/health", extensions={"sni_hostname": f"{HOST}.host.sextant"})


def serial(agent: AgentProcess) -> str:
    name = {"sni_hostname": f"{HOST}.host.sextant"}
    with agent.client() as client, client.stream("GET", "/v1/health", extensions=name) as answer:
        answer.read()
        tls = answer.extensions["network_stream"].get_extra_info("ssl_object")
        return str(tls.getpeercert()["serialNumber"])


def test_a_renewed_certificate_is_used_without_a_restart(agent: AgentProcess, fleet: FleetListener) -> None:
    agent.start()
    wait_for("the agent registers", lambda: fleet.registered)
    pid, old = agent.process and agent.process.pid, serial(agent)
    agent.authority.issue("host", host_names(HOST))
    wait_for("the new certificate is shown", lambda: serial(agent) != old)
    wait_for("the agent registers again", lambda: len(fleet.registered) >= 2)
    assert agent.process and agent.process.pid == pid and agent.process.poll() is None
    sent = len(fleet.batches)
    wait_for("telemetry goes on", lambda: len(fleet.batches) > sent + 1)


def test_a_bad_renewal_is_reported_and_the_old_pair_stays(agent: AgentProcess) -> None:
    agent.start()
    old = serial(agent)
    certificate = agent.authority.folder / "host" / "host.crt"
    good = certificate.read_bytes()
    certificate.write_bytes((agent.authority.folder / "backend" / "backend.crt").read_bytes())

    def reported() -> bool:
        health = agent.get("/v1/health").json()
        return not health["ready"] and any("host.crt" in problem for problem in health["problems"])

    wait_for("it is reported", reported)
    assert serial(agent) == old
    certificate.write_bytes(good)
    wait_for("it is well again", lambda: agent.get("/v1/health").json()["ready"])


@pytest.fixture
def pki(authority: Authority) -> Path:
    return authority.folder / "host"


def test_credentials_know_when_they_end(pki: Path) -> None:
    import time

    assert 3500 < TlsCredentials(pki, HOST).not_after - time.time() < 3700, "issued for an hour"


def test_missing_files_are_named(pki: Path) -> None:
    (pki / "host.key").unlink()
    with pytest.raises(CertificateProblem, match=r"host\.key: No such file"):
        TlsCredentials(pki, HOST)


def test_another_hosts_certificate_is_refused_at_start(pki: Path, authority: Authority) -> None:
    for kind in ("crt", "key"):
        (pki / f"host.{kind}").write_bytes((authority.folder / "other" / f"other.{kind}").read_bytes())
    with pytest.raises(CertificateProblem, match="Hostname mismatch"):
        TlsCredentials(pki, HOST)


def test_a_certificate_without_the_identity_is_refused_at_start(pki: Path, authority: Authority) -> None:
    authority.issue("host", ("urn:sextant:role:nothing", f"{HOST}.host.sextant"))
    with pytest.raises(CertificateProblem, match=f"does not name urn:sextant:host:{HOST} alone"):
        TlsCredentials(pki, HOST)


def test_a_certificate_with_a_second_identity_is_refused_at_start(pki: Path, authority: Authority) -> None:
    uri, dns = host_names(HOST)
    authority.forge("host", Uri(uri), Uri("urn:sextant:role:backend"), DNSName(dns))
    with pytest.raises(CertificateProblem, match=f"does not name {uri} alone"):
        TlsCredentials(pki, HOST)


def test_a_certificate_of_another_authority_is_refused_at_start(pki: Path, tmp_path: Path) -> None:
    Authority(tmp_path / "stranger").issue("host", host_names(HOST), into=tmp_path / "mixed")
    (tmp_path / "mixed" / "ca.crt").write_bytes((pki / "ca.crt").read_bytes())
    with pytest.raises(CertificateProblem, match="issue one for"):
        TlsCredentials(tmp_path / "mixed", HOST)


def test_an_expired_certificate_is_refused_at_start(pki: Path, authority: Authority) -> None:
    authority.issue("host", host_names(HOST), life=timedelta(minutes=-5))
    with pytest.raises(CertificateProblem, match="expired"):
        TlsCredentials(pki, HOST)


def test_no_handshake_fails_while_the_pair_is_renewed(pki: Path, authority: Authority) -> None:
    """Handshakes in this thread, fifty renewals in another."""
    credentials = TlsCredentials(pki, HOST)
    ended = threading.Event()

    def renew() -> None:
        for _ in range(50):
            authority.issue("host", host_names(HOST))
            credentials.refresh()
        ended.set()

    renewing = threading.Thread(target=renew)
    renewing.start()
    shown = set()
    while not ended.is_set():
        shown.add(handshake(credentials.server, authority.context("backend")))
    renewing.join()
    assert len(shown) > 1


def test_after_a_new_authority_the_old_one_is_worth_nothing(pki: Path, authority: Authority, tmp_path: Path) -> None:
    credentials = TlsCredentials(pki, HOST)
    successor = Authority(tmp_path / "successor")
    successor.issue("host", host_names(HOST), into=pki)
    successor.issue("backend", BACKEND)
    (pki / "ca.crt").write_bytes(successor.ca.read_bytes())
    assert credentials.refresh()
    handshake(credentials.server, successor.context("backend"))
    stale = successor.context(None)  # believes the new authority, but shows a certificate of the old one
    stale.load_cert_chain(*(authority.folder / "backend" / f"backend.{kind}" for kind in ("crt", "key")))
    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(credentials.server, stale)


def handshake(server: ssl.SSLContext, client: ssl.SSLContext) -> str:
    """In memory; returns the serial number that the server showed."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    asking = client.wrap_bio(to_client, to_server, server_hostname=f"{HOST}.host.sextant")
    answering = server.wrap_bio(to_server, to_client, server_side=True)
    for side in (asking, answering, asking, answering):
        with suppress(ssl.SSLWantReadError):
            side.do_handshake()
    certificate = asking.getpeercert()
    assert certificate, "the handshake did not end"
    return str(certificate["serialNumber"])


def test_a_key_that_does_not_belong_leaves_the_live_contexts_alone(pki: Path, authority: Authority) -> None:
    credentials = TlsCredentials(pki, HOST)
    (pki / "host.key").write_bytes((authority.folder / "other" / "other.key").read_bytes())
    with pytest.raises(CertificateProblem):
        credentials.refresh()
    authority.issue("host", host_names(HOST))
    assert credentials.refresh()
    assert not credentials.refresh(), "nothing changed since"
    os.utime(pki / "host.crt")
    assert credentials.refresh()
