"""The fleet listener for agents."""

from functools import cache

from fastapi import FastAPI
from starlette.types import Lifespan

from sextant_backend import listener
from sextant_backend.fleet.endpoints import MOST_BATCHES_BYTES, REGISTRATIONS
from sextant_backend.fleet.endpoints import router as fleet_router
from sextant_backend.fleet.enrolling import router as enrolling_router
from sextant_backend.fleet.guard import BATCHES, PeerGuard
from sextant_backend.fleet.telemetry_answers import TelemetryAnswers
from sextant_backend.kit.admission import Admission
from sextant_backend.kit.context import RequestContext
from sextant_backend.kit.routes import LateRoute, routes_of
from sextant_backend.settings import Settings, get_settings


def fleet_app(settings: Settings | None = None, lifespan: Lifespan[FastAPI] | None = None) -> FastAPI:
    """`PeerCertificateProtocol` must serve it, else everybody is refused; `settings` default to the environment's."""
    settings = settings or get_settings()
    app = FastAPI(title="Sextant fleet", docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    app.state.admission = Admission()
    app.state.telemetry_answers = TelemetryAnswers()
    app.router.routes.extend(_routes())
    listener.prepare(app, settings, {BATCHES: MOST_BATCHES_BYTES, REGISTRATIONS: MOST_BATCHES_BYTES})
    app.add_middleware(PeerGuard)
    app.add_middleware(RequestContext, listener="fleet")
    return app


@cache
def _routes() -> tuple[LateRoute, ...]:
    """Of every listener of this process, as the console's are."""
    return (*routes_of(enrolling_router), *routes_of(fleet_router))
