"""The two applications: the console's API for people, and the fleet listener for agents."""

from fastapi import APIRouter, FastAPI

from sextant_backend.kit import errors, idempotency
from sextant_backend.kit.context import RequestContext
from sextant_backend.kit.limits import BodyLimit
from sextant_backend.modules.audit.endpoints import router as audit_router
from sextant_backend.modules.auth.endpoints import router as auth_router
from sextant_backend.modules.auth.service import Authenticator
from sextant_backend.settings import Settings, get_settings

API_PREFIX = "/api/v1"
ROUTERS: tuple[APIRouter, ...] = (auth_router, audit_router)


def console_app(settings: Settings | None = None) -> FastAPI:
    """The console's API; `settings` default to the environment's."""
    settings = settings or get_settings()
    app = FastAPI(title="Sextant", version="1", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.authenticator = Authenticator()
    for router in ROUTERS:
        app.include_router(router, prefix=API_PREFIX)
    _prepare(app, settings, "console")
    return app


def _prepare(app: FastAPI, settings: Settings, listener: str) -> None:
    errors.install(app)
    app.add_exception_handler(idempotency.Replay, idempotency.replay)  # type: ignore[arg-type]
    app.add_middleware(BodyLimit, max_bytes=settings.max_body_bytes)
    app.add_middleware(RequestContext, listener=listener)
