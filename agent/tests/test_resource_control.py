"""LLC ways and memory bandwidth from an order to a thread: differences, the agent's control, the helper's socket and
verbs, over the double of resctrl. What runs as NFs are threads of real processes."""

import errno
import json
import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sextant_agent.contract.driver import ResourcesGiven
from sextant_agent.contract.errors import DriverError
from sextant_agent.contract.fingerprint import fingerprint
from sextant_agent.contract.sample import ChainCounters, HostSample, NfCounters, NfResources
from sextant_agent.control.differences import Kind, differences
from sextant_agent.control.helper_client import HelperClient
from sextant_agent.control.reconciler import ReconcilerState, decide
from sextant_agent.control.resource_control import ResourceControl
from sextant_agent.control.resource_requests import unmet
from sextant_agent.helper import server
from sextant_agent.helper.refusal import HelperRefusal
from sextant_agent.helper.verbs import refused
from sextant_domain.hosts.desired import ChainResources, DesiredHostConfig, DesiredNf, HostContent, NfState, Phase

from .machines import small, two_sockets
from .orders import chain, content, nf
from .test_helper_threads import PROGRAM, SET, TWO_THREADS, Helper, threads
from .waiting import wait_for


class NfHost:
    """Two NFs as processes of two threads, of which the second works on packets; a machine of two caches; a helper's
    socket."""

    def __init__(self, folder: Path, helper: Path) -> None:
        self.root = two_sockets(folder / "root")
        self.client = HelperClient(helper, helper_uid=os.getuid())
        self.control = ResourceControl(self.client, "helper --socket s", self.root)
        self.processes = {name: self.start() for name in ("web.router", "web.firewall")}
        self.cores = {"web.router": 2, "web.firewall": 3}

    def start(self) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen([PROGRAM, "-c", TWO_THREADS])
        wait_for("it has two threads", lambda: len(threads(process.pid)) == 2)
        return process

    def end(self) -> None:
        for process in self.processes.values():
            process.kill()
            process.wait()
        self.client.close()

    def thread(self, nf_id: str) -> int:
        return threads(self.processes[nf_id].pid)[1]

    def sample(self) -> HostSample:
        reading = self.control.read()
        nfs = {
            nf_id: self.control.reported(
                reading,
                NfCounters(
                    nf_id, "web", nf_id.partition(".")[2], NfState.RUNNING, process.pid, self.cores[nf_id],
                    self.cores[nf_id], 1, None, thread=self.thread(nf_id),
                ),
            )
            for nf_id, process in self.processes.items()
        }  # fmt: skip
        (web,) = order().chains
        return HostSample(
            taken_ns=0, taken_at=datetime(2026, 1, 1, tzinfo=UTC), epoch="e",
            chains={"web": ChainCounters("web", fingerprint(web), 1)}, nfs=nfs, no_resource_control=reading.why_not,
        )  # fmt: skip

    def apply(self, ordered: HostContent) -> tuple[list[str], dict[str, str]]:
        done, failures = self.control.repair(ordered, self.sample(), frozenset())
        return done, {key: failure.message for key, failure in failures.items()}

    def found(self) -> dict[str, NfResources | None]:
        return {nf_id.partition(".")[2]: one.resources for nf_id, one in self.sample().nfs.items()}


class Host(NfHost):
    """With the helper in this process, over the double."""

    def __init__(self, folder: Path) -> None:
        self.helper = Helper()
        path = folder / "helper.sock"
        self.listener = server.listen(path, os.getuid(), os.getgid())
        self.server = server.HelperServer(self.listener, os.getuid(), self.helper.verbs.answer, lambda _: None)
        threading.Thread(target=self.server.serve, daemon=True).start()
        super().__init__(folder, path)

    def end(self) -> None:
        super().end()
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    tmp_path.chmod(0o700)
    host = Host(tmp_path)
    yield host
    host.end()


def request(name: str, ways: int | None = None, percent: int | None = None, core: int = 2) -> DesiredNf:
    given = {"llc_ways": ways, "memory_bandwidth_percent": percent}
    return nf("web", name, core=core).model_copy(update=given)


def order(
    router: tuple[int | None, int | None] = (None, None), firewall: tuple[int | None, int | None] = (None, None),
    router_core: int = 2,
) -> HostContent:  # fmt: skip
    return content(chain("web", request("router", *router, core=router_core), request("firewall", *firewall, core=3)))


def gaps(ordered: HostContent, sample: HostSample) -> list[str]:
    return [gap.text for gap in differences(ordered, sample) if gap.kind is Kind.RESOURCES]


def test_nothing_is_done_where_nobody_asks(host: Host) -> None:
    assert gaps(order(), host.sample()) == []
    assert gaps(order((None, 100)), host.sample()) == [], "all of the bandwidth is what everybody has"
    assert host.helper.double.groups() == []


def test_from_an_order_to_a_thread_and_back(host: Host) -> None:
    ordered = order((4, 50), (2, None))
    done, failures = host.apply(ordered)
    assert done == [
        "gave web.firewall 2 LLC ways of its own and 100 % memory bandwidth",
        "gave web.router 4 LLC ways of its own and 50 % memory bandwidth",
    ]
    assert failures == {}
    assert host.found() == {"router": NfResources(4, 50), "firewall": NfResources(2, None)}
    assert set(host.helper.double.tasks) == {host.thread("web.router"), host.thread("web.firewall")}
    assert gaps(ordered, host.sample()) == []
    assert host.apply(order())[1] == {}
    assert host.found() == {"router": NfResources(None, None), "firewall": NfResources(None, None)}
    assert (host.helper.double.groups(), host.helper.double.tasks) == ([], {})


def test_a_thread_on_another_cache_has_nothing_there_until_it_is_mended(host: Host) -> None:
    """CPU 2 fills cache 0, CPU 8 cache 1: the NF's ways follow it, and those of cache 0 are everybody's again."""
    host.apply(order((4, 50)))
    host.cores["web.router"] = 8
    moved = order((4, 50), router_core=8)
    assert host.found()["router"] == NfResources(None, None)
    assert gaps(moved, host.sample()) == ["giving web.router 4 LLC ways of its own and 50 % memory bandwidth"]
    assert host.apply(moved)[1] == {}
    assert host.found()["router"] == NfResources(4, 50)
    assert host.helper.double.all[""].llc == {0: 0x7FF, 1: 0x7F0}


def test_two_nfs_that_change_caches_with_each_other_take_their_ways_along(host: Host) -> None:
    """8 of 11 ways each: on no cache do both fit at once."""
    host.cores["web.firewall"] = 8
    host.apply(order((8, None), (8, None)))
    host.cores = {"web.router": 8, "web.firewall": 2}
    assert host.apply(order((8, None), (8, None)))[1] == {}
    assert host.found() == {"router": NfResources(8, None), "firewall": NfResources(8, None)}
    assert host.helper.double.all[""].llc == {0: 0x700, 1: 0x700}


def test_a_restarted_nf_has_a_new_thread_and_gets_its_ways_again(host: Host) -> None:
    ordered = order((4, None))
    host.apply(ordered)
    host.processes["web.router"].kill()
    host.processes["web.router"].wait()
    host.processes["web.router"] = host.start()
    assert host.found()["router"] == NfResources(None, None)
    assert host.apply(ordered) == (["gave web.router 4 LLC ways of its own and 100 % memory bandwidth"], {})
    assert host.found()["router"] == NfResources(4, None)


def test_who_gives_back_comes_before_who_takes(host: Host) -> None:
    """10 ways can be given: the router has 8 and goes down to 2, the firewall wants 8."""
    host.apply(order((8, None)))
    assert host.apply(order((2, None), (8, None)))[1] == {}
    assert host.found() == {"router": NfResources(2, None), "firewall": NfResources(8, None)}


def test_what_does_not_fit_fails_for_that_nf_alone_and_for_good(host: Host) -> None:
    ordered = order((4, None), (7, None))
    done, failures = host.control.repair(ordered, host.sample(), frozenset())
    assert done == ["gave web.router 4 LLC ways of its own and 100 % memory bandwidth"]
    assert failures["web.firewall"].permanent
    assert "ask for at most 6" in failures["web.firewall"].message


def test_ways_that_the_nic_writes_into_are_reported(host: Host) -> None:
    assert host.apply(order((10, None)))[0] == [
        "gave web.router 10 LLC ways of its own and 100 % memory bandwidth, 1 of which the NIC writes into, too"
    ]


def test_what_waits_is_left_alone(host: Host) -> None:
    found = host.control.repair(order((4, None)), host.sample(), frozenset({"web.router"}))
    assert found == ([], {})


def test_what_a_dead_agent_left_gives_its_ways_back_before_others_take(host: Host) -> None:
    """An NF that nobody orders any more ended while no agent was there: it held 8 of the 10 ways."""
    assert host.helper.ask("set_resources", **(SET | {"nf_id": "old.router", "llc_ways": 8}))["ok"]
    assert host.apply(order((8, None)))[1] == {}
    assert host.found()["router"] == NfResources(8, None)


def test_groups_of_ended_nfs_are_removed(host: Host) -> None:
    host.apply(order((4, None)))
    host.control.forget_ended()
    assert len(host.helper.double.groups()) == 1
    host.processes["web.router"].kill()
    host.processes["web.router"].wait()
    host.control.forget_ended()
    assert host.helper.double.groups() == []


def capabilities(host: Host) -> dict[str, tuple[bool, str]]:
    return {found.name: (found.available, found.reason) for found in host.control.capabilities()}


def test_capabilities_say_what_there_is(host: Host) -> None:
    assert capabilities(host) == {
        "resctrl-cat": (True, "11 ways a cache through the root helper, 2 of which the NIC writes into, too"),
        "resctrl-mba": (True, "4 steps through the root helper"),
    }
    host.helper.double.options = frozenset({"rw", "cdp"})
    found = capabilities(host)
    assert (found["resctrl-cat"][0], "cdp" in found["resctrl-cat"][1]) == (False, True)
    assert found["resctrl-mba"][0]


def test_a_machine_without_resctrl_asks_nobody(tmp_path: Path) -> None:
    root = small(tmp_path)
    control = ResourceControl(HelperClient(tmp_path / "none"), "helper", root)
    assert {found.reason for found in control.capabilities()} == {"no resctrl: this CPU or kernel does not offer it"}
    (root / "sys/fs/resctrl").mkdir(parents=True)
    assert {found.reason for found in control.capabilities()} == {
        "resctrl is not mounted: as root, mount -t resctrl resctrl /sys/fs/resctrl"
    }
    assert not any(found.available for found in control.capabilities())
    assert control.read().why_not == control.capabilities()[0].reason


def test_without_a_helper_nfs_run_on_and_what_is_unmet_is_reported(host: Host, tmp_path: Path) -> None:
    """Nothing is a difference, for nothing here could fix it."""
    control = ResourceControl(HelperClient(tmp_path / "none"), "helper --socket s", host.root)
    reading = control.read()
    sample = host.sample()
    nfs = {nf_id: control.reported(reading, one) for nf_id, one in sample.nfs.items()}
    sample = replace(sample, nfs=nfs, no_resource_control=reading.why_not)
    ordered = order((4, 50), (2, None))
    assert gaps(ordered, sample) == []
    decision = decide(DesiredHostConfig.of(1, ordered), sample, 0.0, ReconcilerState())
    assert decision.phase is Phase.CONVERGED
    assert "web.router and 1 more without 4 LLC ways of its own and 50 % memory bandwidth: no root helper answers" in (
        decision.detail
    )
    assert decision.detail.endswith("start it as root: helper --socket s")
    assert unmet(order(), sample) is None


def test_a_helper_from_before_there_were_resources_is_reported(host: Host, tmp_path: Path) -> None:
    """It knows no such verb, and says nothing of them in its hello."""

    def answer(line: bytes) -> bytes:
        request = json.loads(line)
        if request["op"] != "hello":
            return refused(HelperRefusal("unknown-op", "op", "there is no such verb"), request["id"])
        return host.helper.verbs.answer(line).replace(b'"llc_reason"', b'"x"').replace(b'"memory_b', b'"y')

    listener = server.listen(tmp_path / "old.sock", os.getuid(), os.getgid())
    threading.Thread(
        target=server.HelperServer(listener, os.getuid(), answer, lambda _: None).serve, daemon=True
    ).start()
    control = ResourceControl(HelperClient(tmp_path / "old.sock", helper_uid=os.getuid()), "helper", host.root)
    older = "the root helper is of an earlier version than the agent: start it again"
    assert control.read().why_not == older
    assert {(found.available, found.reason) for found in control.capabilities()} == {(False, older)}
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()


def together(ways: int | None, percent: int | None = None) -> HostContent:
    """The same chain, whose NFs have these together."""
    (web,) = order().chains
    shared = ChainResources(llc_ways=ways, memory_bandwidth_percent=percent)
    return content(web.model_copy(update={"resources": shared}))


GROUP = "sextant.edge-1.0123abcd.chain-web"


def test_all_nfs_of_a_chain_are_in_its_group_and_leave_it(host: Host) -> None:
    ordered = together(4, 50)
    assert gaps(ordered, host.sample()) == [
        f"giving web.{name} 4 LLC ways and 50 % memory bandwidth with all NFs of web" for name in ("router", "firewall")
    ]
    assert host.apply(ordered)[1] == {}
    assert host.helper.double.tasks == {host.thread(nf_id): GROUP for nf_id in host.processes}
    assert host.helper.double.all[GROUP].llc == {0: 0x00F, 1: 0x7FF}
    assert host.found() == dict.fromkeys(("router", "firewall"), NfResources(4, 50, of_chain=True))
    assert gaps(ordered, host.sample()) == []
    assert host.apply(order())[1] == {}
    assert host.found() == dict.fromkeys(("router", "firewall"), NfResources(None, None))
    assert (host.helper.double.groups(), host.helper.double.tasks) == ([], {})


def test_a_chain_that_is_in_its_group_is_given_other_ways_by_one_question(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A law's way: threads stay where they are, and nothing is listed before. Whoever is not so far is left to the
    order, and so is everybody while one is carried out."""
    asked: list[str] = []
    ask = host.client._ask
    monkeypatch.setattr(host.client, "_ask", lambda kind, op, fields: (asked.append(op), ask(kind, op, fields))[1])
    (web,) = together(4, 50).chains
    shall, ordering = [ResourcesGiven(web, NfResources(6, 60, of_chain=True))], threading.Lock()
    with pytest.raises(DriverError, match="web does not run in a group of its own on one cache yet"):
        host.control.give(shall, host.sample(), ordering)
    host.apply(together(4, 50))
    found = host.sample()
    asked.clear()
    with ordering, pytest.raises(DriverError, match="an order is being carried out"):
        host.control.give(shall, found, ordering)
    assert asked == []
    host.control.give(shall, found, ordering)
    assert asked == ["set_chain_resources"]
    assert host.found() == dict.fromkeys(("router", "firewall"), NfResources(6, 60, of_chain=True))
    too_many = [ResourcesGiven(web, NfResources(11, 60, of_chain=True))]
    with pytest.raises(DriverError, match="ask for at most 10"):
        host.control.give(too_many, host.sample(), ordering)
    assert host.found()["router"] == NfResources(6, 60, of_chain=True)
    host.cores["web.firewall"] = 2
    with pytest.raises(DriverError, match="web does not run in a group"):
        host.control.give(shall, host.sample(), ordering)
    assert not ordering.locked()


def two_chains(host: Host) -> tuple[list[ResourcesGiven], HostSample]:
    """The router runs in a group of web, the firewall in one of log: 6 ways and 3, which are to be 3 and 6."""
    given, seen = [], {}
    for name, nf_id, ways, core in (("web", "web.router", 6, 2), ("log", "web.firewall", 3, 3)):
        host.client.set_chain_resources(name, 0, ways, 50)
        host.client.place_chain_thread(name, host.processes[nf_id].pid, host.thread(nf_id))
        counters = replace(host.sample().nfs[nf_id], resources=NfResources(ways, 50, of_chain=True))
        own = f"{name}.{counters.nf_type}"
        seen[own] = replace(counters, nf_id=own, chain=name)
        ordered = chain(name, nf(name, counters.nf_type, core=core))
        given.append(ResourcesGiven(ordered, NfResources(9 - ways, 60, of_chain=True)))
    return given, replace(host.sample(), nfs=seen)


@pytest.mark.parametrize("older", [False, True], ids=["helper", "a helper of before"])
def test_several_chains_are_given_other_ways_by_one_question_where_the_helper_takes_it(
    host: Host, older: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    shall, found = two_chains(host)
    asked: list[str] = []
    ask = host.client._ask
    monkeypatch.setattr(host.client, "_ask", lambda kind, op, fields: (asked.append(op), ask(kind, op, fields))[1])
    if older:
        del host.helper.verbs._verbs["set_resources_of_chains"]
    host.control.give(shall, found, threading.Lock())
    one_by_one = ["set_chain_resources", "set_chain_resources"]
    assert asked == ["set_resources_of_chains", *(one_by_one if older else [])]
    groups = host.client.resource_groups()
    given = {name: (one.llc_ways[0].bit_count(), one.memory_bandwidth_percent[0]) for name, one in groups.items()}
    assert given == {"web": (3, 60), "log": (6, 60)}
    too_many = [replace(one, shall=NfResources(6, 60, of_chain=True)) for one in shall]
    with pytest.raises(DriverError, match="ask for at most"):
        host.control.give(too_many, found, threading.Lock())
    assert host.client.resource_groups()["log"].llc_ways == groups["log"].llc_ways, "none of it"


def test_a_chain_takes_over_the_ways_of_its_nfs_and_gives_them_back(host: Host) -> None:
    """8 ways are the router's own, and the chain wants 10: they fit only once the router's are given back."""
    host.apply(order((8, None)))
    assert host.apply(together(10))[1] == {}
    assert host.helper.double.groups() == [GROUP]
    assert host.apply(order((8, None), (2, None)))[1] == {}
    assert host.found() == {"router": NfResources(8, None), "firewall": NfResources(2, None)}
    assert GROUP not in host.helper.double.groups()


def test_a_thread_that_another_program_takes_away_is_drift_and_is_put_back(host: Host) -> None:
    """Another tool moves the router's thread into a group of its own, and lets web's group fill a way of all others."""
    ordered = together(4)
    host.apply(ordered)
    host.helper.double.make("db")
    host.helper.double.write("db/schemata", "L3:0=700\n")
    host.helper.double.write("db/tasks", f"{host.thread('web.router')}\n")
    host.helper.double.write(f"{GROUP}/schemata", "L3:0=1f\n")
    assert host.found() == dict.fromkeys(("router", "firewall"), NfResources(None, None)), "5 ways, and none its own"
    assert len(gaps(ordered, host.sample())) == 2
    assert host.apply(ordered)[1] == {}
    assert host.found() == dict.fromkeys(("router", "firewall"), NfResources(4, None, of_chain=True))
    assert host.helper.double.all["db"].llc[0] == 0x700, "the other's group is left alone"


def test_ways_that_another_program_leaves_to_nobody_are_reported(host: Host) -> None:
    """It takes 2 of web's 4 ways, for which it may have a group to come: they are not taken back unasked."""
    host.apply(together(4))
    host.helper.double.write(f"{GROUP}/schemata", "L3:0=3\n")
    assert host.found() == dict.fromkeys(("router", "firewall"), NfResources(2, None, of_chain=True))
    (why,) = set(host.apply(together(4))[1].values())
    assert "7f3, is not contiguous: somebody changed resctrl's groups; give the default group back" in why


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EINVAL])
def test_a_chain_of_which_the_kernel_refuses_one_thread_has_nothing(host: Host, number: int) -> None:
    """Every change that is made on the way is refused once: the chain has all of it, or nothing of it."""
    double = host.helper.double
    for at in range(1, 20):
        left = iter(range(1, 20))

        def written(left: Iterator[int] = left, at: int = at) -> None:
            if next(left, None) == at:
                raise OSError(number, os.strerror(number))

        double.written = written
        _, failures = host.apply(together(4, 50))
        double.written = lambda: None
        if not failures:
            assert at > 4, "a group, its ways, its bandwidth, two threads"
            assert host.found() == dict.fromkeys(("router", "firewall"), NfResources(4, 50, of_chain=True))
            return
        assert failures.keys() == {"web.router", "web.firewall"}
        assert len(set(failures.values())) == 1, "one outcome"
        assert (double.groups(), double.tasks, double.all[""].llc) == ([], {}, {0: 0x7FF, 1: 0x7FF})
    pytest.fail("it is refused for ever")


def test_a_change_of_ways_that_is_refused_leaves_the_chain_with_what_it_had(host: Host) -> None:
    host.apply(together(4))
    host.helper.double.written = lambda: (_ for _ in ()).throw(OSError(errno.EINVAL, "Invalid argument"))
    assert host.apply(together(6))[1].keys() == {"web.router", "web.firewall"}
    host.helper.double.written = lambda: None
    assert host.found() == dict.fromkeys(("router", "firewall"), NfResources(4, None, of_chain=True))
    assert host.apply(together(6))[1] == {}


def test_nfs_of_a_chain_on_two_caches_wait_until_they_are_on_one(host: Host) -> None:
    """While they move; an order for two nodes is refused."""
    host.cores["web.router"] = 8
    failures = host.apply(together(4))[1]
    assert set(failures.values()) == {"NFs of web are on several caches now, and its ways are of one"}
    assert host.helper.double.groups() == []


def test_a_helper_of_before_chains_had_resources_is_reported(host: Host, tmp_path: Path) -> None:
    """It knows no such verb, and lists no chains: the NFs run on without, and the failure says what to do."""

    def answer(line: bytes) -> bytes:
        request = json.loads(line)
        if "chain" in request["op"]:
            return refused(HelperRefusal("unknown-op", "op", "there is no such verb"), request["id"])
        return host.helper.verbs.answer(line).replace(b'"chains"', b'"x"')

    listener = server.listen(tmp_path / "old.sock", os.getuid(), os.getgid())
    threading.Thread(
        target=server.HelperServer(listener, os.getuid(), answer, lambda _: None).serve, daemon=True
    ).start()
    control = ResourceControl(HelperClient(tmp_path / "old.sock", helper_uid=os.getuid()), "helper", host.root)
    _, failures = control.repair(together(4), host.sample(), frozenset())
    older = "the root helper is of an earlier version than the agent: start it again"
    assert {(failure.message, failure.permanent) for failure in failures.values()} == {(older, True)}
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
