"""What the runner answers (docs/contracts/runner.md), checked like everything that comes from outside."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from sextant_domain.chains.chain import Execution

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
    operations: tuple[str, ...] = Field(default=(), max_length=256)
    """Nothing in the answer of a runner from before it said so."""


class ChainAnswer(RunnerAnswer):
    """Counters of a chain, cumulative since it was added."""

    chain: str
    offered: Count
    sent: Count
    delivered: Count
    source_drops: Count
    unmatched: Count = 0
    malformed: Count = 0
    delivered_bytes: Count | None = None
    """A runner outlives its agent: one of older make does not send it."""
    latency_counts: tuple[Count, ...] = Field(max_length=4097)
    execution: Execution = "isolated"
    paused: bool = False


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
    busy_ns: Count | None = None
    """A runner of older make does not count it."""
    ring_used: Count
    ring_size: Count
    starts: Count
    ring_peak: Count = 0
    group: Count | None = None


class QueryAnswer(RunnerAnswer):
    """Answer to `query`."""

    chains: tuple[ChainAnswer, ...] = Field(max_length=4096)
    nfs: tuple[NfAnswer, ...] = Field(max_length=4096)
    traffic_cpu_ns: Count | None = None
    """Of the process of all sources and sinks."""


class ChangeAnswer(RunnerAnswer):
    """Answer to `set_execution`."""

    interruption_us: Count | None = None
    """The longest time without a packet at the sink; None where none came to measure it by."""


class MoveAnswer(ChangeAnswer):
    """Answer to `move_nf`."""

    core: int
    pid: int | None = None
    """Of the process the NF is in now; None: the one it was in before."""


class RemoveAnswer(RunnerAnswer):
    """Answer to `remove_chain`."""

    lost_packets: Count
