"""Stored JSON whose fields had other names: read as it was written, written by the present names only."""

from collections.abc import Mapping
from typing import Any


def renamed(data: Any, names: Mapping[str, str]) -> Any:
    """`data` with former field names replaced by the present ones; for a validator in mode before."""
    if not isinstance(data, Mapping):
        return data
    return {names.get(key, key): value for key, value in data.items()}
