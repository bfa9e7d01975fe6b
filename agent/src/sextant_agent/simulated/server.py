"""The process: state folder locked, listener open, simulated hosts living until it is told to end."""

import os

import structlog

from sextant_agent.agent import lock_state_folder
from sextant_agent.api import create_api
from sextant_agent.server import new_server, note_process, open_listener, url_of
from sextant_agent.simulated.fleet import SimulatedFleet
from sextant_agent.simulated.settings import SimulatedSettings

log = structlog.get_logger()


def run(settings: SimulatedSettings) -> None:
    """Serve until SIGTERM or SIGINT. Raises CertificateProblem, StateFolderTaken, TwinError, OSError."""
    lock = lock_state_folder(settings.state_dir)
    try:
        fleet = SimulatedFleet(settings)
        listener = open_listener(settings)
        url = settings.url or url_of(listener)
        note_process(settings.state_dir, url)
        server = new_server(create_api(fleet.of), fleet.credentials.server)
        fleet.start(url)
        log.info("simulated hosts serve", url=url, hosts=len(settings.hosts), period_s=settings.period_s)
        try:
            server.run(sockets=[listener])
        finally:
            fleet.stop()
            log.info("simulated hosts ended", note="the next process begins from their ledgers")
    finally:
        os.close(lock)
