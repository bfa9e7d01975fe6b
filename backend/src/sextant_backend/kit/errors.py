"""The one error type from service to browser, and what turns every error into problem+json (RFC 9457)."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Self

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic_core import ErrorDetails
from sextant_domain.chains.traffic_kinds import without_kinds
from sextant_domain.naming import few
from sextant_domain.problem import MEDIA_TYPE, FieldError, NextAction, Problem, problem_type
from sextant_domain.refusals import cause_of
from sqlalchemy.exc import DataError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException

from sextant_backend.kit.logging import current_request_id
from sextant_backend.kit.patterns import in_words

RETRY_AFTER_S = 2
_MAX_FIELDS = 50
_NAMED_FIELD = re.compile(r"([a-z_]+(?:\.[a-z0-9_]+)+): (.+)", re.DOTALL)
_log = structlog.get_logger()


class SextantError(Exception):
    """A refusal that a person can act on. Subclasses give `kind`, `status` and `title`."""

    kind: ClassVar[str] = "internal"
    status: ClassVar[int] = 500
    title: ClassVar[str] = "Sextant failed"
    keeps: ClassVar[bool] = False
    """What its transaction has written is committed all the same: others are to see what was found out."""

    def __init__(
        self,
        detail: str,
        *,
        errors: Iterable[FieldError] = (),
        next_actions: Iterable[NextAction] = (),
        difference: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.errors = tuple(errors)
        self.next_actions = tuple(next_actions)
        self.difference = difference
        self.headers = headers or {}

    def problem(self, instance: str | None = None) -> Problem:
        """The same as problem+json; also what operations and plans store."""
        return Problem(
            type=problem_type(self.kind),
            title=self.title,
            status=self.status,
            detail=self.detail,
            instance=instance,
            errors=self.errors,
            next_actions=self.next_actions,
            request_id=current_request_id(),
            difference=self.difference,
        )


class ValidationFailed(SextantError):
    """The body, a parameter or a header does not fit; `errors` names the fields."""

    kind, status, title = "validation", 422, "The request has fields that do not fit"

    @classmethod
    def of(cls, errors: Sequence[FieldError], effect: str) -> Self:
        """With the first three fields in its sentence. `effect`: 'Nothing was stored.'"""
        return cls(f"Refused because of {few([error.field for error in errors])}. {effect}", errors=errors)


class MalformedBody(SextantError):
    """The body is no JSON."""

    kind, status, title = "malformed-body", 400, "The body cannot be read"


class BodyTooLarge(SextantError):
    """More bytes than SEXTANT_MAX_BODY_BYTES."""

    kind, status, title = "body-too-large", 413, "The body is too large"


class NotFound(SextantError):
    """No such thing, or no such path."""

    kind, status, title = "not-found", 404, "Not found"


class NameTaken(SextantError):
    """Another thing of its kind has the name."""

    kind, status, title = "name-taken", 409, "The name is taken"

    @classmethod
    def of(cls, thing: str, name: str, otherwise: str, show: str) -> Self:
        """Of a chain: `NameTaken.of("chain", "web", "delete that chain", "sextant chains show web")`."""
        return cls(
            f"The name {name} is taken by another {thing}. Nothing was stored.",
            errors=[FieldError(field="name", message=f"choose another name, or {otherwise}")],
            next_actions=[NextAction(label=f"See that {thing}", command=show)],
        )


class MethodNotAllowed(SextantError):
    """The path exists, the method does not."""

    kind, status, title = "method-not-allowed", 405, "This path does not take that method"


class Unavailable(SextantError):
    """The database or the queue is away; the same request works later."""

    kind, status, title = "unavailable", 503, "Sextant cannot serve this at the moment"

    def __init__(self, detail: str) -> None:
        super().__init__(
            detail,
            headers={"Retry-After": str(RETRY_AFTER_S)},
            next_actions=[NextAction(label="Try again in a few seconds; /readyz says what is missing")],
        )


class Internal(SextantError):
    """A mistake of ours; the log has the trace under the request's id."""


def problem_response(problem: Problem, headers: dict[str, str] | None = None) -> Response:
    """`problem` as an answer; never cached."""
    return Response(
        problem.model_dump_json(),
        status_code=problem.status,
        media_type=MEDIA_TYPE,
        headers={"Cache-Control": "no-store", **(headers or {})},
    )


def answer(error: SextantError, request: Request) -> Response:
    """The answer that `error` becomes."""
    return problem_response(error.problem(request.url.path), error.headers)


def internal_problem(path: str) -> Problem:
    """What a client sees of an unexpected exception: nothing but the id under which the log has the details."""
    return Internal(
        "An unexpected error stopped this request; nothing was changed.",
        next_actions=[NextAction(label="Look up the request id in the log, then report it")],
    ).problem(path)


def field_errors(errors: Iterable[ErrorDetails | dict[str, Any]]) -> tuple[FieldError, ...]:
    """Pydantic's error list with paths as a person writes them: `traffic.rate_mpps`, `query.limit`.

    Each once: FastAPI lists what is wrong with a body or parameter for every dependency that reads it.
    """
    found: dict[FieldError, None] = {}
    for error in errors:
        found.setdefault(_field_error(error))
        if len(found) == _MAX_FIELDS:
            break
    return tuple(found)


def _field_error(error: ErrorDetails | dict[str, Any]) -> FieldError:
    """A rule over several fields says itself which one is wrong: `nfs.1.name: 'r' is used twice in this chain`."""
    field, message = _path(error["loc"]), cause_of(error)
    if error["type"] == "string_pattern_mismatch":
        message = f"must be {in_words(error['ctx']['pattern'])}"
    named = _NAMED_FIELD.match(message) if error["type"] == "value_error" else None
    if named is None:
        return FieldError(field=field, message=message)
    inner, message = named.groups()
    return FieldError(field=inner if field == "body" else f"{field}.{inner}", message=message)


def _path(loc: tuple[int | str, ...]) -> str:
    loc = without_kinds(loc)
    where, *rest = loc or ("body",)
    if where != "body":
        return ".".join(map(str, loc))
    return ".".join(map(str, rest)) or "body"


def _on_validation(request: Request, error: RequestValidationError) -> Response:
    errors = list(error.errors())
    if any(item["type"] == "json_invalid" for item in errors):
        cause = errors[0].get("ctx", {}).get("error", "not JSON")
        at = errors[0]["loc"][-1]
        return answer(MalformedBody(f"The body is not JSON: {cause} at character {at}. Nothing was changed."), request)
    return answer(ValidationFailed.of(field_errors(errors), "Nothing was changed."), request)


def _on_http(request: Request, error: HTTPException) -> Response:
    made: SextantError
    if error.status_code == 404:
        made = NotFound(f"There is no {request.url.path}.")
    elif error.status_code == 413:
        made = BodyTooLarge(str(error.detail))
    elif error.status_code == 400:
        made = MalformedBody("The body is not JSON that can be read. Nothing was changed.")
    else:
        made = Internal(f"Refused with status {error.status_code}.")
    return answer(made, request)


_STOOD_STILL = ("25P03", "25P04")
"""PostgreSQL ended the transaction, as it waited for a process that was frozen or starved (`kit.db.IDLE_LIMIT_MS`)."""


def _on_database(request: Request, error: Exception) -> Response:
    """The database is away or overloaded: 503. A value it cannot store: 422. Anything else is our mistake."""
    if isinstance(error, DataError):
        detail = "A value cannot be stored (a NUL character, or a number out of range). Nothing was changed."
        return answer(ValidationFailed(detail), request)
    state = getattr(getattr(error, "orig", None), "sqlstate", None)
    if state in _STOOD_STILL:
        _log.warning("request_stood_still", sqlstate=state)
        return answer(
            Unavailable("The console stood still in the middle of this request. Nothing was changed."), request
        )
    if state is None and getattr(error, "connection_invalidated", False):
        # Ended by PostgreSQL or on the way to it. Its last words, the SQLSTATE, are read before the end of the
        # connection is seen or lost with it, as it happens.
        _log.warning("database_connection_lost", cause=str(getattr(error, "orig", error)).strip())
        detail = "The connection to the database was lost in the middle of this request."
        return answer(Unavailable(detail), request)
    if isinstance(error, PoolTimeout) or state is None or state[:2] in ("08", "40", "53", "55", "57"):
        _log.warning("database_unavailable", sqlstate=state, cause=str(getattr(error, "orig", error)).strip())
        reason = "is busy" if state and state[:2] in ("40", "55", "57") and state < "57P01" else "does not answer"
        return answer(Unavailable(f"The database {reason}. Nothing was changed."), request)
    raise error


def install(app: FastAPI) -> None:
    """Give `app` the handlers; unknown exceptions are turned by `kit.context` around the whole app."""
    app.add_exception_handler(SextantError, lambda request, error: answer(error, request))
    app.add_exception_handler(RequestValidationError, _on_validation)  # type: ignore[arg-type]
    app.add_exception_handler(HTTPException, _on_http)  # type: ignore[arg-type]
    app.add_exception_handler(DBAPIError, _on_database)
    app.add_exception_handler(PoolTimeout, _on_database)
