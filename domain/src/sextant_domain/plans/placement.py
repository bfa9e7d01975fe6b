"""Where NFs stand."""

from pydantic import Field

from sextant_domain.base import Frozen, Name, NfId


class Seat(Frozen):
    """One slot of one core, and the resources that go with it."""

    host: Name
    node: int = Field(ge=0)
    core: int = Field(ge=0)
    slot: int = Field(default=0, ge=0)
    llc_ways: int | None = None
    memory_bandwidth_percent: int | None = None
    cpu_share: int | None = None
    cpu_quota_percent: float | None = Field(default=None, exclude_if=lambda quota: quota is None)
    """Left out where there is none, and on plans of an earlier version."""
    chain_llc_ways: int | None = Field(default=None, exclude_if=lambda ways: ways is None)
    """Ways that all NFs of its chain have together; left out likewise."""
    chain_memory_bandwidth_percent: int | None = Field(default=None, exclude_if=lambda percent: percent is None)
    """Memory bandwidth that all NFs of its chain have together; left out likewise."""

    @property
    def place(self) -> tuple[str, int, int]:
        """Host, core and slot: where it is, whatever it has there."""
        return self.host, self.core, self.slot


class PlacedNf(Frozen):
    """An NF of a chain on its seat."""

    nf_id: NfId
    chain: Name
    position: int = Field(ge=0)
    """Place in the chain, from 0."""
    nf_type: Name
    seat: Seat
