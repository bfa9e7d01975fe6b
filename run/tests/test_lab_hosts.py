"""Hosts of measured packets on this machine: what is set up for them, once, and that nothing of it stays."""

import os
import subprocess
import tomllib
from collections.abc import Iterator

import pytest
from sextant_run import lab_hosts
from sextant_run.errors import RunError
from sextant_run.installation import Installation
from sextant_run.layout import DataLayout
from sextant_run.programs import programs
from sextant_run.settings import RunSettings


def why_not() -> str | None:
    if os.geteuid() != 0:
        return "namespaces need root"
    tried = subprocess.run(["unshare", "-n", "true"], capture_output=True, check=False)
    return None if tried.returncode == 0 else "no network namespace can be made here"


needs_namespaces = pytest.mark.skipif((reason := why_not()) is not None, reason=f"not here: {reason}")


def with_hosts(present: Installation, count: int) -> Installation:
    return present.model_copy(update={"id": f"{os.getpid():08x}test", "lab_ports": tuple(range(4, 4 + count))})


@pytest.fixture
def two(layout: DataLayout, installation: Installation) -> Iterator[Installation]:
    present = with_hosts(installation, 2)
    yield present
    lab_hosts.remove(layout, present)


def namespaces() -> str:
    return subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout


@needs_namespaces
def test_two_hosts_are_neighbours_that_know_each_other(layout: DataLayout, two: Installation) -> None:
    lab_hosts.prepare(layout, two)
    hosts = lab_hosts.lab_hosts(two)
    assert {host.namespace for host in hosts} <= {line.split()[0] for line in namespaces().splitlines()}
    first, second = (tomllib.loads(lab_hosts.agent_file(layout, host).read_text()) for host in hosts)
    assert (first["locator"], second["locator"]) == ("fc00:0:1::/48", "fc00:0:2::/48")
    assert first["sources"] == ["fc00:0:2::"]
    (right,), (left,) = first["link"], second["link"]
    assert (right["port"], right["to"]) == ("right", ["fc00:0:2::/48"])
    assert (left["port"], left["to"]) == ("left", ["fc00:0:1::/48"])
    assert right["mac"] != left["mac"]
    lab_hosts.prepare(layout, two)
    assert tomllib.loads(lab_hosts.agent_file(layout, hosts[0]).read_text()) == first, "what is there stays"


@needs_namespaces
def test_nothing_stays(layout: DataLayout, two: Installation) -> None:
    lab_hosts.prepare(layout, two)
    assert layout.lab_pins.is_mount()
    assert lab_hosts.remove(layout, two) == []
    assert not layout.lab_pins.is_mount()
    assert two.id[:8] not in namespaces()
    assert lab_hosts.remove(layout, two) == [], "and again"


@needs_namespaces
def test_nothing_stays_of_hosts_that_an_earlier_start_had(layout: DataLayout, two: Installation) -> None:
    lab_hosts.prepare(layout, two)
    assert lab_hosts.remove(layout, with_hosts(two, 0)) == []
    assert two.id[:8] not in namespaces()


def test_each_host_has_a_daemon_and_an_agent(layout: DataLayout, two: Installation) -> None:
    found = {program.name: program for program in programs(layout, two)}
    assert {"srv6-lab-1", "agent-lab-1", "srv6-lab-2", "agent-lab-2"} <= found.keys()
    agent = found["agent-lab-2"].environment
    assert (agent["SEXTANT_AGENT_DRIVER"], agent["SEXTANT_AGENT_LISTEN"]) == ("srv6", "127.0.0.1:5")
    assert found["srv6-lab-2"].command[-2:] == ("--netns", f"/run/netns/sextant-{os.getpid():08x}-lab-2")
    assert not {"srv6-lab-1", "agent-lab-1"} & {one.name for one in programs(layout, with_hosts(two, 0))}


@pytest.mark.parametrize("text", ["3", "-1", "two", "1.0"])
def test_a_wrong_number_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("SEXTANT_LAB_HOSTS", text)
    with pytest.raises(RunError, match=f"SEXTANT_LAB_HOSTS: '{text}' is not a number from 0 to 2"):
        RunSettings.of_environment()


def test_without_root_there_can_be_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(RunError, match="need root"):
        lab_hosts.check_possible()
