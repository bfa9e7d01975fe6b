"""What every type of the domain has in common: frozen, closed, with a canonical digest."""

import hashlib
import json
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, StringConstraints
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from sextant_domain.docstrings import attribute_docstrings

BUILT_LATE = ConfigDict(defer_build=True)
"""Of a TypeAdapter: its validator is built when it first validates. No process uses all that it imports."""


def own_words(message: str) -> str:
    """What a validator of ours says, without what pydantic puts before it. `message`: of one of its errors."""
    return message.removeprefix("Value error, ")


class Frozen(BaseModel):
    """An immutable value. Unknown fields and NaN are refused, so nothing is dropped or compared silently."""

    model_config = ConfigDict(
        **BUILT_LATE, frozen=True, extra="forbid", allow_inf_nan=False, ser_json_timedelta="float"
    )

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Fields are described by the strings under them, which are read when somebody asks: read at import, as by
        `use_attribute_docstrings`, they would take a quarter of the start of every process."""
        schema = handler(core_schema)
        properties = handler.resolve_ref_schema(schema).get("properties", {})
        for field, text in attribute_docstrings(cls).items():
            if field in properties:
                properties[field].setdefault("description", text)
        for field, info in cls.model_fields.items():
            if info.exclude_if is not None and field in properties:
                # A field with a default counts as always there with those who generate types from the document.
                properties[field].pop("default", None)
        return schema


Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$", min_length=1, max_length=63)]
"""A DNS label: lower case, digits and hyphens, 1-63 characters. Hosts, chains, NF types and NFs are named so."""

NfId = Annotated[
    str,
    StringConstraints(
        pattern=r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$", max_length=127
    ),
]
"""`<chain>.<nf>`: unique in the fleet because chain names are, and NF names are unique in their chain."""

Digest = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]
"""`sha256:` and 64 hexadecimal digits, over the canonical JSON of a value (see `digest_of`)."""

StrictFloat = Annotated[float, Field(strict=True)]
"""A JSON number; a string of digits is refused rather than guessed at."""

StrictInt = Annotated[int, Field(strict=True)]


class Provenance(StrEnum):
    """Where a figure comes from; every figure on the screen says it."""

    MEASURED = "measured"
    PREDICTED = "predicted"
    SIMULATED = "simulated"
    ASSUMED = "assumed"


def canonical_json(value: BaseModel) -> bytes:
    """UTF-8 JSON with sorted keys and no white space: equal values give equal bytes in every process."""
    return json.dumps(
        value.model_dump(mode="json"), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def digest_of(value: BaseModel) -> str:
    """SHA-256 over `canonical_json`, written as `sha256:<hex>`."""
    return digest_of_json(canonical_json(value))


def digest_of_json(canonical: bytes) -> str:
    """The same, of canonical JSON that is at hand."""
    return f"sha256:{hashlib.sha256(canonical).hexdigest()}"
