"""The API's contract, read off an application: the same bytes for the same code."""

import json
from typing import Any, Literal

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import iter_route_contexts
from pydantic import BaseModel, TypeAdapter
from sextant_domain.console.access import TABLE, Permission, Role, permissions_of
from sextant_domain.problem import MEDIA_TYPE, Problem

from sextant_backend.kit.principal import permission_of
from sextant_backend.modules.comparisons.schemas import ComparisonRequest
from sextant_backend.reference.examples import attach

_REF = "#/components/schemas/{model}"
_NAMED: tuple[tuple[type[BaseModel], Literal["serialization", "validation"]], ...] = (
    (Problem, "serialization"),
    (ComparisonRequest, "validation"),
)
"""Types that no signature names: what is refused with, and a body that its endpoint reads by itself."""
_UNUSED = ("HTTPValidationError", "ValidationError")
_REFUSAL = {
    "description": "Refused: the cause, the fields and what to do next",
    "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
}


def document(app: FastAPI) -> dict[str, Any]:
    """OpenAPI 3.1 of a console. Every operation's refusals are problem+json; LiveEvent has a name."""
    made = get_openapi(title=app.title, version=app.version, routes=app.routes)
    components: dict[str, Any] = made["components"]["schemas"]
    for model, mode in _NAMED:
        schema = TypeAdapter(model).json_schema(mode=mode, ref_template=_REF)
        components.update(schema.pop("$defs", {}))
        components[model.__name__] = schema
    for operations in made["paths"].values():
        for operation in operations.values():
            operation["responses"].pop("422", None)
            operation["responses"]["default"] = _REFUSAL
    _name_live_event(made)
    _name_permissions(app, made)
    attach(made)
    for name in _UNUSED:
        components.pop(name, None)
    return made


def _name_permissions(app: FastAPI, made: dict[str, Any]) -> None:
    """What each operation needs, and what each role may do: the browser's and other clients' only source of it."""
    needed = permissions(app)
    for operations in made["paths"].values():
        for operation in operations.values():
            if (permission := needed.get(operation["operationId"])) is not None:
                operation["x-sextant-permission"] = permission.value
    made["x-sextant-permissions"] = {one.value: TABLE[one].allows for one in Permission}
    made["x-sextant-roles"] = {role.value: [one.value for one in permissions_of(role)] for role in Role}


def permissions(app: FastAPI) -> dict[str, Permission | None]:
    """What each operation needs, by its id; None for what is open to all."""
    return {
        route.operation_id: permission_of(route.dependant)
        for route in iter_route_contexts(list(app.routes))
        if getattr(route, "operation_id", None)
    }


def _name_live_event(made: dict[str, Any]) -> None:
    """The union of the stream's events becomes a component, so that the browser's types have it by name."""
    content = made["paths"]["/api/v1/events"]["get"]["responses"]["200"]["content"]
    schema = next(iter(content.values()))["schema"]
    schema["title"] = "LiveEvent"
    made["components"]["schemas"]["LiveEvent"] = schema
    content.clear()
    content["text/event-stream"] = {"schema": {"$ref": "#/components/schemas/LiveEvent"}}


def text(app: FastAPI) -> str:
    """The document as it is committed: sorted keys, two spaces, a newline at the end."""
    return json.dumps(document(app), indent=2, sort_keys=True, ensure_ascii=False) + "\n"
