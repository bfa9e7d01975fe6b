"""Fixture trees: machines as sysfs and procfs would show them."""

from pathlib import Path


def write(root: Path, files: dict[str, object]) -> None:
    for path, value in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"{value}\n")


def cpu(number: int, *, socket: int, core_id: int, siblings: str, llc: str, size: str = "32768K") -> dict[str, object]:
    folder = f"sys/devices/system/cpu/cpu{number}"
    return {
        f"{folder}/topology/physical_package_id": socket,
        f"{folder}/topology/core_id": core_id,
        f"{folder}/topology/core_cpus_list": siblings,
        f"{folder}/cache/index0/level": 1,
        f"{folder}/cache/index0/type": "Data",
        f"{folder}/cache/index0/size": "48K",
        f"{folder}/cache/index0/shared_cpu_list": siblings,
        f"{folder}/cache/index3/level": 3,
        f"{folder}/cache/index3/id": socket,
        f"{folder}/cache/index3/type": "Unified",
        f"{folder}/cache/index3/size": size,
        f"{folder}/cache/index3/shared_cpu_list": llc,
    }


def interface(root: Path, name: str, device: str, driver: str = "mlx5_core", **files: object) -> None:
    """A link in /sys/class/net to `device` under /sys/devices, as the kernel makes it."""
    place = root / "sys/devices" / device
    (place / "net" / name).mkdir(parents=True)
    (root / "sys/class/net").mkdir(parents=True, exist_ok=True)
    (root / "sys/class/net" / name).symlink_to(place / "net" / name)
    if not device.startswith("virtual"):
        (place / "net" / name / "device").symlink_to(place)
        (root / "sys/bus/drivers" / driver).mkdir(parents=True, exist_ok=True)
        (place / "driver").symlink_to(root / "sys/bus/drivers" / driver)
    write(place / "net" / name, files)


def two_sockets(root: Path) -> Path:
    """2 x 8 physical cores with SMT: CPUs 0-7 and 16-23 on node 0, 8-15 and 24-31 on node 1; CAT, MBA, two NICs."""
    for number in range(32):
        socket, core_id = number % 16 // 8, number % 8
        llc = "0-7,16-23" if socket == 0 else "8-15,24-31"
        write(root, cpu(number, socket=socket, core_id=core_id, siblings=f"{number % 16},{number % 16 + 16}", llc=llc))
    write(
        root,
        {
            "sys/devices/system/cpu/online": "0-31",
            "sys/devices/system/node/node0/cpulist": "0-7,16-23",
            "sys/devices/system/node/node0/meminfo": "Node 0 MemTotal:       65536 kB",
            "sys/devices/system/node/node1/cpulist": "8-15,24-31",
            "sys/devices/system/node/node1/meminfo": "Node 1 MemTotal:       131072 kB",
            "sys/fs/resctrl/info/L3/cbm_mask": "7ff",
            "sys/fs/resctrl/info/L3/shareable_bits": "600",
            "sys/fs/resctrl/info/MB/min_bandwidth": "10",
            "sys/fs/resctrl/info/MB/bandwidth_gran": "30",
            "sys/fs/resctrl/info/MB/thread_throttle_mode": "max",
            "sys/fs/resctrl/schemata": "L3:0=7ff;1=7ff",
            "sys/kernel/mm/hugepages/hugepages-1048576kB/free_hugepages": "4",
            "sys/fs/cgroup/cgroup.controllers": "cpuset cpu memory",
            "sys/bus/event_source/devices/cpu/type": "4",
            "proc/sys/kernel/perf_event_paranoid": "2",
            "proc/sys/kernel/hostname": "big",
            "proc/sys/kernel/osrelease": "6.1.0",
            "proc/cpuinfo": "processor : 0\nmodel name\t: Xeon Gold 6226R\nprocessor : 1",
        },
    )
    interface(root, "ens1f0", "pci0000:80/0000:81:00.0", speed="100000")
    write(root, {"sys/devices/pci0000:80/0000:81:00.0/numa_node": 1})
    interface(root, "ens2", "pci0000:00/0000:03:00.0/virtio0", driver="virtio_net", speed="-1")
    write(root, {"sys/devices/pci0000:00/0000:03:00.0/numa_node": -1})
    interface(root, "lo", "virtual")
    interface(root, "docker0", "virtual", speed="10000")
    return root


def small(root: Path, cpus: int = 2) -> Path:
    """A virtual machine without NUMA folders, resctrl, counters or hugepages."""
    for number in range(cpus):
        llc = f"0-{cpus - 1}"
        write(root, cpu(number, socket=0, core_id=number, siblings=str(number), llc=llc, size="16M"))
    write(
        root,
        {
            "sys/devices/system/cpu/online": f"0-{cpus - 1}" if cpus > 1 else "0",
            "sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages": "0",
            "proc/meminfo": "MemTotal:        2048 kB",
            "proc/sys/kernel/hostname": "tiny",
            "proc/sys/kernel/osrelease": "6.1.0",
        },
    )
    return root
