"""ETag on single resources, `If-Match` demanded on changes of one."""

from typing import Annotated

from fastapi import Header, Request, Response
from sextant_domain.problem import FieldError, NextAction

from sextant_backend.kit.errors import SextantError

IfMatch = Annotated[
    str | None, Header(alias="If-Match", max_length=200, description="The ETag of what is to be changed")
]
"""Put it into a signature so that OpenAPI names the header; `require_if_match` judges it."""


class PreconditionRequired(SextantError):
    """The change did not say which version it was made for."""

    kind, status, title = "precondition-required", 428, "The change needs If-Match"


class PreconditionFailed(SextantError):
    """What is to be changed has changed since."""

    kind, status, title = "precondition-failed", 412, "It has changed since it was read"


def etag_of(version: int | str) -> str:
    """`"3"` or `"sha256:..."`: a strong tag."""
    return f'"{version}"'


def set_etag(response: Response, version: int | str) -> None:
    """Name the version of the resource that is answered."""
    response.headers["ETag"] = etag_of(version)


def require_if_match(request: Request, version: int | str | None) -> None:
    """Refuse a change unless `If-Match` names `version` (428 without the header, 412 otherwise; `*` names none)."""
    given = request.headers.get("If-Match")
    current = None if version is None else etag_of(version)
    if given is None:
        raise PreconditionRequired(
            "Send If-Match with the ETag that reading it gave. Nothing was changed.",
            errors=[FieldError(field="header.If-Match", message="missing")],
        )
    if current is None or current not in {tag.strip() for tag in given.split(",")}:
        raise PreconditionFailed(
            f"The change was made for {given[:100]}, the present version is {current}. Nothing was changed.",
            errors=[FieldError(field="header.If-Match", message=f"expected {current}")],
            next_actions=[NextAction(label="Read it again, review the difference, then repeat the change")],
            difference={"expected": given[:200], "actual": current},
        )
