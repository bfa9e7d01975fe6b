"""The root helper as a process on a mounted double of resctrl: descriptors, rights, locks, kills."""

import fcntl
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from sextant_agent.helper.refusal import Unusable
from sextant_agent.helper.resctrl_files import MAGIC, Mount, find_mount

from .helper_process import Asking, why_no_groups
from .resctrl_mount import HelperOnDouble, mounted, why_no_fuse

WHY_NOT = why_no_fuse() or why_no_groups()
needs_fuse = pytest.mark.skipif(WHY_NOT is not None, reason=f"no file system can be mounted here: {WHY_NOT}")
SET = {"nf_id": "web.router", "cache": 0, "llc_ways": 2, "memory_bandwidth_percent": 50}


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    with mounted(tmp_path / "resctrl") as place:
        yield place


@pytest.fixture
def helper(tmp_path: Path, program: Path, place: Path) -> Iterator[HelperOnDouble]:
    helper = HelperOnDouble(tmp_path, program, place)
    helper.start()
    yield helper
    helper.end_all()


def schemata(place: Path, group: str = "") -> list[str]:
    return [line.strip() for line in (place / group / "schemata").read_text().splitlines()]


def group_of(helper: HelperOnDouble, nf_id: str = "web.router") -> Path:
    return helper.place / f"{helper.subtree.replace('/', '.')}.nf-{nf_id}"


@needs_fuse
class TestMounted:
    def test_a_thread_gets_ways_and_bandwidth_and_all_is_given_back(
        self, helper: HelperOnDouble, asking: Asking, busy: subprocess.Popen[bytes]
    ) -> None:
        assert asking.ask("set_resources", **SET)["mask"] == 0x003
        assert asking.ask("place_thread", nf_id="web.router", pid=busy.pid, tid=busy.pid)["ok"]
        folder = group_of(helper)
        assert (folder / "tasks").read_text().split() == [str(busy.pid)]
        assert schemata(folder) == ["L3:0=003;1=7ff", "MB:0= 50;1=100"]
        assert schemata(helper.place) == ["L3:0=7fc;1=7ff", "MB:0=100;1=100"]
        busy.kill()
        busy.wait()
        assert asking.ask("clean")["removed"] == ["web.router"]
        assert not folder.exists()
        assert schemata(helper.place)[0] == "L3:0=7ff;1=7ff"

    def test_it_keeps_the_right_to_make_folders_where_nobody_may_and_no_more(self, helper: HelperOnDouble) -> None:
        """Without it the kernel would refuse: the mount point's mode is 0555."""
        assert helper.process is not None
        status = Path(f"/proc/{helper.process.pid}/status").read_text()
        fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        assert int(fields["CapEff"], 16) == 1 << 19 | 1 << 1

    def test_a_killed_helpers_groups_are_adopted_and_others_left_alone(
        self, helper: HelperOnDouble, asking: Asking, busy: subprocess.Popen[bytes]
    ) -> None:
        foreign = helper.place / "db"
        foreign.mkdir()
        for path, line in ((foreign, "L3:0=700\n"), (helper.place, "L3:0=0ff\n")):
            (path / "schemata").write_text(line)
        asking.ask("set_resources", **(SET | {"nf_id": "web.gone"}))
        asking.ask("set_resources", **SET)
        asking.ask("place_thread", nf_id="web.router", pid=busy.pid, tid=busy.pid)
        helper.kill(signal.SIGKILL)
        helper.start()
        successor = Asking(helper.socket)
        (found,) = successor.ask("list_resources")["nfs"]
        successor.close()
        assert (found["nf_id"], found["tids"], found["llc_ways"]) == ("web.router", [busy.pid], {"0": 3})
        assert not group_of(helper, "web.gone").exists()
        assert schemata(foreign)[0] == "L3:0=700;1=7ff"
        assert schemata(helper.place)[0] == "L3:0=0fc;1=7ff"

    def test_cleaning_says_whose_threads_are_left(
        self, helper: HelperOnDouble, asking: Asking, busy: subprocess.Popen[bytes]
    ) -> None:
        asking.ask("set_resources", **SET)
        asking.ask("place_thread", nf_id="web.router", pid=busy.pid, tid=busy.pid)
        helper.kill(signal.SIGTERM)
        done = helper.clean()
        assert (done.returncode, "web.router" in done.stderr) == (1, True)
        busy.kill()
        busy.wait()

    def test_whoever_holds_the_lock_of_resctrl_is_waited_for_a_moment(
        self, helper: HelperOnDouble, asking: Asking
    ) -> None:
        descriptor = os.open(helper.place, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        assert asking.refused("set_resources", **SET) == ("busy", None)
        assert asking.ask("list_resources")["nfs"] == [], "reading needs no lock"
        os.close(descriptor)
        assert asking.ask("set_resources", **SET)["ok"]

    def test_nothing_is_held_between_requests(self, helper: HelperOnDouble, asking: Asking) -> None:
        """So that a person can unmount it; afterwards the helper reports it and what to do."""
        assert asking.ask("set_resources", **SET)["ok"]
        subprocess.run(["umount", str(helper.place)], check=True)
        assert asking.refused("set_resources", **SET) == ("not-available", None)
        assert "mount -t resctrl" in asking.ask("hello")["llc_reason"]

    def test_another_file_system_in_its_place_is_not_touched(self, tmp_path: Path, program: Path, place: Path) -> None:
        """It is named resctrl in the list of mounts, and the kernel says that it is not."""
        helper = HelperOnDouble(tmp_path, program, place, magic=MAGIC)
        helper.start()
        asking = Asking(helper.socket)
        assert asking.refused("set_resources", **SET) == ("not-available", None)
        assert "is no resctrl file system" in asking.ask("hello")["llc_reason"]
        asking.close()
        assert [entry.name for entry in place.iterdir() if entry.name.startswith("sextant")] == []
        helper.end_all()


MOUNT = "43 27 0:40 / /sys/fs/resctrl {} - resctrl resctrl {}"


class TestWhereItIs:
    def test_found_with_its_options(self) -> None:
        lines = ["22 1 0:20 / / rw - ext4 /dev/root rw", MOUNT.format("rw,relatime shared:7", "rw,cdp,mba_MBps")]
        found = find_mount("\n".join(lines))
        assert found == Mount(Path("/sys/fs/resctrl"), frozenset({"rw", "cdp", "mba_MBps"}))

    def test_read_only_for_this_process(self) -> None:
        """As in a unit with ProtectKernelTunables=."""
        with pytest.raises(Unusable, match="ReadWritePaths="):
            find_mount(MOUNT.format("ro,relatime", "rw"))

    def test_one_that_may_be_written_is_found_beside_others(self) -> None:
        """One group, mounted by itself for a container, is not the file system's root."""
        alone = "44 27 0:40 /db /srv/db rw - resctrl resctrl rw"
        second = MOUNT.format("rw", "rw").replace("/sys/fs/resctrl", "/mnt/a\\040b")
        found = find_mount("\n".join([alone, MOUNT.format("ro", "rw"), second]))
        assert found.place == Path("/mnt/a b")
        with pytest.raises(Unusable):
            find_mount(alone)

    @pytest.mark.parametrize(("there", "why"), [(True, "as root, mount -t resctrl"), (False, "no resctrl: this CPU")])
    def test_not_mounted(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, there: bool, why: str) -> None:
        monkeypatch.setattr("sextant_agent.helper.resctrl_files.FEATURE", tmp_path if there else tmp_path / "x")
        with pytest.raises(Unusable, match=why):
            find_mount("22 1 0:20 / / rw - ext4 /dev/root rw\nnonsense - resctrl\n\n")
