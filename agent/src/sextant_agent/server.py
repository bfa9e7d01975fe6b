"""The process: state folder locked, certificates loaded, listener open, agent running until it is ordered to end."""

import json
import os
import signal
import socket
import ssl
from pathlib import Path
from typing import cast

import structlog
import uvicorn
from fastapi import FastAPI
from sextant_domain import tracing
from sextant_domain.sleeping_listener import DatedAnswers, SleepingListener
from sextant_domain.slow_clients import LOOP
from uvicorn.server import ServerState

from sextant_agent import __version__
from sextant_agent.agent import HostAgent, lock_state_folder
from sextant_agent.api.app import create_api
from sextant_agent.api.peer import PeerProtocol
from sextant_agent.drivers.registry import DRIVERS
from sextant_agent.identity.fleet_client import FleetClient
from sextant_agent.identity.identity import HostIdentity
from sextant_agent.identity.renewal import Renewer, of_host
from sextant_agent.identity.tls import TlsCredentials
from sextant_agent.kit.files import write_atomically
from sextant_agent.settings import AgentSettings, ServingSettings

CONNECTIONS = 64
"""Of one host: the backend keeps a few."""

log = structlog.get_logger()


class AnswerState(DatedAnswers, ServerState):
    """uvicorn's, whose date is made for an answer."""


class Listener(SleepingListener, uvicorn.Server):
    """uvicorn's, which sleeps while nobody asks it anything."""

    new_state = AnswerState


def run(settings: AgentSettings) -> None:
    """Serve until SIGTERM or SIGINT. Raises CertificateProblem, StateFolderTaken, DriverError, OSError."""
    lock = lock_state_folder(settings.state_dir)
    tracing.start("agent", __version__, settings.traces_url, settings.traces_share)
    try:
        credentials = TlsCredentials(settings.pki_dir, settings.host_id)
        listener = open_listener(settings)
        url = settings.url or url_of(listener)
        agent = HostAgent(settings, DRIVERS[settings.driver].open(settings), credentials, url)
        note_process(settings.state_dir, url)
        server = new_server(create_api(lambda _: agent), credentials.server)
        agent.start()
        renewer = _renewer(settings, credentials)
        if renewer:
            renewer.start()
        log.info("agent serves", url=url, host_id=settings.host_id, driver=settings.driver)
        try:
            server.run(sockets=[listener])
        finally:
            if renewer:
                renewer.stop()
            agent.stop()
            log.info("agent ended", note="runner and NFs go on")
    finally:
        os.close(lock)


def _renewer(settings: AgentSettings, credentials: TlsCredentials) -> Renewer | None:
    """None without a fleet listener: nobody is there to renew by."""
    if settings.fleet_url is None:
        return None
    own = of_host(HostIdentity(settings.pki_dir), settings.host_id)
    return Renewer(own, FleetClient(settings.fleet_url, credentials))


def open_listener(settings: ServingSettings) -> socket.socket:
    """Raises OSError."""
    host, port = settings.listen_address
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, port))
    listener.set_inheritable(False)
    return listener


def url_of(listener: socket.socket) -> str:
    """Where it is reached from this machine."""
    host, port = listener.getsockname()[:2]
    return f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"


def note_process(state_dir: Path, url: str) -> None:
    """For whoever looks for this process: `agent.json`."""
    write_atomically(state_dir / "agent.json", json.dumps({"pid": os.getpid(), "url": url}).encode())


def new_server(api: FastAPI, tls: ssl.SSLContext, connections: int = CONNECTIONS) -> uvicorn.Server:
    """SIGTERM and SIGINT end its `run`, and nothing else of the process. Beyond so many connections it answers 503."""

    def context(_: uvicorn.Config, __: object) -> ssl.SSLContext:
        return tls

    for number in (signal.SIGTERM, signal.SIGINT):
        # uvicorn raises the signal once more when it has ended; the agent still has to end its threads then.
        signal.signal(number, lambda *_: None)
    config = uvicorn.Config(
        api,
        http=cast("type", PeerProtocol),
        ws="none",
        loop=LOOP,
        lifespan="off",
        interface="asgi3",
        proxy_headers=False,
        log_config=None,
        access_log=False,
        server_header=False,
        ssl_context_factory=context,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=3,
        limit_concurrency=connections,
    )
    return Listener(config)
