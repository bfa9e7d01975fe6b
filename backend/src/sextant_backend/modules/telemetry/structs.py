"""Batches as structs, which storing them reads. They have the attributes of a `TelemetryBatch` and are typed as one;
what only models have (`model_dump`, iteration) they do not."""

from typing import Any, cast

import msgspec
from pydantic import BaseModel
from sextant_domain.hosts.telemetry import TelemetryBatch

from sextant_backend.kit.structs import reader_of

_of_batch = reader_of(TelemetryBatch)


def of(batch: TelemetryBatch) -> TelemetryBatch:
    """The struct of a batch that may be a model."""
    if not isinstance(batch, BaseModel):
        return batch
    return cast(TelemetryBatch, _of_batch(batch.model_dump_json().encode()))


def changed(sample: Any, **values: object) -> Any:
    """A struct with other values."""
    return msgspec.structs.replace(sample, **values)


def fields(sample: Any) -> dict[str, Any]:
    """Of a struct, by name."""
    return msgspec.structs.asdict(sample)
