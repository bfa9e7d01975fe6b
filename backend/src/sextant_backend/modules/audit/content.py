"""What an entry keeps of an object before and after: without secrets, and no larger than a page can show."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from sextant_backend.kit.logging import SECRETS

MAX_BYTES = 16_384
"""Of the JSON of one object: a chain of thirty NFs with their configurations has 6 KiB."""
HIDDEN = "(hidden)"

Content = BaseModel | Mapping[str, Any]


def kept(content: Content | None) -> dict[str, Any] | None:
    """Its JSON; what is larger is named by its size and SHA-256 alone."""
    if content is None:
        return None
    given = content.model_dump(mode="json") if isinstance(content, BaseModel) else dict(content)
    found: dict[str, Any] = _without_secrets(given)
    text = json.dumps(found, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    if len(text) <= MAX_BYTES:
        return found
    return {"too_large_bytes": len(text), "sha256": hashlib.sha256(text).hexdigest()}


def _without_secrets(value: Any) -> Any:
    """Secrets never come here: those of configurations are references by then. A field of such a name is hidden all
    the same, should a writer ever hand one over."""
    if isinstance(value, Mapping):
        return {
            str(name): HIDDEN if str(name).lower() in SECRETS and item is not None else _without_secrets(item)
            for name, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_without_secrets(item) for item in value]
    return value
