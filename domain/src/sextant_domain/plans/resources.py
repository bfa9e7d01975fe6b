"""Resources of NFs and chains that run: what an operator asks for, and how two seats differ in them."""

from typing import Any, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from sextant_domain.base import Frozen, Name, StrictFloat, StrictInt
from sextant_domain.chains.chain import MAX_CPU_SHARE
from sextant_domain.hosts.levels import MAX_WAYS
from sextant_domain.plans.placement import Seat

RESOURCES = {
    "llc_ways": "LLC ways",
    "memory_bandwidth_percent": "memory bandwidth",
    "cpu_share": "CPU share",
    "cpu_quota_percent": "CPU quota",
}
"""Field of a seat, an order and a request -> what it is called."""
CHAIN_RESOURCES = {
    "chain_llc_ways": "LLC ways of its chain",
    "chain_memory_bandwidth_percent": "memory bandwidth of its chain",
}
"""What a seat has with all other NFs of its chain: field of the seat -> what it is called. An order has them once, as
`DesiredChain.resources`."""
SEAT_RESOURCES = RESOURCES | CHAIN_RESOURCES


class MemoryRequest(Frozen):
    """What the NFs of a chain shall have together from now on. What is left out stays as it is; null gives it back."""

    host: Name | None = None
    """Where it must run for this to hold; left out: wherever it runs."""
    llc_ways: StrictInt | None = Field(default=None, ge=1, le=MAX_WAYS)
    """Ways of its node's cache that nobody else fills; null: shared with all others."""
    memory_bandwidth_percent: StrictInt | None = Field(default=None, ge=1, le=100)
    """The most of its node's memory bandwidth, a step of its host; null: all."""

    @model_validator(mode="after")
    def _names_a_resource(self) -> Self:
        if not self.asked:
            fields = (field for field in RESOURCES if field in type(self).model_fields)
            raise ValueError(f"name at least one of {', '.join(fields)}")
        return self

    @model_serializer(mode="wrap")
    def _only_what_was_given(self, handler: SerializerFunctionWrapHandler):  # type: ignore[no-untyped-def]
        """What was left out is not null: null gives a resource back. Without a return type the schema of what is
        written has the fields; with one it would be any object."""
        whole: dict[str, Any] = handler(self)
        return {field: value for field, value in whole.items() if field in self.model_fields_set}

    @property
    def asked(self) -> dict[str, Any]:
        """Field -> value, of the resources that were named."""
        return {field: getattr(self, field) for field in RESOURCES if field in self.model_fields_set}


class ResourceRequest(MemoryRequest):
    """What one NF shall have from now on. What is left out stays as it is; null gives it back."""

    cpu_share: StrictInt | None = Field(default=None, ge=1, le=MAX_CPU_SHARE)
    """Weight against whatever else wants its core; null: 100."""
    cpu_quota_percent: StrictFloat | None = Field(default=None, ge=1, le=100)
    """The most of its core that it may use, whoever else wants it; null: all."""


def resource_differences(source: Seat, target: Seat) -> list[tuple[str, Any, Any]]:
    """(field, before, after) of each resource that differs."""
    pairs = [(field, getattr(source, field), getattr(target, field)) for field in SEAT_RESOURCES]
    return [(field, before, after) for field, before, after in pairs if before != after]


def resource_text(field: str, value: float | None) -> str:
    """`4`, `50 %`, `shared`: a value of one resource, for a person."""
    if value is None:
        return {"llc_ways": "shared", "chain_llc_ways": "shared", "cpu_share": "100"}.get(field, "all")
    return f"{value:g} %" if field.endswith("_percent") else f"{value:g}"
