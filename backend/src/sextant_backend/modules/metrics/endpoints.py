"""The fleet's metrics, for Prometheus."""

import gzip
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST
from sextant_domain.console.access import Permission

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.principal import Principal, may
from sextant_backend.kit.routes import LateRoute
from sextant_backend.modules.metrics.service import FleetMetrics, Limits
from sextant_backend.settings import get_settings

router = APIRouter(tags=["metrics"], route_class=LateRoute)
_TEXT: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}


@router.get("/metrics", operation_id="getFleetMetrics", response_class=Response, responses=_TEXT)
def get_fleet_metrics(
    request: Request, session: SessionDep, _reader: Annotated[Principal, may(Permission.METRICS_READ)]
) -> Response:
    """Figures of hosts, chains, NFs, operations, queues, control laws and alerts as Prometheus reads them. Every
    console gives the same: scrape one. Its own requests are at `/metrics`, without sign-in."""
    metrics: FleetMetrics = request.app.state.fleet_metrics
    settings = get_settings()
    limits = Limits(series=settings.metrics_max_series, kept_s=settings.metrics_kept_s)
    packed = metrics.packed(session, limits)
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(gzip.decompress(packed), media_type=CONTENT_TYPE_LATEST)
    headers = {"content-encoding": "gzip", "vary": "Accept-Encoding"}
    return Response(packed, headers=headers, media_type=CONTENT_TYPE_LATEST)
