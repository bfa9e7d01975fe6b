"""A machine without memory for packets and tables: it is said what lacks, and nobody else ends for it."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from .conftest import Client, Refused, Runner, nf, running, source, wait_for

pytestmark = pytest.mark.fault

MOUNT = Path("/sys/fs/cgroup")


class Group:
    """A memory group (cgroup) of its own, with a limit: of version 1 where that has the memory controller."""

    def __init__(self) -> None:
        self.first = (MOUNT / "memory").is_dir()
        name = f"sextant-test-{os.getpid()}"
        self.folder = MOUNT / "memory" / name if self.first else MOUNT / name
        try:
            self.folder.mkdir()
            self.limit(1 << 40)
        except OSError as error:
            with suppress(OSError):
                self.folder.rmdir()
            pytest.skip(f"no memory group can be made here: {error}")

    def limit(self, bytes_most: int) -> None:
        (self.folder / ("memory.limit_in_bytes" if self.first else "memory.max")).write_text(str(bytes_most))

    def used(self) -> int:
        return int((self.folder / ("memory.usage_in_bytes" if self.first else "memory.current")).read_text())

    def enter(self) -> tuple[str, ...]:
        """A command's prefix that makes it begin in the group."""
        return ("sh", "-c", f'echo $$ > {self.folder}/cgroup.procs && exec "$@"', "sh")

    def processes(self) -> list[int]:
        return [int(pid) for pid in (self.folder / "cgroup.procs").read_text().split()]

    def end(self) -> None:
        wait_for(lambda: not self.processes(), "the end of all processes of the group")
        self.folder.rmdir()


@pytest.fixture
def group() -> Iterator[Group]:
    made = Group()
    yield made
    made.end()


@pytest.fixture
def runner(group: Group, tmp_path: Path) -> Iterator[Runner]:
    with running(tmp_path, group.enter(), huge="off") as started:
        yield started


@pytest.mark.parametrize("limit_mib", [64, 400, 1000])
def test_a_runner_without_room_says_so_and_leaves_nothing(
    tmp_path_factory: pytest.TempPathFactory, limit_mib: int
) -> None:
    """Counters and rings, captures, packets and tables: whichever does not fit, it ends with the cause in its log."""
    folder = tmp_path_factory.mktemp("small")
    with running(folder, ("prlimit", f"--as={limit_mib << 20}"), huge="off") as runner:
        assert runner.process.wait(30) == 1
        assert any(option in runner.log.read_text() for option in ("--memory-mb", "--replay-mb", "no shared memory"))
        assert not runner.socket.exists()


@pytest.mark.parametrize("limit_mib", [24, 48, 64])
def test_a_group_too_small_for_the_packets_ends_the_start_with_a_cause(
    group: Group, tmp_path: Path, limit_mib: int
) -> None:
    """Address space there is, memory there is not: the kernel would kill who touches it."""
    group.limit(limit_mib << 20)
    with running(tmp_path, group.enter(), huge="off") as runner:
        assert runner.process.wait(30) == 1, "ended by itself, not by a signal"
        assert "fewer than 64 MiB of memory are free for packets" in runner.log.read_text()
        assert not runner.socket.exists()


def flows(client: Client) -> None:
    before = client.chain("a").delivered
    wait_for(lambda: client.chain("a").delivered > before + 1000, "packets of the running chain")


@pytest.mark.parametrize("kind", ["bubble", "basic-monitor", "router", "nids"])
def test_one_nf_too_many_is_refused_and_the_chains_run_on(
    runner: Runner, client: Client, group: Group, kind: str
) -> None:
    """100 MiB are left: less than the largest tables take, and than a working set of 256 MiB."""
    pids = client.add("a", nf("a", "router"), nf("a", "basic-monitor"), rate_mpps=0.02)
    flows(client)
    group.limit(group.used() + (100 << 20))
    config: dict[str, Any] = {"working_set_bytes": 256 << 20} if kind == "bubble" else {}
    with pytest.raises(Refused) as refused:
        client.add("b", nf("b", kind, **config))
    assert (refused.value.code, refused.value.field) == ("no-room", "nfs.0.config")
    assert "MiB of memory are left" in refused.value.message
    flows(client)
    assert {entry.nf: entry.pid for entry in client.query().nfs.values()} == pids
    group.limit(1 << 40)
    client.add("b", nf("b", kind, **config))


def test_what_was_taken_for_a_refused_chain_is_given_back(runner: Runner, client: Client, group: Group) -> None:
    """Six working sets of 256 MiB in a group of 1 GiB: the chain is refused, and nothing of the first ones stays."""
    pids = client.add("a", nf("a", "router"), nf("a", "basic-monitor"), rate_mpps=0.02)
    flows(client)
    group.limit(1 << 30)
    sets = [nf("b", "bubble", name=f"b{number}", working_set_bytes=256 << 20) for number in range(6)]
    with pytest.raises(Refused) as refused:
        client.add("b", *sets)
    assert refused.value.code == "no-room"
    flows(client)
    assert {entry.nf: entry.pid for entry in client.query().nfs.values()} == pids
    assert len(runner.children()) == 1 + len(pids)
    wait_for(lambda: group.used() < 512 << 20, "the memory of the attempt given back")


def test_memory_that_goes_while_it_is_taken_ends_only_who_takes_it(
    runner: Runner, client: Client, group: Group
) -> None:
    """There was room when a set was begun, and none is left for its rest: the kernel ends the process that fills it."""
    pids = client.add("a", nf("a", "router"), nf("a", "basic-monitor"), rate_mpps=0.02)
    flows(client)
    late, before = runner.client(), group.used()
    late.call("hello")
    sets = [nf("b", "bubble", name=f"b{number}", working_set_bytes=256 << 20) for number in range(6)]
    late.ask("add_chain", chain="b", nfs=sets, source=source(0.0))
    wait_for(lambda: group.used() > before + (16 << 20), "a set that is being filled")
    group.limit(group.used() + (32 << 20))
    error = json.loads(late.lines.readline())["error"]
    assert error["code"] == "no-room"
    assert "kernel had no memory left when it was filled" in error["message"] or "MiB free" in error["message"]
    flows(client)
    assert {entry.nf: entry.pid for entry in client.query().nfs.values()} == pids
    wait_for(lambda: group.used() < before + (64 << 20), "the memory of the attempt given back")


def test_an_nf_that_finds_no_memory_ends_alone_and_its_cause_is_named(
    runner: Runner, client: Client, group: Group
) -> None:
    """What nDPI keeps of a flow is taken as flows come, of 8192 at once some 8 MiB; 2 MiB are left."""
    pids = client.add("a", nf("a", "router"), nf("a", "basic-monitor"), rate_mpps=0.02)
    pids |= client.add("b", nf("b", "dpi", flow_table_entries=65536), rate_mpps=0.0)
    flows(client)
    group.limit(group.used() + (2 << 20))
    client.call("set_source", chain="b", source=source(0.1, flows=60_000, dst_port=None))
    wait_for(lambda: client.query().nfs["b.dpi"].state == "crashed", "the end of the NF")
    assert client.query().nfs["b.dpi"].exit == "killed by signal 9 (Killed): the kernel had no memory left"
    flows(client)
    with pytest.raises(Refused) as refused:
        client.call("restart_nf", nf="b.dpi")
    assert refused.value.code == "no-room"
    os.kill(pids["a.router"], signal.SIGKILL)
    wait_for(lambda: client.query().nfs["a.router"].state == "crashed", "the end of the other")
    assert client.query().nfs["a.router"].exit == "killed by signal 9 (Killed)", "by hand"
    group.limit(1 << 40)
    for name in ("b.dpi", "a.router"):
        client.call("restart_nf", nf=name)
    flows(client)
    assert client.query().nfs["a.basic-monitor"].pid == pids["a.basic-monitor"]
