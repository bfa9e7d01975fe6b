"""What the runner answers (docs/contracts/runner.md), checked like everything that comes from outside."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Count = Annotated[int, Field(ge=0)]


class RunnerAnswer(BaseModel):
    """Fields that this agent does not know are passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Hello(RunnerAnswer):
    """Who answers, and what it can do."""

    pid: int = Field(gt=0)
    start_time: Count
    nonce: str = Field(max_length=64)
    version: str = Field(max_length=64)
    hugepages: bool
    cores: tuple[Count, ...]
    traffic_core: Count
    nf_types: tuple[str, ...] = Field(max_length=256)
    latency_bounds_ns: tuple[Count, ...] = Field(max_length=4096)


class ChainAnswer(RunnerAnswer):
    """Counters of a chain, cumulative since it was added."""

    chain: str
    offered: Count
    sent: Count
    delivered: Count
    source_drops: Count
    delivered_bytes: Count | None = None
    """A runner outlives its agent: one of older make does not send it."""
    latency_counts: tuple[Count, ...] = Field(max_length=4097)


class NfAnswer(RunnerAnswer):
    """Counters and state of an NF, cumulative since its chain was added."""

    nf: str
    chain: str
    type: str
    pid: int | None
    state: Literal["running", "crashed"]
    exit: str | None
    core: Count
    rx: Count
    tx: Count
    drops: Count
    filtered: Count
    cycles: Count
    cpu_ns: Count
    ring_used: Count
    ring_size: Count
    starts: Count


class QueryAnswer(RunnerAnswer):
    """Answer to `query`."""

    chains: tuple[ChainAnswer, ...] = Field(max_length=4096)
    nfs: tuple[NfAnswer, ...] = Field(max_length=4096)


class MoveAnswer(RunnerAnswer):
    """Answer to `move_nf`."""

    core: int


class RemoveAnswer(RunnerAnswer):
    """Answer to `remove_chain`."""

    lost_packets: Count
