"""Registries that an agent of an OpenNetVM host finds and does not understand: what runs carries packets meanwhile."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from sextant_agent.agent import HostAgent
from sextant_agent.contract.errors import DataPlaneDown
from sextant_agent.drivers.opennetvm.opening import OpenNetVm
from sextant_agent.drivers.opennetvm.process_registry import FORMAT, registry_path
from sextant_agent.identity.tls import TlsCredentials
from sextant_agent.settings import AgentSettings
from sextant_domain.hosts.desired import HostContent, NfState, Phase

from .opennetvm_host import FIRST, DoubleHost, double_host, kill, manager
from .orders import HOST, chain, content, nf, order
from .pki import Authority
from .waiting import wait_for

pytestmark = pytest.mark.fault


@pytest.fixture
def host(tmp_path: Path) -> Iterator[DoubleHost]:
    """With a chain that runs, and no agent any more."""
    with double_host(tmp_path, manager("west", [FIRST])) as host:
        assert not host.driver().apply(web()).failures
        yield host


@pytest.fixture
def registry(host: DoubleHost) -> Path:
    return host.state / "opennetvm" / "process_registry.json"


def web() -> HostContent:
    return content(chain("web", nf("web", "router", core=FIRST)))


def pids(host: DoubleHost) -> list[int]:
    return sorted(running.pid for running in host.processes())


def refusal(driver: OpenNetVm) -> str:
    """Of samples and orders alike; permanent, so that the host's state calls for somebody."""
    with pytest.raises(DataPlaneDown) as sampled:
        driver.sample()
    with pytest.raises(DataPlaneDown) as applied:
        driver.apply(web())
    assert (str(applied.value), applied.value.permanent) == (str(sampled.value), True)
    return str(sampled.value)


def carries(host: DoubleHost) -> bool:
    """By the manager's own word."""
    before = sum(each.rx for each in host.figures().values())
    return wait_for("packets", lambda: sum(each.rx for each in host.figures().values()) > before)


def test_a_registry_with_more_in_it_is_read(host: DoubleHost, registry: Path) -> None:
    """A newer agent wrote it, and an older one was put back: all that the older one knows is there."""
    pages = json.loads(registry.read_text())
    assert pages["format"] == FORMAT
    pages["colour"] = "green"
    pages["chains"]["web"]["nfs"][0]["mood"] = "calm"
    registry.write_text(json.dumps(pages))
    there = pids(host)
    driver = host.behind_its_registry()
    assert {found.state for found in driver.sample().nfs.values()} == {NfState.RUNNING}
    assert (driver.apply(web()).done, pids(host)) == ((), there)


def test_an_upgraded_agent_adopts_what_is_in_the_file_of_the_former_name(host: DoubleHost, registry: Path) -> None:
    """Up to 0.1.0 it was book.json. The doctor finds it before the agent has started, and the agent renames it."""
    former, there = registry.rename(registry.with_name("book.json")), pids(host)
    assert registry_path(registry.parent) == former
    driver = host.behind_its_registry()
    assert (driver.apply(web()).done, pids(host)) == ((), there)
    assert (registry.is_file(), former.exists()) == (True, False)


def test_after_a_downgrade_the_file_written_last_counts(tmp_path: Path) -> None:
    for number, name in enumerate(("process_registry.json", "book.json", "process_registry.json"), 1):
        path = tmp_path / name
        path.write_text("{}")
        os.utime(path, ns=(number, number))
        assert registry_path(tmp_path) == path
    (tmp_path / "process_registry.json").unlink()
    assert registry_path(tmp_path).name == "book.json"
    assert registry_path(tmp_path / "nowhere").name == "process_registry.json"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"epoch": "x", "chains": {"web": ', "is damaged: Invalid JSON"),
        ("", "is damaged: Invalid JSON"),
        ('{"epoch": "x", "chains": {"web": 1}}', "is damaged: chains.web: Input should be"),
        ('{"format": 99, "epoch": "x"}', "has the format 99 of a newer agent, and this one knows up to 1"),
    ],
)
def test_what_runs_is_not_touched_until_somebody_gives_it_up(
    host: DoubleHost, registry: Path, text: str, why: str
) -> None:
    registry.write_text(text)
    there = pids(host)
    driver = host.behind_its_registry()
    reported = refusal(driver)
    assert why in reported and all(str(pid) in reported for pid in there)
    assert driver.inventory().host.ports, "the host stays known"
    assert (pids(host), registry.read_text()) == (there, text)
    assert carries(host)
    for running in host.processes():
        kill(running)
    assert driver.sample().chains == {}
    assert registry.with_suffix(".damaged").read_text() == text
    assert not driver.apply(web()).failures
    assert {found.state for found in driver.sample().nfs.values()} == {NfState.RUNNING}


def test_a_damaged_registry_that_is_put_back_is_gone_on_with(host: DoubleHost, registry: Path) -> None:
    whole, there = registry.read_text(), pids(host)
    registry.write_text(whole[:100])
    driver = host.behind_its_registry()
    refusal(driver)
    registry.write_text(whole)
    assert (driver.apply(web()).done, pids(host)) == ((), there)


def test_a_registry_that_cannot_be_read_now_is_read_later(host: DoubleHost, registry: Path) -> None:
    """Here a folder is in its place."""
    there, whole = pids(host), registry.rename(registry.with_name("whole"))
    registry.mkdir()
    driver = host.behind_its_registry()
    assert "process_registry.json cannot be read: Is a directory" in refusal(driver)
    assert (pids(host), registry.is_dir()) == (there, True)
    registry.rmdir()
    whole.rename(registry)
    assert (driver.apply(web()).done, pids(host)) == ((), there)


def test_the_hosts_state_says_so_and_goes_on_by_itself(host: DoubleHost, registry: Path, authority: Authority) -> None:
    """A whole agent over it: it starts, and is blocked; it needs no restart once nothing runs."""
    registry.write_text("{")
    there = pids(host)
    pki = authority.folder / "host"
    settings = AgentSettings(driver="opennetvm", host_id=HOST, state_dir=host.state, pki_dir=pki)
    agent = HostAgent(settings, host.behind_its_registry(), TlsCredentials(pki, HOST), "https://127.0.0.1:9443")
    agent.start()
    try:
        agent.accept(order(1, *web().chains))
        wait_for("it is blocked", lambda: agent.actual().phase is Phase.BLOCKED)
        assert "process_registry.json is damaged" in agent.actual().detail and "keep running" in agent.actual().detail
        assert any("process_registry.json is damaged" in problem for problem in agent.health().problems)
        assert pids(host) == there
        for running in host.processes():
            kill(running)
        wait_for("it runs as ordered", lambda: agent.actual().phase is Phase.CONVERGED)
        assert [found.state for found in agent.actual().nfs] == [NfState.RUNNING]
    finally:
        agent.stop()
