"""Bodies of reports (decision 108): read into structs, in the request's own thread. What these refuse is judged by the
models, whose refusals are worded as all others are."""

import json
from typing import Annotated, Any, TypeVar, cast

import msgspec
from fastapi import Depends, Request
from fastapi.exceptions import RequestValidationError
from pydantic import Field, ValidationError
from sextant_domain.base import Frozen
from sextant_domain.hosts.early_report import EarlyReport
from sextant_domain.hosts.enrolment import MOST_HOSTS
from sextant_domain.hosts.telemetry import TelemetryBatch

from sextant_backend.kit.errors import MalformedBody
from sextant_backend.kit.structs import reader_of

ModelT = TypeVar("ModelT", bound=Frozen)


class Batches(Frozen):
    """Body of POST /fleet/v1/telemetry/batches: what one process measured on several hosts."""

    batches: Annotated[tuple[TelemetryBatch, ...], Field(min_length=1, max_length=MOST_HOSTS)]


_batch = reader_of(TelemetryBatch)
_batches = reader_of(Batches)
_UNFIT = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


async def _body(request: Request) -> bytes:
    return await request.body()


BodyDep = Annotated[bytes, Depends(_body)]


def batch_in(body: bytes) -> TelemetryBatch:
    """As a struct (`telemetry.structs`), or as a model where structs refuse it; raises MalformedBody,
    RequestValidationError."""
    try:
        return cast(TelemetryBatch, _batch(body))
    except _UNFIT:
        return _judged(TelemetryBatch, body)


def batches_in(body: bytes) -> tuple[TelemetryBatch, ...]:
    """The same of a body with several."""
    try:
        return cast(Batches, _batches(body)).batches
    except _UNFIT:
        return _judged(Batches, body).batches


def early_in(body: bytes) -> EarlyReport:
    """A model: there are few. Raises MalformedBody, RequestValidationError."""
    return _judged(EarlyReport, body)


def _judged(model: type[ModelT], body: bytes) -> ModelT:
    try:
        found: Any = json.loads(body)
    except (ValueError, RecursionError) as error:
        cause = f"{error.msg} at character {error.pos}" if isinstance(error, json.JSONDecodeError) else str(error)
        raise MalformedBody(f"The body is not JSON: {cause}. Nothing was changed.") from None
    try:
        return model.model_validate(found)
    except ValidationError as error:
        raise RequestValidationError([{**one, "loc": ("body", *one["loc"])} for one in error.errors()]) from None
