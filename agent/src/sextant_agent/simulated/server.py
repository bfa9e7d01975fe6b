"""The process: state folder locked, listener open, simulated hosts living until it is ordered to end."""

import os
import resource

import structlog
from sextant_domain import tracing

from sextant_agent import __version__
from sextant_agent.agent import lock_state_folder
from sextant_agent.api.app import create_api
from sextant_agent.server import CONNECTIONS, new_server, note_process, open_listener, url_of
from sextant_agent.simulated.fleet import SimulatedFleet
from sextant_agent.simulated.settings import SimulatedSettings

CONNECTIONS_A_HOST = 3
"""Console, worker and planner keep one each for half a minute."""
OTHER_FILES = 256

log = structlog.get_logger()


def run(settings: SimulatedSettings) -> None:
    """Serve until SIGTERM or SIGINT. Raises CertificateProblem, StateFolderTaken, TwinError, OSError."""
    lock = lock_state_folder(settings.state_dir)
    tracing.start("agent", __version__, settings.traces_url, settings.traces_share)
    try:
        fleet = SimulatedFleet(settings)
        listener = open_listener(settings)
        url = settings.url or url_of(listener)
        note_process(settings.state_dir, url)
        connections = CONNECTIONS + CONNECTIONS_A_HOST * len(settings.hosts)
        _allow_files(connections)
        server = new_server(create_api(fleet.of), fleet.credentials.server, connections)
        fleet.start(url)
        log.info("simulated hosts serve", url=url, hosts=len(settings.hosts), period_s=settings.period_s)
        try:
            server.run(sockets=[listener])
        finally:
            fleet.stop()
            log.info("simulated hosts ended", note="the next process begins from their ledgers")
    finally:
        os.close(lock)


def _allow_files(connections: int) -> None:
    """As many open files as connections may come, as far as this process may ask for."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
        if most < wanted:
            log.warning(
                "few open files", allowed=most, wanted=wanted, next_step="raise `ulimit -n`, or serve fewer hosts"
            )
