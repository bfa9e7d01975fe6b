"""Run the two listeners in the foreground until a signal ends them: on loopback, or where told."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from sextant_backend.app import console_app, fleet_app
from sextant_backend.fleet.presence import Presence, mark_gone
from sextant_backend.fleet.tls import PeerCertificateProtocol, reload_when_renewed, server_context
from sextant_backend.kit import logging, memory, wait
from sextant_backend.settings import Settings

LISTEN = "127.0.0.1"
GRACE_S = 2


def console(settings: Settings, port: int, address: str = LISTEN) -> None:
    """The console's API at `address` and `port`; raises wait.NotThere where the database does not come."""
    memory.keep_lean()
    logging.configure("console", settings.log_level)
    wait.for_database(settings.start_limit_s)
    uvicorn.run(
        console_app(settings),
        host=address,
        port=port,
        http="h11",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=settings.trusted_proxies is not None,
        forwarded_allow_ips=settings.trusted_proxies or "",
        timeout_graceful_shutdown=GRACE_S,
    )


def fleet(settings: Settings, port: int, pki: Path, address: str = LISTEN) -> None:
    """The fleet listener at `address` and `port`, with the certificates in `pki`.

    Raises wait.NotThere, OSError or ssl.SSLError.
    """
    memory.keep_lean()
    logging.configure("fleet", settings.log_level)
    context = server_context(pki)
    wait.for_database(settings.start_limit_s)

    @asynccontextmanager
    async def renewing(app: FastAPI) -> AsyncIterator[None]:
        task = asyncio.create_task(reload_when_renewed(context, pki))
        app.state.presence = Presence(mark_gone)
        yield
        app.state.presence.close()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    uvicorn.run(
        fleet_app(settings, renewing),
        host=address,
        port=port,
        http=PeerCertificateProtocol,
        ws="none",
        ssl_context_factory=lambda _config, _default: context,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=GRACE_S,
    )
