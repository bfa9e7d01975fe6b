"""The root helper as a process, against the kernel's own groups."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from sextant_agent.control.helper_client import HelperClient, HelperError

from .helper_process import Asking, HelperProcess, hierarchy, why_no_groups
from .waiting import wait_for

WHY_NOT = why_no_groups()
pytestmark = pytest.mark.skipif(WHY_NOT is not None, reason=f"CPU groups cannot be made here: {WHY_NOT}")
NOBODY = 65534


def group_of(pid: int) -> str:
    """Of the CPU controller; v2 names none."""
    wanted = "cpu" if hierarchy().version == 1 else ""
    lines = (line.split(":", 2) for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines())
    return next(place for _, controllers, place in lines if wanted in controllers.split(","))


def test_it_says_what_the_machine_has(asking: Asking, helper: HelperProcess) -> None:
    hello = asking.ask("hello")
    assert (hello["version"], hello["cgroup"], hello["controllers"]) == (1, hierarchy().version, ["cpu"])
    assert hello["subtree"] == helper.subtree
    assert hello["reason"] is None


def test_it_keeps_no_right_that_it_does_not_need(helper: HelperProcess) -> None:
    """Of the 41 capabilities of root: to see what others run, and to make folders where nobody may write."""
    assert helper.process is not None
    status = Path(f"/proc/{helper.process.pid}/status").read_text()
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    needed = 1 << 19 | (0 if hierarchy().cpu.stat().st_mode & 0o200 else 1 << 1)
    for name in ("CapEff", "CapPrm", "CapBnd"):
        assert int(fields[name], 16) == needed, name
    assert (int(fields["CapAmb"], 16), fields["NoNewPrivs"]) == (0, "1")


def test_it_imports_the_standard_library_only() -> None:
    code = "import sys, sextant_agent.helper.__main__; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    named = {name.partition(".")[0] for name in done.stdout.split()}
    # What some virtual environments, and distributions, load into every Python.
    environments_own = {"_distutils_hack", "_virtualenv", "sitecustomize"}
    assert named - set(sys.stdlib_module_names) - environments_own == {"sextant_agent", "__main__"}
    assert not named & {"ssl", "http", "asyncio", "subprocess"}


def test_a_process_is_placed_weighed_limited_and_read(
    asking: Asking, helper: HelperProcess, busy: subprocess.Popen[bytes]
) -> None:
    assert asking.ask("set_cpu", nf_id="web.router", weight=300, quota_percent=20)["ok"]
    assert asking.ask("place", nf_id="web.router", pid=busy.pid)["ok"]
    assert group_of(busy.pid).endswith(f"/{helper.subtree}/nf-web.router")

    def throttled() -> bool:
        """The kernel counts a period when it begins to hold the process back, and the time when that has ended."""
        found = asking.ask("read", nf_id="web.router")
        return bool(found["throttled_periods"] > 3 and found["throttled_ns"] > 0)

    wait_for("the quota holds it back", throttled)
    found = asking.ask("read", nf_id="web.router")
    assert (found["pids"], found["weight"], found["quota_percent"]) == ([busy.pid], 300, 20.0)
    assert found["cpu_ns"] > 0
    assert found["periods"] >= found["throttled_periods"]
    assert asking.ask("list")["nfs"][0]["nf_id"] == "web.router"
    assert asking.ask("set_cpu", nf_id="web.router", weight=1, quota_percent=None)["ok"]
    found = asking.ask("read", nf_id="web.router")
    assert (found["pids"], found["weight"], found["quota_percent"]) == ([busy.pid], 1, None)


def test_a_group_goes_when_its_process_has_gone_and_not_before(asking: Asking, busy: subprocess.Popen[bytes]) -> None:
    asking.ask("place", nf_id="web.router", pid=busy.pid)
    assert asking.refused("remove", nf_id="web.router") == ("busy", "nf_id")
    assert asking.ask("clean")["removed"] == []
    busy.kill()
    busy.wait()
    assert asking.ask("remove", nf_id="web.router")["ok"]
    assert asking.refused("read", nf_id="web.router") == ("not-found", "nf_id")


def test_groups_with_a_process_survive_a_killed_helper_and_the_others_are_cleaned(
    helper: HelperProcess, busy: subprocess.Popen[bytes]
) -> None:
    client = HelperClient(helper.socket)
    client.set_cpu("web.router", 200, 50)
    client.place("web.router", busy.pid)
    client.set_cpu("web.gone", 100, None)
    helper.kill(signal.SIGKILL)
    with pytest.raises(HelperError, match="no root helper answers"):
        client.groups()
    helper.start()
    found = client.groups()
    assert set(found) == {"web.router"}, "what no process is in was removed at the start"
    assert (found["web.router"].weight, found["web.router"].quota_percent) == (200, 50.0)
    assert not helper.group("web.gone").exists()
    client.close()


def test_ending_leaves_what_runs_and_cleaning_says_so(helper: HelperProcess, busy: subprocess.Popen[bytes]) -> None:
    client = HelperClient(helper.socket)
    client.place("web.router", busy.pid)
    client.close()
    helper.kill(signal.SIGTERM)
    done = helper.clean()
    assert done.returncode == 1
    assert "web.router" in done.stderr and "end them first" in done.stderr
    assert helper.group("web.router").exists()
    busy.kill()
    busy.wait()
    assert helper.clean().returncode == 0


def test_what_a_vanished_installation_left_is_removed_by_the_next(tmp_path: Path, program: Path) -> None:
    """Its data folder is gone, so nobody will ever start a helper on that socket again."""
    folder = tmp_path / "vanished"
    folder.mkdir()
    vanished = HelperProcess(folder, program).start()
    client = HelperClient(vanished.socket)
    client.set_cpu("web.router", 200, None)
    client.close()
    vanished.kill(signal.SIGKILL)
    left = hierarchy().cpu / vanished.subtree
    assert left.exists()
    following = HelperProcess(tmp_path, program).start()
    assert not left.exists()
    following.end_all()


class TestBudget:
    """What all NFs of a host have together, where several hosts share a machine."""

    def test_all_nfs_together_have_no_more(self, tmp_path: Path, program: Path, busy: subprocess.Popen[bytes]) -> None:
        """One that would take a whole core has 20 % of it, by the group above: 2 of each 10 ms, though its own has no
        quota. Of the group above the kernel counts the periods in which that was used up."""
        helper = HelperProcess(tmp_path, program, budget_percent=20).start()
        above = hierarchy().cpu / helper.subtree
        try:
            asking = Asking(helper.socket)
            assert asking.ask("set_cpu", nf_id="web.router", weight=100, quota_percent=None)["ok"]
            assert asking.ask("place", nf_id="web.router", pid=busy.pid)["ok"]
            wait_for("the budget is used up", lambda: "nr_throttled 0\n" not in (above / "cpu.stat").read_text())
            assert asking.ask("read", nf_id="web.router")["throttled_periods"] == 0, "by no quota of its own"
            asking.close()
        finally:
            busy.kill()
            busy.wait()
            helper.end_all()
        assert not above.exists()

    def test_a_quota_above_it_is_refused_and_one_within_taken(self, tmp_path: Path, program: Path) -> None:
        helper = HelperProcess(tmp_path, program, budget_percent=50).start()
        try:
            asking = Asking(helper.socket)
            refused = asking.refused("set_cpu", nf_id="web.router", weight=100, quota_percent=51)
            assert refused == ("no-room", "quota_percent")
            assert asking.ask("set_cpu", nf_id="web.router", weight=100, quota_percent=50)["ok"]
            asking.close()
        finally:
            helper.end_all()

    def test_quotas_may_come_to_more_in_sum(self, tmp_path: Path, program: Path) -> None:
        """What placement goes by: each of them is within it, and the kernel holds all of them to it."""
        helper = HelperProcess(tmp_path, program, budget_percent=50).start()
        try:
            asking = Asking(helper.socket)
            for nf_id in ("web.router", "web.firewall", "dns.router"):
                assert asking.ask("set_cpu", nf_id=nf_id, weight=100, quota_percent=50)["ok"]
            above = hierarchy().cpu / helper.subtree
            assert {group.name for group in above.glob("nf-*")} == {"nf-web.router", "nf-web.firewall", "nf-dns.router"}
            asking.close()
        finally:
            helper.end_all()

    def test_a_helper_without_one_lifts_it(self, tmp_path: Path, program: Path) -> None:
        """The same host after a start with another file."""
        first = HelperProcess(tmp_path, program, budget_percent=50).start()
        first.kill(signal.SIGTERM)
        following = HelperProcess(tmp_path, program).start()
        try:
            asking = Asking(following.socket)
            assert asking.ask("set_cpu", nf_id="web.router", weight=100, quota_percent=100)["ok"]
            asking.close()
        finally:
            following.end_all()

    @pytest.mark.parametrize("text", ["0", "-5", "half", "nan", "1e9"])
    def test_what_is_no_budget_is_refused(self, tmp_path: Path, program: Path, text: str) -> None:
        command = HelperProcess(tmp_path, program).command("--cpu-percent", text)
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        assert done.returncode == 2 and "--cpu-percent: is not a number from 1 to 100000" in done.stderr


def test_a_second_helper_on_the_same_groups_ends_at_once_and_disturbs_nothing(
    helper: HelperProcess, asking: Asking
) -> None:
    done = subprocess.run(helper.command(), capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, "another helper holds" in done.stderr) == (1, True)
    assert asking.ask("hello")["ok"]
    Asking(helper.socket).close()


class TestProcessesThatAreNotNfs:
    """Whose processes may be moved: the registered program's, of the agent's user, and nobody else's."""

    def test_others(self, asking: Asking) -> None:
        sleeper = subprocess.Popen(["/bin/sleep", "60"])
        try:
            for pid in (sleeper.pid, os.getpid(), 2):
                assert asking.refused("place", nf_id="web.router", pid=pid) == ("not-allowed", "pid")
            assert "sextant" not in group_of(sleeper.pid)
        finally:
            sleeper.kill()
            sleeper.wait()

    def test_init_is_refused_by_its_number(self, asking: Asking) -> None:
        assert asking.refused("place", nf_id="web.router", pid=1) == ("bad-request", "pid")

    def test_one_that_has_ended(self, asking: Asking, busy: subprocess.Popen[bytes]) -> None:
        busy.kill()
        os.waitid(os.P_PID, busy.pid, os.WEXITED | os.WNOWAIT)  # a zombie still has its pid
        assert asking.refused("place", nf_id="web.router", pid=busy.pid) == ("not-allowed", "pid")
        busy.wait()
        assert asking.refused("place", nf_id="web.router", pid=busy.pid) == ("not-allowed", "pid")

    def test_the_right_program_of_another_user(self, asking: Asking, tmp_path: Path, program: Path) -> None:
        above = Path(tempfile.gettempdir())
        for folder in (tmp_path, *(parent for parent in tmp_path.parents if above in parent.parents)):
            folder.chmod(folder.stat().st_mode | 0o011)
        process = subprocess.Popen([program, "-c", "while :; do :; done"], user=NOBODY, group=NOBODY)
        try:
            assert asking.refused("place", nf_id="web.router", pid=process.pid) == ("not-allowed", "pid")
        finally:
            process.kill()
            process.wait()

    def test_a_program_that_was_built_anew_meanwhile(
        self, asking: Asking, program: Path, busy: subprocess.Popen[bytes]
    ) -> None:
        """Its NFs go on running the old file, which has no name any more."""
        program.unlink()
        assert asking.ask("place", nf_id="web.router", pid=busy.pid)["ok"]
