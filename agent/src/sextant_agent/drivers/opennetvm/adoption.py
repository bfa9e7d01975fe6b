"""What an earlier agent left running: what the registry names goes on untouched; all else of our
prefixes is ended."""

from collections.abc import Mapping

import structlog

from sextant_agent.contract.errors import DriverError
from sextant_agent.drivers.opennetvm.installation import OpenNetVmInstallation, prefix_of
from sextant_agent.drivers.opennetvm.leftovers import clear_prefix
from sextant_agent.drivers.opennetvm.manager import Manager
from sextant_agent.drivers.opennetvm.process_registry import ProcessRegistry
from sextant_agent.drivers.opennetvm.processes import of_prefix, stop
from sextant_agent.drivers.opennetvm.start_settings import read_settings

log = structlog.get_logger()


def adopt(installation: OpenNetVmInstallation, managers: Mapping[str, Manager], registry: ProcessRegistry) -> None:
    """Once, before anything is ordered: where nothing has to be changed, nobody would look for strangers."""
    for name in registry.managers.keys() - managers.keys():
        _retire(read_settings(registry.manager(name).settings) or installation, name)
        registry.forget_manager(name)
    for name, manager in managers.items():
        chains = [entry for entry in registry.chains.values() if entry.manager == name]
        manager.end_strangers([nf.pid for entry in chains for nf in entry.nfs if nf.pid is not None])
        if manager.alive and not chains:  # an agent died between its last chain's end and its own
            try:
                manager.end()
            except DriverError as error:
                log.warning("something is left", cause=str(error))


def unnamed(installation: OpenNetVmInstallation, registry: ProcessRegistry) -> list[str]:
    """Managers that run a chain, by settings that are known, though opennetvm.toml names them no more: they go on."""
    named = {place.name for place in installation.manager}
    busy = {entry.manager for entry in registry.chains.values()}
    return [
        name
        for name, entry in registry.managers.items()
        if name in busy - named and entry.alive and read_settings(entry.settings) is not None
    ]


def _retire(installation: OpenNetVmInstallation, name: str) -> None:
    """opennetvm.toml names this manager no more, and it has no chain."""
    try:
        for running in of_prefix(prefix_of(name)):
            stop(running, 0.0)
            log.warning("ended a process of a manager that opennetvm.toml names no more", pid=running.pid, manager=name)
        clear_prefix(installation, prefix_of(name))
    except DriverError as error:
        log.warning("something is left", cause=str(error))
