"""What the console's API and the fleet listener share: who follows what, how errors are answered, bounds of bodies."""

from collections.abc import Mapping

from fastapi import FastAPI

from sextant_backend import wiring
from sextant_backend.kit import errors, idempotency
from sextant_backend.kit.limits import BodyLimit
from sextant_backend.kit.surface import wrong_method
from sextant_backend.settings import Settings


def prepare(app: FastAPI, settings: Settings, larger: Mapping[str, int]) -> None:
    """Call after the routers are in; `larger`: bounds in bytes of paths whose bodies may be larger than others'."""
    wiring.connect()
    errors.install(app)
    app.add_exception_handler(405, wrong_method)
    app.add_exception_handler(idempotency.ReplayedAnswer, idempotency.replay)  # type: ignore[arg-type]
    app.add_middleware(BodyLimit, max_bytes=settings.max_body_bytes, larger=larger)
