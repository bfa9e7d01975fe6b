"""Hosts of measured packets on this machine: what is set up for them, once, and that nothing of it stays."""

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sextant_run import lab_hosts
from sextant_run.errors import RunError
from sextant_run.installation import Installation
from sextant_run.layout import DataLayout
from sextant_run.programs import programs
from sextant_run.settings import RunSettings
from sextant_run.setup import builds


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


@pytest.fixture
def four(layout: DataLayout, installation: Installation) -> Iterator[Installation]:
    present = with_hosts(installation, 4)
    yield present
    lab_hosts.remove(layout, present)


def files(layout: DataLayout, present: Installation) -> list[dict[str, Any]]:
    """Of the agents."""
    return [tomllib.loads(lab_hosts.agent_file(layout, one).read_text()) for one in lab_hosts.lab_hosts(present)]


def inside(present: Installation, number: int, *command: str) -> str:
    namespace = lab_hosts.lab_hosts(present)[number - 1].namespace
    words = ("ip", "netns", "exec", namespace, *command)
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


@needs_namespaces
def test_two_hosts_are_neighbours_that_know_each_other(layout: DataLayout, two: Installation) -> None:
    lab_hosts.prepare(layout, two)
    hosts = lab_hosts.lab_hosts(two)
    assert {host.namespace for host in hosts} <= {line.split()[0] for line in namespaces().splitlines()}
    first, second = files(layout, two)
    assert (first["locator"], second["locator"]) == ("fc00:0:1::/48", "fc00:0:2::/48")
    assert first["sources"] == ["fc00:0:2::"]
    (there,), (back,) = first["link"], second["link"]
    assert (there["port"], there["to"]) == ("lab-2", ["fc00:0:2::/48"])
    assert (back["port"], back["to"]) == ("lab-1", ["fc00:0:1::/48"])
    assert there["mac"] != back["mac"]
    lab_hosts.prepare(layout, two)
    assert files(layout, two)[0] == first, "what is there stays"


@needs_namespaces
def test_four_hosts_are_a_diamond_whose_ends_are_reached_over_a_neighbour(
    layout: DataLayout, four: Installation
) -> None:
    """lab-1 has links to lab-2 and lab-3, and so has lab-4: what goes from end to end goes over lab-2, whose link is
    the first in the file, and over lab-3 where that is cut. From lab-2 to lab-3 it goes over lab-1, else over lab-4;
    from lab-1 to lab-2 by nothing else, since lab-3 would send it back."""
    lab_hosts.prepare(layout, four)
    ways = [[(link["port"], link["to"]) for link in file["link"]] for file in files(layout, four)]
    prefix = {number: f"fc00:0:{number}::/48" for number in range(1, 5)}
    assert ways[0] == [("lab-2", [prefix[2], prefix[4]]), ("lab-3", [prefix[3]]), ("lab-3", [prefix[4]])]
    assert ways[1] == [("lab-1", [prefix[1], prefix[3]]), ("lab-4", [prefix[4]]), ("lab-4", [prefix[3]])]
    assert ways[3][:2] == [("lab-2", [prefix[2], prefix[1]]), ("lab-3", [prefix[3]])]
    assert ways[3][2:] == [("lab-3", [prefix[1], prefix[2]]), ("lab-2", [prefix[3]])]


@needs_namespaces
def test_the_kernel_of_a_host_between_passes_on_what_is_for_others(layout: DataLayout, four: Installation) -> None:
    """A packet of lab-1 for an address of lab-4 comes there over lab-2."""
    lab_hosts.prepare(layout, four)
    for number in (1, 4):
        inside(four, number, "ip", "-6", "address", "add", f"fc00:0:{number}::1/128", "dev", "lab-2", "nodad")
    receiver = "import socket; s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM); s.settimeout(10); "
    receiver += "s.bind(('fc00:0:4::1', 5300)); print('ready', flush=True); print(s.recvfrom(64))"
    namespace = lab_hosts.lab_hosts(four)[3].namespace
    command = ["ip", "netns", "exec", namespace, sys.executable, "-c", receiver]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as listening:
        assert listening.stdout is not None and listening.stdout.readline() == "ready\n"
        sender = "import socket; s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM); s.bind(('fc00:0:1::1', 0)); "
        inside(four, 1, sys.executable, "-c", sender + "s.sendto(b'over lab-2', ('fc00:0:4::1', 5300))")
        assert "over lab-2" in listening.stdout.read()


@needs_namespaces
def test_links_carry_no_more_than_the_file_says(layout: DataLayout, four: Installation, tmp_path: Path) -> None:
    file = tmp_path / "lab.toml"
    file.write_text("hosts = 2\n[[link]]\nbetween = [1, 2]\nmbit = 20\n")
    pair = with_hosts(four, 2).model_copy(update={"lab_topology": str(file)})
    if remarks := lab_hosts.prepare(layout, pair):
        assert remarks == ["links between lab hosts have no rates: this kernel lacks sch_tbf"]
        pytest.skip(remarks[0])
    for number, port in ((1, "lab-2"), (2, "lab-1")):
        shown = inside(pair, number, "tc", "qdisc", "show", "dev", port)
        assert "tbf" in shown and "rate 20Mbit" in shown
    file.write_text("hosts = 2\n[[link]]\nbetween = [1, 2]\n")
    assert lab_hosts.prepare(layout, pair) == []
    assert "tbf" not in inside(pair, 1, "tc", "qdisc", "show", "dev", "lab-2"), "it has no limit any more"


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


@needs_namespaces
def test_namespaces_of_others_stay(layout: DataLayout, two: Installation) -> None:
    """Those of an installation whose id is another, and those whose names only begin like ours, or end so."""
    lab_hosts.prepare(layout, two)
    ours = lab_hosts.lab_hosts(two)[0].namespace
    begin = ours.removesuffix("1")
    others = {
        f"{begin}1b",
        f"{begin}1-mine",
        f"{begin}01",
        f"{begin}²",
        begin,
        f"x{ours}",
        f"sextant-{os.getpid():08d}-lab-1",
    }
    for name in others:
        subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        assert lab_hosts.remove(layout, two) == []
        left = {line.split()[0] for line in namespaces().splitlines()}
        assert others <= left and ours not in left
    finally:
        for name in others:  # one that was taken for ours is gone already
            subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)


def test_each_host_has_a_daemon_and_an_agent(layout: DataLayout, two: Installation) -> None:
    found = {program.name: program for program in programs(layout, two)}
    assert {"srv6-lab-1", "agent-lab-1", "srv6-lab-2", "agent-lab-2"} <= found.keys()
    agent = found["agent-lab-2"].environment
    helper = found["helper-lab-2"]
    assert agent["SEXTANT_AGENT_HELPER_SOCKET"] == helper.address
    assert "--cpu-percent" not in helper.command
    budgeted = two.model_copy(update={"lab_cpu_percent": 50.0})
    found = {program.name: program for program in programs(layout, budgeted)}
    assert found["helper-lab-2"].command[-2:] == ("--cpu-percent", "50")
    assert (agent["SEXTANT_AGENT_DRIVER"], agent["SEXTANT_AGENT_LISTEN"]) == ("srv6", "127.0.0.1:5")
    assert found["srv6-lab-2"].command[-2:] == ("--netns", f"/run/netns/sextant-{os.getpid():08x}-lab-2")
    assert not {"srv6-lab-1", "agent-lab-1"} & {one.name for one in programs(layout, with_hosts(two, 0))}


def test_hosts_that_are_not_started_again_are_named(installation: Installation) -> None:
    four, one = with_hosts(installation, 4), with_hosts(installation, 1)
    assert lab_hosts.no_more(four, one) == ("lab-2", "lab-3", "lab-4")
    assert lab_hosts.no_more(one, four) == lab_hosts.no_more(four, four) == lab_hosts.no_more(None, four) == ()


@pytest.mark.parametrize("text", ["5", "-1", "two", "1.0"])
def test_a_wrong_number_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("SEXTANT_LAB_HOSTS", text)
    with pytest.raises(RunError, match=f"SEXTANT_LAB_HOSTS: '{text}' is not a number from 0 to 4"):
        RunSettings.of_environment()


def settings(monkeypatch: pytest.MonkeyPatch, said: str, **others: str) -> RunSettings:
    for name, value in {"SEXTANT_LAB_HOSTS": said, **others}.items():
        monkeypatch.setenv(name, value)
    return RunSettings.of_environment()


def test_those_that_were_asked_for_are_refused_without_root_and_otherwise_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(RunError, match="need root") as refused:
        lab_hosts.settled(settings(monkeypatch, "2"))
    assert refused.value.next_step == "make up SEXTANT_LAB_HOSTS=0"
    found = lab_hosts.settled(settings(monkeypatch, ""))
    assert (found.lab_hosts, found.no_lab) == (0, "namespaces and programs in the kernel need root")


def test_root_is_told_which_packages_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(builds, "missing_for_srv6", lambda: ["clang", "libbpf-dev"])
    why = lab_hosts.settled(settings(monkeypatch, "")).no_lab
    assert why == "clang, libbpf-dev missing; next: apt-get install clang libbpf-dev, then make up"


@needs_namespaces
def test_where_nobody_says_how_many_there_are_all_of_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As many as were asked for else; none where packets are not wanted."""
    monkeypatch.setattr(builds, "missing_for_srv6", list)
    file = tmp_path / "lab.toml"
    file.write_text("hosts = 2\n[[link]]\nbetween = [1, 2]\n")
    counts = {said: lab_hosts.settled(settings(monkeypatch, said)).lab_hosts for said in ("", "3", "0")}
    assert counts == {"": 4, "3": 3, "0": 0}
    assert lab_hosts.settled(settings(monkeypatch, "", SEXTANT_LAB_TOPOLOGY=str(file))).lab_hosts == 2
    assert lab_hosts.settled(settings(monkeypatch, "", SEXTANT_DATAPLANE="0")).lab_hosts == 0
    assert lab_hosts.settled(settings(monkeypatch, "2", SEXTANT_DATAPLANE="0")).lab_hosts == 2


@needs_namespaces
def test_a_kernel_that_refuses_namespaces_is_quoted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(builds, "missing_for_srv6", list)
    refusing = tmp_path / "unshare"
    refusing.write_text("#!/bin/sh\necho 'unshare failed: Operation not permitted' >&2\nexit 1\n")
    refusing.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    why = lab_hosts.settled(settings(monkeypatch, "")).no_lab
    assert why is not None and "no namespaces with programs of their own here" in why
    assert why.endswith("unshare failed: Operation not permitted")
