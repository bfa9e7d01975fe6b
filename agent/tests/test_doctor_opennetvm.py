"""What `sextant-agent doctor` says of an OpenNetVM host, read off made-up roots: one thing is spoiled, one is told."""

import json
import os
from pathlib import Path

import pytest
from sextant_agent.doctor.finding import Finding
from sextant_agent.drivers.opennetvm.installation import read_installation
from sextant_agent.drivers.opennetvm.start_settings import hash_of, settings_of

from .doctor_world import CARD, HUGE_2M, LIMITS, MANAGER, STATE, DoctorWorld

SECOND = """
[[manager]]
name = "east"
cpus = [0, 1, 2]
nf_cpus = "3-6"
port = "p1"
node = 0
eal = ["--vdev=net_null0"]
"""


@pytest.fixture
def world(tmp_path: Path) -> DoctorWorld:
    return DoctorWorld(tmp_path)


def only(world: DoctorWorld) -> Finding:
    """The one thing that is wrong."""
    (found,) = world.wrong().values()
    assert found.do
    return found


def test_a_host_that_is_right_has_nothing_to_mend(world: DoctorWorld) -> None:
    assert world.wrong() == {}
    found = world.findings()
    assert found["NF types"].what == "offered: basic-monitor, firewall, nids, simple-forward"
    assert found["DPDK"].what == "manager and NFs are for ABI 23, DPDK 22.11 and up"
    assert found["port p0"].what == "card 0000:81:00.0 is bound to vfio-pci, and /dev/vfio/7 may be opened"
    assert found["manager west"].what == "not started: no chain enters by p0"
    assert found["resctrl"].what.startswith("11 ways a cache")
    helper = found["root helper"]
    assert helper.state == "warning", "none answers here"
    assert helper.do
    assert "--host-id edge-1" in helper.do


def test_the_description_is_told_by_its_field(world: DoctorWorld) -> None:
    world.describe("node = 1", "nodes = 1")
    found = only(world)
    assert (found.check, found.state) == ("opennetvm.toml", "problem")
    assert found.what == "/etc/sextant/opennetvm.toml: line 4: manager.0.node: Field required"


def test_programs_that_lack(world: DoctorWorld) -> None:
    (world.root / MANAGER).unlink()
    assert only(world).what == f"there is no manager at /{MANAGER}"
    assert "`sh deploy/agent/build-opennetvm.sh /opt/openNetVM`" in (only(world).do or "")
    world.program(MANAGER, b"")
    world.denied.add(MANAGER)
    assert only(world).do == f"chmod a+rx /{MANAGER}"


def test_a_type_without_its_program_is_not_offered(world: DoctorWorld) -> None:
    (world.root / "opt/openNetVM/examples/payload_scan/build/app/payload_scan").unlink()
    world.describe("[[manager]]", '[program.router]\npath = "/opt/nfs/router"\n[[manager]]')
    found = only(world)
    assert (found.check, found.state) == ("NF types", "warning")
    assert "nids: nothing at /opt/openNetVM/examples/payload_scan/build/app/payload_scan" in found.what
    assert "router: nothing at /opt/nfs/router" in found.what


def test_without_the_way_out_most_chains_cannot_end(world: DoctorWorld) -> None:
    (world.root / "opt/openNetVM/examples/basic_monitor/build/app/basic_monitor").unlink()
    assert set(world.wrong()) == {"NF types", "helpers"}


def test_two_versions_of_dpdk_do_not_meet(world: DoctorWorld) -> None:
    """ABI 21 came with DPDK 20.11, and 23 with 22.11: that of the year after. Static builds name a folder."""
    world.program("opt/openNetVM/examples/firewall/build/app/firewall", b"\x7fELF /usr/lib/dpdk/pmds-21.0\0")
    found = only(world)
    assert (found.check, found.state) == ("DPDK", "problem")
    assert found.what.startswith("the manager is for ABI 23, DPDK 22.11 and up, but firewall for ABI 21:")
    world.program(MANAGER, b"\x7fELF linked without a trace")
    assert world.wrong() == {}, "what cannot be told is no fault"
    assert "cannot be read off its file" in world.findings()["DPDK"].what


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


def test_folders_must_be_the_users(world: DoctorWorld) -> None:
    world.denied |= {"dev/hugepages", "var/run/dpdk"}
    wrong, user = world.wrong(), os.getuid()
    assert wrong["huge pages"].do == f"as root: chown {user} /dev/hugepages"
    assert wrong["runtime folder"].what == f"user {user} may not write to /var/run/dpdk"
    assert wrong["runtime folder"].do == (  # not /var/run/dpdk itself, which is every user's of DPDK
        'in opennetvm.toml: runtime_dir = "/run/sextant-agent/dpdk"; '
        f"then as root: install -d -o {user} -m 0700 /run/sextant-agent/dpdk (at every boot: a line in tmpfiles.d)"
    )
    world.denied = {"dev/hugepages", "var/run"}
    (world.root / "var/run/dpdk").rmdir()
    assert world.wrong()["runtime folder"].what == f"no /var/run/dpdk, and user {user} may not make it"


def test_permissions_are_told_for_the_agents_user(world: DoctorWorld) -> None:
    world.run_as(4242)
    found = only(world)
    assert found.check == "user"
    assert found.what == f"permissions are told for user 4242, but /{STATE} belongs to user {os.getuid()}"


def test_what_may_not_be_looked_at_is_told_and_the_rest_goes_on(
    world: DoctorWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root of a test may look everywhere, so the system call answers as it does to another user."""
    looked = Path.exists

    def exists(path: Path) -> bool:
        if path.name == "sextant-west":
            raise PermissionError(13, "Permission denied", str(path))
        return looked(path)

    monkeypatch.setattr(Path, "exists", exists)
    found = only(world)
    assert (found.check, found.state) == ("processes", "problem")
    assert found.what.endswith("var/run/dpdk/sextant-west: Permission denied")
    assert "resctrl" in world.findings()


def test_cpus_that_are_not_there_or_not_allowed(world: DoctorWorld) -> None:
    world.describe("11-14", "11-14,40")
    assert world.wrong()["CPUs"].what == "40 of opennetvm.toml are not online here"
    world.describe("11-14,40", "11-14")
    status = (world.root / "proc/self/status").read_text().replace("0-31", "0-12")
    world.write({"proc/self/status": status})
    found = only(world)
    assert found.state == "warning", "the agent's own may be wider"
    assert found.what.startswith("13-14 of opennetvm.toml are not in this process's affinity, and no agent runs")
    world.write({f"{STATE}/agent.json": '{"pid": 60}', "proc/60/status": "Cpus_allowed_list:\t0-13"})
    world.process(60, "/usr/bin/python3", "/opt/bin/sextant-agent", "serve")
    found = only(world)
    assert found.state == "problem"
    assert found.what == "14 of opennetvm.toml may not be used by the agent, process 60, nor offered"
    world.write({"proc/60/status": "Cpus_allowed_list:\t0-31"})
    assert world.wrong() == {}


def test_polling_threads_want_cpus_of_their_own(world: DoctorWorld) -> None:
    """The first CPU of a manager may be shared: 8 is no fault, 10 is."""
    world.describe("11-14", "8,10-14")
    found = only(world)
    assert (found.check, found.state) == ("polling threads", "warning")
    assert found.what.startswith("on CPUs 10 RX or TX")


def test_siblings_of_rx_and_tx_threads_do_not_poll(world: DoctorWorld) -> None:
    """CPU n and n + 16 are one physical core: 9 and 25. NFs at 11 and 27 are placement's to keep apart."""
    world.write({f"sys/devices/system/cpu/{name}": "8-15,24-31" for name in ("isolated", "nohz_full")})
    world.describe("11-14", "11-14,27")
    assert world.wrong() == {}
    world.describe("11-14,27", "11-14,25")
    assert only(world).what == "polling CPUs 9 and 25 are siblings: each slows the other"


def test_the_system_keeps_off_polling_cpus(world: DoctorWorld) -> None:
    world.write({"sys/devices/system/cpu/isolated": "8-12", "sys/devices/system/cpu/nohz_full": "(null)"})
    found = only(world)
    assert found.what == "of the polling CPUs the scheduler puts other work on 13-14 and the timer interrupts 9-14"
    assert found.do == "on the kernel's command line: isolcpus=managed_irq,domain,9-14 nohz_full=9-14 rcu_nocbs=9-14"


def test_interrupts_keep_off_polling_cpus(world: DoctorWorld) -> None:
    world.write({"proc/irq/9/smp_affinity_list": "0-31", "proc/irq/31/effective_affinity_list": "12"})
    found = only(world)
    assert found.what == "delivered to polling CPUs: 31 (nvme0q3)", "9 has no device, and so never comes"
    assert found.do
    assert "echo 0-8,15-31 > /proc/irq/NUMBER/smp_affinity_list" in found.do


def test_a_card_on_another_node(world: DoctorWorld) -> None:
    world.write({f"{CARD}/numa_node": 0})
    found = only(world)
    assert (found.check, found.state) == ("node of p0", "warning")
    assert found.what == "card 0000:81:00.0 is on NUMA node 0, its manager west is set up for node 1"


@pytest.mark.parametrize(
    ("driver", "state", "what"),
    [
        ("ixgbe", "problem", "has the driver ixgbe: the kernel takes its packets"),
        (None, "problem", "has no driver"),
        ("igb_uio", "warning", "is bound to igb_uio: without an IOMMU, and for root only"),
        ("mlx5_core", "ok", "with mlx5_core, which DPDK shares it with"),
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
    assert "is in no IOMMU group" in only(world).what


def test_a_card_that_is_not_there_or_not_named(world: DoctorWorld) -> None:
    world.describe("0000:81:00.0", "82:00.1,queues=2")
    assert only(world).what == "there is no card at 0000:82:00.1"
    world.describe('eal = ["-a", "82:00.1,queues=2"]', "")
    assert only(world).what == "no card is named for it"
    (world.root / "sys/bus/pci/drivers/vfio-pci/0000:81:00.0").symlink_to(world.root / CARD)
    assert world.wrong() == {}, "a manager alone takes what there is"


def test_files_of_the_dead_are_told_and_those_of_the_living_are_not(world: DoctorWorld) -> None:
    world.write(
        {"dev/hugepages/sextant-westmap_0": "", "var/run/dpdk/sextant-west/config": "", "dev/hugepages/rtemap_0": ""}
    )
    found = only(world)
    assert found.what == (
        "left by dead processes of prefix sextant-west: /var/run/dpdk/sextant-west, /dev/hugepages/sextant-westmap_0"
    )
    assert found.do
    assert found.do.endswith("rm -r /var/run/dpdk/sextant-west /dev/hugepages/sextant-westmap_*")
    world.process(71, "/opt/firewall", "--file-prefix=sextant-west")
    assert "files of west" not in world.wrong()


def test_processes_that_the_book_does_not_name(world: DoctorWorld) -> None:
    world.process(71, "/opt/firewall", "--file-prefix=sextant-west")
    world.process(72, "/opt/testpmd", "--file-prefix=rte")
    found = only(world)
    assert found.what == "firewall 71: of prefix sextant-west, but the agent's book does not name them"
    assert found.do
    assert found.do.endswith("kill 71")


def test_a_damaged_book_makes_no_strangers(world: DoctorWorld) -> None:
    """Its processes may carry packets: the doctor advises nobody to end them, but tells how where all is given up."""
    world.book('{"epoch": "e", "managers": {"west": ')
    found = only(world)
    assert found.what.endswith("nothing runs that it could name")
    world.manager_process(70)
    world.process(71, "/opt/firewall", "--file-prefix=sextant-west")
    found = only(world)
    assert (found.check, found.state) == ("book", "problem")
    assert "book.json is damaged: Invalid JSON" in found.what and "nobody knows what 2 processes" in found.what
    assert found.do == "bring the file back, or the agent that wrote it; to give up what runs: kill 70 71"


def test_a_book_that_cannot_be_read(world: DoctorWorld) -> None:
    (world.root / STATE / "opennetvm/book.json").mkdir(parents=True)
    world.manager_process(70)
    assert "book.json cannot be read: Is a directory" in only(world).what


def test_a_manager_that_writes_is_well_and_one_that_does_not_hangs(world: DoctorWorld) -> None:
    world.book(
        json.dumps({"epoch": "e", "managers": {"west": {"name": "west", "pid": 70, "start_time": 500, "starts": 3}}})
    )
    assert only(world).what == "process 70 is gone, though the agent's book has it"
    world.manager_process()
    assert only(world).what == "process 70 has written no statistics yet: it starts, or it hangs"
    figures = world.root / STATE / "opennetvm/west/onvm_web/onvm_stats.txt"
    world.write({str(figures.relative_to(world.root)): "2026"})
    assert world.wrong() == {}
    assert world.findings()["manager west"].what.endswith("s ago; 3 NFs under it so far")
    world.write({f"{STATE}/opennetvm/west/stuck": "no packet has moved since one of its NFs was killed"})
    assert only(world).what == (
        "process 70 is stuck, though it writes its statistics: no packet has moved since one of its NFs was killed"
    )
    (world.root / STATE / "opennetvm/west/stuck").unlink()
    os.utime(figures, (figures.stat().st_mtime - 60, figures.stat().st_mtime - 60))
    found = only(world)
    assert (found.check, found.state) == ("manager west", "problem")
    assert "has written no statistics for 60 s" in found.what
    world.process(70, "/usr/bin/vim", start_time=900)
    assert only(world).what == "process 70 is gone, though the agent's book has it", "another took its number"


def test_a_chain_that_runs_by_an_older_file(world: DoctorWorld) -> None:
    """First the agent has to read the file; what it has read is in its book."""
    file = world.root / "etc/sextant/opennetvm.toml"
    settings = settings_of(read_installation(file), "west")
    assert settings
    manager = {"name": "west", "pid": 70, "start_time": 500, "settings": settings.model_dump_json()}
    router = {"nf_id": "web.router", "nf_type": "router", "cpu": 11, "instance": 1, "service": 1, "lcore": 11}
    router |= {"pid": 71, "start_time": 500}
    web = {"chain": "web", "manager": "west", "structure": "s", "source": "s", "instance": 1, "nfs": [router]}
    pages = {"epoch": "e", "managers": {"west": manager}, "chains": {"web": web}}
    world.manager_process()
    world.process(71, "/opt/flow_tracker", "--file-prefix=sextant-west")
    world.write({f"{STATE}/opennetvm/west/onvm_web/onvm_stats.txt": "2026", f"{STATE}/agent.json": '{"pid": 60}'})
    world.write({"proc/60/status": "Cpus_allowed_list:\t0-31"})
    world.process(60, "/usr/bin/python3", "/opt/bin/sextant-agent", "serve")
    world.book(json.dumps({**pages, "description": hash_of(read_installation(file))}))
    assert world.wrong() == {}
    world.describe("node = 1", "node = 1\nmemory_mb = 1024")
    found = world.wrong()
    assert found["settings of web"].what.endswith("not by what it says now: memory_mb of manager west")
    assert found["settings of web"].do == "sextant-agent take-over web: it is drained and started again"
    assert found["agent"].what == "it has not read opennetvm.toml since that was changed"
    world.book(json.dumps({**pages, "description": hash_of(read_installation(file))}))
    assert set(world.wrong()) == {"settings of web"}
    world.process(70, "/usr/bin/vim", start_time=900)
    assert "settings of web" not in world.wrong(), "it starts again by the file as it is"


def test_another_managers_semaphores_are_in_the_way_of_a_shared_one(world: DoctorWorld) -> None:
    world.process(80, "/opt/onvm_mgr", "--file-prefix=theirs", "-c", "f", "--", "-c")
    assert world.wrong() == {}, "polling managers do not meet"
    world.describe("cpus = [8, 9, 10]", "cpus = [8, 9, 10, 15]\nshared = true")
    assert only(world).do == "end it (kill 80), or set shared = false in opennetvm.toml"


def test_semaphores_of_a_dead_shared_manager(world: DoctorWorld) -> None:
    """Their names hold no prefix; a polling manager has none, and another user's cannot be opened."""
    world.write({"dev/shm/sem.MProc_Client_1_SEM": "", "dev/shm/sem.other": ""})
    assert world.wrong() == {}
    world.describe("cpus = [8, 9, 10]", "cpus = [8, 9, 10, 15]\nshared = true")
    found = only(world)
    assert (found.state, found.what) == ("warning", "1 left by a dead manager")
    world.run_as(4242)
    found = world.wrong()["semaphores of west"]
    assert (found.state, found.do) == ("problem", "as root: rm /dev/shm/sem.MProc_Client_*")
    world.process(80, "/opt/onvm_mgr", "--file-prefix=theirs")
    assert "semaphores of west" in world.wrong(), "a polling manager has none"
    world.process(80, "/opt/onvm_mgr", "--file-prefix=theirs", "--", "-c")
    assert "semaphores of west" not in world.wrong(), "they may be that one's"


def test_system_v_keys_of_another_user(world: DoctorWorld) -> None:
    """1230 to 1357 are OpenNetVM's, one an NF: 1229 and 1358 are somebody else's business."""
    world.describe("cpus = [8, 9, 10]", "cpus = [8, 9, 10, 15]\nshared = true")
    rows = [f"{key} {key + 7} 600 4 56 56 0 {user} 0 {user} 0 0 0 0" for key, user in
            ((1229, 77), (1230, 0), (1231, 77), (1357, 77), (1358, 77))]  # fmt: skip
    world.write({"proc/sysvipc/shm": "\n".join(["key shmid perms size cpid lpid nattch uid gid cuid cgid", *rows])})
    found = world.wrong()["System V keys of west"]
    assert found.what.startswith("2 left by a dead manager, of user 77: the manager cannot make its own as user")
    assert (found.state, found.do) == ("problem", "as root: ipcrm -M 1231 -M 1357")
    world.process(80, "/opt/onvm_mgr", "--file-prefix=theirs", "--", "-c")
    assert "System V keys of west" not in world.wrong(), "they may be that one's"


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
