"""What runs and what was left behind: the agent's process registry, processes of our prefixes, their files and
statistics."""

import shlex
from collections.abc import Iterator

from sextant_agent.doctor.finding import DoctorFinding, ok, problem, warning
from sextant_agent.doctor.sight import CAP_DAC_OVERRIDE, Process
from sextant_agent.drivers.opennetvm.doctor.world import ExaminedHost
from sextant_agent.drivers.opennetvm.installation import ManagerPlace
from sextant_agent.drivers.opennetvm.leftovers import (
    SEMAPHORE_PATTERN,
    SEMAPHORES,
    foreign_keys,
    is_shared_manager,
    leftovers,
)
from sextant_agent.drivers.opennetvm.limits import STALE_S
from sextant_agent.drivers.opennetvm.packet_watch import FILE
from sextant_agent.drivers.opennetvm.process_registry import (
    ChainEntry,
    ProcessRegistry,
    RegistryDamaged,
    RegistryUnreadable,
)
from sextant_agent.drivers.opennetvm.start_settings import changes_of, hash_of

_NAMED = 6


def check_running(world: ExaminedHost) -> Iterator[DoctorFinding]:
    """Of every manager; who has not begun yet is right as it is."""
    try:
        registry = world.registry()
    except RegistryUnreadable as why:
        yield problem(
            "process registry",
            f"{why}: what the agent has started is unknown",
            "run the doctor as the agent's user; if it still cannot be read, repair the file",
        )
        return
    except RegistryDamaged as why:
        yield _damaged(world, str(why))
        return
    for place in world.installation.manager:
        running = world.running(place)
        yield from _strangers(place, running, registry)
        if not running:
            yield _left(world, place)
            if place.shared:
                yield from _semaphores(world, place)
                yield from _keys(world, place)
        yield from _manager(world, place, registry)
    for chain in registry.chains.values():
        yield from _settings(world, chain, registry)
    yield from _unread(world, registry)
    yield from _others(world)


def _damaged(world: ExaminedHost, why: str) -> DoctorFinding:
    """What runs may carry packets: only whoever gives it up ends it."""
    living = sorted(process.pid for place in world.installation.manager for process in world.running(place))
    if not living:
        return problem(
            "process registry",
            f"{why}; no process that it could name is running",
            "start the agent: it creates a new one",
        )
    return problem(
        "process registry",
        f"{why}: what {len(living)} processes of its managers' prefixes are is unknown; the agent leaves them"
        " running, and carries out no order",
        "restore the file, or the agent version that wrote it; to give up what is running: kill "
        + " ".join(map(str, living)),
    )


def _strangers(place: ManagerPlace, running: list[Process], registry: ProcessRegistry) -> Iterator[DoctorFinding]:
    known = {(entry.pid, entry.start_time) for entry in registry.managers.values()}
    known |= {(nf.pid, nf.start_time) for chain in registry.chains.values() for nf in chain.nfs}
    strangers = [process for process in running if (process.pid, process.start_time) not in known]
    if strangers:
        reported = ", ".join(f"{process.name} {process.pid}" for process in strangers[:_NAMED])
        yield warning(
            f"processes of {place.name}",
            f"{reported}{_more(len(strangers))}: of prefix {place.prefix}, but not in the agent's process registry",
            "the agent ends them when it next starts; without an agent: kill "
            + " ".join(str(process.pid) for process in strangers[:_NAMED]),
        )


def _left(world: ExaminedHost, place: ManagerPlace) -> DoctorFinding:
    check = f"files of {place.name}"
    files = [f"/{path.relative_to(world.sight.root)}" for path in leftovers(world.rooted, place)]
    if not files:
        return ok(check, f"no files of prefix {place.prefix} were left behind")
    here = world.installation
    by_hand = f"rm -r {here.runtime_dir / place.prefix} {shlex.quote(str(here.huge_dir))}/{place.prefix}map_*"
    return warning(
        check, f"left by dead processes of prefix {place.prefix}: {', '.join(files[:_NAMED])}{_more(len(files))}",
        f"the agent removes them before it starts this manager; without an agent: {by_hand}",
    )  # fmt: skip


def _semaphores(world: ExaminedHost, place: ManagerPlace) -> Iterator[DoctorFinding]:
    """Names without a prefix: those of any manager that runs are in use, those of none are in the way."""
    found = list(world.sight.at(SEMAPHORES).glob(SEMAPHORE_PATTERN))
    if not found or _shared_managers(world):
        return
    check, user, remove = f"semaphores of {place.name}", world.sight.user, f"rm {SEMAPHORES}/{SEMAPHORE_PATTERN}"
    others = {path.stat().st_uid for path in found} - {user.uid}
    if others and CAP_DAC_OVERRIDE not in user.capabilities:
        yield problem(
            check, f"{len(found)} left by a dead manager, of user {min(others)}: the manager cannot open them as user"
            f" {user.uid}",
            f"as root: {remove}",
        )  # fmt: skip
    else:
        yield warning(
            check, f"{len(found)} left by a dead manager",
            f"the agent removes them before it starts this manager; without an agent: {remove}",
        )  # fmt: skip


def _keys(world: ExaminedHost, place: ManagerPlace) -> Iterator[DoctorFinding]:
    """A shared manager makes its keys again, and cannot where another user's are."""
    found = foreign_keys(world.sight.text("proc/sysvipc/shm"), {world.sight.user.uid})
    if not found or _shared_managers(world):
        return
    remove = " ".join(f"-M {key}" for key in sorted(found))
    yield problem(
        f"System V keys of {place.name}", f"{len(found)} left by a dead manager, of user {min(found.values())}: the"
        f" manager cannot make its own as user {world.sight.user.uid}",
        f"as root: ipcrm {remove}",
    )  # fmt: skip


def _manager(world: ExaminedHost, place: ManagerPlace, registry: ProcessRegistry) -> Iterator[DoctorFinding]:
    check, entry = f"manager {place.name}", registry.manager(place.name)
    if entry.pid is None:
        if any(chain.manager == place.name for chain in registry.chains.values()):
            yield warning(check, "it has a chain but is not running", "the agent's log and the console say why")
        else:
            yield ok(check, f"not started: no chain uses {place.port}")
        return
    process = world.sight.processes.get(entry.pid)
    if process is None or process.start_time != entry.start_time:
        yield warning(
            check, f"process {entry.pid} has ended, but the agent's process registry still lists it",
            "start the agent: it starts manager and NFs again",
        )  # fmt: skip
        return
    age = _age_s(world, place)
    if age is None or age > STALE_S:
        reported = "has written no statistics yet" if age is None else f"has written no statistics for {age:.0f} s"
        yield problem(
            check, f"process {entry.pid} {reported}: it is starting, or it hangs",
            "check again in 10 s; the agent restarts a manager that hangs, with its NFs",
        )  # fmt: skip
    elif stuck := world.sight.text(f"{world.state_dir / place.name / FILE}".lstrip("/")):
        yield problem(
            check, f"process {entry.pid} is stuck, though it writes its statistics: {stuck}",
            "check again in 20 s; the agent restarts it with its NFs",
        )  # fmt: skip
    else:
        reported = f"process {entry.pid} wrote its statistics {age:.1f} s ago; {entry.starts} NFs under it so far"
        yield ok(check, f"{reported}; {entry.note}" if entry.note else reported)


def _settings(world: ExaminedHost, chain: ChainEntry, registry: ProcessRegistry) -> Iterator[DoctorFinding]:
    """What runs keeps the settings of the former file; reported until it runs with those of the present one."""
    manager = registry.manager(chain.manager)
    process = world.sight.processes.get(manager.pid or 0)
    changed = changes_of(chain, registry, world.installation)
    if changed and process is not None and process.start_time == manager.start_time:
        yield warning(
            f"settings of {chain.chain}",
            f"it runs with former settings; changed in opennetvm.toml since: {', '.join(changed)}",
            f"sextant-agent take-over {chain.chain}: the chain is drained and restarted",
        )


def _unread(world: ExaminedHost, registry: ProcessRegistry) -> Iterator[DoctorFinding]:
    if world.agent() is not None and registry.description not in {None, hash_of(world.installation)}:
        yield warning(
            "agent", "opennetvm.toml was changed after the agent read it",
            "systemctl restart sextant-agent: NFs keep running",
        )  # fmt: skip


def _age_s(world: ExaminedHost, place: ManagerPlace) -> float | None:
    path = world.sight.at(world.state_dir / place.name / "onvm_web" / "onvm_stats.txt")
    try:
        return max(0.0, world.sight.now - path.stat().st_mtime)
    except OSError:
        return None


def _others(world: ExaminedHost) -> Iterator[DoctorFinding]:
    """Names of semaphores hold no prefix: of shared managers a host bears one."""
    if not any(place.shared for place in world.installation.manager):
        return
    ours = {process.pid for place in world.installation.manager for process in world.running(place)}
    found = [process for process in _shared_managers(world) if process.pid not in ours]
    if found:
        yield problem(
            "other managers", f"process {found[0].pid} is an onvm_mgr with shared cores that Sextant did not start: two"
            " of a host wake each other's NFs",
            f"end it (kill {found[0].pid}), or set shared = false in opennetvm.toml",
        )  # fmt: skip


def _shared_managers(world: ExaminedHost) -> list[Process]:
    name = world.installation.manager_path.name
    return [process for process in world.sight.processes.values() if is_shared_manager(process.arguments, name)]


def _more(number: int) -> str:
    return f" and {number - _NAMED} more" if number > _NAMED else ""
