"""Huge pages: where they are mounted, and whether each NUMA node has what its managers ask for."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from sextant_agent.doctor.finding import DoctorFinding, ok, problem, warning
from sextant_agent.doctor.sight import Sight
from sextant_agent.drivers.opennetvm.doctor.world import ExaminedHost
from sextant_agent.drivers.opennetvm.installation import ManagerPlace

CHECK = "huge pages"
_UNITS = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3}


@dataclass(frozen=True, slots=True)
class Pool:
    """Pages of one size on one node."""

    path: str
    """Of its folder below the root."""
    free: int
    reserved: int


def check_hugepages(world: ExaminedHost) -> Iterator[DoctorFinding]:
    """The mount, who may write there, and the pages of every node."""
    size = page_bytes(world.sight, world.installation.huge_dir)
    folder = world.installation.huge_dir
    if size is None:
        yield problem(
            CHECK, f"no huge pages are mounted at {folder}",
            f"as root: mkdir -p {folder} && mount -t hugetlbfs -o pagesize=2M none {folder}",
        )  # fmt: skip
        return
    if world.sight.may(folder, os.W_OK | os.X_OK):
        yield ok(CHECK, f"pages of {_reported(size)} at {folder}")
    else:
        user = world.sight.user.uid
        yield problem(
            CHECK, f"user {user} may not write to {folder}, where {_reported(size)} pages are mounted",
            f"as root: chown {user} {folder}",
        )  # fmt: skip
    for node, wanted_mb in sorted(wanted_by_node(world).items()):
        yield _node(world, node, wanted_mb, size)


def page_bytes(sight: Sight, folder: Path) -> int | None:
    """Of the hugetlbfs that `folder` lies in; None where it lies in none."""
    best: tuple[int, int] | None = None
    for line in sight.text("proc/self/mounts").splitlines():
        fields = line.split()
        if len(fields) < 4:
            continue
        place = Path(re.sub(r"\\(\d{3})", lambda code: chr(int(code[1], 8)), fields[1]))
        if not folder.is_relative_to(place):
            continue
        depth, size = len(place.parts), _mounted_size(sight, fields[3]) if fields[2] == "hugetlbfs" else 0
        if best is None or depth >= best[0]:  # of two at one place the later hides the former
            best = depth, size
    return best[1] or None if best else None


def _mounted_size(sight: Sight, options: str) -> int:
    given = re.search(r"(?:^|,)pagesize=(\d+)([KMG]?)(?:,|$)", options)
    if given:
        return int(given[1]) * _UNITS[given[2]]
    usual = re.search(r"Hugepagesize:\s+(\d+) kB", sight.text("proc/meminfo"))
    return int(usual[1]) * 1024 if usual else 2 * 1024**2


def wanted_by_node(world: ExaminedHost) -> Mapping[int, float]:
    """MiB that managers which do not run will ask for; those that run hold theirs."""
    wanted: dict[int, float] = {}
    for place in world.installation.manager:
        for node, share in _shares(world, place).items():
            asked = 0.0 if world.manager_runs(place) else place.memory_mb * share
            wanted[node] = wanted.get(node, 0.0) + asked
    return wanted


def _shares(world: ExaminedHost, place: ManagerPlace) -> Mapping[int, float]:
    """EAL takes `-m` from the nodes of its lcores, of each as many lcores as it has there."""
    node_of = {cpu.id: cpu.node for cpu in world.sight.machine.cpus}
    nodes = [node_of.get(cpu, place.node) for cpu in place.cpus]
    return {node: nodes.count(node) / len(nodes) for node in nodes}


def pool(sight: Sight, node: int, size: int) -> Pool:
    """A kernel without NUMA has one pool of a size."""
    name = f"hugepages-{size // 1024}kB"
    path = f"sys/devices/system/node/node{node}/hugepages/{name}"
    if not (sight.root / path).is_dir():
        path = f"sys/kernel/mm/hugepages/{name}"
    return Pool(path, sight.number(f"{path}/free_hugepages") or 0, sight.number(f"{path}/nr_hugepages") or 0)


def _node(world: ExaminedHost, node: int, wanted_mb: float, size: int) -> DoctorFinding:
    found = pool(world.sight, node, size)
    wanted = ceil(wanted_mb * 1024**2 / size)
    check, what = f"{CHECK}, node {node}", f"{found.free} of {found.reserved} pages of {_reported(size)} are free"
    if not wanted:
        return ok(check, f"{what}; its managers run, and hold theirs")
    what = f"{what}; managers that are to start ask for {wanted} ({wanted_mb:.0f} MiB)"
    missing = wanted - found.free
    if missing <= 0:
        return ok(check, what)
    held = _held_by_the_dead(world)
    if missing <= held:
        return warning(
            check, f"{what}; {held} are held by files of managers that have ended",
            "nothing to do: the agent removes them before it starts the manager",
        )  # fmt: skip
    do = f"as root: echo {found.reserved + missing} > /{found.path}/nr_hugepages"
    if size >= _UNITS["G"]:
        do += " (at boot, before memory is in pieces: hugepagesz=1G hugepages=N on the kernel's command line)"
    return problem(check, what, f"{do}; or lower memory_mb in opennetvm.toml")


def _held_by_the_dead(world: ExaminedHost) -> int:
    dead = [place for place in world.installation.manager if not world.running(place)]
    return sum(len(list(world.rooted.huge_dir.glob(f"{place.prefix}map_*"))) for place in dead)


def _reported(size: int) -> str:
    return f"{size // 1024**3} GiB" if size >= 1024**3 else f"{size // 1024**2} MiB"
