"""The inventory of fixture machines, each figure read off the tree, and of the real one."""

import os
from pathlib import Path

import pytest
from sextant_agent.machine.cpulist import format_cpulist, parse_cpulist
from sextant_agent.machine.inventory import CoreSharing, build_inventory, exclusive_cores
from sextant_agent.machine.machine import read_machine
from sextant_domain.hosts.host import HostInventory, ReservedFor

from .machines import small, two_sockets

ALL = frozenset(range(64))


def inventory(root: Path, wanted: tuple[int, ...] | None = None, affinity: frozenset[int] = ALL) -> HostInventory:
    return build_inventory(read_machine(root, wanted, affinity), "edge-1", "testbed")


def capability(host: HostInventory, name: str) -> tuple[bool, str]:
    return next((found.available, found.reason) for found in host.capabilities if found.name == name)


def test_two_sockets_with_smt_and_resctrl(tmp_path: Path) -> None:
    host = inventory(two_sockets(tmp_path))
    assert host.host_model == "Xeon Gold 6226R, 2 x 8 cores"
    assert (host.hostname, host.kernel) == ("big", "6.1.0")
    assert [(node.id, node.socket, node.memory_bytes) for node in host.nodes] == [(0, 0, 2**26), (1, 1, 2**27)]
    for node in host.nodes:
        assert node.llc is not None
        assert (node.llc.size_bytes, node.llc.ways, node.llc.ways_shared_with_nic) == (32 * 2**20, 11, 2)
        assert node.memory_bandwidth_steps_percent == (30, 60, 90, 100), "from 10 %, in multiples of 30 %, and all"
    cores = {core.id: core for core in host.cores}
    assert len(cores) == 32
    assert (cores[9].node, cores[9].socket, cores[9].siblings) == (1, 1, (25,))
    assert cores[9].physical_core == cores[25].physical_core != cores[1].physical_core, "core_id 1 is in both sockets"
    assert not host.shares_cores
    assert capability(host, "numa") == (True, "2 nodes")
    assert capability(host, "hugepages") == (True, "free: 4 of 1048576kB")
    assert capability(host, "perf-counters")[0]


def test_nics_carry_their_node_and_virtual_ones_are_left_out(tmp_path: Path) -> None:
    nics = {nic.name: nic for nic in inventory(two_sockets(tmp_path)).nics}
    assert set(nics) == {"ens1f0", "ens2"}
    found = nics["ens1f0"]
    assert (found.node, found.pci_address, found.driver, found.speed_mbps) == (1, "0000:81:00.0", "mlx5_core", 100_000)
    found = nics["ens2"]
    assert (found.node, found.pci_address, found.driver, found.speed_mbps) == (None, "0000:03:00.0", "virtio_net", None)


def test_from_8_cores_on_one_is_the_systems_and_one_the_traffics(tmp_path: Path) -> None:
    host = inventory(two_sockets(tmp_path))
    reserved = {core.id: core.reserved_for for core in host.cores if core.reserved_for}
    assert reserved == {
        0: ReservedFor.SYSTEM,
        16: ReservedFor.SYSTEM,
        1: ReservedFor.RX,
        17: ReservedFor.RX,
    }, "with their siblings"
    assert all(core.slots == (0 if core.id in reserved else 1) for core in host.cores)
    assert host.traffic_core == 1


def test_a_small_machine_shares_cores_and_keeps_core_0_for_last(tmp_path: Path) -> None:
    host = inventory(small(tmp_path))
    assert [(core.id, core.slots, core.last_choice) for core in host.cores] == [(0, 2, True), (1, 8, False)]
    assert host.shares_cores
    assert host.traffic_core == 1
    assert {(port.name, port.kind, port.node) for port in host.ports} == {("src0", "source", 0), ("sink0", "sink", 0)}
    (node,) = host.nodes
    assert node.memory_bytes == 2**21
    assert node.llc is not None
    assert (node.llc.size_bytes, node.llc.ways) == (16 * 2**20, None)
    assert node.memory_bandwidth_steps_percent == ()
    for name, why in [
        ("hugepages", "none is reserved"),
        ("perf-counters", "no hardware counters"),
        ("numa", "one NUMA node"),
    ]:
        available, reason = capability(host, name)
        assert (available, why in reason) == (False, True), reason


@pytest.mark.parametrize(
    ("cpus", "slots"),
    [(1, [8]), (2, [2, 8]), (7, [2, 8, 8, 8, 8, 8, 8]), (8, [0, 0, 1, 1, 1, 1, 1, 1])],
)
def test_slots_by_size(tmp_path: Path, cpus: int, slots: list[int]) -> None:
    host = inventory(small(tmp_path, cpus))
    assert [core.slots for core in host.cores] == slots


@pytest.mark.parametrize(
    ("cpus", "slots"),
    [(1, [8]), (2, [0, 1]), (7, [0, 1, 1, 1, 1, 1, 1]), (8, [0, 0, 1, 1, 1, 1, 1, 1])],
)
def test_slots_where_cores_are_never_shared(tmp_path: Path, cpus: int, slots: list[int]) -> None:
    """Core 0 is the system's and the traffic's together; one core is all there is, and shared whatever is set."""
    host = build_inventory(read_machine(small(tmp_path, cpus), affinity=ALL), "edge-1", "testbed", sharing="never")
    assert [core.slots for core in host.cores] == slots
    assert (host.shares_cores, host.traffic_core) == (cpus == 1, 1 if cpus == 8 else 0)
    assert not any(core.last_choice for core in host.cores if core.slots == 1)


def test_siblings_of_the_reserved_core_are_reserved_with_it(tmp_path: Path) -> None:
    """CPUs 0 and 16, 1 and 17 are two threads each of physical cores 0 and 1; of one alone there is no second core."""
    root = two_sockets(tmp_path)
    host = build_inventory(read_machine(root, None, frozenset({0, 1, 16, 17})), "edge-1", "testbed", sharing="never")
    assert {core.id: (core.slots, core.reserved_for) for core in host.cores} == {
        0: (0, ReservedFor.RX), 16: (0, ReservedFor.RX), 1: (1, None), 17: (1, None),
    }  # fmt: skip
    one = build_inventory(read_machine(root, None, frozenset({0, 16})), "edge-1", "testbed", sharing="never")
    assert [core.slots for core in one.cores] == [2, 8]


@pytest.mark.parametrize(
    ("cpus", "sharing", "expected"),
    [
        (4, "small-hosts", (False, "4 CPUs: NFs share 0-3, and predictions use time sharing. Set "
         "SEXTANT_AGENT_SHARED_CORES=never for one NF per core (3 of 4 physical cores would take NFs)")),
        (4, "never", (True, "its agent offers 1-3, one NF per core; 0 is left to the system and to chains' source")),
        (1, "never", (False, "one physical core: NFs share 0 whatever SEXTANT_AGENT_SHARED_CORES says")),
        (8, "small-hosts", (True, "its agent offers 2-7, one NF per core")),
    ],
)  # fmt: skip
def test_the_host_says_whether_nfs_share_cores_and_what_changes_it(
    tmp_path: Path, cpus: int, sharing: CoreSharing, expected: tuple[bool, str]
) -> None:
    found = exclusive_cores(read_machine(small(tmp_path, cpus), affinity=ALL), sharing)
    assert (found.name, found.available, found.reason[: len(expected[1])]) == ("exclusive-cores", *expected)


def test_only_what_affinity_and_settings_allow_is_offered(tmp_path: Path) -> None:
    root = two_sockets(tmp_path)
    host = inventory(root, affinity=frozenset({4, 5, 6}))
    assert [(core.id, core.slots) for core in host.cores] == [(4, 2), (5, 8), (6, 8)]
    assert host.host_model == "Xeon Gold 6226R, 2 x 8 cores", "the model is the machine's, whatever is offered"
    assert [core.id for core in inventory(root, (5, 6, 99), frozenset({4, 5, 6})).cores] == [5, 6]


@pytest.mark.parametrize(("said", "mode"), [("max\n", "max"), ("per-thread\n", "per-thread"), ("undefined\n", None)])
def test_how_threads_of_a_physical_core_are_throttled(tmp_path: Path, said: str, mode: str | None) -> None:
    root = two_sockets(tmp_path)
    file = root / "sys/fs/resctrl/info/MB/thread_throttle_mode"
    file.write_text(said)
    assert inventory(root).thread_throttle_mode == mode
    file.unlink()
    assert inventory(root).thread_throttle_mode is None, "a kernel from before, or a CPU of AMD's"


def test_ways_of_code_and_data_apart_are_not_offered(tmp_path: Path) -> None:
    """Mounted with cdp: the root helper does not hand them out."""
    root = two_sockets(tmp_path)
    (root / "sys/fs/resctrl/info/L3").rename(root / "sys/fs/resctrl/info/L3CODE")
    assert {node.llc.ways for node in inventory(root).nodes if node.llc} == {None}


@pytest.mark.parametrize("damage", ["", "x", "-1", "99999999999999999999999", "0-", "\x00"])
def test_a_kernel_that_says_nonsense_is_survived(tmp_path: Path, damage: str) -> None:
    root = two_sockets(tmp_path)
    for path in (
        "sys/devices/system/cpu/cpu3/cache/index3/size",
        "sys/devices/system/cpu/cpu3/topology/physical_package_id",
        "sys/devices/system/node/node0/meminfo",
        "sys/fs/resctrl/info/L3/cbm_mask",
        "sys/fs/resctrl/info/MB/bandwidth_gran",
        "sys/fs/resctrl/info/MB/thread_throttle_mode",
        "proc/cpuinfo",
    ):
        (root / path).write_text(damage)
    assert len(inventory(root).cores) == 32


def test_the_real_machine() -> None:
    host = build_inventory(read_machine(Path("/")), "edge-1", "testbed")
    assert {core.id for core in host.cores} == os.sched_getaffinity(0)
    assert host.kernel == os.uname().release
    assert sum(node.memory_bytes for node in host.nodes) > 2**28
    assert "lo" not in {nic.name for nic in host.nics}
    assert all(found.reason for found in host.capabilities)


@pytest.mark.parametrize(("text", "cpus"), [("0-3,8", (0, 1, 2, 3, 8)), ("", ()), (" 2 , 1 ", (1, 2)), ("5-5", (5,))])
def test_cpu_lists(text: str, cpus: tuple[int, ...]) -> None:
    assert parse_cpulist(text) == cpus
    assert parse_cpulist(format_cpulist(cpus)) == cpus


@pytest.mark.parametrize("text", ["a", "3-1", "1-", "-1", "0-99999999", "1.5", "²"])
def test_bad_cpu_lists_name_the_part(text: str) -> None:
    with pytest.raises(ValueError, match="CPU number"):
        parse_cpulist(text)
