"""Where browsers report how long their requests took."""

from typing import Annotated

from fastapi import APIRouter, Request
from sextant_domain.console.access import Permission
from sextant_domain.console.browser_spans import BrowserSpans

from sextant_backend.kit.principal import Principal, may
from sextant_backend.kit.routes import LateRoute
from sextant_backend.kit.surface import surface
from sextant_backend.modules.browser_spans import service

router = APIRouter(tags=["metrics"], route_class=LateRoute)


@router.post("/browser-spans", operation_id="reportBrowserSpans", status_code=204)
def report_browser_spans(
    request: Request, body: BrowserSpans, _user: Annotated[Principal, may(Permission.SESSION)]
) -> None:
    """Hand requests of a browser on to the collector of traces, each as the first span of its trace. Nothing is stored.

    No Idempotency-Key: a span that is sent twice has the same number, and collectors keep one."""
    service.send(body.spans, surface(request).operations)
