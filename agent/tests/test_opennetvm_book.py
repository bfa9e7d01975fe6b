"""Books that an agent of an OpenNetVM host finds and does not understand: what runs carries packets meanwhile."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from sextant_agent.agent import Agent
from sextant_agent.contract.errors import DataPlaneDown
from sextant_agent.drivers.opennetvm.book import FORMAT
from sextant_agent.drivers.opennetvm.opening import OpenNetVm
from sextant_agent.identity.tls import Credentials
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
def book(host: DoubleHost) -> Path:
    return host.state / "opennetvm" / "book.json"


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


def test_a_book_with_more_in_it_is_read(host: DoubleHost, book: Path) -> None:
    """A newer agent wrote it, and an older one was put back: all that the older one knows is there."""
    pages = json.loads(book.read_text())
    assert pages["format"] == FORMAT
    pages["colour"] = "green"
    pages["chains"]["web"]["nfs"][0]["mood"] = "calm"
    book.write_text(json.dumps(pages))
    there = pids(host)
    driver = host.behind_its_book()
    assert {found.state for found in driver.sample().nfs.values()} == {NfState.RUNNING}
    assert (driver.apply(web()).done, pids(host)) == ((), there)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"epoch": "x", "chains": {"web": ', "is damaged: Invalid JSON"),
        ("", "is damaged: Invalid JSON"),
        ('{"epoch": "x", "chains": {"web": 1}}', "is damaged: chains.web: Input should be"),
        ('{"format": 99, "epoch": "x"}', "has the format 99 of a newer agent, and this one knows up to 1"),
    ],
)
def test_what_runs_is_not_touched_until_somebody_gives_it_up(host: DoubleHost, book: Path, text: str, why: str) -> None:
    book.write_text(text)
    there = pids(host)
    driver = host.behind_its_book()
    told = refusal(driver)
    assert why in told and all(str(pid) in told for pid in there)
    assert driver.inventory().host.ports, "the host stays known"
    assert (pids(host), book.read_text()) == (there, text)
    assert carries(host)
    for running in host.processes():
        kill(running)
    assert driver.sample().chains == {}
    assert book.with_suffix(".damaged").read_text() == text
    assert not driver.apply(web()).failures
    assert {found.state for found in driver.sample().nfs.values()} == {NfState.RUNNING}


def test_a_damaged_book_that_is_put_back_is_gone_on_with(host: DoubleHost, book: Path) -> None:
    whole, there = book.read_text(), pids(host)
    book.write_text(whole[:100])
    driver = host.behind_its_book()
    refusal(driver)
    book.write_text(whole)
    assert (driver.apply(web()).done, pids(host)) == ((), there)


def test_a_book_that_cannot_be_read_now_is_read_later(host: DoubleHost, book: Path) -> None:
    """Here a folder is in its place."""
    there, whole = pids(host), book.rename(book.with_name("whole"))
    book.mkdir()
    driver = host.behind_its_book()
    assert "book.json cannot be read: Is a directory" in refusal(driver)
    assert (pids(host), book.is_dir()) == (there, True)
    book.rmdir()
    whole.rename(book)
    assert (driver.apply(web()).done, pids(host)) == ((), there)


def test_the_hosts_state_says_so_and_goes_on_by_itself(host: DoubleHost, book: Path, authority: Authority) -> None:
    """A whole agent over it: it starts, and is blocked; it needs no restart once nothing runs."""
    book.write_text("{")
    there = pids(host)
    pki = authority.folder / "host"
    settings = AgentSettings(driver="opennetvm", host_id=HOST, state_dir=host.state, pki_dir=pki)
    agent = Agent(settings, host.behind_its_book(), Credentials(pki, HOST), "https://127.0.0.1:9443")
    agent.start()
    try:
        agent.accept(order(1, *web().chains))
        wait_for("it is blocked", lambda: agent.actual().phase is Phase.BLOCKED)
        assert "book.json is damaged" in agent.actual().detail and "go on untouched" in agent.actual().detail
        assert any("book.json is damaged" in problem for problem in agent.health().problems)
        assert pids(host) == there
        for running in host.processes():
            kill(running)
        wait_for("it runs as ordered", lambda: agent.actual().phase is Phase.CONVERGED)
        assert [found.state for found in agent.actual().nfs] == [NfState.RUNNING]
    finally:
        agent.stop()
