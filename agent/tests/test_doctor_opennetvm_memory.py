"""What the doctor says of the huge pages of an OpenNetVM host."""

import pytest

from .doctor_world import HUGE_2M, DoctorWorld, only


def test_huge_pages_that_are_short(world: DoctorWorld) -> None:
    """2048 MiB are 1024 pages of 2 MiB; 1000 are free of 1024, so 24 more are reserved: 1048."""
    world.write({f"{HUGE_2M}/free_hugepages": 1000})
    found = only(world)
    assert (found.check, found.state) == ("huge pages, node 1", "problem")
    assert found.what == "1000 of 1024 pages of 2 MiB are free; managers that are to start ask for 1024 (2048 MiB)"
    assert found.do == f"as root: echo 1048 > /{HUGE_2M}/nr_hugepages; or lower memory_mb in opennetvm.toml"


def test_a_manager_that_runs_holds_its_pages(world: DoctorWorld) -> None:
    world.write({f"{HUGE_2M}/free_hugepages": 0})
    world.manager_process()
    assert "huge pages, node 1" not in world.wrong()
    assert world.findings()["huge pages, node 1"].what.endswith("its managers run, and hold theirs")


def test_pages_in_files_of_the_dead_come_back(world: DoctorWorld) -> None:
    world.write({f"{HUGE_2M}/free_hugepages": 1022, "dev/hugepages/sextant-westmap_0": ""})
    assert world.wrong()["huge pages, node 1"].state == "problem", "two are missing and one is held"
    world.write({"dev/hugepages/sextant-westmap_1": ""})
    assert world.wrong()["huge pages, node 1"].state == "warning"


def test_memory_comes_from_the_nodes_of_a_managers_cpus(world: DoctorWorld) -> None:
    """Three CPUs, one of them on node 0: a third of 2048 MiB is 682.7 MiB, 342 pages, and there are none."""
    world.describe("cpus = [8, 9, 10]", "cpus = [8, 9, 7]")
    wrong = world.wrong()
    assert wrong["huge pages, node 0"].what.endswith("ask for 342 (683 MiB)")
    assert wrong["node of west"].what.startswith("its CPUs 7 are not on node 1")
    assert set(wrong) == {"huge pages, node 0", "node of west", "isolation"}


def test_huge_pages_of_one_gib_are_reserved_at_boot(world: DoctorWorld) -> None:
    world.write({"proc/self/mounts": "hugetlbfs /dev/hugepages hugetlbfs rw,pagesize=1024M 0 0"})
    pool = "sys/devices/system/node/node1/hugepages/hugepages-1048576kB"
    world.write({f"{pool}/free_hugepages": 1, f"{pool}/nr_hugepages": 1})
    found = only(world)
    assert found.what == "1 of 1 pages of 1 GiB are free; managers that are to start ask for 2 (2048 MiB)"
    assert found.do
    assert "hugepagesz=1G" in found.do


@pytest.mark.parametrize(
    "mounts", ["none / ext4 rw 0 0", "h /dev/hugepages hugetlbfs rw 0 0\nnone /dev/hugepages tmpfs rw 0 0"]
)
def test_huge_pages_must_be_mounted_where_the_description_says(world: DoctorWorld, mounts: str) -> None:
    world.write({"proc/self/mounts": mounts})
    found = only(world)
    assert (found.check, found.state, found.what) == (
        "huge pages",
        "problem",
        "no huge pages are mounted at /dev/hugepages",
    )
