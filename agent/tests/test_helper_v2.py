"""What the helper reads and writes under cgroup v2.

This is a tree of ordinary files and not the kernel: it shows the arithmetic, what is written where, and what is refused
before anything is written. That the kernel takes it is shown by `test_helper.py` on a machine whose CPU controller is
v2's; where it is v1's, that part stays unproved.
"""

from pathlib import Path

import pytest
from sextant_agent.helper.cpu_files import CpuFilesV2, Use
from sextant_agent.helper.groups import CpuGroups
from sextant_agent.helper.hierarchy import Hierarchy
from sextant_agent.helper.refusal import HeldByAnotherHelper, HelperRefusal, Unusable

SUBTREE = "sextant/edge-1.ab"


def group(root: Path, name: str = "", **files: str) -> Path:
    """A cgroup's folder with its files as the kernel makes them."""
    place = root / name
    place.mkdir(parents=True, exist_ok=True)
    usual = {
        "cgroup.controllers": "cpu memory",
        "cgroup.subtree_control": "",
        "cgroup.procs": "",
        "cpu.weight": "100",
        "cpu.max": "max 100000",
        "cpu.stat": "usage_usec 5000\nuser_usec 4000\nnr_periods 20\nnr_throttled 3\nthrottled_usec 70\n",
    }
    for file, text in (usual | {key.replace("_", "."): value for key, value in files.items()}).items():
        (place / file).write_text(f"{text}\n" if text else "")
    return place


@pytest.fixture
def root(tmp_path: Path) -> Path:
    group(tmp_path)
    group(tmp_path, "sextant")
    group(tmp_path, SUBTREE)
    group(tmp_path, f"{SUBTREE}/nf-web.router")
    group(tmp_path, f"{SUBTREE}/nf-web.firewall")
    return tmp_path


def groups(root: Path) -> CpuGroups:
    return CpuGroups(CpuFilesV2(Hierarchy(version=2, cpu=root, cpuacct=None)), "edge-1.ab")


def text(root: Path, name: str) -> str:
    return (root / name).read_text().strip()


def test_the_controller_is_handed_down_to_the_leaves_and_no_further(root: Path) -> None:
    groups(root).open()
    for name in ("", "sextant", SUBTREE):
        assert text(root / name, "cgroup.subtree_control") == "+cpu"
    assert text(root, f"{SUBTREE}/nf-web.router/cgroup.subtree_control") == "", "processes are in the leaves alone"


def test_what_is_handed_down_already_is_not_written_again(root: Path) -> None:
    (root / "cgroup.subtree_control").write_text("memory cpu\n")
    groups(root).open()
    assert text(root, "cgroup.subtree_control") == "memory cpu"


def test_weight_and_quota_are_written_and_read_back(root: Path) -> None:
    mine = groups(root)
    mine.open()
    mine.set_cpu("web.router", 250, 30)
    assert text(root, f"{SUBTREE}/nf-web.router/cpu.weight") == "250"
    assert text(root, f"{SUBTREE}/nf-web.router/cpu.max") == "3000 10000"
    found = mine.read("web.router")
    assert (found.weight, found.quota_percent, found.pids) == (250, 30.0, ())
    assert found.use == Use(cpu_ns=5_000_000, periods=20, throttled_periods=3, throttled_ns=70_000)
    mine.set_cpu("web.router", 250, None)
    assert text(root, f"{SUBTREE}/nf-web.router/cpu.max").startswith("max ")
    assert mine.read("web.router").quota_percent is None


def test_the_groups_above_weigh_what_is_in_them(root: Path) -> None:
    """200 + 100 here, and another installation's 500 beside it; never more than the kernel takes."""
    group(root, "sextant/other.cd", cpu_weight="500")
    mine = groups(root)
    mine.open()
    mine.set_cpu("web.router", 200, None)
    assert (text(root, f"{SUBTREE}/cpu.weight"), text(root, "sextant/cpu.weight")) == ("300", "800")
    mine.set_cpu("web.router", 10_000, None)
    assert text(root, f"{SUBTREE}/cpu.weight") == "10000"


def test_a_process_is_written_to_its_leaf(root: Path) -> None:
    groups(root).place("web.router", 4711)
    assert text(root, f"{SUBTREE}/nf-web.router/cgroup.procs") == "4711"


def test_a_group_with_a_process_is_not_removed(root: Path) -> None:
    (root / SUBTREE / "nf-web.router/cgroup.procs").write_text("4711\n")
    with pytest.raises(HelperRefusal, match="process 4711 runs") as refusal:
        groups(root).remove("web.router")
    assert refusal.value.code == "busy"


def test_a_machine_that_hands_no_cpu_controller_on_is_reported(root: Path) -> None:
    (root / "cgroup.controllers").write_text("memory\n")
    with pytest.raises(Unusable, match="does not hand the cpu controller on"):
        groups(root).open()


def test_two_helpers_do_not_share_a_subtree(root: Path) -> None:
    first = groups(root)
    first.open()
    with pytest.raises(HeldByAnotherHelper, match="another helper"):
        groups(root).open()
    first.close()
    groups(root).open()
