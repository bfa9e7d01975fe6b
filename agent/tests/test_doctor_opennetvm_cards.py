"""What the doctor says of the cards of an OpenNetVM host."""

import os

import pytest

from .doctor_world import CARD, LIMITS, DoctorWorld, only

SECOND = """
[[manager]]
name = "east"
cpus = [0, 1, 2]
nf_cpus = "3-6"
port = "p1"
node = 0
eal = ["--vdev=net_null0"]
"""


def test_a_card_on_another_node(world: DoctorWorld) -> None:
    world.write({f"{CARD}/numa_node": 0})
    found = only(world)
    assert (found.check, found.state) == ("node of p0", "warning")
    assert found.what == "card 0000:81:00.0 is on NUMA node 0, its manager west is set up for node 1"


@pytest.mark.parametrize(
    ("driver", "state", "what"),
    [
        ("ixgbe", "problem", "is bound to the kernel driver ixgbe, which takes its packets"),
        (None, "problem", "has no driver"),
        ("igb_uio", "warning", "is bound to igb_uio: no IOMMU protection, and root only"),
        ("mlx5_core", "ok", "uses mlx5_core, which shares the card with DPDK"),
    ],
)
def test_a_card_must_be_bound_to_what_dpdk_drives(
    world: DoctorWorld, driver: str | None, state: str, what: str
) -> None:
    world.bind(driver)
    found = world.findings()["port p0"]
    assert (found.state, found.what) == (state, f"card 0000:81:00.0 {what}")


def test_vfio_needs_a_group_that_the_user_may_open_and_locked_memory(world: DoctorWorld) -> None:
    """2 GiB lie in the manager's huge pages, and the card may write to all of them; 8 MiB may be locked."""
    world.denied.add("dev/vfio/7")
    found = only(world)
    assert found.what == f"user {os.getuid()} may not open /dev/vfio/7 of card 0000:81:00.0"
    world.denied = {"dev/vfio/vfio"}
    assert "may not open /dev/vfio/vfio" in only(world).what
    world.denied.clear()
    world.write({"proc/self/limits": LIMITS.format(8 * 2**20, 8 * 2**20)})
    assert only(world).what == "8 MiB may be locked; a manager locks up to 2048 MiB for its card"
    world.write({"proc/self/limits": LIMITS.format(2**31, 2**31)})
    assert world.wrong() == {}
    (world.root / CARD / "iommu_group").unlink()
    assert "has no IOMMU group" in only(world).what


def test_a_card_that_is_not_there_or_not_named(world: DoctorWorld) -> None:
    world.describe("0000:81:00.0", "82:00.1,queues=2")
    assert only(world).what == "there is no card at 0000:82:00.1"
    world.describe('eal = ["-a", "82:00.1,queues=2"]', "")
    assert only(world).what == "no network card is named for it"
    (world.root / "sys/bus/pci/drivers/vfio-pci/0000:81:00.0").symlink_to(world.root / CARD)
    assert world.wrong() == {}, "a manager alone takes what there is"


def test_two_managers_need_cards_of_their_own(world: DoctorWorld) -> None:
    """East's 2048 MiB are of node 0; a virtual device needs no card, and no card named would be both managers'."""
    pool = "sys/devices/system/node/node0/hugepages/hugepages-2048kB"
    world.write({f"{pool}/free_hugepages": 1024, f"{pool}/nr_hugepages": 1024})
    world.write({f"sys/devices/system/cpu/{name}": "1-15" for name in ("isolated", "nohz_full")})
    world.write({"proc/irq/31/effective_affinity_list": "0"})
    toml = world.root / "etc/sextant/opennetvm.toml"
    toml.write_text(toml.read_text() + SECOND)
    assert world.wrong() == {}
    world.describe('eal = ["--vdev=net_null0"]', "")
    assert only(world).check == "port p1"
