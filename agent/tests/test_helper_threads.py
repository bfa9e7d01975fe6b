"""The helper's verbs of resctrl: what a request may say and whose threads may be moved, over the double of resctrl.

Any user can run this: the verbs are asked in this process, and the NF is a child of it that runs this very program.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sextant_agent.helper.placeable_process import PlaceableProcess
from sextant_agent.helper.refusal import HelperRefusal
from sextant_agent.helper.resctrl_groups import ResctrlGroups
from sextant_agent.helper.verbs import Verbs

from .resctrl_double import ResctrlDouble
from .waiting import wait_for

PROGRAM = str(Path("/proc/self/exe").readlink())
CHAIN = {"chain": "web", "cache": 0, "llc_ways": 2, "memory_bandwidth_percent": 50}
SET = {"nf_id": "web.router", "cache": 0, "llc_ways": 2, "memory_bandwidth_percent": None}
TWO_THREADS = "import threading, time; threading.Thread(target=time.sleep, args=(600,)).start(); time.sleep(600)"


class Helper:
    """Verbs over a double."""

    def __init__(self, programs: frozenset[str] = frozenset({PROGRAM})) -> None:
        self.double = ResctrlDouble()

        @contextmanager
        def open_() -> Iterator[ResctrlDouble]:
            yield self.double

        groups = ResctrlGroups("edge-1.0123abcd", open_)
        self.verbs = Verbs(None, "no cgroups", groups, cgroup=None, programs=programs, uid=os.getuid())

    def ask(self, op: str, **fields: object) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.verbs.answer(json.dumps({"id": 7, "op": op, **fields}).encode()))
        return answer

    def refused(self, op: str, **fields: object) -> tuple[str, str | None]:
        answer = self.ask(op, **fields)
        assert answer["ok"] is False, answer
        return answer["error"]["code"], answer["error"]["field"]


@pytest.fixture
def helper() -> Helper:
    return Helper()


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([PROGRAM, "-c", TWO_THREADS])
    wait_for("it has two threads", lambda: len(threads(process.pid)) == 2)
    yield process
    process.kill()
    process.wait()


def threads(pid: int) -> list[int]:
    return sorted(int(entry.name) for entry in Path(f"/proc/{pid}/task").iterdir())


def test_one_thread_of_an_nf_has_ways_of_its_own(helper: Helper, process: subprocess.Popen[bytes]) -> None:
    first, second = threads(process.pid)
    assert helper.ask("set_resources", **SET) == {"id": 7, "ok": True, "mask": 3, "nic_ways": 0}
    assert helper.ask("place_thread", nf_id="web.router", pid=process.pid, tid=second)["ok"]
    assert helper.double.tasks == {second: "sextant.edge-1.0123abcd.nf-web.router"}
    (found,) = helper.ask("list_resources")["nfs"]
    assert found == {
        "nf_id": "web.router", "tids": [second], "llc_ways": {"0": 3},
        "memory_bandwidth_percent": {"0": 100, "1": 100},
    }  # fmt: skip
    assert helper.ask("clean")["removed"] == [], "a thread is in it"
    assert first not in helper.double.tasks
    process.kill()
    process.wait()
    assert helper.ask("clean")["removed"] == ["web.router"]
    assert helper.double.groups() == []


def test_a_thread_is_in_one_group_and_a_restarted_one_in_none(helper: Helper, process: subprocess.Popen[bytes]) -> None:
    tid = threads(process.pid)[1]
    for nf_id in ("web.router", "web.firewall"):
        helper.ask("set_resources", **(SET | {"nf_id": nf_id}))
        helper.ask("place_thread", nf_id=nf_id, pid=process.pid, tid=tid)
    assert [(nf["nf_id"], nf["tids"]) for nf in helper.ask("list_resources")["nfs"]] == [
        ("web.firewall", [tid]), ("web.router", []),
    ]  # fmt: skip


class TestThreadsThatAreNotNfs:
    """As for CPU groups, and a thread must be the process's own."""

    @pytest.fixture(autouse=True)
    def _nothing_is_moved(self, helper: Helper) -> Iterator[None]:
        helper.ask("set_resources", **SET)
        yield
        assert helper.double.tasks == {}

    def test_of_another_process(self, helper: Helper, process: subprocess.Popen[bytes]) -> None:
        for tid in (os.getpid(), 2, 1 << 22):
            found = helper.refused("place_thread", nf_id="web.router", pid=process.pid, tid=tid)
            assert found == ("not-allowed", "tid")

    def test_of_a_process_that_runs_something_else(self, helper: Helper) -> None:
        sleeper = subprocess.Popen(["/bin/sleep", "60"])
        try:
            wait_for("it has begun", lambda: "sleep" in str(Path(f"/proc/{sleeper.pid}/exe").readlink()))
            found = helper.refused("place_thread", nf_id="web.router", pid=sleeper.pid, tid=sleeper.pid)
            assert found == ("not-allowed", "pid")
        finally:
            sleeper.kill()
            sleeper.wait()

    def test_by_a_threads_id_in_place_of_the_process(self, helper: Helper, process: subprocess.Popen[bytes]) -> None:
        tid = threads(process.pid)[1]
        assert helper.refused("place_thread", nf_id="web.router", pid=tid, tid=tid) == ("not-allowed", "pid")

    def test_that_has_ended(self, helper: Helper, process: subprocess.Popen[bytes]) -> None:
        tid = threads(process.pid)[1]
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # a zombie still has its pid
        assert helper.refused("place_thread", nf_id="web.router", pid=process.pid, tid=tid)[0] == "not-allowed"

    def test_that_ends_while_it_is_placed(
        self, helper: Helper, process: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Between the two checks its id could be another's: whoever has it is put back."""
        tid = threads(process.pid)[1]
        allowed = iter([False, True])

        def check(_: PlaceableProcess, tid: int) -> None:
            if next(allowed):
                raise HelperRefusal("not-allowed", "tid", "gone")

        monkeypatch.setattr(PlaceableProcess, "check_thread", check)
        assert helper.refused("place_thread", nf_id="web.router", pid=process.pid, tid=tid) == ("not-allowed", "tid")

    def test_for_an_nf_without_a_group(self, helper: Helper, process: subprocess.Popen[bytes]) -> None:
        tid = threads(process.pid)[1]
        found = helper.refused("place_thread", nf_id="web.other", pid=process.pid, tid=tid)
        assert found == ("not-found", "nf_id")


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("nf_id", ["", "..", "../x.y", "web", "web.router/..", "info", "web.router\n", None, 7]),
        ("cache", [-1, 4096, "0", 0.0, True, None, [], 2**70]),
        ("llc_ways", [0, -1, 65, 2**80, "2", 2.0, True, [], {}]),
        ("memory_bandwidth_percent", [0, -1, 101, 2**80, "50", 50.0, True, []]),
    ],
)
def test_fields_that_say_nonsense_change_nothing(helper: Helper, field: str, wrong: list[object]) -> None:
    for value in wrong:
        assert helper.refused("set_resources", **(SET | {field: value})) == ("bad-request", field)
    assert (helper.double.groups(), helper.double.all[""].llc[0]) == ([], 0x7FF)


@pytest.mark.parametrize("field", ["pid", "tid"])
@pytest.mark.parametrize("wrong", [0, 1, -1, 2**22 + 1, "2", 2.0, True, None])
def test_ids_that_no_process_or_thread_has(helper: Helper, field: str, wrong: object) -> None:
    request = {"nf_id": "web.router", "pid": 2, "tid": 2} | {field: wrong}
    assert helper.refused("place_thread", **request) == ("bad-request", field)


def test_no_request_names_a_mask_a_group_or_a_file(helper: Helper) -> None:
    for strange in ("mask", "group", "schemata", "path"):
        assert helper.refused("set_resources", **SET, **{strange: "7ff"}) == ("bad-request", strange)


@pytest.mark.parametrize(
    ("chains", "field"),
    [
        (None, "chains"),
        ([], "chains"),
        ([{}] * 17, "chains"),
        (["web"], "chains"),
        ([CHAIN | {"path": "/sys"}], "path"),
        ([{"chain": "web"}], "cache"),
        ([CHAIN | {"chain": "web.router"}], "chain"),
        ([CHAIN | {"llc_ways": 0}], "llc_ways"),
        ([CHAIN, CHAIN], "chains"),
        ([CHAIN | {"llc_ways": None, "memory_bandwidth_percent": None}], "chains"),
    ],
)
def test_a_list_of_chains_is_looked_at_field_by_field(helper: Helper, chains: object, field: str) -> None:
    helper.ask("set_chain_resources", **CHAIN)
    before = helper.ask("list_resources")
    assert helper.refused("set_resources_of_chains", chains=chains) == ("bad-request", field)
    assert helper.ask("list_resources") == before


def test_hello_says_why_not(helper: Helper) -> None:
    helper.double.options = frozenset({"rw", "cdp", "mba_MBps"})
    hello = helper.ask("hello")
    assert "cdp" in hello["llc_reason"] and "mba_MBps" in hello["memory_bandwidth_reason"]
    assert helper.refused("set_resources", **SET) == ("not-available", "llc_ways")


def test_an_ending_helper_takes_empty_groups_along_and_leaves_the_others(
    helper: Helper, process: subprocess.Popen[bytes]
) -> None:
    for nf_id in ("web.router", "web.empty"):
        helper.ask("set_resources", **(SET | {"nf_id": nf_id}))
    helper.ask("place_thread", nf_id="web.router", pid=process.pid, tid=process.pid)
    helper.verbs.close()
    assert helper.double.groups() == ["sextant.edge-1.0123abcd.nf-web.router"]


def test_it_is_not_this_users_process(process: subprocess.Popen[bytes]) -> None:
    """Only `--agent-uid`'s threads are moved."""
    with pytest.raises(HelperRefusal, match="does not belong to user"):
        PlaceableProcess(process.pid, frozenset({PROGRAM}), os.getuid() + 1)
