"""A second daemon of a host is refused with the reason, whichever way it comes, and the first one's packets go on."""

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from .hosts import DEVICES, Chain, Host, Hosts, hosts, wait_for
from .load import Load

PPS = 1000


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    with hosts(tmp_path_factory.mktemp("second")) as made:
        yield made


@pytest.fixture(scope="module")
def chain(pair: Hosts) -> Chain:
    return Chain(pair)


def beside(first: Host, *, socket: str | None = None, pins: str | None = None, name: str | None = None) -> Host:
    """Another daemon in the first one's namespace; what is not named is the first one's."""
    second = Host(first.log.parent, first.pins.parent, first.name, first.namespace)
    second.name = name or first.name
    second.pins = first.pins if pins is None else first.pins.with_name(pins)
    second.socket = first.socket if socket is None else first.socket.with_name(socket)
    second.log = first.log.with_name("second.log")
    return second


def ended(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 1, done.stderr
    return done.stderr


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({}, "another daemon listens on"),
        ({"socket": "second.sock"}, "another daemon works on"),
        ({"socket": "second.sock", "pins": "second"}, "is a daemon of host1 in this network namespace already"),
    ],
    ids=["same-socket", "same-pins", "other-pins"],
)
def test_it_ends_at_once_and_changes_nothing(chain: Chain, pair: Hosts, other: dict[str, str], reason: str) -> None:
    first = pair.all[0]
    assert first.process is not None
    second = beside(first, **other)
    links = first.inside("ip", "-o", "link", "show")
    with Load(chain.source, chain.sink, PPS) as load:
        said = ended(second.command("--socket", str(second.socket)))
        cleaning = ended(second.command("--clean"))
    assert reason in said, said
    assert "another daemon works on" in cleaning or "is a daemon of host1" in cleaning
    if "pins" in other:
        assert f"process {first.process.pid} " in said
    assert load.sent > 0 and load.got == list(range(load.sent))
    assert first.inside("ip", "-o", "link", "show") == links
    assert [nf["device"] for nf in chain.one.call("read")["nfs"]] == [DEVICES["c.one"]]


def test_another_host_in_the_same_namespace_is_none_of_its_business(chain: Chain, pair: Hosts) -> None:
    other = beside(pair.all[0], socket="other.sock", pins="other", name="other")
    assert other.start().call("hello")["reason"] is None
    assert other.end() == 0
    other.clean()
    assert [nf["device"] for nf in chain.one.call("read")["nfs"]] == [DEVICES["c.one"]]


def test_of_two_that_start_at_once_one_stands(tmp_path: Path) -> None:
    with hosts(tmp_path) as made:
        host = made.all[0]
        both = [beside(host, socket=f"{name}.sock", pins=name) for name in ("one", "two")]
        for one in both:
            with one.log.open("ab") as log:
                one.process = subprocess.Popen(one.command("--socket", str(one.socket)), stderr=log)
        running = [one.process for one in both if one.process is not None]
        try:
            wait_for(lambda: [one.poll() for one in running].count(1) == 1, "one of them to end", 30)
            assert [one.poll() for one in running].count(None) == 1
        finally:
            for process in running:
                process.terminate()
                process.wait(30)
        for one in both:
            one.clean()


def test_one_that_begins_once_the_first_was_killed_stands(chain: Chain, pair: Hosts) -> None:
    """Whatever the first one's socket was: it takes over what was pinned."""
    first = pair.all[0]
    first.end(signal.SIGKILL)
    second = beside(first, socket="second.sock")
    client = second.start()
    try:
        assert client.call("hello")["adopted"] is True
        assert [nf["device"] for nf in client.call("read")["nfs"]] == [DEVICES["c.one"]]
    finally:
        second.end()
