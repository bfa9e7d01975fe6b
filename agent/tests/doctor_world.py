"""A made-up OpenNetVM host of which nothing is wrong, for tests to spoil; and what the doctor says of it."""

import os
from pathlib import Path

import pytest
from sextant_agent.commands.examine import ExaminedSettings
from sextant_agent.doctor.finding import DoctorFinding
from sextant_agent.doctor.sight import read_sight
from sextant_agent.drivers.opennetvm.doctor.examine import examine_opennetvm
from sextant_domain.opennetvm.programs import STOCK_NAMES

from .machines import two_sockets, write

TOML = """
home = "/opt/openNetVM"

[[manager]]
name = "west"
cpus = [8, 9, 10]
nf_cpus = "11-14"
port = "p0"
node = 1
eal = ["-a", "0000:81:00.0"]
"""
CARD = "sys/devices/pci0000:80/0000:81:00.0"
MANAGER = "opt/openNetVM/onvm/onvm_mgr/x86_64-native-linuxapp-gcc/onvm_mgr"
HUGE_2M = "sys/devices/system/node/node1/hugepages/hugepages-2048kB"
STATE = "var/lib/sextant-agent/state"
STATUS = "Name:\tsextant-agent\nUid:\t{uid}\t{uid}\t{uid}\t{uid}\nCapEff:\t0000000000000000\nCpus_allowed_list:\t0-31"
LIMITS = (
    "Limit                     Soft Limit           Hard Limit           Units\nMax locked memory         {}  {}  bytes"
)


class DoctorWorld:
    """Two sockets, a card on node 1 and one manager there, which no chain needs yet."""

    def __init__(self, root: Path) -> None:
        self.root = two_sockets(root)
        self.denied: set[str] = set()
        """Paths below the root that the user may do nothing with."""
        self.write(
            {
                "etc/sextant/opennetvm.toml": TOML,
                "proc/self/limits": LIMITS.format("unlimited", "unlimited"),
                "proc/self/mounts": "none / ext4 rw 0 0\nhugetlbfs /dev/hugepages hugetlbfs rw,pagesize=2M 0 0",
                "sys/devices/system/cpu/isolated": "8-15",
                "sys/devices/system/cpu/nohz_full": "8-15",
                f"{HUGE_2M}/free_hugepages": 1024,
                f"{HUGE_2M}/nr_hugepages": 1024,
                "dev/vfio/7": "",
                "dev/vfio/vfio": "",
                "proc/irq/31/smp_affinity_list": "0-31",
                "proc/irq/31/effective_affinity_list": "3",
                "proc/irq/31/nvme0q3/.": None,
            }
        )
        self.run_as(os.getuid())
        for folder in ("dev/hugepages", "var/run/dpdk", f"{STATE}/opennetvm"):
            (root / folder).mkdir(parents=True)
        for program in (MANAGER, *(f"opt/openNetVM/examples/{name}/build/app/{name}" for name in STOCK_NAMES)):
            self.program(program, b"\x7fELF...\0librte_ring.so.23\0librte_eal.so.23\0")
        (root / "sys/bus/pci/devices").mkdir(parents=True)
        (root / "sys/bus/pci/devices/0000:81:00.0").symlink_to(root / CARD)
        (root / "sys/kernel/iommu_groups/7").mkdir(parents=True)
        (root / CARD / "iommu_group").symlink_to(root / "sys/kernel/iommu_groups/7")
        self.bind("vfio-pci")

    def write(self, files: dict[str, object]) -> None:
        """Text below the root; a path that ends in /. is a folder."""
        for path in [path for path in files if path.endswith("/.")]:
            (self.root / path).mkdir(parents=True)
            del files[path]
        write(self.root, files)

    def program(self, path: str, content: bytes) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)

    def run_as(self, uid: int) -> None:
        """The doctor; without any capability."""
        self.write({"proc/self/status": STATUS.format(uid=uid)})

    def bind(self, driver: str | None) -> None:
        """The card to a driver, or to none."""
        (self.root / CARD / "driver").unlink(missing_ok=True)
        if driver is not None:
            (self.root / "sys/bus/pci/drivers" / driver).mkdir(parents=True, exist_ok=True)
            (self.root / CARD / "driver").symlink_to(self.root / "sys/bus/pci/drivers" / driver)

    def describe(self, old: str, new: str) -> None:
        """Change opennetvm.toml."""
        path = self.root / "etc/sextant/opennetvm.toml"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

    def process(self, pid: int, *arguments: str, start_time: int = 500) -> None:
        """A living one."""
        self.write({f"proc/{pid}/stat": f"{pid} (a name) S 1 {pid} {pid} {'0 ' * 15}{start_time} 0"})
        (self.root / f"proc/{pid}/cmdline").write_bytes(b"".join(word.encode() + b"\0" for word in arguments))

    def manager_process(self, pid: int = 70, *more: str) -> None:
        """The manager `west`, as it was started."""
        self.process(pid, "/opt/onvm_mgr", "--proc-type=primary", "--file-prefix=sextant-west", *more)

    def registry(self, text: str) -> None:
        """What the agent wrote down."""
        self.write({f"{STATE}/opennetvm/process_registry.json": text})

    def findings(self) -> dict[str, DoctorFinding]:
        """By what was looked at."""
        settings = ExaminedSettings(driver="opennetvm", host_id="edge-1", state_dir=Path("/") / STATE)
        sight = read_sight(self.root, access=self._may)
        found = list(examine_opennetvm(sight, settings))
        return {finding.check: finding for finding in found}

    def wrong(self) -> dict[str, DoctorFinding]:
        """What is not as it should be; but for the root helper, which tests have elsewhere."""
        return {name: found for name, found in self.findings().items()
                if found.state != "ok" and name != "root helper"}  # fmt: skip

    def _may(self, path: Path, _: int) -> bool:
        return path.exists() and str(path.relative_to(self.root)) not in self.denied


@pytest.fixture
def world(tmp_path: Path) -> DoctorWorld:
    """Nothing of it is wrong yet."""
    return DoctorWorld(tmp_path)


def only(world: DoctorWorld) -> DoctorFinding:
    """The one thing that is wrong."""
    (found,) = world.wrong().values()
    assert found.do
    return found
