"""With what settings a manager and its NFs were started, against what opennetvm.toml says now; pure.

What runs goes on under the settings of its manager's start: what is started under it must meet it.
"""

from collections.abc import Iterable
from functools import lru_cache

from pydantic import ValidationError

from sextant_agent.drivers.opennetvm.installation import ManagerPlace, OpenNetVmInstallation
from sextant_agent.drivers.opennetvm.process_registry import ChainEntry, ProcessRegistry
from sextant_agent.kit.hashing import short_hash

_OF_THE_CONSOLE = {"name", "node"}
"""No process is started by these."""


def hash_of(installation: OpenNetVmInstallation) -> str:
    """Equal for files that say the same."""
    return short_hash(installation.model_dump_json().encode())


def settings_of(installation: OpenNetVmInstallation, manager: str) -> OpenNetVmInstallation | None:
    """All that one manager and its NFs are started by; None where it is not there."""
    place = next((place for place in installation.manager if place.name == manager), None)
    return None if place is None else installation.model_copy(update={"manager": (place,)})


@lru_cache(maxsize=32)
def read_settings(written: str | None) -> OpenNetVmInstallation | None:
    """Those of a life as the registry has them; None where it has none, or some that this agent does not understand."""
    if written is None:
        return None
    try:
        return OpenNetVmInstallation.model_validate_json(written)
    except ValidationError:
        return None


def changes(then: OpenNetVmInstallation, now: OpenNetVmInstallation | None, nf_types: Iterable[str]) -> tuple[str, ...]:
    """What of opennetvm.toml is another than at a manager's start, in words; `nf_types`: of its NFs, empty for the way
    out. Both with one manager."""
    was = then.manager[0]
    if now is None:
        return (f"manager {was.name} is no longer in it",)
    found = [f"{field} of manager {was.name}" for field in _differing(was, now.manager[0])]
    found += [field for field in ("huge_dir", "runtime_dir") if getattr(then, field) != getattr(now, field)]
    if then.manager_path != now.manager_path:
        found.append("the manager's program")
    types = set(nf_types)
    found += [f"program.{name}" for name in sorted(types) if then.program.get(name) != now.program.get(name)]
    stock = any(name not in then.program and name not in now.program for name in types)
    if stock and then.example("") != now.example(""):
        found.append("the folder of OpenNetVM's NFs")
    return tuple(found)


def changes_of(chain: ChainEntry, registry: ProcessRegistry, installation: OpenNetVmInstallation) -> tuple[str, ...]:
    """The same for a chain and its manager, as the registry has them; `installation`: the whole file."""
    then = read_settings(registry.manager(chain.manager).settings)
    now = settings_of(installation, chain.manager)
    return () if then is None else changes(then, now, (nf.nf_type for nf in chain.nfs))


def runs_by_others(chain: str, changed: tuple[str, ...]) -> str:
    """For a person, with what to do about `changes`."""
    return (
        f"{chain} runs with former settings; changed in opennetvm.toml since: {', '.join(changed)}."
        f" `sextant-agent take-over {chain}` on this host restarts it with the present ones"
    )


def _differing(was: ManagerPlace, now: ManagerPlace) -> list[str]:
    names = ManagerPlace.model_fields.keys() - _OF_THE_CONSOLE
    return sorted(name for name in names if getattr(was, name) != getattr(now, name))
