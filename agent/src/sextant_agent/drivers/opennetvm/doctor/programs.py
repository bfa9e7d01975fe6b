"""OpenNetVM's programs: which there are, which NF types they make, and which DPDK they were built against."""

import mmap
import os
import re
from collections.abc import Iterator
from pathlib import Path

from sextant_domain.opennetvm.programs import STOCK, STOCK_NAMES, WAY_OUT

from sextant_agent.doctor.finding import DoctorFinding, ok, problem, warning
from sextant_agent.drivers.opennetvm.doctor.linking import links_of, not_found
from sextant_agent.drivers.opennetvm.doctor.world import ExaminedHost
from sextant_agent.drivers.opennetvm.programs import runnable_types

_EAL = re.compile(rb"librte_eal\.so\.(\d{2})|/pmds-(\d{2})\b")
"""The library that a program is linked to; or, linked statically, the folder its build of EAL takes plug-ins from."""
IN_BETWEEN = "flow_tracker"
BUILD = "sh deploy/agent/build-opennetvm.sh"
"""Of a checkout of Sextant: OpenNetVM's makefiles want files that DPDK has no more."""


def check_programs(world: ExaminedHost) -> Iterator[DoctorFinding]:
    """Manager, NF types, DPDK."""
    yield _manager(world)
    yield _types(world)
    missing = [name for name in (WAY_OUT.name, IN_BETWEEN) if not world.rooted.example(name).is_file()]
    if missing:
        yield warning(
            "helpers",
            f"there is no {' and no '.join(missing)}: {WAY_OUT.name} sends the packets of most chains back to their"
            f" port, {IN_BETWEEN} is the basic-monitor in the middle of a chain",
            f"build them: `{BUILD} {world.installation.home}`",
        )
    yield _dpdk(world)


def _manager(world: ExaminedHost) -> DoctorFinding:
    path = world.installation.manager_path
    if not world.rooted.manager_path.is_file():
        return problem(
            "manager", f"there is no manager at {path}",
            f"build it: `{BUILD} {world.installation.home}`; or name it in opennetvm.toml: manager_binary",
        )  # fmt: skip
    if not world.sight.may(path, os.X_OK):
        return problem("manager", f"{path} may not be executed by user {world.sight.user.uid}", f"chmod a+rx {path}")
    return ok("manager", str(path))


def _types(world: ExaminedHost) -> DoctorFinding:
    offered = runnable_types(world.rooted)
    lacking = {**{name: world.installation.example(binary) for name, binary in STOCK.items()},
               **{name: program.path for name, program in world.installation.program.items()}}  # fmt: skip
    lacking = {name: path for name, path in lacking.items() if name not in offered}
    what = f"offered: {', '.join(sorted(offered)) or 'none'}"
    if not lacking:
        return ok("NF types", what)
    reported = "; ".join(f"{name}: nothing at {path}" for name, path in sorted(lacking.items()))
    do = f"build them: `{BUILD} {world.installation.home}`; or name others in opennetvm.toml: nf_dir, program"
    return (warning if offered else problem)("NF types", f"{what}; not offered: {reported}", do)


def _dpdk(world: ExaminedHost) -> DoctorFinding:
    rooted = world.rooted
    nfs = {rooted.example(name) for name in STOCK_NAMES}
    nfs |= {program.path for program in rooted.program.values()}
    manager = dpdk_abi(rooted.manager_path)
    if manager is None:
        return ok(
            "DPDK", "the manager's version cannot be read from its file; NFs built against another one are refused"
            " when it starts",
        )  # fmt: skip
    other = sorted((path.name, abi) for path in nfs if (abi := dpdk_abi(path)) is not None and abi != manager)
    if other:
        reported = ", ".join(f"{name} for ABI {abi}" for name, abi in other)
        return problem(
            "DPDK", f"the manager is for {_release(manager)}, but {reported}: processes of different"
            " versions cannot work together",
            f"build manager and NFs against one DPDK: `{BUILD} {world.installation.home}`",
        )  # fmt: skip
    lacking = _lacking(world)
    if lacking:
        reported = "; ".join(f"{', '.join(names)} of {program}" for program, names in lacking)
        return problem(
            "DPDK", f"the loader does not find {reported}",
            "install the DPDK that they were built against, or give the loader its folder in"
            " /etc/ld.so.conf.d, then ldconfig",
        )  # fmt: skip
    return ok("DPDK", f"manager and NFs are for {_release(manager)}")


def _lacking(world: ExaminedHost) -> list[tuple[str, list[str]]]:
    """By program, libraries of DPDK that are not on this host."""
    here = world.installation
    paths = [here.manager_path, *(here.example(name) for name in STOCK_NAMES)]
    paths += [program.path for program in here.program.values()]
    found = ((path, links_of(world.sight.at(path))) for path in dict.fromkeys(paths))
    lacking = ((path.name, not_found(world.sight, path, links)) for path, links in found if links is not None)
    return [(name, names) for name, names in lacking if names]


def dpdk_abi(path: Path) -> int | None:
    """Major number of the DPDK ABI that a program was built for; None where its file does not say."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            found = _EAL.search(content)
            return int(found[1] or found[2]) if found else None
    except (OSError, ValueError):  # not there, or empty
        return None


def _release(abi: int) -> str:
    """DPDK's ABI changes with each release of November, and is numbered by the year after."""
    return f"ABI {abi}, DPDK {abi - 1}.11 and up"
