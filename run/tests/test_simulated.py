"""The simulated hosts beside this machine: who they are, when they enrol, and what goes on without a data plane."""

import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from sextant_backend.pki.authority import Authority, certificate_pem, key_pem, new_key
from sextant_domain.hosts.demo import DemoFleet
from sextant_domain.hosts.enrolment import EnrolmentRequest
from sextant_run import installation as installations
from sextant_run import supervisor_client
from sextant_run.commands import _of_hosts
from sextant_run.console_client import ConsoleError, call, good
from sextant_run.errors import RunError
from sextant_run.installation import Installation
from sextant_run.layout import DataLayout
from sextant_run.programs import programs
from sextant_run.settings import RunSettings
from sextant_run.setup.builds import why_no_dataplane
from sextant_run.setup.stamp import write
from sextant_run.simulated import __main__ as launcher
from sextant_run.simulated import chains, demo
from sextant_run.simulated.hosts import MACHINES, MOST_DEMO_HOSTS, beside, demonstration
from sextant_run.simulated.identity import has_ended, why_enrol
from sextant_run.supervisor_client import ProcessInfo
from sextant_twin import machines

NOW = datetime.now(UTC)


@pytest.mark.parametrize(("text", "count"), [("", 4), ("0", 0), ("3", 3)])
def test_how_many_there_are_is_a_choice(monkeypatch: pytest.MonkeyPatch, text: str, count: int) -> None:
    monkeypatch.setenv("SEXTANT_DEMO_HOSTS", text)
    assert RunSettings.of_environment().demo_hosts == count


@pytest.mark.parametrize(("name", "value"), [("SEXTANT_DEMO_HOSTS", "5"), ("SEXTANT_DATAPLANE", "no")])
def test_what_is_no_choice_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(RunError, match=f"{name}: '{value}'"):
        RunSettings.of_environment()


def test_the_names_are_those_that_a_token_for_the_pattern_gives() -> None:
    for group in (*map(beside, range(1, MOST_DEMO_HOSTS + 1)), *map(demonstration, (1, 9, 10, 1000))):
        assert EnrolmentRequest(host=group.pattern, count=group.count).names == group.names
    assert set(MACHINES) <= set(machines.names())
    assert beside(2).spec == "sim-1=xeon-e5-2650-v4,sim-2=xeon-e5-2650-v4"
    assert demonstration(20).spec == "demo-*:20=xeon-gold-6126"
    assert DemoFleet(hosts=20).names == demonstration(20).names
    assert (str(beside(1)), str(beside(4))) == ("sim-1", "4 hosts, sim-1 to sim-4")


# ---- certificates ----


@pytest.fixture
def authority() -> Authority:
    return Authority.make(NOW - timedelta(days=3))


def _identity(folder: Path, authority: Authority, issued: datetime, *host_ids: str) -> Path:
    """What enrolment leaves in `folder`; returns the authority's certificate as the installation has it."""
    (folder / "hosts").mkdir(parents=True)
    key = new_key()
    (folder / "host.key").write_bytes(key_pem(key))
    (folder / "ca.crt").write_bytes(certificate_pem(authority.certificate))
    urn, dns_name = "urn:sextant:gateway:gw-1", "gw-1.gateway.sextant"
    leaf = authority.issue(key.public_key(), urn=urn, dns_name=dns_name, now=issued)
    (folder / "gateway.crt").write_bytes(certificate_pem(leaf))
    for host_id in host_ids:
        (folder / "hosts" / f"{host_id}.crt").write_bytes(b"present")
    own = folder.parent / "ca.crt"
    own.write_bytes((folder / "ca.crt").read_bytes())
    return own


def test_certificates_that_can_be_used_are_used(tmp_path: Path, authority: Authority) -> None:
    folder = tmp_path / "simulated"
    own = _identity(folder, authority, NOW, "sim-1", "sim-2")
    assert why_enrol(folder, own, ("sim-1", "sim-2")) is None
    assert not has_ended(folder)
    assert why_enrol(folder, own, ("sim-1", "sim-2", "sim-3")) == "there is no certificate of sim-3"
    (folder / "host.key").unlink()
    assert why_enrol(folder, own, ("sim-1",)) == "their key is missing"


def test_without_certificates_they_enrol(tmp_path: Path) -> None:
    assert why_enrol(tmp_path, tmp_path / "ca.crt", ("sim-1",)) == "they have no certificates yet"
    assert not has_ended(tmp_path), "there is nothing to be ended"


def test_after_a_day_without_renewal_they_enrol_anew(tmp_path: Path, authority: Authority) -> None:
    own = _identity(tmp_path / "simulated", authority, NOW - timedelta(hours=25), "sim-1")
    assert has_ended(tmp_path / "simulated")  # 24 h of life, 25 h ago
    assert "expired on" in (why_enrol(tmp_path / "simulated", own, ("sim-1",)) or "")


def test_after_the_authority_was_made_anew_they_enrol_anew(tmp_path: Path, authority: Authority) -> None:
    own = _identity(tmp_path / "simulated", authority, NOW, "sim-1")
    own.write_bytes(certificate_pem(Authority.make(NOW).certificate))
    assert why_enrol(tmp_path / "simulated", own, ("sim-1",)) == "the certificate authority is new"


# ---- the console ----


@pytest.fixture
def console(layout: DataLayout) -> Iterator[dict[str, tuple[int, Any]]]:
    """Answers by path, and is what `cli.json` names."""
    answers: dict[str, tuple[int, Any]] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known = self.headers["Authorization"] == "Bearer sxt_1"
            status, body = answers.get(self.path, (404, {"detail": "none"})) if known else (401, {"detail": "who?"})
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    layout.cli_file.write_text(json.dumps({"url": url, "token": "sxt_1"}))
    yield answers
    server.shutdown()
    server.server_close()


def test_a_refusal_says_why_and_silence_says_so(layout: DataLayout, console: dict[str, tuple[int, Any]]) -> None:
    console["/api/v1/hosts/sim-1"] = 200, {"status": "up"}
    assert good(call(layout, "GET", "/hosts/sim-1")) == {"status": "up"}
    with pytest.raises(ConsoleError, match=r"refused \(404\): none"):
        good(call(layout, "GET", "/hosts/sim-2"))
    layout.cli_file.write_text(json.dumps({"url": "http://127.0.0.1:1", "token": "sxt_1"}))
    with pytest.raises(ConsoleError, match="does not answer"):
        call(layout, "GET", "/hosts/sim-1")


def test_they_enrol_anew_where_the_console_forgot_all_of_them(
    layout: DataLayout, installation: Installation, console: dict[str, tuple[int, Any]], authority: Authority
) -> None:
    """A database made again knows none; of two hosts that were enrolled, one that an operator removed stays away."""
    folder = layout.pki / "simulated"
    _identity(folder, authority, NOW, "sim-1", "sim-2")
    assert launcher._why_enrol(layout, folder, beside(2)) == "the console knows none of them"
    console["/api/v1/hosts/sim-2"] = 200, {"status": "unreachable"}
    assert launcher._why_enrol(layout, folder, beside(2)) is None


def test_the_process_of_a_group_is_set_by_its_environment(layout: DataLayout, installation: Installation) -> None:
    present = installation.model_copy(update={"demo_hosts": 4, "simulated_port": 4})
    group, listen = launcher._group(layout, present, "simulated")
    found = launcher._settings(layout, present, "simulated", group, listen)
    assert found["SEXTANT_AGENT_HOSTS"].endswith("sim-4=epyc-7301-1p")
    assert (found["SEXTANT_AGENT_LISTEN"], found["SEXTANT_AGENT_URL"]) == ("127.0.0.1:4", "https://127.0.0.1:4")
    assert found["SEXTANT_AGENT_PKI_DIR"] == str(layout.pki / "simulated")


# ---- the demonstration fleet ----


class _Supervisor:
    """Records what it is asked to do, and does it at once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.state, self.reported = "STOPPED", list[str]()
        monkeypatch.setattr(supervisor_client, "processes", lambda _: [self._process()])
        monkeypatch.setattr(supervisor_client, "start_again", lambda *_: self._turn("RUNNING"))
        monkeypatch.setattr(supervisor_client, "stop", lambda *_: self._turn("STOPPED"))

    def _process(self) -> ProcessInfo:
        return ProcessInfo(name="demo", group="demo", state=self.state, pid=0, detail="", up_s=0)

    def _turn(self, state: str) -> None:
        self.state = state
        self.reported.append(state)


def test_its_process_runs_while_it_is_wanted_at_the_size_that_is_wanted(
    layout: DataLayout, console: dict[str, tuple[int, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    supervisor = _Supervisor(monkeypatch)

    def follow(hosts: int) -> list[str]:
        console["/api/v1/demo"] = 200, {"hosts": hosts}
        supervisor.reported.clear()
        demo.follow(layout)
        return list(supervisor.reported)

    assert follow(0) == []
    assert follow(20) == ["RUNNING"]
    assert follow(20) == []
    (layout.pki / "demo").mkdir()
    assert (follow(30), follow(30)) == (["STOPPED"], ["RUNNING"])
    assert follow(0) == ["STOPPED"]
    assert not layout.demo.exists() and not (layout.pki / "demo").exists(), "nothing of it stays"
    assert follow(0) == []


# ---- processes ----


def _names(layout: DataLayout, present: Installation) -> set[str]:
    return {one.name for one in programs(layout, present)}


def test_they_are_one_process_or_none(layout: DataLayout, installation: Installation) -> None:
    assert "simulated" not in _names(layout, installation)
    four = installation.model_copy(update={"demo_hosts": 4, "simulated_port": 4})
    found = next(one for one in programs(layout, four) if one.name == "simulated")
    assert found.address == "https://127.0.0.1:4 (4 hosts, sim-1 to sim-4)"


def test_the_first_chains_are_submitted_once_to_a_database(layout: DataLayout, installation: Installation) -> None:
    four = installation.model_copy(update={"demo_hosts": 4})
    assert "demo-chains" in _names(layout, four)
    write(chains._stamp(layout), chains._value(four))
    assert "demo-chains" not in _names(layout, four)
    other = four.model_copy(update={"database_url": "postgresql+psycopg://y@/y"})
    assert "demo-chains" in _names(layout, other), "another database has none of them"


def test_a_chain_that_is_there_is_left_alone(
    layout: DataLayout,
    installation: Installation,
    console: dict[str, tuple[int, Any]],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """The console below answers no POST: a submission would fail."""
    monkeypatch.setenv("SEXTANT_DATA_DIR", str(layout.data))
    installations.save(layout, installation.model_copy(update={"demo_hosts": 1}))
    console["/api/v1/hosts/sim-1"] = 200, {"status": "up", "inventory": {"cores": []}}
    for file in (layout.root / "examples" / "chains" / "demo").glob("*.yaml"):
        console[f"/api/v1/chains/{file.stem}"] = 200, {"state": "submitted"}
    chains.main()
    assert "the first chains run" in capfd.readouterr().err
    assert chains.are_submitted(layout, installation)


# ---- without a data plane ----


def test_without_a_data_plane_only_the_simulated_hosts_are_left(layout: DataLayout, installation: Installation) -> None:
    present = installation.model_copy(update={"demo_hosts": 4, "no_dataplane": "libdpdk-dev missing"})
    left = _names(layout, present)
    assert _of_hosts(present).endswith(f"\n  Packets   none on {present.host_id} itself: libdpdk-dev missing\n")
    assert not {"agent", "helper"} & left
    assert {"console", "fleet", "simulated", "keeper"} <= left


def test_why_there_is_no_data_plane_names_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand-ins for the tools: a pkg-config that knows all but DPDK."""
    for name, text in {"gcc": "exit 0", "meson": "", "ninja": "", "pkg-config": '[ "$2" != libdpdk ]'}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert why_no_dataplane(wanted=True) == "libdpdk-dev missing; next: apt-get install libdpdk-dev, then make up"
    assert why_no_dataplane(wanted=False) == "SEXTANT_DATAPLANE=0"
    (tmp_path / "pkg-config").write_text("#!/bin/sh\nexit 0\n")
    assert why_no_dataplane(wanted=True) is None
    (tmp_path / "ninja").unlink()
    assert (why_no_dataplane(wanted=True) or "").startswith("ninja-build missing")
