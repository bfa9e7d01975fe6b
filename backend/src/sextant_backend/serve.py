"""Run the two listeners in the foreground until a signal ends them: on loopback, or on the given address."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from sextant_domain import tracing
from sextant_domain.loading import loading
from sextant_domain.sleeping_listener import DatedAnswers, SleepingListener
from sextant_domain.slow_clients import LOOP, NoSlowClients
from starlette.types import Lifespan
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from sextant_backend.fleet.presence import Presence, mark_gone
from sextant_backend.fleet.tls import PeerCertificateProtocol, reload_when_renewed, server_context
from sextant_backend.kit import logging, memory
from sextant_backend.kit.db import wait_for_database
from sextant_backend.kit.version import VERSION
from sextant_backend.settings import Settings

LISTEN = "127.0.0.1"
GRACE_S = 2
STARTUP_FAILURE = 3
"""uvicorn's exit status where it cannot listen."""


class ConsoleProtocol(NoSlowClients, H11Protocol):
    """uvicorn's protocol with limits for slow clients."""

    def is_stranger(self, _transport: asyncio.BaseTransport) -> bool:
        """Behind a reverse proxy all come from its address, and it has limits of its own."""
        return not self.config.proxy_headers


class AnswerState(DatedAnswers, ServerState):
    """uvicorn's, whose date is made for an answer."""


class Listener(SleepingListener, uvicorn.Server):
    """uvicorn's, which sleeps while nobody asks it anything."""

    new_state = AnswerState


_COMMON: dict[str, Any] = {
    "ws": "none",
    "loop": LOOP,
    "log_config": None,
    "access_log": False,
    "server_header": False,
    "timeout_graceful_shutdown": GRACE_S,
}


def console_options(settings: Settings) -> dict[str, Any]:
    """uvicorn's for the console."""
    return {
        **_COMMON,
        "http": ConsoleProtocol,
        "proxy_headers": settings.trusted_proxies is not None,
        "forwarded_allow_ips": settings.trusted_proxies or "",
    }


def fleet_options(context: ssl.SSLContext) -> dict[str, Any]:
    """uvicorn's for the fleet listener, with these certificates."""
    return {
        **_COMMON,
        "http": PeerCertificateProtocol,
        "ssl_context_factory": lambda _config, _default: context,
        "proxy_headers": False,
        "timeout_keep_alive": 30,
    }


def console(new_app: Callable[[Settings], FastAPI], settings: Settings, port: int, address: str = LISTEN) -> None:
    """The console's API at `address` and `port`; raises wait.NotThere where the database does not come."""
    memory.keep_lean()
    memory.collect_seldom()
    logging.configure("console", settings.log_level)
    tracing.start("console", VERSION, settings.traces_url, settings.traces_share)
    wait_for_database(settings.start_limit_s)
    with loading():
        app = new_app(settings)
    _listen(app, address, port, console_options(settings))


def fleet(
    new_app: Callable[[Settings, Lifespan[FastAPI]], FastAPI],
    settings: Settings,
    port: int,
    pki: Path,
    address: str = LISTEN,
) -> None:
    """The fleet listener at `address` and `port`, with the certificates in `pki`.

    Raises wait.NotThere, OSError or ssl.SSLError.
    """
    memory.keep_lean()
    memory.collect_seldom()
    logging.configure("fleet", settings.log_level)
    context = server_context(pki)
    wait_for_database(settings.start_limit_s)

    @asynccontextmanager
    async def renewing(app: FastAPI) -> AsyncIterator[None]:
        task = asyncio.create_task(reload_when_renewed(context, pki))
        app.state.presence = Presence(mark_gone)
        yield
        app.state.presence.close()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    with loading():
        app = new_app(settings, renewing)
    _listen(app, address, port, fleet_options(context))


def _listen(app: FastAPI, address: str, port: int, options: dict[str, Any]) -> None:
    """Until a signal; as `uvicorn.run` does it."""
    listener = Listener(uvicorn.Config(app, host=address, port=port, **options))
    with suppress(KeyboardInterrupt):
        listener.run()
    if not listener.started:
        raise SystemExit(STARTUP_FAILURE)
