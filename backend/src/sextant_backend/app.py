"""The console's API for people, with its pages."""

from functools import cache

from fastapi import APIRouter, FastAPI
from sextant_domain.hosts.artefact import MOST_BYTES
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware

from sextant_backend import frontend, health, listener
from sextant_backend.kit.admission import Admission
from sextant_backend.kit.conditional_get import ConditionalGet
from sextant_backend.kit.context import RequestContext
from sextant_backend.kit.routes import LateRoute, routes_of
from sextant_backend.kit.surface import known_query
from sextant_backend.kit.throttle import SharedThrottle
from sextant_backend.kit.version import VERSION
from sextant_backend.modules.account.endpoints import router as account_router
from sextant_backend.modules.alerts.endpoints import router as alerts_router
from sextant_backend.modules.artefacts.endpoints import PATH as ARTEFACTS
from sextant_backend.modules.artefacts.endpoints import router as artefacts_router
from sextant_backend.modules.audit.endpoints import router as audit_router
from sextant_backend.modules.auth.endpoints import router as auth_router
from sextant_backend.modules.auth.service import TableAuthenticator
from sextant_backend.modules.auth.sign_in_gate import Gate
from sextant_backend.modules.browser_spans.endpoints import router as browser_spans_router
from sextant_backend.modules.captures.endpoints import router as captures_router
from sextant_backend.modules.chain_requests.endpoints import BATCHES as CHAIN_BATCHES
from sextant_backend.modules.chain_requests.endpoints import MOST_BATCH_BYTES
from sextant_backend.modules.chain_requests.endpoints import router as chain_requests_router
from sextant_backend.modules.chain_requests.new_chain import NewChainPredictor
from sextant_backend.modules.chains.endpoints import router as chains_router
from sextant_backend.modules.coco.endpoints import router as coco_router
from sextant_backend.modules.comparisons.endpoints import PATH as COMPARISONS
from sextant_backend.modules.comparisons.endpoints import router as comparisons_router
from sextant_backend.modules.control.endpoints import router as control_router
from sextant_backend.modules.demo.endpoints import router as demo_router
from sextant_backend.modules.drift.endpoints import router as drift_router
from sextant_backend.modules.enrolments.endpoints import router as enrolments_router
from sextant_backend.modules.events.endpoints import router as events_router
from sextant_backend.modules.events.hub import Hub
from sextant_backend.modules.faults.endpoints import router as faults_router
from sextant_backend.modules.history.endpoints import router as history_router
from sextant_backend.modules.hosts.endpoints import router as hosts_router
from sextant_backend.modules.identity.endpoints import SIGN_INS_PER_MINUTE
from sextant_backend.modules.identity.endpoints import returning_router as sign_in_router
from sextant_backend.modules.identity.endpoints import router as identity_router
from sextant_backend.modules.interference.endpoints import router as interference_router
from sextant_backend.modules.levels.endpoints import router as levels_router
from sextant_backend.modules.maintenance.endpoints import router as maintenance_router
from sextant_backend.modules.metrics.endpoints import router as metrics_router
from sextant_backend.modules.metrics.service import FleetMetrics
from sextant_backend.modules.models.endpoints import router as models_router
from sextant_backend.modules.nfs.endpoints import router as nfs_router
from sextant_backend.modules.notifications.endpoints import router as notifications_router
from sextant_backend.modules.numasfp.endpoints import router as numasfp_router
from sextant_backend.modules.opennetvm.endpoints import router as opennetvm_router
from sextant_backend.modules.operations.endpoints import router as operations_router
from sextant_backend.modules.outcomes.endpoints import router as outcomes_router
from sextant_backend.modules.plans.endpoints import router as plans_router
from sextant_backend.modules.predictions.endpoints import router as predictions_router
from sextant_backend.modules.profiling.endpoints import router as profiling_router
from sextant_backend.modules.races.endpoints import router as races_router
from sextant_backend.modules.sfc2cpu.endpoints import router as sfc2cpu_router
from sextant_backend.modules.shares.endpoints import router as shares_router
from sextant_backend.modules.snapshots.current_fleet import CurrentFleet
from sextant_backend.modules.snapshots.endpoints import router as snapshots_router
from sextant_backend.modules.snapshots.fleet_file import FleetFile
from sextant_backend.modules.srv6.endpoints import router as srv6_router
from sextant_backend.modules.studies.endpoints import router as studies_router
from sextant_backend.modules.telemetry.endpoints import router as telemetry_router
from sextant_backend.modules.users.endpoints import router as users_router
from sextant_backend.reference.endpoints import router as reference_router
from sextant_backend.settings import Settings, get_settings

API_PREFIX = "/api/v1"
_NOT_COMPRESSED = (*({*DEFAULT_EXCLUDED_CONTENT_TYPES} - {"text/event-stream"}), "application/octet-stream")
"""The event stream is compressed, too, and flushed with every event: the figures of a thousand hosts are megabytes. A
file to be saved is not: its length is sent first, so that whoever saves it sees whether all of it came."""
ROUTERS: tuple[APIRouter, ...] = (
    auth_router,
    account_router,
    users_router,
    identity_router,
    hosts_router,
    drift_router,
    captures_router,
    faults_router,
    demo_router,
    enrolments_router,
    nfs_router,
    chains_router,
    chain_requests_router,
    artefacts_router,
    plans_router,
    opennetvm_router,
    comparisons_router,
    models_router,
    levels_router,
    shares_router,
    outcomes_router,
    predictions_router,
    control_router,
    numasfp_router,
    coco_router,
    sfc2cpu_router,
    srv6_router,
    maintenance_router,
    alerts_router,
    notifications_router,
    races_router,
    interference_router,
    snapshots_router,
    operations_router,
    profiling_router,
    studies_router,
    telemetry_router,
    history_router,
    metrics_router,
    browser_spans_router,
    events_router,
    audit_router,
)


def console_app(settings: Settings | None = None) -> FastAPI:
    """The console's API and its pages; `settings` default to the environment's."""
    settings = settings or get_settings()
    app = FastAPI(title="Sextant", version=VERSION, docs_url=None, redoc_url=None, openapi_url=None)
    fresh_state(app)
    app.router.routes.extend(_routes())
    frontend.install(app, settings.frontend_dir)
    larger = {
        f"{API_PREFIX}{COMPARISONS}": settings.max_snapshot_bytes,
        f"{API_PREFIX}{ARTEFACTS}": MOST_BYTES,
        f"{API_PREFIX}{CHAIN_BATCHES}": MOST_BATCH_BYTES,
    }
    listener.prepare(app, settings, larger)
    app.add_middleware(GZipMiddleware, compresslevel=5, exclude_content_types=_NOT_COMPRESSED)
    app.add_middleware(ConditionalGet)
    app.add_middleware(RequestContext, listener="console", prefix=API_PREFIX)
    return app


@cache
def _routes() -> tuple[LateRoute, ...]:
    """Of every console of this process: what a route makes of its signature, it makes once, and keeps nothing of an
    application there."""
    asked = [route for router in ROUTERS for route in routes_of(router, API_PREFIX, known_query)]
    asked += routes_of(sign_in_router, API_PREFIX)  # providers add parameters of their own
    return (*asked, *routes_of(health.router, "", known_query), *routes_of(reference_router, "", known_query))


def fresh_state(app: FastAPI) -> None:
    """What a console knows when it starts: nobody signing in, no stream, no prediction kept. Apart from `console_app`,
    since tests want the same application without what came before."""
    app.state.authenticator = TableAuthenticator()
    app.state.sign_ins = Gate()
    app.state.provider_sign_ins = SharedThrottle("provider-sign-ins", SIGN_INS_PER_MINUTE)
    app.state.hub = Hub()
    app.state.current_fleet = CurrentFleet()
    app.state.fleet_file = FleetFile()
    app.state.new_chain_predictor = NewChainPredictor(app.state.current_fleet)
    app.state.fleet_metrics = FleetMetrics()
    app.state.admission = Admission()
